"""Histories as numbers, and their orbits under relabellings of the actions.

A history is a sequence of actions and a sequence of signals or letters, read as digits of one number: the
actions in front, the latest digit last. A permutation of the K actions acts on actions, on letters (it moves the
losses with the actions), and leaves bandit signals alone.

*Averaging is free.* Letters, laws and the privacy constraints are closed under relabelling, the regret is a
maximum of linear functions of the policy, permuted among themselves. So the average of an optimal policy over
its K! relabellings is optimal: one variable an orbit of histories is enough, and one constraint an orbit of
constraints. A multiplier of the reduced program belongs to all constraints of its orbit, an equal share to each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np

from replicate.studies.price_of_privacy.bounds.games import Game
from replicate.validation import IntArray


@dataclass(frozen=True, eq=False)
class Orbits:
    """Orbits of the numbers 0, ..., n - 1 under a group.

    Attributes
    ----------
    first
        Smallest member of every orbit, increasing, shape (m,).
    of
        Orbit of every number, shape (n,).
    size
        Members of every orbit, shape (m,).
    """

    first: IntArray
    of: IntArray
    size: IntArray

    @classmethod
    def under(cls, images: IntArray) -> Orbits:
        """Return the orbits, from the images of every number under every element of the group, shape (G, n)."""
        # the smallest image names the orbit
        first, of, size = np.unique(images.min(axis=0), return_inverse=True, return_counts=True)
        return cls(first, of, size)


@dataclass(frozen=True)
class Relabellings:
    """The K! relabellings of a game's actions."""

    game: Game

    @cached_property
    def actions(self) -> IntArray:
        """New name of every action, shape (G, K)."""
        k = self.game.n_actions
        return np.array(list(permutations(range(k))))

    @cached_property
    def letters(self) -> IntArray:
        """New number of every letter, shape (G, n)."""
        number = {letter: i for i, letter in enumerate(self.game.letters)}
        orders = np.argsort(self.actions, axis=1)
        return np.array([[number[tuple(v[a] for a in order)] for v in self.game.letters] for order in orders])

    @cached_property
    def signals(self) -> IntArray:
        """New number of every signal, shape (G, o): own losses stay what they are."""
        if self.game.feedback == "full":
            return self.letters
        return np.tile(np.arange(2), (len(self.actions), 1))

    def images(self, n_actions: int, n_signals: int) -> IntArray:
        """Images of all histories of so many actions and signals, shape (G, K**a o**s)."""
        front, back = _moved(self.actions, n_actions), _moved(self.signals, n_signals)
        return (front[:, :, None] * back.shape[1] + back[:, None, :]).reshape(len(front), -1)

    def tables(self, rounds: int) -> IntArray:
        """Images of all tables of so many rounds, shape (G, n**rounds)."""
        return _moved(self.letters, rounds)


def _moved(digits: IntArray, length: int) -> IntArray:
    """Images of all numbers of `length` digits when every digit moves, shape (G, base**length)."""
    moved = np.zeros((len(digits), 1), dtype=np.int64)
    for _ in range(length):
        moved = (moved[:, :, None] * digits.shape[1] + digits[:, None, :]).reshape(len(digits), -1)
    return moved


def digits(base: int, length: int) -> IntArray:
    """Return all numbers of `length` digits, one a row: shape (base**length, length)."""
    codes = np.arange(base**length)[:, None]
    return codes // base ** np.arange(length)[::-1] % base


def signals_seen(game: Game, rounds: int) -> IntArray:
    """Code of the signals that a sequence of actions sees on a table.

    Returns
    -------
    Shape (K**rounds, n**rounds); with full information, the table's own code in one row.
    """
    n = len(game.letters)
    if game.feedback == "full":
        return np.arange(n**rounds)[None, :]
    actions, tables = digits(game.n_actions, rounds), digits(n, rounds)
    losses = np.array(game.letters)[tables[None, :, :], actions[:, None, :]]
    return losses @ (2 ** np.arange(rounds)[::-1])
