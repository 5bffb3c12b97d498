"""Bounds of the limit of epsilon V_T(epsilon) in long games from both sides: two actions, deterministic losses.

From below. The limit: T to infinity, then epsilon to 0. Measure time in 1 / epsilon. Cut it into windows of
lengths w_0, ..., w_(n-1), keep only tables that are constant on stretches and change letter at most twice, and
look at a learner at one time in each window only: the fraction theta of the window. Between two looks lies one
stretch, of length e_0 = theta w_0, e_k = (1 - theta) w_(k-1) + theta w_k. What remains is a finite game: n
letters, of privacy e_k each, and n actions, the k-th after letter k and weighted by w_k.

Theorem. For any windows, whose sum is finite, and any m: lim epsilon V_T(epsilon) >= (1/m) sum over j = 1..m of
the value of the game with theta = j / m.

Proof. Take an epsilon-private learner and tables that are constant on stretches; that restricts the adversary.
Draw s uniform on ((j - 1)/m, j/m] and play, in the finite game, the action of the round at fraction s of each
window. That round has seen no letter beyond fraction s, hence none beyond j/m, and to replace the letter of a
stretch replaces e_k / epsilon rounds (up to one, which vanishes in the limit): group privacy makes this a learner
of the finite game at levels e_k. Its mean regret is epsilon times the learner's regret over the parts ((j - 1)/m,
j/m] of all windows, times m. The sum over j is epsilon m times the regret. Tables left out only relax.

The value is bounded below by Lagrange multipliers, in fractions, whatever solver proposed them. From above:
`posterior_regret`, by `limit_bounds`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from replicate import validation
from replicate.studies.price_of_privacy.algorithms import lazy
from replicate.studies.price_of_privacy.bounds import exponential
from replicate.validation import FloatArray, IntArray

Word = tuple[int, ...]
Multipliers = Mapping[tuple[Word, Word, Word], Fraction]
"""(letters, letters with one replaced, actions) to a number that is not negative."""

_MOST_WINDOWS = 9
_BITS = 40
_FIRST = 1.5
"""Rounds of the first block of `posterior_regret`, in units of 1 / epsilon."""
_BEYOND = 40.0
"""Leads of more than 40 / epsilon rounds count as certain: error probability e**-40."""
_CHANCE = 1e-20
"""Probabilities that are left out."""


class FiniteGame(NamedTuple):
    """A game of n letters and n actions, the k-th action after the k-th letter.

    Attributes
    ----------
    levels
        e_0, ..., e_(n-1): replacing letter k changes the distribution of the actions by a factor of at most
        exp(e_k).
    weights
        w_0, ..., w_(n-1): cost of the wrong action of window k, on the two constant tables.
    most_changes
        Tables change letter at most so often.
    """

    levels: tuple[Fraction, ...]
    weights: tuple[Fraction, ...]
    most_changes: int = 2

    @property
    def factors(self) -> list[Fraction]:
        """Rationals of at least exp(e_k)."""
        return [exponential(str(e))[1] for e in self.levels]

    @property
    def tables(self) -> list[Word]:
        """Sequences of n letters, 0 or 1: the good action."""
        letters = itertools.product((0, 1), repeat=len(self.levels))
        return [w for w in letters if sum(a != b for a, b in itertools.pairwise(w)) <= self.most_changes]

    def neighbours(self) -> Iterator[tuple[Word, Word, int]]:
        """Ordered pairs of tables that differ in one letter, and where."""
        kept = set(self.tables)
        for table in self.tables:
            for k in range(len(table)):
                other = (*table[:k], 1 - table[k], *table[k + 1 :])
                if other in kept:
                    yield table, other, k

    def cost(self, letters: Word, actions: Word) -> Fraction:
        """Half the weight of the wrong actions on a constant table; 0 on other tables."""
        if len(set(letters)) > 1:
            return Fraction(0)
        return sum((w for w, a in zip(self.weights, actions, strict=True) if a != letters[0]), Fraction(0)) / 2


def finite_game(windows: Sequence[Fraction], theta: Fraction) -> FiniteGame:
    """Return the game of the module's docstring, observed at the fraction theta of every window."""
    lengths = [Fraction(w) for w in windows]
    validation.count("number of windows", len(lengths), high=_MOST_WINDOWS)
    pairs = itertools.pairwise(lengths)
    return FiniteGame((theta * lengths[0], *((1 - theta) * a + theta * b for a, b in pairs)), tuple(lengths))


def lower_bound(game: FiniteGame, multipliers: Multipliers) -> Fraction:
    """Bound the value of the game from below: the least Lagrangian, by exact backward recursion.

    Costs on leaves become cost(l, a) + sum over l' of pi(l, l', a) - E_k pi(l', l, a), pi >= 0, where x(l, a) <=
    E_k x(l', a) is the constraint of privacy. Without constraints the best learner takes the cheapest action at
    every prefix of letters and actions, summed over the letters that may follow.

    Raises
    ------
    ValueError
        If a multiplier is negative.
    """
    n, kept, factors = len(game.levels), game.tables, game.factors
    if any(m < 0 for m in multipliers.values()):
        raise ValueError("multipliers must be at least 0")
    plays = list(itertools.product((0, 1), repeat=n))
    value = {(table, a): game.cost(table, a) for table in kept for a in plays}
    for table, other, k in game.neighbours():
        for a in plays:
            pi = multipliers.get((table, other, a), Fraction(0))
            value[table, a] += pi
            value[other, a] -= factors[k] * pi
    # backwards: the cheapest last action, then the sum over the last letter
    for _ in range(n):
        best: dict[tuple[Word, Word], Fraction] = {}
        for (letters, actions), v in value.items():
            key = letters, actions[:-1]
            best[key] = min(v, best.get(key, v))
        value = {}
        for (letters, actions), v in best.items():
            value[letters[:-1], actions] = value.get((letters[:-1], actions), Fraction(0)) + v
    return value[(), ()]


class Program:
    """The linear program of a finite game: one variable for each prefix of letters and actions of one length."""

    def __init__(self, game: FiniteGame) -> None:
        self.game, self.actions = game, list(itertools.product((0, 1), repeat=len(game.levels)))
        self._index: dict[tuple[Word, Word], int] = {}
        for k in range(1, len(game.levels) + 1):
            for letters in sorted({t[:k] for t in game.tables}):
                for actions in itertools.product((0, 1), repeat=k):
                    self._index[letters, actions] = len(self._index)

    @cached_property
    def pairs(self) -> list[tuple[Word, Word, Word, float]]:
        """One constraint each: tables, actions and exp(e_k)."""
        factors = [float(f) for f in self.game.factors]
        return [(t, o, a, factors[k]) for t, o, k in self.game.neighbours() for a in self.actions]

    def _rows(self, rows: list[dict[int, float]]) -> Any:
        entries = [(i, j, v) for i, row in enumerate(rows) for j, v in row.items()]
        i, j, v = zip(*entries, strict=True)
        return sparse.csr_matrix((v, (i, j)), shape=(len(rows), len(self._index)))

    def multipliers(self) -> dict[tuple[Word, Word, Word], Fraction]:
        """Solve, and return the multipliers of privacy, rounded down to multiples of 2**-40 and at least 0."""
        index = self._index
        private = [{index[t, a]: 1.0, index[o, a]: -f} for t, o, a, f in self.pairs]
        causal: dict[tuple[Word, Word], dict[int, float]] = {}
        for (letters, actions), j in index.items():
            causal.setdefault((letters, actions[:-1]), {})[j] = 1.0
        for (letters, parent), row in causal.items():
            if parent:
                row[index[letters[:-1], parent]] = -1.0
        costs = np.zeros(len(index))
        for t in self.game.tables:
            for a in self.actions:
                costs[index[t, a]] = float(self.game.cost(t, a))
        right = [float(not parent) for _, parent in causal]
        solved = linprog(
            costs, A_ub=self._rows(private), b_ub=np.zeros(len(private)), A_eq=self._rows(list(causal.values())),
            b_eq=right, method="highs-ds",
        )  # fmt: skip
        # any multipliers >= 0 prove a bound: rounding costs a little of it, and no rigour
        scaled = np.floor(np.maximum(-solved.ineqlin.marginals, 0) * 2.0**_BITS)
        return {
            (t, o, a): Fraction(int(v), 2**_BITS)
            for (t, o, a, _), v in zip(self.pairs, scaled.tolist(), strict=True)
            if v
        }


def limit_lower(windows: Sequence[Fraction], *, looks: int = 4) -> Fraction:
    """Prove a lower bound of the limit of epsilon V_T(epsilon): the theorem of the module, with m = `looks`.

    Parameters
    ----------
    windows
        Lengths in units of 1 / epsilon, at most nine.
    looks
        m, 1 to 64.

    Examples
    --------
    >>> q = 1 / (1 + np.e)
    >>> round(float(limit_lower([Fraction(1)] * 4, looks=1)) / (2 * q + 4 * q**2), 9)  # V_5(1) - 1/2
    1.0
    """
    m = validation.count("looks", looks, high=64)
    games = [finite_game(windows, Fraction(j, m)) for j in range(1, m + 1)]
    return sum((lower_bound(game, Program(game).multipliers()) for game in games), Fraction(0)) / m


def posterior_regret(epsilon: float) -> float:
    """Regret over all rounds, on losses (0, 1), of a lazy leader whose blocks depend on its lead.

    A block has ceil(3 / (2 epsilon)) + abs(lead) rounds. Its end depends on earlier noisy sums only: each round
    still lies in one block, and the learner is epsilon-private as `lazy` is. The distribution of the lead is
    computed block by block; chances below 1e-20 and the error of leads above 40 / epsilon are left out, less than
    1e-9 in all.

    Parameters
    ----------
    epsilon
        Privacy level, 0.01 to 10.
    """
    level = validation.real("epsilon", epsilon, low=0.01, high=10)
    most, first = math.ceil(_BEYOND / level), math.ceil(_FIRST / level)
    law = np.zeros(2 * most + 1)
    law[most] = 1.0
    regret = 0.0
    rounds = first + np.abs(np.arange(-most, most + 1))
    while law[: most + 1].sum() > _CHANCE:
        regret += float((law[:most] * rounds[:most]).sum() + law[most] * first / 2)
        law = _next_law(law, rounds, epsilon=level)
    return regret


def _next_law(law: FloatArray, rounds: IntArray, *, epsilon: float) -> FloatArray:
    """Law of the lead after a block whose length depends on it; leads beyond the right end are left out."""
    most = len(law) // 2
    following = np.zeros_like(law)
    for i in np.flatnonzero(law > _CHANCE).tolist():
        n = int(rounds[i])
        low, high = max(0, i - n), min(2 * most, i + n)
        added = lazy.increment_law(n, n, epsilon=epsilon)
        following[low : high + 1] += law[i] * added[low - (i - n) : high + 1 - (i - n)]
    return following


def limit_bounds(value: float, *, epsilon: float) -> tuple[float, float]:
    """Bound C = lim epsilon V_inf(epsilon), epsilon to 0, by one value: E (V - 1/2) <= C <= (e**E - 1) V.

    Lower: tables that are constant on blocks of m rounds, `scaled`; any V_T(E) will do. Upper: one
    uniform round of each batch of m, V_(mT)(epsilon) <= m V_T(E) with e**E = 1 + m (e**epsilon - 1); the regret
    of any E-private learner over all rounds will do. As E falls both show that the limit exists: V falls in
    epsilon.

    Parameters
    ----------
    value
        V, at least 1/2.
    epsilon
        E, positive, at most 700.
    """
    level = validation.positive("epsilon", epsilon, high=700)
    v = validation.real("value", value, low=0.5)
    return level * (v - 0.5), math.expm1(level) * v


def scaled(value: float, *, rounds: int) -> float:
    """Bound a longer game with a smaller level: V_(mT)(epsilon / m) >= m (V_(T+1)(epsilon) - 1/2), two actions.

    Take a learner for m T rounds at level epsilon / m, and a table of T letters, each repeated m times. Play, in
    round t + 1 of a game of T + 1 rounds, the action of a uniformly drawn round of its t-th block, moved by one
    round so that it has seen no letter but those of the first t blocks; play a_1 uniformly. Replacing a letter
    replaces m rounds, so this is private at level epsilon. Its regret is at most 1/2 for round 1 and, for the
    others, one m-th of the learner's.

    Parameters
    ----------
    value
        V_(T+1)(epsilon) of deterministic losses, at least 1/2.
    rounds
        m, rounds of a block.
    """
    return (validation.real("value", value, low=0.5) - 0.5) * validation.count("rounds", rounds)
