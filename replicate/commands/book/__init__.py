"""The executed notebooks and the reports as static pages: ``python -m replicate book --profile full``.

Formulas become MathML while the book is built, and its font lies beside the pages: reading needs no network.
Scripts add the search, the filters, the sliders and enlarged pictures; without them every page is complete.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from replicate.claims import PROFILES
from replicate.claims.markdown import read_words
from replicate.commands import readme
from replicate.commands.book import listing, notebooks, reference, search, sliders, whole
from replicate.commands.book.entries import entry_page
from replicate.commands.book.frame import Page, distinct, framed
from replicate.commands.book.front import front_page
from replicate.commands.book.links import adopt, living, page_name
from replicate.commands.book.markup import code_colours, inline, markdown, with_places, words
from replicate.contents import PAPERS
from replicate.files import project_root, replacing, write

Record = Mapping[str, Any]
ENTRY = "claims/{id}.html"
DOCUMENTS = (
    ("REVIEW.md", "Register", "For a reviewer"),
    ("reports/verdicts.md", "Register", "Verdicts"),
    ("reports/papers/*.md", "Register", "Paper: {stem}"),
    ("reports/theorems.md", "Register", "Theorems"),
    ("reports/proofs.md", "Register", "What rests on what"),
    ("reports/letters/*.md", "Register", "Letter: {stem}"),
    ("figures/README.md", "Register", "Gallery"),
    ("examples/tutorial.md", "Use", "Tutorial"),
    ("examples/README.md", "Use", "How-to"),
    ("examples/audit_in_ci.md", "Use", "Audit in CI"),
    ("book/glossary.md", "Use", "Glossary"),
    ("book/faq.md", "Use", "Questions and answers"),
    ("reports/replications/*.md", "Register", "Report: {stem}"),
    ("reports/audit_bench.md", "Evidence", "The audit's benchmark"),
    ("reports/libraries.md", "Evidence", "Installed libraries"),
    ("reports/limits.md", "Evidence", "Limits"),
    ("reports/power.md", "Evidence", "Power"),
    ("reports/benchmarks.md", "Evidence", "Benchmarks"),
    ("reports/challenge.md", "Evidence", "Rivals"),
    ("reports/mutants.md", "Evidence", "Mutants"),
    ("reports/seeds.md", "Evidence", "Other seeds"),
    ("CHANGELOG.md", "Evidence", "Changelog"),
    ("CONTRIBUTING.md", "Evidence", "Contributing"),
)
"""Markdown that becomes pages where it exists: its place, the part of the contents, the title there."""


def build(profile: str, *, root: Path) -> Path:
    """Write the book of a profile's executed notebooks into ``build/book`` and return its first page.

    Raises
    ------
    ValueError
        If no notebook of that profile was executed to its end.
    """
    source, target = root / "build" / profile, root / "build" / "book"
    done = [paper for paper in PAPERS if (source / f"{paper}.json").exists()]
    if not done:
        raise ValueError(
            f"no executed notebook in build/{profile}: run `make {'all' if profile == 'full' else 'quick'}`"
        )
    shutil.rmtree(target, ignore_errors=True)
    pages = _pages(done, profile, root=root, source=source, target=target)
    beside = files("replicate.commands.book")
    for name in ("book.css", "book.js"):
        text = beside.joinpath(name).read_text(encoding="utf-8")
        write(target / name, text + (code_colours() if name == "book.css" else ""))
    write(target / "sliders.js", sliders.script())
    for name in ("math.woff2", "OFL.txt"):
        with replacing(target / name) as path:
            path.write_bytes(beside.joinpath("fonts", name).read_bytes())
    known = {page.link for page in pages}
    pages = [replace(page, body=living(page.body, known)) for page in pages]
    for page in pages:
        write(target / page.link, framed(page, pages))
    return target / "index.html"


def _pages(done: Sequence[str], profile: str, *, root: Path, source: Path, target: Path) -> list[Page]:
    """Every page of the book in its order, and the index of the search."""
    figures = (root if profile == "full" else source) / "figures"
    claims, errata = (
        [record for record in readme.records(figures, name) if record["paper"] in done]
        for name in ("claims", "errata")
    )
    records = [*claims, *errata]
    papers = [
        notebooks.notebook(paper, source, target, [r for r in records if r["paper"] == paper]) for paper in done
    ]
    pictures: dict[str, str] = {}
    for paper in done:
        pictures |= _pictures(paper, records, source, figures, target)
    asked = sliders.read(root)
    markers = [json.loads((source / f"{paper}.json").read_text(encoding="utf-8")) for paper in done]
    seconds = float(sum(sum(marker["times"].values()) for marker in markers))
    decisions = read_words(figures / "synopsis" / "decisions.csv", link=ENTRY)
    listed = [
        front_page(
            claims,
            sliders.decision(asked.get("decisions", {})),
            decisions,
            root=root,
            figures=figures,
            target=target,
            profile=profile,
            pictures=pictures,
        ),
        *papers,
        listing.claims_page(claims, seconds),
        listing.errata_page(errata),
        *_documents(root, target),
    ]
    overview, *namespaces = reference.pages()
    last = max(i for i, page in enumerate(listed) if page.group in ("", "Papers", "Register", "Use"))
    listed.insert(last + 1, overview)
    public = [(module.name.removeprefix("api/"), name, value) for module in namespaces
              for name, value in reference.public(module.name.removeprefix("api/"))]  # fmt: skip
    write(target / "search.js", search.index(listed, records, public))
    follows = _follows(claims)
    entries = [
        entry_page(r, pictures.get(r["id"], ""), follows, sizes=sliders.section(r["id"], asked.get(r["id"], ())))
        for r in records
    ]
    return [*listed, *namespaces, *entries]


def _pictures(paper: str, records: Sequence[Record], source: Path, figures: Path, target: Path) -> dict[str, str]:
    """Ids of a paper's claims and errata, each with the HTML of the figure that is nearest to it."""
    ids = [record["id"] for record in records if record["paper"] == paper]
    nearest = notebooks.figures_of_claims(notebooks.read(paper, source), ids)
    shown = {name: notebooks.committed(f"{paper}/{figure}", figures, target) for name, figure in nearest.items()}
    return {name: picture for name, picture in shown.items() if picture}


def _follows(claims: Sequence[Record]) -> dict[str, list[str]]:
    """Ids of claims to the ids of the claims whose proofs use them."""
    users: dict[str, list[str]] = {}
    for record in claims:
        for used in record["proof_uses"]:
            users.setdefault(used, []).append(record["id"])
    return users


def _documents(root: Path, target: Path) -> Iterator[Page]:
    """The Markdown files as pages; the glossary and the answers lie in the package."""
    for pattern, group, short in DOCUMENTS:
        folder = Path(str(files("replicate.commands"))) if pattern.startswith("book/") else root
        for file in sorted(folder.glob(pattern)):
            text = file.read_text(encoding="utf-8")
            body = distinct(adopt(f'<div class="text">{markdown(text)}</div>', file.parent, target))
            if file.stem == "glossary":
                body = with_places(body)
            title = next(line for line in text.splitlines() if line.startswith("#")).lstrip("# ")
            name, label = page_name(file.relative_to(folder)), short.format(stem=file.stem)
            yield Page(name, words(inline(title)), body, group, label)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--profile", choices=PROFILES, default="full")
    parser.add_argument("--pdf", action="store_true", help="print the book that is built as one PDF (Chromium)")


def main(options: argparse.Namespace) -> int:
    """Build the book and name its first page, or print it and name the PDF."""
    root = project_root()
    made = whole.printed(root / "build" / "book") if options.pdf else build(options.profile, root=root)
    print(made.relative_to(root))
    return 0
