"""Checks of the regret claims: upper bounds of Algorithms 1 and 2, the lower bound, and the baselines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from replicate import certify
from replicate.claims import EXACT, Evidence
from replicate.papers.distribution_learning import bounds, instances, lemmas
from replicate.papers.distribution_learning.algorithms import channels
from replicate.papers.distribution_learning.experiments import regret as experiments
from replicate.streams import stream
from replicate.validation import FloatArray

# Theorems 4, 5 and 6: risk and total variation under their bounds


def upper_bound(profile: str, seed: int, *, scheme: str, quantity: str, weights: str) -> Evidence:
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
                limit=row[f"{quantity}_bound"],
                detail=f"Worst of {len(data)} settings: {where}.",
                uniform=row[f"{quantity}_uniform"],
            )
        )
    return Evidence.worst(pieces)


def large_classes(profile: str, seed: int, *, weights: str) -> Evidence:
    """Risk of ``learned`` or ``frozen`` weights against Theorems 4 and 5 for many K, M and small delta."""
    pieces = []
    for row in experiments.large_classes(profile, seed).to_dict("records"):
        detail = f"Worst of 9: {row['scheme']}, K={row['n_hypotheses']}, M={row['n_labels']}, δ={row['delta']}."
        pieces.append(Evidence(measured=row[weights], limit=row["bound"], detail=detail, uniform=row["uniform"]))
    return Evidence.worst(pieces)


def sample_size(profile: str, seed: int, *, learner: str) -> Evidence:
    """Averaged total variation at T_alpha of a scheme, or of the ``uniform`` mixture, against alpha."""
    f, alpha = instances.dirichlet(4, 8), 0.1
    horizon = bounds.sample_size(n_hypotheses=4, epsilon=1.0, accuracy=alpha)
    order = horizon / (4 / alpha**4)
    uniform = experiments.uniform_losses(f, 0)[1]
    detail = f"T = {horizon:.3g} at α = {alpha}, K = 4, ε = 1: {order:.3g} times K/(ε²α⁴)."
    if learner == "uniform":
        return Evidence(measured=uniform, limit=alpha, detail=detail)
    run = experiments.play(f, profile, seed, "sample size", scheme=learner, horizon=horizon)
    upper = float(certify.mean_upper(run.averaged_tv))
    return Evidence(measured=upper, limit=alpha, detail=detail, uniform=uniform)


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


def response_rate(profile: str, seed: int, *, learner: str) -> Evidence:
    """Averaged total variation of ``randomized_response``, or of ``pure``, each on coins that it just resolves.

    The limit is that of randomised response.
    """
    data, samples = experiments.close_coins(profile, seed, learner)
    rate = certify.share(len(data))
    pieces = []
    for row, sample in zip(data.to_dict("records"), samples.T, strict=True):
        limit = bounds.randomized_response_tv(n_hypotheses=2, n_labels=2, horizon=int(row["horizon"]), epsilon=1.0)
        value = float(certify.mean_upper(sample, false_alarm=rate)) if learner != "pure" else row["mean"]
        pieces.append(Evidence(measured=value, limit=limit, detail=f"K=2, M=2, ε=1, T={row['horizon']:.0e}."))
    return Evidence.worst(pieces)


# Theorem 3 and its proof


def lower_bound(profile: str, seed: int, *, learners: tuple[str, ...]) -> Evidence:
    """Lower confidence limit of the risk on the Hadamard class against a T/132."""
    data = experiments.hadamard_risks(profile, seed)
    data = data[data["learner"].isin(learners)]
    pieces = [
        Evidence(
            measured=row["lower"],
            limit=row["theorem_3"],
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


def _pair_divergence(channel: FloatArray, epsilon: float, detail: str) -> Evidence:
    """Smallest KL over the pairs after a channel, against the a^2 min{..} e^eps/(2K) before (24)."""
    n_pairs, horizon = len(channel) - 1, 10**4
    gap = bounds.hadamard_gap(n_pairs=n_pairs, horizon=horizon, epsilon=epsilon)
    released = lemmas.released_divergences(instances.hadamard_class(n_pairs, gap), channel)
    limit = gap**2 * min(np.expm1(epsilon) ** 2, 1) * np.exp(epsilon) / (2 * n_pairs)
    return Evidence(measured=float(released.min()), limit=limit, detail=detail)


def two_points(profile: str, seed: int, *, channel: str) -> Evidence:
    """Inequality before (24) for many ``private`` channels, or for the ``identity``."""
    pieces = []
    for epsilon in (0.1, 0.5, 1.0, 1.7, 3.0):
        tried: Iterable[tuple[str, FloatArray]] = [("no privacy", np.eye(8) + 1e-12)]
        if channel == "private":
            tried = _private_channels(8, epsilon, stream(seed, "dl", "channels", epsilon))
        pieces += [_pair_divergence(q, epsilon, f"{name}, N=8, ε={epsilon}.") for name, q in tried]
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


def rates(profile: str, seed: int, *, power: float) -> Evidence:
    """Theorem 5 over the form of Theorem 2, for epsilon up to 1, with log(KT)^power."""
    grid = [(2**a, 2**b, e) for a in range(1, 31, 3) for b in range(1, 60, 3) for e in (1.0, 0.1, 0.01)]
    values = [bounds.theorem_2_constant(n_hypotheses=k, horizon=t, epsilon=e, power=power) for k, t, e in grid]
    k, t, e = grid[int(np.argmax(values))]
    detail = f"Largest over {len(grid)} (K, T, ε): K={k}, T={t:.3g}, ε={e}."
    return Evidence(measured=max(values), limit=12.0, detail=detail)


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


def response(profile: str, seed: int, *, learner: str) -> Evidence:
    """Risk of ``randomized_response``, or of the ``uniform`` mixture, against the bound of the former, over M.

    The gap of the class is near the smallest that randomised response resolves.
    """
    horizon, pieces = 10**10, []
    for m in (2, 8, 64, 1000):
        setting: dict[str, Any] = {"n_hypotheses": 2, "n_labels": m, "horizon": horizon, "epsilon": 1.0}
        gap = 60 * bounds.randomized_response_tv(**setting)
        f = instances.split_labels(instances.hadamard_class(1, gap), m)
        value = uniform = horizon * experiments.uniform_losses(f, 1)[0]
        if learner != "uniform":
            options = {"scheme": learner, "horizon": horizon, "truth": 1, "replicates": 400}
            run = experiments.play(f, profile, seed, "response", m, **options)
            value = float(certify.mean_upper(run.final, false_alarm=certify.share(4)))
        detail = f"Hadamard pair on M={m} labels, a={gap:.2g}, ε=1, T={horizon:.0e}."
        limit = bounds.randomized_response(**setting)
        pieces.append(Evidence(measured=value, limit=limit, detail=detail, uniform=uniform))
    return Evidence.worst(pieces)


def growth_in_labels(profile: str, seed: int, *, learner: str) -> Evidence:
    """Risk at the most labels over the risk at the fewest: the same problem, written with more labels."""
    data = experiments.size_sweep(profile, seed)
    data = data[(data["axis"] == "M") & (data["learner"] == learner)].sort_values("value")
    first, last = data.iloc[0], data.iloc[-1]
    detail = f"M={first['value']} to {last['value']}: mean {first['mean']:.3g} to {last['mean']:.3g}; "
    detail += "T=1e10, K=4, ε=1. Measured: lower limit of the last over upper limit of the first."
    return Evidence(measured=last["low"] / first["high"], limit=100.0, relation=">=", detail=detail)


def non_private(profile: str, seed: int, *, learner: str) -> Evidence:
    """Risk on two coins against log K: of the ``non_private`` mixture exactly, else a lower confidence limit."""
    pieces = []
    for gap, horizon in ((gap, t) for gap in (0.01, 0.1, 0.4) for t in (10, 1000, 10**5)):
        risk = experiments.coins_mixture_risk(gap, horizon)
        if learner != "non_private":
            options = {"scheme": learner, "horizon": horizon, "epsilon": 0.3}
            run = experiments.play(instances.close_pair(gap), profile, seed, "non-private", **options)
            risk = float(certify.mean_lower(run.final, false_alarm=certify.share(9)))
        detail = f"Two coins, gap {gap}, T={horizon}."
        pieces.append(Evidence(measured=risk, limit=float(np.log(2)), detail=detail))
    return Evidence.worst(pieces)
