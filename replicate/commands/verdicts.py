"""Pages for one who has read a paper: one row per theorem, the paper's own order, and the register in numbers.

Every number comes from the committed records; words of a row stand in ``replicate/claims/verdicts.toml``, the
numbered items of the papers in ``replicate/papers/items.toml``.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import replicate
from replicate.claims import theorems
from replicate.claims.markdown import linked, rows, tabulated
from replicate.claims.registry import GRADES, PROOFS, VERDICTS
from replicate.claims.words import Constant, constant_of, shown
from replicate.contents import PAPERS, TEXTS

Record = Mapping[str, Any]
Records = Sequence[Record]
HARMLESS = ("harmless", "wording")
"""Effects of errata that change no result."""
ALL = "**all**"
"""Name of the row on all papers."""
_PLURALS = {"Corollary": "Corollar(?:y|ies)", "Lemma": "Lemmas?"}


@dataclass(frozen=True)
class Item:
    """A numbered item of a paper.

    Attributes
    ----------
    number
        As printed: ``"Theorem 1"``, ``"(3)"``.
    about
        What it is, in a few words.
    code
        The name, from the paper's package on, that states or implements it.
    claims
        Ids of the claims and errata about it, in the register's order.
    note
        Why nothing is checked, or what it restates.
    """

    number: str
    about: str
    code: str
    claims: tuple[str, ...]
    note: str = ""


def _data(*path: str) -> dict[str, Any]:
    return tomllib.loads(Path(replicate.__path__[0], *path).read_text(encoding="utf-8"))


def items(paper: str, records: Iterable[Record]) -> list[Item]:
    """Return a paper's numbered items in its own order, with the records whose source names each.

    Parameters
    ----------
    paper
        Key of `contents.TEXTS`.
    records
        Of claims and errata, of any papers.
    """
    ours = [record for record in records if record["paper"] == paper]
    listed = []
    for number, (about, code, *rest) in _data("papers", "items.toml")[paper].items():
        more, note = [*rest, "", ""][:2]
        named = _named(number)
        ids = [r["id"] for r in ours if named.search(r["source"]) or r["id"] in more.split()]
        listed.append(Item(number, about, code, tuple(ids), note))
    return listed


def _named(number: str) -> re.Pattern[str]:
    """Return what finds an item in a source such as "Theorems 1, 2, 4" or "Lemma 3, (6)"."""
    if number.startswith("("):
        return re.compile(rf"(?<![\w.]){re.escape(number)}")
    kind, name = number.split()
    return re.compile(
        rf"{_PLURALS.get(kind, kind + 's?')} (?:[\dA-Z.]+(?:, | and | to ))*{re.escape(name)}(?!\.?\w)"
    )


def order(paper: str, records: Records, *, link: str) -> str:
    """Return the paper's own order as a Markdown table; see `claims.markdown.listed` for `link`."""
    verdict = {record["id"]: record["verdict"] for record in records}
    lines = []
    for item in items(paper, records):
        said = "; ".join(f"{name} {verdict[name]}" for name in item.claims)
        lines.append([item.number, item.about, ". ".join(filter(None, (said, item.note))), f"`{item.code}`"])
    return linked(rows(("item", "about", "claims and verdicts", "code"), lines), link=link)


@dataclass(frozen=True, kw_only=True)
class Row:
    """What is known of a theorem now; ``replicate/claims/verdicts.toml`` says what the fields mean."""

    says: str
    regret: str
    needs: str = ""
    proof: str = "complete"
    errata: Sequence[str] = ()
    privacy: str = ""
    private: str = ""
    by: str = ""
    constant: str = ""
    share: str | None = None
    best: str = ""

    def __post_init__(self) -> None:
        if self.regret not in REGRET or self.constant not in WHOSE:
            raise ValueError(f"regret must be one of {REGRET}, constant of {tuple(WHOSE)}, got {self!r:.200}")


REGRET = ("proved by the paper", "proved here", "open", "false")
WHOSE = {"": "", "the theorem": "the printed bound", "its proof": "its proof's bound", "ours": "our bound"}
"""Whose constant the data are held against, and the name of its bound."""


def violated() -> dict[str, dict[str, str]]:
    """Return the facts on each printed algorithm that is less private than it says, by the claim that shows it."""
    facts: dict[str, dict[str, str]] = _data("claims", "verdicts.toml")["violations"]
    return facts


def known() -> dict[str, Row]:
    """Return the row of each theorem, under the claim that states it as far as it is true."""
    return {name: Row(**row) for name, row in _data("claims", "verdicts.toml")["rows"].items()}


def _theorems(records: Records, paper: str = "") -> Iterator[tuple[str, Row, Record, Constant | None]]:
    """Return rows with their names, records, and the constants that data are held against."""
    by_id = {record["id"]: record for record in records}
    for name, row in known().items():
        if paper in ("", by_id[name]["paper"]):
            held = by_id.get(name if row.share is None else row.share)
            constant = constant_of(held, records) if held and row.constant else None
            yield name, row, by_id[name], constant


def screen(records: Records, *, link: str, up: str, paper: str = "") -> str:
    """Return one row per theorem of a paper, or of all, as Markdown; see `claims.markdown.listed` for `link`.

    A theorem's name leads to the program that shows it alone, if there is one; `up` as in `claims.theorems.link`.
    """
    titles = {page.theorem: page for page in theorems.pages()}
    lines = []
    for name, row, record, constant in _theorems(records, paper):
        where = place(record)
        page = theorems.page_of(name) or titles.get(f"{TEXTS[record['paper']].authors}, {where}")
        shown_alone = f"[{where}]({up}{page.path})" if page else where
        regret = " ".join(filter(None, (row.regret, row.needs)))
        best = row.best or ("as there" if constant else "")
        privacy, refuted = _privacy(row, records), _refuted(row, constant)
        lines.append([f"{shown_alone} ({name}). {row.says}", regret, privacy, refuted, best, row.proof])
    head = ("theorem", "regret", "privacy", "largest refuted constant", "best proved constant", "printed proof")
    return linked(rows(head, lines), link=link)


def papers(records: Records, *, link: str) -> str:
    """Return one row per paper: what is known of its theorems' regret, and which are not private as printed."""
    lines = []
    for number, (paper, text) in enumerate(TEXTS.items(), 1):
        listed = [(row, place(record)) for _, row, record, _ in _theorems(records, paper)]
        known = Counter((row.regret, row.needs.startswith("with ")) for row, _ in listed)
        kinds = [
            f"{known[kind, mended]} {'corrected' if mended else kind}"
            for kind in REGRET for mended in (False, True) if known[kind, mended]
        ]  # fmt: skip
        failing: dict[str, list[str]] = {}  # by what fails: the printed algorithm, or one of its noises
        for row, where in listed:
            if row.privacy in violated():
                failing.setdefault(f"violated{f' by {row.private}' * bool(row.private)}", []).append(where)
            elif row.privacy.startswith("unproved"):
                failing.setdefault("unproved", []).append(where)
        named = [f"{word}: {', '.join(dict.fromkeys(of))}" for word, of in failing.items()]
        privacy = "; ".join(named) or "true"
        authors = text.authors if text.authors.count(",") < 2 else f"{text.authors.split(',')[0]} et al."
        page = f"{number}. [{authors} {text.year}](reports/papers/{paper}.md)"
        notebook = f"[{paper}](notebooks/{PAPERS[paper]}.ipynb)"
        lines.append([page, "; ".join(kinds), privacy, notebook])
    return linked(rows(("paper", "theorems: regret", "privacy as printed", "notebook"), lines), link=link)


def place(record: Record) -> str:
    """Return where the paper has a theorem, without what the claim says of it after a comma: "Theorem 3.6"."""
    return re.sub(", [a-z].*", "", record["source"])


def _privacy(row: Row, records: Records) -> str:
    """Whether the algorithm is as private as it says: with what is needed, or how much it spends."""
    violation = violated().get(row.privacy)
    if violation is None:
        return " ".join(filter(None, (row.privacy, row.private, f"({row.by})" * bool(row.by))))
    least = next(f"{record['measured']:.4g}" for record in records if record["id"] == row.privacy)
    spent = ("exactly" if least == violation["most"] else f"at least {least}, at most") + f" {violation['most']}"
    return f"violated{f' by {row.private}' * bool(row.private)}: {spent} times ε ({row.privacy})"


def _refuted(row: Row, constant: Constant | None) -> str:
    """The largest constant that the data refute, of an upper bound; of a lower one, that above which they do."""
    if constant is None or constant.refuted is None:
        return "none" if row.constant else ""
    size = f"{shown(constant.share)} times {WHOSE[row.constant]}"
    if constant.stated != 1:
        size = f"{shown(constant.refuted)} for {shown(constant.stated)}"
    return size if constant.upper else f"refuted above: {size}"


def details(records: Records, *, link: str, paper: str) -> str:
    """Return what stands behind a paper's rows, Markdown: data, better constants, errata, lost privacy."""
    lines = []
    for name, row, record, constant in _theorems(records, paper):
        seen = shown(constant.share) if constant else ""
        better = constant_of(record, records).better if record["knob"] else ""
        where = constant.where if constant and seen else ""
        lines.append([f"{place(record)} ({name})", row.constant, seen, where, better, ", ".join(row.errata)])
    head = ("theorem", "whose constant", "share of its bound, nearest seen", "where", "better constants", "errata")
    return linked(f"{rows(head, lines)}\n\n{violations(records, paper=paper)}".strip(), link=link)


def violations(records: Records, *, paper: str) -> str:
    """Return a row for each printed algorithm of a paper that is less private than it says; nothing if none is."""
    listed = violated()
    names = ("most", "neighbours", "event", "probability", "reading", "at")
    lines = [
        [f"{facts['what']} ({r['id']})", f"{r['measured']:.4g}", *(facts[name] for name in names)]
        for r in records
        if r["paper"] == paper and (facts := listed.get(r["id"]))
    ]
    head = (
        "less private than printed", "loss shown, times ε", "loss at most, times ε", "neighbours differ in",
        "event", "its probability", "true if", "shown at",
    )  # fmt: skip
    return rows(head, lines) if lines else ""


def counted(claims: Records, errata: Records) -> str:
    """Return a table with one row per paper: its claims by verdict, and its errata.

    Of the errata, the last column counts those that change a result. One error may fail several claims; see
    `errors`.
    """
    by_verdict = {verdict: [r for r in claims if r["verdict"] == verdict] for verdict in VERDICTS}
    used: dict[str, Records] = {verdict: chosen for verdict, chosen in by_verdict.items() if chosen}
    serious = [r for r in errata if r["effect"] not in HARMLESS]
    return _by_paper({"claims": claims, **used, "errata": errata, "change a result": serious})


def grades(claims: Records) -> str:
    """Return a table with one row per paper: its claims by how strong the numbers are, and by who proves them."""
    measured = {f"measured: {grade}": [r for r in claims if r["grade"] == grade] for grade in GRADES}
    proved = {f"proof: {proof}": [r for r in claims if r["proof"] == proof] for proof in PROOFS}
    return _by_paper(measured | proved)


def _by_paper(columns: Mapping[str, Records]) -> str:
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
