"""AdaP-UCB and AdaP-KLUCB: an action's phases double, and only the last one counts."""

from __future__ import annotations

import math

import numpy as np

from replicate import validation
from replicate.learners.competitors.limits import kl_limits
from replicate.learners.competitors.phases import PhasedBandit
from replicate.validation import FloatArray, Generator

INDICES = ("ucb", "kl")
PROVED = 3.1
"""Confidence level alpha of the paper's experiments; its theorems hold above 3."""
CUSTOMARY = 1.0
"""The level log t of KL-UCB, for which nothing is proved here."""


class DoublingBandit(PhasedBandit):
    """AdaP-UCB and AdaP-KLUCB (Azize and Basu 2022, Algorithm 1), on losses.

    Each action is played once; then the action with the smallest limit is played until its plays have doubled.
    With n the length of its last phase, m the phase's noisy mean and c = alpha log t, the limit is
    m - c / (epsilon n) - sqrt(c / (2 n)) for AdaP-UCB, and for AdaP-KLUCB the smallest q with
    n kl(clip(m - c / (epsilon n)), q) <= c. (The paper writes N / 2, which is n but before the first doubling, and
    in one version log(2 t) under the root, which the proof does not need.)

    Private by the proof at `phases.PhasedBandit`; `regret_bound` holds for both when alpha exceeds 3.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    epsilon
        Privacy level, positive.
    index
        ``"ucb"`` or ``"kl"``.
    alpha
        Confidence level, positive.
    rng
        Source of the noise.

    Examples
    --------
    >>> from replicate.learners import play
    >>> learner = DoublingBandit(2, epsilon=1.0, rng=np.random.default_rng(1))
    >>> run = play(learner, np.tile([0.0, 1.0], (2000, 1)))
    >>> bool(run.final[0] < 500)
    True
    """

    def __init__(
        self, n_actions: int, *, epsilon: float, index: str = "kl", alpha: float = PROVED, rng: Generator
    ) -> None:
        super().__init__(n_actions, epsilon=epsilon, rng=rng)
        self.index = validation.choice("index", index, INDICES)
        self.alpha = validation.positive("alpha", alpha, high=1e6)
        self._plays = np.zeros(self.n_actions, dtype=np.int64)
        self._last = np.zeros(self.n_actions)
        self._means = np.zeros(self.n_actions)

    def _next(self) -> tuple[int, int]:
        """Lines 3 and 5 to 7: every action once, then the smallest limit until its plays have doubled."""
        if self.rounds < self.n_actions:
            return self.rounds, 1
        arm = int(self._limits().argmin())
        return arm, int(self._plays[arm])

    def _learn(self, arm: int, length: int, noisy: float) -> None:
        """Forget the phases before."""
        self._plays[arm] += length
        self._last[arm], self._means[arm] = length, noisy / length

    def _limits(self) -> FloatArray:
        """Equation (7) and the display below it, shape (K,)."""
        level = self.alpha * math.log(self.rounds + 1)
        without_noise = self._means - level / self.epsilon / self._last  # m - c / (epsilon n)
        if self.index == "ucb":
            return without_noise - np.sqrt(level / (2 * self._last))
        return kl_limits(without_noise.clip(0, 1), self._last, level)  # the display below (7)


def regret_bound(*, n_actions: int, gap: float, epsilon: float, horizon: float, alpha: float = PROVED) -> float:
    """Return (K - 1) gap (max(4 n, 2) + 3 / (alpha - 3)), the regret of AdaP-UCB and AdaP-KLUCB on iid losses.

    n solves sqrt(c / (2 n)) + c / (epsilon n) = gap / 2 with c = alpha log T; all actions but one have the gap.
    Derived here: the paper's Theorem 7, 16 alpha log T / min(gap, epsilon) + alpha / (alpha - 3) an action, is
    larger for most sizes, but this proof needs 21 for its 16 where epsilon is near the gap; Theorem 8 leaves
    constants open.

    1. While means and noises deviate by at most sqrt(c / (2 n)) and c / (epsilon n), the best action's limit is
       below its mean, and an action with this gap is begun only when its last phase is shorter than n: it then
       has at most 4 n plays afterwards (2 after the first phase). The limits of AdaP-KLUCB are larger than those
       of AdaP-UCB (Pinsker), and that of the best action is below its mean by Chernoff's bound.
    2. At time t, one of two actions deviates with probability at most 3 t^-alpha for each length of its last
       phase, of which there are 1 + log2 t <= t; the phase that follows is no longer than t. From t = 3 on that is
       at most sum 3 t^(2 - alpha) <= 3 / (alpha - 3) plays.

    Parameters
    ----------
    n_actions
        K, 2 to 2**20.
    gap
        In (0, 1].
    epsilon
        Privacy level, 1e-40 to 1e40.
    horizon
        T, 2 to 1e40.
    alpha
        Above 3, at most 1e6.

    Examples
    --------
    >>> round(regret_bound(n_actions=8, gap=0.1, epsilon=1.0, horizon=1e6))
    28600
    """
    others = validation.count("n_actions", n_actions, low=2, high=2**20) - 1
    apart = validation.real("gap", gap, low=1e-40, high=1)
    eps = validation.real("epsilon", epsilon, low=1e-40, high=1e40)
    t = validation.real("horizon", horizon, low=2, high=1e40)
    level = validation.positive("alpha", alpha, high=1e6)
    if level <= 3:
        raise ValueError(f"alpha must be above 3, got {alpha!r}")
    c = level * math.log(t)
    # n from a quadratic in 1 / sqrt(n), solved without a difference of near equals
    plays = ((math.sqrt(c / 2) + math.sqrt(c / 2 + 2 * c * apart / eps)) / apart) ** 2
    return others * apart * min(max(4 * plays, 2.0) + 3 / (level - 3), t)  # steps 1 and 2
