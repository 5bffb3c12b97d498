"""Checks of upper bounds on risk and total variation, at one point of their ranges and on games.

Of Algorithms 1 and 2, of the baselines, and of one randomised bit per label. At a point risks are exact on two
coins, or bracketed in closed form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from replicate import certify
from replicate.claims.evidence import EXACT, Evidence, worst
from replicate.papers.distribution_learning import bounds, instances
from replicate.papers.distribution_learning.algorithms.schemes import divergence
from replicate.papers.distribution_learning.experiments import bits
from replicate.papers.distribution_learning.experiments import regret as experiments
from replicate.streams import stream
from replicate.validation import FloatArray

LONGEST = 300
"""Rounds that are followed on two coins at most."""
ALMOST = 0.5 - 1e-9
"""Gap that stands for 1/2, where two coins are disjoint."""

# Theorems 4, 5 and 6: risk and total variation under their bounds


def _bounded(row: dict[str, Any], part: str, uniform: float, constant: float, detail: str) -> Evidence:
    """Limits of expected risk or total variation in one setting against the bound; `part` begins column names.

    Here and below `uniform` is the share of rounds in which the even mixture of all hypotheses is predicted.
    """
    known = {"measured": row[f"{part}learned"], "opposite": row[f"{part}lower"]}
    limit, unit, mixture = row[f"{part}bound"], "distance" if part == "tv_" else "nats", row[f"{part}uniform"]
    return Evidence(**known, limit=constant * limit, unit=unit, detail=detail, uniform=mixture).mixed(uniform)


@worst
def upper_bound(
    profile: str, seed: int, *, scheme: str, quantity: str, constant: float, uniform: float
) -> Iterator[Evidence]:
    """Expected ``risk`` or averaged total variation (``tv``), its proved upper limit, against the explicit bound.

    Only settings count in which the uniform mixture exceeds the bound.
    """
    data, part = experiments.theorem_grid(scheme, profile, seed), "tv_" * (quantity == "tv")
    for row in data[data[f"{part}uniform"] > data[f"{part}bound"]].to_dict("records"):
        where = f"{row['instance']}, truth {row['truth']}, ε={row['epsilon']:g}, T={row['horizon']:.0e}"
        detail = f"Worst of {len(data)} settings: {where}."
        yield _bounded(row, part, uniform, constant, detail)


@cache
def _two_classes(n_hypotheses: int, n_labels: int) -> tuple[tuple[str, FloatArray], ...]:
    disjoint = np.repeat(np.eye(n_hypotheses) / 2, 2, axis=1)
    return ("Dirichlet", instances.dirichlet(n_hypotheses, n_labels)), ("disjoint laws", disjoint)


@worst
def _upper_bound_at(
    scheme: str, delta: float, limit: float, sizes: tuple[int, int], epsilon: float, horizon: int
) -> Iterator[Evidence]:
    """Proved upper limit of the expected risk of Algorithm 1 or 2, and of its distance, on two classes."""
    for name, f in _two_classes(*sizes):
        bracket = experiments.bracketed(experiments.public_scheme(f, scheme, epsilon, horizon, delta=delta), 0)
        risk, distance = float(bracket.upper.sum()), float(bracket.variation.sum()) / horizon
        yield Evidence(measured=risk, limit=limit * (1 + EXACT), detail=f"Risk on {name}.")
        known = math.sqrt(limit / (2 * horizon)) * (1 + EXACT)
        yield Evidence(measured=distance, limit=known, detail=f"Total variation on {name}.")


def theorem_5_at(n_hypotheses: int, epsilon: float, horizon: int, n_labels: int) -> Evidence:
    """Theorems 5 and 6 with their constants, corrected."""
    limit = bounds.theorem_5(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)
    return _upper_bound_at("pure", experiments.DELTA, limit, (n_hypotheses, n_labels), epsilon, horizon)


def theorem_4_at(n_hypotheses: int, epsilon: float, delta: float, horizon: int, n_labels: int) -> Evidence:
    """Theorem 4 with its constants, corrected."""
    limit = bounds.theorem_4(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon, delta=delta)
    return _upper_bound_at("approximate", delta, limit, (n_hypotheses, n_labels), epsilon, horizon)


@worst
def large_classes(profile: str, seed: int, *, constant: float, uniform: float) -> Iterator[Evidence]:
    """Expected risk against Theorems 4 and 5 for many K, M and small delta."""
    for row in experiments.large_classes(profile, seed).to_dict("records"):
        delta = "" if np.isnan(row["delta"]) else f", δ={row['delta']:g}"
        detail = f"Worst of 9: {row['scheme']}, K={row['n_hypotheses']}, M={row['n_labels']}{delta}."
        yield _bounded(row, "", uniform, constant, detail)


@worst
def adversarial_contexts(profile: str, seed: int, *, constant: float, uniform: float) -> Iterator[Evidence]:
    """Expected risk of Algorithm 2 on contexts in orders chosen against it, against Theorem 5."""
    for order in ("hardest first", "hardest last", "greedy"):
        for row in experiments.chosen_contexts(profile, seed, order).to_dict("records"):
            detail = f"Contexts: {order}; truth {row['truth']}, K=4, ε=1, T={row['horizon']:.0e}."
            yield _bounded(row, "", uniform, constant, detail)


@worst
def posterior(profile: str, seed: int, *, factor: float, learner: str) -> Iterator[Evidence]:
    """Risk of Algorithm 2, its proved lower limit, over that of Bayes' rule on its messages: at least `factor`.

    The learner is the ``posterior``, or ``weighted majority``: Algorithm 2 itself.
    """
    for row in experiments.posterior_risks(profile, seed).to_dict("records"):
        ends = ("lower", "upper") if learner == "posterior" else ("lower_2", "upper_2")
        least, ours = (row[end] for end in ends)
        detail = f"{row['instance']}, K=4, ε={row['epsilon']:g}, T=1e10: mean {row['mean']:.3g}, "
        detail += f"at most {ours:.3g}; "
        detail += f"Algorithm 2 {row['lower_2']:.3g} to {row['upper_2']:.3g}, response {row['response']:.3g}."
        known: dict[str, Any] = {"measured": row["lower_2"] / ours, "opposite": row["upper_2"] / least}
        yield Evidence(**known, limit=factor, relation=">=", unit="ratio of risks", detail=detail)


@worst
def sample_size(profile: str, seed: int, *, learner: str) -> Iterator[Evidence]:
    """Averaged total variation at T_alpha of a scheme, its proved upper limit, or of the ``uniform`` mixture.

    On a class of four, and on two coins that the uniform mixture misses by a little more than alpha.
    """
    alpha = 0.1
    coins, dirichlet = instances.close_pair(1.05 * alpha), instances.dirichlet(4, 8)
    for name, f in (("Dirichlet(0.3)", dirichlet), ("two coins", coins)):
        horizon = bounds.sample_size(n_hypotheses=len(f), epsilon=1.0, accuracy=alpha)
        order = horizon / (len(f) / alpha**4)
        value = uniform = experiments.uniform_losses(f, 0)[1]
        detail = f"{name}: T = {horizon:.3g} at α = {alpha}, K = {len(f)}, ε = 1: {order:.3g} times K/(ε²α⁴)."
        if learner != "uniform":
            shared = experiments.public_scheme(f, learner, 1.0, horizon)
            value = float(experiments.bracketed(shared, 0).variation.sum()) / horizon
        yield Evidence(measured=value, limit=alpha, detail=detail, uniform=uniform)


@worst
def median_boost(profile: str, seed: int, *, radius: float) -> Iterator[Evidence]:
    """Largest distance to the law of an estimate that the median trick may choose, over 9 alpha; its failures.

    Estimates on a line, just over half of them at 3 alpha, the others as far as the choice allows; and estimates
    at random places. `radius` is that of the neighbourhoods, in units of alpha.
    """
    rng, farthest = stream(seed, "dl", "median"), 0.0
    for m in (1, 3, 5, 11, 31):
        good = m // 2 + 1
        placed = [np.where(np.arange(m) < good, 3.0, 3.0 + radius)]
        placed += [np.append(rng.uniform(-3, 3, good), rng.uniform(-15, 15, m - good)) for _ in range(200)]
        for x in placed:
            near = (np.abs(x[:, None] - x) <= radius * (1 + EXACT)).sum(axis=1)
            farthest = max(farthest, float(np.abs(x[2 * near > m]).max()))
    detail = "Up to 31 estimates on a line; the farthest that can be chosen."
    yield Evidence(measured=farthest / 9, limit=1 + EXACT, detail=detail)
    yield from map(median_failure_at, (1, 10, 101, 1001))


def median_failure_at(batches: int) -> Evidence:
    """Probability that the median trick fails over e^(-m/18)."""
    ratio = bounds.median_failure(batches=batches) / math.exp(-batches / 18)
    return Evidence(measured=ratio, limit=1.0, detail=f"Probability of failure with {batches} batches.")


@worst
def tight_on_coins(profile: str, seed: int, *, constant: float, gap: str) -> Iterator[Evidence]:
    """Averaged total variation of Algorithm 2, a lower confidence limit, against Theorem 6, T = 10^8 to 10^16.

    The `gap` between the coins is ``shrinking`` with T, or ``fixed``.
    """
    data, samples = experiments.close_coins(profile, seed, gaps=gap)
    alarm = certify.share(len(data))
    slope = np.polyfit(np.log(data["horizon"]), np.log(samples.mean(axis=0)), 1)[0]
    for horizon, wide, sample in zip(data["horizon"], data["gap"], samples.T, strict=True):
        limit = constant * bounds.theorem_6(n_hypotheses=2, horizon=int(horizon), epsilon=1.0)
        detail = f"K = 2, ε = 1, T={horizon:.0e}; slope of the means in T from 10^8 to 10^16: {slope:.3f}."
        high = certify.betting_upper(sample.clip(0, 2 * wide), low=0, high=2 * wide, false_alarm=alarm)
        low = experiments.risk_lower(sample, false_alarm=alarm)
        known: dict[str, Any] = {"measured": low, "opposite": float(high), "estimate": float(sample.mean())}
        yield Evidence(**known, limit=limit, relation=">=", unit="distance", detail=detail)


# What is inside O( ), and step for step from online to batch


def rates_at(
    n_hypotheses: int, epsilon: float, horizon: int, *, constant: float = 12.0, exponent: float = 5.0
) -> Evidence:
    """Theorem 5 over the form of Theorem 2, for epsilon up to 1, with log(KT)^exponent."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "horizon": horizon, "epsilon": epsilon}
    detail = f"Largest: K={n_hypotheses:.3g}, T={horizon:.3g}, ε={epsilon}."
    return Evidence(measured=bounds.theorem_2_constant(**setting, power=exponent), limit=constant, detail=detail)


def rates(profile: str, seed: int, *, constant: float, power: float) -> Evidence:
    """The same on a grid."""
    grid = product(range(1, 31, 3), (1.0, 0.1, 0.01), range(1, 60, 3))
    pieces = (rates_at(2**a, e, 2**b, constant=constant, exponent=power) for a, e, b in grid)
    return replace(Evidence.worst(pieces), pieces=())


def theorem_4_form_at(
    n_hypotheses: int, epsilon: float, delta: float, horizon: int, *, constant: float = 14.7
) -> Evidence:
    """Theorem 4, every constant written out and corrected, over what it prints inside O( )."""
    setting: dict[str, Any] = {
        "n_hypotheses": n_hypotheses,
        "epsilon": epsilon,
        "delta": delta,
        "horizon": horizon,
    }
    return _over_form(bounds.theorem_4, bounds.theorem_4_form, constant, setting)


def theorem_5_form_at(n_hypotheses: int, epsilon: float, horizon: int, *, factor: float = 5.2) -> Evidence:
    """The same for Theorem 5."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "epsilon": epsilon, "horizon": horizon}
    return _over_form(bounds.theorem_5, bounds.theorem_5_form, factor, setting)


def _over_form(
    stated: Callable[..., float], form: Callable[..., float], constant: float, setting: dict[str, Any]
) -> Evidence:
    detail = f"Largest: K={setting['n_hypotheses']}, T={setting['horizon']:.3g}, ε={setting['epsilon']:g}."
    return Evidence(measured=stated(**setting) / form(**setting), limit=constant, detail=detail)


def printed_forms(profile: str, seed: int, *, scheme: str, constant: float) -> Evidence:
    """Largest ratio of Theorem 4 or 5 to what it prints inside O( )."""
    cases = []
    for k, t, epsilon in product((2, 3, 16, 2**20), (2, 3, 100, 10**6, 2**58), (1e-6, 1e-2, 1.0, 50.0)):
        if scheme == "pure":
            cases.append(theorem_5_form_at(k, epsilon, t, factor=constant))
        else:
            deltas = (1e-100, 1e-6, 0.5)
            cases += [theorem_4_form_at(k, epsilon, d, t, constant=constant) for d in deltas]
    return replace(Evidence.worst(cases), pieces=())


def sample_size_at(n_hypotheses: int, epsilon: float, alpha: float) -> Evidence:
    """Theorem 6 at T_alpha."""
    horizon = bounds.sample_size(n_hypotheses=n_hypotheses, epsilon=epsilon, accuracy=alpha)
    limit = bounds.theorem_6(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)
    return Evidence(measured=limit, limit=alpha * (1 + EXACT), detail=f"Theorem 6 at T={horizon:.3g}.")


# Baselines


@worst
def response(profile: str, seed: int, *, constant: float, learner: str) -> Iterator[Evidence]:
    """Risk of ``randomized_response``, or of the ``uniform`` mixture, against the bound of the former, over M.

    The gap of the class is near the smallest that randomised response resolves. A mixture's divergence from the
    truth is at most that of the other law, by convexity: times T, the range of the confidence limit.
    """
    horizon = 10**10
    for m in (2, 8, 64, 1000):
        f = experiments.response_pair(m)
        uniform = horizon * experiments.uniform_losses(f, 0)[0]
        known: dict[str, Any] = {"measured": uniform}
        if learner != "uniform":
            run = experiments.response_run(m, profile, seed, learner)
            largest = horizon * float(divergence(f[0], f[1]))
            final, rate = np.clip(run.final, 0, largest), certify.share(4)
            upper = float(certify.betting_upper(final, low=0, high=largest, false_alarm=rate))
            known = {"measured": upper, "opposite": experiments.risk_lower(final, false_alarm=rate)}
            known |= {"estimate": float(final.mean())}
        detail = f"Hadamard pair on M={m} labels, a={4 * f[1, f[0] == 0].sum():.2g}, ε=1, T={horizon:.0e}."
        limit = constant * bounds.randomized_response(n_hypotheses=2, n_labels=m, horizon=horizon, epsilon=1.0)
        yield Evidence(**known, limit=limit, unit="nats", detail=detail, uniform=uniform)


@worst
def response_at(n_hypotheses: int, n_labels: int, epsilon: float, horizon: int) -> Iterator[Evidence]:
    """Randomised response: its first prediction, and on two coins, where it is one bit, all of them, exactly."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "n_labels": n_labels, "epsilon": epsilon}
    distance, apart = bounds.randomized_response_tv(**setting, horizon=horizon), min(n_hypotheses, n_labels)
    pieces = [((1 - 1 / apart) / horizon, distance, "The first prediction's distance.")]
    pieces += [
        (math.log(apart), bounds.randomized_response(**setting, horizon=horizon), "The first prediction's risk.")
    ]
    if n_hypotheses == n_labels == 2:
        squares = bits.coins_distance(0.1, min(horizon, LONGEST), epsilon)
        pieces += [(squares, horizon * distance**2, "Two coins, sum of squares.")]
    for measured, limit, detail in pieces:
        yield Evidence(measured=measured, limit=limit * (1 + EXACT), detail=detail)


@worst
def growth_in_labels(profile: str, seed: int, *, learner: str) -> Iterator[Evidence]:
    """Exponent with which a learner's risk grows in M, the same problem written with more labels: at least 1.

    The risk of Algorithms 1 and 2 must not grow: exponent at most 0.05. From the fewest labels to the most. For
    these two it follows from the proved limits, for randomised response from confidence limits.
    """
    for name in dict.fromkeys((learner, "pure", "approximate")):
        (fewest, few), (most, many) = experiments.risk_in_labels(profile, seed, name)
        scale = math.log(most / fewest)
        least, largest = math.log(many[0] / few[1]) / scale, math.log(many[1] / few[0]) / scale
        ranges = f"{few[0]:.3g} to {few[1]:.3g}, then {many[0]:.3g} to {many[1]:.3g}"
        detail = f"{name}, M={fewest} to {most}: {ranges}; T=1e10, K=4, ε=1."
        if name == learner:
            yield Evidence(measured=least, limit=1.0, relation=">=", detail=detail)
        else:
            yield Evidence(measured=1 + largest, limit=1.05, detail=f"1 + exponent. {detail}")


def non_private_at(gap: float, horizon: int) -> Evidence:
    """Exact risk of the mixture on two coins against log 2."""
    risk = experiments.coins_mixture_risk(min(gap, ALMOST), horizon)
    return Evidence(measured=risk, limit=math.log(2) * (1 + EXACT), detail="Exact risk.")


@worst
def non_private(profile: str, seed: int, *, constant: float, learner: str) -> Iterator[Evidence]:
    """Risk on two coins against log K: of the ``non_private`` mixture exactly, else a lower confidence limit."""
    for gap, horizon in ((gap, t) for gap in (0.01, 0.1, 0.4) for t in (10, 1000, 10**5)):
        risk = experiments.coins_mixture_risk(gap, horizon)
        if learner != "non_private":
            options = {"scheme": learner, "horizon": horizon, "epsilon": 0.3}
            run = experiments.play(instances.close_pair(gap), profile, seed, "non-private", gap, **options)
            risk = experiments.risk_lower(run.final, false_alarm=certify.share(9))
        detail = f"Two coins, gap {gap}, T={horizon}."
        yield Evidence(measured=risk, limit=constant * float(np.log(2)), detail=detail)


# One randomised bit per label


@worst
def bits_bound(profile: str, seed: int, *, quantity: str, constant: float, uniform: float) -> Iterator[Evidence]:
    """Risk, or averaged total variation (``tv``), of one randomised bit per label: upper limit against bound.

    Only classes count on which the uniform mixture breaks the bound.
    """
    data = bits.rates(profile, seed)
    for row in data[data[f"{quantity}_uniform"] > data[f"{quantity}_bound"]].to_dict("records"):
        detail = f"{row['instance']}, K={row['n_hypotheses']}, ε={row['epsilon']:g}, T={row['horizon']:.0e}."
        if not math.isnan(row[f"{quantity}_learned"]):
            yield _bounded(row, f"{quantity}_", uniform, constant, detail)


@worst
def bits_tv_at(n_hypotheses: int, epsilon: float, horizon: int) -> Iterator[Evidence]:
    """DL-R1c: the first prediction costs at most 1 - 1/K; on two coins all of them exactly, at three gaps."""
    limit = bounds.bits_tv(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)
    detail = "The first prediction, on disjoint laws, alone."
    yield Evidence(measured=(1 - 1 / n_hypotheses) / horizon, limit=limit, detail=detail)
    for gap in (0.01, 0.1, 0.49) if n_hypotheses == 2 else ():
        yield coins_at(epsilon, gap, min(horizon, LONGEST))


def bits_risk_at(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """DL-R1k: at least the risk of the first prediction, log K on disjoint laws."""
    limit = bounds.bits_risk(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)
    detail = "The first prediction, on disjoint laws, alone."
    return Evidence(measured=math.log(n_hypotheses), limit=limit, detail=detail)


def coins_at(epsilon: float, gap: float, horizon: int, *, factor: float = 1.0) -> Evidence:
    """DL-R1x: exact sum of E TV^2 over the rounds on two coins, against `factor` times log K/(2 tanh^2)."""
    most = factor * math.log(2) / (2 * math.tanh(epsilon / 2) ** 2)
    value, mixture = bits.coins_distance(min(gap, ALMOST), horizon, epsilon), horizon * gap**2
    detail = f"Two coins, gap {gap:.3g}, ε={epsilon:g}, T={horizon:,}."
    return Evidence(measured=value, limit=most, detail=detail, uniform=mixture)


@worst
def exact_bits(profile: str, seed: int, *, constant: float, uniform: float) -> Iterator[Evidence]:
    """The same at gaps of 2 to 8 times what T bits resolve."""
    horizon = {"quick": 400, "full": 2000, "huge": 2000}[profile]
    for epsilon, times in product((0.3, 1.0, 3.0), (2.0, 4.0, 8.0)):
        gap = min(times / (2 * math.sqrt(horizon) * math.tanh(epsilon / 2)), 0.49)
        yield coins_at(epsilon, gap, horizon, factor=constant).mixed(uniform)


def few_samples_at(n_hypotheses: int, epsilon: float, alpha: float) -> Evidence:
    """DL-R1c at the T_alpha of DL-TAc."""
    horizon = bounds.bits_sample_size(n_hypotheses=n_hypotheses, epsilon=epsilon, accuracy=alpha)
    distance = bounds.bits_tv(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)
    return Evidence(measured=distance, limit=alpha * (1 + EXACT), detail=f"DL-R1c at T={horizon:.3g}.")


@worst
def few_samples(profile: str, seed: int, *, share: float) -> Iterator[Evidence]:
    """Averaged total variation of one bit per label at a share of the T_alpha of `bounds.bits_sample_size`.

    At alpha = 0.1. Exact, in root mean square over rounds, on two coins that the uniform mixture misses by more.
    """
    for epsilon, times in product((0.5, 1.0, 3.0), (1.05, 1.2)):
        horizon = round(share * bounds.bits_sample_size(n_hypotheses=2, epsilon=epsilon, accuracy=0.1))
        value = math.sqrt(bits.coins_distance(0.1 * times, horizon, epsilon) / horizon)
        detail = f"Two coins, {2 * times * 0.1:.3g} apart, ε={epsilon:g}, T={horizon}."
        yield Evidence(measured=value, limit=0.1, detail=detail, uniform=0.1 * times)
