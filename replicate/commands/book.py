"""The executed notebooks and the claims as static pages: ``python -m replicate.book --profile full``.

Formulas become MathML while the book is built, so that reading it needs neither a network nor a script.
"""

from __future__ import annotations

import argparse
import base64
import html
import json
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import latex2mathml.converter
import mistune
import nbformat
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from replicate import claims, contents
from replicate.claims import errata, markdown
from replicate.commands import readme
from replicate.files import project_root, replacing

__all__ = ["build"]

REPORTS = ("BENCHMARKS.md", "reports/mutants.md", "reports/soak.md")
"""Committed reports that become pages where they exist."""


class _Renderer(mistune.HTMLRenderer):
    """HTML with MathML formulas."""

    def inline_math(self, text: str) -> str:
        """Render $...$."""
        return mathml(text, display="inline")

    def block_math(self, text: str) -> str:
        """Render $$...$$."""
        return f'<div class="formula">{mathml(text, display="block")}</div>\n'


def mathml(latex: str, *, display: str) -> str:
    """Return a formula as MathML; its equation number is set apart."""
    tag = re.search(r"\\tag\{(.*?)\}", latex)
    source = re.sub(r"\\tag\{.*?\}", "", latex).replace(r"\arg", r"\operatorname{arg}")
    body = latex2mathml.converter.convert(source, display=display)
    body = re.sub(
        r"(?<!<msup>)(?<!<msub>)(<mi>(?:log|ln|exp|max|min|sup)</mi>)(?=<m[infrs])",
        r'\1<mspace width="0.17em"/>',
        body,
    )
    return body + (f'<span class="tag">({html.escape(tag[1])})</span>' if tag else "")


_markdown = mistune.create_markdown(renderer=_Renderer(escape=False), plugins=["table", "math"])


@dataclass(frozen=True)
class Page:
    """One page of the book."""

    name: str
    title: str
    body: str


def build(profile: str, *, root: Path) -> Path:
    """Write the book of a profile's executed notebooks into ``build/book`` and return its first page.

    Raises
    ------
    ValueError
        If no notebook of that profile was executed to its end.
    """
    source, target = root / "build" / profile, root / "build" / "book"
    done = [paper for paper in contents.PAPERS if (source / f"{paper}.json").exists()]
    if not done:
        raise ValueError(
            f"no executed notebook in build/{profile}: run `make {'all' if profile == 'full' else 'quick'}`"
        )
    shutil.rmtree(target, ignore_errors=True)
    pages = [_notebook(paper, source, target) for paper in done]
    pages += [
        Page("claims", "Claims", _claims(_records(root, profile, done, "claims"))),
        Page("slips", "What is wrong in print", _slips(_records(root, profile, done, "slips"))),
    ]
    pages += [_report(root / file, target) for file in REPORTS if (root / file).exists()]
    decisions = markdown.markdown(_figures(root, profile, "synopsis") / "decisions.csv", notebooks=".")
    pages.insert(0, Page("index", "Private online learning, replicated", _index(pages, decisions, profile)))
    style = files("replicate").joinpath("book.css").read_text(encoding="utf-8")
    with replacing(target / "book.css") as path:
        path.write_text(style + _code_colours(), encoding="utf-8")
    for page in pages:
        with replacing(target / f"{page.name}.html") as path:
            path.write_text(_frame(page, pages), encoding="utf-8")
    return target / "index.html"


def _code_colours() -> str:
    """Colours of code, for either theme."""
    rules = {
        theme: "\n".join(
            rule
            for rule in HtmlFormatter(style=style).get_style_defs("pre").splitlines()
            if rule.startswith("pre .")
        )
        for theme, style in {"light": "default", "dark": "github-dark"}.items()
    }
    return f"{rules['light']}\n@media (prefers-color-scheme: dark) {{\n{rules['dark']}\n}}\n"


def _figures(root: Path, profile: str, paper: str) -> Path:
    return (root if profile == "full" else root / "build" / profile) / "figures" / paper


def _notebook(paper: str, source: Path, target: Path) -> Page:
    """Render one executed notebook; files that it links to are copied into the book."""
    name = contents.PAPERS[paper]
    book = nbformat.read(source / f"{name}.ipynb", as_version=4)
    injected = any("injected-parameters" in cell.metadata.get("tags", []) for cell in book.cells)
    shown = [cell for cell in book.cells if not (injected and "parameters" in cell.metadata.get("tags", []))]
    parts = [part for cell in shown for part in _cell(cell, target, name)]
    body = _adopt_files("\n".join(parts), source, target)
    title = next(line.lstrip("# ") for line in book.cells[0].source.splitlines() if line.startswith("#"))
    return Page(name, title, body)


def _report(file: Path, target: Path) -> Page:
    """Render a committed report; its figures are copied into the book."""
    text = file.read_text(encoding="utf-8")
    body = _adopt_files(f'<section class="bench">{_markdown(text)}</section>', file.parent, target)
    return Page(file.stem.lower(), text.splitlines()[0].lstrip("# "), body)


def _records(root: Path, profile: str, done: list[str], name: str) -> list[dict[str, Any]]:
    """Return the records of the executed notebooks' claims, with the times of their checks, or of their slips."""
    records: list[dict[str, Any]] = []
    for paper in done:
        seconds = json.loads((root / "build" / profile / f"{paper}.json").read_text(encoding="utf-8"))["claims"]
        path = _figures(root, profile, paper) / f"{name}.json"
        if path.exists():
            stored = json.loads(path.read_text(encoding="utf-8"))
            records += [record | {"seconds": seconds.get(record["id"])} for record in stored]
    return records


def _cell(cell: Any, target: Path, name: str) -> Iterator[str]:
    """Render a cell and its outputs."""
    if cell.cell_type == "markdown":
        yield f"<section>{_markdown(cell.source)}</section>"
    elif cell.cell_type == "code":
        code = highlight(cell.source, PythonLexer(), HtmlFormatter(nowrap=True))
        yield f"<pre><code>{code}</code></pre>"
        for i, output in enumerate(cell.outputs):
            yield _output(output, target, f"{name}-{cell.id}-{i}")


def _output(output: Any, target: Path, name: str) -> str:
    """Render one output: a picture, Markdown, a table or text. Warnings are left to the notebook."""
    if output.output_type == "stream":
        return f'<pre class="out">{html.escape(output.text)}</pre>' if output.name == "stdout" else ""
    data = output.get("data", {})
    if "image/png" in data:
        with replacing(target / "pictures" / f"{name}.png") as path:
            path.write_bytes(base64.b64decode(data["image/png"]))
        text = output.metadata.get("image/png", {}).get("alt", "")
        return f'<img src="pictures/{name}.png" alt="{html.escape(text)}" loading="lazy">'
    if "text/markdown" in data:
        return f'<div class="result">{_markdown(data["text/markdown"])}</div>'
    if "text/html" in data:
        return f'<div class="result">{data["text/html"]}</div>'
    return f'<pre class="out">{html.escape(data.get("text/plain", ""))}</pre>'


def _adopt_files(body: str, source: Path, target: Path) -> str:
    """Copy linked figures, data and provenance into the book; point links between notebooks at its pages."""

    def adopt(match: re.Match[str]) -> str:
        linked = (source / match[2]).resolve()
        if linked.suffix not in {".png", ".pdf", ".csv", ".json"} or not linked.exists():
            return match[0]
        copy = target / "figures" / linked.parent.name / linked.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(linked, copy)
        return f'{match[1]}="{copy.relative_to(target).as_posix()}"'

    notebook = r'href="(?:\./|notebooks/)?([\w]+)\.ipynb(#[^"]*)?"'
    body = re.sub(notebook, lambda m: f'href="{m[1]}.html{m[2] or ""}"', body)
    return re.sub(r'(href|src)="([^"#:]+)"', adopt, body)


def _index(pages: list[Page], decisions: str, profile: str) -> str:
    """Contents, and which algorithm to use."""
    contents = "\n".join(f"- [{page.title}]({page.name}.html)" for page in pages)
    small = " **Quick profile: small sizes.**" if profile == "quick" else ""
    start = (
        "# Private online learning, replicated\n\nFive papers, one notebook each; every claim measured, held "
        f"against its limit, with a control that the same check rejects.{small}\n\n{contents}"
    )
    return _tabled(start, "") + (_tabled("## Which algorithm should I use?", decisions) if decisions else "")


def _claims(records: list[dict[str, Any]]) -> str:
    """Every claim, paper by paper."""
    seconds = sum(record["seconds"] for record in records)
    start = f"# All {len(records)} claims\n\nChecked in {seconds:.0f} seconds. Each id leads to its cell."
    return _tabled(start, readme.by_paper(records, partial(claims.table, notebooks=".")))


def _slips(records: list[dict[str, Any]]) -> str:
    """Every slip, paper by paper."""
    start = (
        f"# What is wrong in print\n\n{len(records)} slips, each found by at least two routes: printed version "
        "against its limit. Each id leads to its cell, with a counterexample that runs in a second."
    )
    return _tabled(start, readme.by_paper(records, partial(errata.table, notebooks=".")))


def _tabled(text: str, tables: str) -> str:
    """Prose with wide tables under it, whose links lead to pages."""
    rows = re.sub(r"\((?:\.)?/?(\w+)\.ipynb#", r"(\1.html#", tables)
    return f"<section>{_markdown(text)}</section>" + (f"<div class='wide'>{_markdown(rows)}</div>" if rows else "")


def _frame(page: Page, pages: list[Page]) -> str:
    """Put a page's body between head and navigation."""
    links = "".join(
        f'<a href="{p.name}.html"{" class=here" if p.name == page.name else ""}>'
        f"{'Contents' if p.name == 'index' else html.escape(p.title)}</a>"
        for p in pages
    )
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,"><link rel="stylesheet" href="book.css">'
        f"<title>{html.escape(page.title)}</title>"
    )
    body = f"<nav>{links}</nav><main>{page.body}</main>"
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n'


def main(arguments: list[str] | None = None) -> int:
    """Build the book; return 1 when there is nothing to build it from."""
    parser = argparse.ArgumentParser(prog="python -m replicate.book", description="Build the static book.")
    parser.add_argument("--profile", choices=claims.PROFILES, default="full")
    options = parser.parse_args(arguments)
    root = project_root()
    try:
        first = build(options.profile, root=root)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(first.relative_to(root))
    return 0


if __name__ == "__main__":
    sys.exit(main())
