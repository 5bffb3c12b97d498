"""Regret over horizons and privacy levels, and Figure 1 of the paper: what the figures are drawn from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from replicate import certify
from replicate.budget import cache
from replicate.learners.protocol import Run
from replicate.papers.bandits import bounds
from replicate.papers.bandits.algorithms import leakage as exp3
from replicate.papers.bandits.algorithms import simulation, tuning
from replicate.papers.bandits.instances import SIZES, gap_one
from replicate.streams import stream


@cache
def over_time(profile: str, seed: int) -> pd.DataFrame:
    """Regret against T of every learner, tuned for each T, K = 2, losses 0 and 1, epsilon = 0.1."""
    sizes, rows = SIZES[profile], []
    horizons = np.geomspace(10**3, sizes.sweep_horizon, 5 if profile == "quick" else 9).astype(int)
    for learner in tuning.LEARNERS:
        epsilon = 0.1 if learner in tuning.PRIVATE else None
        for horizon in map(int, horizons):
            rng = stream(seed, "bandits/over_time", learner, horizon)
            run = _run(learner, epsilon, horizon, sizes.sweep_replicates, rng)
            if run is not None:
                low, high = np.quantile(run.final, [0.1, 0.9])
                rows.append(
                    {"learner": learner, "rounds": horizon, "regret": run.final.mean(), "low": low, "high": high}
                )
    return pd.DataFrame(rows)


def _run(
    learner: str, epsilon: float | None, horizon: int, replicates: int, rng: np.random.Generator
) -> Run | None:
    """Simulate a learner on losses 0 and 1, K = 2; None where the paper's tuning is undefined."""
    try:
        tuning.plan(learner, n_actions=2, epsilon=epsilon, horizon=horizon)
    except ValueError:
        return None
    return simulation.simulate(
        gap_one(2), learner=learner, epsilon=epsilon, horizon=horizon, replicates=replicates, rng=rng
    )


@cache
def against_epsilon(profile: str, seed: int) -> pd.DataFrame:
    """Final regrets at one T over epsilon, K = 2, losses 0 and 1; one row a replicate."""
    sizes, rows = SIZES[profile], []
    horizon = sizes.sweep_horizon // 10 if profile != "quick" else sizes.sweep_horizon
    levels = np.geomspace(0.01, 1, 5 if profile == "quick" else 9)
    runs = [(learner, float(epsilon), (float(epsilon),)) for epsilon in levels for learner in tuning.PRIVATE]
    for learner, epsilon, key in [*runs, ("tsallis_inf", None, ())]:
        rng = stream(seed, "bandits/against_epsilon", learner, *key)
        run = _run(learner, epsilon, horizon, sizes.sweep_replicates, rng)
        if run is not None:
            level = np.nan if epsilon is None else epsilon
            rows += [
                {"learner": learner, "epsilon": level, "horizon": horizon, "replicate": i, "regret": x}
                for i, x in enumerate(run.final)
            ]
    return pd.DataFrame(rows)


@cache
def prior_work(profile: str, seed: int) -> pd.DataFrame:
    """Final regrets of HTINF in batches and of noise on every round, K = 2, losses 0 and 1; one row a run.

    Three privacy levels up to 0.1 and the horizon of `against_epsilon`, with as many replicates as bets need.
    """
    horizon, rows = SIZES[profile].sweep_horizon // (10 if profile != "quick" else 1), []
    for i, epsilon in enumerate(map(float, np.geomspace(0.01, 0.1, 3))):
        for learner in ("htinf", "per_round_exp3"):
            rng = stream(seed, "bandits/prior_work", learner, i)
            run = simulation.simulate(
                gap_one(2), learner=learner, epsilon=epsilon, horizon=horizon, replicates=100, rng=rng
            )
            rows.append({"learner": learner, "epsilon": epsilon, "horizon": horizon, "samples": run.final})
    return pd.DataFrame(rows)


_BETS = 48
"""Replicates with which bets tell half of the largest possible mean from the largest."""


@cache
def leakage() -> pd.DataFrame:
    """Figure 1 of the paper: EXP3's P_t(2) on two neighbouring sequences, eta = gamma = 1e-4, T = 100 / eta."""
    first, second = exp3.exp3_leakage(learning_rate=1e-4, mixing=1e-4, horizon=10**6)
    return pd.DataFrame({"t": np.arange(1, len(first) + 1), "first": first, "neighbour": second})


@cache
def separation(profile: str, seed: int) -> pd.DataFrame:
    """Regret / T at epsilon = T**-0.6, K = 2, losses 0 and 1, with limits from bets: it lies between 0 and 1.

    Algorithm 1 to T = 1e14, noise on every round to T = 10**local_power: bets at these two, 10 runs elsewhere.
    """
    rows, alarm = [], certify.share(60)
    runs = [("htinf", 10**p) for p in range(4, 15)]
    runs += [("per_round_exp3", 10**p) for p in range(4, SIZES[profile].local_power + 1)]
    for learner, horizon in runs:
        epsilon = horizon**-0.6
        bets = horizon == (10**14 if learner == "htinf" else 10 ** SIZES[profile].local_power)
        rng = stream(seed, "bandits/separation", learner, horizon)
        sizes: dict[str, Any] = {"horizon": horizon, "replicates": _BETS if bets else 10, "rng": rng}
        run = simulation.simulate(gap_one(2), learner=learner, epsilon=epsilon, **sizes)
        rates = np.clip(run.final / horizon, 0, 1)
        row: dict[str, Any] = {"learner": learner, "horizon": float(horizon), "epsilon": epsilon, "samples": rates}
        row["rate"] = float(run.final.mean() / horizon)
        row["upper"] = float(certify.betting_upper(rates, low=0, high=1, false_alarm=alarm))
        row["lower"] = -float(certify.betting_upper(-rates, low=-1, high=0, false_alarm=alarm))
        row["bound"] = float(bounds.corollary_2(n_actions=2, epsilon=epsilon, horizon=horizon)) / horizon
        rows.append(row)
    return pd.DataFrame(rows)
