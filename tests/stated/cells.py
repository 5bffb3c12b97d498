"""Where the regrets of the register's claims were measured: the same experiments, instance by instance."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
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
from replicate.papers.tracking.algorithms import dartboard, lazy, switching
from replicate.papers.tracking.experiments import oblivious, shifting
from tests.claims.quick import SEED
from tests.stated.formulas import ROUNDS, log, ps_rate, sqrt


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One instance at one size: confidence limits of the regret, the package's bound, uniform play's regret."""

    where: str
    setting: Mapping[str, float | str]
    lower: float
    upper: float
    bound: float
    uniform: float

    def keeps(self, regret: float) -> bool:
        """Whether a regret respects the bound, and uniform play's would not."""
        return regret <= self.bound < self.uniform


def student(samples: np.ndarray, comparisons: int) -> dict[str, float]:
    """Student limits of a mean regret, the upper one as the register's check has it."""
    share = certify.share(comparisons)
    return {
        "lower": float(certify.mean_lower(samples, false_alarm=share)),
        "upper": float(certify.mean_upper(samples, false_alarm=share)),
    }


def mirrored(mean: float, upper: float) -> dict[str, float]:
    """Limits from the mean and the upper one: Student's are as far on either side."""
    return {"lower": 2 * mean - upper, "upper": upper}


def betting(samples: np.ndarray, largest: float, settings: int) -> dict[str, float]:
    """Limits of the mean of samples between 0 and `largest`, without normality, shared over settings."""
    alarm, x = certify.share(settings), np.clip(samples, 0, largest)
    upper = float(certify.betting_upper(x, low=0, high=largest, false_alarm=alarm))
    lower = -float(certify.betting_upper(-x, low=-largest, high=0, false_alarm=alarm))
    return {"lower": lower, "upper": upper}


def picked(row: Mapping[str, object], names: str) -> dict[str, float | str]:
    return {name: row[name] for name in names.split()}


def described(setting: Mapping[str, object]) -> str:
    """The numbers of a setting, by the papers' letters."""
    short = {
        "n_actions": "K", "n_experts": "N", "n_hypotheses": "K", "n_labels": "M", "epsilon": "ε", "horizon": "T",
        "delta": "δ",
    }  # fmt: skip
    shown = {k: f"{v:,}" if isinstance(v, int) and v < 10**8 else f"{v:.3g}" for k, v in setting.items()
             if isinstance(v, int | float)}  # fmt: skip
    return ", ".join(f"{short.get(k, k)}={v}" for k, v in shown.items())


@cache
def ps_cells(bound: str, only: str = "") -> list[Cell]:
    data = pd.concat([ps.regret_grid("quick", SEED), ps.structured_grid("quick", SEED)])
    if only == "dependent":
        data = ps.structured_grid("quick", SEED)
        data = data[data["instance"].isin(["comonotone losses", "antithetic losses", "one-hot losses"])]
    found = []
    for row in data.to_dict("records"):
        setting = picked(row, "n_actions gap epsilon")
        where = f"{row['instance']}, {described(setting)}"
        limits = mirrored(row["regret"], row["upper"])
        found.append(Cell(where=where, setting=setting, **limits, bound=row[bound], uniform=row["uniform"]))
    return found


@cache
def ps_sharper_cells() -> list[Cell]:
    """Settings with the paper's cap on eta, and without."""
    found = []
    for row in ps.sharper_grid("quick", SEED).to_dict("records"):
        uncapped = row["epsilon"] / 2
        eta = uncapped if row["instance"].endswith("no cap") else min(uncapped, 1 / 8)
        setting = picked(row, "n_actions gap") | {"eta": eta}
        where = f"{row['instance']}, {described(setting)}"
        limits = mirrored(row["regret"], row["upper"])
        found.append(Cell(where=where, setting=setting, **limits, bound=row["sharper"], uniform=row["uniform"]))
    return found


@cache
def ps_proof_cells(
    formula: Callable[..., float], constants: tuple[tuple[str, float], ...], small: bool
) -> list[Cell]:
    """Settings with epsilon up to 1/4, or above; the bound is the proof's, which the package has not."""
    cells = [cell for cell in ps_cells("bound_2") if (cell.setting["epsilon"] <= 1 / 4) == small]
    return [Cell(**{**vars(cell), "bound": formula(dict(constants), **cell.setting)}) for cell in cells]


@cache
def ps_worst_cells() -> list[Cell]:
    """Exact regrets over log K / gap + log K / epsilon, as a search found them."""
    found = []
    for row in ps.worst_instances("quick", SEED).to_dict("records"):
        gaps = [float(gap) for gap in row["gaps"].split()]
        setting = {"n_actions": row["n_actions"], "gap": min(gaps), "epsilon": row["epsilon"]}
        rate = ps_rate({"1": 1}, **setting)
        found.append(
            Cell(
                where=f"deterministic, {described(setting)}", setting=setting,
                lower=row["ratio"] * rate, upper=row["ratio"] * rate, bound=(32 + 1 / log(2)) * rate,
                uniform=ROUNDS * min(gaps) * (1 - 1 / row["n_actions"]),
            )
        )  # fmt: skip
    return found


@cache
def nl_cells(bound: str, *noises: str) -> list[Cell]:
    return nl_rows(nl.regret_grid, bound, *noises)


@cache
def nl_our_cells(bound: str, *noises: str) -> list[Cell]:
    """Bounds of our own: on the grid, on Beta losses, on ladders of gaps and on opposite losses."""
    parts = (nl.regret_grid, nl.continuous_losses, nl.ladders, lambda *_: nl.opposite_losses())
    return [cell for part in parts for cell in nl_rows(part, bound, *noises)]


def nl_rows(part: Callable[..., pd.DataFrame], bound: str, *noises: str) -> list[Cell]:
    found = []
    for row in part("quick", SEED).to_dict("records"):
        if row["noise"] in noises:
            setting = picked(row, "n_actions gap epsilon noise")
            where = f"{row['instance']}, {row['noise']}, {described(setting)}"
            limits = {"lower": row.get("lower", 0.0), "upper": row["upper"]}
            found.append(Cell(where=where, setting=setting, **limits, bound=row[bound], uniform=row["uniform"]))
    return found


@cache
def nl_critical_cells(noise: str) -> list[Cell]:
    rows, _ = nl.critical_gaps("quick", SEED)
    found = []
    for row in rows[rows["noise"] == noise].to_dict("records"):
        setting = picked(row, "n_actions epsilon noise") | {"horizon": row["rounds"]}
        gap = row["c"] * sqrt(log(16) / row["rounds"])
        where = f"one good arm, {noise}, gap={gap:.2g}, {described(setting)}"
        limits = {"lower": row["lower"], "upper": row["upper"]}
        uniform = row["rounds"] * gap * 15 / 16
        found.append(Cell(where=where, setting=setting, **limits, bound=row["bound"], uniform=uniform))
    return found


@cache
def nl_gap_cells(noise: str) -> list[Cell]:
    """Corollary 2 at fixed gaps and T = 2**59, where uniform play exceeds it."""
    found = []
    for cell in nl_cells("theorem_2", noise):
        setting = {k: v for k, v in cell.setting.items() if k != "gap"} | {"horizon": ROUNDS}
        bound = nl.bounds.corollary_2(**setting)
        found.append(Cell(**{**vars(cell), "setting": setting, "bound": bound}))
    return found


@cache
def nl_exact_cells(bound: str, *noises: str) -> list[Cell]:
    """Worst exact regrets that a search found, T = 2**32; its gaps are at least e**-4."""
    found, epsilon = [], growth.EPSILON
    for row in growth.deterministic_growth("quick", SEED, "1").to_dict("records"):
        if row["noise"] in noises:
            k, regret = row["n_actions"], row["regret"] / epsilon
            setting = {"n_actions": k, "epsilon": epsilon, "noise": row["noise"]}
            where = f"deterministic, {row['noise']}, {described(setting)}"
            uniform = growth.SETTLED * math.exp(-4) * (1 - 1 / k)
            limits = {"lower": regret, "upper": regret, "bound": row[bound] / epsilon, "uniform": uniform}
            found.append(Cell(where=where, setting=setting, **limits))
    return found


def quantile_limits(values: np.ndarray, exceeded: float) -> tuple[float, float]:
    """Lower and upper confidence limit of the value that is exceeded with probability `exceeded`."""
    ordered, n = np.sort(values)[::-1], len(values)
    high = next((ordered[k] for k in reversed(range(n)) if certify.binomial_upper(k, n) <= exceeded), np.inf)
    low = next((ordered[k - 1] for k in range(1, n) if certify.binomial_lower(k, n) > exceeded), -np.inf)
    return float(low), float(high)


@cache
def tr_window_cells(calibration: str, failure: float) -> list[Cell]:
    """Largest window regret over its bound, times the bound of the whole run."""
    horizon = 2**14
    ratio, other = (shifting.stationary("quick", SEED, who)[calibration] for who in ("private", "uniform"))
    constant, root = tr_bounds.adaptive_regret(
        n_actions=10, horizon=horizon, epsilon=1.0, failure=0.1, calibration=calibration
    )
    bound = constant + root * sqrt(horizon - 1)
    low, high = quantile_limits(ratio.to_numpy(), failure)
    setting = {"n_actions": 10, "horizon": horizon, "width": horizon - 1, "proven": calibration == "proven"}
    where = f"every window but in {failure:.0%} of runs, Bernoulli, K=10, ε=1, T=2^14"
    limits = {"lower": low * bound, "upper": high * bound, "uniform": other.min() * bound}
    return [Cell(where=where, setting=setting, bound=bound, **limits)]


@cache
def tr_stretch_cells() -> list[Cell]:
    """Worst regret of a stretch between restarts over its bound, times the bound of the whole run."""
    data = shifting.shifting("quick", SEED, "printed")
    horizon = int(data["horizon"].iloc[0])
    rule = tr_bounds.restart_rule(n_actions=10, epsilon=1.0, horizon=horizon, calibration="printed")
    bound = tr_bounds.inequality_1(rule, switches=1, length=horizon)
    low, high = quantile_limits(data["piece"].to_numpy(), 0.4)
    limits = {"lower": bound * low, "upper": bound * high}
    where = f"worst stretch in 60% of runs, one shift, K=10, ε=1, T={horizon}"
    uniform = float(data["uniform"].iloc[0])
    return [
        Cell(where=where, setting={"n_actions": 10, "horizon": horizon}, bound=bound, uniform=uniform, **limits)
    ]


def shared_cell(
    data: pd.DataFrame,
    bound: str,
    where: str,
    setting: Mapping[str, float | str],
    n: int = 1,
    *,
    least: float = 0.0,
) -> Cell:
    """A cell from runs on one instance, regret between `least` and T; limits from bets, shared among n."""
    bound, uniform, horizon = (float(data[name].iloc[0]) for name in (bound, "uniform", "horizon"))
    alarm, x = certify.share(n), data["regret"].to_numpy()
    upper = float(certify.betting_upper(x, low=least, high=horizon, false_alarm=alarm))
    lower = -float(certify.betting_upper(-x, low=-horizon, high=-least, false_alarm=alarm))
    return Cell(where=where, setting=setting, lower=lower, upper=upper, bound=bound, uniform=uniform)


@cache
def tr_shifting_cells(calibration: str, windows: str = "all") -> list[Cell]:
    data = shifting.shifting("quick", SEED, calibration, windows)
    horizon = int(data["horizon"].iloc[0])
    setting = {"n_actions": 10, "horizon": horizon, "calibration": calibration}
    where = f"one shift, S=2, ε=1, {described(setting)}"
    return [shared_cell(data, "bound", where, setting, least=-horizon)]


@cache
def tr_oblivious_cells() -> list[Cell]:
    groups = list(oblivious.oblivious("quick", SEED).groupby(["n_actions", "n_switches", "horizon", "batch"]))
    found = []
    for (n, s, horizon, batch), rows in groups:
        log_d = float(rows["log_d"].iloc[0])
        board = dartboard.tune_dartboard(
            epsilon=1.0, delta=1e-6, horizon=int(horizon), log_d=log_d, batches=(int(batch),)
        )
        setting = {"horizon": int(horizon), "log_d": log_d, "batch": board.batch}
        setting |= {"eta": board.learning_rate, "p": board.redraw}
        where = f"fixed table, K={n}, S={s}, B={batch}, T={horizon}, ε=1"
        found.append(shared_cell(rows, "bound", where, setting, len(groups)))
    return found


@cache
def tr_lazy_cells() -> list[Cell]:
    data = oblivious.lazy_regret("quick", SEED)
    horizon = int(data["horizon"].iloc[0])
    log_d = switching.log_count_sequences(horizon, 2, 1)
    tuned, _ = lazy.tune_lazy(epsilon=1.0, delta=1e-6, horizon=horizon, log_d=log_d)
    setting = {"horizon": horizon, "log_d": log_d, "eta": tuned.learning_rate, "batch": tuned.batch}
    return [shared_cell(data, "bound", f"fixed table, K=2, S=1, T={horizon}, ε=1", setting)]


@cache
def tr_mirror_cells(calibration: str, bound: str, horizon: int | None = None, epsilon: float = 0.9) -> list[Cell]:
    data = oblivious.mirror("quick", SEED, calibration, horizon, epsilon)
    setting = {"horizon": int(data["horizon"].iloc[0]), "calibration": calibration, "epsilon": epsilon}
    return [shared_cell(data, bound, f"fixed table, K=2, S=1, {described(setting)}", setting)]


@cache
def tr_watched_cells() -> list[Cell]:
    data = oblivious.watched("quick", SEED)
    horizon = int(data["horizon"].iloc[0])
    log_d = switching.log_count_sequences(horizon, 2, 1)
    setting = {"horizon": horizon, "calibration": "corrected", "epsilon": 0.9, "log_d": log_d}
    return [shared_cell(data, "bound", f"adversary that reacts, K=2, S=1, ε=0.9, T={horizon}", setting)]


def ba_limits(row: Mapping[str, Any], comparisons: int, *, nominal: bool) -> dict[str, float]:
    """Limits of a mean regret as the register's check has them, from bets or Student's."""
    if nominal:
        return student(row["samples"], comparisons)
    alarm = certify.share(comparisons)
    limits = {"lower": ba_checks.regret_lower, "upper": ba_checks.regret_upper}
    return {name: limit(row["samples"], row["range"], alarm=alarm) for name, limit in limits.items()}


def ba_cells(
    data: pd.DataFrame, names: str, bound: str = "bound", *, comparisons: int, nominal: bool = False
) -> list[Cell]:
    """Cells of one table, one of `comparisons` comparisons of its claim each."""
    return [
        Cell(
            where=row["where"], setting=picked(row, names), **ba_limits(row, comparisons, nominal=nominal),
            bound=row[bound], uniform=row["uniform"],
        )
        for row in data.to_dict("records")
    ]  # fmt: skip


BASES = {"Corollary 2": "HTINF, Corollary 2", "Corollary 22": "EXP3, proof of Corollary 22"}
"""Statements whose claims hold the base learner against its bound as well."""


def ba_base(proof: str | None) -> pd.DataFrame:
    data = ba.noisy_regret("quick", SEED)
    return data[data["proof"] == proof]


@cache
def ba_private_cells(statement: str) -> list[Cell]:
    data = ba.private_regret(statement, "quick", SEED)
    comparisons = len(data) + len(ba_base(BASES.get(statement)))
    nominal = statement in ba_checks.NOMINAL
    return ba_cells(data, "n_actions epsilon horizon", comparisons=comparisons, nominal=nominal)


@cache
def ba_base_cells(proof: str) -> list[Cell]:
    others = sum(len(ba.private_regret(name, "quick", SEED)) for name, base in BASES.items() if base == proof)
    data = ba_base(proof)
    return ba_cells(data, "n_actions noise_scale horizon", comparisons=len(data) + others)


@cache
def ba_expert_cells(statement: str, bound: str = "bound") -> list[Cell]:
    names = "n_actions n_experts epsilon horizon"
    data = ba.expert_regret(statement, "quick", SEED)
    cells = ba_cells(data, names, bound, comparisons=3 * len(data))
    if bound != "chain":
        return cells
    found = []
    for cell in cells:
        tuned = batched_exp4_tuning(**cell.setting, delta=ba.DELTA)
        more = {"eta": tuned.learning_rate, "gamma": tuned.mixing, "tau": tuned.batch}
        found.append(Cell(**{**vars(cell), "setting": {**cell.setting, **more}}))
    return found


@cache
def ba_separation_cells() -> list[Cell]:
    data = sweeps.separation("quick", SEED)
    row = data[data["learner"] == "htinf"].iloc[-1]
    setting = {"n_actions": 2, "epsilon": row["epsilon"], "horizon": row["horizon"]}
    limits = {"lower": row["lower"], "upper": row["upper"], "bound": row["bound"], "uniform": 0.5}
    return [Cell(where=f"regret a round, losses 0 and 1, {described(setting)}", setting=setting, **limits)]


@cache
def dl_cells(scheme: str, quantity: str) -> list[Cell]:
    found = []
    for row in dl.theorem_grid(scheme, "quick", SEED).to_dict("records"):
        lower, upper, bound, uniform = (row[f"{quantity}_{x}"] for x in ("lower", "learned", "bound", "uniform"))
        setting = picked(row, "n_hypotheses horizon epsilon")
        setting |= {"delta": dl.DELTA} if scheme == "approximate" else {}
        where = f"{row['instance']}, {described(setting)}"
        found.append(Cell(where=where, setting=setting, lower=lower, upper=upper, bound=bound, uniform=uniform))
    return found


@cache
def dl_adversarial_cells() -> list[Cell]:
    found = []
    for order in ("hardest first", "hardest last", "greedy"):
        for row in dl.chosen_contexts("quick", SEED, order).to_dict("records"):
            setting = {"n_hypotheses": 4, "horizon": row["horizon"], "epsilon": 1.0}
            limits = {"lower": row["lower"], "upper": row["learned"]}
            where = f"contexts {order}, {described(setting)}"
            found.append(Cell(where=where, setting=setting, **limits, bound=row["bound"], uniform=row["uniform"]))
    return found


@cache
def dl_large_cells(scheme: str) -> list[Cell]:
    found = []
    for row in dl.large_classes("quick", SEED).to_dict("records"):
        if row["scheme"] == scheme:
            setting = {"n_hypotheses": row["n_hypotheses"], "horizon": 10**14, "epsilon": 1.0}
            setting |= {"delta": row["delta"]} if scheme == "approximate" else {}
            where, limits = (
                f"M={row['n_labels']}, {described(setting)}",
                {"lower": row["lower"], "upper": row["learned"]},
            )
            found.append(Cell(where=where, setting=setting, **limits, bound=row["bound"], uniform=row["uniform"]))
    return found


@cache
def dl_coin_cells() -> list[Cell]:
    data, samples = dl.close_coins("quick", SEED, "randomized_response")
    found = []
    for row, sample in zip(data.to_dict("records"), samples.T, strict=True):
        setting = {"n_labels": 2, "horizon": int(row["horizon"])}
        uniform = dl.uniform_losses(dl_instances.close_pair(row["gap"]), 0)[1]
        bound = dl.bounds.randomized_response_tv(n_hypotheses=2, epsilon=1.0, **setting)
        where = f"two coins, gap {row['gap']:.2g}, ε=1, {described(setting)}"
        limits = betting(sample, 2 * row["gap"], len(data))
        found.append(Cell(where=where, setting=setting, **limits, bound=bound, uniform=uniform))
    return found


@cache
def dl_response_cells(quantity: str) -> list[Cell]:
    """The Hadamard pair of DL-RR on so many labels, played by randomised response."""
    found = []
    for m in (2, 8, 64, 1000):
        run = dl.response_run(m, "quick", SEED)
        where = f"Hadamard pair on M={m} labels, ε=1, T=10^10"
        setting = {"n_labels": m, "horizon": 10**10}
        risk, distance = dl.uniform_losses(dl.response_pair(m), 0)
        if quantity == "risk":
            samples, uniform, formula = run.final, 10**10 * risk, dl.bounds.randomized_response
        else:
            samples, uniform, formula = run.averaged_tv, distance, dl.bounds.randomized_response_tv
        bound = formula(n_hypotheses=2, epsilon=1.0, **setting)
        law, other = dl.response_pair(m)
        largest = (
            10**10 * float(dl.divergence(law, other)) if quantity == "risk" else float(abs(law - other).sum() / 2)
        )
        limits = betting(samples, largest, 4)
        found.append(Cell(where=where, setting=setting, **limits, bound=bound, uniform=uniform))
    return found


@cache
def dl_mixture_cells() -> list[Cell]:
    found = []
    for gap, horizon in ((gap, t) for gap in (0.01, 0.1, 0.4) for t in (10, 1000, 10**5)):
        risk = dl.coins_mixture_risk(gap, horizon)
        uniform = horizon * dl.uniform_losses(dl_instances.close_pair(gap), 0)[0]
        bound = dl.bounds.non_private(n_hypotheses=2)
        setting = {"horizon": horizon}
        where = f"two coins, gap {gap:g}, {described(setting)}"
        found.append(Cell(where=where, setting=setting, lower=risk, upper=risk, bound=bound, uniform=uniform))
    return found
