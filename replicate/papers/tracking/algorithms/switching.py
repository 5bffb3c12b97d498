"""The uniform law on the sequences with at most S switches, as a Markov chain, and its posterior as a filter.

Let C(m, r) = sum over k <= r of binom(m, k) (N - 1)^k be the number of ways to go on for m rounds with at
most r switches. A sequence drawn uniformly from those with at most S switches, at an expert with r
switches left and m rounds to come, stays with probability C(m - 1, r) / C(m, r) and moves to each other
expert with probability C(m - 1, r - 1) / C(m, r). Multiplicative weights on the sequences is Bayes' rule
for this prior with likelihood (1 - eta)^loss, so the weights' law of (switches used, current expert) is
the forward filter of a hidden Markov chain with N (S + 1) states: O(N S) a round.

Symbols: N = n_experts, S = n_switches, m = rounds to come, r = switches left, filter[s, j] = weight of the
sequences that have used s switches and are at expert j.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from replicate import validation
from replicate.validation import FloatArray, IntArray

__all__ = [
    "advance",
    "count_listed",
    "count_sequences",
    "draw",
    "enumerate_sequences",
    "log_count_sequences",
    "switch_probabilities",
]


def count_sequences(horizon: int, n_experts: int, n_switches: int) -> int:
    """Return N C(T - 1, S), the number of distinct sequences of T experts with at most S switches."""
    horizon, n, switches = _sizes(horizon, n_experts, n_switches)
    return n * sum(math.comb(horizon - 1, k) * (n - 1) ** k for k in range(min(switches, horizon - 1) + 1))


def count_listed(horizon: int, n_experts: int, n_switches: int) -> int:
    """Return sum over c <= S of binom(T, c) N^(c + 1): the paper's list of meta-experts, repetitions counted."""
    horizon, n, switches = _sizes(horizon, n_experts, n_switches)
    return sum(math.comb(horizon, c) * n ** (c + 1) for c in range(min(switches, horizon) + 1))


def log_count_sequences(horizon: int, n_experts: int, n_switches: int) -> float:
    """Return log(`count_sequences`), the ln d of a static learner over the meta-experts."""
    return math.log(count_sequences(horizon, n_experts, n_switches))


def enumerate_sequences(horizon: int, n_experts: int, n_switches: int) -> IntArray:
    """Return every distinct sequence with at most S switches, shape (count_sequences, T): tiny sizes only."""
    horizon, n, switches = _sizes(horizon, n_experts, n_switches)
    size = count_sequences(horizon, n, switches)
    if size * horizon > 2 * 10**8:
        raise ValueError(f"horizon must be small enough to list the sequences, got {size:.3g} of them")
    rows, used = np.arange(n)[:, None], np.zeros(n, dtype=np.int64)
    for _ in range(horizon - 1):
        grown = np.repeat(rows, n, axis=0)
        last = np.tile(np.arange(n), len(rows))
        spent = np.repeat(used, n) + (grown[:, -1] != last)
        kept = spent <= switches
        rows, used = np.column_stack([grown, last])[kept], spent[kept]
    return rows


def _sizes(horizon: int, n_experts: int, n_switches: int) -> tuple[int, int, int]:
    return (
        validation.count("horizon", horizon),
        validation.count("n_experts", n_experts, low=2),
        validation.count("n_switches", n_switches, low=0),
    )


@njit(cache=True, nogil=True)
def _tails(m: int, others: int, out: FloatArray) -> None:
    """out[r] = C(m, r) / (binom(m, r') others^r'), r' = min(r, m): at least 1, never large."""
    out[0] = 1.0
    for r in range(1, len(out)):
        out[r] = 1.0 + out[r - 1] * r / ((m - r + 1.0) * others) if r <= m else out[r - 1]


@njit(cache=True, nogil=True)
def switch_probabilities(to_come: int, n_experts: int, now: FloatArray, out: FloatArray) -> None:
    """Fill out[r] with the probability that a sequence with r switches left moves before the next round.

    `now` is work space of the same length; it holds the tails at `to_come` before the call (`_tails`) and
    those at `to_come` - 1 after it.
    """
    last = 1.0
    out[0] = 0.0
    kept = now[0]
    for r in range(1, len(out)):
        mine = now[r]
        if r <= to_come:
            out[r] = r / to_come * last / mine
            if r <= to_come - 1:
                last = 1.0 + last * r / ((to_come - float(r)) * (n_experts - 1))
            now[r] = last
        else:
            out[r] = out[r - 1]
            now[r] = last
    now[0] = kept


@njit(cache=True, nogil=True, fastmath={"reassoc"})
def advance(filter_: FloatArray, factor: FloatArray, moves: FloatArray, sums: FloatArray) -> None:
    """Weight the filter with this round's factors, shape (N,), and move it on to the next round.

    The sum over the other experts is row sum minus own entry: a sum of non-negative numbers is never
    rounded below one of them, so the difference is never negative.
    """
    rows, n = filter_.shape
    for s in range(rows):
        total = 0.0
        for j in range(n):
            filter_[s, j] *= factor[j]
            total += filter_[s, j]
        sums[s] = total
    for s in range(rows - 1, -1, -1):
        stay = 1.0 - moves[rows - 1 - s]
        if s == 0:
            for j in range(n):
                filter_[0, j] *= stay
        else:
            arrive = moves[rows - s] / (n - 1)
            total = sums[s - 1]
            for j in range(n):
                filter_[s, j] = filter_[s, j] * stay + (total - filter_[s - 1, j]) * arrive


@njit(cache=True, nogil=True)
def normalise(filter_: FloatArray) -> None:
    """Scale the filter to sum 1; weights below 1e-200 of it become zero (before they turn subnormal)."""
    total = filter_.sum()
    rows, n = filter_.shape
    for s in range(rows):
        for j in range(n):
            share = filter_[s, j] / total
            filter_[s, j] = share if share > 1e-200 else 0.0


@njit(cache=True, nogil=True)
def draw(filter_: FloatArray, rng: np.random.Generator) -> tuple[int, int]:
    """Draw (switches used, expert) from the filter."""
    rest = rng.random() * filter_.sum()
    rows, n = filter_.shape
    s, j = 0, 0
    for index in range(rows * n):
        weight = filter_[index // n, index % n]
        if weight > 0:
            s, j = index // n, index % n
            rest -= weight
            if rest < 0:
                break
    return s, j


@njit(cache=True, nogil=True)
def start(n_switches: int, n_experts: int, horizon: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the filter, the tails and the switch probabilities before the first round."""
    filter_ = np.zeros((n_switches + 1, n_experts))
    filter_[0] = 1.0 / n_experts
    tails, moves = np.empty(n_switches + 1), np.zeros(n_switches + 1)
    _tails(horizon - 1, n_experts - 1, tails)
    return filter_, tails, moves
