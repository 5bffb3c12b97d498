"""HTINF, EXP3 and FTPL one round at a time, and the conversion to a private learner (Algorithm 1)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from replicate import validation
from replicate.learners.protocol import NOT_PRIVATE, Privacy, checked_loss
from replicate.learners.tsallis_law import LAW
from replicate.papers.bandits.algorithms import kernels, simulation
from replicate.papers.bandits.algorithms.simulation import Plan
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

    Examples
    --------
    >>> import numpy as np
    >>> learner = HTINF(3, rng=np.random.default_rng(1))
    >>> action = learner.act()
    >>> learner.observe(-0.3)
    """

    def __init__(self, n_actions: int, *, sigma: float = math.sqrt(6), rng: np.random.Generator) -> None:
        super().__init__(n_actions, simulation.htinf(sigma=validation.positive("sigma", sigma, high=1e6)), rng)


class EXP3(BaseLearner):
    """EXP3 with mixing (Algorithm 3): P = (1 - gamma) w / sum w + gamma / K.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    learning_rate, mixing
        eta in (0, 1e6], gamma in [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> EXP3(4, learning_rate=0.1, mixing=0.2, rng=np.random.default_rng(1)).probabilities
    array([0.25, 0.25, 0.25, 0.25])
    """

    def __init__(self, n_actions: int, *, learning_rate: float, mixing: float, rng: np.random.Generator) -> None:
        plan = simulation.exp3(
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

    Examples
    --------
    >>> import numpy as np
    >>> learner = FTPL(2, learning_rate=0.1, resamples=20, rng=np.random.default_rng(1))
    >>> learner.act() in (0, 1)
    True
    """

    def __init__(
        self, n_actions: int, *, learning_rate: float, resamples: int, calibration: str = "corrected",
        rng: np.random.Generator,
    ) -> None:  # fmt: skip
        plan = simulation.ftpl(
            learning_rate=validation.positive("learning_rate", learning_rate, high=1e6),
            resamples=validation.count("resamples", resamples, high=10**8),
            calibration=validation.choice("calibration", calibration, simulation.CALIBRATIONS),
        )
        super().__init__(n_actions, plan, rng)  # line 1

    # lines 4-5: `act`, by `kernels.ftpl_act`
    # lines 6-8, 10-13, 17-18: `observe`, by `kernels.ftpl_observe`, which counts resamples by `kernels.resamples`


class PrivateBandit:
    """Algorithm 1: play each action of a base learner for a batch, feed back the noisy batch mean.

    The sequence of actions is epsilon-DP for every base learner (Lemma 3). The base learner must take
    negative and unbounded losses.

    Parameters
    ----------
    base
        Bandit learner with ``n_actions``, ``act() -> int`` and ``observe(loss)``.
    epsilon
        Privacy level in (0, 1].
    batch_size
        Rounds in a batch, tau; ceil(1 / epsilon) when None.
    rng
        Source of the noise.

    Examples
    --------
    >>> import numpy as np
    >>> from replicate.learners import play
    >>> from replicate.papers import bandits
    >>> rng = np.random.default_rng(1)
    >>> learner = PrivateBandit(bandits.HTINF(2, rng=rng), epsilon=0.5, rng=rng)
    >>> run = play(learner, np.tile([0.0, 1.0], (1000, 1)))
    >>> bool(run.final[0] < 500)
    True
    """

    feedback = "bandit"

    def __init__(
        self, base: Any, *, epsilon: float, batch_size: int | None = None, rng: np.random.Generator
    ) -> None:
        eps = validation.positive("epsilon", epsilon, high=1.0)
        self._base, self._rng = learner_of("base", base, counted="n_actions"), validation.generator(rng)
        self.n_actions: int = base.n_actions
        self.batch_size = (
            simulation.batch_size(eps) if batch_size is None else validation.count("batch_size", batch_size)
        )
        self.noise = 1 / (self.batch_size * eps)
        self.privacy = Privacy(epsilon=eps, source="BA-L3")
        self._action, self._seen, self._sum = -1, 0, 0.0  # line 1: no round of the first batch

    def act(self) -> int:
        """Return the action of this batch."""
        if self._seen == 0:  # line 4
            self._action = int(self._base.act())  # line 5
        return self._action  # line 7

    def observe(self, loss: float) -> None:
        """Add a loss in [0, 1]; at the end of the batch pass its noisy mean to the base learner."""
        self._sum += checked_loss(loss, self._action)  # line 8
        self._seen += 1
        if self._seen == self.batch_size:  # line 9
            mean = self._sum / self.batch_size  # line 10
            self._base.observe(mean + kernels.laplace(self._rng, self.noise))  # line 11
            self._action, self._seen, self._sum = -1, 0, 0.0  # line 12


def private_learner(
    learner: str, n_actions: int, *, epsilon: float, horizon: int, rng: np.random.Generator
) -> PrivateBandit:
    """Return a private learner for losses of one's own; `simulate` runs the same plan.

    Parameters
    ----------
    learner
        ``"htinf"``, ``"exp3"``, ``"ftpl"``: Algorithm 1 over that base learner. ``"per_round_exp3"``: EXP3
        with Laplace(1 / epsilon) on every loss.
    n_actions
        Number of actions K, 2 to 32,767.
    epsilon
        Privacy level in [1 / T, 1].
    horizon
        Number of rounds T that the learner is tuned for.
    rng
        Source of randomness of the base learner and of the noise.

    Raises
    ------
    ValueError
        If an argument is out of range, or the paper's tuning is undefined there.

    Examples
    --------
    >>> import numpy as np
    >>> private_learner("htinf", 5, epsilon=0.1, horizon=10_000, rng=np.random.default_rng(1)).batch_size
    10
    """
    validation.choice("learner", learner, tuple(simulation.PRIVATE))
    plan = simulation.plan(learner, n_actions=n_actions, epsilon=epsilon, horizon=horizon)
    base = BaseLearner(n_actions, plan, rng)
    return PrivateBandit(base, epsilon=epsilon, batch_size=plan.batch, rng=rng)


def floor_learner(learner: str, n_actions: int, *, horizon: int, rng: np.random.Generator) -> BaseLearner:
    """Return ``"tsallis_inf"`` or ``"plain_exp3"``, the learners without privacy, for losses of one's own."""
    validation.choice("learner", learner, tuple(simulation.NOT_PRIVATE))
    return BaseLearner(
        n_actions, simulation.plan(learner, n_actions=n_actions, epsilon=None, horizon=horizon), rng
    )
