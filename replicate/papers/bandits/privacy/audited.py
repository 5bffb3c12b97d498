"""The learners under audit, with their own noise.

Every learner is private for every learning rate: its noise alone protects the losses. It is audited where its
actions say most: at learning rates so large that the second action says whether a noisy loss was above a
threshold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from replicate.papers.bandits.algorithms import tuning

EPSILON = 0.5
SHARP = 60.0
"""Learning rate of EXP3, FTPL and EXP4 under audit."""
_SIGMA = 0.02
_DELTA = 1e-6
_MIXING = 0.3
_EXP4_NOISE = 3 * 2 * math.sqrt(2 * math.log(1 / _DELTA)) / (_MIXING * EPSILON)
"""Scale of Algorithm 2's noise at N = K = 2, gamma = 0.3, tau = 1."""

BLURRED = np.array([[0.95, 0.05], [0.05, 0.95]])
"""Advice of Algorithm 5's two experts in every round."""


@dataclass(frozen=True, eq=False)
class Audited:
    """A learner under audit, two actions, released: the actions of its first two batches.

    Attributes
    ----------
    name, plan
        The learner, and its base with its batches and its noise: a neighbour moves a batch mean by 1 / batch.
    algorithm
        1 for a learner over actions, 2 and 6 over two experts that name an action each, 5 over two experts with
        blurred advice.
    delta
        The delta of the claim.
    reduction
        Divisor of the noise with which samples show too large a privacy loss.
    """

    name: str
    plan: tuning.Plan
    algorithm: int = 1
    delta: float = 0.0
    reduction: float = 4.0


def _private(base: tuning.Plan, batch: int) -> tuning.Plan:
    return replace(base, batch=batch, noise=1 / (batch * EPSILON))


_EXP3 = tuning.exp3(learning_rate=SHARP, mixing=0.0, n_actions=2)
_MIXED_EXP3 = tuning.exp3(learning_rate=SHARP, mixing=_MIXING, n_actions=2)

AUDITED = {
    "htinf": Audited("Algorithm 1, HTINF", _private(tuning.htinf(sigma=_SIGMA, threshold=math.inf), 2)),
    "exp3": Audited("Algorithm 1, EXP3", _private(_EXP3, 2)),
    "ftpl": Audited("Algorithm 1, FTPL", _private(tuning.ftpl(learning_rate=SHARP, resamples=10), 2)),
    "per_round_exp3": Audited("EXP3, noise every round", _private(_EXP3, 1)),
    "local_exp4": Audited("Algorithm 6", _private(_EXP3, 1), 6),
    "batched_exp4": Audited("Algorithm 2", replace(_MIXED_EXP3, noise=_EXP4_NOISE), 2, _DELTA, 1000.0),
    "experts": Audited("Algorithm 5 over 1, EXP3", _private(_EXP3, 2), 5),
}
