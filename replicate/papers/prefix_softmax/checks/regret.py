"""Checks of the regret claims."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from replicate import certify, environments
from replicate.claims import Evidence
from replicate.learners import dyadic
from replicate.papers.prefix_softmax import algorithms, bounds, experiments
from replicate.papers.prefix_softmax.instances import HORIZON, SIZES, means_of
from replicate.streams import stream
from replicate.validation import FloatArray

MEASURED = {"prefix softmax": "upper", "uniform play": "uniform"}
"""Columns of regret by learner: an upper confidence limit, and an exact regret."""


def _under(data: pd.DataFrame, measured: str, bound: str) -> Evidence:
    """Compare two columns row by row and return the row closest to its bound."""
    pieces = []
    for row in data.to_dict("records"):
        where = f"K={row['n_actions']}, gap={row['gap']:.3g}, ε={row['epsilon']:g}"
        detail = f"Worst of {len(data)} settings: {row['instance']}, {where}."
        pieces.append(Evidence(measured=row[measured], limit=row[bound], detail=detail, uniform=row["uniform"]))
    return Evidence.worst(pieces)


def theorem_1(profile: str, seed: int, *, form: str, learner: str) -> Evidence:
    """Upper confidence limit of the regret, against Theorem 1 in its form ``"(1)"`` or ``"(2)"``."""
    data = pd.concat([experiments.regret_grid(profile, seed), experiments.structured_grid(profile, seed)])
    return _under(data, MEASURED[learner], {"(1)": "bound_1", "(2)": "bound_2"}[form])


def dependent(profile: str, seed: int, *, learner: str) -> Evidence:
    """Upper confidence limit of the regret on losses dependent within a round, against Theorem 1, (1)."""
    data = experiments.structured_grid(profile, seed)
    names = ["comonotone losses", "antithetic losses", "one-hot losses"]
    return _under(data[data["instance"].isin(names)], MEASURED[learner], "bound_1")


def rate(profile: str, seed: int, *, noise_power: int) -> Evidence:
    """Distance from slope 1 of the regret in 1/gap, 1/epsilon and log K; the nearest other rates are 1/2 and 2.

    The noise of the selections behind the slope in log K is multiplied by (log K)**noise_power.
    """
    false_alarm = certify.share(2)
    gaps, by_gap = experiments.gap_sweep(profile, seed)
    levels, by_level = experiments.epsilon_sweep(profile, seed)
    n_actions = 2 ** np.arange(1, 15)
    by_log_k = np.array([_zero_one_regret(int(k), 0.1 / np.log(k) ** noise_power) for k in n_actions])
    slopes = {
        "1/gap (gap 1e-4 to 3e-3)": certify.log_log_slope(1 / gaps[:4], by_gap[:, :4], false_alarm=false_alarm),
        "1/ε (ε 1e-3 to 1/4)": certify.log_log_slope(1 / levels, by_level, false_alarm=false_alarm),
        "log K (K to 2^14, exact)": certify.log_log_slope(np.log(n_actions), np.tile(by_log_k, (2, 1))),
    }
    detail = "Slope in " + ", ".join(f"{name}: {slope}" for name, slope in slopes.items()) + "."
    distance = max(max(abs(s.low - 1), abs(s.high - 1)) for s in slopes.values())
    return Evidence(measured=distance, limit=0.5, detail=detail)


def _zero_one_regret(n_actions: int, epsilon: float) -> float:
    """Exact regret at T = 2**59 where the best action always has loss 0 and the others have loss 1."""
    means = (np.arange(n_actions) > 0).astype(np.float64)
    return float(algorithms.exact_regret(means, epsilon=epsilon, horizon=HORIZON).final[0])


def horizon_free(profile: str, seed: int, *, temperature: str) -> Evidence:
    """Largest growth of the regret after 2**24 rounds, against what the proof leaves for them."""
    grid = experiments.regret_grid(profile, seed)
    late = float((grid["regret"] - grid["regret_2^24"]).max())
    early = float((grid["regret"] / grid["regret_2^20"] - 1).max())
    detail = (
        "Largest growth from T=2^24 to 2^59 over the grid and an exact instance; "
        f"from T=2^20 the means of the grid grow by at most {early:.2%}."
    )
    limit = bounds.remainder(n_actions=max(SIZES[profile].n_actions), gap=0.01, epsilon=0.01, rounds=2**22)
    return Evidence(measured=max(late, _late_growth(temperature)), limit=limit, detail=detail)


@cache
def _late_growth(temperature: str) -> float:
    """Growth of the regret from T = 2**24 to 2**59 on deterministic losses, linear gaps from 0.01, epsilon = 0.01.

    The temperature of the softmax is ``"constant"``, 1 / eta, or ``"largest sum"``, 1 / eta times the block's
    largest sum of losses: then the selection never sharpens.
    """
    means, eta = means_of("linear gaps", 16, 0.01), algorithms.learning_rate(0.01)
    if temperature == "constant":
        run = algorithms.exact_regret(means, epsilon=0.01, horizon=HORIZON)
    else:
        run = dyadic.simulate(
            environments.Deterministic(means),
            selector=lambda sums: algorithms.selector(eta)(sums / sums.max(axis=-1, keepdims=True)),
            horizon=HORIZON,
            replicates=1,
            rng=stream(0, "not used by deterministic losses"),
        )
    return float(run.final[0] - run.regret[0, 23])


def noisy_max_growth(profile: str, seed: int, *, log_factors: int) -> Evidence:
    """Slope in log K, K >= 16, of report-noisy-max's regret, multiplied by (log K)**log_factors."""
    data = experiments.against_noisy_max(profile, seed)
    pieces = []
    for (gap, epsilon), part in data.groupby(["gap", "epsilon"]):
        wide = {name: _by_k(rows) for name, rows in part.groupby("learner")}
        k = np.array(sorted(part["n_actions"].unique()))
        k, gumbel, ours = k[3:], wide["gumbel"][:, 3:], wide["prefix_softmax"][:, 3:]
        slope = certify.log_log_slope(np.log(k), gumbel * np.log(k) ** log_factors, false_alarm=certify.share(3))
        advantage = (ours.mean(axis=0) / gumbel.mean(axis=0)).min()
        detail = (
            f"Slope in log K {slope} at gap={gap:g}, ε={epsilon:g}; "
            f"there the regret of prefix softmax is at least {advantage:.2f} times as large."
        )
        pieces.append(Evidence(measured=slope.high, limit=1.5, detail=detail))
    return Evidence.worst(pieces)


def _by_k(rows: pd.DataFrame) -> FloatArray:
    """Regrets of one learner, shape (replicates, number of K)."""
    return np.stack([group["regret"].to_numpy() for _, group in rows.groupby("n_actions")], axis=1)


def largest_ratio(profile: str, seed: int, *, constant: float) -> Evidence:
    """Largest exact regret over log K / gap + log K / epsilon that a search over gap vectors finds."""
    data = experiments.worst_instances(profile, seed)
    row = data.loc[data["ratio"].idxmax()]
    private = data.loc[data["epsilon"] <= 0.25, "ratio"].max()
    detail = (
        f"Largest Reg/rate found: gaps {row['gaps']}, K={row['n_actions']}, ε={row['epsilon']:g}; "
        f"for ε ≤ 1/4 the largest is {private:.2f}."
    )
    return Evidence(measured=float(row["ratio"]), limit=constant, detail=detail)


def cap(profile: str, seed: int, *, epsilon: float) -> Evidence:
    """Exact regret with eta = min(epsilon / 2, 1/8) over that with eta = epsilon / 2, against 4."""
    data = experiments.cost_of_the_cap()
    row = data.iloc[(data["epsilon"] - epsilon).abs().argmin()]
    detail = f"Exact regret with the cap over without, K=16, 0/1 losses, ε={row['epsilon']:.3g}."
    return Evidence(measured=float(row["capped"] / row["uncapped"]), limit=4.0, relation=">=", detail=detail)
