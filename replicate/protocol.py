"""The games: a learner acts, sees losses and pays regret.

A learner has two methods, ``act() -> int`` and ``observe(feedback)``, and says in its attribute
``feedback`` what it may see: the whole loss vector (``"full"``) or the loss of its own action (``"bandit"``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replicate import boundary

__all__ = ["HINDSIGHT", "PSEUDO", "Learner", "Run", "play"]

PSEUDO = "pseudo-regret"
HINDSIGHT = "regret against the best fixed action in hindsight"


class Learner(Protocol):
    """A learner that reads losses one round at a time."""

    n_actions: int
    feedback: str  # "full" or "bandit"

    def act(self) -> int:
        """Return the action of this round, in 0, ..., n_actions - 1."""

    def observe(self, losses: Any) -> None:
        """See this round's losses (shape (K,)), or the loss of the action played (a float)."""


@dataclass(frozen=True, eq=False)
class Run:
    """What came of a game.

    Attributes
    ----------
    rounds
        Numbers of rounds after which the regret is stated, shape (n,), increasing.
    regret
        Cumulative regret after those rounds, shape (replicates, n).
    regret_kind
        Which regret: pseudo-regret, regret in hindsight, dynamic regret, ...
    actions
        The actions played, shape (replicates, T), where they were recorded.
    """

    rounds: NDArray[np.int64]
    regret: NDArray[np.float64]
    regret_kind: str
    actions: NDArray[np.int64] | None = None

    @property
    def final(self) -> NDArray[np.float64]:
        """Regret at the last of `rounds`, shape (replicates,)."""
        return self.regret[:, -1]


def play(learner: Learner, losses: ArrayLike) -> Run:
    """Let a learner play through a table of losses.

    Parameters
    ----------
    learner
        Any object with `act`, `observe`, `n_actions` and `feedback`.
    losses
        Shape (T, K), entries in [0, 1], K = learner.n_actions.

    Returns
    -------
    A run of one replicate: after each round, the learner's loss less that of the best fixed action so far.
    """
    table = boundary.unit_array("losses", losses, ndim=2)
    if table.shape[1] != learner.n_actions:
        raise ValueError(f"losses must have {learner.n_actions} columns, one an action, got {table.shape[1]}")
    actions = np.empty(len(table), dtype=np.int64)
    for t, row in enumerate(table):
        actions[t] = learner.act()
        learner.observe(row if learner.feedback == "full" else row[actions[t]])
    rounds = np.arange(1, len(table) + 1)
    paid = np.cumsum(table[rounds - 1, actions])
    best = np.cumsum(table, axis=0).min(axis=1)
    return Run(rounds, (paid - best)[None], HINDSIGHT, actions[None])
