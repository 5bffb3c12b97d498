"""The game: a learner acts, sees losses and suffers regret.

A learner has two methods, ``act() -> int`` and ``observe(feedback)``, and says in its attribute
``feedback`` what it may see: the whole loss vector (``"full"``) or the loss of its own action (``"bandit"``).
In ``privacy`` it may say what it keeps private.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replicate import mechanisms, validation
from replicate.compiled import compiled
from replicate.streams import MAX_REPLICATES as MAX_REPLICATES
from replicate.validation import FloatArray, Generator, IntArray

PSEUDO = "pseudo-regret"
HINDSIGHT = "regret against the best fixed action in hindsight"
PHASES = "dynamic pseudo-regret against the best action of every phase"
DYNAMIC = "dynamic regret against the best sequence with at most S switches in hindsight"

MAX_ACTIONS = validation.MAX_ACTIONS
MOST_EXPERTS = 2**12
"""Most actions that can be experts too, each the expert of itself: K squared numbers are read in every round."""

_CHECKPOINTS = 33
_SEGMENTS = 6
"""Stretches of a comparator that a printed run spells out."""


class Learner(Protocol):
    """A learner that reads losses one round at a time."""

    n_actions: int
    feedback: str  # "full" or "bandit"

    def act(self) -> int:
        """Return the action of this round, in 0, ..., n_actions - 1."""

    def observe(self, losses: Any) -> None:
        """See this round's losses (shape (K,)), or the loss of the action played (a float)."""


class Drawing:
    """A learner that draws its actions from a distribution: `probabilities`, its own."""

    _rng: Generator

    def probabilities(self) -> FloatArray:
        """Return the distribution of this round's action, shape (K,)."""
        raise NotImplementedError

    def act(self) -> int:
        """Draw this round's action."""
        return int(mechanisms.sample_pmf(self.probabilities(), rng=self._rng))


SHARPEST = 30.0
"""Where coins are drawn, larger levels are taken for this one: from some 37 on rounding makes a coin certain."""


def checked_level(epsilon: float) -> float:
    """Return a privacy level as a float: positive, infinite for no privacy."""
    if isinstance(epsilon, float) and epsilon == math.inf:
        return math.inf
    try:
        return validation.positive("epsilon", epsilon)
    except ValueError:
        raise ValueError(f"epsilon must be positive, or infinite for no privacy, got {epsilon!r:.200}") from None


@dataclass(frozen=True, kw_only=True)
class Privacy:
    """The promise of a learner about the losses it reads, at event level.

    If the inputs of two runs differ in the `protected` data of one round, then P(S) <= exp(epsilon) P'(S) + delta
    for every set S of values of what is `released`.

    Attributes
    ----------
    epsilon, delta
        The level of this learner as it is calibrated; an infinite epsilon promises nothing, and 0 says that
        nothing of the losses is read.
    protected
        What may be replaced in one round.
    released
        What an observer may see: everything that the statement covers.
    calibration
        ``"corrected"`` where the paper's own constants are not private enough, ``"printed"`` where they are run
        all the same; empty where nothing needs a correction.
    source
        Where the statement is shown: a claim of the registry, or a theorem.
    """

    epsilon: float
    delta: float = 0.0
    protected: str = "one round's whole loss vector"
    released: str = "the sequence of actions"
    calibration: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        if not (isinstance(self.epsilon, float) and self.epsilon == 0):
            checked_level(self.epsilon)
        validation.real("delta", self.delta, low=0, high=1)
        for name in ("protected", "released", "calibration", "source"):
            validation.text(name, getattr(self, name))

    def __str__(self) -> str:
        if math.isinf(self.epsilon):
            return "none (epsilon is infinite): what is released may reveal any loss"
        shown = f" ({self.source})" if self.source else ""
        calibrated = f"; {self.calibration} calibration" if self.calibration else ""
        return (
            f"epsilon = {self.epsilon:.4g}, delta = {self.delta:.4g}, event level: {self.released} may be seen "
            f"and {self.protected} stays private{calibrated}{shown}"
        )


NOT_PRIVATE = Privacy(epsilon=math.inf)


@dataclass(frozen=True, eq=False)
class Comparator:
    """Benchmark: best actions in hindsight.

    Attributes
    ----------
    name
        ``"best fixed action"``, or ``"best sequence with at most 3 switches"``.
    actions
        Its actions, shape (T,).
    loss
        Its loss over the whole table.
    uniform
        Expected loss of uniform play on the same table.
    labels
        Names of the actions, where the table had any.
    """

    name: str
    actions: IntArray
    loss: float
    uniform: float
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        validation.text("name", self.name)
        validation.integers("actions", self.actions)
        validation.real("loss", self.loss)
        validation.real("uniform", self.uniform)
        validation.tuple_of("labels", self.labels, str, "text")

    @property
    def segments(self) -> list[tuple[int, str]]:
        """First round (counted from 1) and action of every stretch on which the action stays the same."""
        starts = np.flatnonzero(np.diff(self.actions, prepend=-1))
        return [(int(t) + 1, self.labels[self.actions[t]]) for t in starts]

    def __str__(self) -> str:
        shown = [
            f"{validation.printable(action)} from round {start}" for start, action in self.segments[:_SEGMENTS]
        ]
        more = len(self.segments) - _SEGMENTS
        return f"{self.name}: {', '.join(shown)}{f', and {more} more' if more > 0 else ''}; loss {self.loss:.6g}"


@dataclass(frozen=True, eq=False)
class Run:
    """Result of a game.

    Attributes
    ----------
    rounds
        Numbers of rounds after which the regret is stated, shape (n,), increasing from 1 at least.
    regret
        Cumulative regret after those rounds, shape (replicates, n).
    regret_kind
        Which regret: pseudo-regret, regret in hindsight, dynamic regret, ...
    actions
        The actions played, shape (replicates, T), where they were recorded.
    comparator
        Benchmark of the regret, where it was found on a table.
    privacy
        What the learner promises, where it says so.

    Raises
    ------
    ValueError
        If the shapes do not fit, rounds do not increase, or a regret is not a number.
    """

    rounds: IntArray
    regret: FloatArray
    regret_kind: str
    actions: IntArray | None = None
    comparator: Comparator | None = None
    privacy: Privacy | None = None

    def __post_init__(self) -> None:
        rounds = validation.numbers("rounds", self.rounds, ndim=1)
        if rounds[0] < 1 or (np.diff(self.rounds) <= 0).any():  # as integers, exactly
            raise ValueError(f"rounds must increase from 1 on, got {self.rounds!r:.200}")
        array = self.regret if isinstance(self.regret, np.ndarray) else np.empty(0)
        if array.shape[1:] != rounds.shape or array.dtype.kind not in "iuf" or np.isnan(array).any():
            raise ValueError(
                f"regret must have shape (replicates, {len(rounds)}), a column for each of rounds, no entry NaN, "
                f"got {self.regret!r:.80}"
            )
        validation.text("regret_kind", self.regret_kind)
        if self.actions is not None:
            validation.integers("actions", self.actions)
        for name, kind in (("comparator", Comparator), ("privacy", Privacy)):
            if not isinstance(getattr(self, name), kind | None):
                raise ValueError(f"{name} must be a {kind.__name__} or None, got {getattr(self, name)!r:.200}")

    @property
    def final(self) -> FloatArray:
        """Regret at the last of `rounds`, shape (replicates,)."""
        return self.regret[:, -1]

    def __str__(self) -> str:
        last, mean, games = int(self.rounds[-1]), float(self.final.mean()), len(self.regret)
        error = f" ± {self.final.std(ddof=1) / math.sqrt(games):.2g} in {games} games" if games > 1 else ""
        rounds = f"{last:,} round{'s' * (last > 1)}"
        lines = [f"regret      {mean:.6g}{error} after {rounds}, {self.regret_kind}"]
        if self.comparator is not None:
            best, uniform = self.comparator.loss, self.comparator.uniform
            lines = [
                f"loss        {best + mean:.6g} in {rounds}",
                f"comparator  {self.comparator}",
                f"regret      {mean:.6g}{error}, {mean / last:.4g} per round; uniform play: {uniform - best:.6g}",
            ]
        return "\n".join([*lines, f"privacy     {self.privacy or 'the learner makes no statement'}"])


def checkpoints(last: int) -> IntArray:
    """Return about 33 numbers of rounds from 1 to the last, spread evenly on a logarithmic scale."""
    return np.unique(np.geomspace(1, last, _CHECKPOINTS).round().astype(np.int64)).clip(max=last)


def loss_table(losses: ArrayLike, *, n_actions: int | None = None) -> FloatArray:
    """Return losses as an array of shape (T, K), entries in [0, 1].

    Parameters
    ----------
    losses
        Array, or anything that becomes one: rounds by actions, T >= 1, K >= 2.
    n_actions
        Number of columns that is asked for; None takes any.

    Raises
    ------
    ValueError
        If the shape is wrong, or an entry is not a number in [0, 1]: with its place, and how to scale.
    """
    table = validation.numbers("losses", losses, ndim=2, min_last=2)
    if n_actions is not None and table.shape[1] != validation.count("n_actions", n_actions, low=2):
        raise ValueError(f"losses must have {n_actions} columns, n_actions of the learner, got {table.shape[1]}")
    outside = np.argwhere((table < 0) | (table > 1))
    if len(outside):
        row, column = outside[0]
        raise ValueError(
            f"losses must lie in [0, 1], and that in row {row}, column {column} (counted from 0) does not, nor do "
            f"{len(outside) - 1} more. Scale them by numbers fixed in advance, for numbers taken from "
            "the losses would reveal them: np.clip((losses - low) / (high - low), 0, 1)"
        )
    return table


def loss_row(losses: Any, n_actions: int) -> FloatArray:
    """Return one round's losses as an array of shape (K,), checked."""
    row = validation.unit_array("losses", losses, ndim=1)
    if len(row) != n_actions:
        raise ValueError(f"losses must have length {n_actions}, got {len(row)}")
    return row


def checked_loss(loss: float, action: int) -> float:
    """Return the loss of the action played, in [0, 1], of a learner with bandit feedback.

    Raises
    ------
    ValueError
        If the loss is out of range, or the action is negative: none has been played.
    """
    value = validation.real("loss", loss, low=0, high=1)
    if action < 0:
        raise ValueError("observe(loss) needs an action first: call act()")
    return value


def play(learner: Learner, losses: ArrayLike, *, n_switches: int = 0, progress: bool | None = False) -> Run:
    """Let a learner play through a table of losses.

    Parameters
    ----------
    learner
        Any object with ``act()``, ``observe(...)``, `n_actions` and `feedback`: see `Learner`.
    losses
        Shape (T, K), entries in [0, 1], K = learner.n_actions. The columns of a data frame name the actions.
    n_switches
        S of the comparator; 0 is the best fixed action.
    progress
        Show a bar: True, False, or None for "on a terminal only".

    Returns
    -------
    A run of one replicate: after each round, the learner's loss less that of the best fixed action so far, or,
    when S > 0, less that of the best sequence with at most S switches over the whole table.

    Raises
    ------
    ValueError
        If the losses are no table in [0, 1] for this learner, or the learner is none or plays no such action.

    Examples
    --------
    >>> from replicate.learners import FollowTheLeader
    >>> learner = FollowTheLeader(2, rng=np.random.default_rng(1))
    >>> bool(play(learner, [[0.0, 1.0]] * 100).final.max() <= 1)
    True
    """
    table = loss_table(losses, n_actions=checked_learner(learner).n_actions)
    switches = validation.count("n_switches", n_switches, low=0)
    quiet = None if progress is None else not validation.flag("progress", progress)
    actions = actions_of(learner, _shown(table, quiet))
    rounds = np.arange(1, len(table) + 1)
    comparator = _comparator(table, switches, getattr(losses, "columns", range(table.shape[1])))
    if switches:
        kind, best = DYNAMIC, np.cumsum(table[rounds - 1, comparator.actions])
    else:
        # of the rounds so far: the best action may be another one later
        kind, best = HINDSIGHT, np.cumsum(table, axis=0).min(axis=1)
    regret = np.cumsum(table[rounds - 1, actions]) - best
    return Run(rounds, regret[None], kind, actions[None], comparator, getattr(learner, "privacy", None))


def checked_learner(learner: Any) -> Learner:
    """Return `learner` if it has what `Learner` asks for."""
    return validation.interface("learner", learner, ("n_actions", "feedback", "act", "observe"))


def actions_of(learner: Learner, rows: Collection[FloatArray]) -> IntArray:
    """Return the actions that a learner plays on T checked rows of losses, shape (K,) each: shape (T,)."""
    actions = np.empty(len(rows), dtype=np.int64)
    for t, row in enumerate(rows):
        action = int(learner.act())
        if not 0 <= action < learner.n_actions:
            raise ValueError(f"learner must play an action from 0 to {learner.n_actions - 1}, got {action}")
        actions[t] = action
        learner.observe(row if learner.feedback == "full" else row[action])
    return actions


def pooled(runs: Sequence[Run]) -> Run:
    """Return games on one table as replicates of one run."""
    first = runs[0]
    if any(not np.array_equal(run.rounds, first.rounds) or run.regret_kind != first.regret_kind for run in runs):
        raise ValueError("runs must be games on the same table against the same comparator")
    actions = None if first.actions is None else np.concatenate([r.actions for r in runs if r.actions is not None])
    return replace(first, regret=np.concatenate([run.regret for run in runs]), actions=actions)


def _shown(table: FloatArray, quiet: bool | None) -> Any:
    """Return the rounds of a table, with a bar on the terminal where tqdm is installed and it takes a second."""
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:  # it comes with the extra `workbook`
        return table
    return tqdm(table, disable=quiet, unit="round", leave=False, delay=1)


def _comparator(table: FloatArray, switches: int, labels: Any) -> Comparator:
    """Find the best actions in hindsight."""
    names = tuple(map(str, labels))
    uniform = float(table.mean(axis=1).sum())
    if switches:
        loss, actions = best_sequence(table, n_switches=switches)
        name = f"best sequence with at most {switches} switch{'es' if switches > 1 else ''}"
        return Comparator(name, actions, loss, uniform, names)
    totals = table.sum(axis=0)
    best = int(totals.argmin())
    return Comparator("best fixed action", np.full(len(table), best), float(totals[best]), uniform, names)


# The best sequence of experts with at most S switches in hindsight, exact, in O(T N S) time and T N S bits

_MAX_EXPERTS = 2**15 - 1
_MAX_BYTES = 2**32


def best_sequence(losses: ArrayLike, *, n_switches: int) -> tuple[float, IntArray]:
    """Return the smallest loss of a sequence with at most `n_switches` switches, and such a sequence.

    Dynamic programming over (switches used, expert). What is kept of every round is one bit for each
    state (did the best way here switch?) and the best expert for each number of switches: at T = 1e6,
    N = 16, S = 8 that is 27 MB.

    Parameters
    ----------
    losses
        Shape (T, N), entries in [0, 1], N at most 32,767.
    n_switches
        S, at least 0; what is kept must fit into 4 GB.

    Returns
    -------
    The loss, and the sequence, shape (T,).

    Examples
    --------
    >>> loss, sequence = best_sequence([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]], n_switches=1)
    >>> loss, sequence.tolist()
    (0.0, [0, 0, 1])
    """
    table = validation.unit_array("losses", losses, ndim=2)
    rounds, experts = table.shape
    if experts > _MAX_EXPERTS:
        raise ValueError(f"losses must have at most {_MAX_EXPERTS} columns, got {experts}")
    switches = min(validation.count("n_switches", n_switches, low=0), rounds - 1)
    allowed = _MAX_BYTES // (rounds * ((experts + 7) // 8 + 2)) - 1
    if switches > allowed:
        raise ValueError(f"n_switches must be at most {allowed} for {rounds} rounds, got {switches}")
    cost, moved, origin = _forward(table, switches)
    return float(cost.min()), _trace(cost, moved, origin)


def comparator_losses(losses: ArrayLike, *, n_switches: int) -> FloatArray:
    """Return the loss of the best sequence with at most `n_switches` switches in every round, shape (T,)."""
    table = validation.unit_array("losses", losses, ndim=2)
    _, sequence = best_sequence(table, n_switches=n_switches)
    return table[np.arange(len(table)), sequence]


@compiled()
def _forward(table: FloatArray, switches: int) -> tuple[FloatArray, NDArray[np.uint8], NDArray[np.int16]]:
    """cost[s, j]: smallest loss of a sequence with at most s switches that ends at expert j."""
    n_rounds, n = table.shape
    cost = np.empty((switches + 1, n))
    moved = np.zeros((n_rounds, switches + 1, (n + 7) // 8), dtype=np.uint8)
    origin = np.zeros((n_rounds, switches + 1), dtype=np.int16)
    for s in range(switches + 1):
        for j in range(n):
            cost[s, j] = table[0, j]
    # in a round from the most switches down: s - 1 is then still that of the round before
    for t in range(1, n_rounds):
        for s in range(switches, -1, -1):
            if s > 0:
                source = np.argmin(cost[s - 1])
                cheapest = cost[s - 1, source]
                origin[t, s] = source
                for j in range(n):
                    if cheapest < cost[s, j]:
                        cost[s, j] = cheapest
                        moved[t, s, j >> 3] |= np.uint8(1 << (j & 7))  # one bit per state
            for j in range(n):
                cost[s, j] += table[t, j]
    return cost, moved, origin


@compiled()
def _trace(cost: FloatArray, moved: NDArray[np.uint8], origin: NDArray[np.int16]) -> IntArray:
    n_rounds = len(moved)
    sequence = np.empty(n_rounds, dtype=np.int64)
    s = len(cost) - 1
    expert = np.argmin(cost[s])
    for t in range(n_rounds - 1, -1, -1):
        sequence[t] = expert
        # the best way to here came from the cheapest state with one switch fewer
        if moved[t, s, expert >> 3] >> (expert & 7) & 1:
            expert = np.int64(origin[t, s])
            s -= 1
    return sequence
