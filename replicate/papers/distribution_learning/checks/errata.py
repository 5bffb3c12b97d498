"""Checks of errata: second routes to each, where the first is a check of a claim.

A route holds on the printed statement when that fails, and must not hold on the corrected one. Routes called
symbolic compute in fractions and whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from replicate.claims.evidence import EXACT, Evidence, at_least, worst
from replicate.papers.distribution_learning import instances, lemmas
from replicate.papers.distribution_learning.algorithms import schemes


def n_cells_fraction(profile: str, seed: int, *, limit: str) -> Evidence:
    """N' of f_1 = (1/2, 1/2, 0), f_2 = (0, 0, 1) in fractions, over ``KM``, or over ``(K+1)M-K``."""
    f = [[Fraction(1, 2), Fraction(1, 2), Fraction(0)], [Fraction(0), Fraction(0), Fraction(1)]]
    k, m = 2, 3
    n_cells = sum(math.ceil(m * max(row[y] for row in f)) for y in range(m))
    most = {"KM": k * m, "(K+1)M-K": (k + 1) * m - k}[limit]
    return at_least(n_cells / most, 1 + EXACT, f"N' = {n_cells} against {most}.")


def step_c_fraction(profile: str, seed: int, *, factor: int) -> Evidence:
    """Spread of a symbol over 21 labels, one of them 20 times likelier, in fractions, over the factor claimed.

    Ratio 20 is ε = log 20; `factor` is min{19², 1} = 1 as printed, min{19², 2} = 2 corrected.
    """
    column = [Fraction(20)] + [Fraction(1)] * 20
    n = len(column)
    square = sum(q * q for q in column) / n
    spread = 2 * (square - (sum(column) / n) ** 2) / square
    return at_least(float(spread / factor), 1 + EXACT, f"2 Var/mean square = {spread}.")


def step_b(profile: str, seed: int, *, labels: str) -> Evidence:
    """Left side of (23)(b) over its right side with the inner sum over ``K`` labels, as printed, or ``N``.

    The probabilities of one symbol of randomised response, N = 8, K = 4, epsilon = 1; the left side from their
    Hadamard coefficients.
    """
    n, k = 8, 4
    q = schemes.randomized_response(np.ones(n), 1.0).law(np.eye(n))[:, 0]
    left = float((((np.sign(instances.signed_class(n - 1, 1.0) - 1 / (2 * n)) @ q) / n) ** 2).sum())
    over = q[: {"K": k, "N": n}[labels]]
    right = float(((q[:, None] - over) ** 2).sum()) / (2 * n**2)
    return at_least(left / right, 1 + EXACT, f"{left:.4g} against {right:.4g}.")


def step_b_fraction(profile: str, seed: int, *, labels: str) -> Evidence:
    """`step_b` for four labels, one of them three times likelier, K = 3, in fractions."""
    q = [Fraction(1)] * 3 + [Fraction(3)]
    spread = sum(x * x for x in q) / 4 - (sum(q) / 4) ** 2
    right = sum((x - y) ** 2 for x in q for y in q[: {"K": 3, "N": 4}[labels]]) / 32
    return at_least(float(spread / right), 1 + EXACT, f"{spread} against {right}.")


def log_step(profile: str, seed: int, *, domain: float) -> Evidence:
    """Smallest x at which (22)(a) uses x - x² <= log(1 + x), against the lower end of the `domain` stated for it.

    The lower end is 0 as printed, -1/2 corrected. Randomised response on the Hadamard class, x the relative
    change of a symbol's probability within a pair.
    """
    f = instances.hadamard_class(4, 0.5)
    released = f @ schemes.randomized_response(np.ones(8), 1.0).law(np.eye(8))
    change = float((released[1::2] / released[::2] - 1).min())
    return at_least(-change, EXACT - domain, f"Smallest x = {change:.4g}; the inequality holds from x = -0.68 on.")


def log_step_fraction(profile: str, seed: int, *, domain: float) -> Evidence:
    """`log_step` for a pair on two labels seen through a coin that errs with probability 1/4, in fractions."""
    gap, keep = Fraction(1, 2), Fraction(3, 4)
    before = keep
    after = (1 - gap / 2) * keep + gap / 2 * (1 - keep)
    change = after / before - 1
    # x - x² <= log(1 + x) at x = -1/2 says log 2 <= 3/4, that is 16 <= e³; e > 2718/1000.
    assert Fraction(2718, 1000) ** 3 > 16
    return at_least(float(-change), EXACT - domain, f"x = {change}.")


@worst
def hypotheses_in_class(profile: str, seed: int, *, pairs_over_k: float) -> Iterator[Evidence]:
    """Distinct distributions in the class of (16), and labels that they need, over K.

    With K pairs as printed, with floor(K/2) corrected. Distributions are distinct if a sixth of the gap lies between them.
    """
    k, gap = 8, 0.3
    f = instances.hadamard_class(int(pairs_over_k * k), gap)
    apart = np.abs(f[:, None] - f).sum(axis=-1) / 2 >= gap / 6
    size = sum(bool(apart[i, :i].all()) for i in range(len(f)))
    for name, number in (("laws", size), ("labels", f.shape[1])):
        yield at_least(number / k, 1 + EXACT, f"K = {k}: {number} {name}.")


def pairs_of_columns(profile: str, seed: int, *, pairs_over_k: float) -> Evidence:
    """Distinct distributions made of the pairs' columns, over K, the smallest ratio for K up to 15.

    K pairs as printed, floor(K/2) corrected. The matrix is built from ±1 in whole numbers by doubling, and its
    columns checked to be orthogonal; distributions are in units of 1/(4N), at gap 1/2.
    """
    smallest = math.inf
    for k in (2, 3, 8, 15):
        pairs = int(pairs_over_k * k)
        rows = [[1]]
        while len(rows) < pairs + 1:
            rows = [r + r for r in rows] + [r + [-x for x in r] for r in rows]
        inner = {sum(x * y for x, y in zip(a, b, strict=True)) for a in rows for b in rows if a is not b}
        assert inner <= {0}
        laws = {tuple(4 * (1 - x) + 2 * moved * x for x in row) for row in rows[1 : pairs + 1] for moved in (0, 1)}
        assert {sum(law) for law in laws} == {4 * len(rows)}
        smallest = min(smallest, len(laws) / k)
    return at_least(smallest, 1 + EXACT, "K = 2, 3, 8, 15.")


def _theorem_2(k: int, horizon: int, epsilon: float) -> float:
    return 12 / epsilon * math.sqrt(k * horizon * math.log(k * horizon) ** 5)


def first_prediction(profile: str, seed: int, *, epsilon: float) -> Evidence:
    """Least worst-case risk of the first round alone, two disjoint distributions, over the form of Theorem 2."""
    p = np.linspace(0.001, 0.999, 999)
    risk = float(np.maximum(-np.log(p), -np.log1p(-p)).min())
    form = _theorem_2(2, 100, epsilon)
    detail = f"K=2, T=100, ε={epsilon:g}: {form:.3g} against log 2; 999 predictions tried."
    return at_least(risk / form, 1.0, detail)


def first_prediction_fraction(profile: str, seed: int, *, epsilon: float) -> Evidence:
    """`first_prediction` by p (1 - p) <= 1/4, in fractions: the mean of the two risks is at least (log 4)/2."""
    worst = max(Fraction(i, 100) * (1 - Fraction(i, 100)) for i in range(1, 100))
    risk = -math.log(worst) / 2
    form = _theorem_2(2, 100, epsilon)
    return at_least(risk / form, 1.0, f"p (1 - p) <= {worst}.")


def last_term(profile: str, seed: int, *, denominator: str) -> Evidence:
    """The uniform cell's share of (31), sum of log(p/p_j*)/(T N') over the cells, over log(KT)/`denominator`.

    The denominator is ``KTM`` as printed, ``T`` corrected. The truth is the lone label of one distribution against 49,
    the prediction the other hypothesis.
    """
    f, horizon = instances.one_against_many(50), 100
    k, m = f.shape
    channel = schemes.clipping(f, np.ones(m), horizon)
    log = channel.log_density(f)
    share = float((channel.cells * (log[0] - log[1])).sum() / (horizon * channel.n_cells))
    limit = np.log(k * horizon) / {"KTM": horizon * k * m, "T": horizon}[denominator]
    return at_least(share / limit, 1 + EXACT, f"K=2, M=50, T=100: {share:.4g} nats per round against {limit:.4g}.")


def last_term_fraction(profile: str, seed: int, *, denominator: str) -> Evidence:
    """`last_term` for one distribution against ten labels, T = 100, M = 11, in whole powers of fractions.

    The share exceeds log(KT)/D, D the denominator, when (r_1^20/r_2^11)^(D/T) exceeds (KT)^31, r_1 and r_2 the
    ratios of the densities in the 20 cells of the one and the 11 of the other. The measured number is the
    logarithm of the first over that of the second.
    """
    k, m, t, first, second = 2, 11, 100, 20, 11
    n_cells = first + second
    one, other = (1 + Fraction(n_cells * (t - 1), n) for n in (first, second))
    power = {"KTM": k * m, "T": 1}[denominator]
    exceeds = (one**first / other**second) ** power > Fraction(k * t) ** n_cells
    ratio = power * (first * math.log(one) - second * math.log(other)) / (n_cells * math.log(k * t))
    assert exceeds == (ratio > 1)
    detail = f"Of log(KT)/{denominator}; {n_cells} cells, densities apart by {one} and {other}."
    return at_least(ratio, 1 + EXACT, detail)


@worst
def one_for_all_rounds(profile: str, seed: int, *, chosen: str) -> Iterator[Evidence]:
    """Divergence that rounds release about one pair over the limit before (24), 31 pairs, each round one pair's bit.

    The pair of smallest largest divergence against the limit of ``each round``, or of smallest sum against that of
    the ``sum``; ε = 0.1 and 0.5.
    """
    n_pairs, gap = 31, 0.3
    for epsilon in (0.1, 0.5):
        f = instances.hadamard_class(n_pairs, gap)
        divergences = np.array(
            [lemmas.released_divergences(f, q) for q in instances.bit_channels(n_pairs, epsilon)]
        )
        limit = gap**2 * min(np.expm1(epsilon) ** 2, 1) * np.exp(epsilon) / (2 * n_pairs)
        released = divergences.max(axis=0).min() if chosen == "each round" else divergences.mean(axis=0).min()
        yield at_least(float(released / limit), 1 + EXACT, f"31 pairs, a={gap}, ε={epsilon}: of the best pair.")


def one_for_all_rounds_fraction(profile: str, seed: int, *, chosen: str) -> Evidence:
    """`one_for_all_rounds` at ε = log 2 in fractions, 31 pairs: KL >= 2 TV² in a round, KL <= chi² in the sum.

    A bit with noise is 2/3 and 1/3 under the first distribution, and moves by a/6 under the second, a = 1/2.
    """
    n_pairs, gap = 31, Fraction(1, 2)
    limit = gap**2 * 2 / (2 * n_pairs)
    if chosen == "each round":
        released = 2 * (gap / 6) ** 2
    else:
        released = (gap / 6) ** 2 * (1 / (Fraction(2, 3) - gap / 6) + 1 / (Fraction(1, 3) + gap / 6)) / n_pairs
    return at_least(float(released / limit), 1 + EXACT, f"{released} against {limit}.")
