"""What is measured for each slip. The same code, given the corrected version, is the route's control."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike
from scipy import integrate

from replicate import audit, certify, mechanisms
from replicate.claims import Check, Evidence
from replicate.papers.noisy_leader import algorithms, bounds
from replicate.papers.noisy_leader.lemmas import selection_law
from replicate.streams import stream
from replicate.validation import FloatArray, IntArray

__all__ = [
    "action_order",
    "contradicted",
    "correlated_actions",
    "correlated_draws",
    "epoch_count",
    "epoch_index",
    "epoch_loop",
    "exponential_odds",
    "geometric_sum",
    "gumbel_draws",
    "gumbel_leak",
    "gumbel_tail_draws",
    "gumbel_tail_law",
    "integral_series",
    "integrand",
    "integrand_against_a_learner",
    "laplace_draws",
    "last_step",
    "order_draws",
    "swapped_sign",
    "swapped_sign_draws",
]

SLACK = 1e-9
"""Relative slack for comparisons of exact computations."""


def contradicted(check: Check) -> Check:
    """Turn a check of a statement, measured <= limit, into a check that the statement fails."""

    def fails(profile: str, seed: int) -> Evidence:
        e = check(profile, seed)
        return Evidence(measured=e.measured, limit=e.limit, relation=">=", detail=e.detail)

    return fails


def _apart(hits: int, draws: int, stated: float, detail: str) -> Evidence:
    """Distance of a stated probability from the confidence interval of a frequency, over the interval's width."""
    interval = certify.clopper_pearson(hits, draws, false_alarm=certify.CLAIM_FALSE_ALARM)
    outside = max(interval.low - stated, stated - interval.high)
    detail = f"{detail}: stated {stated:.5g}, measured {interval} in {draws:,} draws."
    return Evidence(measured=outside / (interval.high - interval.low), limit=0.0, relation=">=", detail=detail)


def _draws(profile: str) -> int:
    return 200_000 if profile == "quick" else 2_000_000


def _selected(sums: FloatArray, *, noise: str, scale: float, draws: int, rng: np.random.Generator) -> IntArray:
    """Draw `draws` selections from one vector of sums with the learner's own noise."""
    return mechanisms.report_noisy_max(np.tile(-sums, (draws, 1)), noise=noise, scale=scale, rng=rng)


# Algorithm 1, the loop


def _printed_epochs(horizon: int) -> int:
    return math.ceil(math.log2(horizon - 1)) + 1


def epoch_count(profile: str, seed: int, *, printed: bool) -> Evidence:
    """Count horizons up to 4096 whose number of epochs is not the number needed, in integers."""
    horizons = range(2, 4097)
    counts = [(t - 2).bit_length() + 1 if printed else t.bit_length() for t in horizons]
    wrong = [t for t, count in zip(horizons, counts, strict=True) if not 2 ** (count - 1) <= t < 2**count]
    detail = f"First: T = {wrong[:4]}." if wrong else "None."
    return Evidence(measured=float(len(wrong)), limit=1.0, relation=">=", detail=detail)


def epoch_loop(profile: str, seed: int, *, epochs: Callable[[int], int] | None) -> Evidence:
    """Run the loop for T = 1, ..., 64; count the T where it stops before T, goes on after it, or is undefined."""
    rule = epochs or _printed_epochs

    def plays(horizon: int) -> list[int]:
        """First rounds of the loop's epochs, and the round after its last."""
        return [2 ** (r - 1) for r in range(1, rule(horizon) + 2)]

    def wrong(horizon: int) -> bool:
        try:
            starts = plays(horizon)
        except ValueError:
            return True
        return starts[-1] <= horizon or (len(starts) > 1 and starts[-2] > horizon)

    bad = [t for t in range(1, 65) if wrong(t)]
    return Evidence(measured=float(len(bad)), limit=1.0, relation=">=", detail=f"Horizons {bad[:6]}, ...")


# Section 1.2, the Laplace density


def laplace_draws(profile: str, seed: int, *, height: Callable[[float], float]) -> Evidence:
    """Frequency of |x| <= 0.1 among draws of Laplace(1/2), against a density of the given height at zero."""
    beta, draws = 0.5, _draws(profile)
    x = stream(seed, "noisy_leader/slip/laplace").laplace(scale=beta, size=draws)
    stated = 2 * height(beta) * beta * -math.expm1(-0.1 / beta)
    return _apart(int((np.abs(x) <= 0.1).sum()), draws, stated, "P(|x| <= 0.1), scale 1/2")


# Section 1.3 and the proof of Theorem 4, the law of Gumbel noise


def gumbel_draws(profile: str, seed: int, *, rate: float) -> Evidence:
    """Frequency of the middle of three actions under Gumbel(2 / epsilon), against softmax(-rate epsilon G)."""
    sums, draws = np.array([0.0, 1.0, 3.0]), _draws(profile)
    rng = stream(seed, "noisy_leader/slip/gumbel")
    hits = int((_selected(sums, noise="gumbel", scale=2.0, draws=draws, rng=rng) == 1).sum())
    stated = float(mechanisms.softmax_pmf(-sums, scale=1 / rate)[1])
    return _apart(hits, draws, stated, "P(second action), sums (0, 1, 3), ε = 1")


def gumbel_leak(profile: str, seed: int, *, rate: float) -> Evidence:
    """Worst privacy loss of softmax(-rate epsilon G), found by search, over the epsilon of Gumbel(2 / epsilon)."""
    found = audit.selection_privacy_loss(
        lambda sums: mechanisms.softmax_pmf(-sums, scale=1 / rate), n_actions=2, n_rounds=16, starts=200
    )
    detail = f"ε = 1, K = 2, 16 rounds: {found:.4f}."
    return Evidence(measured=found, limit=1 + SLACK, relation=">=", detail=detail)


# Section 1.3, the order of the actions


def _order(law: ArrayLike, *, reverse: bool) -> float:
    better, worse = np.asarray(law)[:2]
    return float(better / worse) if reverse else float(worse / better)


def action_order(profile: str, seed: int, *, printed: bool) -> Evidence:
    """Smallest exact P(better) / P(worse) over settings; more than one contradicts the printed direction."""
    ratios = [
        _order(selection_law([0.3, mu], rounds=n, noise=noise, scale=2.0), reverse=printed)
        for noise in mechanisms.NOISES
        for mu in (0.31, 0.5, 0.9)
        for n in (1, 8, 64)
    ]
    detail = f"{len(ratios)} settings, K = 2, exact binomial laws."
    return Evidence(measured=min(ratios), limit=1 + SLACK, relation=">=", detail=detail)


def order_draws(profile: str, seed: int, *, printed: bool) -> Evidence:
    """Confidence limit of P(better) less P(worse), K = 2, one epoch of 16 Bernoulli rounds, drawn."""
    draws, rng = _draws(profile), stream(seed, "noisy_leader/slip/order")
    sums = rng.binomial(16, [0.3, 0.6], size=(draws, 2))
    selected = mechanisms.report_noisy_max(-sums, noise="laplace", scale=2.0, rng=rng)
    low = certify.clopper_pearson(int((selected == (0 if printed else 1)).sum()), draws).low
    detail = f"Laplace noise, ε = 1: at least {low:.4f} of {draws:,} selections."
    return Evidence(measured=low, limit=0.5, relation=">=", detail=detail)


# Section 2, exponential noise


def exponential_odds(profile: str, seed: int, *, printed: bool) -> Evidence:
    """Odds that one round can turn, over exp(epsilon), in rational arithmetic: one round, K = 2.

    The action one loss behind has weight p = exp(-1 / scale) and is selected with probability p / 2.
    """
    root = Fraction(2)  # exp(epsilon / 2)
    weight = 1 / root**2 if printed else 1 / root
    odds = (1 - weight / 2) / (weight / 2)
    detail = f"exp(ε) = {root**2}, losses (0, 1) or (1, 0): odds change by the factor {odds}."
    return Evidence(measured=float(odds / root**2), limit=1 + SLACK, relation=">=", detail=detail)


# Lemma 1, actions that depend on each other

_OUTCOMES = np.array([[0.0, 0, 1], [1, 1, 0], [1, 1, 1]])
_CHANCES = np.array([0.5, 0.45, 0.05])


def correlated_actions(profile: str, seed: int, *, correlated: bool) -> Evidence:
    """P(third action) / P(first) in one round whose third action is the worst, exact; independent marginals after.

    Losses (0, 0, 1), (1, 1, 0) or (1, 1, 1) with probability 0.5, 0.45 and 0.05: means 0.5, 0.5 and 0.55.
    """
    if correlated:
        law = _CHANCES @ mechanisms.report_noisy_max_pmf(-_OUTCOMES, noise="gumbel", scale=0.5)
    else:
        law = selection_law(_CHANCES @ _OUTCOMES, rounds=1, noise="gumbel", scale=0.5)
    detail = f"P = {np.round(law, 4).tolist()}, means {(_CHANCES @ _OUTCOMES).tolist()}."
    return Evidence(measured=float(law[2] / law[0]), limit=1 + SLACK, relation=">=", detail=detail)


def correlated_draws(profile: str, seed: int, *, correlated: bool) -> Evidence:
    """Lower confidence limit of P(third action), the worst of three, which Lemma 1 bounds by 1/3."""
    draws, rng = _draws(profile), stream(seed, "noisy_leader/slip/correlated")
    if correlated:
        losses = _OUTCOMES[rng.choice(3, p=_CHANCES, size=draws)]
    else:
        losses = (rng.random((draws, 3)) < _CHANCES @ _OUTCOMES).astype(np.float64)
    selected = mechanisms.report_noisy_max(-losses, noise="gumbel", scale=0.5, rng=rng)
    low = certify.clopper_pearson(int((selected == 2).sum()), draws).low
    detail = f"At least {low:.4f} of {draws:,} selections."
    return Evidence(measured=low, limit=1 / 3, relation=">=", detail=detail)


# Proof of Lemma 3, the integral


def integral_series(profile: str, seed: int, *, printed: bool) -> Evidence:
    """Claimed integral over the true one, a = (0, log 2), in rational arithmetic, rounded in the claim's favour.

    The true one is log(3/2) / log 2, and log(3/2) is the alternating series of 1 / (k 2**k), here from above;
    claimed is 2 log 2 / log 2, and log 2 is the same series with positive signs, here from below.
    """
    powers = [Fraction(1, k * 2**k) for k in range(1, 60)]
    above = sum((term if k % 2 else -term for k, term in enumerate(powers, 1)), Fraction(0))
    true = above + Fraction(1, 2**60)
    claimed = 2 * sum(powers, Fraction(0)) if printed else above - Fraction(1, 2**60)
    ratio = claimed / true
    return Evidence(measured=float(ratio), limit=1.0 + SLACK, relation=">=", detail="59 terms of each series.")


# Appendix C


def geometric_sum(profile: str, seed: int, *, stated: int) -> Evidence:
    """Partial sum of 2**-(l-1), l <= 60, over the value that Appendix C gives the whole series."""
    partial = sum((Fraction(1, 2 ** (level - 1)) for level in range(1, 61)), Fraction(0))
    ratio = float(partial / stated)
    return Evidence(measured=ratio, limit=1.0 + SLACK, relation=">=", detail=f"{float(partial):.6g} : {stated}.")


def epoch_index(profile: str, seed: int, *, logarithm: bool) -> Evidence:
    """Largest 2**(tau + 2) D over 8 c2 ln|H| / D, the step that takes the value of tau; base-2 logarithms.

    Without the base-2 logarithm in its definition tau is a number of rounds, not an epoch.
    """
    c2, worst = 16.0, -math.inf
    for size, gap in ((2, 0.5), (16, 0.1), (256, 0.01)):
        rounds = c2 * math.log(size) / gap**2
        tau = math.ceil(math.log2(rounds) if logarithm else rounds)
        shift = 1 if logarithm else 2  # corrected, the sum up to epoch tau is 2**tau, twice the gap D
        worst = max(worst, tau + shift + math.log2(gap) - math.log2(8 * c2 * math.log(size) / gap))
    detail = "Logarithm to base 2 of the left side over the right; at most 0 where the step is right."
    return Evidence(measured=worst, limit=SLACK, relation=">=", detail=detail)


# Appendix D, Gumbel noise

_TAIL = {"rounds": 4096, "gap": 0.1, "epsilon": 0.03}


def _tail_bound(printed: bool) -> float:
    n, gap, epsilon = _TAIL["rounds"], _TAIL["gap"], _TAIL["epsilon"]
    return math.exp(-n * gap * epsilon / (2 if printed else 4)) + math.exp(-n * gap**2 / 4)


def gumbel_tail_law(profile: str, seed: int, *, printed: bool) -> Evidence:
    """Exact P(J = 2) over the last display of Appendix D: means 0.45 and 0.55, epsilon = 0.03, 4096 rounds."""
    law = selection_law([0.45, 0.55], rounds=4096, noise="gumbel", scale=2 / _TAIL["epsilon"])
    detail = f"P = {law[1]:.5g}, bound {_tail_bound(printed):.5g}."
    return Evidence(measured=float(law[1]) / _tail_bound(printed), limit=1.0, relation=">=", detail=detail)


def gumbel_tail_draws(profile: str, seed: int, *, printed: bool) -> Evidence:
    """Lower confidence limit of the same probability from drawn epochs, over the display."""
    draws, rng = 8 * _draws(profile), stream(seed, "noisy_leader/slip/tail")
    sums = rng.binomial(int(_TAIL["rounds"]), [0.45, 0.55], size=(draws, 2))
    selected = mechanisms.report_noisy_max(-sums, noise="gumbel", scale=2 / _TAIL["epsilon"], rng=rng)
    low = certify.clopper_pearson(int(selected.sum()), draws).low
    detail = f"P at least {low:.5g} from {draws:,} epochs, bound {_tail_bound(printed):.5g}."
    return Evidence(measured=low / _tail_bound(printed), limit=1.0, relation=">=", detail=detail)


def swapped_sign(profile: str, seed: int, *, printed: bool) -> Evidence:
    """P(worse action), sums (0, 3), by the second display of the Gumbel proof over the law of its first.

    The second display has exp(-epsilon (-G)) in numerator and denominator.
    """
    sums = np.array([0.0, 3.0])
    stated = mechanisms.softmax_pmf(sums if printed else -sums, scale=1.0)[1]
    ratio = float(stated / mechanisms.softmax_pmf(-sums, scale=1.0)[1])
    detail = f"The display gives {stated:.4f}."
    return Evidence(measured=ratio, limit=1 + SLACK, relation=">=", detail=detail)


def swapped_sign_draws(profile: str, seed: int, *, printed: bool) -> Evidence:
    """What the second display gives the worse action, against draws of arg max -G + Gumbel(1 / epsilon)."""
    sums, draws = np.array([0.0, 3.0]), _draws(profile)
    rng = stream(seed, "noisy_leader/slip/sign")
    hits = int(_selected(sums, noise="gumbel", scale=1.0, draws=draws, rng=rng).sum())
    stated = float(mechanisms.softmax_pmf(sums if printed else -sums, scale=1.0)[1])
    return _apart(hits, draws, stated, "P(worse action), sums (0, 3), ε = 1")


# Appendix E, proof of Theorem 3


def integrand(profile: str, seed: int, *, factor: Callable[[int], int]) -> Evidence:
    """Distance of the last integral, by quadrature, from the closed form that it is said to be."""
    errors = []
    for k, epsilon, horizon in ((2, 1.0, 5), (16, 0.1, 40), (100, 0.5, 10)):

        def value(t: float, k: int = k, epsilon: float = epsilon) -> float:
            return factor(k) * (k - 1) / (math.exp(t * epsilon) + k - 1)

        closed = bounds.theorem_3(n_actions=k, epsilon=epsilon, horizon=horizon)
        errors.append(abs(integrate.quad(value, 1, horizon + 1)[0] / closed - 1))
    return Evidence(measured=max(errors), limit=1e-6, relation=">=", detail="K = 2, 16 and 100.")


def integrand_against_a_learner(profile: str, seed: int, *, factor: Callable[[int], int]) -> Evidence:
    """The last integral over the exact regret of an epsilon-DP learner; more than one would forbid the learner.

    Gumbel noise of scale 2 / epsilon, one action with loss 0 and the others with 1.
    """
    ratios = []
    for k, epsilon in ((16, 0.1), (256, 1.0)):
        means = (np.arange(k) > 0).astype(np.float64)
        regret = float(algorithms.exact_regret(means, epsilon=epsilon, horizon=2**30).final[0])
        ratios.append(factor(k) * bounds.theorem_3(n_actions=k, epsilon=epsilon, horizon=2**30) / regret)
    return Evidence(measured=max(ratios), limit=1 + SLACK, relation=">=", detail="K = 16 and 256, T = 2^30.")


def last_step(profile: str, seed: int, *, printed: bool) -> Evidence:
    """How far below zero the limit of the bound lies at epsilon = 2 ln K; the corrected one is ln K / epsilon."""
    k = 16
    epsilon = 2 * math.log(k)
    limit = bounds.theorem_3_limit(n_actions=k, epsilon=epsilon)
    if not printed:
        limit = bounds.theorem_3_integral(n_actions=k, epsilon=epsilon, horizon=2**30)
    detail = f"K = 16, ε = 2 ln K: the bound tends to {limit:.3g}."
    return Evidence(measured=-limit, limit=0.0, relation=">=", detail=detail)
