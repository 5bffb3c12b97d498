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
from replicate.papers.distribution_learning.algorithms.tuning import tune
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
    """Smallest ratio of ``printed`` noise, (8), or of that of Lemma 3's ``proof``, to the least, K = 2 to 64."""
    ratios = []
    for k, delta in ((k, d) for k in (2, 8, 64) for d in (1e-2, 1e-6)):
        exact = composition.laplace_scale(k, epsilon=1.0, delta=delta)
        printed = bounds.printed_unit_scale(n_hypotheses=k, epsilon=1.0, delta=delta)
        proof = 2 * math.sqrt(k * math.log(1 / delta)) + math.sqrt(k)
        ratios.append({"printed": printed, "proof": proof}[calibration] / exact)
    detail = f"From {min(ratios):.3g} to {max(ratios):.3g} times, ε=1."
    return Evidence(measured=min(ratios), limit=2.5, relation=">=", detail=detail)


def noise_of_eight_fraction(profile: str, seed: int, *, under_root: int) -> Evidence:
    """Epsilon over what Lemma 2 says of the noise (2 sqrt(`under_root` K L) + sqrt(K epsilon))/epsilon.

    In fractions, K = 2, epsilon = 1/2, L = ln(1/δ) = 9. `under_root` is 2 in (8) and 1 in the proof of Lemma 3,
    whose root is bounded from above.
    """
    root = {2: Fraction(6), 1: Fraction(42427, 10**4)}[under_root]
    assert root**2 >= under_root * 18
    each = Fraction(1, 2) / (2 * root + 1)
    spent = each**2 + 6 * each
    detail = f"Lemma 2: {float(spent):.4f} of 1/2."
    return Evidence(measured=float(Fraction(1, 2) / spent), limit=2.0, relation=">=", detail=detail)


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
    """Distinct laws in the class of (16), and labels that they need, over K.

    With K pairs as printed, with floor(K/2) corrected. Laws are distinct if a sixth of the gap lies between them.
    """
    k, gap = 8, 0.3
    f = instances.hadamard_class(int(pairs_over_k * k), gap)
    apart = np.abs(f[:, None] - f).sum(axis=-1) / 2 >= gap / 6
    size = sum(bool(apart[i, :i].all()) for i in range(len(f)))
    return Evidence.worst(
        Evidence(measured=number / k, limit=1 + EXACT, relation=">=", detail=f"K = {k}: {number} {name}.")
        for name, number in (("laws", size), ("labels", f.shape[1]))
    )


def pairs_of_columns(profile: str, seed: int, *, pairs_over_k: float) -> Evidence:
    """Distinct laws made of the pairs' columns, over K, the smallest ratio for K up to 15.

    K pairs as printed, floor(K/2) corrected. The matrix is built from ±1 in whole numbers by doubling, and its
    columns checked to be orthogonal; laws are in units of 1/(4N), at gap 1/2.
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
    return Evidence(measured=smallest, limit=1 + EXACT, relation=">=", detail="K = 2, 3, 8, 15.")


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
    k, horizon = 4, 100
    tuned = tune(scheme="pure", n_hypotheses=k, n_labels=8, horizon=horizon, epsilon=1.0)
    inside = math.exp(k * horizon * math.log1p(-math.exp(-tuned.shift / tuned.scale)))
    value = {"inside": inside, "outside": 1 - inside}[event]
    detail = f"K={k}, T={horizon}, γ=log T: inside {inside:.5g}; the proof has at least 1 - 1/T."
    return Evidence(measured=value, limit=1 - 1 / horizon, relation=">=", detail=detail)


def event_frequency(profile: str, seed: int, *, event: str) -> Evidence:
    """Lower confidence limit of the probability of `event_probability`, from 20,000 arrays of noise."""
    arrays, draws = 20_000, 400
    noise = stream(seed, "dl", "event").laplace(size=(arrays, draws))
    inside = int((np.abs(noise).max(axis=1) <= math.log(100) + math.log(draws)).sum())
    low = certify.clopper_pearson({"inside": inside, "outside": arrays - inside}[event], arrays).low
    return Evidence(measured=low, limit=0.98, relation=">=", detail=f"{inside:,} of {arrays:,} arrays inside.")
