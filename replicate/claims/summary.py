"""The register in numbers, from its records: verdicts, errors in print, grades, false alarms, constants.

Of the constant of a theorem it says what is stated, what the data refute, what is proved and by whom. It is the
number that a claim's bound is proportional to; where it is 1, that is a factor on the whole bound as it is stated.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from replicate.claims.markdown import NOTEBOOKS, linked, rows, tabulated
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


@dataclass(frozen=True)
class Better:
    """A constant that is proved in the place of a stated one: the constant in words, by which claim, by whom."""

    constant: str
    claim: str
    proof: str


@dataclass(frozen=True)
class Constant:
    """The constant of a theorem.

    Attributes
    ----------
    claim, source
        Id of the claim on it, and where the paper states it.
    upper
        Whether the bound is an upper one: smaller constants are better, and those below `refuted` are refuted.
    stated
        Its value; 1 where the whole bound counts.
    proof
        Who proves the stated one: ``"none"`` if nobody here does.
    refuted, refuted_by
        The constant below which the data refute an upper bound, or above which a lower one, and the id of the
        claim whose data these are; None and nothing where they refute none.
    where
        At which setting these data are nearest to the bound.
    better
        What is proved in its place.
    """

    claim: str
    source: str
    upper: bool
    stated: float
    proof: str
    refuted: float | None
    refuted_by: str
    where: str
    better: tuple[Better, ...]

    @property
    def share(self) -> float | None:
        """The refuted constant over the stated one, None where none is refuted."""
        return None if self.refuted is None else self.refuted / self.stated


def constants(records: Iterable[Mapping[str, Any]]) -> list[Constant]:
    """Return the constants of the papers' bounds on regret, and every other one for which a better is proved.

    Parameters
    ----------
    records
        Of claims, of as many papers as are at hand.
    """
    claims = list(records)
    sharper = {part["claim"] for record in claims for part in record["sharpens"]}
    return [
        constant_of(record, claims)
        for record in claims
        if record["knob"]
        and (
            record["id"] in sharper or (record["kind"].startswith("regret") and record["verdict"] != "our finding")
        )
    ]


def constant_of(record: Mapping[str, Any], records: Iterable[Mapping[str, Any]]) -> Constant:
    """Return the constant of a claim that has one, with what claims among `records` prove in its place."""
    sharper = [
        (other, part) for other in records for part in other.get("sharpens", ()) if part["claim"] == record["id"]
    ]
    upper = record["relation"] == "<="
    alike = [record, *(other for other, part in sharper if part["alike"])]
    refuted = [
        (float(other["refuted"]), other["id"], other.get("detail", ""))
        for other in alike
        if other["refuted"] is not None
    ]
    value, by, where = (max if upper else min)(refuted, default=(None, "", ""))
    return Constant(
        claim=record["id"],
        source=record["source"],
        upper=upper,
        stated=float(record["stated"]),
        proof=record["proof"],
        refuted=value,
        refuted_by=by,
        where=where,
        better=tuple(Better(part["constant"], other["id"], other["proof"]) for other, part in sharper),
    )


_HEAD = ("claim", "where", "stated", "its proof", "the data refute", "better, and proved")


def constants_table(records: Iterable[Mapping[str, Any]], *, link: str = NOTEBOOKS) -> str:
    """Return `constants` as a Markdown table; see `replicate.claims.markdown.table` for `link`."""
    return linked(rows(_HEAD, map(_row, constants(records))), link=link)


def _row(constant: Constant) -> list[str]:
    stated = "the bound" if constant.stated == 1 else shown(constant.stated)
    refuted = "nothing"
    if constant.refuted is not None:
        other = f" ({constant.refuted_by})" if constant.refuted_by != constant.claim else ""
        size = f"{shown(constant.share)} of it" if constant.stated == 1 else shown(constant.refuted)
        refuted = f"{'below' if constant.upper else 'above'} {size}{other}"
    better = "; ".join(f"{part.constant} ({part.claim}; {part.proof})" for part in constant.better)
    return [constant.claim, constant.source, stated, constant.proof, refuted, better]
