"""From a question to its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from replicate import validation
from replicate.advice import ranking
from replicate.advice.answer import Advice, of_game
from replicate.advice.game import Candidate, Game
from replicate.advice.own import beside
from replicate.advice.question import Question
from replicate.advice.race import Rule
from replicate.advice.ranking import contenders
from replicate.learners.entries import Entry
from replicate.learners.protocol import loss_table
from replicate.validation import FloatArray

BUDGET = 4.0
"""Seconds for the simulations."""


def advise(
    question: Question,
    *,
    budget: float = BUDGET,
    rule: Rule | None = None,
    table: ArrayLike | None = None,
    seed: int = 2026,
    source: str = "",
    heard: Callable[[str], Any] | None = None,
    guaranteed: bool = False,
    against: Entry | None = None,
) -> Advice:
    """Say which learner of the registry to use, by simulation at the question's sizes beside what is proved.

    Parameters
    ----------
    question
        What is known.
    budget
        Seconds of the processor for the simulations, 0.5 to 1e5, once kernels are compiled; numbers depend on the
        speed of the machine. A learner with a guarantee that needs less than a second is tried in any case.
    rule
        Of a race, see `replicate.advice.race`: it decides the order, whatever it costs, with the same numbers
        everywhere. Replaces `budget`.
    table
        Losses of the reader's own in the place of the instances, shape (T, K), entries in [0, 1]. If they are
        private, a choice by this ranking is not: see `replicate.advice.choosing`.
    seed
        Root of the random streams, a non-negative integer.
    source
        Lines of Python that give the table as `losses` in the program that is printed; empty for an example.
    heard
        Called with a rough answer, in a line, as soon as short games are over.
    guaranteed
        Whether nobody is simulated: the order is that of the proved bounds.
    against
        A learner of the reader's own, which plays the games of the best one: see `replicate.advice.own`.

    Examples
    --------
    >>> asked = Question(feedback="bandit", losses="iid", n_actions=2, rounds=1000, epsilon=4, local=True)
    >>> advise(asked, rule=Rule(first=64, short=2, start=2, looks=1)).answers[0].learns
    True
    """
    if not isinstance(question, Question):
        raise ValueError(f"question must be a Question, got {question!r:.200}")
    budget = validation.real("budget", budget, low=0.5, high=1e5)
    seed = validation.count("seed", seed, low=0)
    checked = None if table is None else loss_table(table)
    kept: dict[tuple[object, ...], FloatArray] = {}
    games = [Game(reading, seed, checked, kept=kept) for reading in question.readings]
    share = (0.5 if question.losses is None else 0.65) - 0.2 * question.anytime
    for game in games if not guaranteed else ():
        ranking.compiled(game)
    clock = ranking.Clock(budget)

    def measured(game: Game, seconds: float, *, compared: bool) -> Sequence[Candidate]:
        def rough(found: Sequence[Candidate]) -> None:
            tried = [c for c in found if c.regrets]
            if heard and tried:
                least = min(tried, key=lambda c: (-c.rounds, float(game.score(c)[0].mean())))
                heard(f"after {least.rounds:,} rounds, losses {game.question.losses}: {least.entry.name} leads")

        if guaranteed:
            return [
                replace(c, reason=c.reason or "bounds alone were asked for") for c in contenders(game.question)
            ]
        if rule is not None:
            return ranking.raced(game, rule)
        return ranking.timed(game, seconds, compared=compared, heard=rough)

    told = None
    if question.anytime:
        known = Game(replace(games[0].question, anytime=False), seed, checked, kept=kept)
        told = of_game(known, measured(known, 0.2 * budget, compared=False))
    found = measured(games[0], share * budget, compared=True)
    own = beside(games[0], found, against) if against else ""
    first = of_game(games[0], found, source=source, told=told, own=own)
    left, both = max(clock.left(), 0.2 * budget), question.losses is None
    return Advice(question, (first, of_game(games[1], measured(games[1], left, compared=both), source=source)))
