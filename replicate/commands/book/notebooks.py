"""Executed notebooks as pages: prose, code, outputs, and the results by their numbers in the paper."""

from __future__ import annotations

import base64
import html
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import nbformat

from replicate.commands.book.frame import Page, distinct
from replicate.commands.book.links import adopt
from replicate.commands.book.markup import code, inline, labelled, markdown, words
from replicate.contents import PAPERS
from replicate.files import replacing

Records = Sequence[Mapping[str, Any]]
KINDS = ("Theorem", "Proposition", "Corollary", "Lemma", "Inequality", "Algorithm", "Definition", "Section",
         "Appendix", "Table", "Figure", "Abstract")  # fmt: skip
"""First words of the places of a paper, in the order in which they are listed."""
_MANY = 5
"""Columns of a table that a phone shows as a card for each row."""


def notebook(paper: str, source: Path, target: Path, records: Records) -> Page:
    """Render one executed notebook; files that it links to are copied into the book.

    Parameters
    ----------
    paper
        Key of `contents.PAPERS`.
    source, target
        Folder of the executed notebooks, and of the book.
    records
        Of the paper's claims and errata.
    """
    name = PAPERS[paper]
    book = read(paper, source)
    verdicts = {record["id"]: record.get("verdict", record.get("effect", "")) for record in records}
    parts = [_cell(cell, target, name, verdicts) for cell in as_run(book.cells)]
    body = distinct(adopt("\n".join(parts), source, target))
    linked = {record["id"] for record in records}
    body = re.sub(
        r"<strong>([A-Z]{2}-[\w-]+)</strong>",
        lambda m: f'<a href="claims/{m[1]}.html">{m[0]}</a>' if m[1] in linked else m[0],
        body,
    )
    title = next(line.lstrip("# ") for line in book.cells[0].source.splitlines() if line.startswith("#"))
    findings, end, rest = body.partition("</section>")
    return Page(name, title, findings + end + by_number(records) + rest, "Papers")


def as_run(cells: Sequence[Any]) -> list[Any]:
    """Return the cells, the parameters among them with the values of the run in place of their own."""
    tagged = {tag: cell for cell in cells for tag in cell.metadata.get("tags", [])}
    given = tagged.get("injected-parameters")
    if given is None:
        return list(cells)
    values = dict(re.findall(r"^(\w+) = (.*)$", given.source, flags=re.MULTILINE))
    if "parameters" in tagged:
        defaults = tagged["parameters"]
        defaults.source = re.sub(
            r"^(\w+) = (.*?)(?=\s*#|$)",
            lambda m: f"{m[1]} = {values.get(m[1], m[2])}",
            defaults.source,
            flags=re.MULTILINE,
        )
    return [cell for cell in cells if cell is not given]


def read(paper: str, source: Path) -> Any:
    """Return a paper's executed notebook."""
    return nbformat.read(source / f"{PAPERS[paper]}.ipynb", as_version=4)


def figures_of_claims(book: Any, ids: Sequence[str]) -> dict[str, str]:
    """Return the figure that a notebook draws nearest to each claim, in the same section, if there is one.

    Claims and figures of the first part count where the record leads back to them.
    """
    ids_here: list[tuple[int, int, str]] = []
    drawn: list[tuple[int, int, str]] = []
    section = 0
    for i, cell in enumerate(book.cells):
        if cell.cell_type == "markdown":
            section += len(re.findall(r"^## ", cell.source, flags=re.MULTILINE))
            ids_here += [(section, i, name) for name in re.findall(r'(?:<a id="|\]\(#)([\w-]+)["\)]', cell.source)]
            drawn += [(section, i, name) for name in re.findall(r"/figures/\w+/(\w+)\.png\)", cell.source)]
        else:
            drawn += [(section, i, name) for name in re.findall(r'notebook\.figure\(\s*"(\w+)"', cell.source)]
    nearest = {}
    for section, i, name in ids_here:
        beside = [(abs(j - i), j < i, figure) for other, j, figure in drawn if other == section]
        if name in ids and beside:
            nearest[name] = min(beside)[-1]
    return nearest


def by_number(records: Records) -> str:
    """The results of a paper by their numbers in it, each a link to its page."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        place = str(record["source"])
        kind = next((kind for kind in KINDS if place.startswith(kind)), "Elsewhere")
        groups.setdefault(kind, []).append(record)
    lines = []
    for kind in (*KINDS, "Elsewhere"):
        listed = sorted(groups.get(kind, ()), key=lambda record: _natural(str(record["source"])))
        items = " ".join(_chip(record) for record in listed)
        lines += [f"<dt>{kind}</dt><dd>{items}</dd>"] if listed else []
    if not lines:
        return ""
    body = f"<summary>Results by their numbers</summary><dl>{''.join(lines)}</dl>"
    return f'<details class="numbers">{body}</details>'


def _natural(text: str) -> list[tuple[int, str]]:
    """Key that sorts Lemma 9 before Lemma 10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", text)]


def _chip(record: Mapping[str, Any]) -> str:
    name, place = record["id"], str(record["source"])
    verdict = record.get("verdict", record.get("effect", ""))
    return (
        f'<a class="chip" data-verdict="{html.escape(verdict)}" title="{html.escape(verdict)}" '
        f'href="claims/{name}.html">{inline(place)} <small>{name}</small></a>'
    )


def _cell(cell: Any, target: Path, name: str, verdicts: Mapping[str, str]) -> str:
    """Render a cell and its outputs; one tagged "fold" stands closed under the verdicts that it shows."""
    if cell.cell_type == "markdown":
        return f"<section>{markdown(cell.source)}</section>"
    if cell.cell_type != "code":
        return ""
    outputs = [_output(output, target, f"{name}-{cell.id}-{i}") for i, output in enumerate(cell.outputs)]
    body = "\n".join((code(cell.source), *outputs))
    if "fold" not in cell.metadata.get("tags", []):
        return body
    ids = re.findall(r'"([A-Z]{2}-[\w-]+)"', cell.source) if "notebook.verify(" in cell.source else []
    shown = " ".join(
        f'<span class="verdict" data-verdict="{html.escape(verdicts.get(i, ""))}">{i} '
        f"<small>{html.escape(verdicts.get(i, ''))}</small></span>"
        for i in ids
    )
    heading = shown or f"<code>{html.escape(cell.source.splitlines()[0])}</code>"
    return f'<details class="fold"><summary>{heading}</summary>{body}</details>'


def _output(output: Any, target: Path, name: str) -> str:
    """Render one output: a picture, Markdown, a table or text. Warnings are left to the notebook."""
    if output.output_type == "stream":
        return f'<pre class="out">{html.escape(output.text)}</pre>' if output.name == "stdout" else ""
    data = output.get("data", {})
    if "image/png" in data:
        with replacing(target / "pictures" / f"{name}.png") as path:
            path.write_bytes(base64.b64decode(data["image/png"]))
        return picture(f"pictures/{name}.png", output.metadata.get("image/png", {}).get("alt", ""))
    if "text/markdown" in data:
        text = markdown(data["text/markdown"])
        if text.count("<th") < _MANY:
            return f'<div class="result">{text}</div>'
        return f'<div class="result wide">{labelled(text)}</div>'
    if "text/html" in data:
        return f'<div class="result">{data["text/html"]}</div>'
    return f'<pre class="out">{html.escape(data.get("text/plain", ""))}</pre>'


def committed(figure: str, figures: Path, target: Path) -> str:
    """Copy a figure, ``"tracking/5_privacy"``, into the book and return its HTML; empty where there is none."""
    path = figures / f"{figure}.png"
    if not path.exists():
        return ""
    text = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["description"]
    copy = target / "figures" / f"{figure}.png"
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, copy)
    return picture(copy.relative_to(target).as_posix(), text)


def picture(path: str, text: str) -> str:
    """A picture that enlarges, described by its text."""
    described = html.escape(words(text))
    return f'<a class="zoom" href="{path}"><img src="{path}" alt="{described}" loading="lazy"></a>'
