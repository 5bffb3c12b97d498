"""The decision table: which learner to use when, with what it was measured to cost and what is proved of it."""

from __future__ import annotations

import math

import pandas as pd

from replicate.advice.game import Game
from replicate.advice.rows import useful_from
from replicate.advice.text import short
from replicate.learners import registry
from replicate.studies.synopsis.experiments import other_games, situations
from replicate.studies.synopsis.experiments.situations import FREE, GUARANTEED, OTHERS
from replicate.studies.synopsis.instances import MAPPED, REFERENCE, SITUATIONS

COLUMNS = (
    "if you have", "for example", "use", "in code", "privacy", "regret", "uniform play", "bound",
    "guaranteed from", "no guarantee", "not private", "remarks", "evidence",
)  # fmt: skip


def decisions(profile: str, seed: int) -> pd.DataFrame:
    """Return the table, one row a situation; every winner and every number is computed by races of the advisor.

    Regrets are means with the half width of a 99 % interval, two significant digits.
    """
    rows = [_row(profile, seed, name) for name in SITUATIONS]
    return pd.DataFrame(
        [*rows, _advice(profile, seed), *other_games.label_rows(profile, seed)], columns=list(COLUMNS)
    )


def _row(profile: str, seed: int, name: str) -> list[str]:
    data, asked = situations.ranking(profile, seed, name), situations.question(profile, name)
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
        f"{order}: {'; '.join(best['label'][1:][best['order'][1:] == order])}"
        for order in ("alike", "not decided")
        if (best["order"][1:] == order).any()
    ]
    for rounds in situations.other_lengths(profile, name):
        better = situations.better_at(profile, seed, name, rounds, first)
        said += [f"T = {rounds:,}: {better}"] * bool(better)
    return said + (_changes(profile, seed, name, first) if name in MAPPED else [])


def _changes(profile: str, seed: int, name: str, learner: str) -> list[str]:
    """Cells of the map in which the winner of a row is beaten, along K and along epsilon."""
    cells = situations.winners(profile, seed)
    line = (cells["n_actions"] == REFERENCE.n_actions) | (cells["epsilon"] == REFERENCE.epsilon)
    lost = cells["beaten"].map(lambda names: learner in names.split())
    said = []
    for label, rows in cells[(cells["situation"] == name) & line & lost].groupby("label", sort=False):
        sizes = zip(rows["n_actions"], rows["epsilon"], strict=True)
        where = " and ".join(f"K = {k}, ε = {epsilon:g}" for k, epsilon in sizes)
        said.append(f"T = {int(rows['rounds'].iloc[0]):,}, {where}: {label}")
    return said


def _advice(profile: str, seed: int) -> list[str]:
    """The game with experts' advice: the learners of paper 4."""
    advised = other_games.advised(profile, seed).set_index("learner")
    return [
        "own loss, and the advice of N experts", "", "**HTINF over experts**", "htinf", "ε, central",
        f"{_shown(advised.loc['htinf'])} (N = 8, K = 2, T = 10⁶)", "", "√(NT/ε), up to a constant", "",
        f"EXP4 with local noise {_shown(advised.loc['local_exp4'])}", "", "", "SY-ADV",
    ]  # fmt: skip


def _shown(row: pd.Series) -> str:
    """Mean of one row with the half width of its interval, where there is any."""
    half = (row["high"] - row["low"]) / 2
    return short(row["regret"]) + (f" ± {short(half)}" if half > 1e-9 * abs(row["regret"]) else "")
