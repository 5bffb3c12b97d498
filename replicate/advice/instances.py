"""The losses on which learners are compared: for each kind, processes on which only that assumption helps.

Every few replicates have an instance of their own: its columns stand in random order, and distributions change at
random rounds, so that no learner gains by the number of an action or by a clock.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from replicate.advice.processes import clock_trap, good_arm, random_phases
from replicate.advice.question import Question
from replicate.environments import Bernoulli, Deterministic, Environment, Repeated, Shifting, Table
from replicate.learners.protocol import loss_table
from replicate.learners.pseudo_regret import excess_of_phases, is_fixed
from replicate.validation import FloatArray, Generator, IntArray

_ROUNDING = 1e-12
"""Losses a round that are none."""
GAPS = (0.5, 0.1, 0.02)
"""Of the iid instances: what noise costs, and what chance costs."""
_WRITTEN = 2**18
"""Most losses that are written down as a table: its sums are read off, however many phases there are."""
LEARNT = 3.0
"""Times the gap that chance and noise hide: from there on an instance counts in full, and there coins are set."""


@dataclass(frozen=True)
class Instance:
    """A loss process with what it measures.

    Attributes
    ----------
    name
        For tables and random streams.
    draw
        A process, its columns in random order.
    gap
        Smallest gap of i.i.d. losses, NaN for others.
    weight
        In a mean over instances, positive: less where the gap is too small for anything to be learnt.
    uniform
        Regret of uniform play, against the question's comparator.
    """

    name: str
    draw: Callable[[Generator], Environment]
    gap: float
    weight: float
    uniform: float


Make = Callable[[Generator], Environment]


def hidden_gap(question: Question) -> float:
    """Return the gap that chance and noise hide from every learner in these rounds, up to a constant, at most 1.

    Chance hides sqrt(log K / T) where all losses are seen and sqrt(K / T) where the own one is. Noise of a curator
    hides log K / (epsilon T) and K / (epsilon T), local trust 1 / tanh(epsilon / 2) times what chance does, of
    bandits. T is the length of a phase where losses change.
    """
    k, t = question.n_actions, question.rounds / (question.n_switches + 1)
    level = question.setting.epsilon
    if question.local:
        return min(math.sqrt(k / t) / math.tanh(level / 2), 1.0)
    seen = math.log(k) if question.feedback == "full" else k
    return min(math.sqrt(seen / t) + seen / (level * t), 1.0)


def instances(question: Question) -> list[Instance]:
    """Return the processes of a question whose losses do not react."""
    hidden = hidden_gap(question)

    def instance(name: str, make: Make, gap: float) -> Instance:
        weight = min(gap / (LEARNT * hidden), 1.0) if gap == gap else 1.0
        return Instance(name, lambda rng: _relabelled(make(rng), rng), gap, weight, _uniform(make, question))

    return [instance(name, *made) for name, made in _PROCESSES[question.losses or ""](question).items()]


def _relabelled(env: Environment, rng: Generator) -> Environment:
    """The same process, its columns in random order."""
    return _in_order(env, rng.permutation(env.n_actions))


def _in_order(env: Environment, order: IntArray) -> Environment:
    if isinstance(env, Shifting):
        lengths = (env.stops - env.starts).tolist()
        return Shifting([(n, _in_order(e, order)) for n, e in zip(lengths, env.environments, strict=True)])
    if isinstance(env, Bernoulli | Deterministic):
        return type(env)(env.means[order])
    assert isinstance(env, Repeated | Table)
    return Repeated(env.rows.take(order, axis=1)) if isinstance(env, Repeated) else _Reordered(env, order)


class _Reordered(Table):
    """A table whose columns are read in another order: nothing of it is copied before it is asked for."""

    def __init__(self, table: Table, order: IntArray) -> None:
        self._table, self._order = table, order

    @property
    def n_actions(self) -> int:
        return len(self._order)

    def mean_sums(self, start: ArrayLike, stop: ArrayLike) -> FloatArray:
        return self._table.mean_sums(start, stop).take(self._order, axis=-1)

    def losses(self, start: int, stop: int, *, rng: Generator) -> FloatArray:
        return self._table.losses(start, stop, rng=rng).take(self._order, axis=1)


def in_canonical_order(table: FloatArray) -> FloatArray:
    """Return a table with its columns sorted: the same whatever their order is, shape (T, K)."""
    order = sorted(range(table.shape[1]), key=lambda column: table[:, column].tobytes())
    return np.ascontiguousarray(table[:, order])


def of_table(question: Question, table: ArrayLike) -> Instance:
    """Return a reader's own losses as the one instance of a question, whatever the order of their columns.

    Raises
    ------
    ValueError
        If they are not a table of the question's size, or the question is on adaptive losses.
    """
    losses = loss_table(table)
    if losses.shape != (question.rounds, question.n_actions):
        raise ValueError(f"table must have shape {(question.rounds, question.n_actions)}, got {losses.shape}")
    if question.losses == "reactive" or question.n_switches:
        raise ValueError(
            "table must be one of fixed losses, compared with one action: it has no phases to follow, and does "
            "not react"
        )
    env = Table(in_canonical_order(losses))
    return Instance("the table", lambda rng: _relabelled(env, rng), np.nan, 1.0, _uniform(lambda _: env, question))


def _uniform(make: Make, question: Question) -> float:
    """Regret of uniform play, which neither the order of columns nor the rounds of changes move."""
    env = make(np.random.default_rng(0))
    total = env.mean_sums(0, question.rounds)
    fixed = float(total.mean() - total.min())
    fixed = 0.0 if fixed <= _ROUNDING * question.rounds else fixed
    return fixed + (excess_of_phases(env, question.rounds) if question.n_switches else 0.0)


_Named = Mapping[str, tuple[Make, float]]


def _always(env: Environment, gap: float = math.nan) -> tuple[Make, float]:
    """A process that is the same in every replicate, up to the order of its columns."""
    return lambda _: env, gap


def _iid(question: Question) -> _Named:
    """One good action at three gaps, linearly growing gaps, and losses that scatter less than coins do.

    Rare losses fail who allows for the variance of a coin (AdaP-UCB), constant ones who plays in turn until limits
    part (DP-SE) or turns losses into coins (Thompson sampling).
    """
    k = question.n_actions
    bad = (np.arange(k) > 0).astype(np.float64)
    means = 0.25 + 0.5 * (np.arange(k) + 1) / k
    return {
        **{f"gap {gap:g}": _always(good_arm(k, gap), gap) for gap in GAPS},
        "means from 1/4 to 3/4": _always(Bernoulli(means), 0.5 / k),
        "rare losses": _always(Bernoulli(0.01 + 0.05 * bad), 0.05),
        "constant losses": _always(Deterministic(0.4 + 0.05 * bad), 0.05),
    }


def _changing(question: Question, law: Callable[[FloatArray], Environment], gap: float, *, hidden: bool) -> Make:
    """Phases of random lengths, a new good action in each; see `random_phases`."""
    k, s, t = question.n_actions, question.n_switches, question.rounds
    return lambda rng: random_phases(k, gap, n_switches=s, horizon=t, law=law, hidden=hidden, rng=rng)


def _shifting(question: Question) -> _Named:
    """Coins whose law changes at random rounds: the good action gets worse, or stays and another gets better.

    The second kind fails who looks at what it plays alone, and who has settled (Thompson sampling).
    """
    return {
        f"{'hidden' if hidden else 'plain'} changes, gap {gap:g}": (
            _changing(question, Bernoulli, gap, hidden=hidden), gap,
        )
        for gap in (0.5, 0.2)
        for hidden in (False, True)
    }  # fmt: skip


def _fixed(question: Question) -> _Named:
    """Tables fixed in advance: the leader changes late, on a learner's clock, after a third, every round or so.

    Coins are drawn in advance; the best of them is better by three times what is hidden. Where the better one
    changes in the middle, who has settled fails (Thompson sampling); where leaders turn every sqrt(T) rounds, who
    follows the last ones (the leader of the last batch).
    """
    k, t = question.n_actions, question.rounds
    i = np.arange(k)
    first, second = (Deterministic((i != best).astype(np.float64)) for best in (0, 1))
    early, late = (Deterministic(np.where(i == 1, a, b)) for a, b in ((1.0, 0.2), (0.2, 1.0)))
    gap, turn = min(LEARNT * hidden_gap(question), 1.0), max(math.isqrt(t), 1)
    turning = [(turn, (first, second)[r % 2]) for r in range(min(-(-t // turn), _TURNS))]
    tables: dict[str, Environment] = {
        "losses 0 and 1": second,
        "late leader": Shifting([(max(t // 16, 1), second), (t, first)]),
        "doubling trap": clock_trap(k, t),
        "switching": Shifting([(max(t // 3, 1), early), (t, late)]),
        "alternating": Repeated((i + np.arange(2)[:, None]) % 2),
        "coins": good_arm(k, gap),
        "coins that turn": Shifting([(max(t // 2, 1), good_arm(k, gap / 2)), (t, good_arm(k, gap, best=1))]),
        "turning leaders": Shifting(turning),
    }
    return {name: _always(_written(env, t)) for name, env in tables.items()}


def _written(env: Environment, rounds: int) -> Environment:
    """Fixed losses as a table, if it is not large."""
    if not is_fixed(env) or rounds * env.n_actions > _WRITTEN:
        return env
    return Table(env.losses(0, rounds, rng=np.random.default_rng(0)))


_TURNS = 4096
"""Most turns of a table: its last phase goes on to the end."""


def _switching(question: Question) -> _Named:
    """Tables whose best action changes S times, at random rounds: losses 0 and 1, others alternating, coins.

    Where the good action stays as it was and another gets better, a learner that has settled fails.
    """
    rows = (np.arange(question.n_actions) + np.arange(2)[:, None]) % 2

    def alternating(means: FloatArray) -> Environment:
        return Repeated(np.where(means < 0.5, 0.25, rows))

    return {
        "losses 0 and 1": (_changing(question, Deterministic, 1.0, hidden=False), math.nan),
        "alternating": (_changing(question, alternating, 0.5, hidden=False), math.nan),
        "hidden changes": (_changing(question, Deterministic, 0.4, hidden=True), math.nan),
        "hidden changes of coins": (_changing(question, Bernoulli, 0.4, hidden=True), math.nan),
    }


_PROCESSES: Mapping[str, Callable[[Question], _Named]] = {
    "iid": _iid,
    "shifting": _shifting,
    "fixed": _fixed,
    "switching": _switching,
}
