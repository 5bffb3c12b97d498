"""Adaptive losses: adversaries that see the actions played, and the game against them.

Regret is against an action that is fixed in advance, as bounds for such losses are: the best one in hindsight
depends on the learner's own noise.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

import numpy as np

from replicate.advice.question import Question
from replicate.learners.protocol import Learner
from replicate.papers.tracking import PairAdversary
from replicate.validation import FloatArray, IntArray

_COPIES = 8
"""How often the pairs of `PairAdversary` are fresh in a game."""
_MEMORY = 16
"""Rounds that a chaser with a memory looks back."""


class Adversary(Protocol):
    """``losses()`` for this round, then ``see(action)``."""

    def losses(self) -> FloatArray:
        """Return this round's losses, shape (K,)."""
        ...

    def see(self, action: int) -> None:
        """See the action played."""
        ...


class Chaser:
    """The actions that were just played lose more in the next round: staying is punished.

    Parameters
    ----------
    n_actions
        Number of actions K.
    best
        None: an action loses its share of the last rounds' play, and uniform play is good. Otherwise this action
        loses 1/2 less than the others, and those just played up to 1/2 more than they would: uniform play is bad.
    memory
        Number of rounds that are looked back. More than one fail who stays for a while and then moves on.
    """

    def __init__(self, n_actions: int, *, best: int | None = None, memory: int = 1) -> None:
        self._base, self._more = np.zeros(n_actions), 1.0
        if best is not None:
            self._base, self._more = 0.5 * (np.arange(n_actions) != best), 0.5
        self._played: deque[int] = deque(maxlen=memory)
        self._often, self._memory = np.zeros(n_actions), memory

    def losses(self) -> FloatArray:
        """Return this round's losses, shape (K,)."""
        return np.minimum(self._base + self._more / self._memory * self._often, 1.0)

    def see(self, action: int) -> None:
        """See the action played."""
        if len(self._played) == self._memory:
            self._often[self._played[0]] -= 1
        self._played.append(action)
        self._often[action] += 1


class Opponent(NamedTuple):
    """An adversary, and the action of its own choice with which it compares the learner."""

    adversary: Adversary
    comparator: int


def opponents(question: Question, rounds: int) -> Mapping[str, Callable[[np.random.Generator], Opponent]]:
    """Return, by name, the makers of adversaries; an odd action loses 1 in every round against pairs."""
    k = question.n_actions
    return {
        "chaser": lambda rng: Opponent(Chaser(k), 0),
        "chaser, one good action": lambda rng: Opponent(Chaser(k, best=0), 0),
        "chaser with a memory": lambda rng: Opponent(Chaser(k, memory=_MEMORY), 0),
        "chaser with a memory, one good action": lambda rng: Opponent(Chaser(k, best=0, memory=_MEMORY), 0),
        "pairs": lambda rng: _pairs(k // 2, max(rounds // _COPIES, 1), rng),
    }


def _pairs(pairs: int, rounds: int, rng: np.random.Generator) -> Opponent:
    """The comparator is the action that would lose least if none were ever played."""
    (coins,) = rng.spawn(1)
    unplayed = PairAdversary(pairs, copy_rounds=1, rng=copy.deepcopy(coins))  # draws the same signs, one a round
    total = np.zeros(2 * pairs)
    for _ in range(_COPIES):
        total += unplayed.losses()
        unplayed.see(0)
    return Opponent(PairAdversary(pairs, copy_rounds=rounds, rng=coins), int(total.argmin()))


def regret(learner: Learner, opponent: Opponent, *, rounds: int, order: IntArray) -> float:
    """Let a learner play and return its loss less that of the comparator on the losses that it met.

    The learner's action i is the adversary's action ``order[i]``.
    """
    adversary, comparator = opponent
    regret = 0.0
    row, places, full = np.ones(learner.n_actions), order.tolist(), learner.feedback == "full"
    for _ in range(rounds):
        losses = adversary.losses()
        row[: len(losses)] = losses
        action = learner.act()
        played = places[action]
        regret += float(row[played] - row[comparator])
        learner.observe(row[order] if full else float(row[played]))
        if played < len(losses):
            adversary.see(played)
    return regret
