"""Regret where bounds are informative, over horizons and over privacy levels, and Figure 1 of the paper."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from replicate import certify
from replicate.budget import cache
from replicate.environments import Environment
from replicate.learners.protocol import Run
from replicate.papers.bandits import bounds
from replicate.papers.bandits.algorithms import advice, simulation
from replicate.papers.bandits.instances import (
    SIZES,
    AdviceSetting,
    gap_one,
    informative_horizon,
    instance,
    one_good_expert,
    regret_range,
    uniform_rate,
    uniform_regret,
)
from replicate.streams import stream
from replicate.validation import FloatArray

Bound = Callable[..., FloatArray]

DELTA = 1e-6
"""delta of Theorem 10."""


# Algorithm 1


CONVERSIONS: dict[str, tuple[str, Bound, str]] = {
    "Corollary 2": ("htinf", bounds.corollary_2, "htinf"),
    "Corollary 22": ("exp3", bounds.corollary_22, "exp3"),
    "Corollary 24": ("ftpl", bounds.corollary_24, "ftpl"),
    "Corollary 24, displayed sum": ("ftpl", bounds.corollary_24_chain, "ftpl chain"),
}
"""By statement: the learner in Algorithm 1, the bound, and what the keys of random streams have."""


@cache
def private_regret(statement: str, profile: str, seed: int) -> pd.DataFrame:
    """Regret of a conversion at the first horizons where uniform play exceeds its bound; one row per instance."""
    (learner, formula, key), rows = CONVERSIONS[statement], []
    for setting in SIZES[profile].conversions[statement]:
        k, epsilon = setting.n_actions, setting.epsilon
        bound = partial(formula, n_actions=k, epsilon=epsilon)
        for name in setting.instances:
            rate = setting.share * uniform_rate(k, name)
            least = informative_horizon(bound, rate, start=10 / epsilon)
            horizon = math.ceil(1.02 * least)
            env = instance(name, k, horizon)
            rng = stream(seed, "bandits/private", key, k, epsilon, name)
            sizes: dict[str, Any] = {"epsilon": epsilon, "horizon": horizon, "replicates": setting.replicates}
            run = simulation.simulate(env, learner=learner, **sizes, rng=rng)
            where = f"{name}, K={k}, ε={epsilon:g}, T={horizon:.3g}"
            row = {"where": where, "n_actions": k, "epsilon": epsilon, **_measured(run, env, horizon, bound)}
            rows.append(row)
    return pd.DataFrame(rows)


def _measured(run: Run, env: Environment, horizon: int, bound: Bound) -> dict[str, Any]:
    """Regrets at a horizon and the values between which they lie, beside the bound and uniform play's regret."""
    return {
        "horizon": horizon,
        "samples": run.final,
        "range": regret_range(env, horizon),
        "bound": float(bound(horizon=horizon)),
        "uniform": uniform_regret(env, horizon),
    }


# Base learners on noisy losses


BASES: dict[str, tuple[Callable[[int, int, float], simulation.Plan], Bound, float]] = {
    "HTINF, Corollary 2": (
        lambda k, rounds, scale: simulation.htinf(sigma=math.sqrt(2 + 4 * scale**2)),
        bounds.noisy_htinf,
        1.0,
    ),
    "HTINF, true second moment": (
        lambda k, rounds, scale: simulation.htinf(sigma=math.sqrt(1 + 2 * scale**2)),
        lambda noise_scale, **sizes: bounds.theorem_21(sigma=math.sqrt(1 + 2 * noise_scale**2), **sizes),
        0.3,
    ),
    "EXP3, proof of Corollary 22": (simulation.noisy_exp3, bounds.noisy_exp3, 1.0),
}
"""By proof: the base learner's plan from (K, T, lambda), the bound on R~, the share of uniform play to reject."""


@cache
def noisy_regret(profile: str, seed: int) -> pd.DataFrame:
    """Regret R~ of the base learners on single losses with Laplace(lambda) noise, for the proofs' inequalities."""
    rows = []
    replicates, settings = SIZES[profile].base
    for k, scale in settings:
        for proof, (plan, bound_on, share) in BASES.items():
            env, bound = gap_one(k), partial(bound_on, n_actions=k, noise_scale=scale)
            horizon = math.ceil(1.02 * informative_horizon(bound, share * (k - 1) / k))
            rng = stream(seed, "bandits/noisy", proof, k, scale)
            noisy = replace(plan(k, horizon, scale), noise=scale)
            sizes: dict[str, Any] = {"horizon": horizon, "replicates": replicates * (3 if share < 1 else 1)}
            run = simulation.simulate_plan(env, noisy, **sizes, rng=rng)
            where = f"losses 0 and 1, K={k}, λ={scale:g}, T={horizon:.3g}"
            row = {"proof": proof, "where": where, "n_actions": k, "noise_scale": scale}
            rows.append(row | _measured(run, env, horizon, bound))
    return pd.DataFrame(rows)


# Expert advice


ADVISED: dict[str, tuple[str, Bound, float | None]] = {
    "Corollary 8": ("htinf", lambda n_actions, **sizes: bounds.corollary_8(**sizes), None),
    "Theorem 9": ("local_exp4", bounds.theorem_9, None),
    "Theorem 10": ("batched_exp4", partial(bounds.theorem_10_printed, delta=DELTA), DELTA),
}
"""By statement: the learner, the bound, and delta."""


@cache
def expert_regret(statement: str, profile: str, seed: int) -> pd.DataFrame:
    """Regret with expert advice where uniform play over actions exceeds the bound; one row per game."""
    rows = []
    for setting in SIZES[profile].advice[statement]:
        sizes = {"n_actions": setting.n_actions, "n_experts": setting.n_experts, "epsilon": setting.epsilon}
        bound = partial(ADVISED[statement][1], **sizes)
        horizon = math.ceil(1.03 * informative_horizon(bound, setting.share * (1 - 1 / setting.n_actions)))
        forms = {"bound": float(bound(horizon=horizon))}
        if statement == "Theorem 10":
            common: dict[str, Any] = sizes | {"delta": DELTA, "horizon": horizon}
            final = float(bounds.theorem_10(**common))
            forms |= {"chain": proof_of_theorem_10("corrected", **common), "final": final}
        rows += [_advised(statement, setting, contexts, horizon, seed) | forms for contexts in setting.contexts]
    return pd.DataFrame(rows)


def _advised(statement: str, setting: AdviceSetting, contexts: int, horizon: int, seed: int) -> dict[str, Any]:
    """Regret at one setting, and that of uniform play over the actions.

    The good expert loses nothing, so the regret is the loss of the actions: between 0 and T.
    """
    learner, _, delta = ADVISED[statement]
    k, n, epsilon = setting.n_actions, setting.n_experts, setting.epsilon
    problem = one_good_expert(n, k, contexts=contexts)
    rng = stream(seed, "bandits/experts", learner, n, epsilon, contexts)
    sizes: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "horizon": horizon}
    run = advice.simulate_experts(problem, learner=learner, **sizes, replicates=setting.replicates, rng=rng)
    best = float(np.min(problem.mean_sums(0, horizon)))
    where = f"{contexts} context{'s' * (contexts > 1)}, N={n}, K={k}, ε={epsilon:g}, T={horizon:.3g}"
    row: dict[str, Any] = {"where": where, "n_actions": k, "n_experts": n, "epsilon": epsilon, "horizon": horizon}
    return row | {"samples": run.final, "range": (0.0, horizon - best), "uniform": horizon * (k - 1) / k - best}


def proof_of_theorem_10(calibration: str, **sizes: Any) -> float:
    """Theorem 10's bound before its tuning is put in, at its tuning for these sizes and delta."""
    tuned = advice.batched_exp4_tuning(**sizes, calibration=calibration)
    parameters: dict[str, Any] = {
        "learning_rate": tuned.learning_rate,
        "mixing": tuned.mixing,
        "batch": tuned.batch,
    }
    return bounds.theorem_10_chain(**sizes, **parameters)


@cache
def over_time(profile: str, seed: int) -> pd.DataFrame:
    """Regret against T of every learner, tuned for each T, K = 2, losses 0 and 1, epsilon = 0.1."""
    sizes, rows = SIZES[profile], []
    horizons = np.geomspace(10**3, sizes.sweep_horizon, 5 if profile == "quick" else 9).astype(int)
    for learner in simulation.LEARNERS:
        epsilon = 0.1 if learner in simulation.PRIVATE else None
        for horizon in map(int, horizons):
            rng = stream(seed, "bandits/over_time", learner, horizon)
            if _defined(learner, epsilon, horizon):
                final = _finals(learner, epsilon, horizon, sizes.sweep_replicates, rng)
                low, high = np.quantile(final, [0.1, 0.9])
                row = {"learner": learner, "rounds": horizon, "regret": final.mean()}
                rows.append(row | {"low": low, "high": high})
    return pd.DataFrame(rows)


def _finals(
    learner: str, epsilon: float | None, horizon: int, replicates: int, rng: np.random.Generator
) -> FloatArray:
    """Final regrets of a learner on losses 0 and 1, K = 2."""
    sizes: dict[str, Any] = {"epsilon": epsilon, "horizon": horizon, "replicates": replicates}
    return simulation.simulate(gap_one(2), learner=learner, **sizes, rng=rng).final


def _defined(learner: str, epsilon: float | None, horizon: int) -> bool:
    """Return True if the paper's tuning is defined for K = 2."""
    try:
        simulation.plan(learner, n_actions=2, epsilon=epsilon, horizon=horizon)
    except ValueError:
        return False
    return True


@cache
def against_epsilon(profile: str, seed: int) -> pd.DataFrame:
    """Final regrets at one T over epsilon, K = 2, losses 0 and 1; one row per replicate."""
    sizes, rows = SIZES[profile], []
    horizon = sizes.sweep_horizon // 10 if profile != "quick" else sizes.sweep_horizon
    levels = np.geomspace(0.01, 1, 5 if profile == "quick" else 9)
    runs = [(learner, float(epsilon), (float(epsilon),)) for epsilon in levels for learner in simulation.PRIVATE]
    for learner, epsilon, key in [*runs, ("tsallis_inf", None, ())]:
        rng = stream(seed, "bandits/against_epsilon", learner, *key)
        if _defined(learner, epsilon, horizon):
            row = {"learner": learner, "epsilon": np.nan if epsilon is None else epsilon, "horizon": horizon}
            final = _finals(learner, epsilon, horizon, sizes.sweep_replicates, rng)
            rows += [{**row, "replicate": i, "regret": x} for i, x in enumerate(final)]
    return pd.DataFrame(rows)


@cache
def prior_work(profile: str, seed: int) -> pd.DataFrame:
    """Final regrets of HTINF in batches and of noise on every round, K = 2, losses 0 and 1; one row per run.

    Three privacy levels up to 0.1 and the horizon of `against_epsilon`, with as many replicates as bets need.
    """
    horizon, rows = SIZES[profile].sweep_horizon // (10 if profile != "quick" else 1), []
    for i, epsilon in enumerate(map(float, np.geomspace(0.01, 0.1, 3))):
        for learner in ("htinf", "per_round_exp3"):
            rng = stream(seed, "bandits/prior_work", learner, i)
            final = _finals(learner, epsilon, horizon, 100, rng)
            rows.append({"learner": learner, "epsilon": epsilon, "horizon": horizon, "samples": final})
    return pd.DataFrame(rows)


_BETS = 48
"""Replicates with which bets tell half of the largest possible mean from the largest."""


@cache
def leakage() -> pd.DataFrame:
    """Figure 1 of the paper: EXP3's P_t(2) on two neighbouring sequences, eta = gamma = 1e-4, T = 100 / eta."""
    first, second = simulation.exp3_leakage(learning_rate=1e-4, mixing=1e-4, horizon=10**6)
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
        final = _finals(learner, epsilon, horizon, _BETS if bets else 10, rng)
        rates = np.clip(final / horizon, 0, 1)
        row: dict[str, Any] = {"learner": learner, "horizon": float(horizon), "epsilon": epsilon, "samples": rates}
        row["rate"] = float(final.mean() / horizon)
        row["upper"] = float(certify.betting_upper(rates, low=0, high=1, false_alarm=alarm))
        row["lower"] = -float(certify.betting_upper(-rates, low=-1, high=0, false_alarm=alarm))
        row["bound"] = float(bounds.corollary_2(n_actions=2, epsilon=epsilon, horizon=horizon)) / horizon
        rows.append(row)
    return pd.DataFrame(rows)
