"""Learners that are not told T: those of the registry that need no T, and the others restarted on longer horizons.

Measured on the advisor's instances at K = 8, S = 3, epsilon 1 and powers of two from 2**10 to 2**20, one learner
for all T pays so many times what the best listed rate pays with T known: 0.9 to 1.3 for Hedge on a tree at four
times its rate (fixed losses), 1.0 to 1.5 for Fixed Share at four times its rate, 1.0 to 1.4 for EXP3.S.

Symbols: T = rounds of the game, H_0, H_1, ... = horizons of the runs, g = their ratio.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from replicate import validation
from replicate.environments import Environment
from replicate.environments.tables import part
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.entries import Build, Entry, Setting, Simulate, in_setting
from replicate.learners.protocol import NOT_PRIVATE, Learner, Privacy, Run
from replicate.validation import Generator

FIRST, GROWTH = 256, 4
"""Rounds of the first run, and the ratio of a run's rounds to those of the one before.

For a learner whose regret over a run of H rounds is at most c sqrt(H), at every T it is at most
c sqrt(T) sqrt(g (g - 1)) / (sqrt(g) - 1): 3.41 at g = 2, 3.33 at the best ratio, 2.62, and 3.46 at 4, which
restarts half as often and is measured to lose less.
"""


def horizons(rounds: int) -> Iterator[tuple[int, int]]:
    """Return first round and horizon of every run that begins within that many rounds.

    Examples
    --------
    >>> list(horizons(2000))
    [(0, 256), (256, 1024), (1280, 4096)]
    """
    start, length = 0, FIRST
    while start < rounds:
        yield start, length
        start, length = start + length, min(GROWTH * length, MAX_HORIZON)


def pace(before: int) -> int:
    """Return the rounds for which batches are tuned after so many rounds: four times the last power of two.

    Examples
    --------
    >>> [pace(t) for t in (0, 255, 256, 1000)]
    [512, 512, 1024, 2048]
    """
    return min(2 * max(FIRST, 2 ** before.bit_length()), MAX_HORIZON)


def paced(horizon: int, batch: Callable[[int], int]) -> Iterator[tuple[int, int, int]]:
    """Return the stretches of T rounds with batches of one size: first round, number of batches and pace.

    A stretch begins at the first end of a batch at which the pace has grown.

    Examples
    --------
    >>> list(paced(700, lambda rounds: rounds // 5))
    [(0, 3, 512), (306, 2, 1024)]
    """
    start = 0
    while start < horizon:
        tuned = pace(start)
        size = batch(tuned)
        many = max(-(-(min(tuned // 2, horizon) - start) // size), 1)
        yield start, many, tuned
        start += many * size


def chunks(plan: Iterable[tuple[int, int, int]], most: int) -> Iterator[tuple[int, int, int]]:
    """Cut stretches of batches, each its first round, number and size, so that none has more than `most` of them.

    Returned are the first round, the size of a batch and the number of batches of each.
    """
    for start, many, size in plan:
        for first in range(0, many, most):
            yield start + first * size, size, min(most, many - first)


class Restarted:
    """A learner that is built anew whenever its rounds are over: for GROWTH times as many, or always for as many.

    Proof of privacy: a round's losses are read by one run, whose learner is private by itself; the other runs are
    told nothing of them, and begin at rounds that depend on no loss. Where later losses depend on what was played,
    so do the later runs, given which their distribution is the same: all together release no more than one of
    them.

    Parameters
    ----------
    build
        Of the registry's entry.
    setting
        Its horizon is not read.
    rng
        Source of randomness.
    every
        Rounds of each run; None: they grow.

    Examples
    --------
    >>> from replicate.learners import learner
    >>> unending = learner("hedge_tree_cube", n_actions=2, horizon=None, epsilon=1.0, rng=np.random.default_rng(1))
    >>> for _ in range(5000):
    ...     unending.observe([0.9, 0.1])
    >>> unending.act(), unending.privacy.epsilon
    (1, 1.0)
    """

    def __init__(self, build: Build, setting: Setting, rng: Generator, *, every: int | None = None) -> None:
        self._build, self._setting, self._rng = build, setting, validation.generator(rng)
        self.n_actions, self._left = setting.n_actions, 0
        self._grows, self._length = every is None, FIRST if every is None else every
        self._begin()
        self.feedback = self._run.feedback

    def _begin(self) -> None:
        self._left = self._length
        self._length = min(GROWTH * self._length, MAX_HORIZON) if self._grows else self._length
        self._run: Learner = self._build(_of_run(self._setting, self._left), self._rng)

    @property
    def privacy(self) -> Privacy:
        """Promise of the present run."""
        promised: Privacy = getattr(self._run, "privacy", NOT_PRIVATE)
        return promised

    def act(self) -> int:
        """Draw this round's action."""
        return self._run.act()

    def observe(self, losses: Any) -> None:
        """See this round's losses, or the loss of the action played; begin the next run after the last round."""
        self._run.observe(losses)
        self._left -= 1
        if not self._left:
            self._begin()


def _of_run(setting: Setting, horizon: int) -> Setting:
    return replace(setting, horizon=horizon, n_switches=min(setting.n_switches, horizon - 1))


@cache
def anytime(entry: Entry) -> Entry:
    """Return a learner as it plays when nobody knows T: as it is, or restarted.

    Its bound adds up those of the runs that have begun. It holds at every T: with losses that are all the same
    from then on, the last run's regret at its horizon is that at T; and the comparator of the whole game is one
    of those that each run is compared with.

    Examples
    --------
    >>> from replicate.learners import entry
    >>> anytime(entry("gumbel")) is entry("gumbel"), anytime(entry("mirror_descent")).label
    (True, 'mirror descent, restarted')
    """
    if entry.anytime:
        return entry
    if entry.unending:
        return in_setting(
            entry,
            {"unending": True},
            label=f"{entry.label}, T unknown",
            summary=f"{entry.summary}; in its form for T unknown",
            guarantee=f"{entry.guarantee}; the constant for T unknown",
            anytime=True,
        )

    def bound(setting: Setting, gap: float) -> float:
        assert entry.bound is not None
        runs = [horizon for _, horizon in horizons(setting.horizon)]
        return sum(min(entry.bound(_of_run(setting, horizon), gap), horizon) for horizon in runs)

    return replace(
        entry,
        label=f"{entry.label}, restarted",
        summary=f"{entry.summary}; restarted on horizons that grow by {GROWTH}",
        guarantee=f"{entry.guarantee}; T that of a run, added up over runs",
        build=lambda setting, rng: Restarted(entry.build, setting, rng),
        simulate=_in_runs(entry, lambda s: horizons(s.horizon)) if entry.simulate else None,
        simulate_with_advice=None,
        exact_regret=None,
        bound=bound if entry.bound else None,
        max_horizon=entry.max_horizon // GROWTH,
        rates=(),
        anytime=True,
    )


def restarted(entry: Entry, length: Callable[[Setting], int], **facts: Any) -> Entry:
    """Return a learner that is built anew after every so many rounds of a setting.

    Parameters
    ----------
    entry
        The learner.
    length
        Rounds of a run.
    facts
        Attributes of `Entry` that differ.
    """

    def runs(s: Setting) -> Iterator[tuple[int, int]]:
        return ((start, length(s)) for start in range(0, s.horizon, length(s)))

    return replace(
        entry,
        build=lambda s, rng: Restarted(entry.build, s, rng, every=length(s)),
        simulate=_in_runs(entry, runs),
        anytime=False,
        **facts,
    )


def _in_runs(entry: Entry, runs: Callable[[Setting], Iterable[tuple[int, int]]]) -> Simulate:
    """Return the simulator of a learner that is built anew: first round and horizon of every run."""

    def simulate(env: Environment, setting: Setting, *, replicates: int, rng: Generator) -> Run:
        assert entry.simulate is not None
        rounds, total = setting.horizon, np.zeros(replicates)
        for start, horizon in runs(setting):
            own = part(env, start, min(start + horizon, rounds), length=horizon)
            run = entry.simulate(own, _of_run(setting, horizon), replicates=replicates, rng=rng)
            total += run.final
            if not setting.n_switches:  # of each run the best action; of the game, one
                total += own.mean_sums(0, horizon).min()
        if not setting.n_switches:
            total -= env.mean_sums(0, rounds).min()
        return Run(np.array([rounds]), total[:, None], run.regret_kind)

    return simulate
