"""Which learner wins in each situation, by races of the advisor, and how that changes with K and epsilon."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from replicate.advice.game import MEAN, Candidate, Game
from replicate.advice.question import Question
from replicate.advice.race import Rule, race
from replicate.advice.ranking import contenders
from replicate.advice.rows import KINDS, ranked
from replicate.budget import cache
from replicate.studies.synopsis.instances import MAPPED, REFERENCE, SITUATIONS, SIZES
from replicate.validation import FloatArray

GUARANTEED, OTHERS, FREE = KINDS[:3]
_DRAWN = 10**9
"""Most rounds of simulators that read every round."""
SCATTERED = 2
"""So many more looks where bandits meet fixed losses: their regret scatters more, and they are quick."""


class Sample(NamedTuple):
    """Regrets of a learner with a guarantee after that many rounds, each of shape (replicates,).

    `regrets` are those by which it is ranked, on the instance of that number; `by_instance` all of which the rank
    is the worst, by the numbers of those that were played among so many `instances`, or these alone where it is
    their mean.
    """

    label: str
    rounds: int
    regrets: FloatArray
    instance: int
    by_instance: Mapping[int, FloatArray]
    instances: int


def _of_kind(question: Question, kind: str) -> list[Candidate]:
    """Every learner of the register of that kind which can be tried in a situation."""

    def of(candidate: Candidate) -> str:
        if not candidate.entry.private:
            return FREE
        return GUARANTEED if candidate.entry.covers(question.losses or "") else OTHERS

    tried = [c for c in contenders(question) if not c.reason or c.reason == "not private"]
    return [c for c in tried if of(c) == kind]


def question(profile: str, name: str) -> Question:
    """Return the question of a row at its sizes."""
    sizes, situation = SIZES[profile], SITUATIONS[name]
    rounds = sizes.reactive_rounds if situation.losses == "reactive" else sizes.rounds
    return situation.question(n_actions=REFERENCE.n_actions, rounds=rounds, epsilon=REFERENCE.epsilon)


@functools.cache
def _kept(seed: int) -> dict[tuple[object, ...], FloatArray]:
    """Regrets measured for one situation that are another's too: of learners with pure privacy, of local ones."""
    return {}


@cache
def _guaranteed(profile: str, seed: int, name: str) -> tuple[Game, Sequence[Candidate]]:
    """The race of the learners with a guarantee for a situation's losses."""
    asked, rule = question(profile, name), SIZES[profile].rule
    if (asked.feedback, asked.losses) == ("bandit", "fixed"):
        rule = replace(rule, looks=rule.looks + SCATTERED)
    game = Game(asked, seed, kept=_kept(seed))
    running = _of_kind(asked, GUARANTEED)
    race(game, running, rule)
    return game, running


def samples(profile: str, seed: int, name: str) -> dict[str, Sample]:
    """Return by name what the race of a situation measured, the best learner first.

    A learner that left the race has the regrets of the game that cost it too much.
    """
    game, running = _guaranteed(profile, seed, name)
    measured, mean = {}, game.question.losses in MEAN
    for c in running:
        if c.regrets:
            regrets, worst = game.score(c)
            each = dict(zip(c.places, c.regrets, strict=True))
            where = (0, {0: regrets}, 1) if mean else (worst, each, len(game.names))
            measured[c.entry.name] = Sample(c.entry.label, c.rounds, regrets, *where)
    return dict(sorted(measured.items(), key=lambda item: (-item[1].rounds, item[1].regrets.mean())))


@cache
def ranking(profile: str, seed: int, name: str) -> pd.DataFrame:
    """Return the table of `replicate.advice.advise` for a situation, the order decided at the claims' rate."""
    game, running = _guaranteed(profile, seed, name)
    others = [*_of_kind(game.question, OTHERS)], [*_of_kind(game.question, FREE)]
    for part in others:
        race(game, part, SIZES[profile].others)
    return ranked(game, [*running, *others[0], *others[1]])


@cache
def better_at(profile: str, seed: int, name: str, rounds: int, learner: str) -> str:
    """Return the label of the best learner with a guarantee after that many rounds, if it beats the one named.

    In games longer than the row's only learners play whose simulators draw sums of losses, not every loss: nothing
    is returned if the one named is not among them.
    """
    situation = SITUATIONS[name]
    game = Game(situation.question(n_actions=REFERENCE.n_actions, rounds=rounds, epsilon=REFERENCE.epsilon), seed)
    running = _of_kind(game.question, GUARANTEED)
    if rounds > question(profile, name).rounds:
        running = [c for c in running if c.entry.max_horizon > _DRAWN]
    if learner not in {c.entry.name for c in running}:
        return ""
    race(game, running, SIZES[profile].map_rule)
    data = ranked(game, running)
    return str(data["label"].iloc[0]) if learner in _beaten(data) else ""


def _beaten(data: pd.DataFrame) -> list[str]:
    """Learners of a ranking that are known to have a larger regret than the best one."""
    return [str(name) for name in data.loc[data["order"].isin(["larger", "far"]), "learner"]]


def other_lengths(profile: str, name: str) -> tuple[int, ...]:
    """Return an eighth of a row's rounds and, where simulators draw sums, those of a longer game, if any."""
    rounds, longer = question(profile, name).rounds, SIZES[profile].long_rounds
    drawn = SITUATIONS[name].losses in ("iid", "shifting", "switching")
    return (rounds // 8, longer) if drawn and longer > rounds else (rounds // 8,)


@cache
def winners(profile: str, seed: int) -> pd.DataFrame:
    """Return the map: one row a situation of `MAPPED`, K and epsilon."""
    sizes = SIZES[profile]
    return pd.DataFrame(
        _cell(
            SITUATIONS[name].question(n_actions=k, rounds=sizes.map_rounds, epsilon=epsilon), sizes.map_rule, seed
        )
        | {"situation": name, "n_actions": k, "epsilon": epsilon}
        for name in MAPPED
        for k in sizes.map_actions
        for epsilon in sizes.map_epsilons
    )


def _cell(asked: Question, rule: Rule, seed: int) -> dict[str, Any]:
    """The winner of a cell, the factors to the next learner that differs and to the best one without privacy."""
    game = Game(asked, seed)
    kinds = [_of_kind(asked, GUARANTEED), _of_kind(asked, FREE)]
    for part in kinds:
        race(game, part, rule)
    data = ranked(game, [*kinds[0], *kinds[1]])
    whole = data[data["rounds"] == game.rounds]
    private, free = whole[whole["kind"] == GUARANTEED], whole[whole["kind"] == FREE]
    best = private.iloc[0]
    rest = private[~np.isclose(private["regret"], best["regret"], rtol=1e-9)]
    return {
        "learner": best["learner"], "label": best["label"], "regret": best["regret"],
        "half_width": best["half_width"], "of_uniform": best["of_uniform"], "rounds": game.rounds,
        "second": rest["label"].iloc[0] if len(rest) else "",
        "beaten": " ".join(sorted(_beaten(data[data["kind"] == GUARANTEED]))),
        "to_second": rest["regret"].iloc[0] / best["regret"] if len(rest) else rule.far,
        "not_private": free["label"].iloc[0], "to_not_private": best["regret"] / free["regret"].iloc[0],
    }  # fmt: skip
