"""The losses on which learners are compared: for each kind, processes on which only that assumption helps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from replicate.advice.processes import clock_trap, good_arm, shifting
from replicate.advice.question import Question
from replicate.environments import Bernoulli, Deterministic, Environment, Repeated, Shifting, Table
from replicate.learners.protocol import loss_table
from replicate.learners.pseudo_regret import excess_of_phases
from replicate.validation import FloatArray

_ROUNDING = 1e-12
"""Losses a round that are none."""
GAPS = (0.5, 0.1, 0.02)
"""Of the iid instances: what noise costs, and what chance costs."""


@dataclass(frozen=True)
class Instance:
    """A loss process with what it measures.

    Attributes
    ----------
    name
        For tables and random streams.
    env
        The process.
    gap
        Smallest gap of iid losses, NaN for others.
    uniform
        Regret of uniform play, against the question's comparator.
    """

    name: str
    env: Environment
    gap: float
    uniform: float


def instances(question: Question) -> list[Instance]:
    """Return the processes of a question whose losses do not react.

    The best action is the first, the second, the last or another: preferring one by its number gains nothing.
    """
    named = _PROCESSES[question.losses](question)
    return [Instance(name, env, gap, _uniform(env, question)) for name, (env, gap) in named.items()]


def in_canonical_order(table: FloatArray) -> FloatArray:
    """Return a table with its columns sorted: the same whatever their order is, shape (T, K)."""
    order = sorted(range(table.shape[1]), key=lambda column: table[:, column].tobytes())
    return np.ascontiguousarray(table[:, order])


def of_table(question: Question, table: ArrayLike) -> Instance:
    """Return a reader's own losses as the one instance of a question, whatever the order of their columns.

    Raises
    ------
    ValueError
        If they are not a table of the question's size, or the question is on losses that react.
    """
    losses = loss_table(table)
    if losses.shape != (question.rounds, question.n_actions):
        raise ValueError(f"table must have shape {(question.rounds, question.n_actions)}, got {losses.shape}")
    if question.losses == "reactive" or question.n_switches:
        raise ValueError("table must be one of fixed losses, compared with one action: it has no phases to follow")
    env = Table(in_canonical_order(losses))
    return Instance("the table", env, np.nan, _uniform(env, question))


def _uniform(env: Environment, question: Question) -> float:
    total = env.mean_sums(0, question.rounds)
    fixed = float(total.mean() - total.min())
    fixed = 0.0 if fixed <= _ROUNDING * question.rounds else fixed
    return fixed + (excess_of_phases(env, question.rounds) if question.n_switches else 0.0)


_Named = Mapping[str, tuple[Environment, float]]


def _iid(question: Question) -> _Named:
    """One good action at three gaps, and linearly growing gaps."""
    k = question.n_actions
    good: dict[str, tuple[Environment, float]] = {
        f"gap {gap:g}": (good_arm(k, gap, best=(k - 1) // 2), gap) for gap in GAPS
    }
    means = 0.25 + 0.5 * (np.arange(k) + 1) / k
    return good | {"means from 1/4 to 3/4": (Bernoulli(means[::-1]), 0.5 / k)}


def _shifting(question: Question) -> _Named:
    """Equal phases of one good action, a new one in each; the same at a small gap."""
    sizes = {"n_switches": question.n_switches, "horizon": question.rounds}
    return {
        f"equal phases, gap {gap:g}": (shifting(question.n_actions, gap, **sizes), np.nan) for gap in (0.9, 0.2)
    }


def _fixed(question: Question) -> _Named:
    """Tables fixed in advance: the leader changes late, on a learner's clock, after a third, or every round.

    In the last table losses are coins, and the best action is better by as much as chance hides from a bandit.
    """
    k, t = question.n_actions, question.rounds
    i = np.arange(k)
    first, second = (Deterministic((i != best).astype(np.float64)) for best in (0, 1))
    close = (Deterministic(np.where(i == 1, a, b)) for a, b in ((1.0, 0.2), (0.2, 1.0)))
    early, late = close
    tables: dict[str, Environment] = {
        "losses 0 and 1": second,
        "late leader": Shifting([(max(t // 16, 1), second), (t, first)]),
        "doubling trap": clock_trap(k, t),
        "switching": Shifting([(max(t // 3, 1), early), (t, late)]),
        "alternating": Repeated((i + np.arange(2)[:, None]) % 2),
        "coins": good_arm(k, min((k / t) ** 0.5, 1.0), best=(k - 1) // 2),
    }
    return {name: (env, np.nan) for name, env in tables.items()}


def _switching(question: Question) -> _Named:
    """Tables whose best action changes S times: equal phases, and phases whose other losses alternate."""
    k, s, t = question.n_actions, question.n_switches, question.rounds
    i, lengths = np.arange(k), np.diff(np.linspace(0, t, s + 2).astype(int))
    plain = [(int(n), Deterministic((i != r % k).astype(np.float64))) for r, n in enumerate(lengths)]
    rows = (i + np.arange(2)[:, None]) % 2
    uneven = [(int(n), Repeated(np.where(i == r % k, 0.25, rows))) for r, n in enumerate(lengths)]
    return {"equal phases": (Shifting(plain), np.nan), "alternating phases": (Shifting(uneven), np.nan)}


_PROCESSES: Mapping[str, Callable[[Question], _Named]] = {
    "iid": _iid,
    "shifting": _shifting,
    "fixed": _fixed,
    "switching": _switching,
}
