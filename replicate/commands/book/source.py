"""The book's source: notebooks and Markdown of the project in one folder, whose links lead to each other."""

from __future__ import annotations

import html
import importlib
import inspect
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import nbformat

from replicate.commands import reading, readme
from replicate.commands.book.entries import entry_page, register_page, verdict
from replicate.contents import PAPERS

Records = Mapping[str, Mapping[str, Any]]
"""Of claims and errata, by their ids."""
CONTENTS: Mapping[str, Sequence[str]] = {
    "Notebooks": [f"{name}.ipynb" for name in PAPERS.values()],
    "Papers and claims": [
        "REVIEW.md", "reports/verdicts.md", "reports/papers/*.md", "reports/claims.md", "reports/errata.md",
        "reports/theorems.md", "reports/since.md", "formal/README.md", "reports/proofs.md", "reports/letters/*.md",
        "reports/replications/*.md", "figures/README.md",
    ],
    "Use": ["examples/tutorial.md", "examples/README.md", "examples/input_files.md", "examples/theorems/README.md",
            "examples/audit_in_ci.md", "reports/glossary.md", "reports/faq.md", "CONTRIBUTING.md"],
    "Evidence": [
        "reports/audit_bench.md", "reports/libraries.md", "reports/limits.md", "reports/power.md",
        "reports/benchmarks.md", "reports/challenge.md", "reports/mutants.md", "reports/seeds.md", "CHANGELOG.md",
    ],
}  # fmt: skip
"""Parts of the contents, and the files that are their pages."""
NAMESPACES = (
    "learners", "environments", "mechanisms", "audit", "certify", "claims", "advice", "papers.prefix_softmax",
    "papers.noisy_leader", "papers.tracking", "papers.bandits", "papers.distribution_learning",
    "studies.price_of_privacy",
)  # fmt: skip
"""Modules whose `__all__` is the public interface."""


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
    pages = {part: _files(patterns, root) for part, patterns in CONTENTS.items()}
    book = _Book(root, target, {name for names in pages.values() for name in names}, records)
    for name in book.pages:
        if name.endswith(".ipynb"):
            book.write(name, _notebook(folder / name, book, records))
        else:
            text = (root / name).read_text(encoding="utf-8")
            listed = {"reports/claims.md": claims, "reports/errata.md": errata}.get(name)
            book.write(name, book.adopted(text if listed is None else register_page(text, listed), name))
    for name in NAMESPACES:
        book.write(f"api/{name}.rst", _reference(importlib.import_module(f"replicate.{name}")))
    pages["Reference"] = [f"api/{name}.rst" for name in NAMESPACES]
    if whole:
        pages["Claims and errata"] = [f"claims/{name}.md" for name in records]
    book.write(
        "index.md", book.adopted((root / "README.md").read_text(encoding="utf-8"), "README.md") + _tree(pages)
    )
    for name, record in records.items():
        book.write(f"claims/{name}.md", book.adopted(entry_page(record, records), f"claims/{name}.md"))


def _executed(profile: str, root: Path) -> Path:
    """Return the folder of the executed notebooks: of the last run, or the committed copies of full runs."""
    run = root / "build" / profile
    if all((run / f"{paper}.json").exists() for paper in PAPERS):
        return run
    if profile == "full":
        return root / reading.FOLDER
    raise ValueError(f"not all notebooks are executed in build/{profile}: run `make {profile}`")


def _files(patterns: Sequence[str], root: Path) -> list[str]:
    """Return the pages of a part; notebooks lie elsewhere."""
    return [
        name
        for pattern in patterns
        for name in ([pattern] if pattern.endswith(".ipynb") else
                     sorted(path.relative_to(root).as_posix() for path in root.glob(pattern)))
    ]  # fmt: skip


def _tree(pages: Mapping[str, Sequence[str]]) -> str:
    """Return the contents for Sphinx, part by part, which the sidebar shows."""
    tree = "\n```{{toctree}}\n:hidden:\n:caption: {part}\n:maxdepth: 1\n\n{lines}\n```\n"
    lines = {part: [_line(name) for name in names] for part, names in pages.items()}
    return "".join(tree.format(part=part, lines="\n".join(listed)) for part, listed in lines.items())


def _line(name: str) -> str:
    """Return a page's line of the contents; files of one folder, whose titles are alike, are told apart."""
    kind = {"papers": "Paper", "letters": "Letter", "replications": "Report"}.get(Path(name).parent.name)
    return f"{kind}: {Path(name).stem} <{name}>" if kind else name


def _reference(module: ModuleType) -> str:
    """Return the page of a namespace: every public name with its signature and docstring, which Sphinx reads."""
    title = module.__name__
    parts = [f"{title}\n{'=' * len(title)}\n\n.. automodule:: {title}\n   :no-members:\n"]
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.ismodule(value):
            parts.append(f".. automodule:: {value.__name__}\n   :members:\n")
        elif inspect.isclass(value):
            parts.append(f".. autoclass:: {title}.{name}\n   :members:\n")
        else:
            kind = "autofunction" if callable(value) and hasattr(value, "__name__") else "autodata"
            parts.append(f".. {kind}:: {title}.{name}\n")
    return "\n".join(parts)


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
        text = re.sub(r'<img src="([^"]+)"[^>]*?alt="([^"]*)"[^>]*>', _picture, text)
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


def _picture(match: re.Match[str]) -> str:
    """Return a picture of HTML as Markdown."""
    words = re.sub(r"([][])", r"\\\1", html.unescape(match[2]))
    return f"![{words}]({match[1]})"


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
            words = " · ".join(f"{name}: {verdict(records[name])}" for name in ids) or cell.source.splitlines()[0]
            shown |= {"code_prompt_show": words, "code_prompt_hide": words}
        cell.metadata = {"tags": ["hide-cell"] if "code_prompt_show" in shown else [], "mystnb": shown}
    return json.dumps(read)
