"""The best sequence of experts with at most S switches in hindsight, exact, in O(T N S) time and T N S bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replicate import validation
from replicate.compiled import compiled
from replicate.validation import FloatArray, IntArray

_MAX_EXPERTS = 2**15 - 1
_MAX_BYTES = 2**32


def best_sequence(losses: ArrayLike, *, n_switches: int) -> tuple[float, IntArray]:
    """Return the smallest loss of a sequence with at most `n_switches` switches, and such a sequence.

    Dynamic programming over (switches used, expert). What is kept of every round is one bit for each
    state (did the best way here switch?) and the best expert for each number of switches: at T = 1e6,
    N = 16, S = 8 that is 27 MB.

    Parameters
    ----------
    losses
        Shape (T, N), entries in [0, 1], N at most 32,767.
    n_switches
        S, at least 0; what is kept must fit into 4 GB.

    Returns
    -------
    The loss, and the sequence, shape (T,).

    Examples
    --------
    >>> loss, sequence = best_sequence([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]], n_switches=1)
    >>> loss, sequence.tolist()
    (0.0, [0, 0, 1])
    """
    table = validation.unit_array("losses", losses, ndim=2)
    rounds, experts = table.shape
    if experts > _MAX_EXPERTS:
        raise ValueError(f"losses must have at most {_MAX_EXPERTS} columns, got {experts}")
    switches = min(validation.count("n_switches", n_switches, low=0), rounds - 1)
    allowed = _MAX_BYTES // (rounds * ((experts + 7) // 8 + 2)) - 1
    if switches > allowed:
        raise ValueError(f"n_switches must be at most {allowed} for {rounds} rounds, got {switches}")
    cost, moved, origin = _forward(table, switches)
    return float(cost.min()), _trace(cost, moved, origin)


def comparator_losses(losses: ArrayLike, *, n_switches: int) -> FloatArray:
    """Return the loss of the best sequence with at most `n_switches` switches in every round, shape (T,)."""
    table = validation.unit_array("losses", losses, ndim=2)
    _, sequence = best_sequence(table, n_switches=n_switches)
    return table[np.arange(len(table)), sequence]


@compiled()
def _forward(table: FloatArray, switches: int) -> tuple[FloatArray, NDArray[np.uint8], NDArray[np.int16]]:
    """cost[s, j]: smallest loss of a sequence with at most s switches that ends at expert j."""
    n_rounds, n = table.shape
    cost = np.empty((switches + 1, n))
    moved = np.zeros((n_rounds, switches + 1, (n + 7) // 8), dtype=np.uint8)
    origin = np.zeros((n_rounds, switches + 1), dtype=np.int16)
    for s in range(switches + 1):
        for j in range(n):
            cost[s, j] = table[0, j]
    # in a round from the most switches down: s - 1 is then still that of the round before
    for t in range(1, n_rounds):
        for s in range(switches, -1, -1):
            if s > 0:
                source = np.argmin(cost[s - 1])
                cheapest = cost[s - 1, source]
                origin[t, s] = source
                for j in range(n):
                    if cheapest < cost[s, j]:
                        cost[s, j] = cheapest
                        moved[t, s, j >> 3] |= np.uint8(1 << (j & 7))  # one bit a state
            for j in range(n):
                cost[s, j] += table[t, j]
    return cost, moved, origin


@compiled()
def _trace(cost: FloatArray, moved: NDArray[np.uint8], origin: NDArray[np.int16]) -> IntArray:
    n_rounds = len(moved)
    sequence = np.empty(n_rounds, dtype=np.int64)
    s = len(cost) - 1
    expert = np.argmin(cost[s])
    for t in range(n_rounds - 1, -1, -1):
        sequence[t] = expert
        # the best way to here came from the cheapest state with one switch fewer
        if moved[t, s, expert >> 3] >> (expert & 7) & 1:
            expert = np.int64(origin[t, s])
            s -= 1
    return sequence
