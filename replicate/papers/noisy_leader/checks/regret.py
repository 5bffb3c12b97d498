"""What is measured for each claim on regret, against what limit. The same code, given a mutant, is its control."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from replicate import certify
from replicate.claims import EXACT, Check, Evidence
from replicate.papers import prefix_softmax
from replicate.papers.noisy_leader import algorithms, bounds, instances
from replicate.papers.noisy_leader.experiments import growth
from replicate.papers.noisy_leader.experiments import regret as experiments

__all__ = [
    "EXACT",
    "below_the_sum",
    "corollary_2",
    "corollary_3_resampled",
    "critical_slope",
    "exact_growth",
    "lower_bound",
    "no_horizon",
    "simulated_growth",
    "table_1",
    "uniform_play",
    "upper_bound",
    "worst_found",
]


def _where(row: dict[str, Any]) -> str:
    parts = [f"K={row['n_actions']}", f"gap={row['gap']:g}" if "gap" in row else "", row.get("noise", "")]
    parts += [f"ε={row['epsilon']:g}" if "epsilon" in row else "", row.get("instance", "")]
    return ", ".join(part for part in parts if part)


def _under(rows: Iterable[Any], measured: str, bound: str, factor: float = 1.0) -> Evidence:
    """Hold one column against another, row by row; the row closest to its bound speaks for all."""
    pieces = [
        Evidence(
            measured=row[measured],
            limit=factor * row[bound],
            detail=f"Closest: {_where(row)}.",
            uniform=row.get("uniform"),
        )
        for row in rows
    ]
    return Evidence.worst(pieces)


def upper_bound(
    profile: str, seed: int, *, theorem: str, noises: tuple[str, ...], measured: str = "upper"
) -> Evidence:
    """Upper confidence limit of the regret at T = 2**59, or what uniform play pays, against a theorem."""
    data = experiments.regret_grid(profile, seed)
    return _under(data[data["noise"].isin(noises)].to_dict("records"), measured, theorem)


def corollary_2(measured: str = "upper") -> Check:
    """Upper confidence limit of the regret at the critical gap against Corollary 2 with explicit constants."""
    return lambda profile, seed: _under(
        experiments.critical_gaps(profile, seed)[0].to_dict("records"), measured, "bound"
    )


def critical_slope(profile: str, seed: int, *, power: float) -> Evidence:
    """Distance of the slope of the worst regret in T from 1/2; the control multiplies the regret by T**power."""
    rows, samples = experiments.critical_gaps(profile, seed)
    horizons = np.sort(rows["rounds"].unique()).astype(np.float64)
    slopes = {
        noise: certify.log_log_slope(horizons, values * horizons**power, false_alarm=certify.share(3))
        for noise, values in samples.items()
    }
    distance = max(max(abs(s.low - 0.5), abs(s.high - 0.5)) for s in slopes.values())
    detail = "Slopes " + ", ".join(f"{noise} {slope}" for noise, slope in slopes.items()) + "."
    return Evidence(measured=distance, limit=0.1, detail=detail)


def no_horizon(profile: str, seed: int, *, exploring: bool) -> Evidence:
    """Upper limit of the growth after T = 2**30 over 29 log K / epsilon, the growth that Theorem 1 allows."""
    last = experiments.late_growth(profile, seed, exploring=exploring).groupby("instance").last()
    share = last["growth"] / last["claimed_growth"]
    detail = f"Largest growth from 2^30 to 2^59: {last['growth'].max():.3g} ({share.idxmax()})."
    return Evidence(measured=float(share.max()), limit=0.01, detail=detail)


def worst_found(profile: str, seed: int, *, bound: str, noises: tuple[str, ...], factor: float = 1.0) -> Evidence:
    """Largest exact regret that the search found, times epsilon, against `factor` times a bound."""
    data = growth.deterministic_growth(profile, seed)
    data = data[data["noise"].isin(noises)].assign(epsilon=growth.EPSILON)
    data["uniform"] = growth.EPSILON * instances.HORIZON * (1 - 1 / data["n_actions"])
    return _under(data.to_dict("records"), "regret", bound, factor)


def uniform_play(profile: str, seed: int, *, bound: str) -> Evidence:
    """What uniform play pays at T = 2**59 when all gaps are one, times epsilon, against a bound."""
    data = growth.deterministic_growth(profile, seed)
    data = data.assign(regret=growth.EPSILON * instances.HORIZON * (1 - 1 / data["n_actions"]))
    return _under(data.to_dict("records"), "regret", bound)


def corollary_3_resampled(profile: str, seed: int, *, resampled: bool) -> Evidence:
    """Lower limit of the regret with B = 1 on deterministic losses, gap 0.001, over Corollary 3's bound."""
    data = experiments.resampling_cost(profile, seed).query("gap == 0.001")
    column = "B = 1, at least" if resampled else "B = 0"
    pieces = [
        Evidence(
            measured=row[column],
            limit=row["corollary_3"],
            relation=">=",
            detail=f"{row['noise']}: {row['B = 1']:.0f} with B = 1, {row['B = 0']:.3g} with B = 0.",
        )
        for row in data.to_dict("records")
    ]
    return Evidence.worst(pieces)


_LOWER: dict[str, Callable[..., float]] = {
    "printed": bounds.theorem_3,
    "integral": bounds.theorem_3_integral,
    "sum": bounds.theorem_3_sum,
}


def _final(learner: str, n_actions: int, epsilon: float, horizon: int) -> float:
    """Exact regret where one action has loss 0 and the others 1: the same for every place of that action."""
    means = np.where(np.arange(n_actions) > 0, 1.0, 0.0)
    if learner == "clairvoyant":
        return 0.0
    if learner == "prefix_softmax":
        return float(prefix_softmax.exact_regret(means, epsilon=epsilon, horizon=horizon).final[0])
    noise, _, calibration = learner.partition(" ")
    run = algorithms.exact_regret(
        means, epsilon=epsilon, horizon=horizon, noise=noise, calibration=calibration or "corrected"
    )
    return float(run.final[0])


def lower_bound(profile: str, seed: int, *, form: str, learners: tuple[str, ...]) -> Evidence:
    """Smallest exact regret over a form of Theorem 3, over learners, K, epsilon and T."""
    pieces = []
    for n_actions in (2, 16, 256) if profile == "quick" else (2, 16, 256, 4096, 2**14):
        for epsilon in (0.01, 0.1, 1.0, 3.0):
            for horizon in (2, 3, 10, 1000, 2**40):
                limit = _LOWER[form](n_actions=n_actions, epsilon=epsilon, horizon=horizon)
                for learner in learners:
                    ratio = _final(learner, n_actions, epsilon, horizon) / limit
                    detail = f"Closest: {learner}, K={n_actions}, ε={epsilon:g}, T={horizon}; bound {limit:.4g}."
                    pieces.append(Evidence(measured=ratio, limit=1 - EXACT, relation=">=", detail=detail))
    return Evidence.worst(pieces)


def below_the_sum(profile: str, seed: int, *, calibration: str) -> Evidence:
    """The sum form of Theorem 3 over the exact regret of exponential noise, K = 2, epsilon = 1, T = 2."""
    regret = _final(f"exponential {calibration}", 2, 1.0, 2)
    limit = bounds.theorem_3_sum(n_actions=2, epsilon=1.0, horizon=2)
    detail = f"Regret {regret:.4g}; every 1-DP learner pays at least {limit:.4g}."
    return Evidence(measured=limit / regret, limit=1 + EXACT, relation=">=", detail=detail)


def exact_growth(profile: str, seed: int, *, hotter: bool) -> Evidence:
    """Steepest growth in log K of the worst exact regret found, as an exponent."""
    data = growth.deterministic_growth(profile, seed, hotter=hotter)
    slopes = {noise: growth.deterministic_slope(rows) for noise, rows in data.groupby("noise", sort=False)}
    detail = "Least-squares exponents (99 %): " + ", ".join(f"{n} {s}" for n, (s, _) in slopes.items()) + "."
    return Evidence(measured=max(steepest for _, steepest in slopes.values()), limit=1.5, detail=detail)


def simulated_growth(profile: str, seed: int, *, hotter: bool) -> Evidence:
    """Largest upper confidence limit of the exponent of log K: 20 families, and the three noises on the worst.

    With `hotter`, the three noises multiplied by log K.
    """
    rate = certify.share(48)
    n_actions, samples, _ = growth.simulated_growth(profile, seed, hotter=hotter)
    slopes = {n: growth.simulated_slope(n_actions, v, false_alarm=rate) for n, v in samples.items()}
    detail = "Exponents on the worst family: " + ", ".join(f"{n} {slope}" for n, slope in slopes.items()) + "."
    highest = max(slope.high for slope in slopes.values())
    if not hotter:
        families = growth.family_slopes(profile, seed, false_alarm=rate)
        highest = max(highest, float(families["high"].max()))
        detail += f" Over 20 families: {families['exponent'].min():.2f} to {families['exponent'].max():.2f}."
    return Evidence(measured=highest, limit=1.75, detail=detail)


def table_1(profile: str, seed: int, *, measured: str) -> Evidence:
    """Every measured row of Table 1 against its bound with explicit constants."""
    data = experiments.regret_table(profile, seed)
    rows = data[data["measured"].notna() & data["bound"].notna()]
    pieces = [
        Evidence(
            measured=row[measured],
            limit=row["bound"],
            detail=f"Closest: {row['learner']}, {row['setting']}.",
            uniform=row["uniform"],
        )
        for row in rows.to_dict("records")
    ]
    return Evidence.worst(pieces)
