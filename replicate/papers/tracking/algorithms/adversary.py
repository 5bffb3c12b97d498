"""The adaptive adversary of Theorem 5.1: S + 1 copies, one after the other, of the static lower bound's.

Experts come in pairs. Each pair hides a sign X: its losses are (1 + X) / 2 and (1 - X) / 2 until one of the
two has been played, and 1 for both from then on. As long as a pair is untouched, one of its two experts is
perfect; an expert that is played twice in a row loses 1 the second time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicate import validation
from replicate.learners.protocol import Learner, actions_of, best_sequence
from replicate.validation import FloatArray, IntArray


class PairAdversary:
    """The adversary: `losses()` for this round, then `see(action)`.

    Parameters
    ----------
    n_pairs
        Number of pairs, 1 to 1e6; N = 2 n_pairs experts. The lower bound wants at least as many as a copy has
        rounds.
    copy_rounds
        Rounds of one copy, T / (S + 1); at its end all pairs are fresh, with new signs.
    rng
        Source of randomness for the signs.

    Examples
    --------
    >>> adversary = PairAdversary(1, copy_rounds=10, rng=np.random.default_rng(1))
    >>> adversary.losses()
    array([0., 1.])
    >>> adversary.see(0)
    >>> adversary.losses()
    array([1., 1.])
    """

    def __init__(self, n_pairs: int, *, copy_rounds: int, rng: np.random.Generator) -> None:
        self.n_actions = 2 * validation.count("n_pairs", n_pairs, high=10**6)
        self._copy_rounds = validation.count("copy_rounds", copy_rounds)
        self._rng, self._round = validation.generator(rng), 0
        self._open()

    def _open(self) -> None:
        signs = self._rng.integers(0, 2, size=self.n_actions // 2)
        # the two of a pair stand side by side: 2 i and 2 i + 1
        self._current = np.empty(self.n_actions)
        self._current[::2], self._current[1::2] = signs, 1 - signs

    def losses(self) -> FloatArray:
        """Return this round's losses, shape (N,)."""
        return self._current.copy()

    def see(self, action: int) -> None:
        """See the expert played: from the next round on, both of its pair lose 1."""
        action = validation.count("action", action, low=0, high=self.n_actions - 1)
        pair = action - action % 2
        self._current[pair : pair + 2] = 1.0
        self._round += 1
        if self._round % self._copy_rounds == 0:
            self._open()


@dataclass(frozen=True, eq=False)
class Duel:
    """A learner's game.

    Attributes
    ----------
    table
        The losses, shape (T, N).
    actions
        The experts played, shape (T,).
    regret
        Dynamic regret against the best sequence with at most S switches.
    """

    table: FloatArray
    actions: IntArray
    regret: float


def duel(learner: Learner, adversary: PairAdversary, *, horizon: int, n_switches: int) -> Duel:
    """Let a learner play against the adversary, which sees every action (Theorem 5.1).

    Parameters
    ----------
    learner
        Any learner with full feedback, and as many actions as the adversary has experts.
    adversary
        A fresh `PairAdversary`.
    horizon
        Number of rounds T, 1 to 1e6.
    n_switches
        S of the comparator, at least 0.

    Raises
    ------
    ValueError
        If an argument is outside its range.
    """
    validation.interface("learner", learner, ("act", "observe", "n_actions"))
    validation.interface("adversary", adversary, ("losses", "see", "n_actions"))
    horizon = validation.count("horizon", horizon, high=10**6)
    n_switches = validation.count("n_switches", n_switches, low=0)
    if learner.n_actions != adversary.n_actions:
        raise ValueError(f"learner must have {adversary.n_actions} actions, got {learner.n_actions}")
    table, actions = np.empty((horizon, adversary.n_actions)), np.empty(horizon, dtype=np.int64)
    for t in range(horizon):
        table[t], actions[t] = adversary.losses(), learner.act()
        learner.observe(table[t])
        adversary.see(int(actions[t]))
    return _score(table, actions, n_switches)


def replay(learner: Learner, table: FloatArray, *, n_switches: int) -> Duel:
    """Let a fresh learner play the losses of an earlier duel: the same numbers from an oblivious adversary."""
    return _score(table, actions_of(learner, table), n_switches)


def _score(table: FloatArray, actions: IntArray, n_switches: int) -> Duel:
    loss = table[np.arange(len(table)), actions].sum()
    return Duel(table, actions, float(loss - best_sequence(table, n_switches=n_switches)[0]))
