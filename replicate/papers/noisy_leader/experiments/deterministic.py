"""Data on the regret on deterministic losses."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from replicate import certify, environments, mechanisms
from replicate.budget import cache
from replicate.learners import registry
from replicate.learners.entries import Setting
from replicate.papers.noisy_leader import algorithms, bounds
from replicate.papers.noisy_leader.experiments import limits
from replicate.papers.noisy_leader.instances import SIZES
from replicate.streams import stream


def lower_bound_regret(learner: str, *, n_actions: int, epsilon: float, horizon: int) -> float:
    """Exact regret on Theorem 3's instances, one action with loss 0 and the others 1, whichever action it is.

    Parameters
    ----------
    learner
        Name in the register of learners; ``"clairvoyant"``, which knows the best action; or
        ``"exponential as printed"``.
    n_actions, epsilon, horizon
        K, privacy level, number of rounds T.
    """
    means = (np.arange(n_actions) > 0).astype(np.float64)
    if learner == "clairvoyant":
        return 0.0
    if learner == "exponential as printed":
        known: dict[str, Any] = {"epsilon": epsilon, "horizon": horizon}
        run = algorithms.exact_regret(means, **known, noise="exponential", calibration="printed")
    else:
        exact_regret = registry.entry(learner).exact_regret
        assert exact_regret is not None
        run = exact_regret(means, Setting(n_actions=n_actions, horizon=horizon, epsilon=epsilon))
    return float(run.final[0])


@cache
def sandwich(epsilon: float = 0.1, horizon: int = 2**40) -> pd.DataFrame:
    """Exact regrets where one action has loss 0 and the others 1, and the bounds on both sides, against K."""
    rows = []
    for k in map(int, 2 ** np.arange(1, 15)):
        setting: dict[str, Any] = {"n_actions": k, "epsilon": epsilon}
        learners = (*mechanisms.NOISES, "prefix_softmax")
        row = setting | {name: lower_bound_regret(name, **setting, horizon=horizon) for name in learners}
        row["theorem_3"] = bounds.theorem_3(**setting, horizon=horizon)
        row["theorem_3_sum"] = bounds.theorem_3_sum(**setting, horizon=horizon)
        row["theorem_4"] = bounds.theorem_4(**setting)
        row["potential"] = bounds.potential(n_actions=k, noise="gumbel", scale=2 / epsilon)
        rows.append(row)
    return pd.DataFrame(rows)


@cache
def regret_by_actions(profile: str, seed: int) -> pd.DataFrame:
    """Six variants on deterministic losses, all gaps 0.25, epsilon = 0.1: mean regret at T = 2**40 against K."""
    rows = []
    for power in range(1, SIZES[profile].largest_log2_k + 1, 2):
        k = 2**power
        means = np.where(np.arange(k) > 0, 0.5, 0.25)
        for noise in mechanisms.NOISES:
            variant: dict[str, Any] = {"epsilon": 0.1, "horizon": 2**40, "noise": noise}
            row = {"n_actions": k, "noise": noise}
            exact = algorithms.exact_regret(means, **variant).final[0]
            rows.append({**row, "resampled": False, "regret": exact, "low": exact, "high": exact})
            if power > (8 if noise == "laplace" else 12):
                continue
            env, rng = environments.Deterministic(means), stream(seed, "noisy_leader/by_actions", k, noise)
            sizes: dict[str, Any] = {"replicates": SIZES[profile].replicates, "rng": rng}
            run = algorithms.simulate(env, **sizes, resample=True, **variant)
            mean = certify.band(run.final, level=0.99)
            rows.append({**row, "resampled": True, "regret": mean.estimate, "low": mean.low, "high": mean.high})
    return pd.DataFrame(rows)


@cache
def resampling_cost(profile: str, seed: int) -> pd.DataFrame:
    """Deterministic losses of two actions, epsilon = 1, T = 2**40 - 1: exact with B = 0, simulated with B = 1."""
    rows = []
    for gap, noise in product((0.1, 0.01, 0.001), mechanisms.NOISES):
        means = np.array([0.5, 0.5 + gap])
        variant: dict[str, Any] = {"epsilon": 1.0, "horizon": 2**40 - 1, "noise": noise}
        env, rng = environments.Deterministic(means), stream(seed, "noisy_leader/resampling", gap, noise)
        sizes: dict[str, Any] = {"replicates": 10 * SIZES[profile].replicates, "rng": rng}
        run = algorithms.simulate(env, **sizes, resample=True, **variant)
        largest, costs = gap * np.diff(run.rounds, prepend=0), limits.of_epochs(run)
        row = {"gap": gap, "noise": noise, "B = 0": algorithms.exact_regret(means, **variant).final[0]}
        row |= {"B = 1": run.final.mean(), "low": certify.band(run.final, level=0.99).low}
        row["B = 1, at least"] = limits.lower(costs, largest=largest, false_alarm=certify.share(9))
        row["corollary_3"] = bounds.corollary_3(n_actions=2, epsilon=1.0, noise=noise)
        rows.append(row)
    return pd.DataFrame(rows)
