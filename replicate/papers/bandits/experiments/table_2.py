"""Which algorithm with expert advice wins where: Table 2 from rates, from explicit bounds, and measured."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from replicate.budget import cache
from replicate.papers.bandits import bounds
from replicate.papers.bandits.algorithms import advice
from replicate.papers.bandits.instances import one_good_expert
from replicate.streams import stream
from replicate.validation import FloatArray

WINNERS = ("Corollary 8", "Theorem 9", "Theorem 10")


def rates(*, n_actions: ArrayLike, n_experts: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Return the three guarantees of Table 2 without constants and logarithms, shape (3, ...)."""
    k, n, eps, t = (np.asarray(x, dtype=np.float64) for x in (n_actions, n_experts, epsilon, horizon))
    first = np.sqrt(n * t / eps)
    second = np.sqrt(k * t) / eps
    third = n ** (1 / 6) * np.sqrt(k) * t ** (2 / 3) / eps ** (1 / 3) + np.sqrt(n) / eps
    return np.stack(np.broadcast_arrays(first, second, third))


def winner_by_rate(
    *, n_actions: ArrayLike, n_experts: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike
) -> NDArray[np.int64]:
    """Index into `WINNERS` of the smallest rate, from the boundaries that the rates imply.

    Theorem 9 where epsilon >= max(K / N, (N T)^(-1/4)); Theorem 10 where epsilon <= (N T)^(-1/4) and
    epsilon <= N^2 / (K^3 T); Corollary 8 elsewhere. The second term of Theorem 10 is left out: it is the
    smaller one where the first is below T.
    """
    k, n, eps, t = (np.asarray(x, dtype=np.float64) for x in (n_actions, n_experts, epsilon, horizon))
    corner = (n * t) ** -0.25
    rest = np.where(eps <= np.minimum(corner, n**2 / (k**3 * t)), 2, 0)
    return np.where(eps >= np.maximum(k / n, corner), 1, rest)


def winner_as_printed(
    *, n_actions: ArrayLike, n_experts: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike
) -> NDArray[np.int64]:
    """Table 2 read from the bottom: a later row overrides an earlier one; Corollary 8 where no row speaks."""
    k, n, eps, t = (np.asarray(x, dtype=np.float64) for x in (n_actions, n_experts, epsilon, horizon))
    return np.where((n >= k) & (eps <= t**-0.5), 2, np.where((n >= k) & (eps >= k / n), 1, 0))


BORDERS = {"by rate": winner_by_rate, "printed": winner_as_printed}
"""Whose borders decide which algorithm is chosen."""


def paper_row(*, n_actions: int, n_experts: float, epsilon: float, horizon: float) -> list[int]:
    """Rows of Table 2 that claim a point: none, one, or two that disagree."""
    rows = [n_experts <= n_actions]
    rows += [n_experts >= n_actions and epsilon >= n_actions / n_experts]
    rows += [n_experts >= n_actions and epsilon <= horizon**-0.5]
    return [i for i, claimed in enumerate(rows) if claimed]


def explicit_bounds(
    *, n_actions: int, n_experts: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike, delta: float = 1e-6
) -> FloatArray:
    """Return the three bounds with their constants, 208, 16 and 95 U + 12 V, shape (3, ...)."""
    common = {"n_experts": n_experts, "epsilon": epsilon, "horizon": horizon}
    values = (
        bounds.corollary_8(**common),
        bounds.theorem_9(n_actions=n_actions, **common),
        bounds.theorem_10(n_actions=n_actions, delta=delta, **common),
    )
    return np.stack(np.broadcast_arrays(*values))


@cache
def explicit_map(horizon: float) -> pd.DataFrame:
    """Winner among the explicit bounds over (N, epsilon), K = 2; -1 where uniform play beats them all."""
    n, epsilon = np.meshgrid(np.geomspace(2, 1e18, 69), np.geomspace(1e-18, 1, 73), indexing="ij")
    values = explicit_bounds(n_actions=2, n_experts=n, epsilon=epsilon, horizon=horizon)
    speaks = values.min(axis=0) < horizon / 2
    winner = np.where(speaks, values.argmin(axis=0), -1)
    return pd.DataFrame({"n_experts": n.ravel(), "epsilon": epsilon.ravel(), "winner": winner.ravel()})


@cache
def first_horizons() -> tuple[float, ...]:
    """Return the first power 10**(i/4) at which each explicit bound wins somewhere and beats uniform play.

    Over N in [2, 1e18] and epsilon in [1e-18, 1], for K = 2.
    """
    firsts = [np.inf] * len(WINNERS)
    for horizon in 10 ** np.arange(4, 36, 0.25):
        for i in set(explicit_map(float(horizon))["winner"]) - {-1}:
            firsts[i] = min(firsts[i], float(horizon))
    return tuple(firsts)


@cache
def measured_map(profile: str, seed: int) -> pd.DataFrame:
    """Measured regret / T of the three algorithms, K = 2, losses 0 and 1, at a horizon where no theorem speaks."""
    horizon = 10**4 if profile == "quick" else 10**5
    rows = []
    for n in (2, 8) if profile == "quick" else (2, 8, 32, 128):
        for epsilon in (0.01, 0.1, 1.0) if profile == "quick" else (0.001, 0.01, 0.1, 1.0):
            for name, learner in zip(WINNERS, ("htinf", "local_exp4", "batched_exp4"), strict=True):
                rng = stream(seed, "bandits/measured_map", n, epsilon, learner)
                setting: dict[str, Any] = {"epsilon": epsilon, "horizon": horizon, "replicates": 3}
                setting["delta"] = 1e-6 if learner == "batched_exp4" else None
                try:
                    run = advice.simulate_experts(one_good_expert(n, 2), learner=learner, **setting, rng=rng)
                    rate = float(run.final.mean()) / horizon
                except ValueError:  # the paper's tuning is undefined here
                    rate = np.nan
                row = {"n_experts": n, "epsilon": epsilon, "algorithm": name, "horizon": horizon, "rate": rate}
                rows.append(row)
    return pd.DataFrame(rows)
