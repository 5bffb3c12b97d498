"""The ranking: every learner of the registry that fits a question, simulated at its sizes in a given time."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from replicate.advice.game import MEAN, Candidate, Game, order
from replicate.advice.question import Question
from replicate.advice.race import Rule, race
from replicate.advice.rows import LEARNT, forecast, learnt, promised
from replicate.learners import registry
from replicate.learners.entries import Entry

_SHORT, _GROWTH, _LONGEST = 512, 8, 2**15
"""Rounds of the first games, how much longer the next ones are, and their longest once somebody has learnt."""
_LONG = 2**16
"""From this horizon on the first games are the longer ones."""
_REACTING = 64
"""Rounds of the first games where losses are adaptive: every round is a call of the learner there."""
_PULLS = 4
"""Times the actions are the rounds of a bandit's first games at least: in fewer nobody can have learnt."""
_STOPS = "its simulator stops at"
"""Why a learner plays short games only."""
_LIMIT = 30.0
"""Seconds that the whole games of a learner may take which alone decides a question."""
_LOSSES = 2**20
"""Most losses of a first game."""
_SECOND = 1.0
"""A learner with a guarantee whose replicates take less is tried, whatever the time."""
_BEHIND, _FAR = 1.5, 3.0
"""A learner that pays so many times what the best pays, and is foretold to pay so many times in the whole game,
plays shorter games only."""
_DRAWN, _ROUND = 10**9, 5e-8
"""Most rounds of simulators that read every one, and the least seconds that they take for one."""
FEW, _ENOUGH, _MOST = 4, 8, 400
"""Replicates of a whole game: at least, at first, and at most."""
_QUICK = 0.02
"""Seconds of a whole game on an instance before which no longer short ones are played."""
_PILOT = 0.05
"""Share of the time below which longer games are played for their time, where that is least sure."""
_FINALISTS = 3
"""Learners that play longer games where nobody can play the whole one."""
_WORST = 2
"""Instances of a whole game where the worst one ranks; one where there is no time for two."""


class Clock:
    """Seconds of the processor that are left of a budget."""

    def __init__(self, seconds: float) -> None:
        self._start, self.seconds = time.process_time(), seconds

    def left(self, share: float = 1.0) -> float:
        """Return what is left until that share of the budget is spent."""
        return self._start + share * self.seconds - time.process_time()


def raced(game: Game, rule: Rule) -> list[Candidate]:
    """Let the learners of a question race, kind by kind; only the order of those with a guarantee is decided."""
    candidates = contenders(game.question)
    for number, running in enumerate(_kinds(game.question, candidates)):
        race(game, running, rule if number == 0 else replace(rule, looks=1))
    return candidates


def timed(
    game: Game,
    seconds: float,
    *,
    compared: bool = True,
    heard: Callable[[Sequence[Candidate]], None] | None = None,
) -> list[Candidate]:
    """Measure as many learners of a question as the time allows, those with a guarantee first.

    All play short games. Then, in the order that these foretell, they play the whole one, while there is time; a
    learner with a guarantee does so in any case if that takes less than a second, and if it is not foretold to be
    far behind. What time is left doubles the replicates of the best one and of those not told apart from it. Where
    nobody can play the whole game, it goes to longer games of those that are foretold to pay least.

    Parameters
    ----------
    game
        The question's.
    seconds
        Of the processor, once kernels are compiled.
    compared
        Whether learners without privacy, or without a guarantee, are measured too.
    heard
        Called with the learners that have a guarantee, once their short games are over.
    """
    candidates, clock = contenders(game.question), Clock(seconds)
    kinds = _kinds(game.question, candidates)[: None if compared else 1]
    for candidate in (c for running in _kinds(game.question, candidates) for c in running):
        candidate.reason = "no time was left"
    beyond = {
        c: c.reason
        for c in candidates
        if c.reason.startswith(_STOPS) and c.entry.private and c.entry.covers(game.question.losses or "")
    }
    for number, running in enumerate(kinds):
        playing = [*running, *(beyond if number == 0 else ())]
        _short_games(game, playing, clock, share=(0.35, 0.45, 0.5)[number], surely=number < 2)
        if heard and number == 0:
            heard(running)
    for number, running in enumerate(kinds):
        _whole_games(game, running, clock, share=(0.75, 0.85, 0.9)[number], guaranteed=number == 0)
    _play_alone(game, kinds[0])
    _longer_games(game, kinds[0], clock)
    _confirm(game, kinds[0], clock)
    _decide(game, kinds[0], clock)
    for candidate, reason in beyond.items():
        candidate.reason = reason
    return candidates


def compiled(game: Game) -> None:
    """Play a few rounds with every learner, so that no clock counts what compiles their kernels."""
    q = game.question
    k = min(q.n_actions, 8)
    few = Game(replace(q, n_actions=k, rounds=min(q.rounds, max(_SHORT, 2 * q.n_switches + 2, k))), 0)
    for candidate in (c for running in _kinds(q, contenders(q)) for c in running):
        with contextlib.suppress(ValueError):  # perhaps there is a tuning for more rounds
            few.sample(candidate.entry, 0, 1, few.rounds, look=-1)


def contenders(question: Question) -> list[Candidate]:
    """Return every learner of the registry, those that are no answer with the reason."""
    return [_candidate(question, question.played(entry)) for entry in registry.register().values()]


def _candidate(question: Question, entry: Entry) -> Candidate:
    """A learner with the reason why it is no answer."""
    reason = question.refusal(entry)
    if reason in ("", "not private"):
        if entry.simulate is None:
            reason = "has no simulator"
        elif question.rounds > entry.max_horizon and question.losses != "reactive":
            reason = f"{_STOPS} {entry.max_horizon:,} rounds"
    return Candidate(entry, reason)


def _kinds(question: Question, candidates: Sequence[Candidate]) -> tuple[list[Candidate], ...]:
    """Learners that can be tried: with a guarantee, without privacy, without a guarantee."""
    tried = [c for c in candidates if c.reason in ("", "not private")]
    private = [c for c in tried if c.entry.private]
    proved = [c for c in private if c.entry.covers(question.losses or "")]
    return proved, [c for c in tried if not c.entry.private], [c for c in private if c not in proved]


def _lengths(game: Game) -> list[int]:
    """Rounds of the short games; those beyond the longest are played while nobody has learnt."""
    q = game.question
    first = _REACTING if q.losses == "reactive" else _SHORT if q.rounds < _LONG else _SHORT * _GROWTH
    pulls = _PULLS if q.feedback == "bandit" else 1
    length = max(min(first, _LOSSES // q.n_actions), pulls * q.n_actions, 2 * q.n_switches + 2, 8)
    return [length * _GROWTH**i for i in range(20) if length * _GROWTH**i <= game.rounds // 2]


def _short_games(game: Game, running: Sequence[Candidate], clock: Clock, *, share: float, surely: bool) -> None:
    """Play games that grow longer with who may be among the best and is not quick in the whole one."""
    waiting, known = list(running), False
    for number, length in enumerate(_lengths(game)):
        if known and length > min(game.rounds // 4, _LONGEST):
            break
        if number:
            waiting = [c for c in waiting if not (_quick(game, c) or _far(game, c, running))]
        for candidate in waiting:
            cost = len(game.names) * _foretold(candidate, length)
            if cost < clock.left(share) or (surely and cost < _SECOND / _GROWTH):
                trial(game, candidate, length)
        known = any(learnt(game, c) for c in running)


def trial(game: Game, candidate: Candidate, length: int, games: int = 1) -> None:
    """Play games on each instance, and time them; the first time an eighth of one, so that kernels are loaded."""
    shorter = max(length // _GROWTH, game.question.n_actions)
    try:
        for look in () if candidate.times else (-1, -2):
            start = time.process_time()
            game.sample(candidate.entry, 0, 1, shorter, look=look)
            candidate.times[shorter] = time.process_time() - start
    except ValueError:
        pass  # perhaps there is a tuning for more rounds
    start = time.process_time()
    if game.run(candidate, games, rounds=length):
        candidate.times[length] = (time.process_time() - start) / (len(game.names) * games)
        candidate.trials[length] = np.stack(candidate.regrets).mean(axis=1)
        candidate.reason = "" if candidate.entry.private else "not private"
        candidate.foretold = forecast(game, candidate)


def _foretold(candidate: Candidate, rounds: int) -> float:
    """Seconds of a game on an instance: a line or a power law through the last two, whichever is more."""
    if not candidate.times:
        return 0.0
    played = sorted(candidate.times, reverse=True)
    length, shorter = played[0], played[min(1, len(played) - 1)]
    late, early = candidate.times[length], candidate.times[shorter]
    if length == shorter:
        return late * max(rounds / length, 1.0)
    power = math.log(max(late / early, 1.0) if early > 0 else 1.0) / math.log(length / shorter)
    line = late + max(late - early, 0.0) / (length - shorter) * (rounds - length)
    least = _ROUND * rounds if candidate.entry.max_horizon <= _DRAWN else 0.0
    return max(line, late * (rounds / length) ** min(power, 2.2), least)


def _quick(game: Game, candidate: Candidate) -> bool:
    """Return whether a whole game surely takes little."""
    return bool(candidate.times) and _foretold(candidate, game.rounds) < _QUICK


def _far(game: Game, candidate: Candidate, rivals: Sequence[Candidate]) -> bool:
    """Return whether a learner is behind in a short game, and foretold to be far behind in the whole one."""
    if game.whole_only or not candidate.trials or _quick(game, candidate):
        return False
    length = max(candidate.trials)
    others = [c for c in rivals if length in c.trials]
    now = min(_regret(game, c, length) for c in others)
    if now > LEARNT * game.uniform(length):
        return False
    least = min(c.foretold for c in others)
    behind = _regret(game, candidate, length) > _BEHIND * max(now, 0.0)
    return behind and candidate.foretold > _FAR * max(least, 0.0)


def _regret(game: Game, candidate: Candidate, length: int) -> float:
    return float(game.over_instances(candidate.trials[length]))


def _climb(game: Game, candidate: Candidate, limit: float) -> None:
    """Time games on one instance, each eight times as long as the last, up to the whole one, while they are cheap.

    What took milliseconds foretells little: a short game may be a single batch.
    """
    length = max(candidate.times)
    while length < game.rounds and _foretold(candidate, min(_GROWTH * length, game.rounds)) < limit:
        length, start = min(_GROWTH * length, game.rounds), time.process_time()
        with contextlib.suppress(ValueError):  # some stop at fewer rounds: `run` says so later
            game.sample(candidate.entry, 0, 1, length, look=-1)
        candidate.times[length] = time.process_time() - start


def _places(game: Game, candidate: Candidate, left: float) -> Sequence[int]:
    """Instances of the whole game: of those that rank by the worst, the ones that cost most in a shorter one."""
    if game.question.losses in MEAN or not candidate.trials:
        return range(len(game.names))
    regrets = candidate.trials[max(candidate.trials)]
    many = _WORST if FEW * _WORST * _foretold(candidate, game.rounds) < left else 1
    return sorted(int(place) for place in np.argsort(regrets)[-many:])


def _whole_games(
    game: Game, running: Sequence[Candidate], clock: Clock, *, share: float, guaranteed: bool
) -> None:
    """Play the whole game in the order that the short ones foretell.

    Who is foretold to be better than all before may take half of all time. Those without a guarantee play once as
    a rule, for comparison.
    """
    for candidate in running:
        share_of_time = _PILOT if candidate.entry.max_horizon > _DRAWN else _PILOT / 4
        if candidate.times and (clock.left(share) > 0 or _quick(game, candidate)):
            _climb(game, candidate, max(share_of_time * clock.seconds, _QUICK))
    best, few = math.inf, FEW if guaranteed else 1
    far = [candidate for candidate in running if _far(game, candidate, running)]
    for candidate in sorted(running, key=lambda c: (not _quick(game, c), c.foretold)):
        if not candidate.times and _lengths(game):
            continue  # no tuning, or no time
        left = clock.left(share)
        places = _places(game, candidate, left)
        one = len(places) * _foretold(candidate, game.rounds)
        better = candidate.foretold < best or best == math.inf
        least = max(
            (0.5 if guaranteed else 0.1) * clock.seconds if better else 0.0, _SECOND if guaranteed else 0.0
        )
        if candidate in far or few * one > max(left, least):
            needed = f"{few} whole game{'s' if few > 1 else ''} would take about {max(few * one, 0.1):,.1f} s"
            candidate.reason = "foretold to be far behind" if candidate in far else needed
            continue
        many = _ENOUGH if _quick(game, candidate) else int(min(max(left / 2 / max(one, 1e-4), few), 2 * few))
        start = time.process_time()
        if game.run(candidate, many, places=places):
            candidate.seconds = (time.process_time() - start) / many
            best = min(best, float(game.score(candidate)[0].mean()))


def _play_alone(game: Game, running: Sequence[Candidate]) -> None:
    """If nobody has beaten uniform play, give the leader in single whole games its time, up to the limit.

    Short games in which nobody can have learnt foretell neither regret nor time.
    """
    enough = LEARNT * game.uniform()
    if any(c.rounds == game.rounds and float(game.score(c)[0].mean()) < enough for c in running):
        return
    stop, seen = time.process_time() + _LIMIT / 3, dict[str, float]()
    left = [c for c in running if c.rounds < game.rounds and c.times]
    for line, candidate in sorted(((max(c.times.values()) / max(c.times), c) for c in left), key=lambda x: x[0]):
        place, start = _places(game, candidate, 0.0)[0], time.process_time()
        if start + line * game.rounds < stop:
            with contextlib.suppress(ValueError):
                regret = game.sample(candidate.entry, place, 1, game.rounds, look=-1)
                seen[candidate.entry.name] = float(regret[0])
            candidate.times[game.rounds] = time.process_time() - start
    for candidate in sorted((c for c in left if c.entry.name in seen), key=lambda c: seen[c.entry.name])[:2]:
        one, start = len(game.names) * _foretold(candidate, game.rounds), time.process_time()
        many = int(min(_LIMIT / 3 / max(one, 1e-4), _ENOUGH))
        if many > 1 and game.run(candidate, many):
            candidate.seconds, candidate.reason = (time.process_time() - start) / many, ""


def _longer_games(game: Game, running: Sequence[Candidate], clock: Clock) -> None:
    """If nobody has played the whole game, let finalists play the longest one of T/2, T/4, ... that fits."""
    if game.whole_only or any(c.rounds == game.rounds and c.entry.name != "uniform" for c in running):
        return
    chosen, length = finalists(game, running), game.rounds // 2
    while chosen and length > max(max(c.trials) for c in chosen):
        if FEW * len(game.names) * sum(_foretold(c, length) for c in chosen) < max(clock.left(), _SECOND):
            final(game, running, length)
            return
        length //= 2


def finalists(game: Game, running: Sequence[Candidate]) -> list[Candidate]:
    """Return the three learners that are named first by their forecasts or bounds, the smaller one of each."""
    return sorted((c for c in running if c.trials), key=lambda c: promised(game, c))[:_FINALISTS]


def final(game: Game, running: Sequence[Candidate], length: int) -> None:
    """Let finalists play games of that many rounds; nobody else is foretold to pay less than all of them."""
    chosen = finalists(game, running)
    for candidate in chosen:
        reason = candidate.reason
        trial(game, candidate, length, FEW)
        candidate.reason = candidate.reason or reason
    least = min(promised(game, c) for c in chosen)
    for candidate in running:
        if candidate not in chosen:
            candidate.foretold = max(candidate.foretold, math.nextafter(least, math.inf))


def _confirm(game: Game, running: Sequence[Candidate], clock: Clock) -> None:
    """Let the leader on some instances meet all, until the leader has: short games may mislead.

    Where a clock of the losses meets one of the learner, another instance is the worst one in a longer game. What
    was worst for one leader is tried first on the next one. Where there is no time for all replicates everywhere,
    one game on each instance says which is played.
    """
    whole, worst = [c for c in running if c.rounds == game.rounds], list[int]()
    while whole:
        best = min(whole, key=lambda c: float(game.score(c)[0].mean()))
        left, many = [i for i in range(len(game.names)) if i not in best.places], len(best.regrets[0])
        next_ones = [place for place in worst if place in left][:1] or left
        if (
            len(next_ones) * many * _foretold(best, game.rounds) > max(clock.left(), _SECOND)
            and len(next_ones) > 1
        ):
            single = {i: float(game.sample(best.entry, i, 1, game.rounds, look=-1)[0]) for i in left}
            next_ones = [i for i in left if single[i] == max(single.values()) > game.score(best)[0].mean()]
        if not next_ones:
            return
        game.run(best, many, places=sorted((*best.places, *next_ones)))
        worst.append(game.score(best)[1])


def _decide(game: Game, running: Sequence[Candidate], clock: Clock) -> None:
    """Double the replicates of the best learner and of those not told apart from it, while there is time."""
    whole = [c for c in running if c.rounds == game.rounds]
    grown = True
    while whole and grown:
        best = min(whole, key=lambda c: float(game.score(c)[0].mean()))
        regrets, grown = game.score(best)[0], False
        doubt = [c for c in whole if c is best or order(game.score(c)[0], regrets) == "not decided"]
        for candidate in sorted(doubt, key=lambda c: (c is not best, len(c.regrets[0]))):
            many = len(candidate.regrets[0])
            if many < _MOST and many * candidate.seconds < clock.left():
                grown |= game.run(candidate, many, look=candidate.looks + 1)
