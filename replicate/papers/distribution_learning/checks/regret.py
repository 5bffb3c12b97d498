"""What is measured for each claim and held against what. The same code, given a mutant, is the claim's control.

Here: theorems and baselines. Lemmas are in `checks_lemmas`, privacy and noise in `checks_privacy`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from replicate import certify
from replicate.claims import EXACT, Evidence
from replicate.papers.distribution_learning import bounds, experiments, instances
from replicate.papers.distribution_learning.algorithms import channels
from replicate.streams import stream
from replicate.validation import FloatArray

__all__ = [
    "large_classes",
    "lower_bound",
    "non_private",
    "rates",
    "response",
    "response_grows_with_m",
    "response_rate",
    "sample_size",
    "slope_on_coins",
    "step_c",
    "theorem_1",
    "two_points",
    "upper_bound",
]


# Theorems 4, 5 and 6: risk and total variation under their bounds


def upper_bound(profile: str, seed: int, *, scheme: str, quantity: str, column: str = "upper") -> Evidence:
    """Upper confidence limit of the risk or the averaged total variation against the explicit bound.

    `column` "frozen" puts a learner stuck on the farthest wrong hypothesis in the learner's place.
    """
    data = experiments.theorem_grid(scheme, profile, seed)
    pieces = []
    for row in data.to_dict("records"):
        limit, uniform = row[f"{quantity}_bound"], row[f"{quantity}_uniform"]
        where = f"{row['instance']}, truth {row['truth']}, ε={row['epsilon']:g}, T={row['horizon']:.0e}"
        detail = f"Worst of {len(data)} settings: {where}."
        pieces.append(Evidence(measured=row[f"{quantity}_{column}"], limit=limit, detail=detail, uniform=uniform))
    return Evidence.worst([piece for piece in pieces if piece.uniform > piece.limit])  # type: ignore[operator]


def large_classes(profile: str, seed: int, *, column: str = "upper") -> Evidence:
    """Upper limit of the risk (or a frozen learner's) against Theorems 4 and 5 for many K, M and small delta."""
    pieces = []
    for row in experiments.large_classes(profile, seed).to_dict("records"):
        detail = f"Worst of 9: {row['scheme']}, K={row['n_hypotheses']}, M={row['n_labels']}, δ={row['delta']}."
        pieces.append(Evidence(measured=row[column], limit=row["bound"], detail=detail, uniform=row["uniform"]))
    return Evidence.worst(pieces)


def sample_size(profile: str, seed: int, *, scheme: str = "pure") -> Evidence:
    """Averaged total variation at T_alpha against alpha."""
    f, alpha = instances.dirichlet(4, 8), 0.1
    horizon = bounds.sample_size(n_hypotheses=4, epsilon=1.0, accuracy=alpha)
    order = horizon / (4 / alpha**4)
    uniform = float(np.abs(f[0] - f.mean(axis=0)).sum() / 2)
    detail = f"T = {horizon:.3g} at α = {alpha}, K = 4, ε = 1: {order:.3g} times K/(ε²α⁴)."
    if scheme == "uniform":
        return Evidence(measured=uniform, limit=alpha, detail=detail)
    run = experiments.play(f, profile, seed, "sample size", scheme=scheme, horizon=horizon)
    upper = float(certify.mean_upper(run.averaged_tv))
    return Evidence(measured=upper, limit=alpha, detail=detail, uniform=uniform)


def slope_on_coins(profile: str, seed: int, *, kind: str) -> Evidence:
    """Slope of the averaged total variation in T, its (1/c)^(1/2) of logarithms divided out."""
    source = experiments.close_coins if kind == "shrinking" else experiments.tv_over_horizons
    data, samples = source(profile, seed)
    horizons = data["horizon"].to_numpy()
    logs = np.array([2 * instances.hardest_gap(int(t), 1.0) * t**0.25 for t in horizons])
    slope = certify.log_log_slope(horizons, samples / logs)
    raw = certify.log_log_slope(horizons, samples)
    detail = f"Slope of TV/sqrt(1/c) in T {slope}, of TV itself {raw}; T = 10^8 to 10^16, K = 2, ε = 1."
    return Evidence(measured=slope.low, limit=-0.3, relation=">=", detail=detail)


def response_rate(profile: str, seed: int, *, measured: str) -> Evidence:
    """Averaged total variation of randomised response on coins at the edge of what it resolves."""
    data, samples = experiments.close_coins(profile, seed, "randomized_response")
    rate = certify.share(len(data))
    pieces = []
    for row, sample in zip(data.to_dict("records"), samples.T, strict=True):
        setting = {"n_hypotheses": 2, "n_labels": 2, "horizon": int(row["horizon"]), "epsilon": 1.0}
        limit = bounds.randomized_response_tv(**setting)  # type: ignore[arg-type]
        value = float(certify.mean_upper(sample, false_alarm=rate))
        if measured == "pure":
            value = experiments.close_coins(profile, seed)[0].set_index("horizon")["mean"][row["horizon"]]
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


def _random_channels(n: int, epsilon: float, rng: np.random.Generator) -> Iterable[tuple[str, FloatArray]]:
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
    released = instances.released_divergences(instances.hadamard_class(n_pairs, gap), channel)
    limit = gap**2 * min(np.expm1(epsilon) ** 2, 1) * np.exp(epsilon) / (2 * n_pairs)
    return Evidence(measured=float(released.min()), limit=limit, detail=detail)


def two_points(profile: str, seed: int, *, private: bool) -> Evidence:
    """Inequality before (24) for many private channels, or for the channel that hides nothing."""
    pieces = []
    for epsilon in (0.1, 0.5, 1.0, 1.7, 3.0):
        rng = stream(seed, "dl", "channels", epsilon)
        tried = _random_channels(8, epsilon, rng) if private else [("no privacy", np.eye(8) + 1e-12)]
        pieces += [_pair_divergence(q, epsilon, f"{name}, N=8, ε={epsilon}.") for name, q in tried]
    return Evidence.worst(pieces)


def step_c(profile: str, seed: int, *, epsilon: float, printed: bool = True) -> Evidence:
    """Step (c) of (23): spread of one symbol's probabilities over the labels, against the printed factor."""
    columns = np.exp(epsilon * np.tril(np.ones((31, 32))))
    factor = min(np.expm1(epsilon) ** 2, 1.0) if printed else 2 * np.tanh(epsilon / 2) ** 2
    return Evidence(
        measured=instances.spread_ratio(columns),
        limit=factor * (1 + EXACT),
        relation=">=",
        detail=f"ε={epsilon}, 32 labels, symbols with probability ratio e^ε between two groups of labels.",
    )


def rates(profile: str, seed: int, *, power: float) -> Evidence:
    """Theorem 5 over the form of Theorem 2, for epsilon up to 1, with log(KT)^power."""
    grid = [(2**a, 2**b, e) for a in range(1, 31, 3) for b in range(1, 60, 3) for e in (1.0, 0.1, 0.01)]
    setting = ("n_hypotheses", "horizon", "epsilon")
    values = [bounds.theorem_2_constant(**dict(zip(setting, p, strict=True)), power=power) for p in grid]
    k, t, e = grid[int(np.argmax(values))]
    detail = f"Largest over {len(grid)} (K, T, ε): K={k}, T={t:.3g}, ε={e}."
    return Evidence(measured=max(values), limit=12.0, detail=detail)


def theorem_1(profile: str, seed: int, *, epsilon: float) -> Evidence:
    """Randomised response on the Hadamard class against sqrt(KT)/(820 epsilon) at a large epsilon."""
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


def response(profile: str, seed: int, *, measured: str) -> Evidence:
    """Risk of randomised response against its explicit bound, over M, near what it can just resolve."""
    horizon, pieces = 10**10, []
    for m in (2, 8, 64, 1000):
        setting = {"n_hypotheses": 2, "n_labels": m, "horizon": horizon, "epsilon": 1.0}
        gap = 60 * bounds.randomized_response_tv(**setting)  # type: ignore[arg-type]
        f = instances.split_labels(instances.hadamard_class(1, gap), m)
        uniform = experiments.uniform_risk(f, 1, horizon)
        value = uniform
        if measured == "response":
            options = {"scheme": "randomized_response", "horizon": horizon, "truth": 1, "replicates": 400}
            run = experiments.play(f, profile, seed, "response", m, **options)
            value = float(certify.mean_upper(run.final, false_alarm=certify.share(4)))
        limit = bounds.randomized_response(**setting)  # type: ignore[arg-type]
        detail = f"Hadamard pair on M={m} labels, a={gap:.2g}, ε=1, T={horizon:.0e}."
        pieces.append(Evidence(measured=value, limit=limit, detail=detail, uniform=uniform))
    return Evidence.worst(pieces)


def response_grows_with_m(profile: str, seed: int, *, scheme: str) -> Evidence:
    """Risk at the most labels over the risk at the fewest: the same problem, written with more labels."""
    data = experiments.size_sweep(profile, seed)
    data = data[(data["axis"] == "M") & (data["learner"] == scheme)].sort_values("value")
    first, last = data.iloc[0], data.iloc[-1]
    detail = f"M={first['value']} to {last['value']}: mean {first['mean']:.3g} to {last['mean']:.3g}; "
    detail += "T=1e10, K=4, ε=1. Measured: lower limit of the last over upper limit of the first."
    return Evidence(measured=last["low"] / first["high"], limit=100.0, relation=">=", detail=detail)


def non_private(profile: str, seed: int, *, learner: str) -> Evidence:
    """Risk of the Bayesian mixture of labels in the clear, exactly, against log K: two coins."""
    pieces = []
    for gap, horizon in ((gap, t) for gap in (0.01, 0.1, 0.4) for t in (10, 1000, 10**5)):
        risk = experiments.coins_mixture_risk(gap, horizon)
        if learner == "randomized_response":
            options = {"scheme": learner, "horizon": horizon, "epsilon": 0.3}
            run = experiments.play(instances.close_pair(gap), profile, seed, "non-private", **options)
            risk = float(certify.mean_lower(run.final, false_alarm=certify.share(9)))
        detail = f"Two coins, gap {gap}, T={horizon}."
        pieces.append(Evidence(measured=risk, limit=float(np.log(2)), detail=detail))
    return Evidence.worst(pieces)
