"""Pseudo-regret on any loss process: of stretches, of tables drawn and played, against every phase's best."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from replicate import validation
from replicate.environments import Deterministic, Environment, Repeated, Shifting, Table
from replicate.environments.tables import Later
from replicate.learners.protocol import PHASES, PSEUDO, Run
from replicate.streams import replicated
from replicate.validation import FloatArray, Generator, IntArray

MAX_DRAWN = 10**7
"""Largest horizon of a table that is drawn."""
_MAX_LOSSES = 2**27
"""Most losses of a table that is drawn: 1 GB."""

Player = Callable[[FloatArray, Generator], FloatArray]
"""``player(table, rng)``: the learner's loss in every round, sampled or expected, shape (T, K) -> (T,)."""

_KEPT = 2**22
"""Most numbers that are kept of one game: 32 MB."""


def is_fixed(env: Environment) -> bool:
    """Return whether losses are fixed in advance, so that nothing is drawn."""
    if isinstance(env, Shifting):
        return all(is_fixed(phase) for phase in env.environments)
    if isinstance(env, Later):
        return is_fixed(env.env)
    return isinstance(env, Deterministic | Repeated | Table)


class Stretches:
    """A game's stretches of rounds: what does not differ from replicate to replicate is computed once.

    Parameters
    ----------
    env
        The loss process.
    horizon
        Number of rounds T.
    """

    def __init__(self, env: Environment, horizon: int) -> None:
        self.env, self.horizon = env, horizon
        self.best = int(env.mean_sums(0, horizon).argmin())
        """The action with the smallest expected loss over the horizon."""
        self.fixed = is_fixed(env)
        """Whether no loss is drawn."""
        self._kept: dict[tuple[int, ...], FloatArray] = {}
        self._room = _KEPT

    def edges(self, start: int, size: int, n: int) -> IntArray:
        """Return where n stretches of `size` rounds begin and end, shape (n + 1,); the horizon cuts the last."""
        return np.minimum(start + size * np.arange(n + 1), self.horizon)

    def expected(self, start: int, size: int, n: int) -> tuple[FloatArray, FloatArray]:
        """Return every action's expected sums and regrets in these stretches, shape (n, K) each."""

        def expected() -> FloatArray:
            edges = self.edges(start, size, n)
            means = self.env.mean_sums(edges[:-1], edges[1:])
            return np.stack([means, means - means[:, [self.best]]])

        means, regrets = self._keep((start, size, n), expected)
        return means, regrets

    def losses(self, start: int, stop: int, *, rng: Generator) -> FloatArray:
        """Draw the losses of rounds `start` to `stop` - 1, shape (stop - start, K), row by row in memory."""

        def losses() -> FloatArray:
            return np.ascontiguousarray(self.env.losses(start, stop, rng=rng))

        return self._keep((start, stop), losses) if self.fixed else losses()

    def _keep(self, key: tuple[int, ...], compute: Callable[[], FloatArray]) -> FloatArray:
        """Return what is kept under a key; compute it, and keep it while there is room, if nothing is."""
        kept = self._kept.get(key)
        if kept is None:
            kept = compute()
            if kept.size <= self._room:
                self._room -= kept.size
                self._kept[key] = kept
        return kept


def pieces(stops: IntArray, longest: int, *, edge: int = 0) -> Iterator[tuple[int, IntArray]]:
    """Split a game into pieces that one call of a loop plays: the first round, and the stops up to the last round.

    Parameters
    ----------
    stops
        Increasing numbers of rounds after which something is asked; the game ends with the last of them.
    longest
        Most rounds of a piece.
    edge
        No piece begins before that round and ends after it.

    Examples
    --------
    >>> [(start, inside.tolist()) for start, inside in pieces(np.array([1, 2, 9]), 5)]
    [(0, [1, 2, 5]), (5, [9])]
    """
    start, last = 0, int(stops[-1])
    while start < last:
        end = min(start + longest, last, edge if start < edge else last)
        yield start, np.union1d(stops[(start < stops) & (stops <= end)], [end])
        start = end


def accumulated(
    stops: IntArray, longest: int, play: Callable[[int, IntArray], FloatArray], *, edge: int = 0
) -> FloatArray:
    """Return the regret after each of `stops` of a game that is played in pieces.

    Parameters
    ----------
    stops, longest, edge
        As for `pieces`.
    play
        Start of a piece and where to look inside it to the regret from its start to there.
    """
    ends, regrets, total = [], [], 0.0
    for start, inside in pieces(stops, longest, edge=edge):
        ends.append(inside)
        regrets.append(total + play(start, inside))
        total = regrets[-1][-1]
    return np.concatenate(regrets)[np.concatenate(ends).searchsorted(stops)]


def on_drawn_tables(
    player: Player, env: Environment, *, horizon: int, n_switches: int = 0, replicates: int, rng: Generator
) -> Run:
    """Draw a table of losses for each replicate and let a learner play it.

    Parameters
    ----------
    player
        Table and generator to the learner's loss in every round, sampled or expected: shape (T, K) -> (T,).
    env
        The loss process.
    horizon
        Number of rounds T, 1 to 10**7, and T K at most 2**27.
    n_switches
        0: regret against the best fixed action. More: against the best action of every phase of a `Shifting`
        environment.
    replicates
        Independent repetitions, each with losses of its own.
    rng
        Source of randomness.

    Returns
    -------
    Loss of the learner less that of the actions with the smallest expected losses, after the last round.
    """
    rounds = validation.count("horizon", horizon, high=MAX_DRAWN)
    if rounds * env.n_actions > _MAX_LOSSES:
        allowed = _MAX_LOSSES // env.n_actions
        raise ValueError(f"horizon must be at most {allowed} for {env.n_actions} actions, got {rounds}")
    best, game = _comparator(env, rounds, of_phases=n_switches > 0), Stretches(env, rounds)

    def regret(fresh: Generator) -> float:
        table = game.losses(0, rounds, rng=fresh)
        # the comparator's losses on the same table: its mean is the expected one, its scatter mostly cancels
        return float((player(table, fresh) - table[np.arange(rounds), best]).sum())

    finals = np.array(replicated(regret, replicates, rng))
    return Run(np.array([rounds]), finals[:, None], PHASES if n_switches else PSEUDO)


def against_phases(run: Run, env: Environment, *, n_switches: int) -> Run:
    """Return a run's regret against the best action of every phase, from that against the best fixed action.

    Parameters
    ----------
    run
        Pseudo-regret against the action with the smallest expected loss over all rounds of the run.
    env
        Its loss process.
    n_switches
        0 returns the run as it is.
    """
    if not n_switches:
        return run
    return replace(run, regret=run.regret + _excess(env, run.rounds), regret_kind=PHASES)


def excess_of_phases(env: Environment, horizon: int) -> float:
    """Return the expected loss of the best fixed action less that of the best action of every phase."""
    return float(_excess(env, np.array([horizon]))[0])


def _excess(env: Environment, stops: IntArray) -> FloatArray:
    """The same after each of `stops`, shape (n,), the fixed action being the best one up to the last of them."""
    sums = env.mean_sums(0, stops)
    starts, ends = _phases(env, int(stops[-1]))
    # a phase that has not begun by a stop is empty there, and costs nothing
    of_phases = env.mean_sums(starts, np.clip(stops[:, None], starts, ends)).min(axis=-1)
    return np.asarray(sums[:, sums[-1].argmin()] - of_phases.sum(axis=-1))


def _phases(env: Environment, horizon: int) -> tuple[IntArray, IntArray]:
    """First and past-the-last rounds of the phases that begin before `horizon`."""
    if not isinstance(env, Shifting):
        return np.array([0]), np.array([horizon])
    begun = env.starts < horizon
    return env.starts[begun], np.minimum(env.stops[begun], horizon)


def _comparator(env: Environment, horizon: int, *, of_phases: bool) -> IntArray:
    """Action that the learner is compared with in every round: the phase's best, or the best fixed one."""
    if not of_phases:
        return np.full(horizon, env.mean_sums(0, horizon).argmin())
    starts, stops = _phases(env, horizon)
    return np.repeat(env.mean_sums(starts, stops).argmin(axis=-1), stops - starts)
