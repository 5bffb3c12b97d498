"""Which of the three algorithms with expert advice wins where: Table 2 from rates, from explicit bounds, and measured."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from replicate.papers.bandits import bounds, experts
from replicate.papers.bandits.instances import SIZES, biting_horizon, crowd
from replicate.streams import stream

__all__ = ["WINNERS", "explicit_map", "measured_map", "paper_row", "rates", "winner_by_rate"]

FloatArray = NDArray[np.float64]
WINNERS = ("Corollary 8", "Theorem 9", "Theorem 10")


def rates(*, n_actions: ArrayLike, n_experts: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Return the three guarantees of Table 2 without constants and logarithms, shape (3, ...)."""
    k, n = np.asarray(n_actions, dtype=np.float64), np.asarray(n_experts, dtype=np.float64)
    eps, t = np.asarray(epsilon, dtype=np.float64), np.asarray(horizon, dtype=np.float64)
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
    k, n = np.asarray(n_actions, dtype=np.float64), np.asarray(n_experts, dtype=np.float64)
    eps, t = np.asarray(epsilon, dtype=np.float64), np.asarray(horizon, dtype=np.float64)
    corner = (n * t) ** -0.25
    return np.where(
        eps >= np.maximum(k / n, corner), 1, np.where(eps <= np.minimum(corner, n**2 / (k**3 * t)), 2, 0)
    )


def paper_row(*, n_actions: int, n_experts: float, epsilon: float, horizon: float) -> list[int]:
    """Rows of Table 2 that claim a point: none, one, or two that disagree."""
    rows = [n_experts <= n_actions]
    rows += [n_experts >= n_actions and epsilon >= n_actions / n_experts]
    rows += [n_experts >= n_actions and epsilon <= horizon**-0.5]
    return [i for i, claimed in enumerate(rows) if claimed]


@cache
def explicit_map(n_actions: int = 2, delta: float = 1e-6) -> pd.DataFrame:
    """For (N, epsilon): the bound that uniform play breaks first, and the horizon at which it does.

    Explicit constants: 208, 16 and 95 U + 12 V. `rate` is uniform play's regret a round, (K - 1) / K.
    """
    rate, rows = (n_actions - 1) / n_actions, []
    for n in np.unique(np.geomspace(2, 10**7, 29).round()):
        for epsilon in np.geomspace(1e-8, 1, 33):
            common = {"n_experts": n, "epsilon": epsilon}
            bites = [
                biting_horizon(lambda t, c=common: bounds.corollary_8(horizon=t, **c), rate),
                biting_horizon(lambda t, c=common: bounds.theorem_9(n_actions=n_actions, horizon=t, **c), rate),
                biting_horizon(
                    lambda t, c=common: bounds.theorem_10(n_actions=n_actions, delta=delta, horizon=t, **c), rate
                ),
            ]
            best = int(np.argmin(bites))
            rows.append({**common, "winner": WINNERS[best], "horizon": bites[best]})
    return pd.DataFrame(rows)


@cache
def measured_map(profile: str, seed: int) -> pd.DataFrame:
    """Measured regret / T of the three algorithms, K = 2, losses 0 and 1, below the theorems' range of horizons."""
    horizon = 10**5 if profile == "quick" else 10**6
    rows = []
    for n in (2, 8) if profile == "quick" else (2, 8, 32, 128):
        for epsilon in (0.01, 0.1, 1.0) if profile == "quick" else (0.001, 0.01, 0.1, 1.0):
            for name, learner in zip(WINNERS, ("htinf", "local_exp4", "batched_exp4"), strict=True):
                try:
                    run = experts.simulate_experts(
                        crowd(n, 2),
                        learner=learner,
                        epsilon=epsilon,
                        delta=1e-6 if learner == "batched_exp4" else None,
                        horizon=horizon,
                        replicates=min(6, SIZES[profile].replicates),
                        rng=stream(seed, "bandits/measured_map", n, epsilon, learner),
                    )
                    rate = float(run.final.mean()) / horizon
                except ValueError:  # the paper's tuning is undefined here
                    rate = np.nan
                rows.append(
                    {"n_experts": n, "epsilon": epsilon, "algorithm": name, "horizon": horizon, "rate": rate}
                )
    return pd.DataFrame(rows)
