"""The ranking as text for a terminal, and as plain data for machines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from replicate.advice.question import Question
from replicate.advice.rows import KINDS

_HEADINGS = dict(
    zip(
        KINDS,
        (
            "with a proved guarantee for such losses",
            "no guarantee for such losses, only measured",
            "for comparison, without privacy",
            "not measured",
            "no answer to this question",
        ),
        strict=True,
    )
)
_KIND = {
    "iid": "independent losses of one law",
    "shifting": "independent losses whose law changes",
    "fixed": "losses fixed in advance",
    "switching": "losses fixed in advance, compared with the best sequence",
    "reactive": "losses that react to your actions",
}
_DIGITS = 2


def text(question: Question, ranking: pd.DataFrame) -> str:
    """Return the advice as a person reads it: the question, the answer and the code that runs it, the ranking.

    Parameters
    ----------
    question, ranking
        What was asked, and what `advise` returned.
    """
    best = ranking[ranking["kind"] == "guaranteed"]
    answer = _answer(best.iloc[0].to_dict(), ranking) if len(best) else _no_answer(ranking)
    parts = [_asked(question), answer]
    measured = ranking[(ranking["rounds"] == question.rounds) & ranking["regret"].notna()]
    if question.losses != "reactive" and len(measured) and measured["of_uniform"].isna().all():
        parts.insert(1, "All actions lose the same in total: uniform play, perfectly private, has no regret.")
    for kind in KINDS[:3]:
        rows = ranking[ranking["kind"] == kind]
        if len(rows):
            parts.append(f"{_HEADINGS[kind]}:\n" + _lines(rows))
    for kind in KINDS[3:]:
        rows = ranking[ranking["kind"] == kind]
        if len(rows):
            parts.append(
                f"{_HEADINGS[kind]}:\n" + "\n".join(f"  {r.learner}: {r.reason}" for r in rows.itertuples())
            )
    return "\n\n".join(parts)


def plain(question: Question, ranking: pd.DataFrame) -> dict[str, Any]:
    """Return the advice as plain data for JSON: numbers that are not finite become None."""
    records = [
        {
            key: None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in row.items()
        }
        for row in ranking.to_dict("records")
    ]
    return {"version": 1, "question": vars(question), "ranking": records}


def _asked(q: Question) -> str:
    switches = f", S = {q.n_switches}" if q.n_switches else ""
    privacy = f"ε = {q.epsilon:g}" + (f", δ = {q.delta:g}" if q.delta else ", pure")
    seen = "all losses are seen" if q.feedback == "full" else "only the own loss is seen"
    trust = ", local" if q.local else ""
    return f"{_KIND[q.losses]}; {seen}; K = {q.n_actions}, T = {q.rounds:,}{switches}; {privacy}{trust}"


def _answer(row: Mapping[str, Any], ranking: pd.DataFrame) -> str:
    """The recommendation, what else is as good, and the three lines of code."""
    rivals = ranking[(ranking["kind"] == "guaranteed") & (ranking["learner"] != row["learner"])]
    tied = rivals[rivals["order"] == "alike"]["label"]
    doubt = rivals[rivals["order"] == "not decided"]["label"]
    also = f"\nAlike, within a tenth of its regret: {', '.join(tied)}." if len(tied) else ""
    also += f"\nNot decided by these runs: {', '.join(doubt)}." if len(doubt) else ""
    code = "\n".join(f"    {line}" for line in str(row["code"]).splitlines())
    return f"Use {row['label']} ({row['learner']}), {row['privacy']}-private.{also}\n\n{code}"


def _no_answer(ranking: pd.DataFrame) -> str:
    skipped = int((ranking["kind"] == "skipped").sum())
    hint = f" {skipped} learners were not measured: see below." if skipped else ""
    return f"No learner of the register has a proved guarantee for this, and was measured.{hint}"


def _lines(rows: pd.DataFrame) -> str:
    """One line a learner: regret with its interval, against uniform play, the bound, privacy, cost."""
    head = (
        "learner",
        "regret",
        "± 99 %",
        "above best",
        "± 99 %",
        "a round",
        "of uniform",
        "of non-private",
        "bound",
        "",
        "privacy",
        "s/run",
    )
    cells = [head, *(_cells(row) for row in rows.to_dict("records"))]
    widths = [max(len(line[i]) for line in cells) for i in range(len(head))]
    return "\n".join("  " + _line(line, widths) for line in cells)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Cells of one line: words to the left, numbers to the right."""
    pairs = enumerate(zip(cells, widths, strict=True))
    return "  ".join(cell.ljust(w) if i in (0, 9, 10) else cell.rjust(w) for i, (cell, w) in pairs).rstrip()


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        str(row["learner"]) + _note(row),
        short(row["regret"]),
        short(row["half_width"]),
        short(row["difference"]),
        short(row["difference_half_width"]),
        short(row["regret"] / row["rounds"]),
        short(row["of_uniform"]),
        short(row["of_non_private"]),
        short(row["bound"]),
        str(row["promise"]),
        str(row["privacy"]),
        short(row["seconds"]),
    )


def _note(row: Mapping[str, Any]) -> str:
    """Return the reservations about a number: few replicates, or a shorter game."""
    notes = ["rough"] * bool(row["rough"]) + [f"after {row['rounds']:,} rounds"] * (row["order"] == "far")
    return f" ({', '.join(notes)})" if notes else ""


def short(value: float) -> str:
    """Return a number to two significant digits: 42, 1,300, 4.1e+07; a dash for NaN."""
    if not math.isfinite(value):
        return "-"
    rounded = float(f"{value:.{_DIGITS - 1}e}")
    size = abs(rounded)
    return f"{rounded:,.0f}" if 10 <= size < 1e7 else f"{rounded:.{_DIGITS}g}"
