"""The base learners as classes that play one round at a time: HTINF, EXP3 and FTPL."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from replicate import validation
from replicate.learners.protocol import NOT_PRIVATE
from replicate.learners.tsallis_law import LAW
from replicate.papers.bandits.algorithms import kernels, tuning
from replicate.papers.bandits.algorithms.tuning import Plan
from replicate.validation import FloatArray

_LARGEST_LOSS = 1e100


def learner_of(name: str, value: Any, *, counted: str) -> Any:
    """Return `value` if it is a learner: it has ``act``, ``observe`` and a number of choices, named `counted`."""
    n = getattr(value, counted, None)
    methods = all(callable(getattr(value, method, None)) for method in ("act", "observe"))
    if isinstance(value, type) or not methods or not isinstance(n, int | np.integer) or n < 2:
        raise ValueError(f"{name} must be a learner with act(), observe() and {counted} >= 2, got {value!r:.200}")
    return value


class BaseLearner:
    """A base learner: state arrays and the kernels' step functions, one round at a time."""

    feedback = "bandit"
    privacy = NOT_PRIVATE

    def __init__(self, n_actions: int, plan: Plan, rng: np.random.Generator) -> None:
        self.n_actions = validation.count("n_actions", n_actions, low=2, high=2**15 - 1)
        self._plan, self._rng = plan, validation.generator(rng)
        self._state = kernels.fresh_state(plan.kind, self.n_actions)
        self._action = -1

    def act(self) -> int:
        """Return the action of this round."""
        p = self._plan
        self._action = int(kernels.act(p.kind, self._state, p.setting, self._rng))
        return self._action

    def observe(self, loss: float) -> None:
        """Take in the loss of the action played, negative or large: any real number up to 1e100 in size."""
        value = validation.real("loss", loss, low=-_LARGEST_LOSS, high=_LARGEST_LOSS)
        if self._action < 0:
            raise ValueError("observe(loss) needs an action first: call act()")
        p = self._plan
        kernels.observe(p.kind, self._state, p.setting, self._action, value, self._rng)
        self._action = -1


class HTINF(BaseLearner):
    """Follow the regularised leader with Tsallis entropy 1/2 and skipped outliers (Huang, Dai & Huang 2022).

    In round t, with eta = 1 / (sigma sqrt t), it draws from argmin_x <L, x> - (2 / eta) sum_i sqrt(x_i); it
    adds loss / x_I to L_I unless abs(loss) > theta sqrt(x_I) / eta, theta = 1 - 2^(-1/3).

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    sigma
        Root of the bound on the losses' second moment, in (0, 1e6]; sqrt 6 in Corollary 2.
    rng
        Source of randomness.

    Examples
    --------
    >>> import numpy as np
    >>> learner = HTINF(3, rng=np.random.default_rng(1))
    >>> action = learner.act()
    >>> learner.observe(-0.3)
    """

    def __init__(self, n_actions: int, *, sigma: float = math.sqrt(6), rng: np.random.Generator) -> None:
        super().__init__(n_actions, tuning.htinf(sigma=validation.positive("sigma", sigma, high=1e6)), rng)


class EXP3(BaseLearner):
    """EXP3 with mixing (Algorithm 3): P = (1 - gamma) w / sum w + gamma / K.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    learning_rate, mixing
        eta in (0, 1e6], gamma in [0, 1].
    rng
        Source of randomness.

    Examples
    --------
    >>> import numpy as np
    >>> EXP3(4, learning_rate=0.1, mixing=0.2, rng=np.random.default_rng(1)).probabilities
    array([0.25, 0.25, 0.25, 0.25])
    """

    def __init__(self, n_actions: int, *, learning_rate: float, mixing: float, rng: np.random.Generator) -> None:
        plan = tuning.exp3(
            learning_rate=validation.positive("learning_rate", learning_rate, high=1e6),
            mixing=validation.real("mixing", mixing, low=0, high=1),
            n_actions=validation.count("n_actions", n_actions, low=2),
        )
        super().__init__(n_actions, plan, rng)  # line 1

    # line 5: `act`, by `kernels.exp3_act`
    # lines 6-7: `observe`, by `kernels.exp3_observe`

    @property
    def probabilities(self) -> FloatArray:
        """P_t, the law of the next action, shape (K,)."""
        gamma, weights = self._plan.setting[kernels.MIXING], self._state[LAW]
        return np.asarray((1 - gamma) * weights / weights.sum() + gamma / self.n_actions)  # line 4


class FTPL(BaseLearner):
    """Follow the perturbed leader with geometric resampling (Algorithm 4).

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    learning_rate
        eta in (0, 1e6]; the perturbations are Laplace(1 / eta).
    resamples
        Most resamples M in a round, at most 10**8.
    calibration
        ``"corrected"``: a resample hits when the action is again the arg min, and M without a hit counts as
        M. ``"printed"``: it hits when the action is the arg max, and M without a hit counts as 0.
    rng
        Source of randomness.

    Examples
    --------
    >>> import numpy as np
    >>> learner = FTPL(2, learning_rate=0.1, resamples=20, rng=np.random.default_rng(1))
    >>> learner.act() in (0, 1)
    True
    """

    def __init__(
        self,
        n_actions: int,
        *,
        learning_rate: float,
        resamples: int,
        calibration: str = "corrected",
        rng: np.random.Generator,
    ) -> None:
        plan = tuning.ftpl(
            learning_rate=validation.positive("learning_rate", learning_rate, high=1e6),
            resamples=validation.count("resamples", resamples, high=10**8),
            calibration=validation.choice("calibration", calibration, tuning.CALIBRATIONS),
        )
        super().__init__(n_actions, plan, rng)  # line 1

    # lines 4-5: `act`, by `kernels.ftpl_act`
    # lines 6-8, 10-13, 17-18: `observe`, by `kernels.ftpl_observe`, which counts resamples by `kernels.resamples`
