"""The uniform law on the sequences with at most S switches, as a Markov chain, and its posterior as a filter.

Let C(m, r) = sum over k <= r of binom(m, k) (N - 1)^k be the number of ways to go on for m rounds with at
most r switches. A sequence drawn uniformly from those with at most S switches, at an expert with r
switches left and m rounds to come, stays with probability C(m - 1, r) / C(m, r) and moves to each other
expert with probability C(m - 1, r - 1) / C(m, r). Multiplicative weights on the sequences is Bayes' rule
for this prior with likelihood (1 - eta)^loss, so the weights' law of (switches used, current expert) is
the forward filter of a hidden Markov chain with N (S + 1) states: O(N S) a round.

Symbols: N = n_actions, S = n_switches, m = rounds to come, r = switches left, filter[s, j] = weight of the
sequences that have used s switches and are at expert j.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from replicate import validation
from replicate.validation import FloatArray, IntArray

TAILS, MOVES, SUMS = range(3)
"""Rows of the work space, all of length S + 1: `TAILS` holds C(m, r) over its largest term for every number r of
switches left, `MOVES` the probability that a sequence with r switches left moves before the next round, `SUMS`
the sums of the filter's rows."""


def count_sequences(horizon: int, n_actions: int, n_switches: int) -> int:
    """Return N C(T - 1, S), the number of distinct sequences of T experts with at most S switches."""
    horizon, n, switches = _sizes(horizon, n_actions, n_switches)
    return n * sum(math.comb(horizon - 1, k) * (n - 1) ** k for k in range(min(switches, horizon - 1) + 1))


def log_count_sequences(horizon: int, n_actions: int, n_switches: int) -> float:
    """Return ln d, d = N sum over k <= S of binom(T - 1, k) (N - 1)^k: the number of meta-experts (Theorem 4.1).

    Parameters
    ----------
    horizon
        T, 1 to 10**18.
    n_actions
        Number of experts N, 2 to 10**9.
    n_switches
        S, 0 to 1000: the count is exact, in integers.

    Examples
    --------
    >>> round(log_count_sequences(10**6, 16, 8), 1)
    124.4
    """
    return math.log(count_sequences(horizon, n_actions, n_switches))


def enumerate_sequences(horizon: int, n_actions: int, n_switches: int) -> IntArray:
    """Return every distinct sequence with at most S switches, shape (count_sequences, T): tiny sizes only."""
    horizon, n, switches = _sizes(horizon, n_actions, n_switches)
    size = count_sequences(horizon, n, switches)
    if size * horizon > 2 * 10**8:
        raise ValueError(f"horizon must be small enough to list the sequences, got {horizon}")
    rows, used = np.arange(n)[:, None], np.zeros(n, dtype=np.int64)
    for _ in range(horizon - 1):
        grown = np.repeat(rows, n, axis=0)
        last = np.tile(np.arange(n), len(rows))
        spent = np.repeat(used, n) + (grown[:, -1] != last)
        kept = spent <= switches
        rows, used = np.column_stack([grown, last])[kept], spent[kept]
    return rows


def _sizes(horizon: int, n_actions: int, n_switches: int) -> tuple[int, int, int]:
    return (
        validation.count("horizon", horizon, high=10**18),
        validation.count("n_actions", n_actions, low=2, high=10**9),
        validation.count("n_switches", n_switches, low=0, high=1000),
    )


@njit(cache=True, nogil=True)
def start(n_switches: int, n_actions: int, horizon: int) -> tuple[FloatArray, FloatArray]:
    """Return the filter, shape (S + 1, N), and the work space, shape (3, S + 1), before the first round."""
    filter_, work = np.zeros((n_switches + 1, n_actions)), np.zeros((3, n_switches + 1))
    filter_[0] = 1.0 / n_actions
    m, others = horizon - 1, n_actions - 1
    work[TAILS, 0] = 1.0
    for r in range(1, n_switches + 1):
        last = work[TAILS, r - 1]
        work[TAILS, r] = 1.0 + last * r / ((m - r + 1.0) * others) if r <= m else last
    return filter_, work


@njit(cache=True, nogil=True)
def step(filter_: FloatArray, work: FloatArray, factor: FloatArray, t: int, horizon: int) -> None:
    """Weight the filter with the factors of round t < T, counted from 1, and move it on to round t + 1."""
    switch_probabilities(horizon - t, filter_.shape[1], work)
    advance(filter_, factor, work)
    if t % 16 == 0:
        normalise(filter_)


@njit(cache=True, nogil=True)
def switch_probabilities(to_come: int, n_actions: int, work: FloatArray) -> None:
    """Fill row `MOVES` with the probabilities that a sequence moves before the next round.

    Row `TAILS` holds C(m, r) / (binom(m, r') (N - 1)^r'), r' = min(r, m), which is at least 1 and never large, at
    m = `to_come` before the call and at m - 1 after it.
    """
    last = 1.0
    work[MOVES, 0] = 0.0
    for r in range(1, work.shape[1]):
        mine = work[TAILS, r]
        if r <= to_come:
            work[MOVES, r] = r / to_come * last / mine
            if r <= to_come - 1:
                last = 1.0 + last * r / ((to_come - float(r)) * (n_actions - 1))
        else:
            work[MOVES, r] = work[MOVES, r - 1]
        work[TAILS, r] = last


@njit(cache=True, nogil=True, fastmath={"reassoc"})
def advance(filter_: FloatArray, factor: FloatArray, work: FloatArray) -> None:
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
        work[SUMS, s] = total
    for s in range(rows - 1, -1, -1):
        stay = 1.0 - work[MOVES, rows - 1 - s]
        if s == 0:
            for j in range(n):
                filter_[0, j] *= stay
        else:
            arrive = work[MOVES, rows - s] / (n - 1)
            total = work[SUMS, s - 1]
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
def reveal(used: int, expert: int, n_actions: int, work: FloatArray, rng: np.random.Generator) -> tuple[int, int]:
    """Draw (switches used, expert) of a held sequence's next round: it stays, or moves to any other expert."""
    if rng.random() < work[MOVES, work.shape[1] - 1 - used]:
        other = int(rng.integers(0, n_actions - 1))
        return used + 1, other + (other >= expert)
    return used, expert
