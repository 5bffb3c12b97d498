"""AdaHedge: exponential weights whose learning rate falls as fast as the losses so far ask for; no horizon."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from replicate import validation
from replicate.compiled import compiled
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.protocol import MAX_ACTIONS, NOT_PRIVATE, Drawing, loss_row
from replicate.validation import FloatArray, Generator


def adahedge_bound(n_actions: int, horizon: int) -> float:
    """Return sqrt(T log K) + 4/3 log K + 2, for every sequence of losses in [0, 1] (de Rooij et al. 2014).

    Proof. In round t the rate is eta_t = log K / Delta_(t-1), and d_t = Delta_t - Delta_(t-1) is the mixability
    gap. Mixed losses add up to at most the best action's loss plus log K / eta_T <= Delta_T, for the rate falls.
    So the regret is at most 2 Delta_T. By Bernstein's inequality d_t <= eta_t (v_t / 2 + d_t / 3), with v_t the
    variance of the losses under the weights, and d_t <= 1. Hence Delta_t**2 - Delta_(t-1)**2 = 2 d_t Delta_(t-1)
    + d_t**2 <= (v_t + 2/3 d_t) log K + d_t. Added up, with V the sum of the v_t, Delta_T**2 <= V log K + (2/3
    log K + 1) Delta_T, so Delta_T <= sqrt(V log K) + 2/3 log K + 1. A variance is at most 1/4: V <= T / 4.
    """
    k = math.log(validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS))
    return math.sqrt(validation.count("horizon", horizon, high=MAX_HORIZON) * k) + 4 / 3 * k + 2


class AdaHedge(Drawing):
    """AdaHedge (de Rooij, van Erven, Grünwald and Koolen 2014): Hedge at learning rate log K / Delta.

    Delta adds up the mixability gaps: how much the loss of the weights exceeds the mixed loss
    -log(w . exp(-eta l)) / eta in each round. While it is 0, the learner follows the leader.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 2**20.
    rng
        Source of randomness.

    Examples
    --------
    >>> learner = AdaHedge(2, rng=np.random.default_rng(1))
    >>> for _ in range(10):
    ...     learner.observe([1.0, 0.0])
    >>> learner.probabilities().round(3)
    array([0., 1.])
    """

    feedback = "full"
    privacy = NOT_PRIVATE

    def __init__(self, n_actions: int, *, rng: Generator) -> None:
        self.n_actions = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
        self._rng = validation.generator(rng)
        self._sums, self._gaps = np.zeros(self.n_actions), 0.0

    def probabilities(self) -> FloatArray:
        """Return the distribution of this round's action, shape (K,)."""
        weights = self._weights(self._sums)
        return weights / weights.sum()

    def observe(self, losses: Any) -> None:
        """Add this round's loss vector, shape (K,), and its mixability gap."""
        row = loss_row(losses, self.n_actions)
        loss, after = float(self.probabilities() @ row), self._sums + row
        # the mixed loss at an infinite rate, to which the weights' part is added
        mixed = after.min() - self._sums.min()
        if self._gaps:
            shrunk = self._weights(after).sum() / self._weights(self._sums).sum()
            mixed -= math.log(shrunk) * self._gaps / math.log(self.n_actions)
        # a mixability gap is at least 0; rounding may say otherwise
        self._sums, self._gaps = after, self._gaps + max(loss - mixed, 0.0)

    def _weights(self, sums: FloatArray) -> FloatArray:
        """Return weights at the present rate, the leader's being 1."""
        behind = sums - sums.min()
        if not self._gaps:  # Delta = 0: an infinite rate
            return np.asarray(behind == 0, dtype=np.float64)
        return np.exp(-math.log(self.n_actions) / self._gaps * behind)


def adahedge_losses(losses: ArrayLike) -> FloatArray:
    """Return AdaHedge's expected loss in every round of a table, shape (T, K) -> (T,)."""
    return _adahedge(validation.unit_array("losses", losses, ndim=2))


@compiled(error_model="numpy")
def _adahedge(table: FloatArray) -> FloatArray:
    n_rounds, n = table.shape
    expected, before, after = np.empty(n_rounds), np.zeros(n), np.zeros(n)
    gaps, spread = 0.0, math.log(n)
    for t in range(n_rounds):
        for i in range(n):
            after[i] = before[i] + table[t, i]
        low, high = before.min(), after.min()
        total, shrunk, loss = 0.0, 0.0, 0.0
        for i in range(n):
            if gaps > 0:
                weight = math.exp(-spread / gaps * (before[i] - low))
                shrunk += math.exp(-spread / gaps * (after[i] - high))
            else:
                weight = 1.0 if before[i] == low else 0.0
            total += weight
            loss += weight * table[t, i]
        expected[t] = loss / total
        mixed = high - low
        if gaps > 0:
            mixed -= math.log(shrunk / total) * gaps / spread
        gaps += max(expected[t] - mixed, 0.0)
        before, after = after, before
    return expected
