"""Checks of the regret claims: upper bounds of Algorithms 1 and 2, the lower bound, and the baselines."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from replicate import certify
from replicate.claims.evidence import EXACT, Evidence, worst
from replicate.papers.distribution_learning import bounds, instances, lemmas
from replicate.papers.distribution_learning.algorithms import schemes
from replicate.papers.distribution_learning.algorithms.schemes import divergence
from replicate.papers.distribution_learning.experiments import bits
from replicate.papers.distribution_learning.experiments import regret as experiments
from replicate.streams import stream
from replicate.validation import FloatArray

# Theorems 4, 5 and 6: risk and total variation under their bounds


def _bounded(
    row: dict[str, Any], quantity: str, uniform: float, constant: float, bound: float, detail: str
) -> Evidence:
    """Limits of expected risk or total variation in one setting against the bound.

    Here and below `uniform` is the share of rounds in which the even mixture of all hypotheses is predicted.
    """
    known = {"measured": row[f"{quantity}learned"], "opposite": row[f"{quantity}lower"]}
    unit = "distance" if quantity == "tv_" else "nats"
    mixture = row[f"{quantity}uniform"]
    return Evidence(**known, limit=constant * bound, unit=unit, detail=detail, uniform=mixture).mixed(uniform)


@worst
def upper_bound(
    profile: str, seed: int, *, scheme: str, quantity: str, constant: float, uniform: float
) -> Iterator[Evidence]:
    """Expected ``risk`` or averaged total variation (``tv``), its proved upper limit, against the explicit bound.

    Only settings count in which the uniform mixture exceeds the bound.
    """
    data = experiments.theorem_grid(scheme, profile, seed)
    for row in data[data[f"{quantity}_uniform"] > data[f"{quantity}_bound"]].to_dict("records"):
        where = f"{row['instance']}, truth {row['truth']}, ε={row['epsilon']:g}, T={row['horizon']:.0e}"
        detail = f"Worst of {len(data)} settings: {where}."
        yield _bounded(row, f"{quantity}_", uniform, constant, row[f"{quantity}_bound"], detail)


@worst
def large_classes(profile: str, seed: int, *, constant: float, uniform: float) -> Iterator[Evidence]:
    """Expected risk against Theorems 4 and 5 for many K, M and small delta."""
    for row in experiments.large_classes(profile, seed).to_dict("records"):
        delta = "" if np.isnan(row["delta"]) else f", δ={row['delta']:g}"
        detail = f"Worst of 9: {row['scheme']}, K={row['n_hypotheses']}, M={row['n_labels']}{delta}."
        yield _bounded(row, "", uniform, constant, row["bound"], detail)


@worst
def adversarial_contexts(profile: str, seed: int, *, constant: float, uniform: float) -> Iterator[Evidence]:
    """Expected risk of Algorithm 2 on contexts in orders chosen against it, against Theorem 5."""
    for order in ("hardest first", "hardest last", "greedy"):
        for row in experiments.chosen_contexts(profile, seed, order).to_dict("records"):
            detail = f"Contexts: {order}; truth {row['truth']}, K=4, ε=1, T={row['horizon']:.0e}."
            yield _bounded(row, "", uniform, constant, row["bound"], detail)


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
    for m in (1, 10, 101, 1001):
        detail = f"Probability of failure with {m} batches over e^(-m/18)."
        ratio = bounds.median_failure(batches=m) / math.exp(-m / 18)
        yield Evidence(measured=ratio, limit=1.0, detail=detail)


@worst
def tight_on_coins(profile: str, seed: int, *, constant: float, gap: str) -> Iterator[Evidence]:
    """Averaged total variation of Algorithm 2, a lower confidence limit, against Theorem 6, T = 10^8 to 10^16.

    The `gap` between the coins is ``shrinking`` with T, or ``fixed``.
    """
    source = experiments.close_coins if gap == "shrinking" else experiments.tv_over_horizons
    data, samples = source(profile, seed)
    alarm = certify.share(len(data))
    slope = np.polyfit(np.log(data["horizon"]), np.log(samples.mean(axis=0)), 1)[0]
    for horizon, wide, sample in zip(data["horizon"], data["gap"], samples.T, strict=True):
        limit = constant * bounds.theorem_6(n_hypotheses=2, horizon=int(horizon), epsilon=1.0)
        detail = f"K = 2, ε = 1, T={horizon:.0e}; slope of the means in T from 10^8 to 10^16: {slope:.3f}."
        high = certify.betting_upper(sample.clip(0, 2 * wide), low=0, high=2 * wide, false_alarm=alarm)
        low = experiments.risk_lower(sample, false_alarm=alarm)
        known: dict[str, Any] = {"measured": low, "opposite": float(high), "estimate": float(sample.mean())}
        yield Evidence(**known, limit=limit, relation=">=", unit="distance", detail=detail)


@worst
def response_rate(profile: str, seed: int, *, constant: float, learner: str) -> Iterator[Evidence]:
    """Averaged total variation of ``randomized_response``, or of the ``uniform`` mixture, on close coins.

    The limit is that of randomised response, which just resolves them. A prediction between the coins is at
    most twice their gap from the truth: the range of the confidence limit.
    """
    data, samples = experiments.close_coins(profile, seed, "randomized_response")
    rate = certify.share(len(data))
    for row, sample in zip(data.to_dict("records"), samples.T, strict=True):
        limit = bounds.randomized_response_tv(n_hypotheses=2, n_labels=2, horizon=int(row["horizon"]), epsilon=1.0)
        uniform = experiments.uniform_losses(instances.close_pair(row["gap"]), 0)[1]
        largest = 2 * row["gap"]
        upper = float(certify.betting_upper(np.minimum(sample, largest), low=0, high=largest, false_alarm=rate))
        detail = f"K=2, M=2, ε=1, T={row['horizon']:.0e}, {len(sample)} runs."
        known: dict[str, Any] = {"measured": uniform}
        if learner != "uniform":
            known = {"measured": upper, "opposite": experiments.risk_lower(sample, false_alarm=rate)}
            known["estimate"] = float(sample.mean())
        yield Evidence(**known, limit=constant * limit, unit="distance", detail=detail, uniform=uniform)


# Theorem 3 and its proof


@worst
def lower_bound(profile: str, seed: int, *, constant: float, learners: tuple[str, ...]) -> Iterator[Evidence]:
    """Lower confidence limit of the risk on the Hadamard class against a T/132."""
    data = experiments.hadamard_risks(profile, seed)
    data = data[data["learner"].isin(learners)]
    for row in data.to_dict("records"):
        detail = f"Smallest of {len(data)}: {row['learner']}, ε={row['epsilon']:g}, T={row['horizon']:.0e}, "
        detail += f"{row['n_pairs']} pair{'s' * (row['n_pairs'] != 1)}, a={row['gap']:.2g}."
        limit = constant * row["theorem_3"]
        yield Evidence(measured=row["lower"], limit=limit, relation=">=", detail=detail)


def _private_channels(n: int, epsilon: float, rng: np.random.Generator) -> Iterable[tuple[str, FloatArray]]:
    """Private channels on n labels: the best known ones, and random ones."""
    response = schemes.randomized_response(np.ones(n), epsilon)
    yield "randomised response", response.law(np.eye(n))
    for size in range(1, n):
        yield f"subsets of {size}", instances.subset_channel(n, size, epsilon)
    for i in range(10):
        yield f"random channel {i}", instances.extremal_channel(n, epsilon, symbols=2 * n, rng=rng)


def _pair_divergence(channel: FloatArray, epsilon: float, constant: float, detail: str) -> Evidence:
    """Smallest KL over the pairs after a channel, against the a^2 min{..} e^eps/(2K) before (24)."""
    n_pairs, horizon = len(channel) - 1, 10**4
    gap = bounds.hadamard_gap(n_pairs=n_pairs, horizon=horizon, epsilon=epsilon)
    released = lemmas.released_divergences(instances.hadamard_class(n_pairs, gap), channel)
    limit = gap**2 * min(np.expm1(epsilon) ** 2, 1) * np.exp(epsilon) / (2 * n_pairs)
    return Evidence(measured=float(released.min()), limit=constant * limit, detail=detail)


@worst
def two_points(profile: str, seed: int, *, constant: float, channel: str) -> Iterator[Evidence]:
    """Inequality before (24) for many ``private`` channels, or for the ``identity``."""
    for epsilon in (0.1, 0.5, 1.0, 1.7, 3.0):
        tried: Iterable[tuple[str, FloatArray]] = [("no privacy", np.eye(8) + 1e-12)]
        if channel == "private":
            tried = _private_channels(8, epsilon, stream(seed, "dl", "channels", epsilon))
        yield from (_pair_divergence(q, epsilon, constant, f"{name}, N=8, ε={epsilon}.") for name, q in tried)


def step_c(profile: str, seed: int, *, epsilon: float, factor: str) -> Evidence:
    """Step (c) of (23): spread of one symbol's probabilities over the labels, against the factor claimed.

    `factor` is ``printed``, min{(e^eps - 1)^2, 1}, or ``exact``, 2 tanh^2(eps/2).
    """
    columns = np.exp(epsilon * np.tril(np.ones((31, 32))))
    claimed = {"printed": min(np.expm1(epsilon) ** 2, 1.0), "exact": 2 * np.tanh(epsilon / 2) ** 2}[factor]
    measured = lemmas.spread_ratio(columns)
    detail = f"ε={epsilon}, 32 labels, symbols with probability ratio e^ε between two groups of labels."
    return Evidence(measured=measured, limit=claimed * (1 + EXACT), relation=">=", detail=detail)


def rates(profile: str, seed: int, *, constant: float, power: float) -> Evidence:
    """Theorem 5 over the form of Theorem 2, for epsilon up to 1, with log(KT)^power."""
    grid = [(2**a, 2**b, e) for a in range(1, 31, 3) for b in range(1, 60, 3) for e in (1.0, 0.1, 0.01)]
    values = [bounds.theorem_2_constant(n_hypotheses=k, horizon=t, epsilon=e, power=power) for k, t, e in grid]
    k, t, e = grid[int(np.argmax(values))]
    detail = f"Largest over {len(grid)} (K, T, ε): K={k:.3g}, T={t:.3g}, ε={e}."
    return Evidence(measured=max(values), limit=constant, detail=detail)


def theorem_1(profile: str, seed: int, *, horizon: int, epsilon: float) -> Evidence:
    """The form of Theorem 1, sqrt(KT)/(820 epsilon), over what some private scheme has at most on every class.

    K = 2; for small epsilon that is the uniform mixture, T log 2, for large epsilon `bounds.quantised_risk`.
    """
    form = math.sqrt(2 * horizon) / (820 * epsilon)
    best = min(horizon * math.log(2), bounds.quantised_risk(horizon=horizon, epsilon=epsilon))
    detail = f"K=2, T={horizon:.0e}, ε={epsilon:g}: {form:.4g} against at most {best:.4g} on every class."
    return Evidence(measured=form / best, limit=1 + EXACT, relation=">=", detail=detail)


def budgeted(profile: str, seed: int, *, constant: float, learners: tuple[str, ...]) -> Evidence:
    """Mean risk over the Hadamard class with the larger gap, a lower confidence limit, against our lower bound."""
    return _on_pairs(profile, seed, constant, learners, ((1.0, 4, 10**10), (0.1, 4, 10**12), (1.0, 15, 10**10)))


def odd_class(profile: str, seed: int, *, constant: float, learners: tuple[str, ...]) -> Evidence:
    """Mean risk on a class of size K, a lower confidence limit, against constant sqrt(KT)/epsilon.

    K is odd: half of the K hypotheses, or of the M = K labels, rounded down, are pairs; the rest may be anything.
    """
    return _on_pairs(
        profile, seed, constant, learners, ((1.0, 1, 10**10), (1.0, 4, 10**10), (0.1, 4, 10**12)), True
    )


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
        yield Evidence(measured=ratio, limit=factor, detail=detail)


@worst
def shape(profile: str, seed: int, *, form: str, factor: float) -> Iterator[Evidence]:
    """Our lower bound with interaction over Theorem 3 on as many hypotheses, epsilon from 0.01 to 10: a `factor`.

    By one `form` of `bounds.rare_share`.
    """
    for epsilon, k in product((0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0), (7, 63, 1023)):
        horizon = 10**8 * k
        share = bounds.rare_share(n_hypotheses=k, horizon=horizon, epsilon=epsilon, interaction=True, form=form)
        ratio = (
            horizon * share * (1 - 1 / k) / 8 / bounds.theorem_3(n_pairs=k // 2, horizon=horizon, epsilon=epsilon)
        )
        detail = f"Smallest: {k} hypotheses, ε={epsilon:g}, T={horizon:.3g}."
        yield Evidence(measured=ratio, limit=factor, relation=">=", detail=detail)


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
        gap = bounds.budgeted_gap(**setting)
        form = math.sqrt((2 * pairs + 1) * horizon) / epsilon if few else bounds.budgeted_lower_bound(**setting)
        data = experiments.pair_risks(profile, seed, epsilon, horizon, pairs, gap)
        for row in data[data["learner"].isin(learners)].to_dict("records"):
            detail = (
                f"{row['learner']}, {pairs} pair{'s' * (pairs != 1)}, ε={epsilon:g}, T={horizon:.0e}, a={gap:.2g}."
            )
            yield Evidence(measured=row["lower"], limit=constant * form, relation=">=", detail=detail)


@worst
def time_varying(profile: str, seed: int, *, constant: float, schemes: str) -> Iterator[Evidence]:
    """Divergences after schemes that change with time, the least over pairs of the sum, against T times the limit.

    Each round reveals one pair's bit, in turn or at random, or the scheme does not change. The limit is that of
    `bounds.information`. ``one pair`` in the place of ``sum`` takes the pair that the first round reveals least.
    """
    n_pairs = 31
    for epsilon, gap in ((0.1, 0.3), (0.5, 0.3), (1.0, 0.05), (3.0, 0.05)):
        f = instances.hadamard_class(n_pairs, gap)
        told = np.array([lemmas.released_divergences(f, q) for q in instances.bit_channels(n_pairs, epsilon)])
        limit = len(told) * gap**2 * bounds.information(epsilon) / n_pairs
        total = told.sum(axis=0).min() if schemes == "sum" else len(told) * told.max(axis=0).min()
        detail = f"{n_pairs} pairs in turn, ε={epsilon:g}, a={gap:g}."
        yield Evidence(measured=float(total), limit=constant * limit, detail=detail)


@worst
def information(profile: str, seed: int, *, constant: float, factor: float) -> Iterator[Evidence]:
    """Steps of our lower bound: variance over mean times minimum, the logarithm, the divergence of a pair.

    Each over its limit; `constant` multiplies the limits, `factor` the exponent e^(eps/2) in the first.
    """
    for epsilon in (0.1, 1.0, 3.0):
        shares = np.arange(1, 1000) / 1000
        columns = np.where(np.arange(1000) < 1000 * shares[:, None], np.exp(epsilon), 1.0)
        ratio = (columns.var(axis=1) / columns.mean(axis=1)).max() / np.expm1(factor * epsilon / 2) ** 2
        yield Evidence(measured=float(ratio), limit=constant * (1 + EXACT), detail=f"Variance, ε={epsilon:g}.")
        for name, q in _private_channels(8, epsilon, stream(seed, "dl", "information", epsilon)):
            total = lemmas.released_divergences(instances.hadamard_class(7, 1.0), q).sum()
            measured = total / bounds.information(epsilon)
            yield Evidence(measured=measured, limit=constant, detail=f"{name}, ε={epsilon:g}.")
    x = np.linspace(-0.5, 3, 1001)[np.linspace(-0.5, 3, 1001) != 0]
    largest = float(((x - np.log1p(x)) / x**2).max())
    yield Evidence(measured=largest, limit=0.8 * constant, detail="x - log(1 + x) over x², x >= -1/2.")
    least = min(lemmas.pair_spread(gap) / gap for gap in np.linspace(1e-4, 1, 1000))
    detail = "Slope of the Jensen-Shannon divergence of a pair at 0, over its smallest share."
    yield Evidence(measured=math.log(2) / 4 / least, limit=constant * (1 + 1e-6), detail=detail)


def printed_forms(profile: str, seed: int, *, scheme: str, constant: float) -> Evidence:
    """Largest ratio of Theorem 4 or 5, every constant written out and corrected, to what it prints inside O( )."""
    cases = []
    for k, t, epsilon in product((2, 3, 16, 2**20), (2, 3, 100, 10**6, 2**58), (1e-6, 1e-2, 1.0, 50.0)):
        setting: dict[str, Any] = {"n_hypotheses": k, "horizon": t, "epsilon": epsilon}
        if scheme == "pure":
            values = [bounds.theorem_5(**setting) / bounds.theorem_5_form(**setting)]
        else:
            values = [
                bounds.theorem_4(**setting, delta=d) / bounds.theorem_4_form(**setting, delta=d)
                for d in (1e-100, 1e-6, 0.5)
            ]
        detail = f"Largest: K={k}, T={t:.3g}, ε={epsilon:g}."
        cases.append(Evidence(measured=max(values), limit=constant, detail=detail))
    return replace(Evidence.worst(cases), pieces=())


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


# One randomised bit a label


@worst
def bits_bound(profile: str, seed: int, *, quantity: str, constant: float, uniform: float) -> Iterator[Evidence]:
    """Risk, or averaged total variation (``tv``), of one randomised bit a label: upper limit against bound.

    Only classes count on which the uniform mixture breaks the bound.
    """
    data = bits.rates(profile, seed)
    for row in data[data[f"{quantity}_uniform"] > data[f"{quantity}_bound"]].to_dict("records"):
        detail = f"{row['instance']}, K={row['n_hypotheses']}, ε={row['epsilon']:g}, T={row['horizon']:.0e}."
        if not math.isnan(row[f"{quantity}_learned"]):
            yield _bounded(row, f"{quantity}_", uniform, constant, row[f"{quantity}_bound"], detail)


@worst
def exact_bits(profile: str, seed: int, *, constant: float, uniform: float) -> Iterator[Evidence]:
    """Exact sum of E TV^2 over the rounds on two coins, against log K/(2 tanh^2).

    The gap is 2 to 8 times what T bits resolve.
    """
    horizon = {"quick": 400, "full": 2000, "huge": 2000}[profile]
    for epsilon, times in product((0.3, 1.0, 3.0), (2.0, 4.0, 8.0)):
        gap = min(times / (2 * math.sqrt(horizon) * math.tanh(epsilon / 2)), 0.49)
        limit = math.log(2) / (2 * math.tanh(epsilon / 2) ** 2)
        value, mixture = bits.coins_distance(gap, horizon, epsilon), horizon * gap**2
        detail = f"Two coins, gap {gap:.3g}, ε={epsilon:g}, T={horizon:,}."
        yield Evidence(measured=value, limit=constant * limit, detail=detail, uniform=mixture).mixed(uniform)


@worst
def few_samples(profile: str, seed: int, *, share: float) -> Iterator[Evidence]:
    """Averaged total variation of one bit a label at a share of the T_alpha of `bounds.bits_sample_size`.

    At alpha = 0.1. Exact, in root mean square over rounds, on two coins that the uniform mixture misses by more.
    """
    for epsilon, times in product((0.5, 1.0, 3.0), (1.05, 1.2)):
        horizon = round(share * bounds.bits_sample_size(n_hypotheses=2, epsilon=epsilon, accuracy=0.1))
        value = math.sqrt(bits.coins_distance(0.1 * times, horizon, epsilon) / horizon)
        detail = f"Two coins, {2 * times * 0.1:.3g} apart, ε={epsilon:g}, T={horizon}."
        yield Evidence(measured=value, limit=0.1, detail=detail, uniform=0.1 * times)


def pairs_fail(profile: str, seed: int, *, factor: float, learner: str) -> Evidence:
    """Averaged total variation of a learner over that of ``sign_bits`` on 32 pairs with blocks of their own.

    A lower limit over an upper one.
    """
    low, most = bits.block_distance(profile, seed, learner)
    least, high = bits.block_distance(profile, seed, "sign_bits")
    detail = f"{learner}: at least {low:.3g}; signs: at most {high:.3g}; K=64, gap 0.06, ε=1, T=1e6."
    known: dict[str, Any] = {"measured": low / high, "opposite": most / least, "unit": "ratio of distances"}
    return Evidence(**known, limit=factor, relation=">=", detail=detail)


@worst
def distance_lower(profile: str, seed: int, *, constant: float, learners: tuple[str, ...]) -> Iterator[Evidence]:
    """Mean averaged total variation over the Hadamard class, a lower confidence limit, against our lower bound."""
    settings = ((1.0, 4, 10**6), (0.1, 4, 10**8), (1.0, 7, 10**8))
    for epsilon, pairs, horizon in settings[: 2 if profile == "quick" else 3]:
        limit = bounds.tv_lower_bound(n_pairs=pairs, horizon=horizon, epsilon=epsilon)
        data = bits.pair_distances(profile, seed, epsilon, horizon, pairs)
        for row in data[data["learner"].isin(learners)].to_dict("records"):
            detail = f"{row['learner']}, {pairs} pair{'s' * (pairs != 1)}, ε={epsilon:g}, T={horizon:.0e}."
            yield Evidence(measured=row["lower"], limit=constant * limit, relation=">=", detail=detail)


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
    for epsilon, k, horizon in settings[: 1 if profile == "quick" else 3]:
        limit = constant * bound(n_hypotheses=k, horizon=horizon, epsilon=epsilon)
        data = bits.signed_losses(profile, seed, quantity, interaction, epsilon, horizon, k)
        for row in data[data["learner"].isin(learners)].to_dict("records"):
            detail = f"{row['learner']}, {k} laws, ε={epsilon:g}, T={horizon:.0e}."
            yield Evidence(measured=row["lower"], limit=limit, relation=">=", detail=detail)
    for epsilon in (2.0, 3.0) if "greedy_bits" in learners else ():
        limit = constant * bound(n_hypotheses=3, horizon=14, epsilon=epsilon)
        loss = bits.greedy_loss(quantity, epsilon, 14, 3)
        detail = f"Exact: greedy_bits, 3 laws, ε={epsilon:g}, T=14."
        yield Evidence(measured=loss, limit=limit, opposite=loss, relation=">=", detail=detail)


@worst
def signed_information(profile: str, seed: int, *, constant: float) -> Iterator[Evidence]:
    """Mean chi square of what private channels release of laws (1 + a H_j)/N, over a^2 sinh(eps/2)^2/K.

    For laws with a common label over (b^2/K) min{(e^(eps/2) - 1)^2/(1 - b), (e^eps - 1)^2/4}. And over the chi
    square: the information on the law, and 5/4 times the mean divergence of the uniform law to them.
    """
    k = 7
    for epsilon in (0.1, math.log(3), 3.0):
        rare = min(math.expm1(epsilon / 2) ** 2 / 0.99, math.expm1(epsilon) ** 2 / 4)
        classes = {
            "gap": (instances.signed_class(k, 0.5), 0.5**2 * math.sinh(epsilon / 2) ** 2 / k),
            "rare labels": (instances.rare_class(k, 0.01), 0.01**2 * rare / k),
        }
        for kind in classes:
            f, limit = classes[kind]
            for name, q in _private_channels(f.shape[1], epsilon, stream(seed, "dl", "signed", kind, epsilon)):
                chi_square, information, back = lemmas.released_information(f, q)
                ratios = {"χ²": chi_square / limit, "Information": information / chi_square}
                ratios["Back"] = 1.25 * back / chi_square
                for what, ratio in ratios.items():
                    detail = f"{what}. {kind}, {name}, ε={epsilon:.3g}."
                    yield Evidence(measured=ratio, limit=constant * (1 + EXACT), detail=detail)
