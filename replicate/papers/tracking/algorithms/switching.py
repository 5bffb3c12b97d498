"""The uniform distribution on sequences of at most S switches, as a Markov chain, and its posterior as a filter.

Let C(m, r) = sum over k <= r of binom(m, k) (N - 1)^k be the number of ways to go on for m rounds with at
most r switches. A sequence drawn uniformly from those with at most S switches, at an expert with r
switches left and m rounds to come, stays with probability C(m - 1, r) / C(m, r) and moves to each other
expert with probability C(m - 1, r - 1) / C(m, r). Multiplicative weights on the sequences is Bayes' rule
for this prior with likelihood (1 - eta)^loss, so the weights' distribution of (switches used, current expert) is
the forward filter of a hidden Markov chain with N (S + 1) states: O(N S) a round.

Symbols: N = n_actions, S = n_switches, m = rounds to come, r = switches left, filter[:, s, j] = weight of the
sequences that have used s switches and are at expert j.

A weight may fall behind the others by any factor and win all of it back later, as after a shift. So every state
has an exponent of its own: it weighs filter[WEIGHT, s, j] 2^filter[EXPONENT, s, j], and no weight is ever rounded
to zero. Two powers of two take a weight to the exponent of its row, and what arrives from the row above to the
exponent of the state; they change only when exponents do, every `PERIOD` rounds at most. In between a round
divides a weight by 2 N at most (learning rates are at most 1/2, N at most 1e6), so no double leaves its range.
"""

from __future__ import annotations

import math

import numpy as np

from replicate import validation
from replicate.compiled import compiled
from replicate.validation import FloatArray, IntArray

WEIGHT, EXPONENT, LEAVE, ARRIVE, LEFT = range(5)
"""Planes of the filter, each of shape (S + 1, N): weights, exponents, the power of two that takes a weight to the
exponent of its row, and the one that takes a sum over the row above to the exponent of the state; row 0 of the
last is scratch: a row's weights at the row's exponent."""
TAILS, MOVES, TOPS = range(3)
"""Rows of the work space, all of length S + 1: `TAILS` holds C(m, r) over its largest term for every number r of
switches left, `MOVES` the probability that a sequence with r switches left moves before the next round, `TOPS`
the exponents of the filter's rows, each the largest of its states."""
PERIOD = 16
_TINY, _HUGE = 2.0**-128, 2.0**128
_FAR = 700


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


@compiled()
def start(n_switches: int, n_actions: int, horizon: int) -> tuple[FloatArray, FloatArray]:
    """Return the filter, shape (5, S + 1, N), and the work space, shape (3, S + 1), before the first round."""
    filter_, work = np.zeros((5, n_switches + 1, n_actions)), np.zeros((3, n_switches + 1))
    filter_[WEIGHT, 0] = 1.0 / n_actions  # no expert has an advantage, no switch is used
    filter_[LEAVE], filter_[ARRIVE] = 1.0, 1.0
    m, others = horizon - 1, n_actions - 1
    work[TAILS, 0] = 1.0
    for r in range(1, n_switches + 1):
        last = work[TAILS, r - 1]
        # a term of C(m, r) is the next one's r / ((m - r + 1)(N - 1))
        work[TAILS, r] = 1.0 + last * r / ((m - r + 1.0) * others) if r <= m else last
    return filter_, work


@compiled(inline="always")
def step(filter_: FloatArray, work: FloatArray, factor: FloatArray, t: int, horizon: int) -> None:
    """Weight the filter with the factors of round t < T, counted from 1, and move it on to round t + 1.

    In each of the first S rounds one more row gets its first weights: these get exponents at once.
    """
    switch_probabilities(horizon - t, filter_.shape[2], work)
    advance(filter_, factor, work)
    if t % PERIOD == 0 or t < filter_.shape[1]:
        rescale(filter_, work)


@compiled(inline="always")
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
            # (N - 1) C(m - 1, r - 1) / C(m, r); the largest terms have the ratio r / m
            work[MOVES, r] = r / to_come * last / mine
            if r <= to_come - 1:
                last = 1.0 + last * r / ((to_come - float(r)) * (n_actions - 1))
        else:
            work[MOVES, r] = work[MOVES, r - 1]
        work[TAILS, r] = last


@compiled(inline="always")
def advance(filter_: FloatArray, factor: FloatArray, work: FloatArray) -> None:
    """Weight the filter with this round's factors, shape (N,), and move it on to the next round.

    The sum over the other experts is row sum minus own entry: a sum of non-negative numbers is never
    rounded below one of them, so the difference is never negative. Its rounding error is that of the own entry.
    """
    rows, n = filter_.shape[1:]
    weight, leave, arrive, left = filter_[WEIGHT], filter_[LEAVE], filter_[ARRIVE], filter_[LEFT, 0]
    for j in range(n):
        weight[rows - 1, j] *= factor[j]
    # from the last row on: each takes what leaves the row above before that one moves
    for s in range(rows - 1, 0, -1):
        stay, move = 1.0 - work[MOVES, rows - 1 - s], work[MOVES, rows - s] / (n - 1)
        total = 0.0
        for j in range(n):
            mine = weight[s - 1, j] * factor[j]
            weight[s - 1, j] = mine
            mine *= leave[s - 1, j]
            left[j] = mine
            total += mine
        for j in range(n):
            weight[s, j] = weight[s, j] * stay + (total - left[j]) * (move * arrive[s, j])
    stay = 1.0 - work[MOVES, rows - 1]
    for j in range(n):
        weight[0, j] *= stay


@compiled()
def rescale(filter_: FloatArray, work: FloatArray) -> None:
    """Give new exponents to weights outside [2^-128, 2^128]; an empty state takes that of the row above."""
    rows, n = filter_.shape[1:]
    weight, exponent, changed = filter_[WEIGHT], filter_[EXPONENT], False
    for s in range(rows):
        for j in range(n):
            if not _TINY <= weight[s, j] <= _HUGE:
                changed = True
                weight[s, j], shift = math.frexp(weight[s, j])
                exponent[s, j] += shift
    if not changed:
        return
    for s in range(rows):
        above, top = work[TOPS, max(s - 1, 0)], -math.inf
        for j in range(n):
            if weight[s, j] == 0.0:
                exponent[s, j] = above
            top = max(top, exponent[s, j])
        work[TOPS, s] = top
        for j in range(n):
            filter_[LEAVE, s, j] = _power(exponent[s, j] - top)
            filter_[ARRIVE, s, j] = _power(above - exponent[s, j])


@compiled()
def _power(exponent: float) -> float:
    """Return 2^exponent, but zero below 2^-700: such a weight is nothing beside the largest; at most 2^700."""
    return math.ldexp(1.0, int(min(exponent, _FAR))) if exponent >= -_FAR else 0.0


@compiled()
def law(filter_: FloatArray, work: FloatArray) -> FloatArray:
    """Return the probabilities of (switches used, expert), shape (S + 1, N)."""
    rows, n = filter_.shape[1:]
    shares, top, total = np.empty((rows, n)), -math.inf, 0.0
    for s in range(rows):
        top = max(top, work[TOPS, s])
    for s in range(rows):
        share = _power(work[TOPS, s] - top)
        for j in range(n):
            shares[s, j] = filter_[WEIGHT, s, j] * filter_[LEAVE, s, j] * share  # at the exponent of all rows
            total += shares[s, j]
    for s in range(rows):
        for j in range(n):
            shares[s, j] /= total
    return shares


@compiled()
def draw(filter_: FloatArray, work: FloatArray, rng: np.random.Generator) -> tuple[int, int]:
    """Draw (switches used, expert) from the filter."""
    shares = law(filter_, work)
    rest, (rows, n) = rng.random(), shares.shape
    s, j = 0, 0
    for index in range(rows * n):
        share = shares[index // n, index % n]
        # an impossible state is not drawn, whatever is lost by rounding
        if share > 0:
            s, j = index // n, index % n
            rest -= share
            if rest < 0:
                break
    return s, j


@compiled(inline="always")
def reveal(used: int, expert: int, n_actions: int, work: FloatArray, rng: np.random.Generator) -> tuple[int, int]:
    """Draw (switches used, expert) of a held sequence's next round: it stays, or moves to any other expert."""
    if rng.random() < work[MOVES, work.shape[1] - 1 - used]:
        other = int(rng.integers(0, n_actions - 1))
        return used + 1, other + (other >= expert)
    return used, expert
