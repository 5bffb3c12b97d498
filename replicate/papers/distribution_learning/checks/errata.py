"""Checks of errata: second routes to each, where the first is a check of a claim.

A route holds on the printed statement when that fails, and must not hold on the corrected one. Routes called
symbolic compute in fractions and whole numbers.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from replicate import certify
from replicate.claims import EXACT, Evidence
from replicate.mechanisms import composition
from replicate.papers.distribution_learning import bounds, instances
from replicate.papers.distribution_learning.algorithms import channels
from replicate.streams import stream


def n_cells_fraction(profile: str, seed: int, *, limit: str) -> Evidence:
    """N' of f_1 = (1/2, 1/2, 0), f_2 = (0, 0, 1) in fractions, over ``KM``, or over ``(K+1)M-K``."""
    f = [[Fraction(1, 2), Fraction(1, 2), Fraction(0)], [Fraction(0), Fraction(0), Fraction(1)]]
    k, m = 2, 3
    n_cells = sum(math.ceil(m * max(row[y] for row in f)) for y in range(m))
    most = {"KM": k * m, "(K+1)M-K": (k + 1) * m - k}[limit]
    detail = f"N' = {n_cells} against {most}."
    return Evidence(measured=n_cells / most, limit=1 + EXACT, relation=">=", detail=detail)


def noise_of_eight(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Smallest ratio of ``printed`` noise, (8), or of ``tight`` noise to the exact requirement, K = 2 to 64."""
    ratios = []
    for k, delta in ((k, d) for k in (2, 8, 64) for d in (1e-2, 1e-6)):
        exact = composition.laplace_scale(k, epsilon=1.0, delta=delta)
        printed = bounds.printed_unit_scale(n_hypotheses=k, epsilon=1.0, delta=delta)
        ratios.append({"printed": printed, "tight": exact}[calibration] / exact)
    detail = f"From {min(ratios):.3g} to {max(ratios):.3g} times, ε=1."
    return Evidence(measured=min(ratios), limit=2.5, relation=">=", detail=detail)


def noise_of_eight_fraction(profile: str, seed: int, *, under_root: int) -> Evidence:
    """Square of the factor 2 sqrt(`under_root`) of sqrt(K ln(1/δ)) over that of the proof of Lemma 3, which is 2.

    `under_root` is 2 in (8) and 1 in the proof.
    """
    square = Fraction(2) ** 2 * under_root
    return Evidence(measured=float(square / 4), limit=2.0, relation=">=", detail="(2√2)² against 2².")


def step_c_fraction(profile: str, seed: int, *, factor: int) -> Evidence:
    """Spread of a symbol over 21 labels, one of them 20 times likelier, in fractions, over the factor claimed.

    Ratio 20 is ε = log 20; `factor` is min{19², 1} = 1 as printed, min{19², 2} = 2 corrected.
    """
    column = [Fraction(20)] + [Fraction(1)] * 20
    n = len(column)
    square = sum(q * q for q in column) / n
    spread = 2 * (square - (sum(column) / n) ** 2) / square
    detail = f"2 Var/mean square = {spread}."
    return Evidence(measured=float(spread / factor), limit=1 + EXACT, relation=">=", detail=detail)


def log_step(profile: str, seed: int, *, domain: float) -> Evidence:
    """Smallest x at which (22)(a) uses x - x² <= log(1 + x), against the lower end of the `domain` stated for it.

    The lower end is 0 as printed, -1/2 corrected. Randomised response on the Hadamard class, x the relative
    change of a symbol's probability within a pair.
    """
    f = instances.hadamard_class(4, 0.5)
    released = f @ channels.randomized_response(np.ones(8), 1.0).law(np.eye(8))
    change = float((released[1::2] / released[::2] - 1).min())
    detail = f"Smallest x = {change:.4g}; the inequality holds from x = -0.68 on."
    return Evidence(measured=-change, limit=EXACT - domain, relation=">=", detail=detail)


def log_step_fraction(profile: str, seed: int, *, domain: float) -> Evidence:
    """`log_step` for a pair on two labels seen through a coin that errs with probability 1/4, in fractions."""
    gap, keep = Fraction(1, 2), Fraction(3, 4)
    before = keep
    after = (1 - gap / 2) * keep + gap / 2 * (1 - keep)
    change = after / before - 1
    # x - x² <= log(1 + x) at x = -1/2 says log 2 <= 3/4, that is 16 <= e³; e > 2718/1000.
    assert Fraction(2718, 1000) ** 3 > 16
    return Evidence(measured=float(-change), limit=EXACT - domain, relation=">=", detail=f"x = {change}.")


def hypotheses_in_class(profile: str, seed: int, *, pairs_over_k: float) -> Evidence:
    """Distinct laws in the class of (16), over K; with K pairs as printed, with floor(K/2) corrected."""
    k = 8
    f = instances.hadamard_class(int(pairs_over_k * k), 0.3)
    size = len(np.unique(f, axis=0))
    detail = f"K = {k}: {size} laws on {f.shape[1]} labels."
    return Evidence(measured=size / k, limit=1 + EXACT, relation=">=", detail=detail)


def pairs_of_columns(profile: str, seed: int, *, pairs_over_k: float) -> Evidence:
    """Twice the number of columns other than the constant one that the pairs need, over K, for K up to 15.

    K pairs as printed, floor(K/2) corrected. The matrix is built from ±1 in whole numbers by doubling, and its
    columns checked to be orthogonal.
    """
    smallest = math.inf
    for k in (2, 3, 8, 15):
        pairs = int(pairs_over_k * k)
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
    detail = f"K=4 pairs, T=1e12, ε={epsilon:g}: {form:.3g} by that form, {given:.3g} proved."
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
    """`first_prediction` by p (1 - p) <= 1/4, in fractions: the mean of the two risks is at least (log 4)/2."""
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


def last_term(profile: str, seed: int, *, denominator: str) -> Evidence:
    """The uniform cell's share of (31), sum of log(p/p_j*)/(T N') over the cells, over log(KT)/`denominator`.

    The denominator is ``KTM`` as printed, ``T`` corrected. The truth is the lone label of one law against 49,
    the prediction the other hypothesis.
    """
    f, horizon = instances.one_against_many(50), 100
    k, m = f.shape
    channel = channels.clipping(f, np.ones(m), horizon)
    log = channel.log_density(f)
    share = float((channel.cells * (log[0] - log[1])).sum() / (horizon * channel.n_cells))
    limit = np.log(k * horizon) / {"KTM": horizon * k * m, "T": horizon}[denominator]
    detail = f"K=2, M=50, T=100: {share:.4g} nats a round against {limit:.4g}."
    return Evidence(measured=share / limit, limit=1 + EXACT, relation=">=", detail=detail)


def event_probability(profile: str, seed: int, *, event: str) -> Evidence:
    """Probability that all KT noises stay ``inside`` c', or that one is ``outside``: the letter E stands for both."""
    draws, gamma = 4 * 100, math.log(100)
    inside = math.exp(draws * math.log1p(-math.exp(-(gamma + math.log(draws)))))
    value = {"inside": inside, "outside": 1 - inside}[event]
    detail = f"K=4, T=100, γ=log T: at least 1 - 1/T = {1 - math.exp(-gamma):.3g} inside."
    return Evidence(measured=value, limit=0.5, relation=">=", detail=detail)


def event_frequency(profile: str, seed: int, *, event: str) -> Evidence:
    """Lower confidence limit of the probability of `event_probability`, from 2,000 arrays of noise."""
    noise = np.abs(stream(seed, "dl", "event").laplace(size=(2000, 400))).max(axis=1)
    inside = int((noise <= math.log(100) + math.log(400)).sum())
    low = certify.clopper_pearson({"inside": inside, "outside": 2000 - inside}[event], 2000).low
    return Evidence(measured=low, limit=0.5, relation=">=", detail=f"{inside} of 2,000 arrays inside.")
