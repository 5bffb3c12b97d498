"""The register in numbers, from its records: verdicts, errors in print, grades of evidence, false alarms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from replicate.claims.markdown import rows
from replicate.claims.registry import GRADES, PROOFS, VERDICTS
from replicate.claims.words import shown
from replicate.contents import PAPERS

Records = Sequence[Mapping[str, Any]]

HARMLESS = ("harmless", "wording")
"""Effects of errata that change no result."""


def verdicts(claims: Records, errata: Records) -> str:
    """Return a table with one row a paper: its claims by verdict, and its errata.

    Of the errata, the last column counts those that change a result. One error may fail several claims; see
    `errors`.
    """
    used = [verdict for verdict in VERDICTS if any(r["verdict"] == verdict for r in claims)]
    lines = []
    for paper in (*PAPERS, None):
        count = Counter(r["verdict"] for r in _of(claims, paper))
        printed = _of(errata, paper)
        serious = sum(r["effect"] not in HARMLESS for r in printed)
        numbers = [count.total(), *(count[verdict] for verdict in used), len(printed), serious]
        lines.append([paper or "**all**", *(str(number or "") for number in numbers)])
    return rows(["paper", "claims", *used, "errata", "change a result"], lines)


def results(claims: Records, errata: Records, paper: str) -> str:
    """Return a table of one paper's results: each verdict, and the effects of its errata, with the ids, linked."""
    lines = []
    for report, word, name, records in (
        ("claims", "verdict", "", _of(claims, paper)),
        ("errata", "effect", "errata: ", _of(errata, paper)),
    ):
        grouped: dict[str, list[str]] = {}
        for record in records:
            grouped.setdefault(record[word], []).append(f"[{record['id']}](../{report}.md#{record['id']})")
        order = [verdict for verdict in VERDICTS if verdict in grouped] if report == "claims" else list(grouped)
        lines += [[name + key, str(len(grouped[key])), ", ".join(grouped[key])] for key in order]
    return rows(["result", "number", "which"], lines)


def grades(claims: Records) -> str:
    """Return a table with one row a paper: its claims by how strong the numbers are, and by who proves them."""
    lines = []
    for paper in (*PAPERS, None):
        count = Counter(r["grade"] for r in _of(claims, paper))
        proofs = Counter(r["proof"] for r in _of(claims, paper))
        numbers = [*(count[grade] for grade in GRADES), *(proofs[proof] for proof in PROOFS)]
        lines.append([paper or "**all**", *(str(number or "") for number in numbers)])
    head = ["paper", *(f"measured: {grade}" for grade in GRADES), *(f"proof: {proof}" for proof in PROOFS)]
    return rows(head, lines)


def errors(claims: Records, verdict: str) -> tuple[int, int]:
    """Return how many claims have a verdict, and how many errors in print they show: one may fail several."""
    failing = [r for r in claims if r["verdict"] == verdict]
    return len(failing), len({r["error"] or r["id"] for r in failing})


def false_alarms(budgets: Iterable[Mapping[str, Any]]) -> str:
    """Say how many confidence limits the register computed, and how probable it is that any of them is wrong."""
    books = list(budgets)
    total = sum(float(budget["false_alarm"]) for budget in books)
    return (
        f"{sum(int(budget['limits']) for budget in books):,} confidence limits, of which any is wrong with "
        f"probability at most {shown(total)} in all, by its own statement"
    )


def _of(records: Records, paper: str | None) -> list[Mapping[str, Any]]:
    return [record for record in records if paper in (None, record["paper"])]
