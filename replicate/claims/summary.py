"""The register in numbers, from its records: verdicts, errors in print, grades of evidence, false alarms."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from replicate.claims.markdown import tabulated
from replicate.claims.registry import GRADES, PROOFS, VERDICTS
from replicate.claims.words import shown
from replicate.contents import PAPERS

Records = Sequence[Mapping[str, Any]]

HARMLESS = ("harmless", "wording")
"""Effects of errata that change no result."""
ALL = "**all**"
"""Name of the row on all papers."""


def verdicts(claims: Records, errata: Records) -> str:
    """Return a table with one row a paper: its claims by verdict, and its errata.

    Of the errata, the last column counts those that change a result. One error may fail several claims; see
    `errors`.
    """
    by_verdict = {verdict: [r for r in claims if r["verdict"] == verdict] for verdict in VERDICTS}
    used: dict[str, Records] = {verdict: chosen for verdict, chosen in by_verdict.items() if chosen}
    serious = [r for r in errata if r["effect"] not in HARMLESS]
    return _counted({"claims": claims, **used, "errata": errata, "change a result": serious})


def grades(claims: Records) -> str:
    """Return a table with one row a paper: its claims by how strong the numbers are, and by who proves them."""
    measured = {f"measured: {grade}": [r for r in claims if r["grade"] == grade] for grade in GRADES}
    proved = {f"proof: {proof}": [r for r in claims if r["proof"] == proof] for proof in PROOFS}
    return _counted(measured | proved)


def _counted(columns: Mapping[str, Records]) -> str:
    """A row for each paper and one for all: how many of a column's records are of that paper."""

    def count(chosen: Records, paper: str) -> str:
        return str(sum(paper in (ALL, record["paper"]) for record in chosen) or "")

    return tabulated(
        {"paper": paper} | {name: count(chosen, paper) for name, chosen in columns.items()}
        for paper in (*PAPERS, ALL)
    )


def results(claims: Records, errata: Records, paper: str) -> str:
    """Return a table of one paper's results: each verdict, and the effects of its errata, with the ids, linked."""
    groups: dict[str, list[str]] = {}
    for record in (*sorted(claims, key=lambda r: [*VERDICTS, r["verdict"]].index(r["verdict"])), *errata):
        if record["paper"] == paper:
            erratum = "effect" in record
            report, name = ("errata", f"errata: {record['effect']}") if erratum else ("claims", record["verdict"])
            groups.setdefault(name, []).append(f"[{record['id']}](../{report}.md#{record['id']})")
    return tabulated(
        {"result": name, "number": str(len(ids)), "which": ", ".join(ids)} for name, ids in groups.items()
    )


def errors(claims: Records, verdict: str) -> tuple[int, int]:
    """Return how many claims have a verdict, and how many errors in print they show: one may fail several."""
    failing = [r for r in claims if r["verdict"] == verdict]
    return len(failing), len({r["error"] or r["id"] for r in failing})


def counts(claims: Records, budgets: Iterable[Path]) -> str:
    """Say how many claims there are, how many fail in print, and how probable it is that any limit is wrong.

    Parameters
    ----------
    claims
        Their records.
    budgets
        Files with the number of confidence limits that a notebook computed, and their probability of being wrong.
    """
    failing, shown_errors = errors(claims, "fails as printed")
    books = [json.loads(path.read_text(encoding="utf-8")) for path in budgets]
    limits, rate = sum(book["limits"] for book in books), sum(book["false_alarm"] for book in books)
    return (
        f"{len(claims)} claims. The {failing} that fail as printed show {shown_errors} errors: one error can fail "
        f"several claims. The checks compute {limits:,} confidence limits, of which any is wrong with probability "
        f"at most {shown(rate)} in all, by its own statement."
    )
