"""Checks of the regret claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from replicate import certify
from replicate.claims import EXACT, Evidence
from replicate.papers.noisy_leader import bounds, instances
from replicate.papers.noisy_leader.experiments import deterministic, growth
from replicate.papers.noisy_leader.experiments import regret as experiments

UNIFORM = "uniform play"


def _where(row: dict[str, Any]) -> str:
    parts = [f"K={row['n_actions']}", f"gap={row['gap']:g}" if "gap" in row else "", row.get("noise", "")]
    parts += [f"ε={row['epsilon']:g}" if "epsilon" in row else "", row.get("instance", "")]
    return ", ".join(part for part in parts if part)


def _under(rows: Iterable[Any], measured: str, bound: str) -> Evidence:
    """Compare one column with another, row by row, and return the row closest to its bound."""
    return Evidence.worst(
        Evidence(
            measured=row[measured],
            limit=row[bound],
            detail=f"Closest: {_where(row)}.",
            uniform=row.get("uniform"),
        )
        for row in rows
    )


def upper_bound(profile: str, seed: int, *, theorem: str, noises: tuple[str, ...], learner: str) -> Evidence:
    """Upper confidence limit of the regret at T = 2**59, or the regret of uniform play, against a theorem."""
    data = experiments.regret_grid(profile, seed)
    measured = "uniform" if learner == UNIFORM else "upper"
    return _under(data[data["noise"].isin(noises)].to_dict("records"), measured, theorem)


def corollary_2(profile: str, seed: int, *, learner: str) -> Evidence:
    """Upper confidence limit of the regret at the critical gap, or uniform play's regret, against Corollary 2."""
    rows, _ = experiments.critical_gaps(profile, seed)
    return _under(rows.to_dict("records"), "uniform" if learner == UNIFORM else "upper", "bound")


def critical_slope(profile: str, seed: int, *, power: float) -> Evidence:
    """Distance from 1/2 of the log-log slope in T of the worst regret multiplied by T**power."""
    rows, samples = experiments.critical_gaps(profile, seed)
    horizons = np.sort(rows["rounds"].unique()).astype(np.float64)
    slopes = {
        noise: certify.log_log_slope(horizons, values * horizons**power, false_alarm=certify.share(3))
        for noise, values in samples.items()
    }
    distance = max(max(abs(s.low - 0.5), abs(s.high - 0.5)) for s in slopes.values())
    detail = "Slopes " + ", ".join(f"{noise} {slope}" for noise, slope in slopes.items()) + "."
    return Evidence(measured=distance, limit=0.1, detail=detail)


def no_horizon(profile: str, seed: int, *, learner: str) -> Evidence:
    """Upper limit of the growth after T = 2**30 over 29 log K / epsilon, the growth that Theorem 1 allows."""
    last = experiments.late_growth(profile, seed, learner).groupby("instance").last()
    share = last["growth"] / last["claimed_growth"]
    detail = f"Largest growth from 2^30 to 2^59: {last['growth'].max():.3g} ({share.idxmax()})."
    return Evidence(measured=float(share.max()), limit=0.01, detail=detail)


def corollary_3(profile: str, seed: int, *, learner: str) -> Evidence:
    """Largest exact regret that the search found, or uniform play's regret, times epsilon, against Corollary 3."""
    data = _worst_found(profile, seed)
    return _under(data.to_dict("records"), "uniform" if learner == UNIFORM else "regret", "corollary_3")


def theorem_4(profile: str, seed: int, *, factor: float) -> Evidence:
    """Largest exact regret found with Gumbel or exponential noise, times epsilon, against Theorem 4."""
    data = _worst_found(profile, seed)
    data = data[data["noise"] != "laplace"]
    bound = [bounds.theorem_4(n_actions=k, epsilon=growth.EPSILON, factor=factor) for k in data["n_actions"]]
    return _under(data.assign(bound=growth.EPSILON * np.array(bound)).to_dict("records"), "regret", "bound")


def potential(profile: str, seed: int, *, factor: float) -> Evidence:
    """Largest exact regret that the search found, times epsilon, against our bound for any noise."""
    data = _worst_found(profile, seed)
    bound = [
        bounds.potential(n_actions=k, noise=noise, scale=2 / growth.EPSILON, factor=factor)
        for k, noise in zip(data["n_actions"], data["noise"], strict=True)
    ]
    return _under(data.assign(bound=growth.EPSILON * np.array(bound)).to_dict("records"), "regret", "bound")


def _worst_found(profile: str, seed: int) -> pd.DataFrame:
    """The worst exact regrets found, times epsilon, and those of uniform play where all gaps are one."""
    data = growth.deterministic_growth(profile, seed, "1")
    uniform = growth.EPSILON * instances.HORIZON * (1 - 1 / data["n_actions"])
    return data.assign(epsilon=growth.EPSILON, uniform=uniform)


def corollary_3_resampled(profile: str, seed: int, *, resample: bool) -> Evidence:
    """Lower limit of the regret with B = 1, or exact regret with B = 0, over Corollary 3's bound, gap 0.001."""
    data = deterministic.resampling_cost(profile, seed).query("gap == 0.001")
    return Evidence.worst(
        Evidence(
            measured=row["B = 1, at least" if resample else "B = 0"],
            limit=row["corollary_3"],
            relation=">=",
            detail=f"{row['noise']}: {row['B = 1']:.0f} with B = 1, {row['B = 0']:.3g} with B = 0.",
        )
        for row in data.to_dict("records")
    )


_LOWER: dict[str, Callable[..., float]] = {
    "printed": bounds.theorem_3,
    "integral": bounds.theorem_3_integral,
    "sum": bounds.theorem_3_sum,
}


def lower_bound(profile: str, seed: int, *, form: str, learners: tuple[str, ...]) -> Evidence:
    """Smallest exact regret over a form of Theorem 3, over learners, K, epsilon and T."""
    sizes = (2, 16, 256) if profile == "quick" else (2, 16, 256, 4096, 2**14)
    pieces = []
    for n_actions, epsilon, horizon in product(sizes, (0.01, 0.1, 1.0, 3.0), (2, 3, 10, 1000, 2**40)):
        limit = _LOWER[form](n_actions=n_actions, epsilon=epsilon, horizon=horizon)
        for learner in learners:
            regret = deterministic.lower_bound_regret(
                learner, n_actions=n_actions, epsilon=epsilon, horizon=horizon
            )
            detail = f"Closest: {learner}, K={n_actions}, ε={epsilon:g}, T={horizon}; bound {limit:.4g}."
            pieces.append(Evidence(measured=regret / limit, limit=1 - EXACT, relation=">=", detail=detail))
    return Evidence.worst(pieces)


def below_the_sum(profile: str, seed: int, *, learner: str) -> Evidence:
    """The sum form of Theorem 3 over the exact regret of exponential noise, K = 2, epsilon = 1, T = 2."""
    regret = deterministic.lower_bound_regret(learner, n_actions=2, epsilon=1.0, horizon=2)
    limit = bounds.theorem_3_sum(n_actions=2, epsilon=1.0, horizon=2)
    detail = f"Regret {regret:.4g}; of every 1-DP learner at least {limit:.4g}."
    return Evidence(measured=limit / regret, limit=1 + EXACT, relation=">=", detail=detail)


def exact_growth(profile: str, seed: int, *, noise_factor: str) -> Evidence:
    """Steepest growth in log K of the worst exact regret found, as an exponent."""
    data = growth.deterministic_growth(profile, seed, noise_factor)
    slopes = {noise: growth.deterministic_slope(rows) for noise, rows in data.groupby("noise", sort=False)}
    detail = "Least-squares exponents (99 %): " + ", ".join(f"{n} {s}" for n, (s, _) in slopes.items()) + "."
    return Evidence(measured=max(steepest for _, steepest in slopes.values()), limit=1.5, detail=detail)


def simulated_growth(profile: str, seed: int, *, noise_factor: str) -> Evidence:
    """Largest upper confidence limit of the exponent of log K, three noises on the worst of 20 families.

    With the noise as it is, `noise_factor` ``"1"``, over the families themselves as well.
    """
    rate = certify.share(48)
    n_actions, samples, _ = growth.simulated_growth(profile, seed, noise_factor)
    slopes = {n: growth.simulated_slope(n_actions, v, false_alarm=rate) for n, v in samples.items()}
    detail = "Exponents on the worst family: " + ", ".join(f"{n} {slope}" for n, slope in slopes.items()) + "."
    highest = max(slope.high for slope in slopes.values())
    if noise_factor == "1":
        families = growth.family_slopes(profile, seed, false_alarm=rate)
        highest = max(highest, float(families["high"].max()))
        detail += f" Over 20 families: {families['exponent'].min():.2f} to {families['exponent'].max():.2f}."
    return Evidence(measured=highest, limit=1.75, detail=detail)


def table_1(profile: str, seed: int, *, learner: str) -> Evidence:
    """Every measured row of Table 1, or uniform play's regret, against the row's bound with explicit constants."""
    data = experiments.regret_table(profile, seed)
    rows = data[data["measured"].notna() & data["bound"].notna()]
    return Evidence.worst(
        Evidence(
            measured=row["uniform" if learner == UNIFORM else "measured"],
            limit=row["bound"],
            detail=f"Closest: {row['learner']}, {row['setting']}.",
            uniform=row["uniform"],
        )
        for row in rows.to_dict("records")
    )
