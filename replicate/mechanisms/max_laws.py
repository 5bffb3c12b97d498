"""Laws of report-noisy-max with exponential and with Laplace noise, one row of scores at a time, compiled.

Scores are in scales, the best is 0, the others follow in falling order. With w = exp(-x), the distribution
function of Laplace noise about the score s is 1 - w q at x >= s, for q = exp(s) / 2, and grows like exp(x) below.
So where m actions have scores above x, and F is the product of their distribution functions at a point `top`,

    density of j times distribution functions of all others
        = F exp(m (x - top)) prod_low (1 - w q[i])**c[i] * (1, or w q[j] / (1 - w q[j]) for a low j).

Every factor is positive: integrals over x by Gauss and Legendre lose no digits, and the integrand is an entire
function, so that few nodes are exact to rounding. Where w q[i] < 2**-54 the factor of i is 1.

Symbols: s = scores, q = exp(s) / 2, c = multiplicities, all of shape (K,); law = probabilities of one action each.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy import special

from replicate.compiled import compiled
from replicate.validation import FloatArray, IntArray

FARTHEST = 600.0
"""Scores are cut at so many scales below the best, where exp(-600) = 3e-261."""

_NEGLIGIBLE = 45.0  # exp(-45) = 3e-20: what is dropped, relative to what is kept
_ONE = 2.0**-54  # 1 - x is 1 for smaller x
_NODES = (8, 12, 20)
_RATES = (4.0, 10.0, 24.0)
"""Most change of the integrand's logarithm over a panel of so many nodes, for an error of rounding."""
_LENGTHS = (0.8, 1.5, 3.0)
"""Longest panels of so many nodes, in scales."""


class Rules(NamedTuple):
    """Gauss-Legendre nodes and weights on [0, 1].

    Attributes
    ----------
    short
        For panels: `_NODES` of them, shape (3, 2, 20), filled up with zeros.
    totals, starts
        For [0, 1]: rule i serves sums of p up to totals[i], and stands at starts[i], ..., starts[i + 1] - 1 of
        `long`, shape (2, number).
    """

    short: FloatArray
    totals: FloatArray
    starts: IntArray
    long: FloatArray


@cache
def gauss_legendre(n: int) -> FloatArray:
    """Return nodes and weights on [0, 1], shape (2, n)."""
    nodes, weights = special.roots_legendre(n)
    return np.stack([(nodes + 1) / 2, weights / 2])


@cache
def rules(n_actions: int) -> Rules:
    """Return the rules that the distribution of so many actions needs."""
    short = np.zeros((len(_NODES), 2, max(_NODES)))
    for row, n in zip(short, _NODES, strict=True):
        row[:, :n] = gauss_legendre(n)
    totals = [*(4.0 ** np.arange(1, math.ceil(math.log(n_actions, 4)))), float(n_actions)]
    long = [gauss_legendre(nodes_needed(total, n_actions)) for total in totals]
    starts = np.cumsum([0, *(part.shape[1] for part in long)])
    return Rules(short, np.array(totals), starts, np.concatenate(long, axis=1))


def nodes_needed(total: float, n_actions: int) -> int:
    """Gauss-Legendre nodes for the integral over u in [0, 1] of the product of 1 - u p[i], p of sum `total`.

    n >= K / 2 nodes are exact, for the integrand is a polynomial of degree K - 1. Fewer are exact to
    rounding when K is large. Put u = (1 + x) / 2: 1 - u p = E[(-x)**B] with B ~ Bernoulli(p / 2), and
    x**N = E[T_|W|(x)] for a simple random walk W of N steps. So the integrand is a mixture of Chebyshev
    polynomials T_k, k = |W|, where W adds independent steps, +1 and -1 with probability p / 4 each:
    E[exp(t W)] <= exp(total (cosh t - 1) / 2). The rule is exact for k < 2 n and off by at most 2 beyond:
    the error is at most 4 exp(total (cosh t - 1) / 2 - 2 n t), here at sinh t = 4 n / total. The integral is
    at least 1 / (1 + total), since 1 - u p >= (1 - u)**p. We ask for a relative error below 1e-16.
    """
    # a rule of n nodes is exact up to degree 2 n - 1
    exact = (n_actions + 1) // 2
    n = np.arange(8, exact + 8, 8)
    t = np.arcsinh(4 * n / total)
    log_error = np.log(4 * (1 + total)) + total * (np.cosh(t) - 1) / 2 - 2 * n * t
    good = n[log_error < np.log(1e-16)]
    return min(exact, int(good[0])) if len(good) else exact


@compiled(error_model="numpy")
def long_rule(rules: Rules, total: float) -> FloatArray:
    """Return the rule on [0, 1] for a sum of p, shape (2, number)."""
    i = 0
    while i < len(rules.totals) - 1 and total > rules.totals[i]:
        i += 1
    return rules.long[:, rules.starts[i] : rules.starts[i + 1]]


@compiled(error_model="numpy")
def multiply(product: FloatArray, w: FloatArray, q: float, count: float) -> None:
    """Multiply by (1 - w q)**count."""
    if count == 1.0:
        for n in range(len(w)):
            product[n] *= 1.0 - w[n] * q
    else:
        for n in range(len(w)):
            product[n] *= (1.0 - w[n] * q) ** count


@compiled(error_model="numpy")
def reach(q: FloatArray, first: int, w: float) -> int:
    """Return the first action from `first` on whose factor is 1 at w, and at all smaller w."""
    while first < len(q) and q[first] * w >= _ONE:
        first += 1
    return first


@compiled(error_model="numpy")
def leave_one_out(
    w: FloatArray, product: FloatArray, q: FloatArray, counts: FloatArray, low: tuple[int, int], law: FloatArray
) -> float:
    """Multiply by the factors of the low actions; to each of them add the sum without one factor of its own.

    `product` comes as the weights of the nodes w. The actions are `low`[0], ..., `low`[1] - 1; their distribution
    gets sums that lack the factor q. Returns the sum of the whole product.
    """
    for i in range(*low):
        multiply(product, w, q[i], counts[i])
    for i in range(*low):
        total = 0.0
        for n in range(len(w)):
            total += product[n] / (1.0 - w[n] * q[i])
        law[i] += total
    total = 0.0
    for n in range(len(w)):
        total += product[n]
    return total


@compiled(error_model="numpy")
def fill_exponential(p: FloatArray, counts: FloatArray, rules: Rules, law: FloatArray) -> None:
    """Write p[j] times the integral over u in [0, 1] of the product over i != j of 1 - u p[i].

    All arrays have shape (rows, K), rows of p in falling order.
    """
    for r in range(len(p)):
        _above(p[r], counts[r], rules, law[r])
        for j in range(p.shape[1]):
            law[r, j] *= p[r, j]


@compiled(error_model="numpy")
def _above(q: FloatArray, counts: FloatArray, rules: Rules, gain: FloatArray) -> None:
    """Write the integrals over w in [0, 1] of the product of all factors but one's own."""
    nodes, weights = long_rule(rules, (counts * q).sum())
    last, product = reach(q, 0, 1.0), weights.copy()
    gain[:] = 0.0
    # actions whose own factor is 1 lack nothing: they get the whole sum
    gain[last:] = leave_one_out(nodes, product, q, counts, (0, last), gain)


Q, GAIN, REST, SHARED, TAIL, COUNTS = range(6)
"""Rows of the work space, shape (6, K + 1): q; integrals in units of q; sums of c q from an action on; what every
action up to one gets; what every action from one on gets in units of q; c."""


@compiled(error_model="numpy")
def fill_laplace(scores: FloatArray, counts: FloatArray, rules: Rules, law: FloatArray) -> None:
    """Write the law of the arg max of scores plus standard Laplace noise: (rows, K), rows in falling order."""
    k = scores.shape[1]
    work, panel = np.zeros((6, k + 1)), np.empty((2, rules.short.shape[2]))
    for r in range(len(scores)):
        for i in range(k):
            work[Q, i], work[COUNTS, i] = math.exp(scores[r, i]) / 2.0, counts[r, i]
            work[SHARED, i] = work[TAIL, i] = 0.0
        for i in range(k - 1, -1, -1):
            work[REST, i] = work[REST, i + 1] + work[COUNTS, i] * work[Q, i]
        _above(work[Q, :k], work[COUNTS, :k], rules, work[GAIN, :k])
        _below(scores[r], rules, work, panel)
        tail = 0.0
        for i in range(k):
            tail += work[TAIL, i]
            law[r, i] = work[Q, i] * (work[GAIN, i] + tail)
        shared = 0.0
        for i in range(k - 1, -1, -1):
            shared += work[SHARED, i]
            law[r, i] += shared


@compiled(error_model="numpy")
def _below(scores: FloatArray, rules: Rules, work: FloatArray, panel: FloatArray) -> None:
    """Add the integrals below the best score, from the top down.

    Where m scores lie above x, the product of all distribution functions grows like exp(m x), and even divided by
    exp(x), which is how slowly the density of a low score falls, it never decreases in x: what remains is dropped
    where that quotient falls below exp(-45).
    """
    n_scores, k, m, front, x = len(scores), 0, 0.0, 1.0, 0.0
    while True:
        # a score passed from above: its distribution function at its own place is 1/2
        while k < n_scores and scores[k] == x:
            m += work[COUNTS, k]
            front *= 0.5 ** work[COUNTS, k]
            k += 1
        if math.log(max(front * _low_product(math.exp(-x), k, work), 1e-300)) - x <= -_NEGLIGIBLE:
            return
        if k == n_scores:
            # below the lowest score the integrand is exp(m x): a closed form
            work[SHARED, k - 1] += front / m
            return
        gap = x - scores[k]
        if x == 0.0 and m == 1.0 and gap > 2.0 * math.log1p(2.0 * work[REST, 1] * math.exp(gap)) + 3.0:
            _alone(gap, rules, work)
            lower = scores[k]
        else:
            # no panel is longer than the largest rule can take
            longest = min(_LENGTHS[-1], _RATES[-1] / (m + 2.0 * work[REST, k] * math.exp(-x)))
            lower = scores[k] if gap <= longest else x - longest
            _panel(x, lower, k, m, front, rules, work, panel)
        front *= math.exp(m * (lower - x))
        x = lower


@compiled(error_model="numpy")
def _low_product(w: float, k: int, work: FloatArray) -> float:
    """Return the product of the factors of the actions from k on."""
    product = 1.0
    for i in range(k, reach(work[Q, :-1], k, w)):
        factor = 1.0 - w * work[Q, i]
        product *= factor if work[COUNTS, i] == 1.0 else factor ** work[COUNTS, i]
    return product


@compiled(error_model="numpy")
def _panel(
    x: float, lower: float, k: int, m: float, front: float, rules: Rules, work: FloatArray, panel: FloatArray
) -> None:
    """Add the integrals over [lower, x], on which the scores from k on lie below and m actions above."""
    bottom, length, size = math.exp(-lower), x - lower, 0
    rate = (m + 2.0 * work[REST, k] * bottom) * length
    while size < len(_NODES) - 1 and (rate > _RATES[size] or length > _LENGTHS[size]):
        size += 1
    n = _NODES[size]
    w, product = panel[0, :n], panel[1, :n]
    for i in range(n):
        above = length * rules.short[size, 0, i]
        w[i] = math.exp(above - x)
        # the density of a low score has the factor w; those above lack it, and divide it out again
        product[i] = length * rules.short[size, 1, i] * front * math.exp(-m * above) * w[i]
    last = reach(work[Q, :-1], k, bottom)
    work[TAIL, last] += leave_one_out(w, product, work[Q], work[COUNTS], (k, last), work[GAIN])
    for i in range(n):
        work[SHARED, k - 1] += product[i] / w[i]


@compiled(error_model="numpy")
def _alone(gap: float, rules: Rules, work: FloatArray) -> None:
    """Add the integrals from the second score up to the best, which is `gap` above it and alone there.

    With r[i] = q[i] exp(gap) and R[j](u) the product of 1 - u r[i] over the low actions i but j, a low action gets
    q[j] / 2 times the integral of R[j] / u over [exp(-gap), 1]: `gap` less that of (1 - R[j]) / u, a polynomial of
    degree K - 3. The best gets exp(-gap) / 2 times the integral of R / u**2, R with all low actions: that of
    1 / u**2 - S / u plus that of (R - 1 + S u) / u**2, S the sum of all r, again a polynomial of degree K - 3.
    """
    w, least = math.exp(gap), math.exp(-gap)
    total = work[REST, 1] * w
    rule = long_rule(rules, total + 2.0)
    u, weights = least + (1.0 - least) * rule[0], (1.0 - least) * rule[1]
    last, product = reach(work[Q, :-1], 1, w), np.ones(len(u))
    for i in range(1, last):
        multiply(product, u, w * work[Q, i], work[COUNTS, i])
    for i in range(1, last):
        missed = 0.0
        for n in range(len(u)):
            missed += weights[n] / u[n] * (1.0 - product[n] / (1.0 - u[n] * w * work[Q, i]))
        work[GAIN, i] += (gap - missed) / 2.0
    missed = won = 0.0
    for n in range(len(u)):
        missed += weights[n] / u[n] * (1.0 - product[n])
        won += weights[n] / (u[n] * u[n]) * (product[n] - 1.0 + total * u[n])
    work[TAIL, last] += (gap - missed) / 2.0
    work[SHARED, 0] += (1.0 - least + least * (won - total * gap)) / 2.0
