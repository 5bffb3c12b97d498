"""Checks of the regret claims: upper bounds of Algorithms 1 and 2, the lower bound, and the baselines."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from replicate import certify
from replicate.claims import EXACT, Evidence
from replicate.papers.distribution_learning import bounds, instances, lemmas
from replicate.papers.distribution_learning.algorithms import channels
from replicate.papers.distribution_learning.experiments import regret as experiments
from replicate.streams import stream
from replicate.validation import FloatArray

# Theorems 4, 5 and 6: risk and total variation under their bounds


def upper_bound(profile: str, seed: int, *, scheme: str, quantity: str, constant: float, weights: str) -> Evidence:
    """Upper confidence limit of the ``risk`` or the averaged total variation (``tv``) against the explicit bound.

    `weights` are ``learned``, or ``frozen`` on the wrong hypothesis that is farthest from the truth. Only
    settings count in which the uniform mixture exceeds the bound.
    """
    data = experiments.theorem_grid(scheme, profile, seed)
    pieces = []
    for row in data[data[f"{quantity}_uniform"] > data[f"{quantity}_bound"]].to_dict("records"):
        where = f"{row['instance']}, truth {row['truth']}, ε={row['epsilon']:g}, T={row['horizon']:.0e}"
        pieces.append(
            Evidence(
                measured=row[f"{quantity}_{weights}"],
                limit=constant * row[f"{quantity}_bound"],
                detail=f"Worst of {len(data)} settings: {where}.",
                uniform=row[f"{quantity}_uniform"],
            )
        )
    return Evidence.worst(pieces)


def large_classes(profile: str, seed: int, *, constant: float, weights: str) -> Evidence:
    """Risk of ``learned`` or ``frozen`` weights against Theorems 4 and 5 for many K, M and small delta."""
    pieces = []
    for row in experiments.large_classes(profile, seed).to_dict("records"):
        detail = f"Worst of 9: {row['scheme']}, K={row['n_hypotheses']}, M={row['n_labels']}, δ={row['delta']}."
        limit = constant * row["bound"]
        pieces.append(Evidence(measured=row[weights], limit=limit, detail=detail, uniform=row["uniform"]))
    return Evidence.worst(pieces)


def sample_size(profile: str, seed: int, *, learner: str) -> Evidence:
    """Averaged total variation at T_alpha of a scheme, or of the ``uniform`` mixture, against alpha.

    On a class of four, and on two coins that the uniform mixture misses by a little more than alpha.
    """
    alpha, pieces = 0.1, []
    coins, dirichlet = instances.close_pair(1.05 * alpha), instances.dirichlet(4, 8)
    for key, name, f in (("sample size", "Dirichlet(0.3)", dirichlet), ("sample size, coins", "two coins", coins)):
        horizon = bounds.sample_size(n_hypotheses=len(f), epsilon=1.0, accuracy=alpha)
        order = horizon / (len(f) / alpha**4)
        uniform = experiments.uniform_losses(f, 0)[1]
        detail = f"{name}: T = {horizon:.3g} at α = {alpha}, K = {len(f)}, ε = 1: {order:.3g} times K/(ε²α⁴)."
        value = uniform
        if learner != "uniform":
            run = experiments.play(f, profile, seed, key, scheme=learner, horizon=horizon)
            value = float(certify.mean_upper(run.averaged_tv, false_alarm=certify.share(2)))
        pieces.append(Evidence(measured=value, limit=alpha, detail=detail, uniform=uniform))
    return Evidence.worst(pieces)


def slope_on_coins(profile: str, seed: int, *, gap: str) -> Evidence:
    """Slope of the averaged total variation in T, its (1/c)^(1/2) of logarithms divided out.

    The `gap` between the coins is ``shrinking`` with T, or ``fixed``.
    """
    source = experiments.close_coins if gap == "shrinking" else experiments.tv_over_horizons
    data, samples = source(profile, seed)
    horizons = data["horizon"].to_numpy()
    logs = np.array([2 * instances.hardest_gap(int(t), 1.0) * t**0.25 for t in horizons])
    slope = certify.log_log_slope(horizons, samples / logs)
    raw = certify.log_log_slope(horizons, samples)
    detail = f"Slope of TV/sqrt(1/c) in T {slope}, of TV itself {raw}; T = 10^8 to 10^16, K = 2, ε = 1."
    return Evidence(measured=slope.low, limit=-0.3, relation=">=", detail=detail)


def response_rate(profile: str, seed: int, *, constant: float, learner: str) -> Evidence:
    """Averaged total variation of ``randomized_response``, or of the ``uniform`` mixture, on close coins.

    The limit is that of randomised response, which just resolves them.
    """
    data, samples = experiments.close_coins(profile, seed, "randomized_response")
    rate = certify.share(len(data))
    pieces = []
    for row, sample in zip(data.to_dict("records"), samples.T, strict=True):
        limit = bounds.randomized_response_tv(n_hypotheses=2, n_labels=2, horizon=int(row["horizon"]), epsilon=1.0)
        uniform = experiments.uniform_losses(instances.close_pair(row["gap"]), 0)[1]
        upper = float(certify.mean_upper(sample, false_alarm=rate))
        detail = f"K=2, M=2, ε=1, T={row['horizon']:.0e}, {len(sample)} runs."
        value = uniform if learner == "uniform" else upper
        pieces.append(Evidence(measured=value, limit=constant * limit, detail=detail, uniform=uniform))
    return Evidence.worst(pieces)


# Theorem 3 and its proof


def lower_bound(profile: str, seed: int, *, constant: float, learners: tuple[str, ...]) -> Evidence:
    """Lower confidence limit of the risk on the Hadamard class against a T/132."""
    data = experiments.hadamard_risks(profile, seed)
    data = data[data["learner"].isin(learners)]
    pieces = [
        Evidence(
            measured=row["lower"],
            limit=constant * row["theorem_3"],
            relation=">=",
            detail=f"Smallest of {len(data)}: {row['learner']}, ε={row['epsilon']:g}, T={row['horizon']:.0e}, "
            f"{row['n_pairs']} pairs, a={row['gap']:.2g}.",
        )
        for row in data.to_dict("records")
    ]
    return Evidence.worst(pieces)


def _private_channels(n: int, epsilon: float, rng: np.random.Generator) -> Iterable[tuple[str, FloatArray]]:
    """Private channels on n labels: the best known ones, and random ones."""
    response = channels.randomized_response(np.ones(n), epsilon)
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


def two_points(profile: str, seed: int, *, constant: float, channel: str) -> Evidence:
    """Inequality before (24) for many ``private`` channels, or for the ``identity``."""
    pieces = []
    for epsilon in (0.1, 0.5, 1.0, 1.7, 3.0):
        tried: Iterable[tuple[str, FloatArray]] = [("no privacy", np.eye(8) + 1e-12)]
        if channel == "private":
            tried = _private_channels(8, epsilon, stream(seed, "dl", "channels", epsilon))
        pieces += [_pair_divergence(q, epsilon, constant, f"{name}, N=8, ε={epsilon}.") for name, q in tried]
    return Evidence.worst(pieces)


def step_c(profile: str, seed: int, *, epsilon: float, factor: str) -> Evidence:
    """Step (c) of (23): spread of one symbol's probabilities over the labels, against the factor claimed.

    `factor` is ``printed``, min{(e^eps - 1)^2, 1}, or ``exact``, 2 tanh^2(eps/2).
    """
    columns = np.exp(epsilon * np.tril(np.ones((31, 32))))
    claimed = {"printed": min(np.expm1(epsilon) ** 2, 1.0), "exact": 2 * np.tanh(epsilon / 2) ** 2}[factor]
    return Evidence(
        measured=lemmas.spread_ratio(columns),
        limit=claimed * (1 + EXACT),
        relation=">=",
        detail=f"ε={epsilon}, 32 labels, symbols with probability ratio e^ε between two groups of labels.",
    )


def rates(profile: str, seed: int, *, constant: float, power: float) -> Evidence:
    """Theorem 5 over the form of Theorem 2, for epsilon up to 1, with log(KT)^power."""
    grid = [(2**a, 2**b, e) for a in range(1, 31, 3) for b in range(1, 60, 3) for e in (1.0, 0.1, 0.01)]
    values = [bounds.theorem_2_constant(n_hypotheses=k, horizon=t, epsilon=e, power=power) for k, t, e in grid]
    k, t, e = grid[int(np.argmax(values))]
    detail = f"Largest over {len(grid)} (K, T, ε): K={k}, T={t:.3g}, ε={e}."
    return Evidence(measured=max(values), limit=constant, detail=detail)


def theorem_1(profile: str, seed: int, *, epsilon: float) -> Evidence:
    """Randomised response on the Hadamard class against sqrt(KT)/(820 epsilon)."""
    pairs, horizon = 4, 10**12
    gap = bounds.hadamard_gap(n_pairs=pairs, horizon=horizon, epsilon=epsilon)
    f = instances.hadamard_class(pairs, gap)
    options = {"scheme": "randomized_response", "horizon": horizon, "epsilon": epsilon}
    finals = [experiments.play(f, profile, seed, "large ε", truth=j, **options).final for j in range(8)]
    worst = max(float(certify.mean_upper(final, false_alarm=certify.share(8))) for final in finals)
    form = np.sqrt(pairs * horizon) / (820 * epsilon)
    detail = f"Randomised response, K=4 pairs, T=1e12, ε={epsilon:.3g}: worst truth of the class."
    return Evidence(measured=worst, limit=form, detail=detail)


# Baselines


def response(profile: str, seed: int, *, constant: float, learner: str) -> Evidence:
    """Risk of ``randomized_response``, or of the ``uniform`` mixture, against the bound of the former, over M.

    The gap of the class is near the smallest that randomised response resolves.
    """
    horizon, pieces = 10**10, []
    for m in (2, 8, 64, 1000):
        f = experiments.response_pair(m)
        value = uniform = horizon * experiments.uniform_losses(f, 0)[0]
        if learner != "uniform":
            run = experiments.response_run(m, profile, seed, learner)
            value = float(certify.mean_upper(run.final, false_alarm=certify.share(4)))
        detail = f"Hadamard pair on M={m} labels, a={4 * f[1, f[0] == 0].sum():.2g}, ε=1, T={horizon:.0e}."
        limit = constant * bounds.randomized_response(n_hypotheses=2, n_labels=m, horizon=horizon, epsilon=1.0)
        pieces.append(Evidence(measured=value, limit=limit, detail=detail, uniform=uniform))
    return Evidence.worst(pieces)


def growth_in_labels(profile: str, seed: int, *, learner: str) -> Evidence:
    """Exponent with which a learner's risk grows in M, the same problem written with more labels: at least 1.

    The risk of Algorithms 1 and 2 must not grow: exponent at most 0.05. From the fewest labels to the most.
    """
    runs = experiments.size_runs(profile, seed)
    rate, pieces = certify.share(6), []
    for name in dict.fromkeys((learner, "pure", "approximate")):
        own = [(row["value"], final) for row, final in runs if row["axis"] == "M" and row["learner"] == name]
        (fewest, few), (most, many) = own[0], own[-1]
        ends = [(float(low(many, false_alarm=rate)), float(high(few, false_alarm=rate))) for low, high in _SIDES]
        least, largest = (
            math.log(max(last, 1e-9) / max(first, 1e-9)) / math.log(most / fewest) for last, first in ends
        )
        detail = f"{name}, M={fewest} to {most}: mean {few.mean():.3g} to {many.mean():.3g}; T=1e10, K=4, ε=1."
        if name == learner:
            pieces.append(Evidence(measured=least, limit=1.0, relation=">=", detail=detail))
        else:
            pieces.append(Evidence(measured=1 + largest, limit=1.05, detail=f"1 + exponent. {detail}"))
    return Evidence.worst(pieces)


_SIDES = ((certify.mean_lower, certify.mean_upper), (certify.mean_upper, certify.mean_lower))
"""Limits of the last and of the first risk for the smallest exponent, and for the largest."""


def non_private(profile: str, seed: int, *, constant: float, learner: str) -> Evidence:
    """Risk on two coins against log K: of the ``non_private`` mixture exactly, else a lower confidence limit."""
    pieces = []
    for gap, horizon in ((gap, t) for gap in (0.01, 0.1, 0.4) for t in (10, 1000, 10**5)):
        risk = experiments.coins_mixture_risk(gap, horizon)
        if learner != "non_private":
            options = {"scheme": learner, "horizon": horizon, "epsilon": 0.3}
            run = experiments.play(instances.close_pair(gap), profile, seed, "non-private", **options)
            risk = float(certify.mean_lower(run.final, false_alarm=certify.share(9)))
        detail = f"Two coins, gap {gap}, T={horizon}."
        pieces.append(Evidence(measured=risk, limit=constant * float(np.log(2)), detail=detail))
    return Evidence.worst(pieces)
