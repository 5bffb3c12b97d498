"""Named instances and the sizes of the profiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from replicate import environments
from replicate.environments import Stationary
from replicate.environments.stochastic import means_of
from replicate.learners import dyadic
from replicate.profiles import grown

HORIZON = dyadic.MAX_HORIZON


@dataclass(frozen=True)
class Sizes:
    """Sizes of the experiments of a profile."""

    replicates: int
    n_actions: tuple[int, ...]
    gaps: tuple[float, ...] = (0.5, 0.1, 0.01)
    epsilons: tuple[float, ...] = (1.0, 0.1, 0.01)
    largest_log2_k: int = 12
    streamed_horizon: int = 2**18
    searches: int = 4
    played_runs: tuple[int, int] = (3000, 100)
    late_replicates: int = 200_000


FULL = Sizes(250, (2, 16, 256, 1024))
SIZES: Mapping[str, Sizes] = {
    "quick": Sizes(
        100,
        (2, 16, 256),
        largest_log2_k=10,
        streamed_horizon=2**17,
        searches=2,
        played_runs=(800, 48),
        late_replicates=80_000,
    ),
    "full": FULL,
    "huge": grown(
        FULL, "replicates", "searches", "late_replicates", played_runs=(30_000, 1_000), streamed_horizon=2**20
    ),
}


def structured(n_actions: int, streamed_horizon: int) -> list[tuple[str, Stationary, int]]:
    """(name, environment, horizon) of the instances with K = n_actions, and small ones with their own K."""
    cases: list[tuple[str, Stationary, int]] = [
        (f"{name}, {gap:g}", environments.Bernoulli(means_of(name, n_actions, gap)), HORIZON)
        for name in ("geometric gaps", "linear gaps", "one near competitor")
        for gap in (0.1, 0.01)
    ]
    zero_one = (np.arange(n_actions) > 0).astype(np.float64)
    cases.append(("deterministic 0/1", environments.Deterministic(zero_one), HORIZON))
    law = np.tile([0.3, 0.4, 0.3], (16, 1))
    law[0] = [0.4, 0.4, 0.2]
    cases.append(("losses 0, 1/2, 1", environments.Grid(np.array([0.0, 0.5, 1.0]), law), HORIZON))
    beta = environments.Beta(np.r_[1.0, np.full(7, 2.0)], np.full(8, 2.0))
    cases.append(("Beta losses", beta, streamed_horizon))
    return cases + [(f"{name} losses", env, HORIZON) for name, env in dependent_losses(16, 0.05).items()]


def dependent_losses(n_actions: int, gap: float) -> dict[str, Stationary]:
    """Environments with the same marginals (one hot: its own) and different dependence between actions."""
    means = means_of("one good arm", n_actions, gap)
    hot = np.full(n_actions, 1 / n_actions + gap / n_actions**2)
    hot[0] = 1 - hot[1:].sum()
    return {
        "independent": environments.Bernoulli(means),
        "comonotone": environments.comonotone(means),
        "antithetic": environments.antithetic(means),
        "one-hot": environments.one_hot(hot),
    }
