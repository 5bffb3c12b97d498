"""Common instances, and the sizes of each profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from replicate import certify, validation
from replicate.advice import Question, Rule
from replicate.advice.processes import clock_trap, good_arm, shifting
from replicate.environments import Table
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import restarts
from replicate.profiles import grown
from replicate.streams import stream

__all__ = ["REFERENCE", "SIZES", "clock_trap", "good_arm", "restart_trap", "shifting"]


@dataclass(frozen=True)
class Reference:
    """The setting of the decision table."""

    n_actions: int = 8
    gap: float = 0.5
    epsilon: float = 1.0


REFERENCE = Reference()


@dataclass(frozen=True)
class Situation:
    """A situation in which somebody asks which learner to use: a row of the decision table.

    Attributes
    ----------
    text
        The row's heading.
    example
        Where one meets it.
    feedback, losses, n_switches, delta, local
        Of `replicate.advice.Question`.
    """

    text: str
    feedback: str
    losses: str
    n_switches: int = 0
    delta: float = 0.0
    local: bool = False
    example: str = ""

    def question(self, *, n_actions: int, rounds: int, epsilon: float) -> Question:
        """Return the question at these sizes."""
        return Question(
            feedback=self.feedback, losses=self.losses, n_switches=self.n_switches, delta=self.delta,
            local=self.local, n_actions=n_actions, rounds=rounds, epsilon=epsilon,
        )  # fmt: skip


SITUATIONS: Mapping[str, Situation] = {
    "IID": Situation(
        "i.i.d. losses, full information", "full", "iid", example="errors of K forecasts, people in random order",
    ),
    "SHIFT": Situation(
        "i.i.d. losses, distribution changes 3 times, full information", "full", "shifting", n_switches=3,
    ),
    "FIX": Situation(
        "oblivious losses, full information", "full", "fixed", example="returns of K portfolios, day by day"
    ),
    "FIXD": Situation("oblivious losses, full information, δ = 10⁻⁶ allowed", "full", "fixed", delta=1e-6),
    "SWITCH": Situation(
        "oblivious losses, best action changes 3 times, full information", "full", "switching", n_switches=3,
        example="demand forecasts through seasons",
    ),
    "REACT": Situation(
        "adaptive losses, full information", "full", "reactive",
        example="an opponent who watches your moves",
    ),
    "BIID": Situation(
        "i.i.d. losses, bandit feedback", "bandit", "iid", example="one of K treatments for each patient",
    ),
    "BFIX": Situation("oblivious losses, bandit feedback", "bandit", "fixed"),
    "LIID": Situation("i.i.d. losses, bandit feedback, local DP", "bandit", "iid", local=True),
    "LFIX": Situation(
        "oblivious losses, bandit feedback, local DP", "bandit", "fixed", local=True,
        example="one of K survey questions per phone",
    ),
    "BSHIFT": Situation(
        "oblivious losses, best action changes 3 times, bandit feedback", "bandit", "switching", n_switches=3,
    ),
}  # fmt: skip
"""Rows of the decision table by name."""
MAPPED = ("IID", "FIX", "BIID", "BFIX")
"""Those of the map of winners."""


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """The sizes of a profile; those that are not given are those of the full one.

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
    adversarial_horizon
        Length of the traps.
    bandit_horizon, bandit_replicates, arms
        The price of bandit feedback.
    rounds, reactive_rounds, long_rounds
        T of the decision table; where losses are adaptive, every round is a call of the learner; T at which the
        winner is asked for again among learners whose simulators draw sums.
    rule, others
        Of its races: of learners with a guarantee, and of those that stand beside them.
    map_rounds, map_actions, map_epsilons, map_rule
        Of the map of winners.
    """

    replicates: int = 400
    n_actions: tuple[int, ...] = (2, 16, 128)
    streamed: int = 6
    horizons: tuple[int, ...] = tuple(2**i for i in range(9, 18))
    shifting_horizon: int = 100_000
    switches: tuple[int, ...] = (0, 1, 2, 3, 5, 7, 11)
    adversarial_horizon: int = 2**16 - 1
    bandit_horizon: int = 10**5
    bandit_replicates: int = 32
    arms: tuple[int, ...] = (2, 4, 8, 16, 32, 64)
    rounds: int = 2**14
    reactive_rounds: int = 2**9
    long_rounds: int = 2**20
    rule: Rule
    others: Rule
    map_rounds: int = 2**12
    map_actions: tuple[int, ...] = (2, 8, 64)
    map_epsilons: tuple[float, ...] = (1.0, 0.1, 0.01)
    map_rule: Rule


FULL = Sizes(
    rule=Rule(first=1024, short=64, start=32, looks=2, wrong=certify.CLAIM_FALSE_ALARM),
    others=Rule(growth=4, short=4, start=8, looks=1),
    map_rule=Rule(growth=4, short=4, start=6, looks=1),
)
SIZES: dict[str, Sizes] = {
    "quick": Sizes(
        replicates=160, n_actions=(2, 16), streamed=4, horizons=tuple(2**i for i in range(9, 15)),
        shifting_horizon=30_000, switches=(0, 1, 3, 7), adversarial_horizon=2**15 - 1,
        bandit_horizon=20_000, bandit_replicates=60, arms=(2, 8, 32),
        rounds=2**11, reactive_rounds=2**7, long_rounds=2**11,
        rule=Rule(first=2**11, start=32, looks=3, wrong=certify.CLAIM_FALSE_ALARM),  # no shorter games
        others=Rule(first=128, growth=4, short=2, start=3, looks=1),
        map_rounds=2**9, map_actions=(2,), map_epsilons=(1.0,),
        map_rule=Rule(first=128, short=4, start=4, looks=1),
    ),
    "full": FULL,
    "huge": grown(FULL, "replicates", "streamed", "bandit_replicates", bandit_horizon=10**6, long_rounds=2**22),
}  # fmt: skip


def restart_trap(n_actions: int, horizon: int, *, epsilon: float) -> Table:
    """The clock trap, begun again whenever a copy of the restarting learner restarts on it.

    The table is fixed before the learner plays: restarts come when regret in a window is large, and noise moves
    them by a few rounds only, so what traps the copy traps the learner. The copy's stream is always the same.

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
