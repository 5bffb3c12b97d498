"""Algorithm 1: a dyadic learner that selects by report-noisy-min with Laplace noise.

As printed, line 4 takes the arg max of losses plus noise; the learner then plays the worst expert.
``calibration="printed"`` runs that.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from replicate import mechanisms, validation
from replicate.environments import Environment
from replicate.learners import dyadic
from replicate.learners.protocol import Privacy, Run
from replicate.validation import FloatArray

CALIBRATIONS = ("corrected", "printed")


def selector(epsilon: float, *, calibration: str = "corrected") -> dyadic.Selector:
    """Return L -> distribution of arg min_j (L_j + Laplace(2 / epsilon)); of the arg max when ``"printed"``."""
    scale = 2 / validation.real("epsilon", epsilon, low=1e-9, high=1e9)
    # line 4 takes the arg max of losses, which are to be small
    sign = 1 if validation.choice("calibration", calibration, CALIBRATIONS) == "printed" else -1
    return partial(_selected, sign=sign, scale=scale)


def _selected(sums: FloatArray, sign: int, scale: float) -> FloatArray:
    return mechanisms.report_noisy_max_pmf(sign * sums, noise="laplace", scale=scale)


class LimitedUpdates(dyadic.DyadicLearner):
    """Algorithm 1, one round at a time: ``act()``, then ``observe(losses)``.

    Plays one expert on rounds 2^l, ..., 2^(l+1) - 1; the first is uniform.

    Parameters
    ----------
    n_actions
        Number of experts N, 2 to 1e6.
    epsilon
        Privacy level, 1e-9 to 1e9.
    calibration
        ``"corrected"`` takes the arg min, ``"printed"`` the arg max of line 4.
    rng
        Source of randomness.

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> learner = LimitedUpdates(3, epsilon=1.0, rng=np.random.default_rng(1))
    >>> for _ in range(63):
    ...     learner.observe([0.0, 1.0, 1.0])
    >>> learner.act()
    0
    """

    def __init__(
        self, n_actions: int, *, epsilon: float, calibration: str = "corrected", rng: np.random.Generator
    ) -> None:
        n_actions = validation.count("n_actions", n_actions, low=2, high=10**6)
        law = selector(epsilon, calibration=calibration)  # line 4
        # lines 1, 3, 6, 8: a uniform first expert, then one selection after each block of 2^l rounds
        super().__init__(n_actions, selector=law, prefix=dyadic.whole_block, rng=rng)
        self.privacy = Privacy(epsilon=epsilon, calibration=calibration, source="TR-P1")


def simulate_static(
    env: Environment,
    *,
    epsilon: float,
    horizon: int,
    replicates: int,
    rng: np.random.Generator,
    calibration: str = "corrected",
) -> Run:
    """Simulate Algorithm 1 exactly in law at a cost of O(N log T): pseudo-regret against one fixed expert."""
    law = selector(epsilon, calibration=calibration)
    return dyadic.simulate(env, selector=law, horizon=horizon, replicates=replicates, rng=rng)
