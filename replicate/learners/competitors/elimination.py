"""DP-SE: successive elimination in epochs of rising accuracy, each with fresh losses and noise."""

from __future__ import annotations

import math

from replicate import validation
from replicate.learners.competitors.phases import FOR_EVER, PhasedBandit
from replicate.validation import Generator


def epoch_length(epoch: int, n_active: int, *, epsilon: float, failure: float) -> int:
    """Return R: floor(max(32 log(8 S e^2 / beta) 4^e, 8 log(4 S e^2 / beta) 2^e / epsilon)) + 1, at most 2**62."""
    sampling = 32 * math.log(8 * n_active * epoch**2 / failure) * 4.0**epoch
    noise = 8 * math.log(4 * n_active * epoch**2 / failure) * 2.0**epoch / epsilon
    return int(min(max(sampling, noise) + 1, FOR_EVER))


def margin(epoch: int, n_active: int, length: int, *, epsilon: float, failure: float) -> float:
    """Return h + c: sqrt(log(8 S e^2 / beta) / (2 R)) + log(4 S e^2 / beta) / (epsilon R)."""
    sampling = math.sqrt(math.log(8 * n_active * epoch**2 / failure) / (2 * length))
    return sampling + math.log(4 * n_active * epoch**2 / failure) / (epsilon * length)


class SuccessiveElimination(PhasedBandit):
    """DP-SE (Sajed and Sheffet 2019, Algorithm 2), on losses, with failure probability beta = 1 / T.

    Epoch e plays each of the S actions left R times, R from `epoch_length`, and drops those whose noisy mean
    exceeds the smallest by more than 2 (h + c), from `margin`. The last action left is played to the end. Here an
    action's rounds of an epoch follow each other; in print the actions take turns, which on iid losses differs
    only within an epoch that the horizon cuts.

    Private by the proof at `phases.PhasedBandit`; the regret is at most `regret_bound`.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    epsilon
        Privacy level, positive.
    horizon
        T, for the failure probability.
    rng
        Source of the noise.

    Examples
    --------
    >>> import numpy as np
    >>> from replicate.learners import play
    >>> learner = SuccessiveElimination(2, epsilon=1.0, horizon=5000, rng=np.random.default_rng(1))
    >>> run = play(learner, np.tile([0.0, 1.0], (5000, 1)))
    >>> float(run.final[0]) == epoch_length(1, 2, epsilon=1.0, failure=1 / 5000)
    True
    """

    def __init__(self, n_actions: int, *, epsilon: float, horizon: int, rng: Generator) -> None:
        super().__init__(n_actions, epsilon=epsilon, rng=rng)
        self.failure = 1 / validation.count("horizon", horizon)
        self.epoch, self.active = 1, list(range(self.n_actions))
        self._means: list[float] = []
        """Noisy means of this epoch, of the first of the active actions."""

    def _known(self) -> dict[str, float]:
        return {"epsilon": self.epsilon, "failure": self.failure}

    def _next(self) -> tuple[int, int]:
        """Return the next of the active actions, for the epoch's length; the last one left, for ever."""
        if len(self.active) == 1:
            return self.active[0], FOR_EVER
        return self.active[len(self._means)], epoch_length(self.epoch, len(self.active), **self._known())

    def _learn(self, arm: int, length: int, noisy: float) -> None:
        """Keep the mean; after the last action of the epoch, drop those that are too large."""
        self._means.append(noisy / length)
        if len(self._means) == len(self.active):
            # both means may be wrong by h + c
            limit = min(self._means) + 2 * margin(self.epoch, len(self.active), length, **self._known())
            self.active = [a for a, mean in zip(self.active, self._means, strict=True) if mean <= limit]
            self.epoch, self._means = self.epoch + 1, []


def regret_bound(*, n_actions: int, gap: float, epsilon: float, horizon: float) -> float:
    """Return (K - 1) gap sum of R_e over e <= E, plus 1: the regret of DP-SE on iid losses.

    E is the first e with 2^-e <= gap, R_e the length of epoch e with K actions left; all actions but one have the
    gap, and no action costs more than gap T. The paper leaves constants open; they follow from its proof:

    1. In all epochs, all noisy means deviate by at most h + c, but for probability sum_e S (beta / (4 S e^2)) 2,
       less than beta = 1 / T (Hoeffding; the tail of Laplace noise). Otherwise the regret is at most T: the 1.
    2. Then the best action stays, and an action goes in the first epoch with 4 (h + c) < gap. R_e makes h and c
       less than 2^-e / 8 each, so that it goes in epoch E at the latest.

    Parameters
    ----------
    n_actions
        K, 2 to 2**20.
    gap
        In [1e-12, 1].
    epsilon
        Privacy level, 1e-40 to 1e40.
    horizon
        T, 1 to 1e40.

    Examples
    --------
    >>> round(regret_bound(n_actions=8, gap=0.1, epsilon=1.0, horizon=1e6))
    156441
    """
    k = validation.count("n_actions", n_actions, low=2, high=2**20)
    apart = validation.real("gap", gap, low=1e-12, high=1)
    eps = validation.real("epsilon", epsilon, low=1e-40, high=1e40)
    t = validation.real("horizon", horizon, low=1, high=1e40)
    last = max(math.ceil(-math.log2(apart)), 1)  # E of step 2
    plays = sum(float(epoch_length(e, k, epsilon=eps, failure=1 / t)) for e in range(1, last + 1))
    return (k - 1) * apart * min(plays, t) + 1
