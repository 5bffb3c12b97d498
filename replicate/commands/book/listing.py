"""All claims and all errata, as tables that a reader can filter."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from replicate.claims.markdown import table
from replicate.commands import readme
from replicate.commands.book.frame import Page
from replicate.commands.book.markup import labelled, markdown, tagged_rows
from replicate.contents import PAPERS

Records = Sequence[Mapping[str, Any]]
LINK = "claims/{id}.html"


def claims_page(records: Records, seconds: float) -> Page:
    """Every claim, paper by paper."""
    start = (
        f"# All {len(records)} claims\n\nChecked in {seconds:.0f} seconds. Each id leads to the claim's page: "
        "evidence, control, figure and code."
    )
    return Page("claims", "Claims", _listed(start, records), "Register")


def errata_page(records: Records) -> Page:
    """Every erratum, paper by paper."""
    start = (
        f"# What is wrong in print\n\n{len(records)} errata, each established by at least two routes: the printed "
        "version against its limit. Each id leads to a page with a counterexample that runs in a second."
    )
    return Page("errata", "What is wrong in print", _listed(start, records), "Register", "Errata")


def _listed(start: str, records: Records) -> str:
    """Prose, the filters, and one table a paper."""
    tables = readme.by_paper(records, lambda part: f"\n{_rows(part)}\n")
    body = f'<div class="wide register">{_wrapped(tables)}</div>'
    return f"<section>{markdown(start)}</section>{_filters(records)}{body}"


def _wrapped(tables: str) -> str:
    """The papers' tables, each with its heading in a section of its own: an empty one can be hidden."""
    parts = []
    for block in tables.split("\n## ")[1:]:
        name, _, rows = block.partition("\n")
        heading = f'<h2 id="{name.strip()}"><a href="{PAPERS[name.strip()]}.html">{name.strip()}</a></h2>'
        parts.append(f'<section class="of-paper">{heading}{rows}</section>')
    return "".join(parts)


def _rows(records: Records) -> str:
    """One paper's table; a row says of itself what it can be filtered by."""
    shown = labelled(markdown(table(records, link=LINK, anchors=True)))
    tags = (
        {"data-paper": r["paper"], "data-verdict": verdict(r), "data-grade": r.get("grade") or ""} for r in records
    )
    return tagged_rows(shown, tags)


def verdict(record: Mapping[str, Any]) -> str:
    """Verdict of a claim, effect of an erratum."""
    return str(record.get("verdict") or record["effect"])


def _filters(records: Records) -> str:
    """Choices by paper, verdict and grade, and a field for text; a script makes them work and shows them."""
    choices = {
        "paper": [paper for paper in PAPERS if any(r["paper"] == paper for r in records)],
        "verdict": list(dict.fromkeys(verdict(r) for r in records)),
        "grade": list(dict.fromkeys(r["grade"] for r in records if r.get("grade"))),
    }
    fields = "".join(_choice(name, values) for name, values in choices.items() if len(values) > 1)
    return (
        f'<form class="filters" hidden>{fields}<label>text <input type="search" name="text"></label>'
        f"<output>{len(records)} of {len(records)}</output></form>"
    )


def _choice(name: str, values: Sequence[str]) -> str:
    options = "".join(f"<option>{html.escape(value)}</option>" for value in values)
    return f'<label>{name} <select name="{name}"><option value="">all</option>{options}</select></label>'
