"""The index of the search: claims, errata, headings, words, public names; a script that pages load when asked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from replicate.commands.book.frame import Page
from replicate.commands.book.markup import slug, words
from replicate.commands.book.reference import summary
from replicate.commands.lines import unlatexed
from replicate.contents import PAPERS, TEXTS

LARGEST = 500_000
"""Bytes of the index, at most."""
_WORDS = 160
"""Characters of a text that are kept."""

Records = Sequence[Mapping[str, Any]]
Line = tuple[str, str, str, str]
"""Kind, title, address, text."""


def index(pages: Iterable[Page], records: Records, public: Iterable[tuple[str, str, object]]) -> str:
    """Return the script that holds the index.

    Parameters
    ----------
    pages
        Their headings are indexed, those of claims' own pages are not.
    records
        Of claims and errata.
    public
        Namespace, name and value of every public name.

    Raises
    ------
    ValueError
        If the index is larger than `LARGEST`.
    """
    lines: list[Line] = [_of_record(record) for record in records]
    lines += [("api", f"{module}.{name}", f"api/{module}.html#{name}", summary(value)[:_WORDS])
              for module, name, value in public]  # fmt: skip
    lines += [line for page in pages if "/" not in page.name for line in _headings(page)]
    script = f"BOOK_INDEX={json.dumps(lines, ensure_ascii=False, separators=(',', ':'))};\n"
    if len(script.encode()) > LARGEST:
        raise ValueError(f"index of the search must have at most {LARGEST} bytes, got {len(script.encode())}")
    return script


def _of_record(record: Mapping[str, Any]) -> Line:
    erratum = "routes" in record
    text = unlatexed(str(record["printed"] if erratum else record["statement"]))
    title = f"{record['id']} · {unlatexed(str(record['source']))}"
    kind = "erratum" if erratum else "claim"
    return kind, title, f"claims/{record['id']}.html", f"{_whose(str(record['paper']))}: {text[:_WORDS]}"


def _whose(paper: str) -> str:
    """A paper as readers may name it: by its name here, its number, its authors."""
    if paper not in PAPERS:
        return paper
    number = int(PAPERS[paper].partition("_")[0])
    origin = TEXTS.get(paper)
    return f"{paper} ({f'paper {number}, {origin.authors}' if origin else f'notebook {number}'})"


def _headings(page: Page) -> list[Line]:
    headings = re.findall(r'<h[123] id="([^"]+)">(.*?)</h[123]>', page.body, flags=re.DOTALL)
    label = words(page.label)
    top: list[Line] = [("page", words(page.title), page.link, "")]
    rest: list[Line] = [("section", words(title), f"{page.link}#{place}", label) for place, title in headings]
    return top + [line for line in rest if line[1] != top[0][1]] + list(_explained(page))


def _explained(page: Page) -> Iterator[Line]:
    """The words that the glossary explains: paragraphs that begin with them."""
    if page.name != "glossary":
        return
    for term, text in re.findall(r'<p id="[^"]*"><strong>(.*?)\.</strong>(.*?)</p>', page.body, flags=re.DOTALL):
        yield "word", words(term), f"{page.link}#{slug(term)}", words(text)[:_WORDS]
