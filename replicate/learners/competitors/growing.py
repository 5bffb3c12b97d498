"""DP-KLUCB and DP-IMED: an action's phases grow by a ratio, and nothing is forgotten."""

from __future__ import annotations

import math

import numpy as np

from replicate import validation
from replicate.learners.competitors.limits import private_evidence, private_limits
from replicate.learners.competitors.phases import PhasedBandit
from replicate.validation import FloatArray, Generator

INDICES = ("klucb", "imed")
RATIO = 2.0
"""Ratio of phases. The theorem holds for all above 1. Small ones add more noise to a sum, which then is wrong by
more than one Laplace variable, as d has it: some games never come back to the best action."""


class GrowingBandit(PhasedBandit):
    """DP-KLUCB and DP-IMED (Azize, Wu, Honda, Orabona, Ito and Basu 2025), on losses.

    Each action is played once; then the action with the smallest index until its plays n have grown by a ratio.
    Its mean m is the noisy sum of all its phases, one Laplace variable each, over n, clipped to [0, 1]. With
    d(x, y) = inf_z kl(z, y) + epsilon |x - z|, the index of DP-KLUCB is the smallest q with n d(m, q) <= log t,
    and that of DP-IMED is n d(m, smallest m of all actions) + log n.

    Private by the proof at `phases.PhasedBandit`. On iid losses 0 and 1 the regret is at most
    sum_a ratio gap_a log T / d(mean_a, best mean) + o(log T) (Theorem 2): asymptotic only.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    epsilon
        Privacy level, positive.
    index
        ``"klucb"`` or ``"imed"``.
    ratio
        Plays of an action after a phase to those before it, above 1, at most 1e6; rounded up.
    rng
        Source of the noise.

    Examples
    --------
    >>> from replicate.learners import play
    >>> learner = GrowingBandit(2, epsilon=1.0, rng=np.random.default_rng(1))
    >>> run = play(learner, np.tile([0.0, 1.0], (2000, 1)))
    >>> bool(run.final[0] < 200)
    True
    """

    def __init__(
        self, n_actions: int, *, epsilon: float, index: str = "klucb", ratio: float = RATIO, rng: Generator
    ) -> None:
        super().__init__(n_actions, epsilon=epsilon, rng=rng)
        self.index = validation.choice("index", index, INDICES)
        self.ratio = validation.real("ratio", ratio, low=1, high=1e6)
        if self.ratio == 1:
            raise ValueError(f"ratio must be above 1, got {ratio!r}")
        self._plays = np.zeros(self.n_actions, dtype=np.int64)
        self._sums = np.zeros(self.n_actions)

    def _next(self) -> tuple[int, int]:
        """Return every action once, then the smallest index until its plays have grown by the ratio."""
        if self.rounds < self.n_actions:
            return self.rounds, 1
        arm = int(self._indices().argmin())
        plays = int(self._plays[arm])
        # a ratio near 1 must not stand still
        return arm, max(math.ceil(self.ratio * plays) - plays, 1)

    def _learn(self, arm: int, length: int, noisy: float) -> None:
        """Add the phase to what is known."""
        self._plays[arm] += length
        self._sums[arm] += noisy

    def _indices(self) -> FloatArray:
        """Return the index of every action, shape (K,)."""
        means, plays = (self._sums / self._plays).clip(0, 1), self._plays.astype(np.float64)
        if self.index == "klucb":
            return private_limits(means, plays, math.log(self.rounds + 1), self.epsilon)
        return private_evidence(means, plays, self.epsilon)
