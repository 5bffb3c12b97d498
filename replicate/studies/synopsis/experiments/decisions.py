"""The decision table: which learner to use when, by races of the advisor, with expert advice and with labels."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from replicate import certify
from replicate.advice.game import MEAN, Candidate, Game
from replicate.advice.question import Question
from replicate.advice.race import Rule, race
from replicate.advice.ranking import contenders
from replicate.advice.rows import KINDS, ranked, useful_from
from replicate.advice.text import short
from replicate.budget import cache
from replicate.learners import registry
from replicate.learners.competitors import bit_exp4
from replicate.learners.entries import Setting
from replicate.papers.bandits.instances import one_good_expert
from replicate.papers.distribution_learning.algorithms.simulation import RiskRun
from replicate.papers.distribution_learning.experiments import bits as labels
from replicate.papers.distribution_learning.experiments import regret as regret_of_labels
from replicate.papers.distribution_learning.instances import dirichlet, split_labels
from replicate.streams import stream
from replicate.studies.synopsis.experiments import regret
from replicate.studies.synopsis.instances import MAPPED, REFERENCE, SITUATIONS, SIZES
from replicate.validation import FloatArray
from replicate.workbook import sweep

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
    """Every learner of the registry of that kind which can be tried in a situation."""

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
    """Regrets that several questions share: those of bandits, and of learners without privacy."""
    return {}


@cache
def _guaranteed(profile: str, seed: int, name: str) -> tuple[Game, Sequence[Candidate]]:
    """The race of the learners with a guarantee for a situation's losses."""
    asked, rule = question(profile, name), SIZES[profile].rule
    if (asked.feedback, asked.losses) == ("bandit", "fixed"):
        rule = replace(rule, looks=rule.looks + SCATTERED)
    elif asked.losses == "fixed" and profile == "quick":
        rule = replace(rule, start=4 * rule.start, looks=2)  # of fewer games a rival has no lower limit above zero
    elif asked.losses == "reactive" and profile == "quick":
        rule = replace(rule, start=2 * rule.start, looks=1)  # every round is a call of the learner
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
    asked = situation.question(n_actions=REFERENCE.n_actions, rounds=rounds, epsilon=REFERENCE.epsilon)
    game = Game(asked, seed, kept=_kept(seed))
    running = _of_kind(game.question, GUARANTEED)
    if rounds > question(profile, name).rounds:
        running = [c for c in running if c.entry.max_horizon > _DRAWN]
    if learner not in {c.entry.name for c in running}:
        return ""
    race(game, running, SIZES[profile].map_rule)
    data = ranked(game, running)
    return str(data["label"].iloc[0]) if learner in beaten(data) else ""


def beaten(data: pd.DataFrame) -> list[str]:
    """Learners of a ranking that are known to have a larger regret than the best one."""
    return [str(name) for name in data.loc[data["order"].isin(["larger", "far"]), "learner"]]


def other_lengths(profile: str, name: str) -> tuple[int, ...]:
    """Return an eighth of a row's rounds and, where simulators draw sums, those of a longer game, if any."""
    rounds, longer = question(profile, name).rounds, SIZES[profile].long_rounds
    drawn = SITUATIONS[name].losses in ("iid", "shifting", "switching")
    return (rounds // 8, longer) if drawn and longer > rounds else (rounds // 8,)


@cache
def winners(profile: str, seed: int) -> pd.DataFrame:
    """Return the map: one row per situation of `MAPPED`, K and epsilon."""
    sizes = SIZES[profile]
    return pd.DataFrame(
        _cell(
            SITUATIONS[name].question(n_actions=k, rounds=sizes.map_rounds, epsilon=epsilon), sizes.map_rule, seed
        )
        | {"situation": name, "n_actions": k, "epsilon": epsilon}
        for name, k, epsilon in sweep.steps([*product(MAPPED, sizes.map_actions, sizes.map_epsilons)])
    )


def _cell(asked: Question, rule: Rule, seed: int) -> dict[str, Any]:
    """The winner of a cell, the factors to the next learner that differs and to the best one without privacy."""
    game = Game(asked, seed, kept=_kept(seed))
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
        "beaten": " ".join(sorted(beaten(data[data["kind"] == GUARANTEED]))),
        "to_second": rest["regret"].iloc[0] / best["regret"] if len(rest) else rule.far,
        "not_private": free["label"].iloc[0], "to_not_private": best["regret"] / free["regret"].iloc[0],
    }  # fmt: skip


BITS_RATE = 4.0
"""Rate of EXP4 on bits, times that of its smallest bound."""


@cache
def advised(profile: str, seed: int) -> pd.DataFrame:
    """Bandits with the advice of 8 experts, one of them good: K = 2, epsilon = 1; limits for paper 4 alone."""
    rows, problem, limits = [], one_good_expert(8, 2), (certify.mean_upper, certify.mean_lower)
    runs = 10 if profile == "quick" else 16
    for learner, horizon, many in (("htinf", 10**6, runs), ("local_exp4", 10**6, 6), ("batched_exp4", 10**9, 8)):
        rng = stream(seed, "synopsis/advised", learner)
        run = registry.simulate_with_advice(
            learner, problem, epsilon=1.0, horizon=horizon, replicates=many, rng=rng
        )
        alarm = certify.share(6)
        upper, lower = (float(limit(run.final, false_alarm=alarm)) for limit in limits)
        rows.append(regret.summary(run.final, learner=learner, horizon=horizon, upper=upper, lower=lower))
    setting = Setting(n_actions=8, horizon=10**6, epsilon=1.0, rate=BITS_RATE)
    bits, rng = registry.entry("bit_exp4").simulate_with_advice, stream(seed, "synopsis/advised", "bit_exp4")
    assert bits is not None
    run = bits(problem, setting, replicates=runs, rng=rng)
    rows.append(regret.summary(run.final, learner="bit_exp4", horizon=setting.horizon))
    return pd.DataFrame(rows)


LABEL_SCHEMES = ("sign_bits", "pair_bits", "merged_response", "posterior", "pure", "non_private")
"""Schemes of pure local privacy, and the label itself. All but Algorithm 2 are read by Bayes' rule."""
LABEL_HORIZON = 10**10


def label_classes(profile: str) -> dict[str, tuple[FloatArray, int]]:
    """Classes of laws, and replicates: labels that cannot be merged (Dirichlet(1)), and copies of eight."""
    many, largest = {"quick": (50, 256), "full": (150, 2**12), "huge": (1500, 2**12)}[profile]
    return {
        "many labels": (dirichlet(4, largest, concentration=1.0), many),
        "more hypotheses": (dirichlet(16, 64, concentration=1.0), max(2 * many, 200)),
        "copies": (split_labels(dirichlet(4, 8), 2**15), many if profile == "quick" else 2 * many),
    }


@cache
def labelled(profile: str, seed: int) -> pd.DataFrame:
    """Locally private labels: risk in nats at T = 10^10, epsilon = 1, of every scheme with pure privacy, by class.

    ``lower`` and ``upper`` are proved limits for Algorithm 2, of which few games are played, and confidence limits
    without normality for others; ``bound`` is the value of the proved bound for all classes of that size, NaN
    where there is none. Plain randomised response is there on copies only: it gains nothing elsewhere by merging.
    """
    rows, cells, epsilon = [], label_classes(profile), 1.0
    few = {"quick": 8}.get(profile, 16)
    alarm = certify.share(2 * len(cells) * (len(LABEL_SCHEMES) + 1))
    for place, (laws, many) in cells.items():
        for scheme in (*LABEL_SCHEMES, *(["randomized_response"] if place == "copies" else [])):
            rng = stream(seed, "synopsis/labelled", place, scheme)
            size = {"horizon": LABEL_HORIZON, "replicates": few if scheme == "pure" else many, "grid": 100}
            run = registry.schemes()[scheme].simulate(laws, epsilon=epsilon, rng=rng, **size)
            lower, upper = _limits(run, laws, scheme, epsilon, alarm)
            promise = registry.schemes()[scheme].bound
            bound = promise(laws, epsilon=epsilon, horizon=LABEL_HORIZON) if promise else float("nan")
            row = {"place": place, "learner": scheme, "n_hypotheses": len(laws), "n_labels": laws.shape[1]}
            row |= {"epsilon": epsilon, "bound": bound, "lower": lower, "upper": upper}
            uniform = LABEL_HORIZON * regret_of_labels.uniform_losses(laws, 0)[0]
            rows.append(regret.summary(run.final, **row, uniform=uniform))
    return pd.DataFrame(rows)


def label_rows(profile: str, seed: int) -> list[list[str]]:
    """Rows of the decision table, in its columns.

    The scheme is the one of least mean risk among those with a bound for all classes of the size.
    """
    data, rows = labelled(profile, seed), []
    situations = {
        "many labels": "labels, local DP (prediction)",
        "copies": "the same, where labels are copies of a few",
    }
    for place, situation in situations.items():
        risk = data[data["place"] == place].set_index("learner")
        private, free = risk.drop(index="non_private"), risk.loc["non_private"]
        proved = private[private["bound"].notna()].sort_values("regret")
        best, at = registry.schemes()[str(proved.index[0])], proved.iloc[0]
        size = f"K = {at['n_hypotheses']}, {at['n_labels']:,} labels, T = 10¹⁰"
        others = private[private["bound"].isna()].sort_values("regret")
        rows.append([
            situation, "", f"**{best.label}**", best.name, best.privacy,
            f"risk {with_half(at)} nats ({size})", short(at["uniform"]),
            f"{short(at['bound'])}, {'holds here' if at['bound'] < at['uniform'] else 'vacuous here'}", "",
            _listed(others), f"{registry.schemes()['non_private'].label} {short(free['regret'])}",
            f"others with a bound: {_listed(proved.iloc[1:])}", "SY-LAB, SY-MERGE, DL-R1c",
        ])  # fmt: skip
    return rows


def _listed(rows: pd.DataFrame) -> str:
    """Schemes with their risks."""
    return "; ".join(
        f"{registry.schemes()[str(name)].label} {short(row['regret'])}" for name, row in rows.iterrows()
    )


def _limits(run: RiskRun, laws: FloatArray, scheme: str, epsilon: float, alarm: float) -> tuple[float, float]:
    """Limits of the expected risk of a scheme."""
    if scheme == "pure":
        shared = regret_of_labels.public_scheme(laws, scheme, epsilon, LABEL_HORIZON)
        risk = regret_of_labels.bracketed(shared, 0)
        return float(risk.lower.sum()), float(risk.upper.sum())
    lower = regret_of_labels.risk_lower(run.final, false_alarm=alarm)
    if scheme in ("randomized_response", "non_private"):
        return lower, regret_of_labels.response_upper(run, laws, epsilon, 0, false_alarm=alarm, scheme=scheme)
    known = labels.public(laws, scheme, epsilon, LABEL_HORIZON)
    return lower, labels.upper(run, known, 0, quantity="risk", false_alarm=alarm)


COLUMNS = (
    "if you have", "for example", "use", "in code", "privacy", "regret", "uniform play", "bound",
    "guaranteed from", "no guarantee", "not private", "remarks", "evidence",
)  # fmt: skip


def decisions(profile: str, seed: int) -> pd.DataFrame:
    """Return the table, one row per situation; every winner and every number is computed by races of the advisor.

    Regrets are means with the half width of a 99% interval, two significant digits.
    """
    rows = [_row(profile, seed, name) for name in sweep.steps(tuple(SITUATIONS))]
    return pd.DataFrame([*rows, _advice(profile, seed), *label_rows(profile, seed)], columns=list(COLUMNS))


def _row(profile: str, seed: int, name: str) -> list[str]:
    data, asked = ranking(profile, seed, name), question(profile, name)
    whole = data[data["rounds"] == asked.rounds]
    best, rest, free = (whole[whole["kind"] == kind] for kind in (GUARANTEED, OTHERS, FREE))
    place = f"(T = {asked.rounds:,})"
    beside, game = [_beside(rest), _beside(free)], Game(asked, seed)
    text, example, uniform = SITUATIONS[name].text, SITUATIONS[name].example, short(game.uniform())
    if best.empty:
        return [text, example, "nobody has a guarantee", "", "", "", uniform, "", "", *beside, "", ""]
    first = best.iloc[0].to_dict()
    entry, bound = registry.entry(str(first["learner"])), str(first["promise"])
    start = useful_from(game, entry) if math.isfinite(first["bound"]) else None
    if math.isfinite(first["bound"]):
        bound = f"{short(first['bound'])}, {bound}"
    regret = f"{short(first['regret'])} ± {short(first['half_width'])} {place}"
    return [
        text, example, f"**{first['label']}**", entry.name,
        entry.privacy if entry.local else f"{entry.privacy}, central", regret, uniform, bound,
        f"T = {start:,}" if start else "", *beside,
        "; ".join(_remarks(profile, seed, name, best)), f"SY-ROW-{name}",
    ]  # fmt: skip


def _beside(rows: pd.DataFrame) -> str:
    """The best learner of another kind."""
    if rows.empty:
        return "none measured"
    row = rows.iloc[0]
    return f"{row['label']} {short(row['regret'])} ± {short(row['half_width'])}"


def _remarks(profile: str, seed: int, name: str, best: pd.DataFrame) -> list[str]:
    """Learners as good, learners not told apart, and sizes at which the winner changes."""
    first = str(best["learner"].iloc[0])
    said = [
        f"{words}: {', '.join(best['label'][1:][best['order'][1:] == order])}"
        for order, words in {"alike": "tied with the winner", "not decided": "too close to call"}.items()
        if (best["order"][1:] == order).any()
    ]
    for rounds in other_lengths(profile, name):
        better = better_at(profile, seed, name, rounds, first)
        said += [f"the winner at T = {rounds:,} is {better}"] * bool(better)
    return said + (_changes(profile, seed, name, first) if name in MAPPED else [])


def _changes(profile: str, seed: int, name: str, learner: str) -> list[str]:
    """Cells of the map in which the winner of a row is beaten, along K and along epsilon."""
    cells = winners(profile, seed)
    line = (cells["n_actions"] == REFERENCE.n_actions) | (cells["epsilon"] == REFERENCE.epsilon)
    lost = cells["beaten"].map(lambda names: learner in names.split())
    said = []
    for label, rows in cells[(cells["situation"] == name) & line & lost].groupby("label", sort=False):
        sizes = zip(rows["n_actions"], rows["epsilon"], strict=True)
        where = " and ".join(f"K = {k}, ε = {epsilon:g}" for k, epsilon in sizes)
        said.append(f"the winner at T = {int(rows['rounds'].iloc[0]):,}, {where} is {label}")
    return said


def _advice(profile: str, seed: int) -> list[str]:
    """The game with experts' advice: EXP4 on bits, and the learners of paper 4."""
    found, best = advised(profile, seed).set_index("learner"), registry.entry("bit_exp4")
    bound = bit_exp4.regret_bound(n_actions=2, n_experts=8, epsilon=1.0, horizon=10**6, times=BITS_RATE)
    others = (("HTINF over experts", "htinf"), ("EXP4 with local noise", "local_exp4"))
    return [
        "oblivious losses and the advice of N experts, bandit feedback", "",
        f"**{best.label}, rate × {BITS_RATE:g}**", best.name, best.privacy,
        f"{with_half(found.loc[best.name])} (N = 8, K = 2, T = 10⁶)", short(10**6 / 2),
        f"{short(bound)}, holds here", "", "", "",
        "; ".join(f"{label} {with_half(found.loc[name])}" for label, name in others), "SY-ADV",
    ]  # fmt: skip


def with_half(row: Mapping[str, float]) -> str:
    """Mean of one row with the half width of its interval, where there is any."""
    half = (row["high"] - row["low"]) / 2
    return short(row["regret"]) + (f" ± {short(half)}" if half > 1e-9 * abs(row["regret"]) else "")
