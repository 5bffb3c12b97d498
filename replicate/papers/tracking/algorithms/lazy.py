"""L2P on the meta-experts, in O(N S) a round: the base learner that Corollary 4.1.1 cites.

Asi, Koren, Liu & Talwar (2024), on multiplicative weights nu_s with batches of B rounds, losses in a batch
summed. Two sequences are held: x is played, y never. After a batch x stays with probability (1 - p) times

    nu_s(x) / (e^(2 B eta) nu_{s-1}(x)) * nu_{s-1}(y) / nu_s(y) = exp(-eta (2 B + L(x) - L(y))),

L the loss over the batch; y stays with probability 1 - p. What does not stay is drawn anew from nu_s. The
normalising constants cancel, so the filter of `switching` and two lazily revealed paths are all that is needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from replicate import validation
from replicate.papers.tracking.algorithms import switching
from replicate.validation import FloatArray

__all__ = ["Lazy", "literal_lazy_law", "run_lazy"]


@dataclass(frozen=True, kw_only=True)
class Lazy:
    """Parameters of L2P.

    Attributes
    ----------
    learning_rate
        eta in (0, 1/10].
    redraw
        p in (0, 1], the probability of a fresh draw that is not needed.
    batch
        B >= 1.
    """

    learning_rate: float
    redraw: float
    batch: int = 1

    def __post_init__(self) -> None:
        validation.positive("learning_rate", self.learning_rate, high=0.1)
        validation.positive("redraw", self.redraw, high=1)
        validation.count("batch", self.batch)


def run_lazy(losses: FloatArray, *, n_switches: int, lazy: Lazy, rng: np.random.Generator) -> NDArray[np.int32]:
    """Play one table, shape (T, N): the experts played, shape (T,)."""
    return _run(losses, n_switches, lazy.learning_rate, lazy.redraw, lazy.batch, rng)


@njit(cache=True, nogil=True)
def _run(table, n_switches, rate, redraw, batch, rng):  # type: ignore[no-untyped-def]
    n_rounds, n = table.shape
    filter_, tails, moves = switching.start(n_switches, n, n_rounds)
    sums, factor = np.zeros(n_switches + 1), np.empty(n)
    used, expert, paid = np.zeros(2, dtype=np.int64), rng.integers(0, n, 2), np.zeros(2)
    actions = np.empty(n_rounds, dtype=np.int32)
    for t in range(n_rounds):
        actions[t] = expert[0]
        if t == n_rounds - 1:
            break
        for j in range(n):
            factor[j] = math.exp(-rate * table[t, j])
        switching.switch_probabilities(n_rounds - 1 - t, n, tails, moves)
        switching.advance(filter_, factor, moves, sums)
        if t % 16 == 15:
            switching.normalise(filter_)
        for i in range(2):
            paid[i] += table[t, expert[i]]
        fresh = (False, False)
        if (t + 1) % batch == 0:
            kept = (1.0 - redraw) * math.exp(-rate * (2 * batch + paid[0] - paid[1]))
            fresh = (rng.random() >= kept, rng.random() < redraw)
            paid[:] = 0.0
        for i in range(2):
            if fresh[i]:
                used[i], expert[i] = switching.draw(filter_, rng)
            elif rng.random() < moves[n_switches - used[i]]:
                used[i] += 1
                other = rng.integers(0, n - 1)
                expert[i] = other + (other >= expert[i])
    return actions


def literal_lazy_law(losses: ArrayLike, *, n_switches: int, lazy: Lazy) -> FloatArray:
    """Exact law of the played sequence, on the list of all distinct sequences: T and N tiny.

    Parameters
    ----------
    losses
        Shape (T, N).
    n_switches, lazy
        As for `run_lazy`.

    Returns
    -------
    Probabilities of the N**T played sequences, shape (N**T,), the first round's expert leading.
    """
    table = validation.unit_array("losses", losses, ndim=2)
    horizon, n = table.shape
    sequences = switching.enumerate_sequences(horizon, n, n_switches)
    size = len(sequences)
    weights, batch_loss = np.full(size, 1 / size), np.zeros(size)
    # joint[played so far, x, y]
    joint = np.zeros((n, size, size))
    joint[sequences[:, 0], np.arange(size)] = 1 / size**2
    for t in range(horizon - 1):
        batch_loss += table[t, sequences[:, t]]
        if (t + 1) % lazy.batch == 0:
            weights = weights * np.exp(-lazy.learning_rate * batch_loss)
            weights /= weights.sum()
            gap = 2 * lazy.batch + batch_loss[:, None] - batch_loss
            kept = (1 - lazy.redraw) * np.exp(-lazy.learning_rate * gap)
            leaving = (joint * (1 - kept)).sum(axis=1)
            joint = joint * kept + weights[:, None] * leaving[:, None, :]
            drawn = joint.sum(axis=2, keepdims=True) * weights
            joint = (1 - lazy.redraw) * joint + lazy.redraw * drawn
            batch_loss = np.zeros(size)
        grown = np.zeros((len(joint), n, size, size))
        for j in range(n):
            mine = sequences[:, t + 1] == j
            grown[:, j, mine] = joint[:, mine]
        joint = grown.reshape(-1, size, size)
    return np.asarray(joint.sum(axis=(1, 2)))
