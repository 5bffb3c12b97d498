"""Measured data: what the claims are checked on and the figures drawn from."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from replicate import audit, certify, environments, mechanisms
from replicate.learners import dyadic
from replicate.papers import prefix_softmax
from replicate.papers.noisy_leader import algorithms, bounds
from replicate.papers.noisy_leader.instances import HORIZON, INSTANCES, SIZES, means_of
from replicate.streams import stream
from replicate.validation import FloatArray
from replicate.workbook import sweep

__all__ = [
    "critical_gaps",
    "late_growth",
    "one_score_vector",
    "privacy_curves",
    "privacy_table",
    "regret_by_actions",
    "regret_grid",
    "regret_table",
    "resampling_cost",
    "sandwich",
]


def _regret_cell(
    instance: str,
    n_actions: int,
    gap: float,
    epsilon: float,
    noise: str,
    replicates: int,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Regret with resampling at 2**30 and 2**59, shape (replicates, 2)."""
    env = environments.Bernoulli(means_of(instance, n_actions, gap))
    run = algorithms.simulate(
        env, epsilon=epsilon, horizon=HORIZON, replicates=replicates, rng=rng, noise=noise, resample=True
    )
    return {"regret": run.regret[:, [29, -1]]}


@cache
def regret_grid(profile: str, seed: int) -> pd.DataFrame:
    """Regret at T = 2**59 of the three noises with B = 1, over instances, K, gaps and privacy levels.

    Resampled losses are Bernoulli whatever they were, and on Bernoulli losses B = 0 is the same learner in law:
    the Laplace rows serve Theorem 1 and Theorem 2.
    """
    sizes = SIZES[profile]
    common = {"epsilon": [1.0, 0.1], "noise": mechanisms.NOISES, "replicates": [sizes.replicates]}
    name = "noisy_leader/grid"
    cells = sweep.grid(
        name, instance=["one good arm"], n_actions=sizes.n_actions, gap=[0.5, 0.1, 0.01], **common
    ) + sweep.grid(name, instance=INSTANCES[1:], n_actions=[sizes.n_actions[-1]], gap=[0.1], **common)
    with sweep.threads() as pool:
        done = sweep.run(cells, _regret_cell, seed=seed, executor=pool, cache_dir=sweep.cache_folder())
    rows = []
    for cell in cells:
        point, regret = dict(cell.parameters), done[cell.id]["regret"]
        setting = {key: point[key] for key in ("n_actions", "gap", "epsilon")}
        gaps = environments.gaps(means_of(point["instance"], point["n_actions"], point["gap"]))
        rows.append(
            {
                "instance": point["instance"],
                "noise": point["noise"],
                **setting,
                "regret": regret[:, 1].mean(),
                "upper": float(certify.mean_upper(regret[:, 1], false_alarm=certify.share(len(cells)))),
                "theorem_1": bounds.theorem_1(**setting, horizon=HORIZON),
                "theorem_2": bounds.theorem_2(**setting, noise=point["noise"]),
                "uniform": float(HORIZON * gaps.mean()),
            }
        )
    return pd.DataFrame(rows)


@cache
def regret_by_actions(profile: str, seed: int) -> pd.DataFrame:
    """Six variants on deterministic losses, all gaps 0.25, epsilon = 0.1: mean regret at T = 2**40 against K."""
    gap, epsilon, horizon = 0.25, 0.1, 2**40
    rows = []
    for power in range(1, SIZES[profile].largest_log2_k + 1, 2):
        k = 2**power
        means = np.where(np.arange(k) > 0, 0.25 + gap, 0.25)
        for noise in mechanisms.NOISES:
            exact = algorithms.exact_regret(means, epsilon=epsilon, horizon=horizon, noise=noise).final[0]
            row = {"n_actions": k, "noise": noise}
            rows.append({**row, "resampled": False, "regret": exact, "low": exact, "high": exact})
            if power > (8 if noise == "laplace" else 12):
                continue
            run = algorithms.simulate(
                environments.Deterministic(means),
                epsilon=epsilon,
                horizon=horizon,
                replicates=SIZES[profile].replicates,
                rng=stream(seed, "noisy_leader/by_actions", k, noise),
                noise=noise,
                resample=True,
            )
            interval = certify.mean_interval(run.final, false_alarm=0.01)
            rows.append(
                {**row, "resampled": True, "regret": interval.estimate, "low": interval.low, "high": interval.high}
            )
    return pd.DataFrame(rows)


@cache
def sandwich(epsilon: float = 0.1, horizon: int = 2**40) -> pd.DataFrame:
    """Exact regrets where one action has loss 0 and the others 1, and the bounds on both sides, against K."""
    rows = []
    for k in 2 ** np.arange(1, 15):
        means = (np.arange(k) > 0).astype(np.float64)
        setting: dict[str, Any] = {"n_actions": int(k), "epsilon": epsilon}
        learners = {
            noise: algorithms.exact_regret(means, epsilon=epsilon, horizon=horizon, noise=noise)
            for noise in mechanisms.NOISES
        }
        learners["prefix_softmax"] = prefix_softmax.exact_regret(means, epsilon=epsilon, horizon=horizon)
        rows.append(
            {
                **setting,
                **{name: run.final[0] for name, run in learners.items()},
                "theorem_3": bounds.theorem_3(**setting, horizon=horizon),
                "theorem_3_sum": bounds.theorem_3_sum(**setting, horizon=horizon),
                "theorem_4": bounds.theorem_4(**setting),
                "potential": bounds.potential(n_actions=int(k), noise="gumbel", scale=2 / epsilon),
            }
        )
    return pd.DataFrame(rows)


def one_score_vector(epsilon: float = 1.0) -> pd.DataFrame:
    """Exact selection laws of the three noises of scale 2 / epsilon on ten sums of losses."""
    sums = np.array([0, 1, 2, 4, 6, 9, 12, 16, 20, 25])
    frames = [
        pd.DataFrame(
            {
                "noise": noise,
                "lead": sums,
                "probability": algorithms.selector(noise, epsilon=epsilon)(sums),
            }
        )
        for noise in mechanisms.NOISES
    ]
    return pd.concat(frames, ignore_index=True)


def privacy_curves(epsilon: float = 1.0) -> pd.DataFrame:
    """Privacy loss of a choice between two actions against how far one lags before it loses 2 more.

    A lag of n - 2 is the worst that a block of n rounds can offer, losses in [0, 1].
    """
    lags = np.linspace(-6, 14, 201)
    rows = []
    for calibration in algorithms.CALIBRATIONS:
        for noise in mechanisms.NOISES:
            scale = algorithms.noise_scale(noise, epsilon=epsilon, calibration=calibration)
            before, after = (
                mechanisms.report_noisy_max_pmf(np.stack([-lag, 0 * lag], axis=-1), noise=noise, scale=scale)[:, 0]
                for lag in (lags, lags + 2)
            )
            loss = np.log(before) - np.log(after)
            rows.append(pd.DataFrame({"calibration": calibration, "noise": noise, "lag": lags, "loss": loss}))
    return pd.concat(rows, ignore_index=True).assign(epsilon=epsilon)


def late_growth(profile: str, seed: int, *, exploring: bool = False) -> pd.DataFrame:
    """Regret of Laplace noise without resampling up to T = 2**59, K = 16, epsilon = 0.1, on four instances.

    The upper limit is for the growth after round 2**30. With `exploring`, a learner that goes on playing
    uniformly with a probability inversely proportional to the losses it has summed.
    """
    return _late_growth(profile, seed, exploring)


@cache
def _late_growth(profile: str, seed: int, exploring: bool) -> pd.DataFrame:
    k, gap, epsilon = 16, 0.01, 0.1
    select = algorithms.selector("laplace", epsilon=epsilon)

    def explore(sums: NDArray[Any]) -> FloatArray:
        weight = 4 / (4 + sums.max(axis=-1, keepdims=True))
        return np.asarray((1 - weight) * select(sums) + weight / k)

    frames = []
    for instance in INSTANCES:
        run = dyadic.simulate(
            environments.Bernoulli(means_of(instance, k, gap)),
            selector=explore if exploring else select,
            horizon=HORIZON,
            replicates=SIZES[profile].replicates,
            rng=stream(seed, "noisy_leader/late_growth", instance, exploring),
        )
        growth = run.regret[:, -1] - run.regret[:, 29]
        frames.append(
            pd.DataFrame(
                {
                    "instance": instance,
                    "rounds": run.rounds,
                    "regret": run.regret.mean(axis=0),
                    "bound": [
                        bounds.theorem_1(n_actions=k, gap=gap, epsilon=epsilon, horizon=int(t)) for t in run.rounds
                    ],
                    "growth": float(certify.mean_upper(growth, false_alarm=certify.share(len(INSTANCES)))),
                    "claimed_growth": 29 * np.log(k) / epsilon,
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


@cache
def critical_gaps(profile: str, seed: int) -> tuple[pd.DataFrame, dict[str, FloatArray]]:
    """Regret at T against gaps c sqrt(log K / T), K = 16, epsilon = 1, B = 1: rows, and samples at the worst c.

    Samples have shape (replicates, horizons); the worst c is chosen on other draws.
    """
    k, epsilon, horizons = 16, 1.0, 2 ** np.arange(24, 53, SIZES[profile].horizon_step)
    rows, samples = [], {}
    for noise in mechanisms.NOISES:
        columns = []
        for horizon in horizons:
            regrets = {}
            for c in (1.0, 2.0) if profile == "quick" else (0.5, 1.0, 2.0, 4.0):
                gap = c * np.sqrt(np.log(k) / horizon)
                run = algorithms.simulate(
                    environments.Bernoulli(means_of("one good arm", k, gap)),
                    epsilon=epsilon,
                    horizon=int(horizon),
                    replicates=max(120, 2 * SIZES[profile].replicates),
                    rng=stream(seed, "noisy_leader/critical", noise, int(horizon), c),
                    noise=noise,
                    resample=True,
                )
                regrets[c] = run.final.reshape(2, -1)
            worst = max(regrets, key=lambda c: float(regrets[c][0].mean()))
            columns.append(regrets[worst][1])
            bound = bounds.corollary_2(n_actions=k, epsilon=epsilon, horizon=int(horizon), noise=noise)
            upper = certify.mean_upper(columns[-1], false_alarm=certify.share(2 * len(horizons) * 3))
            row = {"noise": noise, "n_actions": k, "epsilon": epsilon, "rounds": horizon, "c": worst}
            row |= {"upper": float(upper), "bound": bound, "uniform": horizon * (k - 1) / k}
            rows.append(row)
        samples[noise] = np.stack(columns, axis=1)
    return pd.DataFrame(rows), samples


@cache
def resampling_cost(profile: str, seed: int) -> pd.DataFrame:
    """Deterministic losses of two actions, epsilon = 1, T = 2**40 - 1: exact with B = 0, simulated with B = 1."""
    rows = []
    for gap in (0.1, 0.01, 0.001):
        means = np.array([0.5, 0.5 + gap])
        for noise in mechanisms.NOISES:
            variant: dict[str, Any] = {"epsilon": 1.0, "horizon": 2**40 - 1, "noise": noise}
            run = algorithms.simulate(
                environments.Deterministic(means),
                replicates=10 * SIZES[profile].replicates,
                rng=stream(seed, "noisy_leader/resampling", gap, noise),
                resample=True,
                **variant,
            )
            rows.append(
                {
                    "gap": gap,
                    "noise": noise,
                    "B = 0": algorithms.exact_regret(means, **variant).final[0],
                    "B = 1": run.final.mean(),
                    "low": certify.mean_interval(run.final, false_alarm=0.01).low,
                    "B = 1, at least": float(certify.mean_lower(run.final, false_alarm=certify.share(9))),
                    "corollary_3": bounds.corollary_3(n_actions=2, epsilon=1.0, noise=noise),
                }
            )
    return pd.DataFrame(rows)


@cache
def regret_table(profile: str, seed: int) -> pd.DataFrame:
    """Table 1 with numbers: K = 16, gap = epsilon = 0.1, one good arm; rows that are not run say "quoted"."""
    setting: dict[str, Any] = {"n_actions": 16, "gap": 0.1, "epsilon": 0.1}
    grid = regret_grid(profile, seed).query("n_actions == 16 and gap == 0.1 and epsilon == 0.1")
    grid = grid[grid["instance"] == "one good arm"].set_index("noise")
    means = means_of("one good arm", 16, 0.1)
    uniform = float(HORIZON * environments.gaps(means).mean())

    def row(place: str, learner: str, rate: str, measured: float | None, bound: float | None) -> dict[str, Any]:
        return {"setting": place, "learner": learner, "rate": rate, "measured": measured, "bound": bound}

    rows = [row("stochastic", "any (Hu et al.), quoted", "log K/gap + log K/ε, lower", None, None)]
    laplace = grid.loc["laplace"]
    rate = "log K/gap + log K log T/ε"
    rows.append(row("stochastic", "Laplace, B = 0 (Theorem 1)", rate, laplace["upper"], laplace["theorem_1"]))
    for noise in mechanisms.NOISES:
        one = grid.loc[noise]
        name = f"{noise.capitalize()}, B = 1 (Theorem 2, Corollary 1)"
        rows.append(row("stochastic", name, "log K/gap + log² K/ε", one["upper"], one["theorem_2"]))
    rows.append(row("any gaps", "Jain & Thakurta, quoted", "√(T log K) + K log K log² T/ε", None, None))
    cor2 = bounds.corollary_2(n_actions=16, epsilon=0.1, horizon=HORIZON)
    rows.append(row("any gaps", "Laplace, B = 1 (Corollary 2)", "√(T log K) + log² K/ε", laplace["upper"], cor2))
    for noise in mechanisms.NOISES:
        exact = algorithms.exact_regret(means, epsilon=0.1, horizon=HORIZON, noise=noise).final[0]
        bound = bounds.corollary_3(n_actions=16, epsilon=0.1, noise=noise)
        name = f"{noise.capitalize()}, B = 0"
        rows.append(row("deterministic", f"{name} (Corollary 3)", "log² K/ε", exact, bound))
        if noise != "laplace":
            bound = bounds.theorem_4(n_actions=16, epsilon=0.1)
            rows.append(row("deterministic", f"{name} (Theorem 4)", "log K/ε", exact, bound))
    lower = bounds.theorem_3(n_actions=16, epsilon=0.1, horizon=HORIZON)
    rows.append(row("deterministic", "any ε-DP (Theorem 3)", "log K/ε, lower", None, lower))
    return pd.DataFrame(rows).assign(**setting, uniform=uniform)


def privacy_table(epsilon: float = 1.0, n_actions: int = 4) -> pd.DataFrame:
    """Table 2 with numbers: exact privacy loss of each noise, blocks of 1, 2 and 256 rounds and without limit."""
    rows = []
    for calibration in algorithms.CALIBRATIONS:
        for noise in mechanisms.NOISES:
            scale = algorithms.noise_scale(noise, epsilon=epsilon, calibration=calibration)
            losses = {
                str(n or "any"): audit.report_noisy_max_privacy_loss(
                    n_actions, noise=noise, scale=scale, n_rounds=n
                )
                for n in (1, 2, 256, None)
            }
            rows.append({"calibration": calibration, "noise": noise, "scale": scale, "stated": epsilon, **losses})
    return pd.DataFrame(rows)
