"""Limits of the regrets that the register's claims measured: the same experiments, instance by instance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from math import log, sqrt
from typing import Any

import numpy as np
import pandas as pd

from replicate import certify
from replicate.papers.bandits.algorithms.advice import batched_exp4_tuning
from replicate.papers.bandits.checks import regret as ba_checks
from replicate.papers.bandits.experiments import regret as ba
from replicate.papers.bandits.experiments import sweeps
from replicate.papers.distribution_learning import instances as dl_instances
from replicate.papers.distribution_learning.experiments import regret as dl
from replicate.papers.noisy_leader.experiments import growth
from replicate.papers.noisy_leader.experiments import regret as nl
from replicate.papers.prefix_softmax import experiments as ps
from replicate.papers.tracking import bounds as tr_bounds
from replicate.papers.tracking.algorithms import dartboard, mirror_descent, switching
from replicate.papers.tracking.experiments import oblivious, shifting
from tests.claims.quick import SEED

ROUNDS = 2**59
"""Horizon of the experiments of papers 1 and 2."""
LETTERS = {
    "n_actions": "K", "n_experts": "N", "n_hypotheses": "K", "epsilon": "ε", "horizon": "T", "delta": "δ",
    "gap": "gap", "noise_scale": "noise", "batch": "B", "n_switches": "S",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One instance at one size: confidence limits of the learner's regret, and uniform play's regret."""

    instance: str
    setting: Mapping[str, Any]
    """Arguments of the bound."""
    lower: float
    upper: float
    uniform: float

    def __str__(self) -> str:
        """The instance, and its sizes by the papers' letters."""
        sizes = ((LETTERS[k], v) for k, v in self.setting.items() if k in LETTERS)
        shown = (f"{k}={v:,}" if isinstance(v, int) and v < 10**8 else f"{k}={v:.3g}" for k, v in sizes)
        return ", ".join([self.instance, *shown])


Limits = tuple[float, float]


def of_rows(rows: pd.DataFrame, names: str, limits: Iterable[Limits], **more: Any) -> list[Cell]:
    """A cell for every row; `names` are the columns that the bound takes, `more` its other arguments."""
    return [
        Cell(
            instance=row.get("instance") or row["where"].partition(",")[0],
            setting={name: row[name] for name in names.split()} | more,
            lower=low, upper=high, uniform=row["uniform"],
        )
        for row, (low, high) in zip(rows.to_dict("records"), limits, strict=True)
    ]  # fmt: skip


def betting(samples: np.ndarray, least: float, most: float, comparisons: int = 1) -> Limits:
    """Limits of the mean of samples between two numbers, without normality."""
    alarm, x = certify.share(comparisons), np.clip(samples, least, most)
    upper = certify.betting_upper(x, low=least, high=most, false_alarm=alarm)
    return float(certify.betting_lower(x, low=least, false_alarm=alarm)), float(upper)


def quantile(values: np.ndarray, exceeded: float) -> Limits:
    """Limits of the value that is exceeded with probability `exceeded`."""
    low, high = (limit(values, level=1 - exceeded) for limit in (certify.quantile_lower, certify.quantile_upper))
    return low, high


DEPENDENT = ["comonotone losses", "antithetic losses", "one-hot losses"]


@cache
def ps_cells(only: str = "") -> list[Cell]:
    data = pd.concat([ps.regret_grid("quick", SEED), ps.structured_grid("quick", SEED)])
    names = "n_actions gap epsilon"
    if only == "dependent":
        data = data[data["instance"].isin(DEPENDENT)]
    elif only == "small epsilon":
        data = data[data["epsilon"] <= 1 / 4]
    elif only == "large epsilon":
        data, names = data[data["epsilon"] > 1 / 4], "n_actions gap"
    return of_rows(data, names, zip(data["lower"], data["upper"], strict=True))


@cache
def ps_worst_cells() -> list[Cell]:
    """Exact regrets over log K / gap + log K / epsilon, as a search found them."""
    found = []
    for row in ps.worst_instances("quick", SEED).to_dict("records"):
        k, gap, epsilon = row["n_actions"], min(map(float, row["gaps"].split())), row["epsilon"]
        regret = row["ratio"] * log(k) * (1 / gap + 1 / epsilon)
        found.append(
            Cell(
                instance="deterministic", setting={"n_actions": k, "gap": gap, "epsilon": epsilon}, lower=regret,
                upper=regret, uniform=ROUNDS * gap * (1 - 1 / k),
            )
        )  # fmt: skip
    return found


@cache
def nl_cells(noise: str, *, fixed_gap: bool = True) -> list[Cell]:
    data = nl.regret_grid("quick", SEED)
    data = data[data["noise"] == noise]
    limits = zip(data["lower"], data["upper"], strict=True)
    if fixed_gap:
        return of_rows(data, "n_actions gap epsilon noise", limits)
    return of_rows(data, "n_actions epsilon noise", limits, horizon=ROUNDS)


@cache
def nl_exact_cells(*noises: str) -> list[Cell]:
    """Worst exact regrets that a search found, T = 2**32; its gaps are at least e**-4."""
    data = growth.deterministic_growth("quick", SEED, "1")
    data = data[data["noise"].isin(noises)]
    regret = data["regret"] / growth.EPSILON
    least = growth.SETTLED * np.exp(-4) * (1 - 1 / data["n_actions"])
    data = data.assign(instance="deterministic, " + data["noise"], uniform=least)
    return of_rows(data, "n_actions", zip(regret, regret, strict=True), epsilon=growth.EPSILON)


@cache
def tr_window_cells(formula: str) -> list[Cell]:
    """Largest window regret over its bound in nine runs of ten, times the bound of the whole run."""
    setting = {"n_actions": 10, "horizon": 2**14, "epsilon": 1.0, "failure": 0.1}
    width = 2**14 - 1
    ratio, other = (shifting.stationary("quick", SEED, who)[formula] for who in ("private", "uniform"))
    known = {"printed": tr_bounds.adaptive_regret, "proved": tr_bounds.proved_regret}
    constant, root = known[formula](**setting)
    bound = constant + root * sqrt(width)
    low, high = quantile(ratio.to_numpy(), 0.1)
    return [
        Cell(
            instance="every window but in 10% of runs, Bernoulli", setting={**setting, "width": width},
            lower=low * bound, upper=high * bound, uniform=other.min() * bound,
        )
    ]  # fmt: skip


@cache
def tr_stretch_cells() -> list[Cell]:
    """Worst regret of a stretch between restarts over its bound, times the bound of the whole run."""
    data = shifting.shifting("quick", SEED, "printed")
    horizon = int(data["horizon"].iloc[0])
    rule = tr_bounds.restart_rule(n_actions=10, epsilon=1.0, horizon=horizon, calibration="printed")
    bound = tr_bounds.inequality_1(rule, switches=1, length=horizon)
    low, high = quantile(data["piece"].to_numpy(), 0.4)
    setting = {"n_actions": 10, "horizon": horizon, "epsilon": 1.0, "failure": 1 / horizon}
    return [
        Cell(
            instance="worst stretch in 60% of runs, one shift",
            setting=setting | {"switches": 1, "length": horizon},
            lower=low * bound, upper=high * bound, uniform=float(data["uniform"].iloc[0]),
        )
    ]  # fmt: skip


def of_runs(
    data: pd.DataFrame, instance: str, setting: Mapping[str, Any], *, least: float = 0.0, n: int = 1
) -> Cell:
    """A cell from runs on one instance, regret between `least` and T; limits shared among n."""
    low, high = betting(data["regret"].to_numpy(), least, float(data["horizon"].iloc[0]), n)
    uniform = float(data["uniform"].iloc[0])
    return Cell(instance=instance, setting=setting, lower=low, upper=high, uniform=uniform)


@cache
def tr_shifting_cells(calibration: str, windows: str = "all") -> list[Cell]:
    data = shifting.shifting("quick", SEED, calibration, windows)
    horizon = int(data["horizon"].iloc[0])
    setting = {"n_actions": 10, "horizon": horizon, "n_switches": 2, "epsilon": 1.0, "failure": 1 / horizon}
    return [of_runs(data, "one shift", setting, least=-horizon)]


@cache
def tr_oblivious_cells() -> list[Cell]:
    groups = list(oblivious.oblivious("quick", SEED).groupby(["n_actions", "n_switches", "horizon", "batch"]))
    found = []
    for (n, s, horizon, batch), rows in groups:
        log_d, horizon = float(rows["log_d"].iloc[0]), int(horizon)
        board = dartboard.tune_dartboard(epsilon=1.0, delta=1e-6, horizon=horizon, log_d=log_d, batches=(batch,))
        setting = {"learning_rate": board.learning_rate, "redraw": board.redraw, "batch": int(batch)}
        setting |= {"horizon": horizon, "log_d": log_d}
        found.append(of_runs(rows, f"fixed table, K={n}, S={s}, ε=1", setting, n=len(groups)))
    return found


def descent(horizon: int, epsilon: float, calibration: str) -> dict[str, Any]:
    """The setting of Algorithm 3 on two experts and one switch."""
    setting = {"n_actions": 2, "horizon": horizon, "n_switches": 1}
    rate, noise = mirror_descent.parameters(**setting, epsilon=epsilon, calibration=calibration)
    return setting | {"noise": noise, "learning_rate": rate}


@cache
def tr_mirror_cells(calibration: str, horizon: int | None = None, epsilon: float = 0.9) -> list[Cell]:
    data = oblivious.mirror("quick", SEED, calibration, horizon, epsilon)
    setting = descent(int(data["horizon"].iloc[0]), epsilon, calibration)
    return [of_runs(data, f"fixed table, ε={epsilon}", setting)]


@cache
def tr_watched_cells() -> list[Cell]:
    data = oblivious.watched("quick", SEED)
    horizon = int(data["horizon"].iloc[0])
    setting = descent(horizon, 0.9, "corrected") | {"log_d": switching.log_count_sequences(horizon, 2, 1)}
    return [of_runs(data, "adversary that reacts, ε=0.9", setting)]


def ba_limits(data: pd.DataFrame, comparisons: int, *, nominal: bool = False) -> list[Limits]:
    """Limits of mean regrets as the register's check has them, from bets or Student's."""
    alarm = certify.share(comparisons)
    if nominal:
        return [
            (float(certify.mean_lower(x, false_alarm=alarm)), float(certify.mean_upper(x, false_alarm=alarm)))
            for x in data["samples"]
        ]
    return [
        (ba_checks.regret_lower(x, most, alarm=alarm), ba_checks.regret_upper(x, most, alarm=alarm))
        for x, most in zip(data["samples"], data["range"], strict=True)
    ]


BASES = {"Corollary 2": "HTINF, Corollary 2", "Corollary 22": "EXP3, proof of Corollary 22"}
"""Statements whose claims hold the base learner against its bound as well."""


def ba_base(proof: str | None) -> pd.DataFrame:
    data = ba.noisy_regret("quick", SEED)
    return data[data["proof"] == proof]


@cache
def ba_private_cells(statement: str) -> list[Cell]:
    data = ba.private_regret(statement, "quick", SEED)
    comparisons = len(data) + len(ba_base(BASES.get(statement)))
    limits = ba_limits(data, comparisons, nominal=statement in ba_checks.NOMINAL)
    return of_rows(data, "n_actions epsilon horizon", limits)


@cache
def ba_base_cells(proof: str) -> list[Cell]:
    others = sum(len(ba.private_regret(name, "quick", SEED)) for name, base in BASES.items() if base == proof)
    data = ba_base(proof)
    return of_rows(data, "n_actions noise_scale horizon", ba_limits(data, len(data) + others))


@cache
def ba_expert_cells(statement: str, names: str = "n_actions n_experts epsilon horizon", **more: Any) -> list[Cell]:
    data = ba.expert_regret(statement, "quick", SEED)
    return of_rows(data, names, ba_limits(data, 3 * len(data)), **more)


@cache
def ba_tuned_cells() -> list[Cell]:
    """With the parameters of Theorem 10, which the sum of its proof takes."""
    found = []
    for cell in ba_expert_cells("Theorem 10", delta=ba.DELTA):
        tuned = batched_exp4_tuning(**cell.setting)
        more = {"learning_rate": tuned.learning_rate, "mixing": tuned.mixing, "batch": tuned.batch}
        found.append(Cell(**{**vars(cell), "setting": {**cell.setting, **more}}))
    return found


@cache
def ba_separation_cells() -> list[Cell]:
    """The experiment has regrets a round."""
    data = sweeps.separation("quick", SEED)
    data = (
        data[data["learner"] == "htinf"]
        .tail(1)
        .assign(instance="losses 0 and 1", uniform=lambda x: x["horizon"] / 2)
    )
    limits = zip(data["lower"] * data["horizon"], data["upper"] * data["horizon"], strict=True)
    return of_rows(data, "epsilon horizon", limits, n_actions=2)


@cache
def dl_cells(scheme: str, quantity: str = "risk") -> list[Cell]:
    data = dl.theorem_grid(scheme, "quick", SEED)
    data = data.assign(uniform=data[f"{quantity}_uniform"])
    limits = zip(data[f"{quantity}_lower"], data[f"{quantity}_learned"], strict=True)
    more = {"delta": dl.DELTA} if scheme == "approximate" else {}
    return of_rows(data, "n_hypotheses horizon epsilon", limits, **more)


@cache
def dl_adversarial_cells() -> list[Cell]:
    parts = []
    for order in ("hardest first", "hardest last", "greedy"):
        parts.append(dl.chosen_contexts("quick", SEED, order).assign(instance=f"contexts {order}"))
    data = pd.concat(parts)
    return of_rows(data, "horizon", zip(data["lower"], data["learned"], strict=True), n_hypotheses=4, epsilon=1.0)


@cache
def dl_large_cells(scheme: str) -> list[Cell]:
    data = dl.large_classes("quick", SEED)
    data = data[data["scheme"] == scheme]
    data = data.assign(instance=[f"M={m}" for m in data["n_labels"]])
    names = "n_hypotheses delta" if scheme == "approximate" else "n_hypotheses"
    return of_rows(data, names, zip(data["lower"], data["learned"], strict=True), horizon=10**14, epsilon=1.0)


@cache
def dl_mixture_cells() -> list[Cell]:
    found = []
    for gap, horizon in ((gap, t) for gap in (0.01, 0.1, 0.4) for t in (10, 1000, 10**5)):
        risk = dl.coins_mixture_risk(gap, horizon)
        uniform = horizon * dl.uniform_losses(dl_instances.close_pair(gap), 0)[0]
        where, setting = f"two coins, gap {gap:g}, T={horizon:,}", {"n_hypotheses": 2}
        found.append(Cell(instance=where, setting=setting, lower=risk, upper=risk, uniform=uniform))
    return found
