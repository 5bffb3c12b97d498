"""A race of learners: games grow longer, who is far behind leaves, more replicates settle doubts.

All of it is declared before it begins and nothing depends on a clock, so that it ends with the same numbers on
every machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from replicate import certify, validation
from replicate.advice.game import LEVEL, MEAN, Candidate, Game, order
from replicate.advice.question import Question

_TRIED = 2
"""Games on each instance that choose the one to be played first."""
_WORST = 3
"""Instances, the worst ones of a shorter game, of which the one to be played first in a longer game is chosen."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """The rule of a race.

    A learner leaves once a game of fewer rounds has cost it more than `far` times what the best learner's regret
    is in the whole game. That a shorter game of the same kind costs no more than a longer one is assumed. Where
    the worst instance ranks, a learner plays one first, on which a few games of its own were worst: its regret
    there is at most that by which it ranks, so that who is surely behind on it needs no others. In a longer game
    these few games are played on the instances that were worst in the first one. Who may be better plays them all,
    and then again where it is surely worst.

    Attributes
    ----------
    first
        Rounds of the first games; those of the next ones are `growth` times as many.
    growth
        At least 2.
    far
        At least 1.
    short, start
        Replicates of the shorter games and of the whole one, at least 2.
    looks
        At most so often are replicates of a learner whose order with the best one is not decided looked at; they
        double from one look to the next. The best one has them all. At least 1.
    wrong
        Probability that an order that is called decided is wrong, shared equally over learners, looks and, where
        the worst instance ranks, instances.
    """

    first: int = 512
    growth: int = 8
    far: float = 2.0
    short: int = 16
    start: int = 16
    looks: int = 5
    wrong: float = 0.01

    def __post_init__(self) -> None:
        for name, low in (("first", 1), ("growth", 2), ("short", 2), ("start", 2), ("looks", 1)):
            validation.count(name, getattr(self, name), low=low)
        validation.real("far", self.far, low=1, high=1e9)
        validation.real("wrong", self.wrong, low=1e-15, high=0.5)

    def level(self, rivals: int) -> float:
        """Return the confidence of one comparison among that many learners."""
        return 1 - self.wrong / (self.looks * max(rivals, 1))

    def stages(self, question: Question) -> list[int]:
        """Return the rounds of the shorter games: the last is at most a quarter of the whole one."""
        stages, length = [], self.first
        while length <= question.rounds // 4:
            if length >= 4 * max(question.n_actions, question.n_switches):
                stages.append(length)
            length *= self.growth
        return stages


def race(game: Game, candidates: Sequence[Candidate], rule: Rule) -> None:
    """Measure learners of one kind, the best of them in the whole game; the others as the rule says."""
    running, worst = list(candidates), dict[Candidate, Sequence[int]]()
    for length in [] if game.whole_only else rule.stages(game.question):
        running = [c for c in running if c.rounds == game.rounds or _first(game, c, rule.short, length, worst)]
        shorter = sorted((c for c in running if c.rounds < game.rounds), key=lambda c: _mean(game, c))
        if len(running) < 2 or not shorter:
            break
        if not game.run(shorter[0], rule.start):
            running.remove(shorter[0])
        running = _near(game, running, rule)
    running = [c for c in running if c.rounds == game.rounds or _first(game, c, rule.start, game.rounds, worst)]
    _settle(game, running, rule)


def _first(
    game: Game, candidate: Candidate, replicates: int, rounds: int, worst: dict[Candidate, Sequence[int]]
) -> bool:
    """Measure a learner on all instances, or on the one that a few games choose where the worst ranks.

    `worst` has, by learner, the instances that cost it most in its first game: who is not yet in it enters.
    """
    places: Sequence[int] = range(len(game.names))
    if (
        game.question.losses not in MEAN
        and replicates > _TRIED
        and game.run(candidate, _TRIED, rounds=rounds, look=-1, places=worst.get(candidate))
    ):
        places = [game.score(candidate)[1]]
        costs = [regrets.mean() for regrets in candidate.regrets]
        worst.setdefault(candidate, sorted(np.argsort(costs)[-_WORST:].tolist()))
    return game.run(candidate, replicates, rounds=rounds, places=places)


def _settle(game: Game, running: Sequence[Candidate], rule: Rule) -> None:
    """Compare learners with the best one, on all instances and with most replicates, until their order is decided.

    Who is not surely behind on the instance that it has played plays all of them a few times, and gets more
    replicates where it was surely worst, which is cheap. It gets them everywhere if a table would not tell it from
    the best one, at the level of tables, by that instance alone.
    """
    # one of so many instances is chosen, by the replicates that are compared
    many = 1 if game.question.losses in MEAN else len(game.names)
    last, level, shown = rule.looks - 1, rule.level(many * (len(running) - 1)), 1 - (1 - LEVEL) / many
    while running:
        best = min(running, key=lambda c: _mean(game, c))
        unfinished = [c for c in running if c.looks < last or not _complete(game, c)]
        if best not in unfinished:
            unfinished = [c for c in unfinished if _in_doubt(game, c, best, level if c.looks < last else shown)]
        if not unfinished:
            return
        chosen = best if best in unfinished else min(unfinished, key=lambda c: c.looks)
        if not _complete(game, chosen) and (chosen is best or chosen.looks in (0, last)):
            _play_everywhere(game, chosen, rule)
            continue
        if chosen is not best and many > 1:
            _keep_surely_worst(chosen, level)
        game.run(chosen, rule.start * 2**chosen.looks, look=chosen.looks + 1)


def _in_doubt(game: Game, candidate: Candidate, best: Candidate, level: float) -> bool:
    """Return whether a learner may be better than the best one, or be told apart from it by what is not played."""
    compared = order(game.score(candidate)[0], game.score(best)[0], level=level)
    return compared == "not decided" or (compared == "alike" and not _complete(game, candidate))


def _complete(game: Game, candidate: Candidate) -> bool:
    return len(candidate.places) == len(game.names)


def _play_everywhere(game: Game, candidate: Candidate, rule: Rule) -> None:
    """Measure a learner on all instances with as many replicates as on those that it has played."""
    looks = candidate.looks
    game.run(candidate, rule.start)
    for look in range(1, looks + 1):
        game.run(candidate, rule.start * 2 ** (look - 1), look=look)


def _keep_surely_worst(candidate: Candidate, level: float) -> None:
    """Forget all instances but the one on which a learner's regret has the largest lower limit."""
    least = [certify.band(regrets, level=level).low for regrets in candidate.regrets]
    worst = int(np.argmax(least))
    candidate.regrets, candidate.places = [candidate.regrets[worst]], (candidate.places[worst],)


def _mean(game: Game, candidate: Candidate) -> float:
    return float(game.score(candidate)[0].mean())


def _near(game: Game, running: Sequence[Candidate], rule: Rule) -> list[Candidate]:
    """Return the learners that are not far behind the best one in the whole game; others say why they leave."""
    best = min((_mean(game, c) for c in running if c.rounds == game.rounds), default=math.inf)
    near = []
    for candidate in running:
        if candidate.rounds == game.rounds or _mean(game, candidate) <= rule.far * max(best, 0.0):
            near.append(candidate)
        else:
            candidate.reason = f"which cost more than {rule.far:g} times what the best pays in all"
    return near
