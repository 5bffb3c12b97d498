"""Exact quantities inside the paper's statements and proofs."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy import special

from replicate.compiled import compiled
from replicate.papers.tracking.algorithms import lazy, switching
from replicate.papers.tracking.algorithms.windows import BLOCK, FAN, minima, note, query, reach
from replicate.validation import FloatArray, IntArray


@compiled()
def window_ratio(excess: FloatArray, constant: float, root: float, shortest: int) -> float:
    """Largest regret over a window divided by constant + root sqrt(w), over all windows of w + 1 rounds.

    Windows that end in the last round come first. Blocks of starts, searched as in `windows`, that cannot beat the
    largest ratio so far are passed over, and ends too, until the window that comes closest can have gained `room`.

    Parameters
    ----------
    excess
        Loss of the learner less that of each expert (or of one comparator), shape (T, J).
    constant, root
        The bound.
    shortest
        Smallest w; constant + root sqrt(shortest) must be positive.
    """
    n_rounds, width = excess.shape
    regrets, least, steepest = np.zeros((n_rounds + 1, width)), minima(n_rounds, width), 1e-3
    for n in range(n_rounds):
        for j in range(width):
            regrets[n + 1, j] = regrets[n, j] + excess[n, j]
            steepest = max(steepest, excess[n, j])
    worst, due = _ratio(regrets, n_rounds, n_rounds - 1 - shortest, -1, constant, root), shortest + 1
    for n in range(1, n_rounds):
        note(least, n, regrets[n - 1])
        if n < due:
            continue
        room = worst * (constant + root * math.sqrt(shortest)) - shortest * steepest
        start, level, size = n - 1 - shortest, 0, BLOCK
        while start >= 0:
            while level < len(least.firsts) - 1 and (start + 1) % (FAN * size) == 0:
                level, size = level + 1, size * FAN
            # the shortest window of the block has the least allowance, so `left` is never too large
            allowed = worst * (constant + root * math.sqrt(n - 1 - start))
            left = allowed - reach(regrets[n], least.lows[least.firsts[level] + start // size])
            while level and left < steepest:
                level, size = level - 1, size // FAN
                left = allowed - reach(regrets[n], least.lows[least.firsts[level] + start // size])
            before, room = start // size * size - 1, min(room, left)
            if left < 0.0:
                worst = max(worst, _ratio(regrets, n, start, before, constant, root))
            start = before
        due = n + 1 + int(max(room, 0.0) / steepest)
    return worst


@compiled()
def _ratio(regrets: FloatArray, n: int, start: int, before: int, constant: float, root: float) -> float:
    """Largest ratio of the windows that end with round n and start after m rounds, before < m <= start."""
    worst = -math.inf
    for m in range(start, before, -1):
        worst = max(worst, query(regrets, n, m, 0.0, 0.0) / (constant + root * math.sqrt(n - m - 1)))
    return worst


@compiled()
def excess_so_far(table: FloatArray, actions: NDArray[np.int32], others: IntArray) -> FloatArray:
    """Return what a sequence of actions has lost more than another one after each round of a table: shape (T,)."""
    excess, total = np.empty(len(table)), 0.0
    for t in range(len(table)):
        total += table[t, actions[t]] - table[t, others[t]]
        excess[t] = total
    return excess


def log_moments(gaps: FloatArray, *, theta: float) -> float:
    """Return log(E exp(theta U) E exp(-theta U)), U = min_k (gap_k + Z_k), Z_k independent Laplace(1), theta < 1.

    Steps of about 1/100 of M = -U, whose distribution function is the product of F(m + gap_k), by midpoints.
    """
    ends = np.linspace(-60, 60 + 3 * math.log(len(gaps)), 12_001)
    alike = zip(*np.unique(gaps, return_counts=True), strict=True)
    law = np.diff(np.exp(sum(count * scipy.stats.laplace.logcdf(ends + gap) for gap, count in alike)))
    middle = (ends[1:] + ends[:-1]) / 2
    return float(np.log((np.exp(theta * middle) @ law) * (np.exp(-theta * middle) @ law)))


def chance_of_a_run(horizon: int, length: int) -> float:
    """Return P(`length` heads in a row among `horizon` fair coins), by recursion over the coins."""
    free = [1.0] * length  # P(no such run in the first t coins)
    free.append(1 - 0.5**length)
    for t in range(length + 1, horizon + 1):
        # the first run ends at t: `length` heads after a tail, and no run before the tail
        free.append(free[t - 1] - free[t - 1 - length] * 0.5 ** (length + 1))
    return 1 - free[horizon]


def laplace_norm_failure(*, n_actions: int, horizon: int, factor: float = 10.0) -> float:
    """Exact P(some |Z|^2 >= factor s^2 log^2(N T)) among N T Laplace(s) draws; Lemma B.3: at most 1 / T."""
    draws = n_actions * horizon
    # P(|Z| > s x) = exp(-x), x = sqrt(factor) log(N T); one draw is enough
    return -math.expm1(draws * math.log1p(-math.exp(-math.sqrt(factor) * math.log(draws))))


def laplace_norm_factor(*, n_actions: int, horizon: int) -> float:
    """Return the factor at which `laplace_norm_failure` is 1 / T, T >= 2: the smallest with which B.3 holds."""
    draws = n_actions * horizon
    tail = -math.expm1(math.log1p(-1 / horizon) / draws)
    return (math.log(tail) / math.log(draws)) ** 2


def count_listed(horizon: int, n_actions: int, n_switches: int) -> int:
    """Return sum over c <= S of binom(T, c) N^(c + 1): the paper's list of meta-experts, repetitions counted."""
    switches = range(min(n_switches, horizon) + 1)
    return sum(math.comb(horizon, c) * n_actions ** (c + 1) for c in switches)


@cache
def lazy_ratios(n_switches: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return how the tuned stated regret of L2P compares with Corollary 4.1.1; without switches, Proposition 1.

    N = 16, epsilon = 0.1, delta = 1e-6.

    Returns
    -------
    Nine horizons, the regret over the stated rate, and over the first term of the rate: each shape (9,).
    """
    n, epsilon, delta, s = 16, 0.1, 1e-6, max(n_switches, 1)
    horizons = np.geomspace(1e6, 1e14, 9)
    over_rate, over_first = [], []
    for t in map(int, horizons):
        log = math.log(n * t if n_switches else n)
        log_d = switching.log_count_sequences(t, n, n_switches)
        _, regret = lazy.tune_lazy(epsilon=epsilon, delta=delta, horizon=t, log_d=log_d)
        first = math.sqrt(s * t * log)
        over_rate.append(regret / (first + s * t ** (1 / 3) * math.log(t / delta) * log / epsilon ** (2 / 3)))
        over_first.append(regret / first)
    return horizons, np.array(over_rate), np.array(over_first)


def block_sum(rounds: int) -> FloatArray:
    """Return the sums of 2^(-l/2) over rounds 1, ..., k, l = floor(log2 i), for k = 1, ..., `rounds`.

    They are at most (1 + sqrt 2) sqrt(k), which the proof of `bounds.adaptive_regret` uses. Let k = 2^m (1 + x) -
    1, 0 <= x <= 1, and a = 2^(m/2). Whole blocks add up to (a - 1) / (sqrt 2 - 1) = (1 + sqrt 2)(a - 1), the rest
    to x a. Now x <= (1 + sqrt 2)(sqrt(1 + x) - 1), for the right side is concave and the two agree at 0 and 1. So
    the sum is at most (1 + sqrt 2)(y - 1), y = a sqrt(1 + x) >= 1, and y - 1 <= sqrt(y^2 - 1) = sqrt(k).
    """
    return np.cumsum(2.0 ** (-np.floor(np.log2(np.arange(1, rounds + 1))) / 2))


def coin_regret(*, n_actions: int, phases: int, phase: int) -> float:
    """Return the dynamic regret of every learner, S phases of n rounds, when all losses are fair coins: exact.

    Whatever it plays, and with privacy or without, it loses 1/2 a round in the mean; the best expert of a phase
    loses the smallest of N binomials. With S - 1 switches the comparator has the best expert of every phase, so
    the regret is S (n / 2 - E min of N Bin(n, 1/2)), which is of the order S sqrt(n log N) = sqrt(S T log N), T =
    S n.
    """
    above = scipy.stats.binom.sf(np.arange(phase), phase, 0.5)
    return float(phases * (phase / 2 - (above**n_actions).sum()))


def draw_divergence(fraction: float, rate: float, order: float) -> float:
    """Renyi divergence of order `order` between two distributions of one fresh draw of L2P, neighbouring losses.

    One round's losses differ by 1 on a `fraction` of the second distribution and by -1 on the rest, at learning
    rate `rate`.
    """
    first, second = math.log(fraction) - rate, math.log1p(-fraction) + rate
    scale = np.logaddexp(first, second)
    logs = order * np.array([first - scale, second - scale]) + (1 - order) * np.log([fraction, 1 - fraction])
    return float(special.logsumexp(logs) / (order - 1))


def decision_loss(rate: float, redraw: float, batch: int, gap: float) -> float:
    """Privacy loss of L2P's decision to keep or redraw, when L(x) - L(y) over the batch is `gap`, or 2 less.

    The worse of the two answers; `gap` lies between 2 - B and B.
    """
    kept = (1 - redraw) * np.exp(-rate * (2 * batch + gap - np.array([0.0, 2.0])))
    return float(max(abs(np.log(kept[0] / kept[1])), abs(np.log((1 - kept[0]) / (1 - kept[1])))))


def draws_tail(*, horizon: int, redraw: float, batch: int, rate: float, draws: float) -> float:
    """Logarithm of Bennett's bound on the chance of `draws` fresh draws of L2P or more, of x and y together.

    In each of T / B batches x is drawn with a chance of at most p + 3 eta B, whatever came before, and y with p.
    So E exp(x times the number) <= exp(M (e^x - 1)), M = (T / B)(2 p + 3 eta B), and Markov's inequality at
    e^x = n / M >= 1 gives exp(n - M - n log(n / M)).
    """
    mean = horizon / batch * (2 * redraw + 3 * rate * batch)
    return draws - mean - draws * math.log(draws / mean) if draws > mean else 0.0


def lazy_account_terms(horizon: int, redraw: float, batch: int, delta: float) -> tuple[float, float]:
    """Return (log(1 / d1), n): L2P's stated accountant at d1 = delta / (2 T), n = 3 T p log(1 / d1) / B draws.

    Theorem. L2P with B-round batches on multiplicative weights is (epsilon, 2 d1)-private, with the epsilon that
    its authors state,

        2 eta / p + eta + n eta^2 / 2 + eta sqrt(2 n l),   l = log(1 / d1), if l >= 3, eta B l <= p, T p >= B.

    Proof. Release more than is played: both sequences, and which of them are drawn when. Let the tables differ in
    one round, of batch b. Until the end of b nothing differs.

    1. The decision at the end of b. x is kept with probability k = (1 - p) e^-u, u = eta (2 B + L(x) - L(y)), and
       L moves by at most 1 each: u moves by at most 2 eta, so does log k. The derivative of log(1 - k) in u is
       k / (1 - k) <= (1 - p) / p, for k <= 1 - p. So either answer moves by at most 2 eta max(1, (1 - p) / p),
       which is at most 2 eta / p: a pure loss. The decision on y reads no losses, and later ones read equal ones.
    2. A fresh draw from nu_s. On the two tables the distributions have log ratio Y = -eta d(x) + constant, d
    between -1 and
       1: an interval of length r = 2 eta. Let K(a) = log E' e^(aY), E' under the second distribution. K(0) = K(1)
       = 0, and K'' is the variance of Y under a tilted distribution, at most r^2 / 4. So K(a) - a (a - 1) r^2 / 8
       is concave, zero at 0 and 1, hence at most 0 for a > 1: the Renyi divergence K(a) / (a - 1) is at most a r^2
       / 8 = a eta^2 /
       2. (A pure bound of 2 eta a draw would give 2 a eta^2: that is why adding up pure losses asks for more.)
    3. Composition. Given the past, an answer has one distribution on both tables, and a draw loses as in 2. So the
    product
       of (likelihood ratio)^a exp(-a (a - 1) eta^2 / 2) over the draws is a supermartingale, and stopped at the
       n-th draw the divergence is at most a n eta^2 / 2: by the usual conversion (rho + 2 sqrt(rho l), d1)-privacy
       with rho = n eta^2 / 2, which is n eta^2 / 2 + eta sqrt(2 n l). The pure loss of 1 adds to it.
    4. More than n draws have probability at most d1, `draws_tail`: with a = T p / B >= 1 the mean is at most
       M = a (2 + 3 / l), n = 3 a l, and f = n log(n / M) - n + M >= l: at l = 3 it is 3.8 a, and its derivative in
       l is at least 3.9 a. On the first table an event then loses at most d1 by stopping; on the second, stopping
       only takes away. Altogether 2 d1.
    5. Adversaries that see the plays: given the past answers and draws, the losses so far are fixed on both sides
       and differ in that one round only, and each step above is one given the past.
    """
    log = math.log(2 * horizon / delta)
    return log, 3 * horizon * redraw * log / batch
