"""The ranking: every learner of the register that fits a question, simulated at its sizes in a given time."""

from __future__ import annotations

import math
import sys
import time
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from replicate import validation
from replicate.advice.game import Candidate, Game
from replicate.advice.question import Question
from replicate.advice.race import Rule, race
from replicate.advice.rows import ENOUGH, ranked
from replicate.learners import registry
from replicate.learners.entries import Entry
from replicate.learners.protocol import MAX_REPLICATES
from replicate.learners.pseudo_regret import MAX_DRAWN

_MOST = 400
_TRIALS = (2**11, 2**13)
"""Rounds of the two trials from which the time at T rounds is extrapolated; as many as actions at least."""
_NARROW = (8, 64)
"""Actions of the games that compile, and foretell what the trials take."""
_SHORT = 2**8
"""Their rounds where losses react: learners are played round by round there, and nothing is compiled."""
_CHEAP = 0.05
"""Seconds of a trial that is played whatever the budget is: it comes with compiling."""
_UNSEEN = 1e-7
"""Seconds for an action and a round of a trial that nothing foretells."""


def advise(
    question: Question,
    *,
    budget: float = 20.0,
    replicates: int | None = None,
    rule: Rule | None = None,
    table: ArrayLike | None = None,
    seed: int = 2026,
    announce: bool = False,
) -> pd.DataFrame:
    """Rank every learner of the register that fits a question, by simulation at its sizes.

    Parameters
    ----------
    question
        What is known.
    budget
        Seconds on the clock for the simulations, 1 to 1e5; compiling and short trials come first and do not count.
        Learners that would need more are skipped, and the reason says how much.
    replicates
        None: as many as the budget allows, so that numbers depend on the speed of the machine. Otherwise 2 to
        10**6 for every learner, whatever it costs: the same numbers everywhere.
    rule
        Of a race, see `replicate.advice.race`: it decides the order, whatever it costs, with the same numbers
        everywhere. Replaces `budget` and `replicates`.
    table
        Losses of the reader's own in the place of the instances, shape (T, K), entries in [0, 1]. If they are
        private, a choice by this ranking is not: see `replicate.advice.choosing`.
    seed
        Root of the random streams, a non-negative integer.
    announce
        Say on standard error that kernels are being compiled.

    Returns
    -------
    One row a learner: those with a proved guarantee for such losses, from the smallest regret to the largest; then
    those without one; then the benchmarks without privacy; then what was skipped, and why. Columns: `learner`,
    `label`, `kind`, `regret`, `half_width` (of its 99 % interval), `difference` (to the regret of the best learner
    with a guarantee, mean over pairs of replicates), `difference_half_width` (99 %), `order` (`"larger"`,
    `"alike"` or `"not decided"`, see `replicate.advice.game.order`; `"far"` where a race left the learner behind),
    `worst_instance`, `rough`, `of_uniform` (regret over that of uniform play), `of_non_private` (over the best
    learner's without privacy), `bound` (value of the proved bound), `promise` in words, `privacy`, `rounds` (at
    which it was measured), `seconds` (of a replicate), `reason`, `code`.
    """
    if not isinstance(question, Question):
        raise ValueError(f"question must be a Question, got {question!r:.200}")
    budget = validation.real("budget", budget, low=1, high=1e5)
    game = Game(question, validation.count("seed", seed, low=0), table)
    if rule is not None:
        return ranked(game, raced(game, rule))
    candidates = contenders(question)
    tried = [c for c in candidates if not c.reason or c.reason == "not private"]
    if announce:
        print(f"compiling and timing {len(tried)} learners ...", file=sys.stderr, flush=True)
    if replicates is None:
        spent = _try(game, tried, 0.3 * budget)
        _measure(game, [c for c in tried if np.isfinite(c.seconds)], budget - spent)
    else:
        many = validation.count("replicates", replicates, low=2, high=MAX_REPLICATES)
        for candidate in tried:
            game.run(candidate, many)
    return ranked(game, candidates)


def raced(game: Game, rule: Rule) -> list[Candidate]:
    """Let the learners of a question race, kind by kind; only the order of those with a guarantee is decided."""
    candidates = contenders(game.question)
    kinds: dict[tuple[bool, bool], list[Candidate]] = {}
    for candidate in candidates:
        if not candidate.reason or candidate.reason == "not private":
            entry = candidate.entry
            kinds.setdefault((entry.private, entry.covers(game.question.losses)), []).append(candidate)
    for (private, covered), running in kinds.items():
        race(game, running, rule if private and covered else replace(rule, looks=1))
    return candidates


def contenders(question: Question) -> list[Candidate]:
    """Return every learner of the register, those that are no answer with the reason."""
    return [_candidate(question, entry) for entry in registry.register().values()]


def _candidate(question: Question, entry: Entry) -> Candidate:
    """A learner with the reason why it is no answer."""
    reason = question.refusal(entry)
    if entry.simulate is None and reason in ("", "not private"):
        reason = "has no simulator"
    elif question.rounds > entry.max_horizon and question.losses != "reactive":
        reason = f"its simulator stops at {entry.max_horizon:,} rounds"
    return Candidate(entry, reason)


def _try(game: Game, candidates: list[Candidate], room: float) -> float:
    """Estimate every learner's time from trials; return what the dear ones took, the room at most."""
    trials = sorted({min(max(trial, game.question.n_actions), game.rounds) for trial in _TRIALS})
    foretold = {candidate.entry.name: _foretold(game.question, candidate, trials[0]) for candidate in candidates}
    waiting = sorted(candidates, key=lambda c: foretold[c.entry.name])
    spent = 0.0
    for candidate in waiting:  # the cheapest first, each with a quarter of what is left
        start = time.perf_counter()
        _time(game, candidate, trials, foretold[candidate.entry.name], max((room - spent) / 4, _CHEAP))
        taken = time.perf_counter() - start
        spent += taken if taken > 2 * _CHEAP else 0.0
    return spent


def _foretold(q: Question, candidate: Candidate, length: int) -> float:
    """Compile a learner, and foretell the seconds of a game of that length, linear in K."""
    reacts = q.losses == "reactive"
    rounds = min(q.rounds, max(_SHORT, 4 * q.n_switches) if reacts else _TRIALS[0])
    widths = sorted({min(width, q.n_actions, rounds) for width in _NARROW})
    try:
        games = [Game(replace(q, n_actions=width, rounds=rounds), 0) for width in widths]
        games[0].sample(candidate.entry, 0, 1, rounds)
        times = [_clocked(few, candidate, 1, rounds) for few in games]
    except ValueError:  # no tuning for so few
        return _UNSEEN * q.n_actions * length
    slope = max(times[-1] - times[0], 0) / max(widths[-1] - widths[0], 1)
    longer = length / rounds if reacts or _reads_every_round(candidate.entry) else 1
    return (times[-1] + slope * (q.n_actions - widths[-1])) * longer


def _time(game: Game, candidate: Candidate, trials: list[int], foretold: float, room: float) -> None:
    """Estimate a replicate's time on all instances from two trials: a power law in the number of rounds.

    A learner that reads every round takes at least linear time.
    """
    times: list[tuple[int, float]] = []
    reason = ""
    for rounds in trials:
        foretold = times[-1][1] * rounds / times[-1][0] if times else foretold * rounds / trials[0]
        if foretold > room:
            reason = f"skipped: a trial of {rounds:,} rounds needs about {max(foretold, 0.1):,.1f} s; see --budget"
            break
        try:
            times.append((rounds, _clocked(game, candidate, 1, rounds)))
        except ValueError as error:  # perhaps there is a tuning for more rounds
            reason = str(error)
            continue
        room -= times[-1][1]
    if not times:
        candidate.reason = reason
        return
    (first, early), (last, late) = times[0], times[-1]
    power = math.log(max(late / max(early, 1e-6), 1)) / math.log(last / first) if last > first else 1.0
    power = min(max(power, 1) if _reads_every_round(candidate.entry) else power, 2.2)
    candidate.seconds = len(game.names) * late * (game.rounds / last) ** power


def _clocked(game: Game, candidate: Candidate, replicates: int, rounds: int) -> float:
    """Processor seconds of replicates on the first instance, the less of two if they are short."""
    times: list[float] = []
    while len(times) < 2 and sum(times) < _CHEAP:
        start = time.process_time()
        game.sample(candidate.entry, 0, replicates, rounds)
        times.append(time.process_time() - start)
    return min(times)


def _reads_every_round(entry: Entry) -> bool:
    """Return True if a simulation takes at least linear time; others draw sums of losses over blocks."""
    return entry.max_horizon <= MAX_DRAWN or entry.feedback == "bandit"


def _pilot(game: Game, candidates: list[Candidate], budget: float) -> float:
    """Time one instance at full size, cheapest learners first, for at most that budget; return what it took."""
    spent = 0.0
    for candidate in sorted(candidates, key=lambda c: c.seconds):
        if spent + candidate.seconds / len(game.names) < budget:
            many = 1 if _reads_every_round(candidate.entry) else ENOUGH
            try:
                seconds = _clocked(game, candidate, many, game.rounds)
            except ValueError as error:
                candidate.reason, candidate.seconds = str(error), math.nan
                continue
            candidate.seconds = len(game.names) * max(seconds / many, 1e-4)
            spent += seconds
    return spent


def _measure(game: Game, candidates: list[Candidate], budget: float) -> None:
    """Spend the budget: equally within a kind, answers with a guarantee first; what one leaves later ones have."""
    left = budget - _pilot(game, candidates, 0.3 * budget)
    waiting = sorted(
        (c for c in candidates if np.isfinite(c.seconds)), key=lambda c: (_priority(game, c), c.seconds)
    )
    for number, candidate in enumerate(waiting):
        alike = sum(_priority(game, other) == _priority(game, candidate) for other in waiting[number:])
        sharing = alike + (alike < len(waiting) - number)  # later kinds together count as one
        many = min(int(left / sharing / candidate.seconds), _MOST)
        if many < 2 <= left / 4 / candidate.seconds:
            many = 2  # rough, rather than skipped: the cheapest come first
        if many < 2:
            needed = ENOUGH * candidate.seconds
            candidate.reason = f"skipped: {ENOUGH} replicates need about {needed:,.1f} s; see --budget"
            continue
        start = time.perf_counter()
        game.run(candidate, many)
        left -= time.perf_counter() - start


def _priority(game: Game, candidate: Candidate) -> tuple[bool, bool]:
    """Learners made for this feedback first, with a guarantee for such losses first of all."""
    entry = candidate.entry
    return entry.feedback != game.question.feedback, not entry.covers(game.question.losses)
