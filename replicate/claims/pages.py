"""Theorems on a page each: which claim has a program of at most 60 lines of NumPy that shows it alone.

``examples/theorems/README.md`` has the table, one row per page; everything that links a page reads it from there.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import replicate
from replicate.contents import paper_of
from replicate.files import project_root

FOLDER = "examples/theorems"
"""Where the pages lie, from the project's folder on."""
_ROW = re.compile(r"^\| \[(\w+\.py)\]\(\1\) \|" + r" (.*?) \|" * 5 + "$", flags=re.MULTILINE)


class Page(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    file
        ``"nl_t2.py"``.
    theorem, shows
        What it is about and what it shows, in Markdown.
    claims
        Ids of the claims that it shows; the first one's paper is the page's.
    seconds, lines
        Processor time at its own sizes, lines of code.
    """

    file: str
    theorem: str
    claims: tuple[str, ...]
    shows: str
    seconds: int
    lines: int

    @property
    def path(self) -> str:
        """The file, from the project's folder on."""
        return f"{FOLDER}/{self.file}"

    @property
    def paper(self) -> str:
        """The paper or study."""
        return paper_of(self.claims[0])


def folder() -> Path | None:
    """Return where the pages lie: in the project here or beside the package; None where neither has them."""
    roots = (project_root(), Path(replicate.__path__[0]).parent)
    return next((root / FOLDER for root in roots if (root / FOLDER / "README.md").is_file()), None)


def pages() -> tuple[Page, ...]:
    """Return the table, nothing where there is none."""
    place = folder()
    text = (place / "README.md").read_text(encoding="utf-8") if place else ""
    return tuple(
        Page(file, theorem, tuple(re.findall(r"[A-Z]{2}-\w+", claims)), shows, int(seconds), int(lines))
        for file, theorem, claims, shows, seconds, lines in _ROW.findall(text)
    )


def page_of(name: str) -> Page | None:
    """Return the page that shows a claim, None where there is none."""
    return next((page for page in pages() if name in page.claims), None)


def link(name: str, *, up: str = "", words: str = "") -> str:
    """Return a Markdown link to the page that shows a claim, an empty text where there is none.

    Parameters
    ----------
    name
        Id of the claim.
    up
        What leads to the project's folder from where the link stands: ``"../"`` in ``reports``.
    words
        Text of the link; the file's name if it is empty.

    Examples
    --------
    >>> link("NL-T2", up="../", words="page")
    '[page](../examples/theorems/nl_t2.py)'
    """
    page = page_of(name)
    return f"[{words or page.file}]({up}{page.path})" if page else ""


def listed(paper: str, *, up: str) -> str:
    """Return the pages of a paper or a study as a Markdown list, with what each shows."""
    return "\n".join(
        f"- [{page.theorem}]({up}{page.path}): {page.shows}" for page in pages() if page.paper == paper
    )
