"""Privacy constraints, the optimum as floating-point numbers, and the certificate that is made from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from replicate.studies.price_of_privacy.algorithms.program import Orbits, Program, Rows, Terms
from replicate.studies.price_of_privacy.bounds import ONE, Certificate, Game, Rejected, upper
from replicate.validation import FloatArray

BoolArray = NDArray[np.bool_]

_COST = 256.0
"""Coefficient of the objective: the solver's tolerance is absolute, and multipliers need a smaller one."""
_TIE = 1e-9
"""Regret that fewer switches may cost."""
_LARGE = 4000
"""Inequalities from which on an interior point is faster than the simplex."""
_OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True, eq=False)
class Solution:
    """Optimum of the solver, in floating-point numbers; `certificate` makes a certificate from it.

    Attributes
    ----------
    value
        Optimal value.
    sequence
        x_t of every history, one array per round from `game.first` to T.
    law
        Weights of all tables, or of all distributions.
    multipliers
        Of the privacy constraints, in the order of `bounds.Certificate.multipliers`.
    """

    value: float
    sequence: list[FloatArray]
    law: FloatArray
    multipliers: FloatArray


def solve(game: Game, *, resting: Sequence[int] = (), fewest_switches: bool = False) -> Solution:
    """Solve a game's program.

    Parameters
    ----------
    game
        The game.
    resting
        Rounds after `game.first` in which the learner must repeat its action. The distribution and the multipliers
        are those of this game; they need not prove its value for learners that do not rest.
    fewest_switches
        Whether to choose, among the optimal policies, one with the fewest expected switches of action from round
        `game.first` on, over uniformly drawn letters. Its distribution and multipliers are those of the first
        optimum.
    """
    program, rows = Program(game), Rows()
    worst = program.play(rows)
    private = _private(program, rows) if game.private and game.horizon >= game.first else []
    width = program.width + sum(part.excesses for part in private)
    bounds = np.tile([0.0, np.inf], (width, 1))
    bounds[program.objective : program.width, 0] = -np.inf
    for t in resting:
        bounds[program.moves[t - game.first][1][_switching(program, t)], 1] = 0
    (a, b), (a_eq, b_eq) = rows.matrix(width), program.flow().matrix(width)
    method = "highs-ds" if len(b) < _LARGE else "highs-ipm"

    def minimise(cost: FloatArray) -> Any:
        for options in (_OPTIONS, {}):  # where probabilities differ by orders of magnitude it may give up
            optimum = linprog(
                cost, A_ub=a, b_ub=b, A_eq=a_eq, b_eq=b_eq, bounds=bounds, method=method, options=options
            )
            if optimum.status == 0:
                return optimum
        raise RuntimeError(f"the linear program of {game} was not solved: {optimum.message}")

    cost = np.zeros(width)
    cost[program.objective] = _COST
    optimum = minimise(cost)
    duals, x = -optimum.ineqlin.marginals / _COST, optimum.x
    value = float(optimum.fun) / _COST
    if fewest_switches:
        # among the optimal policies, up to a tie, the one that switches least
        bounds[program.objective, 1] = value + _TIE
        x = minimise(_switches(program, width)).x
    last, stop = worst[-1], sum(len(orbits.first) for orbits in worst)
    return Solution(
        value=value,
        sequence=[x[columns] for _, columns in program.moves],
        law=(duals[stop - len(last.first) : stop] / last.size)[last.of],  # an equal share to each of an orbit
        multipliers=np.concatenate([part.spread(duals) for part in private] or [np.zeros(0)]),
    )


def _switching(program: Program, t: int) -> BoolArray:
    """Mark the histories (a_<=t, o_<t) in which a_t differs from a_(t-1)."""
    game = program.game
    actions = np.arange(game.n_actions ** (t - game.first + 1))
    return np.repeat(
        actions % game.n_actions != actions // game.n_actions % game.n_actions, game.n_signals ** (t - 1)
    )


def _switches(program: Program, width: int) -> FloatArray:
    """Cost of the expected number of switches over uniformly drawn signals."""
    game, cost = program.game, np.zeros(width)
    for t in range(game.first + 1, game.horizon + 1):
        columns = program.moves[t - game.first][1][_switching(program, t)]
        np.add.at(cost, columns, float(game.n_signals) ** (1 - t))
    return cost


@dataclass(frozen=True, eq=False)
class _Place:
    """Constraints about one changed place: where their rows begin, their orbits, how many excesses they need."""

    start: int
    orbits: Orbits
    excesses: int

    def spread(self, duals: FloatArray) -> FloatArray:
        """Multipliers of all constraints, in the order (shift, leaf)."""
        stop = self.start + len(self.orbits.first)
        return (duals[self.start : stop] / self.orbits.size)[self.orbits.of]


def _private(program: Program, rows: Rows) -> list[_Place]:
    """x_T(a | o) <= E x_T(a | o') + s for signals that differ in one place, one row per orbit."""
    game, o, factor = program.game, program.game.n_signals, float(program.game.exponential[0])
    columns, width, blocks = program.moves[-1][1], program.width, []
    images = program.relabellings.images(game.horizon - game.first + 1, game.horizon - 1)
    for place in range(game.horizon - 1):
        weight = o ** (game.horizon - 2 - place)
        leaf = np.tile(np.arange(len(columns)), o - 1)
        new = (leaf // weight + np.repeat(np.arange(1, o), len(columns))) % o
        orbits = Orbits.under(images[:, leaf] * o + program.relabellings.signals[:, new])
        leaf, new = np.divmod(orbits.first, o)
        other = leaf + (new - leaf // weight % o) * weight
        terms: Terms = [(columns[leaf], 1.0), (columns[other], -factor)]  # (privacy)
        excesses = len(leaf) if Fraction(game.delta) > 0 else 0
        if excesses:
            terms.append((np.arange(width, width + excesses), -1.0))
        blocks.append(_Place(rows.height, orbits, excesses))
        rows.add(len(leaf), terms)
        if excesses:
            _bound_excess(program, rows, orbits, width)
        width += excesses
    return blocks


def _bound_excess(program: Program, rows: Rows, orbits: Orbits, start: int) -> None:
    """Sum over the outcomes of the excesses of every pair of neighbours at most delta."""
    game = program.game
    signals = game.n_signals ** (game.horizon - 1)
    pairs = (start + orbits.of).reshape(game.n_signals - 1, -1, signals)  # shift, actions, signals
    columns = np.unique(np.sort(pairs, axis=1).transpose(0, 2, 1).reshape(-1, pairs.shape[1]), axis=0)
    rows.add(len(columns), [(column, 1.0) for column in columns.T], float(Fraction(game.delta)))


_SHARES = (1e-11, 3e-11, 1e-10, 2e-10, 5e-10, 1e-9, 1e-8, 1e-6, 1e-3, 1.0)
"""Uniform play mixed in, so that rounding breaks no constraint: the least that suffices is taken."""
_SCALE = 2.0**50
"""Weights of tables and multipliers are integers over this number."""


def certificate(game: Game, solution: Solution) -> Certificate:
    """Return a certificate from what the solver found.

    The policy is mixed with a little of uniform play and rounded to probabilities over `bounds.ONE`; the
    adversary and the multipliers are rounded as they are, since any will do.

    Raises
    ------
    Rejected
        If the solution is too rough to become a private policy.
    """
    law, multipliers = (
        np.rint(np.maximum(part, 0) * _SCALE).astype(np.int64).tolist()
        for part in (solution.law, solution.multipliers)
    )
    for share in _SHARES:
        policy = [numerators.tolist() for numerators in _behaviour(game, solution.sequence, share)]
        try:
            upper(game, policy)
        except Rejected:
            continue
        return Certificate(game, policy, law, multipliers)
    raise Rejected(f"no private policy found for {game}")


def _behaviour(game: Game, sequence: list[FloatArray], share: float) -> list[np.ndarray]:
    """Numerators of p_t(a | history) for all actions but the last, one array per round."""
    k, numerators = game.n_actions, []
    for t, x in enumerate(sequence, game.first):
        masses = np.maximum(x.reshape(-1, k, game.n_signals ** (t - 1)), 0)  # earlier actions, a_t, signals
        mixed = (1 - share) * masses + share / k ** (t - game.first + 1)
        chances = np.moveaxis(mixed / mixed.sum(axis=1, keepdims=True), 1, 2)
        numerators.append(np.rint(chances[..., :-1] * ONE).astype(np.int64).ravel())
    return numerators
