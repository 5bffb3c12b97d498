"""Losses that react to the actions played: adversaries, and the game against them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np

from replicate.advice.question import Question
from replicate.learners.protocol import Learner
from replicate.papers.tracking import PairAdversary
from replicate.validation import FloatArray

_COPIES = 8
"""How often the pairs of `PairAdversary` are fresh in a game."""


class Adversary(Protocol):
    """``losses()`` for this round, then ``see(action)``."""

    def losses(self) -> FloatArray:
        """Return this round's losses, shape (K,)."""
        ...

    def see(self, action: int) -> None:
        """See the action played."""
        ...


class Chaser:
    """The action that was just played loses more in the next round: staying is punished.

    Parameters
    ----------
    n_actions
        Number of actions K.
    best
        None: it loses 1, the others nothing, and uniform play is good. Otherwise this action loses 1/2 less than
        the others, and the one just played 1/2 more than it would: uniform play is bad.
    """

    def __init__(self, n_actions: int, *, best: int | None = None) -> None:
        self._base, self._more = np.zeros(n_actions), 1.0
        if best is not None:
            self._base, self._more = 0.5 * (np.arange(n_actions) != best), 0.5
        self._current = self._base.copy()

    def losses(self) -> FloatArray:
        """Return this round's losses, shape (K,)."""
        return self._current.copy()

    def see(self, action: int) -> None:
        """See the action played."""
        self._current[:] = self._base
        self._current[action] += self._more


def adversaries(question: Question, rounds: int) -> Mapping[str, Callable[[np.random.Generator], Adversary]]:
    """Return, by name, the makers of adversaries; an odd action loses 1 in every round against pairs."""
    pairs, copy = question.n_actions // 2, max(rounds // _COPIES, 1)
    return {
        "chaser": lambda rng: Chaser(question.n_actions),
        "chaser, one good action": lambda rng: Chaser(question.n_actions, best=(question.n_actions - 1) // 2),
        "pairs": lambda rng: PairAdversary(pairs, copy_rounds=copy, rng=rng),
    }


def regret(learner: Learner, adversary: Adversary, *, rounds: int) -> float:
    """Let a learner play and return its loss less that of the best fixed action on the losses that it met."""
    worst, total, suffered = np.ones(learner.n_actions), np.zeros(learner.n_actions), 0.0
    for _ in range(rounds):
        losses, row = adversary.losses(), worst.copy()
        row[: len(losses)] = losses
        action = learner.act()
        suffered += row[action]
        total += row
        learner.observe(row if learner.feedback == "full" else row[action])
        if action < len(losses):
            adversary.see(action)
    return float(suffered - total.min())
