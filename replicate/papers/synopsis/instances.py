"""Common instances, and the sizes of each profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from replicate import validation
from replicate.advice.processes import clock_trap, good_arm, shifting
from replicate.environments import Deterministic, Environment, Shifting, Table
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import restarts
from replicate.streams import stream

__all__ = ["REFERENCE", "SIZES", "clock_trap", "good_arm", "oblivious", "restart_trap", "shifting"]


@dataclass(frozen=True)
class Reference:
    """The setting of the decision table."""

    n_actions: int = 8
    gap: float = 0.5
    epsilon: float = 1.0


REFERENCE = Reference()


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """What a profile computes.

    Attributes
    ----------
    replicates, n_actions
        Of the grid over stochastic instances, for learners that act on blocks.
    streamed
        Repetitions, in figures, of learners that read every round.
    horizons
        T of the curves over time for those.
    shifting_horizon, switches
        T and S of the shifting instances.
    growing
        T at which the growth of regret on four phases is read.
    adversarial_horizon, actions, epsilons
        The grid over oblivious tables.
    bandit_horizon, bandit_replicates, arms
        The price of bandit feedback.
    """

    replicates: int
    n_actions: tuple[int, ...]
    streamed: int
    horizons: tuple[int, ...]
    shifting_horizon: int
    switches: tuple[int, ...]
    growing: tuple[int, ...]
    adversarial_horizon: int
    actions: tuple[int, ...]
    epsilons: tuple[float, ...]
    bandit_horizon: int
    bandit_replicates: int
    arms: tuple[int, ...]


SIZES: Mapping[str, Sizes] = {
    "quick": Sizes(
        replicates=300,
        n_actions=(2, 16),
        streamed=4,
        horizons=tuple(2**i for i in range(9, 15)),
        shifting_horizon=60_000,
        switches=(0, 1, 3, 7),
        growing=(40_000, 80_000, 160_000),
        adversarial_horizon=2**16 - 1,
        actions=(8,),
        epsilons=(1.0, 0.1),
        bandit_horizon=10**5,
        bandit_replicates=48,
        arms=(2, 8, 32),
    ),
    "full": Sizes(
        replicates=400,
        n_actions=(2, 16, 128),
        streamed=6,
        horizons=tuple(2**i for i in range(9, 18)),
        shifting_horizon=100_000,
        switches=(0, 1, 2, 3, 5, 7, 11),
        growing=(50_000, 100_000, 200_000),
        adversarial_horizon=2**16 - 1,
        actions=(2, 8, 32),
        epsilons=(1.0, 0.3, 0.1),
        bandit_horizon=3 * 10**5,
        bandit_replicates=32,
        arms=(2, 4, 8, 16, 32, 64),
    ),
}


def restart_trap(n_actions: int, horizon: int, *, epsilon: float) -> Table:
    """The clock trap, begun anew whenever a twin of the restarting learner restarts on it.

    The table is fixed before the learner plays: restarts come when regret in a window is large, and noise moves
    them by a few rounds only, so what traps the twin traps the learner. The twin's stream is always the same.

    Parameters
    ----------
    n_actions
        K, 2 to 64.
    horizon
        Number of rounds T, 2 to 2**17.
    epsilon
        Privacy level of the learner, positive.
    """
    n_actions = validation.count("n_actions", n_actions, low=2, high=64)
    horizon = validation.count("horizon", horizon, low=2, high=2**17)
    epsilon = validation.positive("epsilon", epsilon)
    rng = stream(0, "synopsis/restart_trap", n_actions, horizon, epsilon)
    trap = clock_trap(n_actions, horizon).losses(0, horizon, rng=rng)
    rule = bounds.restart_rule(n_actions=n_actions, epsilon=epsilon, horizon=horizon)
    table, begun = trap, 0
    while begun < horizon:
        table = np.concatenate([table[:begun], trap])[:horizon]
        restarted = restarts.run_restarts(table, epsilon=epsilon / 2, rule=rule, rng=rng).restarts
        later = restarted[restarted > begun + 64]
        begun = int(later[0]) if len(later) else horizon
    return Table(table)


def oblivious(n_actions: int, horizon: int) -> dict[str, Environment]:
    """Tables fixed in advance: losses in [0, 1] without any law.

    Parameters
    ----------
    n_actions
        K, 2 to 1024.
    horizon
        Number of rounds T, 16 to 2**20.

    Returns
    -------
    Five loss processes by name.
    """
    n_actions = validation.count("n_actions", n_actions, low=2, high=1024)
    horizon = validation.count("horizon", horizon, low=16, high=2**20)
    i = np.arange(n_actions)
    first, second = Deterministic((i != 0).astype(np.float64)), Deterministic((i != 1).astype(np.float64))
    parity = (np.arange(horizon)[:, None] + i) % 2
    flat = np.where(i == 1, 0.2, 1.0), np.where(i == 1, 1.0, 0.2)
    return {
        "losses 0 and 1": first,
        "late leader": Shifting([(horizon // 16, second), (horizon, first)]),
        "clock trap": clock_trap(n_actions, horizon),
        "switching": Shifting([(horizon // 3, Deterministic(flat[1])), (horizon, Deterministic(flat[0]))]),
        "alternating": Table(parity.astype(np.float64)),
    }
