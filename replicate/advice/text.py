"""Words and numbers of an answer for a terminal, and as plain data for machines."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from replicate.advice.question import Question
from replicate.learners.entries import Entry

_HEADINGS = {
    "guaranteed": "with a proved guarantee",
    "no guarantee": "no guarantee, only measured",
    "not private": "for comparison, without privacy",
    "skipped": "not measured",
    "unfit": "no answer to this question",
}
_KIND = {
    "iid": "i.i.d.",
    "shifting": "independent, with a distribution that changes",
    "fixed": "oblivious (fixed in advance)",
    "switching": "oblivious (fixed in advance), compared with the best sequence of actions",
    "reactive": "adaptive (they may depend on your actions)",
}
_DIGITS, _NAMED = 2, 5


def assumption(losses: str | None) -> str:
    """Return in words what losses may do."""
    return _KIND[losses or "fixed"]


def asked(q: Question) -> str:
    """Return the question in a line."""
    switches = f", S = {q.n_switches}" if q.n_switches else ""
    privacy = f"ε = {q.epsilon:g}" + (f", δ = {q.delta:g}" if q.delta else ", pure")
    seen = "full information" if q.feedback == "full" else "bandit feedback"
    trust = ", local DP" if q.local else ""
    rounds = f"T {'unknown, compared at T ' if q.anytime else ''}= {q.rounds:,}"
    if q.rounds_per_person > 1:
        privacy += f" for the {q.rounds_per_person:,} rounds of one person"
    return f"losses: {assumption(q.losses)}; {seen}; K = {q.n_actions:,}, {rounds}{switches}; {privacy}{trust}"


def described(entry: Entry) -> str:
    """Return what a learner does, in its own words; of a rate, what it is a multiple of."""
    rate = r", with a learning rate of \1 times the one that minimises its proved bound"
    said = re.sub(r"; at ([\d.]+) times the rate of its own bound$", rate, entry.summary)
    return f"it is {said}" if said.startswith(("the ", "a ")) else f"what it does: {said}"


def listed(names: Iterable[object]) -> str:
    """Return names, separated by semicolons; of many the first ones, and how many more there are."""
    shown = [str(name) for name in names]
    more = f"; and {len(shown) - _NAMED} more (--all)" if len(shown) > _NAMED else ""
    return "; ".join(shown[:_NAMED]) + more


def table(ranking: pd.DataFrame) -> str:
    """Return a ranking as a table: one line per learner, five columns; below, who was not measured, and why."""
    head = ("learner", "regret", "± 99%", "of uniform", "guarantee")
    parts = []
    for kind, heading in _HEADINGS.items():
        rows = ranking[ranking["kind"] == kind].to_dict("records")
        bare = kind in ("skipped", "unfit")
        cells: list[tuple[str, ...]] = [] if bare else [head]
        cells += [(str(row["learner"]), str(row["reason"])) if bare else _cells(row) for row in rows]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  " + _line(line, widths) for line in cells]
        parts += [f"{heading}:\n" + "\n".join(lines)] * bool(rows)
    return "\n\n".join(parts)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Cells of one line: words to the left, numbers to the right."""
    aligned = (
        cell.ljust(width) if i in (0, 4) or len(cells) == 2 else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join(aligned).rstrip()


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    promise = (short(row["bound"]) + ", " if math.isfinite(row["bound"]) else "") + str(row["promise"])
    if row.get("order") == "far":
        promise += f"; after {row['rounds']:,} rounds, {row['reason']}"
    return (
        str(row["learner"]), short(row["regret"]), short(row["half_width"]), short(row["of_uniform"]), promise,
    )  # fmt: skip


def finite(ranking: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows for JSON: numbers that are not finite become None."""
    return [
        {
            str(key): None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in row.items()
        }
        for row in ranking.to_dict("records")
    ]


def short(value: float) -> str:
    """Return a number to two significant digits: 42, 1,300, 4.1e+07; a dash for NaN."""
    if not math.isfinite(value):
        return "-"
    rounded = float(f"{value:.{_DIGITS - 1}e}")
    size = abs(rounded)
    return f"{rounded:,.0f}" if 10 <= size < 1e7 else f"{rounded:.{_DIGITS}g}"
