"""Checks of bounds on risk and total variation, at one point of their ranges and on games.

Upper bounds: of Algorithms 1 and 2, of the baselines, and of one randomised bit per label. At a point risks are
exact on two coins, or bracketed in closed form. Lower bounds: Theorem 3 and our own. A lower bound for all schemes
is held, at a point, against what some are proved to have at most on every class: the uniform mixture and one
randomised bit per label.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from replicate import certify
from replicate.claims.evidence import EXACT, Evidence, at_least, at_most, grid, over, worst
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
    measured, limit, opposite, mixture = (row[part + name] for name in ("learned", "bound", "lower", "uniform"))
    known = {"opposite": opposite, "unit": "distance" if part == "tv_" else "nats", "uniform": mixture}
    return at_most(measured, constant * limit, detail, **known).mixed(uniform)


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
    return ("Dirichlet", instances.dirichlet(n_hypotheses, n_labels)), ("disjoint distributions", disjoint)


@worst
def _upper_bound_at(
    scheme: str, delta: float, limit: float, sizes: tuple[int, int], epsilon: float, horizon: int
) -> Iterator[Evidence]:
    """Proved upper limit of the expected risk of Algorithm 1 or 2, and of its distance, on two classes."""
    for name, f in _two_classes(*sizes):
        bracket = experiments.bracketed(experiments.public_scheme(f, scheme, epsilon, horizon, delta=delta), 0)
        risk, distance = float(bracket.upper.sum()), float(bracket.variation.sum()) / horizon
        yield at_most(risk, limit * (1 + EXACT), f"Risk on {name}.")
        known = math.sqrt(limit / (2 * horizon)) * (1 + EXACT)
        yield at_most(distance, known, f"Total variation on {name}.")


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
        yield at_least(
            row["lower_2"] / ours, factor, detail, opposite=row["upper_2"] / least, unit="ratio of risks"
        )


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
        yield at_most(value, alpha, detail, uniform=uniform)


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
    yield at_most(farthest / 9, 1 + EXACT, "Up to 31 estimates on a line; the farthest that can be chosen.")
    yield from map(median_failure_at, (1, 10, 101, 1001))


def median_failure_at(batches: int) -> Evidence:
    """Probability that the median trick fails over e^(-m/18)."""
    ratio = bounds.median_failure(batches=batches) / math.exp(-batches / 18)
    return at_most(ratio, 1.0, f"Probability of failure with {batches} batches.")


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
        known: dict[str, Any] = {"opposite": float(high), "estimate": float(sample.mean()), "unit": "distance"}
        yield at_least(experiments.risk_lower(sample, false_alarm=alarm), limit, detail, **known)


# What is inside O( ), and step for step from online to batch


def rates_at(
    n_hypotheses: int, epsilon: float, horizon: int, *, constant: float = 12.0, power: float = 5.0
) -> Evidence:
    """Theorem 5 over the form of Theorem 2, for epsilon up to 1, with log(KT)^power."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "horizon": horizon, "epsilon": epsilon}
    detail = f"Largest: K={n_hypotheses:.3g}, T={horizon:.3g}, ε={epsilon}."
    return at_most(bounds.theorem_2_constant(**setting, power=power), constant, detail)


_SIZES = {"n_hypotheses": (2**a for a in range(1, 31, 3)), "horizon": [2**b for b in range(1, 60, 3)]}
rates = over(rates_at, *grid(**_SIZES, epsilon=(1.0, 0.1, 0.01)))


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
    return at_most(stated(**setting) / form(**setting), constant, detail)


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
    return at_most(limit, alpha * (1 + EXACT), f"Theorem 6 at T={horizon:.3g}.")


# Baselines


@worst
def response(profile: str, seed: int, *, constant: float, learner: str) -> Iterator[Evidence]:
    """Risk of ``randomized_response``, or of the ``uniform`` mixture, against the bound of the former, over M.

    The gap of the class is near the smallest that randomised response resolves. A mixture's divergence from the
    truth is at most that of the other distribution, by convexity: times T, the range of the confidence limit.
    """
    horizon = 10**10
    for m in (2, 8, 64, 1000):
        f = experiments.response_pair(m)
        uniform = horizon * experiments.uniform_losses(f, 0)[0]
        upper, known = uniform, dict[str, Any]()
        if learner != "uniform":
            run = experiments.response_run(m, profile, seed, learner)
            largest = horizon * float(divergence(f[0], f[1]))
            final, rate = np.clip(run.final, 0, largest), certify.share(4)
            upper = float(certify.betting_upper(final, low=0, high=largest, false_alarm=rate))
            lower = experiments.risk_lower(final, false_alarm=rate)
            known = {"opposite": lower, "estimate": float(final.mean())}
        detail = f"Hadamard pair on M={m} labels, a={4 * f[1, f[0] == 0].sum():.2g}, ε=1, T={horizon:.0e}."
        limit = constant * bounds.randomized_response(n_hypotheses=2, n_labels=m, horizon=horizon, epsilon=1.0)
        yield at_most(upper, limit, detail, **known, unit="nats", uniform=uniform)


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
        yield at_most(measured, limit * (1 + EXACT), detail)


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
            yield at_least(least, 1.0, detail)
        else:
            yield at_most(1 + largest, 1.05, f"1 + exponent. {detail}")


def non_private_at(gap: float, horizon: int) -> Evidence:
    """Exact risk of the mixture on two coins against log 2."""
    risk = experiments.coins_mixture_risk(min(gap, ALMOST), horizon)
    return at_most(risk, math.log(2) * (1 + EXACT), "Exact risk.")


@worst
def non_private(profile: str, seed: int, *, constant: float, learner: str) -> Iterator[Evidence]:
    """Risk on two coins against log K: of the ``non_private`` mixture exactly, else a lower confidence limit."""
    for gap, horizon in ((gap, t) for gap in (0.01, 0.1, 0.4) for t in (10, 1000, 10**5)):
        risk = experiments.coins_mixture_risk(gap, horizon)
        if learner != "non_private":
            options = {"scheme": learner, "horizon": horizon, "epsilon": 0.3}
            run = experiments.play(instances.close_pair(gap), profile, seed, "non-private", gap, **options)
            risk = experiments.risk_lower(run.final, false_alarm=certify.share(9))
        yield at_most(risk, constant * float(np.log(2)), f"Two coins, gap {gap}, T={horizon}.")


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
    yield at_most((1 - 1 / n_hypotheses) / horizon, limit, "The first prediction, on disjoint laws, alone.")
    for gap in (0.01, 0.1, 0.49) if n_hypotheses == 2 else ():
        yield coins_at(epsilon, gap, min(horizon, LONGEST))


def bits_risk_at(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """DL-R1k: at least the risk of the first prediction, log K on disjoint distributions."""
    limit = bounds.bits_risk(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)
    return at_most(math.log(n_hypotheses), limit, "The first prediction, on disjoint distributions, alone.")


def coins_at(epsilon: float, gap: float, horizon: int, *, factor: float = 1.0) -> Evidence:
    """DL-R1x: exact sum of E TV^2 over the rounds on two coins, against `factor` times log K/(2 tanh^2)."""
    most = factor * math.log(2) / (2 * math.tanh(epsilon / 2) ** 2)
    value, mixture = bits.coins_distance(min(gap, ALMOST), horizon, epsilon), horizon * gap**2
    return at_most(value, most, f"Two coins, gap {gap:.3g}, ε={epsilon:g}, T={horizon:,}.", uniform=mixture)


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
    return at_most(distance, alpha * (1 + EXACT), f"DL-R1c at T={horizon:.3g}.")


@worst
def few_samples(profile: str, seed: int, *, share: float) -> Iterator[Evidence]:
    """Averaged total variation of one bit per label at a share of the T_alpha of `bounds.bits_sample_size`.

    At alpha = 0.1. Exact, in root mean square over rounds, on two coins that the uniform mixture misses by more.
    """
    for epsilon, times in product((0.5, 1.0, 3.0), (1.05, 1.2)):
        horizon = round(share * bounds.bits_sample_size(n_hypotheses=2, epsilon=epsilon, accuracy=0.1))
        value = math.sqrt(bits.coins_distance(0.1 * times, horizon, epsilon) / horizon)
        detail = f"Two coins, {2 * times * 0.1:.3g} apart, ε={epsilon:g}, T={horizon}."
        yield at_most(value, 0.1, detail, uniform=0.1 * times)


# At a point: below known upper bounds


@worst
def _between(
    lower: Callable[..., float], upper: Callable[..., float], order: float = math.inf, **setting: Any
) -> Iterator[Evidence]:
    """A lower bound is at most an upper one, and, where an order is claimed, within `order` of it."""
    least, most = lower(**setting), upper(**setting)
    yield at_most(least, most * (1 + EXACT), "Lower bound over an upper one.")
    if order < math.inf:
        yield at_most(most, order * least * (1 + EXACT), "Upper bound over the lower one.")


def _known_risk(*, n_hypotheses: int, epsilon: float, horizon: int) -> float:
    """Risk that some scheme has at most on every class: the uniform mixture, or one bit per label."""
    uniform = horizon * math.log(n_hypotheses)
    return min(uniform, bounds.bits_risk(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon))


def _on_two_k(known: Callable[..., float]) -> Callable[..., float]:
    """An upper bound on the class of 2 K hypotheses that K pairs are."""
    return lambda n_pairs, **setting: known(n_hypotheses=2 * n_pairs, **setting)


def fano_at(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """DL-FANO: below DL-R1c, and with it within the stated factor, for K = 2^m - 1."""
    rho = 2 / 3 * (1 - math.log(2) / math.log(n_hypotheses))
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "epsilon": epsilon, "horizon": horizon}
    return _between(bounds.fano_tv, bounds.bits_tv, 4 * rho**-1.5 * math.cosh(epsilon / 2), **setting)


def interactive_at(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """DL-INTA: below DL-R1c, and with it within 70 times the root of log K."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "epsilon": epsilon, "horizon": horizon}
    return _between(bounds.interactive_tv, bounds.bits_tv, 70 * math.sqrt(math.log(n_hypotheses)), **setting)


def distance_lower_at(n_pairs: int, epsilon: float, horizon: int) -> Evidence:
    """DL-R1l on a class of 2 K distributions: below DL-R1c, and with it within 40 times the root of log(2 K)."""
    order, setting = 40 * math.sqrt(math.log(2 * n_pairs)), {"epsilon": epsilon, "horizon": horizon}
    return _between(bounds.tv_lower_bound, _on_two_k(bounds.bits_tv), order, n_pairs=n_pairs, **setting)


def fano_risk_at(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """DL-FANOk below what schemes have at most."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "epsilon": epsilon, "horizon": horizon}
    return _between(bounds.fano_risk, _known_risk, **setting)


def interactive_risk_at(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """DL-INTAk below what schemes have at most."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "epsilon": epsilon, "horizon": horizon}
    return _between(bounds.interactive_risk, _known_risk, **setting)


def theorem_3_at(n_pairs: int, epsilon: float, horizon: int) -> Evidence:
    """Theorem 3, 2 K hypotheses, below what schemes have at most."""
    return _between(bounds.theorem_3, _on_two_k(_known_risk), n_pairs=n_pairs, epsilon=epsilon, horizon=horizon)


@worst
def budgeted_at(n_pairs: int, epsilon: float, horizon: int) -> Iterator[Evidence]:
    """DL-LB below what schemes have at most, and for epsilon up to 1 above sqrt(KT)/(6.4 epsilon)."""
    setting: dict[str, Any] = {"n_pairs": n_pairs, "epsilon": epsilon, "horizon": horizon}
    yield _between(bounds.budgeted_lower_bound, _on_two_k(_known_risk), **setting)
    if epsilon <= 1:
        yield _short_form(n_pairs, n_pairs, epsilon, horizon, divisor=6.4)


def odd_class_at(n_hypotheses: int, epsilon: float, horizon: int) -> Evidence:
    """sqrt(KT)/(11 epsilon) from DL-LB on half as many pairs as there are hypotheses, rounded down."""
    return _short_form(n_hypotheses // 2, n_hypotheses, epsilon, horizon, divisor=11)


def few_labels_at(n_labels: int, epsilon: float, horizon: int) -> Evidence:
    """sqrt(MT)/(12 epsilon) from DL-LB on half as many pairs as there are labels, rounded down."""
    return _short_form(n_labels // 2, n_labels, epsilon, horizon, divisor=12)


def _short_form(n_pairs: int, size: int, epsilon: float, horizon: int, *, divisor: float) -> Evidence:
    """DL-LB at least sqrt(size T)/(divisor epsilon)."""
    known = bounds.budgeted_lower_bound(n_pairs=n_pairs, horizon=horizon, epsilon=epsilon)
    stated = math.sqrt(size * horizon) / (divisor * epsilon)
    return at_least(known, stated, "DL-LB over its short form.")


# The bounds on games


def _above(data: pd.DataFrame, learners: tuple[str, ...], limit: float, said: str) -> Iterator[Evidence]:
    """Lower confidence limits of what learners measure, against a lower bound."""
    for row in data[data["learner"].isin(learners)].to_dict("records"):
        yield at_least(row["lower"], limit, f"{row['learner']}, {said}.")


@worst
def lower_bound(profile: str, seed: int, *, constant: float, learners: tuple[str, ...]) -> Iterator[Evidence]:
    """Lower confidence limit of the risk on the Hadamard class against a T/132."""
    data = experiments.hadamard_risks(profile, seed)
    for (epsilon, horizon, limit), rows in data.groupby(["epsilon", "horizon", "theorem_3"]):
        yield from _above(rows, learners, constant * limit, f"4 pairs, ε={epsilon:g}, T={horizon:.0e}")


def theorem_1(profile: str, seed: int, *, horizon: int, epsilon: float) -> Evidence:
    """The form of Theorem 1, sqrt(KT)/(820 epsilon), over what some private scheme has at most on every class.

    K = 2; for small epsilon that is the uniform mixture, T log 2, for large epsilon `bounds.quantised_risk`.
    """
    form = math.sqrt(2 * horizon) / (820 * epsilon)
    best = min(horizon * math.log(2), bounds.quantised_risk(horizon=horizon, epsilon=epsilon))
    detail = f"K=2, T={horizon:.0e}, ε={epsilon:g}: {form:.4g} against at most {best:.4g} on every class."
    return at_least(form / best, 1 + EXACT, detail)


def budgeted(profile: str, seed: int, *, constant: float, learners: tuple[str, ...]) -> Evidence:
    """Mean risk over the Hadamard class with the larger gap, a lower confidence limit, against our lower bound."""
    settings = ((1.0, 4, 10**10), (0.1, 4, 10**12), (1.0, 15, 10**10))
    return _on_pairs(profile, seed, constant, learners, settings)


def odd_class(profile: str, seed: int, *, constant: float, learners: tuple[str, ...]) -> Evidence:
    """Mean risk on a class of size K, a lower confidence limit, against constant sqrt(KT)/epsilon.

    K is odd: half of the K hypotheses, or of the M = K labels, rounded down, are pairs; the rest may be anything.
    """
    settings = ((1.0, 1, 10**10), (1.0, 4, 10**10), (0.1, 4, 10**12))
    return _on_pairs(profile, seed, constant, learners, settings, few=True)


@worst
def _on_pairs(
    profile: str,
    seed: int,
    constant: float,
    learners: tuple[str, ...],
    settings: tuple[tuple[float, int, int], ...],
    few: bool = False,
) -> Iterator[Evidence]:
    """Mean risk on Hadamard classes against constant times our bound, or sqrt(MT)/epsilon, M = 2 K + 1."""
    for epsilon, pairs, horizon in settings:
        setting: dict[str, Any] = {"n_pairs": pairs, "horizon": horizon, "epsilon": epsilon}
        form = math.sqrt((2 * pairs + 1) * horizon) / epsilon if few else bounds.budgeted_lower_bound(**setting)
        data = bits.class_means("pairs", "risk", profile, seed, epsilon, horizon, pairs)
        yield from _above(
            data, learners, constant * form, f"{pairs} pair{'s' * (pairs != 1)}, ε={epsilon:g}, T={horizon:.0e}"
        )


@worst
def distance_lower(profile: str, seed: int, *, constant: float, learners: tuple[str, ...]) -> Iterator[Evidence]:
    """Mean averaged total variation over the Hadamard class, a lower confidence limit, against our lower bound."""
    settings = ((1.0, 4, 10**6), (0.1, 4, 10**8), (1.0, 7, 10**8))
    for epsilon, pairs, horizon in settings[: 2 if profile == "quick" else 3]:
        limit = bounds.tv_lower_bound(n_pairs=pairs, horizon=horizon, epsilon=epsilon)
        data = bits.class_means("pairs", "tv", profile, seed, epsilon, horizon, pairs)
        yield from _above(data, learners, constant * limit, f"{pairs} pairs, ε={epsilon:g}, T={horizon:.0e}")


@worst
def hadamard_lower(
    profile: str, seed: int, *, quantity: str, interaction: bool, constant: float, learners: tuple[str, ...]
) -> Iterator[Evidence]:
    """Mean ``risk``, or averaged total variation (``tv``), over a class: a lower limit against our lower bound.

    With `interaction` also exact, for ``greedy_bits``: each user tells what the learner would like to know most.
    """
    bound = {
        ("tv", False): bounds.fano_tv,
        ("risk", False): bounds.fano_risk,
        ("tv", True): bounds.interactive_tv,
        ("risk", True): bounds.interactive_risk,
    }[quantity, interaction]
    settings = ((1.0, 7, 10**6), (0.1, 15, 10**8), (3.0, 7, 10**6))
    kind = "interactive" if interaction else "signed"
    for epsilon, k, horizon in settings[: 1 if profile == "quick" else 3]:
        limit = constant * bound(n_hypotheses=k, horizon=horizon, epsilon=epsilon)
        data = bits.class_means(kind, quantity, profile, seed, epsilon, horizon, k)
        yield from _above(data, learners, limit, f"{k} distributions, ε={epsilon:g}, T={horizon:.0e}")
    for epsilon in (2.0, 3.0) if "greedy_bits" in learners else ():
        limit = constant * bound(n_hypotheses=3, horizon=14, epsilon=epsilon)
        loss = bits.greedy_loss(quantity, epsilon, 14, 3)
        yield at_least(loss, limit, f"Exact: greedy_bits, 3 distributions, ε={epsilon:g}, T=14.", opposite=loss)


@cache
def _two_sided(profile: str, seed: int, learner: str) -> tuple[tuple[float, str], ...]:
    """Upper limits on the mean risk of `two_sided`, as multiples of our lower bound, with what was played."""
    horizon, gaps = 10**8, (1, 3, 16) if profile == "quick" else (1, 2, 3, 4, 8, 16)
    numbers = {1: 400, 15: 500} if profile == "quick" else {1: 800, 3: 800, 15: 800}
    ratios = []
    for (pairs, runs), times in product(numbers.items(), gaps):
        runs = runs if times in (2, 3, 4) else runs // 4
        setting: dict[str, Any] = {"n_pairs": pairs, "horizon": horizon, "epsilon": 1.0}
        bound, gap = bounds.budgeted_lower_bound(**setting), times * bounds.budgeted_gap(**setting)
        f = instances.hadamard_class(pairs, gap)
        detail = f"{learner}, {pairs} pair{'s' * (pairs != 1)}, {times} times the gap of the bound, ε=1, T=1e8; "
        if learner == "uniform":
            upper = horizon * float(np.mean([experiments.uniform_losses(f, j)[0] for j in (0, 1)]))
        else:
            options: dict[str, Any] = {"scheme": learner, "horizon": horizon, "replicates": runs, "grid": 100}
            played = [
                experiments.play(f, profile, seed, "two-sided", pairs, times, truth=j, **options) for j in (0, 1)
            ]
            total = np.mean([run.final for run in played], axis=0)
            upper = float(certify.mean_upper(total, false_alarm=certify.share(len(gaps) * len(numbers))))
            detail += f"mean {total.mean() / bound:.3g} times the bound, {runs} runs."
        ratios.append((upper / bound, detail))
    return tuple(ratios)


@worst
def two_sided(profile: str, seed: int, *, factor: float, learner: str) -> Iterator[Evidence]:
    """Mean risk over a Hadamard class of ``sign_bits``, or of the ``uniform`` mixture, over our lower bound.

    An upper limit, for gaps of 1 to 16 times that of the bound, and 1 and 15 pairs, at full sizes 3 as well. First
    members of pairs are alike there, and so are second ones: the mean is that over the first pair.
    """
    for ratio, detail in _two_sided(profile, seed, learner):
        yield at_most(ratio, factor, detail)


def pairs_fail(profile: str, seed: int, *, factor: float, learner: str) -> Evidence:
    """Averaged total variation of a learner over that of ``sign_bits`` on 32 pairs with blocks of their own.

    A lower limit over an upper one.
    """
    low, most = bits.block_distance(profile, seed, learner)
    least, high = bits.block_distance(profile, seed, "sign_bits")
    detail = f"{learner}: at least {low:.3g}; signs: at most {high:.3g}; K=64, gap 0.06, ε=1, T=1e6."
    return at_least(low / high, factor, detail, opposite=most / least, unit="ratio of distances")
