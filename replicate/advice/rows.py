"""The ranking as a table: one row a learner, with its regret, its difference to the best, what is proved of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from replicate import certify
from replicate.advice.game import LEVEL, Candidate, Game, difference, order
from replicate.advice.question import Question
from replicate.learners.entries import Entry
from replicate.validation import FloatArray

ENOUGH = 8
"""Replicates from which on a mean is not called rough."""
KINDS = ("guaranteed", "no guarantee", "not private", "skipped", "unfit")
"""Rows of the ranking: proved for such losses; only measured; benchmarks; not measured; no answer."""


def ranked(game: Game, candidates: Sequence[Candidate]) -> pd.DataFrame:
    """Return the table of `replicate.advice.advise`."""
    best = _best(game, candidates)
    data = pd.DataFrame([_row(game, candidate, best) for candidate in candidates])
    whole = data["rounds"] == game.rounds
    free = data.loc[(data["kind"] == "not private") & whole, "regret"].min()
    data["of_non_private"] = data["regret"].where(whole) / free if free > 0 else math.nan
    places = data["kind"].map({kind: i for i, kind in enumerate(KINDS)})
    data = data.assign(place=places, shorter=~whole)
    return data.sort_values(["place", "shorter", "regret"], ignore_index=True).drop(columns=["place", "shorter"])


def _best(game: Game, candidates: Sequence[Candidate]) -> FloatArray | None:
    """Regrets of the best learner with a guarantee, if one was measured."""
    kept = [c for c in candidates if c.rounds == game.rounds and kind_of(game.question, c) == KINDS[0]]
    regrets = [game.score(candidate)[0] for candidate in kept]
    return min(regrets, key=lambda sample: float(sample.mean()), default=None)


def _row(game: Game, candidate: Candidate, best: FloatArray | None) -> dict[str, object]:
    entry, q = candidate.entry, game.question
    row: dict[str, object] = {
        "learner": entry.name, "label": entry.label, "kind": kind_of(q, candidate), "regret": math.nan,
        "half_width": math.nan, "difference": math.nan, "difference_half_width": math.nan, "order": "",
        "worst_instance": "", "rough": False, "of_uniform": math.nan, "privacy": entry.privacy,
        "rounds": candidate.rounds or game.rounds, "seconds": candidate.seconds, "reason": candidate.reason,
        "code": _code(q, entry),
    }  # fmt: skip
    if candidate.regrets:
        regrets, worst = game.score(candidate)
        band = certify.band(regrets, level=LEVEL)
        row |= {"regret": band.estimate, "half_width": band.high - band.estimate}
        row |= {"worst_instance": game.names[worst], "rough": len(regrets) < ENOUGH}
        if candidate.rounds < game.rounds:
            row["order"] = "far"
        else:
            uniform = game.uniform()
            row |= {"of_uniform": band.estimate / uniform if uniform else math.nan} | _compared(regrets, best)
    return row | _promise(game, entry)


def _compared(regrets: FloatArray, best: FloatArray | None) -> dict[str, object]:
    """Difference to the best learner with a guarantee, if there is one."""
    if best is None:
        return {}
    found = difference(regrets, best)
    half = found.high - found.estimate
    return {"difference": found.estimate, "difference_half_width": half, "order": order(regrets, best)}


def kind_of(question: Question, candidate: Candidate) -> str:
    """Return the kind of a learner's row, of `KINDS`."""
    if not candidate.regrets:
        refused = question.refusal(candidate.entry)
        return "unfit" if refused and refused != "not private" else "skipped"
    if not candidate.entry.private:
        return "not private"
    return "guaranteed" if candidate.entry.covers(question.losses) else "no guarantee"


def _promise(game: Game, entry: Entry) -> dict[str, object]:
    """Value of the proved bound at these sizes, on the same instances, and what it is worth."""
    q = game.question
    if not entry.covers(q.losses):
        return {"bound": math.nan, "promise": "none for such losses"}
    if entry.bound is None:
        return {"bound": math.nan, "promise": "asymptotic only"}
    gaps = [i.gap for i in game.instances()] or [math.nan]
    try:
        value = game.over_instances([entry.bound(q.setting, gap) for gap in gaps])
    except ValueError:
        return {"bound": math.nan, "promise": "undefined here"}
    most = game.uniform() if game.instances() else game.rounds * (1 - 1 / q.n_actions)
    return {"bound": value, "promise": "vacuous here" if value > most else "holds here"}


def _code(question: Question, entry: Entry) -> str:
    """Three lines of Python that run the learner."""
    words = [f"n_actions={question.n_actions}", f"horizon={question.rounds}"]
    words += [f"epsilon={question.epsilon:g}"] if entry.private else []
    words += [f"delta={question.delta:g}"] if entry.approximate else []
    words += [f"n_switches={question.n_switches}"] if question.n_switches else []
    seen = "losses" if entry.feedback == "full" else "losses[action]"
    return (
        "import numpy as np; from replicate.learners import registry\n"
        f'learner = registry.learner("{entry.name}", {", ".join(words)}, rng=np.random.default_rng())\n'
        f"action = learner.act(); learner.observe({seen})"
    )
