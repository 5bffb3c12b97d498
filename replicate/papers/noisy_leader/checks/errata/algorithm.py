"""Checks of the errata on the algorithm: its loop, the laws of its noises, its order of actions, its privacy."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
from scipy import integrate

from replicate import audit, certify, mechanisms
from replicate.claims import EXACT, Evidence
from replicate.papers.noisy_leader.checks.lemmas import Relation
from replicate.papers.noisy_leader.lemmas import selection_law
from replicate.profiles import with_more
from replicate.streams import stream
from replicate.validation import FloatArray


def draws(profile: str) -> int:
    """Number of draws of a sampled route."""
    return with_more({"quick": 200_000, "full": 400_000})[profile]


def outside_interval(hits: int, n: int, stated: float, detail: str) -> Evidence:
    """Distance of a stated probability from a frequency, over what the confidence interval allows on that side."""
    interval = certify.clopper_pearson(hits, n, false_alarm=certify.CLAIM_FALSE_ALARM)
    allowed = interval.high if stated > interval.estimate else interval.low
    ratio = (stated - interval.estimate) / (allowed - interval.estimate)
    detail = f"{detail}: stated {stated:.5g}, measured {interval} in {n:,} draws."
    return Evidence(measured=ratio, limit=1.0, relation=">=", detail=detail)


def selections_of_last(sums: FloatArray, *, scale: float, n: int, rng: np.random.Generator) -> int:
    """Count the selections of the last action in `n` draws from one vector of sums, Gumbel noise."""
    selected = mechanisms.report_noisy_max(np.tile(-sums, (n, 1)), noise="gumbel", scale=scale, rng=rng)
    return int((selected == len(sums) - 1).sum())


def epoch_count(profile: str, seed: int, *, form: str, relation: Relation = ">=") -> Evidence:
    """One and the number of horizons from 2 to 4096 whose number of epochs is not the number needed, in integers."""
    horizons = range(2, 4097)
    counts = [(t - 2).bit_length() + 1 if form == "printed" else t.bit_length() for t in horizons]
    wrong = [t for t, count in zip(horizons, counts, strict=True) if not 2 ** (count - 1) <= t < 2**count]
    detail = f"First: T = {wrong[:4]}." if wrong else "None."
    limit = 1.0 if relation == "<=" else 2.0
    return Evidence(measured=1.0 + len(wrong), limit=limit, relation=relation, detail=detail)


def epoch_loop(profile: str, seed: int, *, form: str) -> Evidence:
    """Number of T from 1 to 64 for which the loop stops before T, begins an epoch after it, or is undefined."""
    wrong = [t for t in range(1, 65) if not _covers(t, form)]
    return Evidence(measured=float(len(wrong)), limit=1.0, relation=">=", detail=f"Horizons {wrong[:6]}, ...")


def _covers(horizon: int, form: str) -> bool:
    """Return True if the loop's epochs hold the rounds up to the horizon and none of them begins after it."""
    try:
        epochs = math.ceil(math.log2(horizon - 1)) + 1 if form == "printed" else horizon.bit_length()
    except ValueError:
        return False
    return 2 ** (epochs - 1) <= horizon < 2**epochs


def _laplace_height(form: str, beta: float) -> float:
    """Density of Lap(beta) at zero."""
    return beta / 2 if form == "printed" else 1 / (2 * beta)


def laplace_density(profile: str, seed: int, *, form: str, relation: Relation = "<=") -> Evidence:
    """Distance from one of the integral of Lap(2)'s density."""
    beta = 2.0
    total = 2 * _laplace_height(form, beta) * integrate.quad(lambda x: np.exp(-x / beta), 0, 200)[0]
    detail = f"The density integrates to {total:.6g}."
    return Evidence(measured=abs(total - 1), limit=1e-9, relation=relation, detail=detail)


def laplace_draws(profile: str, seed: int, *, form: str) -> Evidence:
    """Frequency of |x| <= 0.1 among draws of Laplace(1/2), against the density."""
    beta, n = 0.5, draws(profile)
    x = stream(seed, "noisy_leader/slip/laplace").laplace(scale=beta, size=n)
    stated = 2 * _laplace_height(form, beta) * beta * -math.expm1(-0.1 / beta)
    return outside_interval(int((np.abs(x) <= 0.1).sum()), n, stated, "P(|x| <= 0.1), scale 1/2")


def gumbel_law(profile: str, seed: int, *, rate: float, relation: Relation = "<=") -> Evidence:
    """Distance of softmax(-rate epsilon G) from the law of Gumbel(2 / epsilon): K = 2, epsilon = 1, G = (0, 3).

    That law by quadrature of its definition. Printed is the rate 1. A distance counts as one machine epsilon at
    least.
    """

    def density(x: float) -> float:
        return float(np.exp(-x / 2 - np.exp(-x / 2)) / 2)

    exact = integrate.quad(lambda x: density(x + 3) * np.exp(-np.exp(-x / 2)), -30, 200)[0]
    softmax = 1 / (1 + np.exp(3 * rate))
    detail = f"P(second action) = {exact:.6f}, softmax {softmax:.6f}."
    distance = max(abs(exact - softmax), np.finfo(np.float64).eps)
    return Evidence(measured=float(distance), limit=1e-8, relation=relation, detail=detail)


def gumbel_draws(profile: str, seed: int, *, rate: float) -> Evidence:
    """Frequency of the worst of three actions under Gumbel(2 / epsilon), against softmax(-rate epsilon G)."""
    sums, n = np.array([0.0, 1.0, 3.0]), draws(profile)
    hits = selections_of_last(sums, scale=2.0, n=n, rng=stream(seed, "noisy_leader/slip/gumbel"))
    stated = float(mechanisms.softmax_pmf(-sums, scale=1 / rate)[2])
    return outside_interval(hits, n, stated, "P(third action), sums (0, 1, 3), ε = 1")


def softmax_privacy_loss(profile: str, seed: int, *, rate: float) -> Evidence:
    """Worst privacy loss of softmax(-rate epsilon G), found by search, over the epsilon of Gumbel(2 / epsilon)."""
    loss = audit.selection_privacy_loss(
        lambda sums: mechanisms.softmax_pmf(-sums, scale=1 / rate), n_actions=2, n_rounds=16, starts=200
    )
    detail = f"ε = 1, K = 2, 16 rounds: {loss:.4f}."
    return Evidence(measured=loss, limit=1 + EXACT, relation=">=", detail=detail)


def action_order(profile: str, seed: int, *, form: str) -> Evidence:
    """Smallest exact ratio of P(better) and P(worse) over settings; more than one contradicts the form.

    Printed is P(better) <= P(worse), corrected the reverse.
    """
    ratios = []
    for noise, mean, n in product(mechanisms.NOISES, (0.31, 0.5, 0.9), (1, 8, 64)):
        better, worse = selection_law([0.3, mean], rounds=n, noise=noise, scale=2.0)
        ratios.append(float(better / worse if form == "printed" else worse / better))
    detail = f"{len(ratios)} settings, K = 2, exact binomial laws."
    return Evidence(measured=min(ratios), limit=1 + EXACT, relation=">=", detail=detail)


def order_draws(profile: str, seed: int, *, form: str) -> Evidence:
    """Lower confidence limit of P(better), or of P(worse), K = 2, one epoch of 16 Bernoulli rounds, drawn.

    More than 1/2 contradicts the form: printed is P(better) <= P(worse), corrected the reverse.
    """
    n, rng = draws(profile), stream(seed, "noisy_leader/slip/order")
    sums = rng.binomial(16, [0.3, 0.6], size=(n, 2))
    selected = mechanisms.report_noisy_max(-sums, noise="laplace", scale=2.0, rng=rng)
    low = certify.clopper_pearson(int((selected == (0 if form == "printed" else 1)).sum()), n).low
    detail = f"Laplace noise, ε = 1: at least {low:.4f} of {n:,} selections."
    return Evidence(measured=low, limit=0.5, relation=">=", detail=detail)


def exponential_odds(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Factor by which one round can change the odds, over exp(epsilon), in rational arithmetic: K = 2.

    The action one loss behind has weight p = exp(-1 / scale) and is selected with probability p / 2.
    """
    root = Fraction(2)  # exp(epsilon / 2)
    weight = 1 / root**2 if calibration == "printed" else 1 / root
    odds = (1 - weight / 2) / (weight / 2)
    detail = f"exp(ε) = {root**2}, losses (0, 1) or (1, 0): odds change by the factor {odds}."
    return Evidence(measured=float(odds / root**2), limit=1 + EXACT, relation=">=", detail=detail)
