"""The answer to a question in six lines, and a program that runs as printed."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from replicate import certify
from replicate.advice.game import LEVEL, MEAN, Candidate, Game
from replicate.advice.program import program
from replicate.advice.question import Question
from replicate.advice.ranking import contenders
from replicate.advice.rows import KINDS, ranked, useful_from
from replicate.advice.text import asked, assumption, described, finite, listed, short, table
from replicate.learners import registry
from replicate.learners.entries import Entry

UNIFORM = "uniform"
"""Name of uniform play, where the registry has it."""
_RUIN = 3.0
"""Times the mean regret that single games cost which are called ruin, if that is a quarter of uniform play's."""
_PATIENCE, _RUNS, _LONGER = 1.0, 8, 2**24
"""Seconds, games and most rounds of the search for a number of rounds at which something is learnt."""


@dataclass(frozen=True, eq=False)
class Answer:
    """Name what to use under one assumption.

    Attributes
    ----------
    game
        With the question under that assumption.
    ranking
        See `replicate.advice.rows.ranked`.
    source
        Line of Python that gives `losses` in the program; empty for an example.
    told
        The answer where T is known, if this is one where nobody knows T.
    own
        What a learner of the reader's own pays beside the best one, in words.
    """

    game: Game
    ranking: pd.DataFrame
    source: str = ""
    told: Answer | None = None
    own: str = ""

    def entry(self, name: object) -> Entry:
        """Return the learner of a row of the ranking."""
        return self.game.question.played(registry.entry(str(name)))

    @cached_property
    def best(self) -> Mapping[str, Any] | None:
        """The row of the learner with a guarantee that comes first, if any has a number."""
        rows = self.ranking[(self.ranking["kind"] == KINDS[0]) & (self.ranking["learner"] != UNIFORM)]
        rows = rows[(rows["rounds"] == self.game.rounds) | rows["bound"].notna() | rows["forecast"].notna()]
        return rows.iloc[0].to_dict() if len(rows) else None

    @cached_property
    def measured(self) -> bool:
        """Return True if the best learner played the whole game."""
        return self.best is not None and self.best["rounds"] == self.game.rounds

    @cached_property
    def learns(self) -> bool:
        """Return True if the best learner beats uniform play: by its interval, or its bound or forecast."""
        if self.best is None:
            return False
        most = self.best["regret"] + self.best["half_width"] if self.measured else self.expected
        return bool(0 < self.game.uniform() > most)

    @property
    def expected(self) -> float:
        """Forecast or bound of the best learner, whichever is less, where it did not play the whole game."""
        assert self.best is not None
        return float(np.nanmin([self.best["forecast"], self.best["bound"]]))

    @property
    def foretold(self) -> bool:
        """Return True if the best learner's number is a forecast."""
        return self.best is not None and not self.measured and self.expected != self.best["bound"]

    @cached_property
    def use(self) -> str:
        """Name of what to use."""
        return str(self.best["learner"]) if self.best is not None and self.learns else UNIFORM

    @property
    def undecided(self) -> list[str]:
        """Names of the learners with a guarantee that are not told apart from the best one."""
        rows = self.ranking[(self.ranking["kind"] == KINDS[0]) & (self.ranking["order"] == "not decided")]
        return [name for name in rows["learner"] if name not in (UNIFORM, self.use)]

    @property
    def cost(self) -> str:
        """Regret of what to use, in words."""
        if self.use == UNIFORM or self.best is None:
            return short(self.game.uniform())
        return self.number

    @property
    def number(self) -> str:
        """Return the regret of the best learner, measured, foretold or at most its bound."""
        assert self.best is not None
        if self.foretold:
            return f"about {short(self.expected)}"
        if not self.measured:
            return f"at most {short(self.best['bound'])}"
        return f"{short(self.best['regret'])} ± {short(self.best['half_width'])}"

    @property
    def program(self) -> str:
        """A whole program that runs as printed."""
        q = self.game.question
        if self.use == UNIFORM:
            return program(q, None, None, self.source)
        entry = self.entry(self.use)
        return program(q, entry, self.game.level(entry), self.source)


@dataclass(frozen=True, eq=False)
class Advice:
    """The answer, which prints itself as six lines and a program.

    Attributes
    ----------
    question
        What was asked.
    answers
        Under the assumption that is made, and under the one that would be made instead.
    """

    question: Question
    answers: tuple[Answer, Answer]

    @property
    def ranking(self) -> pd.DataFrame:
        """Every learner under the assumption that is made; see `replicate.advice.rows.ranked`."""
        return self.answers[0].ranking

    def __str__(self) -> str:
        first, second = self.answers
        if self.question.losses is not None:
            return f"{asked(first.game.question)}\n\n{_block(first, second)}"
        shown = "\n\n".join(
            f"If you can{may}assume that the losses are {assumption(first.game.question.losses)}:\n"
            f"{asked(one.game.question)}\n\n{_block(one, other)}"
            for may, one, other in ((" ", first, second), ("not ", second, first))
        )
        return f"{shown}\n\n{self._unsure()}"

    def _unsure(self) -> str:
        """Say which answer is safe where its assumption fails, and what that costs where it holds."""
        first, second = self.answers  # what is proved for the second assumption is proved under the first
        row = first.ranking[
            (first.ranking["learner"] == second.use) & (first.ranking["rounds"] == first.game.rounds)
        ]
        safe = (
            f"If you are unsure, take the second: {second.use}. Its guarantee holds for every distribution of the "
            f"losses."
        )
        if first.game.whole_only:
            return f"{safe} On your table its regret is {second.cost}, and that of {first.use} is {first.cost}."
        there = f"is {short(row['regret'].iloc[0])}" if len(row) else "was not measured"
        kind = assumption(first.game.question.losses)
        return (
            f"{safe} If they are {kind}, its regret {there} on the instances of the first answer, and that of "
            f"{first.use} is {first.cost}."
        )

    def table(self) -> str:
        """Return the rankings as short tables."""
        shown = self.answers if self.question.losses is None else self.answers[:1]
        return "\n\n".join(f"{asked(one.game.question)}\n\n{table(one.ranking)}" for one in shown)

    def plain(self) -> dict[str, Any]:
        """Return plain data for JSON: numbers that are not finite become None."""
        return {
            "version": 2,
            "question": vars(self.question),
            "answers": [
                {
                    "losses": one.game.question.losses, "use": one.use, "lines": lines(one, other),
                    "program": one.program, "ranking": finite(one.ranking),
                }
                for one, other in (self.answers, self.answers[::-1])
            ],
        }  # fmt: skip


def of_game(
    game: Game, candidates: Sequence[Candidate], *, source: str = "", told: Answer | None = None, own: str = ""
) -> Answer:
    """Return the answer to a game's question from what was measured."""
    return Answer(game, ranked(game, candidates), source, told, own)


def lines(one: Answer, other: Answer) -> dict[str, str]:
    """Return the six lines: what to use, its cost, the assumption, the guarantee, what is open, the verdict."""
    return {
        "use": _use(one),
        "costs": _costs(one),
        "assumes": _assumes(one, other),
        "guaranteed": _guaranteed(one),
        "open": _open(one),
        "verdict": _verdict(one),
    }


def _block(one: Answer, other: Answer) -> str:
    said = "\n".join(f"{key:<12}{text}" for key, text in lines(one, other).items())
    return f"{said}\n\n{one.program.rstrip()}"


def _use(one: Answer) -> str:
    q = one.game.question
    if one.use == UNIFORM or one.best is None:
        return "uniform play: in each round it draws an action and reads no loss, so it is perfectly private"
    entry = one.entry(one.use)
    level = one.game.level(entry)
    asked_for = q.setting.epsilon
    lower = f", run at ε = {level:g}, the largest level that it is made for" if level != asked_for else ""
    if q.rounds_per_person > 1:
        lower += (
            f", run at {level:.3g} for each round, which adds up to {q.epsilon:g} for the {q.rounds_per_person:,} "
            f"rounds of one person"
        )
    others = (
        f"; these are not told apart from it: {listed(one.undecided)}; more games decide (--race)"
        if one.measured and one.undecided
        else ""
    )
    trust = (
        "no trusted curator is needed if each person adds the noise to the loss before sending it"
        if entry.local
        else "the curator who runs it must be trusted"
    )
    return f"{entry.label} ({entry.name}), {entry.privacy}-private{lower}; {trust}; {described(entry)}{others}"


def _costs(one: Answer) -> str:
    game, best, uniform = one.game, one.best, one.game.uniform()
    place = _place(one)
    if one.use == UNIFORM or best is None:
        rival = (
            f"; the best learner that was measured, {best['learner']}, has {one.number}"
            if best is not None and uniform
            else ""
        )
        return f"regret {short(uniform)}{rival}{place}"
    share = (
        f"{(best['regret'] if one.measured else one.expected) / uniform:.2g} of uniform play's {short(uniform)}"
    )
    if one.foretold:
        how = f"forecast from games of {best['rounds']:,} rounds by the proved rate"
        return f"regret {one.cost}, {how}, {share}; not measured at T = {game.rounds:,}"
    if not one.measured:
        return f"regret {one.cost} by its bound, {share}; not measured at T = {game.rounds:,}"
    free = one.ranking[(one.ranking["kind"] == "not private") & (one.ranking["rounds"] == game.rounds)]
    free = free[free["promise"] != "none for such losses"]
    beside = "not measured without privacy"
    if len(free) and free["regret"].iloc[0] <= 0:
        beside = f"without privacy {short(free['regret'].iloc[0])} ({free['learner'].iloc[0]})"
    elif len(free):
        times = best["regret"] / free["regret"].iloc[0]
        beside = "about the same as" if times < 1.05 else f"{times:.2g} times the regret"
        beside += f" without privacy ({free['learner'].iloc[0]})"
    doubt = f", {best['doubt']}" if best["doubt"] else ""
    return f"regret {one.cost} (99%{doubt}), {share}; {_tail(one)}; {beside}{_untold(one)}{place}"


def _tail(one: Answer) -> str:
    """Say what single games cost."""
    assert one.best is not None
    high = one.best["high"]
    ruin = high > max(_RUIN * max(one.best["regret"], 0.0), one.game.uniform() / 4)
    return (
        f"ruin: 1 game of 20 has regret above {short(high)}"
        if ruin
        else f"19 of 20 games have at most {short(high)}"
    )


def _untold(one: Answer) -> str:
    """Regret next to that of the best learner that knows T."""
    told = one.told.best if one.told is not None and one.told.measured else None
    if told is None or one.best is None or told["regret"] <= 0:
        return ""
    times = max(one.best["regret"] / told["regret"], 1.0)  # who knows T may forget it
    return f", {times:.2g} times the regret of the best learner that knows T ({told['learner']})"


def _place(one: Answer) -> str:
    """Say where regret was measured."""
    game = one.game
    if game.whole_only:
        return "; on your table"
    if one.best is None or not one.measured:
        return ""
    many = len(game.names)
    if game.question.losses in MEAN:
        return f"; a weighted mean over {many} instances ({', '.join(game.names)})"
    return f"; on the worst of {many} instances ({one.best['worst_instance']})"


def _assumes(one: Answer, other: Answer) -> str:
    q, else_ = one.game.question.losses, other.game.question.losses
    best = other.best
    holds = best is not None and best["promise"] == "holds here" and other.use != UNIFORM
    bound = f" and the proved bound {short(best['bound'])}" if best is not None and holds else ""
    same = "the same learner" if other.use == one.use else other.use if other.use != UNIFORM else "uniform play"
    return (
        f"the losses are {assumption(q)}; if they were {assumption(else_)}, the advice would be {same}, with "
        f"regret {other.cost}{bound}"
    )


def _guaranteed(one: Answer) -> str:
    """Say what is proved of the best learner, and whose bound is the smallest where that says nothing."""
    proved = one.ranking[(one.ranking["promise"] == "holds here") & (one.ranking["kind"] == KINDS[0])]
    proved = proved[proved["learner"] != UNIFORM].sort_values("bound")
    said = _promised(one)
    if len(proved) and (one.best is None or one.best["promise"] != "holds here"):
        said += f"; the smallest bound is that of {proved['learner'].iloc[0]}, {short(proved['bound'].iloc[0])}"
    return said


def _promised(one: Answer) -> str:
    best = one.best
    if best is None:
        return (
            f"no listed learner has a bound for such losses; uniform play has regret {short(one.game.uniform())}"
        )
    if best["promise"] == "holds here":
        against = " against an action fixed in advance" if one.game.question.losses == "reactive" else ""
        return f"regret at most {short(best['bound'])} at this size{against}"
    if best["promise"] == "vacuous here" and one.game.whole_only:
        uniform = short(one.game.uniform())
        return f"at most {short(best['bound'])} on any such losses; on your table uniform play has {uniform}"
    if best["promise"] == "vacuous here":
        start = useful_from(one.game, one.entry(best["learner"]))
        after = f"from about T = {start:,} on it is not" if start else "it is so at every larger T, too"
        return (
            f"nothing at this size: the bound of {best['learner']}, {short(best['bound'])}, is vacuous (uniform "
            f"play satisfies it); {after}"
        )
    if best["promise"] == "undefined here":
        return "nothing at this size: its bound is undefined here, because it needs a positive gap, or other sizes"
    return "an asymptotic bound only: no T is known from which on it holds"


def _open(one: Answer) -> str:
    rows = one.ranking[one.ranking["kind"] == KINDS[0]]
    rivals = rows[~rows["learner"].isin([UNIFORM, (one.best or {}).get("learner")])]
    whole = rivals[rivals["rounds"] == one.game.rounds]
    said = [one.own] * bool(one.own)
    for name, what in (("alike", "regret within a tenth of it"), ("not decided", "too close to call")):
        names = whole[whole["order"] == name]["learner"]
        said += [f"{what}: {listed(names)}"] * bool(len(names))
    short_only = rivals[(rivals["rounds"] > 0) & (rivals["rounds"] < one.game.rounds)]
    untried = rivals[rivals["rounds"] == 0]
    said += [f"short games only: {listed(short_only['learner'])}"] * bool(len(short_only))
    said += [f"not tried: {listed(untried['learner'])}"] * bool(len(untried))
    if one.measured and one.best is not None:
        cheaper = short_only[short_only["forecast"] < one.best["regret"]].sort_values("forecast")
        costs = [f"{row.learner} (about {short(row.forecast)})" for row in cheaper.itertuples()]
        said += [f"forecast to have less regret: {listed(costs)}"] * bool(costs)
    bare = one.ranking[(one.ranking["kind"] == KINDS[1]) & (one.ranking["rounds"] == one.game.rounds)]
    if one.best is not None and one.measured and len(bare):
        first = bare.iloc[0]
        if first["regret"] + first["half_width"] < one.best["regret"] - one.best["half_width"]:
            said.insert(
                0, f"{first['learner']}, which has no guarantee, has regret about {short(first['regret'])}"
            )
    if one.best is not None and not one.measured:
        order = "bounds" if not one.foretold else "forecasts and bounds"
        said.insert(0, f"no learner played the whole game, so {order} decide the order")
    return "; ".join(said) or "nothing among the learners with a guarantee"


def _verdict(one: Answer) -> str:
    if one.learns:
        what = "99% interval" if one.measured else "forecast" if one.foretold else "bound"
        return f"its {what} lies below the regret of uniform play"
    if not one.game.uniform():
        return "all actions lose the same in total: uniform play has no regret"
    if one.best is None:
        return (
            "no listed learner is known to beat uniform play: change the assumption, or the trust model (--local)"
        )
    if one.measured and one.best["regret"] < one.game.uniform() < one.best["half_width"]:
        return "not decided: too few games were played in this time; --budget gives more"
    start = _learns_from(one)
    after = f"this changes at about T = {start:,}" if start else "no T was found at which this changes"
    rivals = one.ranking[one.ranking["kind"] == KINDS[0]]
    left = int((rivals["rounds"] < one.game.rounds).sum())
    who = "no learner's 99% interval lies below the regret of uniform play"
    if left:
        who = f"no measured learner's 99% interval lies below the regret of uniform play; {left} were not measured"
    return f"too few rounds for this ε: {who}; {after}"


def _learns_from(one: Answer) -> int | None:
    """Rounds of a longer game in which the best learner is seen to beat uniform play, or does by its bound."""
    assert one.best is not None
    entry, stop, rounds = (one.entry(one.best["learner"]), time.process_time() + _PATIENCE, one.game.rounds)
    waiting = not next(c for c in contenders(one.game.question) if c.entry is entry).reason
    while waiting and 4 * rounds <= _LONGER:
        rounds, start = 4 * rounds, time.process_time()
        game, candidate = Game(replace(one.game.question, rounds=rounds), 0), Candidate(entry)
        if not game.run(candidate, _RUNS):
            break
        if certify.band(game.score(candidate)[0], level=LEVEL).high < game.uniform():
            return rounds
        waiting = time.process_time() + 4 * (time.process_time() - start) < stop
    return useful_from(one.game, entry) if not math.isnan(one.best["bound"]) else None
