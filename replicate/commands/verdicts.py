"""Pages for one who has read a paper: a row a theorem, the paper's own order, and both for machines.

Every number comes from the committed records; words of a row stand in ``replicate/claims/verdicts.toml``, the
numbered items of the papers in ``replicate/papers/items.toml``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import replicate
from replicate.claims.constants import Constant, constants
from replicate.claims.markdown import linked, rows
from replicate.claims.words import shown
from replicate.contents import TEXTS

Record = Mapping[str, Any]
_PLURALS = {"Corollary": "Corollar(?:y|ies)", "Lemma": "Lemmas?"}
_PRIVATE = re.compile(r"^(yes,?|no(?=:| for)|not(?= for))")
_NAMES = re.compile(r" \([A-Z]{2}-[\w, -]+\)|: [A-Z]{2}-[\w-]+")
"""Names of claims, in brackets or after a colon."""
_HEAD = ("says", "holds?", "constant: stated; refuted below; best proved", "private as printed?", "what breaks")


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


def order(paper: str, records: Sequence[Record], *, link: str) -> str:
    """Return the paper's own order as a Markdown table; see `claims.markdown.table` for `link`."""
    verdict = {record["id"]: record.get("verdict", record.get("effect")) for record in records}
    lines = []
    for item in items(paper, records):
        said = "; ".join(f"{name} {verdict[name]}" for name in item.claims)
        lines.append([item.number, item.about, ". ".join(filter(None, (said, item.note))), f"`{item.code}`"])
    return linked(rows(("item", "about", "claims and verdicts", "code"), lines), link=link)


def _theorems(records: Sequence[Record]) -> Iterator[tuple[str, dict[str, Any], Record, Constant | None]]:
    """Return the rows of the table: name, what is said by hand, record, and constant where there is one."""
    known = {record["id"]: record for record in records}
    constant = {row.claim: row for row in constants(record for record in records if "knob" in record)}
    return ((name, row, known[name], constant.get(name)) for name, row in _data("claims", "verdicts.toml").items())


def verdicts(records: Sequence[Record], *, link: str, paper: str = "") -> str:
    """Return a row for each theorem, of one paper or of all, as Markdown."""
    lines = []
    for name, row, record, constant in _theorems(records):
        if paper in ("", record["paper"]):
            place = f"{record['source']} ({name})"
            holds = record["verdict"]
            lines.append([place, row["says"], holds, _constant(constant), row["private"], row["breaks"]])
    return linked(rows(("theorem", *_HEAD), lines), link=link)


def screen(records: Sequence[Record], *, link: str) -> str:
    """Return the rows that the README has, shorter: each leads to its claim, and names no other."""
    lines = []
    for name, row, record, constant in _theorems(records):
        if row.get("first"):
            private = _PRIVATE.sub(lambda m: "private" if m[0][0] == "y" else "not private", row["private"])
            paper = list(TEXTS).index(record["paper"]) + 1
            place = f"paper {paper}, {record['source'].partition(', ')[0]} ({linked(name, link=link)})"
            wrong = "; ".join(filter(None, (private, row["breaks"])))
            told = (row["says"], record["verdict"], _loose(constant), wrong)
            lines.append([place, *(_NAMES.sub("", text) for text in told)])
    head = ("theorem", "says", "holds?", "how loose", "as printed")
    return rows(head, lines)


def _loose(row: Constant | None) -> str:
    """A theorem's constant in words: what is stated, what data refute, and what is proved in its place."""
    if row is None:
        return ""
    stated = "" if row.stated == 1 else f"{shown(row.stated)} stated"
    refuted = ""
    if row.refuted is not None:
        share = f"{shown(row.share)} of the bound" if row.stated == 1 else shown(row.refuted)
        refuted = f"refuted {'up to' if row.upper else 'from'} {share}"
    proved = "proved: " * bool(row.better) + "; ".join(part.constant for part in row.better)
    return "; ".join(filter(None, (stated, refuted, proved)))


def _constant(row: Constant | None) -> str:
    """A theorem's constant: stated; refuted by data; the best that is proved, and by whom."""
    if row is None:
        return ""
    stated = "the bound" if row.stated == 1 else shown(row.stated)
    refuted = (
        "none" if row.refuted is None else f"{shown(row.share)} of it" if row.stated == 1 else shown(row.refuted)
    )
    best = "; ".join(f"{part.constant} ({part.claim})" for part in row.better) or "as stated"
    return f"{stated}; {refuted}; {best}"
