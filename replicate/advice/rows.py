"""The ranking as a table: one row per learner, with its regret, its difference to the best, and what is proved."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from replicate import certify
from replicate.advice.game import LEVEL, Candidate, Game, difference, order
from replicate.advice.question import Question
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.entries import Entry
from replicate.validation import FloatArray

ENOUGH = 8
"""Replicates from which on a mean is not called rough."""
LEARNT = 0.8
"""Share of uniform play's regret below which a short game ends in which somebody has learnt."""
SOMETHING = 0.95
"""The same, for a game to foretell anything, if time allows no longer one."""
KINDS = ("guaranteed", "no guarantee", "not private", "skipped", "unfit")
"""Rows of the ranking: proved for such losses; only measured; benchmarks; not measured; no answer."""


def ranked(game: Game, candidates: Sequence[Candidate]) -> pd.DataFrame:
    """Return the ranking: one row per learner.

    Those with a proved guarantee for such losses come first, from the smallest regret in the whole game to the
    largest; the bound counts where that was not measured, and where nobody's was, the bound or the forecast, the
    smaller one. Then those without one, then the benchmarks without privacy, then what was skipped or is no
    answer, and why. Columns: `learner`, `label`, `kind`, `regret`, `half_width` (of its 99% interval), `high` and
    `doubt` (see `Game.tail`), `difference` (to the regret of the best learner with a guarantee, mean over pairs of
    replicates), `difference_half_width` (99%), `order` (`"larger"`, `"alike"` or `"not decided"`, see
    `replicate.advice.game.order`; `"far"` where only a shorter game was played), `worst_instance`, `rough`,
    `of_uniform` (regret over that of uniform play), `of_non_private` (over the best learner's without privacy),
    `bound` (value of the proved bound), `forecast` (see `forecast`; NaN where the whole game was played, or a
    short one foretells nothing), `promise` in words, `privacy`, `rounds` (at which it was measured, 0 for none),
    `seconds` (of a replicate), `reason`.
    """
    best = _best(game, candidates)
    data = pd.DataFrame([_row(game, candidate, best) for candidate in candidates])
    whole = data["rounds"] == game.rounds
    free = data.loc[(data["kind"] == "not private") & whole, "regret"].min()
    data["of_non_private"] = data["regret"].where(whole) / free if free > 0 else math.nan
    places = data["kind"].map({kind: i for i, kind in enumerate(KINDS)})
    alone = not (whole & (places == 0) & (data["learner"] != "uniform")).any()
    value = data["regret"].where(whole, data[["bound", "forecast"][: 1 + alone]].min(axis=1))
    data = data.assign(place=places, shorter=value.isna(), value=value.fillna(data["regret"]))
    return data.sort_values(["place", "shorter", "value"], ignore_index=True).drop(
        columns=["place", "shorter", "value"]
    )


def _best(game: Game, candidates: Sequence[Candidate]) -> FloatArray | None:
    """Regrets of the best learner with a guarantee, if one was measured."""
    kept = [c for c in candidates if c.rounds == game.rounds and kind_of(game.question, c) == KINDS[0]]
    regrets = [game.score(candidate)[0] for candidate in kept]
    return min(regrets, key=lambda sample: float(sample.mean()), default=None)


def _row(game: Game, candidate: Candidate, best: FloatArray | None) -> dict[str, object]:
    entry, q = candidate.entry, game.question
    row: dict[str, Any] = {
        "learner": entry.name, "label": entry.label, "kind": kind_of(q, candidate), "regret": math.nan,
        "half_width": math.nan, "high": math.nan, "doubt": "", "difference": math.nan,
        "difference_half_width": math.nan, "order": "", "worst_instance": "", "rough": False,
        "of_uniform": math.nan, "privacy": entry.privacy, "rounds": candidate.rounds,
        "seconds": candidate.seconds, "reason": candidate.reason,
    }  # fmt: skip
    if candidate.regrets:
        regrets, worst = game.score(candidate)
        row |= {"regret": float(regrets.mean())} | dict(zip(("high", "doubt"), game.tail(candidate), strict=True))
        if len(regrets) > 1:
            row["half_width"] = certify.band(regrets, level=LEVEL).high - float(regrets.mean())
        row |= {"worst_instance": game.names[worst], "rough": len(regrets) < ENOUGH}
        if candidate.rounds < game.rounds:
            row["order"] = "far"
        else:
            uniform = game.uniform()
            row |= {"of_uniform": row["regret"] / uniform if uniform else math.nan} | _compared(regrets, best)
    foretold = learnt(game, candidate, SOMETHING) and not game.whole_only and candidate.rounds < game.rounds
    return row | _promise(game, entry) | {"forecast": candidate.foretold if foretold else math.nan}


def _compared(regrets: FloatArray, best: FloatArray | None) -> dict[str, object]:
    """Difference to the best learner with a guarantee, if there is one."""
    if best is None or min(len(regrets), len(best)) < 2:
        return {}
    interval = difference(regrets, best)
    half = interval.high - interval.estimate
    return {"difference": interval.estimate, "difference_half_width": half, "order": order(regrets, best)}


def kind_of(question: Question, candidate: Candidate) -> str:
    """Return the kind of a learner's row, of `KINDS`; one with a guarantee need not have been measured."""
    refused, entry = question.refusal(candidate.entry), candidate.entry
    if refused not in ("", "not private"):
        return "unfit"
    if entry.private and entry.covers(question.losses or ""):
        return "guaranteed"
    return "skipped" if not candidate.regrets else "no guarantee" if entry.private else "not private"


def bound(game: Game, entry: Entry, *, rounds: int | None = None) -> float:
    """Return the value of a learner's proved bound on a question's instances; NaN where there is none.

    Parameters
    ----------
    game
        The question's.
    entry
        The learner's.
    rounds
        Of a game of another length.
    """
    if entry.bound is None or not entry.covers(game.question.losses or ""):
        return math.nan
    setting = replace(game.question.setting, horizon=rounds or game.rounds)
    setting = replace(setting, epsilon=game.level(entry) or math.inf)
    gaps = [i.gap for i in game.instances()] or [math.nan]
    try:
        values = {gap: entry.bound(setting, gap) for gap in set(gaps)}
    except ValueError:
        return math.nan
    return float(game.over_instances([values[gap] for gap in gaps])) if game.instances() else values[gaps[0]]


def forecast(game: Game, candidate: Candidate) -> float:
    """Return the regret in the whole game that the longest short one foretells, by the rate of the proved bound.

    It grows from the one game to the other as the bound does; where no bound is explicit as log T, if independent
    losses are all that is covered, and as sqrt T otherwise; at most as T.
    """
    length, whole, entry = max(candidate.trials), game.rounds, candidate.entry
    bounds = [bound(game, entry, rounds=rounds) for rounds in (length, whole)]
    if all(0 < value < math.inf for value in bounds):
        growth = bounds[1] / bounds[0]
    else:
        growth = math.log(whole) / math.log(length) if entry.proved_for == ("iid",) else math.sqrt(whole / length)
    return float(game.over_instances(candidate.trials[length])) * min(max(growth, 1.0), whole / length)


def promised(game: Game, candidate: Candidate) -> float:
    """Return the smaller of a learner's bound and, if its longest short game foretells anything, its forecast."""
    known = candidate.foretold if learnt(game, candidate, SOMETHING) else math.inf
    return float(np.nanmin([known, bound(game, candidate.entry)]))


def learnt(game: Game, candidate: Candidate, share: float = LEARNT) -> bool:
    """Return whether a learner's longest short game cost it less than that share of what uniform play pays."""
    length = max(candidate.trials, default=0)
    return length > 0 and float(game.over_instances(candidate.trials[length])) < share * game.uniform(length)


def _promise(game: Game, entry: Entry) -> dict[str, object]:
    """Value of the proved bound at these sizes, and what it is worth."""
    if not entry.covers(game.question.losses or ""):
        return {"bound": math.nan, "promise": "none for such losses"}
    if entry.bound is None:
        return {"bound": math.nan, "promise": "asymptotic only"}
    value = bound(game, entry)
    if math.isnan(value):
        return {"bound": math.nan, "promise": "undefined here"}
    return {"bound": value, "promise": "vacuous here" if value > game.uniform() else "holds here"}


def useful_from(game: Game, entry: Entry) -> int | None:
    """Return the smallest T, a power of two or the game's, at which a learner's bound is below uniform play.

    Bounds grow more slowly than T: from there on they stay below.
    """
    here = _useful(game, entry, game.rounds)
    low, high = (
        (0, game.rounds.bit_length()) if here else (game.rounds.bit_length() - 1, MAX_HORIZON.bit_length() - 1)
    )
    if not (here or _useful(game, entry, 2**high)):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _useful(game, entry, 2**middle) else (middle, high)
    return min(2**high, game.rounds) if here else 2**high


def _useful(game: Game, entry: Entry, rounds: int) -> bool:
    """Uniform play pays in proportion to the rounds, but on coins whose gap is made for their number."""
    return bound(game, entry, rounds=rounds) < game.uniform() * (rounds / game.rounds)
