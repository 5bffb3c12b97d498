"""The executed notebooks and the reports as static pages: ``python -m replicate book --profile full``.

Their Markdown is gathered in one folder, where links lead to each other, with a page for each claim and erratum
(statement, place, evidence, control, code), and Sphinx makes pages of it that need no network. `conf` has its
settings.
"""

from __future__ import annotations

import argparse
import html
import importlib.util
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import nbformat

from replicate.claims import PROFILES
from replicate.claims.markdown import full, linked, rows, titled
from replicate.claims.registry import Claim, register
from replicate.claims.words import compared, control, place, refuted, shown
from replicate.commands import readme
from replicate.commands.run import FOLDER
from replicate.contents import PAPERS, TEXTS
from replicate.files import project_root, replacing

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATIENCE = 1800
"""Seconds that printing may take."""
Record = Mapping[str, Any]
Records = Mapping[str, Record]
"""Of claims and errata, by their ids."""
CONTENTS: Mapping[str, Sequence[str]] = {
    "Papers and claims": [
        "REVIEW.md", "reports/verdicts.md", "reports/papers/*.md", "reports/claims.md", "reports/errata.md",
        "reports/theorems.md", "reports/since.md", "formal/README.md", "reports/proofs.md", "reports/letters/*.md",
        "reports/replications/*.md", "figures/README.md",
    ],
    "Use": ["examples/tutorial.md", "examples/README.md", "examples/input_files.md", "examples/theorems/README.md",
            "examples/audit.md", "examples/audit_in_ci.md", "reports/glossary.md", "reports/faq.md",
            "CONTRIBUTING.md"],
    "Evidence": ["reports/*.md", "CHANGELOG.md"],
}  # fmt: skip
"""Parts of the contents after the notebooks, and the files that are their pages, each where it is named first."""


def build(profile: str, *, root: Path, builder: str = "html") -> Path:
    """Write the book of a profile's executed notebooks into ``build/book`` and return its first page.

    Parameters
    ----------
    profile, root
        Of the notebooks, and the folder of the project.
    builder
        ``"html"``, or ``"singlehtml"`` for one page, in ``build/book.whole``.

    Raises
    ------
    ValueError
        If packages are missing, a notebook was not executed, or a link leads nowhere.
    """
    if not all(map(importlib.util.find_spec, ("sphinx", "myst_nb", "furo"))):
        raise ValueError("the book needs the extra `book`: pip install -e '.[book]'")
    one = builder == "singlehtml"
    work, target = root / "build" / "book.work", root / "build" / ("book.whole" if one else "book")
    shutil.rmtree(work, ignore_errors=True)
    gather(profile, root=root, target=work / "source", whole=one)
    settings = ["--define", "html_theme=basic"] if one else []
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--builder", builder, "--conf-dir",
               str(Path(__file__).parent), *settings, str(work / "source"), str(work / "pages")]  # fmt: skip
    if subprocess.run(command, cwd=root).returncode:
        raise ValueError("the book is not in order: Sphinx says above what it found")
    shutil.rmtree(target, ignore_errors=True)
    (work / "pages").rename(target)
    shutil.rmtree(work)
    page = target / "index.html"
    if one:  # Sphinx leaves the page's name in front of some places
        text = page.read_text(encoding="utf-8")
        page.write_text(re.sub(r'href="#document-[^"#]*#', 'href="#', text), encoding="utf-8")
    return page


def chromium() -> str:
    """Return the path of a browser that prints.

    Raises
    ------
    ValueError
        If there is none.
    """
    if path := next(filter(None, map(shutil.which, BROWSERS)), None):
        return path
    raise ValueError(f"a PDF needs Chromium or Chrome on the path ({', '.join(BROWSERS)}): none was found")


def printed(page: Path, place: Path) -> Path:
    """Print a page as a PDF and return its place.

    Raises
    ------
    ValueError
        If there is no Chromium on the path, or it fails.
    """
    browser = chromium()
    with replacing(place) as path, tempfile.TemporaryDirectory() as own:
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
                   "--generate-pdf-document-outline", f"--user-data-dir={own}", f"--print-to-pdf={path}",
                   page.resolve().as_uri()]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode or not path.exists():
            raise ValueError(f"{Path(browser).name} printed nothing: {done.stderr.strip().splitlines()[-1:]}")
    return place


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--profile", choices=PROFILES, default="full", help="which executed notebooks (full)")
    parser.add_argument("--pdf", action="store_true", help="print the whole book as one PDF (Chromium)")


def main(options: argparse.Namespace) -> int:
    """Build the book, or print it, and name the file."""
    root = project_root()
    if options.pdf:
        chromium()
        page = build(options.profile, root=root, builder="singlehtml")
        made = printed(page, root / "build" / "book" / "book.pdf")
        shutil.rmtree(page.parent)
    else:
        made = build(options.profile, root=root)
    print(made.relative_to(root))
    return 0


def gather(profile: str, *, root: Path, target: Path, whole: bool = False) -> None:
    """Write the source of the book of a profile's executed notebooks into a folder.

    Parameters
    ----------
    profile, root, target
        Of the notebooks; the folders of the project and of the source.
    whole
        Whether the contents list the pages of claims and errata too: one page holds what they list.

    Raises
    ------
    ValueError
        If a notebook was not executed to its end.
    """
    folder = _executed(profile, root)
    figures = root / "build" / profile / "figures" if profile == "quick" else root / "figures"
    claims, errata = (readme.records(figures, name) for name in ("claims", "errata"))
    records = {record["id"]: record for record in [*claims, *errata]}
    pages = {"Notebooks": [f"{name}.ipynb" for name in PAPERS.values()]}
    for part, patterns in CONTENTS.items():
        names = [p.relative_to(root).as_posix() for like in patterns for p in sorted(root.glob(like))]
        pages[part] = [name for name in names if not any(name in listed for listed in pages.values())]
    book = _Book(root, target, {name for names in pages.values() for name in names}, records)
    for name in book.pages:
        if name.endswith(".ipynb"):
            book.write(name, _notebook(folder / name, book, records))
        else:
            text = (root / name).read_text(encoding="utf-8")
            listed = {"reports/claims.md": claims, "reports/errata.md": errata}.get(name)
            book.write(name, book.adopted(text if listed is None else register_page(text, listed), name))
    if whole:
        pages["Claims and errata"] = [f"claims/{name}.md" for name in records]
    first = (root / "README.md").read_text(encoding="utf-8")
    book.write("index.md", book.adopted(first, "README.md") + _tree(pages))
    for name, record in records.items():
        book.write(f"claims/{name}.md", book.adopted(entry_page(record, records), f"claims/{name}.md"))


def _executed(profile: str, root: Path) -> Path:
    """Return the folder of the executed notebooks: of the last run, or the committed copies of full runs."""
    run = root / "build" / profile
    if all((run / f"{paper}.json").exists() for paper in PAPERS):
        return run
    if profile == "full":
        return root / FOLDER
    raise ValueError(f"not all notebooks are executed in build/{profile}: run `make {profile}`")


def _tree(pages: Mapping[str, Sequence[str]]) -> str:
    """Return the contents for Sphinx, part by part, which the sidebar shows."""
    tree = "\n```{{toctree}}\n:hidden:\n:caption: {part}\n:maxdepth: 1\n\n{lines}\n```\n"
    return "".join(tree.format(part=part, lines="\n".join(map(_line, names))) for part, names in pages.items())


def _line(name: str) -> str:
    """Return a page's line of the contents; files of one folder, whose titles are alike, are told apart."""
    kind = {"papers": "Paper", "letters": "Letter", "replications": "Report"}.get(Path(name).parent.name)
    return f"{kind}: {Path(name).stem} <{name}>" if kind else name


class _Book:
    """The folder that is written, and where links of the project lead in it."""

    def __init__(self, root: Path, target: Path, pages: set[str], records: Records) -> None:
        self.root, self.target, self.pages, self.records = root, target, pages, records

    def write(self, name: str, text: str) -> None:
        """Write one page of the source."""
        path = self.target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def adopted(self, text: str, name: str) -> str:
        """Return the Markdown of a file of the project with links of the book; HTML's pictures become Markdown."""
        text = re.sub(
            r'<img src="([^"]+)"[^>]*?alt="([^"]*)"[^>]*>',
            lambda m: "![" + re.sub(r"([][])", r"\\\1", html.unescape(m[2])) + f"]({m[1]})",
            text,
        )
        text = re.sub(r'<a href="([^"]+)">(.*?)</a>', r"[\2](\1)", text, flags=re.DOTALL)
        folder = (self.root / name).parent
        return re.sub(r"(?<!!)\[([^][]*)\]\((?!\w+:|#)([^)\s]+)\)|\]\((?!\w+:|#)([^)\s]+)\)",
                      lambda m: self._link(m, folder), text)  # fmt: skip

    def _link(self, match: re.Match[str], folder: Path) -> str:
        """Return a link whose address begins at the book's folder; what leads to a folder keeps only its words."""
        words, address = match[1], match[2] or match[3]
        path, _, place = address.partition("#")
        file = Path(os.path.normpath(folder / path))  # links of the file system are not followed
        if not file.is_relative_to(self.root):
            return match[0]
        if file.is_dir() and words is not None:
            return words
        name = file.relative_to(self.root).as_posix()
        if name in ("reports/claims.md", "reports/errata.md") and place in self.records:
            name, place = f"claims/{place}.md", ""
        elif name == "README.md":
            name = "index.md"
        elif file.suffix == ".ipynb":
            name = file.name
        elif name not in self.pages and file.is_file():
            copy = self.target / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.unlink(missing_ok=True)
            copy.symlink_to(file)
        start = "]" if words is None else f"[{words}]"
        return f"{start}(/{name}{'#' * bool(place)}{place})"


def _notebook(path: Path, book: _Book, records: Records) -> str:
    """Return an executed notebook for the book: its links, folded cells under the verdicts that they show."""
    place = path.relative_to(book.root).as_posix()
    read = nbformat.read(path, as_version=4)
    read.cells = [cell for cell in read.cells if "injected-parameters" not in cell.metadata.get("tags", [])]
    for cell in read.cells:
        if cell.cell_type == "markdown":
            cell.source = book.adopted(cell.source, place)
            continue
        shown: dict[str, Any] = {}
        for output in cell.outputs:
            data = output.get("data", {})
            if "text/markdown" in data:
                data["text/markdown"] = book.adopted(data["text/markdown"], place)
            if "image/png" in data:
                shown["image"] = {"alt": output.metadata.get("image/png", {}).get("alt", "")}
        if "fold" in cell.metadata.get("tags", []):
            ids = [name for name in re.findall(r'"([A-Z]{2}-[\w-]+)"', cell.source) if name in records]
            words = " · ".join(f"{name}: {records[name]['verdict']}" for name in ids)
            shown |= dict.fromkeys(("code_prompt_show", "code_prompt_hide"), words or cell.source.splitlines()[0])
        cell.metadata = {"tags": ["hide-cell"] if "code_prompt_show" in shown else [], "mystnb": shown}
    return json.dumps(read)


def _text(value: object) -> str:
    """Return a text of a record, or of ids; those that it names lead to their pages."""
    said = ", ".join(value) if isinstance(value, list) else str(value or "")
    return linked(said, link="/claims/{id}.md")


def register_page(text: str, records: Sequence[Record]) -> str:
    """Return the report on claims or errata with a short table for each paper: their own pages have the rest."""
    introduction, *parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    listed_by = {f"## {titled(paper)}" for paper in PAPERS}
    rest = [part for part in parts if part.partition("\n")[0] not in listed_by]

    def tabulated(listed: Sequence[Record]) -> str:
        head = ("id", "where", "verdict", "measured")
        lines = [(_text(r["id"]), r["source"], r["verdict"], compared(r) if "proof" in r else "") for r in listed]
        return rows(head, lines)

    introduction = re.sub(r"leads to\s+the notebook", "has a page, which leads to the notebook", introduction)
    return f"{introduction}{readme.by_paper(records, tabulated)}\n{''.join(rest)}"


def entry_page(record: Record, records: Mapping[str, Record]) -> str:
    """Return the page of a claim or an erratum; `records` are those of all, by their ids."""
    name, paper, erratum = str(record["id"]), record["paper"], "routes" in record
    report = "errata" if erratum else "claims"
    where = f"{place(record)}. {TEXTS[paper].later}" if paper in TEXTS else "This workbook's own."
    rests = {
        "Data": "" if erratum else refuted(record),
        "Probability that a confidence limit is wrong": shown(record.get("false_alarm") or None),
        "The paper's proof uses": _text(record.get("proof_uses")),
        "Rests on": _text(record.get("stands_by")),
        "Used by": _text([other for other, r in records.items() if name in r.get("proof_uses", ())]),
        "Error in print": _text(record.get("error")),
        "Claims": _text(record.get("claims")),
    }
    facts = "".join(f"- **{label}:** {text}\n" for label, text in rests.items() if text)
    return (
        f"---\norphan: true\n---\n\n# {name}: {record['source']}\n\n```{{index}} ! {name}\n```\n\n"
        f"[All {report}](/reports/{report}.md) · [{paper}, where it is explained]"
        f"(/{PAPERS[paper]}.ipynb#{name})\n\n{where}\n\n"
        f"## Evidence{', and a counterexample' if erratum else ''}\n\n"
        f"{full(record, control(record).rpartition(' measures ')[2])}\n\n{facts}\n{_code(name)}"
    )


def _code(name: str) -> str:
    """Return the command that checks an entry, and module, call and source of every check of it."""
    entry = register()[name]
    said = [f"## Code\n\n```sh\n.venv/bin/python -m replicate claims {name}\n```"]
    if isinstance(entry, Claim):
        said += [f"Control: `{argument}={value!r}`" for argument, value in entry.control.items()]
    for comparison in entry.comparisons:
        function = inspect.unwrap(comparison.check)
        stated = "".join(f", {name}={value!r}" for name, value in comparison.stated.items())
        called = f"{function.__name__}(profile, seed{stated})"
        where = f"`{function.__module__}.{function.__qualname__}`, called as `{called}`"
        said.append(f"{where}\n\n```python\n{inspect.getsource(function)}```")
    return "\n\n".join(dict.fromkeys(said)) + "\n\n"
