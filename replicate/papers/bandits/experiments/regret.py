"""Measured data: what the claims are checked on and the figures drawn from."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pandas as pd

from replicate import certify
from replicate.learners.protocol import Run
from replicate.papers.bandits import bounds
from replicate.papers.bandits.algorithms import advice, conversion, tuning
from replicate.papers.bandits.instances import (
    SIZES,
    TABLES,
    biting_horizon,
    crowd,
    gap_one,
    instances,
    uniform_rate,
    uniform_regret,
)
from replicate.streams import stream
from replicate.validation import FloatArray

__all__ = [
    "against_epsilon",
    "expert_regret",
    "leakage",
    "noisy_regret",
    "over_time",
    "private_regret",
    "separation",
]


_BOUNDS: dict[str, Callable[..., FloatArray]] = {
    "htinf": bounds.corollary_2,
    "exp3": bounds.corollary_22,
    "ftpl": bounds.corollary_24,
    "ftpl chain": bounds.corollary_24_chain,
}


def _tested_on(name: str, *, first: bool, profile: str) -> tuple[str, ...]:
    """Instances that a bound is tested on: all of them at the learner's first setting, then the plain one."""
    if not first or name == "ftpl chain":
        return ("losses 0 and 1",)
    if profile == "quick" and name != "htinf":
        return ("losses 0 and 1", "best arm changes at T/16")
    return (*instances(2, 16, listed=False), *TABLES)


def _repetitions(name: str, k: int, profile: str) -> int:
    """Fewer replicates where one takes long: the limit's width is paid in Student's quantile."""
    if name == "ftpl chain":
        return 4
    if name == "ftpl" and k > 2:
        return 5
    return 12 if name == "htinf" else 6 if profile == "quick" else 8


@cache
def private_regret(name: str, profile: str, seed: int) -> pd.DataFrame:
    """Regret of a conversion at the smallest horizons where uniform play breaks its bound.

    `name` is a learner, or ``"ftpl chain"`` for the horizon of the derived constants. One row an instance.
    """
    learner, rows = name.split()[0], []
    settings = getattr(SIZES[profile], learner)
    for i, (k, epsilon) in enumerate(settings[:1] if name == "ftpl chain" else settings):
        bound = partial(_BOUNDS[name], n_actions=k, epsilon=epsilon)
        for instance in _tested_on(name, first=i == 0, profile=profile):
            bite = biting_horizon(
                lambda t, f=bound: f(horizon=t),  # type: ignore[misc]
                uniform_rate(k, instance),
                start=10 / epsilon,
            )
            horizon = math.ceil(1.02 * bite)
            env = instances(k, horizon, listed=instance in TABLES)[instance]
            run = conversion.simulate(
                env,
                learner=learner,
                epsilon=epsilon,
                horizon=horizon,
                replicates=_repetitions(name, k, profile),
                rng=stream(seed, "bandits/private", name, k, epsilon, instance),
            )
            rows.append(
                {
                    "where": f"{instance}, K={k}, ε={epsilon:g}, T={horizon:.3g}",
                    "samples": run.final,
                    "bound": float(bound(horizon=horizon)),
                    "uniform": uniform_regret(env, horizon),
                }
            )
    return pd.DataFrame(rows)


@cache
def noisy_regret(profile: str, seed: int) -> pd.DataFrame:
    """Regret R~ of the base learners on single losses with Laplace(lambda) noise, for the proofs' inequalities."""
    rows = []
    for k, scale in ((2, 1.0), (2, 0.5), (10, 1.0)) if profile == "full" else ((2, 1.0),):
        plans: dict[str, tuple[Callable[[int], tuning.Plan], Callable[[float], FloatArray]]] = {
            "HTINF, Corollary 2": (
                lambda t, s=scale: tuning.htinf(sigma=math.sqrt(2 + 4 * s**2)),  # type: ignore[misc]
                lambda t, k=k, s=scale: bounds.noisy_htinf(n_actions=k, noise_scale=s, horizon=t),  # type: ignore[misc]
            ),
            "HTINF, true second moment": (
                lambda t, s=scale: tuning.htinf(sigma=math.sqrt(1 + 2 * s**2)),  # type: ignore[misc]
                lambda t, k=k, s=scale: bounds.theorem_21(  # type: ignore[misc]
                    n_actions=k, sigma=math.sqrt(1 + 2 * s**2), horizon=t
                ),
            ),
            "EXP3, proof of Corollary 22": (
                lambda t, k=k, s=scale: tuning.noisy_exp3(k, t, s),  # type: ignore[misc]
                lambda t, k=k, s=scale: bounds.noisy_exp3(n_actions=k, noise_scale=s, horizon=t),  # type: ignore[misc]
            ),
        }
        for name, (make, bound) in plans.items():
            env = gap_one(k)
            horizon = math.ceil(1.02 * biting_horizon(bound, (k - 1) / k))
            base = make(horizon)
            plan = tuning.Plan(base.kind, base.setting, 1, scale)
            rng = stream(seed, "bandits/noisy", name, k, scale)
            run = conversion.simulate_plan(
                env, plan, horizon=horizon, replicates=SIZES[profile].replicates, rng=rng
            )
            rows.append(
                {
                    "proof": name,
                    "where": f"losses 0 and 1, K={k}, λ={scale:g}, T={horizon:.3g}",
                    "samples": run.final,
                    "bound": float(bound(horizon)),
                    "uniform": uniform_regret(env, horizon),
                }
            )
    return pd.DataFrame(rows)


@cache
def expert_regret(name: str, profile: str, seed: int) -> pd.DataFrame:
    """Regret with expert advice where uniform play over actions breaks the bound, one row a setting.

    `name` is ``"htinf"`` (Corollary 8), ``"local_exp4"`` (Theorem 9) or ``"batched_exp4"`` (Theorem 10).
    """
    sizes, delta = SIZES[profile], 1e-6
    k = 10 if name == "htinf" else 2
    levels = (1.0, 0.01) if name == "htinf" and profile == "full" else (1.0,)
    counts = (10,) if name == "htinf" else sizes.experts
    rows = []
    for n, epsilon in ((n, e) for n in counts for e in levels):

        def bound(t: float, n: int = n, e: float = epsilon) -> FloatArray:
            common = {"n_experts": n, "epsilon": e, "horizon": t}
            if name == "htinf":
                return bounds.corollary_8(**common)
            if name == "local_exp4":
                return bounds.theorem_9(n_actions=k, **common)
            return bounds.theorem_10_printed(n_actions=k, delta=delta, **common)

        horizon = math.ceil(1.03 * biting_horizon(bound, (k - 1) / k))
        for contexts in (1, 2):
            problem = crowd(n, k, contexts=contexts)
            if contexts == 2 and (n > 10 or (name == "htinf" and profile == "quick")):
                continue
            run = advice.simulate_experts(
                problem,
                learner=name,
                epsilon=epsilon,
                delta=delta if name == "batched_exp4" else None,
                horizon=horizon,
                replicates=min(8, sizes.replicates) if n > 10 else sizes.replicates,
                rng=stream(seed, "bandits/experts", name, n, epsilon, contexts),
            )
            best = problem.mean_sums(0, horizon).min()
            rows.append(
                {
                    "where": f"{contexts} context(s), N={n}, K={k}, ε={epsilon:g}, T={horizon:.3g}",
                    "n_experts": n,
                    "epsilon": epsilon,
                    "horizon": horizon,
                    "samples": run.final,
                    "bound": float(bound(horizon)),
                    "uniform": horizon * (k - 1) / k - float(best),
                    **(_theorem_10(k, n, epsilon, delta, horizon) if name == "batched_exp4" else {}),
                }
            )
    return pd.DataFrame(rows)


def _theorem_10(k: int, n: int, epsilon: float, delta: float, horizon: int) -> dict[str, float]:
    """The proof's bound before and after its tuning is put in."""
    common = {"n_actions": k, "n_experts": n, "epsilon": epsilon, "delta": delta, "horizon": horizon}
    tuned = advice.batched_exp4_tuning(**common)  # type: ignore[arg-type]
    chain = bounds.theorem_10_chain(
        **common,  # type: ignore[arg-type]
        learning_rate=tuned.learning_rate,
        mixing=tuned.mixing,
        batch=tuned.batch,
    )
    return {"chain": chain, "final": float(bounds.theorem_10(**common))}


def _quantiles(run: Run) -> dict[str, FloatArray]:
    low, high = np.quantile(run.regret, [0.1, 0.9], axis=0)
    return {"rounds": run.rounds, "regret": run.regret.mean(axis=0), "low": low, "high": high}


_LEVELS: dict[str, float | None] = {
    "htinf": 0.1,
    "exp3": 0.1,
    "ftpl": 0.1,
    "per_round_exp3": 0.1,
    "tsallis_inf": None,
    "plain_exp3": None,
}


@cache
def over_time(profile: str, seed: int) -> pd.DataFrame:
    """Regret against T of every learner, tuned for each T, K = 2, losses 0 and 1, epsilon = 0.1."""
    sizes, frames = SIZES[profile], []
    horizons = np.geomspace(10**3, sizes.sweep_horizon, 5 if profile == "quick" else 9).astype(int)
    for learner, epsilon in _LEVELS.items():
        for horizon in horizons:
            rng = stream(seed, "bandits/over_time", learner, int(horizon))
            try:
                run = conversion.simulate(
                    gap_one(2),
                    learner=learner,
                    epsilon=epsilon,
                    horizon=int(horizon),
                    replicates=sizes.sweep_replicates,
                    rng=rng,
                )
            except ValueError:  # the paper's tuning is undefined at this horizon
                continue
            row = {name: values[-1] for name, values in _quantiles(run).items()}
            frames.append({"learner": learner, **row})
    return pd.DataFrame(frames)


@cache
def against_epsilon(profile: str, seed: int) -> pd.DataFrame:
    """Final regrets at one T over epsilon, K = 2, losses 0 and 1; one row a replicate."""
    sizes, rows = SIZES[profile], []
    horizon = sizes.sweep_horizon // 10 if profile == "full" else sizes.sweep_horizon
    for epsilon in np.geomspace(0.01, 1, 5 if profile == "quick" else 9):
        for learner, private in (("htinf", True), ("exp3", True), ("ftpl", True), ("per_round_exp3", True)):
            rng = stream(seed, "bandits/against_epsilon", learner, float(epsilon))
            try:
                run = conversion.simulate(
                    gap_one(2),
                    learner=learner,
                    epsilon=float(epsilon) if private else None,
                    horizon=horizon,
                    replicates=sizes.sweep_replicates,
                    rng=rng,
                )
            except ValueError:  # the paper's tuning is undefined at this level
                continue
            rows += [
                {"learner": learner, "epsilon": epsilon, "horizon": horizon, "replicate": i, "regret": x}
                for i, x in enumerate(run.final)
            ]
    floor = conversion.simulate(
        gap_one(2),
        learner="tsallis_inf",
        epsilon=None,
        horizon=horizon,
        replicates=sizes.sweep_replicates,
        rng=stream(seed, "bandits/against_epsilon", "tsallis_inf"),
    )
    rows += [
        {"learner": "tsallis_inf", "epsilon": np.nan, "horizon": horizon, "replicate": i, "regret": x}
        for i, x in enumerate(floor.final)
    ]
    return pd.DataFrame(rows)


@cache
def leakage() -> pd.DataFrame:
    """Figure 1 of the paper: EXP3's P_t(2) on two neighbouring sequences, eta = gamma = 1e-4, T = 100 / eta."""
    first, second = conversion.exp3_leakage(learning_rate=1e-4, mixing=1e-4, horizon=10**6)
    return pd.DataFrame({"t": np.arange(1, len(first) + 1), "first": first, "neighbour": second})


@cache
def separation(profile: str, seed: int) -> pd.DataFrame:
    """Regret / T at epsilon = T**-0.6, K = 2, losses 0 and 1.

    Algorithm 1 to T = 1e14, noise on every round to T = 10**local_power.
    """
    sizes, rows = SIZES[profile], []
    runs = [("htinf", 10**p) for p in range(4, 15)]
    runs += [("per_round_exp3", 10**p) for p in range(4, sizes.local_power + 1)]
    for learner, horizon in runs:
        epsilon = horizon**-0.6
        replicates = 8 if horizon == 10**8 and learner != "htinf" else 10
        run = conversion.simulate(
            gap_one(2),
            learner=learner,
            epsilon=epsilon,
            horizon=horizon,
            replicates=replicates,
            rng=stream(seed, "bandits/separation", learner, horizon),
        )
        bound = bounds.corollary_2(n_actions=2, epsilon=epsilon, horizon=horizon)
        rows.append(
            {
                "learner": learner,
                "horizon": float(horizon),
                "epsilon": epsilon,
                "samples": run.final / horizon,
                "rate": float(run.final.mean() / horizon),
                "upper": float(certify.mean_upper(run.final / horizon, false_alarm=certify.share(20))),
                "lower": float(certify.mean_lower(run.final / horizon, false_alarm=certify.share(20))),
                "bound": float(bound) / horizon,
            }
        )
    return pd.DataFrame(rows)
