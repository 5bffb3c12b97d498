"""Second ways to see the paper's slips; the first are in the other modules of checks.

A check establishes that the printed statement fails, its control does so for the corrected one and must
not. What is called symbolic is computed in fractions and whole numbers.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from replicate import certify
from replicate.claims import EXACT, Evidence
from replicate.mechanisms import composition
from replicate.papers.distribution_learning import bounds, instances
from replicate.papers.distribution_learning.algorithms import channels, schemes
from replicate.streams import stream

__all__ = [
    "event_frequency",
    "event_probability",
    "first_prediction",
    "first_prediction_fraction",
    "hypotheses_in_class",
    "large_epsilon_form",
    "last_term",
    "log_step",
    "log_step_fraction",
    "n_cells_fraction",
    "noise_of_eight",
    "noise_of_eight_fraction",
    "one_round",
    "one_round_fraction",
    "pairs_of_columns",
    "step_c_fraction",
]


def n_cells_fraction(profile: str, seed: int, *, printed: bool) -> Evidence:
    """N' of f_1 = (1/2, 1/2, 0), f_2 = (0, 0, 1) in fractions, over KM, or over (K + 1) M - K."""
    f = [[Fraction(1, 2), Fraction(1, 2), Fraction(0)], [Fraction(0), Fraction(0), Fraction(1)]]
    k, m = 2, 3
    n_cells = sum(math.ceil(m * max(row[y] for row in f)) for y in range(m))
    limit = k * m if printed else (k + 1) * m - k
    return Evidence(
        measured=n_cells / limit, limit=1 + EXACT, relation=">=", detail=f"N' = {n_cells} against {limit}."
    )


def noise_of_eight(profile: str, seed: int, *, tight: bool) -> Evidence:
    """Smallest ratio of the noise of (8), or of the tight calibration, to the exact requirement, K = 2 to 64."""
    ratios = []
    for k, delta in ((k, d) for k in (2, 8, 64) for d in (1e-2, 1e-6)):
        exact = composition.laplace_scale(k, epsilon=1.0, delta=delta)
        ratios.append((exact if tight else schemes.printed_unit_scale(k, 1.0, delta)) / exact)
    detail = f"From {min(ratios):.3g} to {max(ratios):.3g} times, ε=1."
    return Evidence(measured=min(ratios), limit=2.5, relation=">=", detail=detail)


def noise_of_eight_fraction(profile: str, seed: int, *, printed: bool) -> Evidence:
    """Square of the factor before sqrt(K ln(1/δ)) in (8) over the one in the proof of Lemma 3, 2 squared."""
    square = Fraction(2) ** 2 * (2 if printed else 1)
    return Evidence(measured=float(square / 4), limit=2.0, relation=">=", detail="(2√2)² against 2².")


def step_c_fraction(profile: str, seed: int, *, printed: bool) -> Evidence:
    """Spread of a symbol over 21 labels, one of them 20 times likelier, in fractions, over the factor claimed.

    Ratio 20 is ε = log 20; the factor is min{19², 1} = 1 as printed, min{19², 2} corrected.
    """
    column = [Fraction(20)] + [Fraction(1)] * 20
    n = len(column)
    square = sum(q * q for q in column) / n
    spread = 2 * (square - (sum(column) / n) ** 2) / square
    factor = 1 if printed else 2
    return Evidence(
        measured=float(spread / factor),
        limit=1 + EXACT,
        relation=">=",
        detail=f"2 Var/mean square = {spread}.",
    )


def log_step(profile: str, seed: int, *, printed: bool) -> Evidence:
    """Smallest x at which (22)(a) uses x - x² <= log(1 + x), below 0 as printed, or below -1/2.

    Randomised response on the Hadamard class, x the relative change of a symbol's probability within a pair.
    """
    f = instances.hadamard_class(4, 0.5)
    released = f @ channels.randomized_response(np.ones(8), 1.0).law(np.eye(8))
    change = float((released[1::2] / released[::2] - 1).min())
    limit = 0.0 if printed else 0.5
    detail = f"Smallest x = {change:.4g}; the inequality holds from x = -0.68 on."
    return Evidence(measured=-change, limit=limit + EXACT, relation=">=", detail=detail)


def log_step_fraction(profile: str, seed: int, *, printed: bool) -> Evidence:
    """The same for a pair on two labels seen through a coin that errs with probability 1/4, in fractions."""
    gap, keep = Fraction(1, 2), Fraction(3, 4)
    before = keep
    after = (1 - gap / 2) * keep + gap / 2 * (1 - keep)
    change = after / before - 1
    # x - x² <= log(1 + x) at x = -1/2 says log 2 <= 3/4, that is 16 <= e³; e > 2718/1000.
    assert Fraction(2718, 1000) ** 3 > 16
    limit = 0.0 if printed else 0.5
    return Evidence(measured=float(-change), limit=limit + EXACT, relation=">=", detail=f"x = {change}.")


def hypotheses_in_class(profile: str, seed: int, *, printed: bool) -> Evidence:
    """Distinct laws in the class of (16) with K pairs, over K; corrected: with floor(K/2) pairs."""
    k = 8
    f = instances.hadamard_class(k if printed else k // 2, 0.3)
    size = len(np.unique(f, axis=0))
    detail = f"K = {k}: {size} laws on {f.shape[1]} labels."
    return Evidence(measured=size / k, limit=1 + EXACT, relation=">=", detail=detail)


def pairs_of_columns(profile: str, seed: int, *, printed: bool) -> Evidence:
    """Twice the number of columns other than the constant one that K pairs need, over K, for K up to 64.

    The matrix is built from ±1 in whole numbers by doubling, and its columns checked to be orthogonal.
    """
    smallest = math.inf
    for k in (2, 3, 8, 15):
        pairs = k if printed else k // 2
        rows = [[1]]
        while len(rows) < pairs + 1:
            rows = [r + r for r in rows] + [r + [-x for x in r] for r in rows]
        inner = {sum(x * y for x, y in zip(a, b, strict=True)) for a in rows for b in rows if a is not b}
        assert inner <= {0}
        smallest = min(smallest, 2 * pairs / k)
    return Evidence(measured=smallest, limit=1 + EXACT, relation=">=", detail="K = 2, 3, 8, 15: 2K laws.")


def large_epsilon_form(profile: str, seed: int, *, epsilon: float) -> Evidence:
    """sqrt(KT)/(820 epsilon), the form of Theorem 1, over what Theorem 3 gives with its constant."""
    form = math.sqrt(4 * 10**12) / (820 * epsilon)
    given = bounds.theorem_3(n_pairs=4, horizon=10**12, epsilon=epsilon)
    detail = f"K=4 pairs, T=1e12, ε={epsilon:g}: {form:.3g} asked for, {given:.3g} proved."
    return Evidence(measured=form / given, limit=1.0, relation=">=", detail=detail)


def _theorem_2(k: int, horizon: int, epsilon: float) -> float:
    return 12 / epsilon * math.sqrt(k * horizon * math.log(k * horizon) ** 5)


def first_prediction(profile: str, seed: int, *, epsilon: float) -> Evidence:
    """Least worst-case risk of the first round alone, two disjoint laws, over the form of Theorem 2."""
    p = np.linspace(0.001, 0.999, 999)
    risk = float(np.maximum(-np.log(p), -np.log1p(-p)).min())
    form = _theorem_2(2, 100, epsilon)
    detail = f"K=2, T=100, ε={epsilon:g}: {form:.3g} against log 2; 999 predictions tried."
    return Evidence(measured=risk / form, limit=1.0, relation=">=", detail=detail)


def first_prediction_fraction(profile: str, seed: int, *, epsilon: float) -> Evidence:
    """The same by p (1 - p) <= 1/4, in fractions: the mean of the two risks is at least (log 4)/2."""
    worst = max(Fraction(i, 100) * (1 - Fraction(i, 100)) for i in range(1, 100))
    risk = -math.log(worst) / 2
    form = _theorem_2(2, 100, epsilon)
    return Evidence(measured=risk / form, limit=1.0, relation=">=", detail=f"p (1 - p) <= {worst}.")


def one_round(profile: str, seed: int, *, horizon: int) -> Evidence:
    """-T log(1 - 1/T) over log(KT), K = 2."""
    with np.errstate(divide="ignore"):
        left = float(-horizon * np.log1p(-1 / horizon))
    limit = math.log(2 * horizon) * (1 + EXACT)
    return Evidence(measured=left, limit=limit, relation=">=", detail=f"K = 2, T = {horizon}.")


def one_round_fraction(profile: str, seed: int, *, horizon: int) -> Evidence:
    """1 - K T (1 - 1/T)^T in fractions: positive when the inequality fails."""
    t = Fraction(horizon)
    gap = 1 - 2 * t * (1 - 1 / t) ** horizon
    return Evidence(measured=float(gap), limit=EXACT, relation=">=", detail=f"K = 2, T = {horizon}: {gap}.")


def last_term(profile: str, seed: int, *, printed: bool) -> Evidence:
    """The uniform cell's share of (31), sum of log(p/p_j*)/(T N') over the cells, over log(KT)/(KTM) or log(KT)/T.

    The truth is the lone label of one law against 49, the prediction the other hypothesis.
    """
    f, horizon = instances.one_against_many(50), 100
    k, m = f.shape
    channel = channels.clipping(f, np.ones(m), horizon)
    log = channel.log_density(f)
    share = float((channel.cells * (log[0] - log[1])).sum() / (horizon * channel.n_cells))
    limit = np.log(k * horizon) / (horizon * k * m if printed else horizon)
    detail = f"K=2, M=50, T=100: {share:.4g} nats a round against {limit:.4g}."
    return Evidence(measured=share / limit, limit=1 + EXACT, relation=">=", detail=detail)


def event_probability(profile: str, seed: int, *, complement: bool) -> Evidence:
    """Probability that all KT noises stay within c', or of the complement: the letter E stands for both."""
    draws, gamma = 4 * 100, math.log(100)
    inside = math.exp(draws * math.log1p(-math.exp(-(gamma + math.log(draws)))))
    value = 1 - inside if complement else inside
    detail = f"K=4, T=100, γ=log T: at least 1 - 1/T = {1 - math.exp(-gamma):.3g} inside."
    return Evidence(measured=value, limit=0.5, relation=">=", detail=detail)


def event_frequency(profile: str, seed: int, *, complement: bool) -> Evidence:
    """The same, counted over 2,000 arrays of noise: lower confidence limit."""
    noise = np.abs(stream(seed, "dl", "event").laplace(size=(2000, 400))).max(axis=1)
    inside = int((noise <= math.log(100) + math.log(400)).sum())
    count = 2000 - inside if complement else inside
    low = certify.clopper_pearson(count, 2000).low
    return Evidence(measured=low, limit=0.5, relation=">=", detail=f"{inside} of 2,000 arrays inside.")
