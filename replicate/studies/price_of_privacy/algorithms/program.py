"""The linear program of a game, and its histories as numbers, of which relabelled ones share a variable.

Unknowns: x_t(a_<=t | o_<t), t = first, ..., T, one an orbit; W(l_<t), the regret that is still to come on the
worst continuation of a table, or, for distributions, one number z; with delta > 0 the excess s(a | o, o') of an
outcome. Minimise W() (or z) subject to

    sum over a_t of x_t(a_<t, a_t | o_<t) = x_(t-1)(a_<t | o_<t-1),    1 at the root,         (flow) W(l_<t) >=
    <m_t(. | l_<t), l_t> + W(l_<=t),    W(l_<=T) = -L*(l),                         (potentials) z >= sum_t sum over
    l_<t of D(l_<t) <m_t(. | l_<t), mu_D> - T min mu_D for every distribution D,   (distributions) x_T(a | o) <= E
    x_T(a | o'),                                                              (privacy) x_T(a | o) <= E x_T(a | o')
    + s(a | o, o'),  sum over a of s(a | o, o') <= delta,         (the same, delta > 0)

for o, o' that differ in one place; m_t(a | l_<t) = sum over a_<t of x_t(a_<t, a | o(l_<t, a_<t)).

A history is a sequence of actions and a sequence of signals or letters, read as digits of one number: the
actions in front, the latest digit last. A permutation of the K actions acts on actions, on letters (it moves the
losses with the actions), and leaves bandit signals alone.

*Averaging is free.* Letters, distributions and the privacy constraints are closed under relabelling, the regret is
a maximum of linear functions of the policy, permuted among themselves. So the average of an optimal policy over
its K! relabellings is optimal: one variable an orbit of histories is enough, and one constraint an orbit of
constraints. A multiplier of the reduced program belongs to all constraints of its orbit, an equal share to each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations

import numpy as np
from scipy import sparse

from replicate.studies.price_of_privacy.bounds import Game
from replicate.validation import FloatArray, IntArray

Terms = list[tuple[IntArray, FloatArray | float]]
"""Columns with their coefficients, one column per row."""


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
        values, losses = np.unique(np.array(self.game.letters), return_inverse=True)
        letters = losses.reshape(len(self.game.letters), -1)
        places = len(values) ** np.arange(self.game.n_actions)  # a letter is a number with K digits
        number = np.zeros(len(values) * places[-1], dtype=np.int64)
        number[letters @ places] = np.arange(len(letters))
        # the loss of an action moves to its new name
        return np.array([number[letters @ places[names]] for names in self.actions])

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
    """Return all numbers of `length` digits, one per row: shape (base**length, length)."""
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


@dataclass
class Rows:
    """Rows of a sparse system, block by block."""

    height: int = 0
    parts: list[tuple[IntArray, IntArray, FloatArray]] = field(default_factory=list)
    right: list[FloatArray] = field(default_factory=list)

    def add(self, n: int, terms: Terms, right: FloatArray | float = 0.0) -> None:
        """Add n rows: sum of coefficient times column over the terms, and the right-hand side."""
        rows = np.arange(self.height, self.height + n)
        for columns, coefficients in terms:
            self.parts.append((rows, columns, np.broadcast_to(np.asarray(coefficients, dtype=np.float64), n)))
        self.right.append(np.broadcast_to(np.asarray(right, dtype=np.float64), n))
        self.height += n

    def matrix(self, width: int) -> tuple[sparse.csr_matrix, FloatArray]:
        """Return the system with `width` columns."""
        if not self.parts:
            return sparse.csr_matrix((0, width)), np.zeros(0)
        rows, columns, values = (np.concatenate(part) for part in zip(*self.parts, strict=True))
        return sparse.csr_matrix((values, (rows, columns)), shape=(self.height, width)), np.concatenate(self.right)


@dataclass(frozen=True, eq=False)
class Program:
    """The linear program of a game; relabelled histories share a variable."""

    game: Game

    @cached_property
    def relabellings(self) -> Relabellings:
        """The group that acts."""
        return Relabellings(self.game)

    @cached_property
    def moves(self) -> list[tuple[Orbits, IntArray]]:
        """Orbits of the histories (a_<=t, o_<t) and their columns, for t = first, ..., T."""
        orbits = [
            Orbits.under(self.relabellings.images(t - self.game.first + 1, t - 1))
            for t in range(self.game.first, self.game.horizon + 1)
        ]
        starts = np.cumsum([0, *(len(o.first) for o in orbits)])
        return [(o, start + o.of) for o, start in zip(orbits, starts[:-1], strict=True)]

    @cached_property
    def potentials(self) -> list[tuple[Orbits, IntArray]]:
        """Orbits of the tables l_<t and the columns of W, for t = 1, ..., T; for distributions, z alone."""
        start = sum(len(o.first) for o, _ in self.moves)
        potentials = []
        for rounds in range(1 if self.game.laws else self.game.horizon):
            orbits = Orbits.under(self.relabellings.tables(rounds))
            potentials.append((orbits, start + orbits.of))
            start += len(orbits.first)
        return potentials

    @property
    def objective(self) -> int:
        """Column of W() or z."""
        return int(self.potentials[0][1][0])

    @cached_property
    def width(self) -> int:
        """Number of columns without the excesses of delta."""
        return int(self.potentials[-1][1].max()) + 1

    def marginal(self, t: int, action: int, tables: IntArray) -> list[IntArray]:
        """Columns whose sum is m_t(action | l_<t), t >= first, for codes of tables of t - 1 rounds."""
        game, columns = self.game, self.moves[t - self.game.first][1]
        signals, histories = game.n_signals ** (t - 1), game.n_actions ** (t - game.first)
        seen = signals_seen(game, t - 1)[:, tables]
        return [columns[(i * game.n_actions + action) * signals + seen[i % len(seen)]] for i in range(histories)]

    def flow(self) -> Rows:
        """Equalities: actions at a history share its mass."""
        rows, game = Rows(), self.game
        k, o = game.n_actions, game.n_signals
        for t in range(game.first, game.horizon + 1):
            signals = o ** (t - 1)
            nodes = Orbits.under(self.relabellings.images(t - game.first, t - 1)).first
            actions, seen = np.divmod(nodes, signals)
            columns = self.moves[t - game.first][1]
            terms: Terms = [(columns[(actions * k + a) * signals + seen], 1.0) for a in range(k)]
            if t > game.first:
                earlier = self.moves[t - game.first - 1][1]
                terms.append((earlier[actions * o ** (t - 2) + seen // o], -1.0))
            rows.add(len(nodes), terms, 0.0 if t > game.first else 1.0)  # (flow)
        return rows

    def play(self, rows: Rows) -> list[Orbits]:
        """Add the inequalities of the adversary: potentials of tables, or distributions."""
        if self.game.laws:
            return self._laws(rows)
        game, n, blocks = self.game, len(self.game.letters), []
        letters = np.array(game.letters, dtype=np.float64)
        for t in range(1, game.horizon + 1):
            orbits = Orbits.under(self.relabellings.tables(t))
            before, last = np.divmod(orbits.first, n)
            terms: Terms = [(self.potentials[t - 1][1][before], -1.0)]
            right: FloatArray | float = 0.0
            if t < game.horizon:
                terms.append((self.potentials[t][1][orbits.first], 1.0))
            else:
                tables = digits(n, t)[orbits.first]
                right = np.array([float(game.comparator(tuple(table))) for table in tables])
            if t < game.first:
                right = right - letters[last].mean(axis=1)
            for action in range(game.n_actions) if t >= game.first else ():
                terms += [(columns, letters[last, action]) for columns in self.marginal(t, action, before)]
            rows.add(len(orbits.first), terms, right)  # (potentials)
            blocks.append(orbits)
        return blocks

    def _laws(self, rows: Rows) -> list[Orbits]:
        """One inequality a distribution of letters, up to relabelling."""
        game, laws = self.game, np.array(self.game.laws)
        number = {law: i for i, law in enumerate(game.laws)}
        back = np.argsort(self.relabellings.letters, axis=1)
        images = [[number[tuple(law[order].tolist())] for law in laws] for order in back]
        orbits = Orbits.under(np.array(images))
        for law in laws[orbits.first] / game.grid:
            means, mass, right = law @ np.array(game.letters), np.ones(1), 0.0
            terms: Terms = [(np.array([self.objective]), -1.0)]
            for t in range(1, game.horizon + 1):
                if t < game.first:
                    right -= float(means.mean())
                else:
                    tables = np.flatnonzero(mass)
                    for action in range(game.n_actions):
                        for columns in self.marginal(t, action, tables):
                            cost = mass[tables] * means[action]
                            terms += [(columns[i : i + 1], cost[i]) for i in range(len(tables))]
                mass = np.outer(mass, law).ravel()
            rows.add(1, terms, right + game.horizon * float(means.min()))  # (distributions)
        return [orbits]
