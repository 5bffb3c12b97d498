"""Algorithm 1: a dyadic learner that selects by report-noisy-min with Laplace noise.

As printed, line 4 takes the arg max of losses plus noise; the learner then plays the worst expert. The
parameter `printed` runs that.
"""

from __future__ import annotations

import numpy as np

from replicate import mechanisms, validation
from replicate.environments import Environment
from replicate.learners import dyadic
from replicate.learners.protocol import Privacy, Run

__all__ = ["LimitedUpdates", "selector", "simulate_static"]


def selector(epsilon: float, *, printed: bool = False) -> dyadic.Selector:
    """Return L -> law of arg min_j (L_j + Laplace(2 / epsilon)), line 4; arg max when `printed`."""
    scale = 2 / validation.positive("epsilon", epsilon)
    sign = 1 if printed else -1
    return lambda sums: mechanisms.report_noisy_max_pmf(sign * sums, noise="laplace", scale=scale)


class LimitedUpdates(dyadic.DyadicLearner):
    """Algorithm 1, one round at a time: ``act()``, then ``observe(losses)``.

    Plays one expert on rounds 2^l, ..., 2^(l+1) - 1; the first is uniform.

    Parameters
    ----------
    n_actions
        Number of experts N >= 2.
    epsilon
        Privacy level, positive.
    printed
        Take the arg max, as line 4 prints.
    rng
        Source of randomness.
    """

    def __init__(self, n_actions: int, *, epsilon: float, printed: bool = False, rng: np.random.Generator) -> None:
        law = selector(epsilon, printed=printed)
        super().__init__(n_actions, selector=law, prefix=dyadic.whole_block, rng=rng)
        self.privacy = Privacy(epsilon=epsilon, calibration="printed" if printed else "corrected", source="TR-P1")


def simulate_static(
    env: Environment,
    *,
    epsilon: float,
    horizon: int,
    replicates: int,
    rng: np.random.Generator,
    printed: bool = False,
) -> Run:
    """Simulate Algorithm 1 exactly in law at a cost of O(N log T): pseudo-regret against one fixed expert."""
    law = selector(epsilon, printed=printed)
    return dyadic.simulate(env, selector=law, horizon=horizon, replicates=replicates, rng=rng)
