"""Links of notebooks and reports, led to the pages of the book and to files that are copied into it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection
from pathlib import Path

FILES = frozenset((".png", ".pdf", ".csv", ".json", ".py"))
"""Endings of the files that the book takes with it."""
PAGES = {
    "README": "index", "examples/README": "how_to", "figures/README": "gallery", "CHANGELOG": "changelog",
    "CONTRIBUTING": "contributing",
}  # fmt: skip
"""Markdown files whose page has another name."""


def adopt(body: str, source: Path, target: Path) -> str:
    """Return HTML whose local links lead to pages and files of the book.

    Parameters
    ----------
    body
        HTML with links relative to `source`.
    source
        Folder of the file that it was made from.
    target
        Folder of the book: linked pictures, data and programs are copied into it.

    Returns
    -------
    A link to a file that is neither a page nor copied is left out, its words stay.
    """
    body = re.sub(r'<a href="(?!#|\w+:)([^"]+)"([^>]*)>(.*?)</a>', lambda m: _link(m, source, target), body,
                  flags=re.DOTALL)  # fmt: skip
    return re.sub(r'<img[^>]*?src="(?!data:)([^"]+)"[^>]*>', lambda m: _picture(m, source, target), body)


def _picture(match: re.Match[str], source: Path, target: Path) -> str:
    """One picture, or its words where the file is missing."""
    address = _copied(match[1], source, target)
    if not address:
        return "".join(re.findall(r'alt="([^"]*)"', match[0]))
    return match[0].replace(f'src="{match[1]}"', f'src="{address}"')


def _link(match: re.Match[str], source: Path, target: Path) -> str:
    """One link, or its words."""
    address, place = match[1].partition("#")[::2]
    path = Path(address)
    if path.suffix == ".ipynb":
        new = f"{path.stem}.html"
    elif path.suffix == ".md":
        new = f"{page_name(path)}.html"
    elif path.suffix == ".html" or _inside(address, target):
        new = address
    else:
        new = _copied(address, source, target)
        if not new:
            return match[3]
    return f'<a href="{new}{"#" + place if place else ""}"{match[2]}>{match[3]}</a>'


def living(body: str, known: Collection[str]) -> str:
    """Return HTML in which a link to a page that the book has not is left out, its words stay.

    Parameters
    ----------
    body
        HTML with links relative to the book's folder.
    known
        Addresses of the book's pages.
    """

    def link(match: re.Match[str]) -> str:
        return match[0] if match[1] in known else match[2]

    return re.sub(r'<a [^>]*?href="([^"#?:]+\.html)[^"]*"[^>]*>(.*?)</a>', link, body, flags=re.DOTALL)


def page_name(path: Path) -> str:
    """Name of the page that is made from a Markdown file."""
    parts = [part for part in path.with_suffix("").parts if part not in ("..", ".", "/")]
    whole = "/".join(parts[-2:] if parts[-1] == "README" else parts[-1:])
    if len(parts) > 1 and parts[-2] in ("letters", "replications"):
        return "_".join(parts[-2:])
    return PAGES.get(whole, parts[-1].lower())


def _inside(address: str, target: Path) -> bool:
    """Return True if the book has a file there: one beside it would be lost when the book is moved."""
    path = (target / address).resolve()
    return path.is_file() and path.is_relative_to(target.resolve())


def _copied(address: str, source: Path, target: Path) -> str:
    """Copy a file into the book and return its address there; empty where there is no such file."""
    if _inside(address, target):
        return address
    linked = (source / address).resolve()
    if linked.suffix not in FILES or not linked.is_file():
        return ""
    copy = target / "figures" / linked.parent.name / linked.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(linked, copy)
    return copy.relative_to(target).as_posix()
