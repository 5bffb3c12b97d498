"""A page of the book, and what stands around it: contents, sections, search, previous and next."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from replicate.commands.book.markup import words

TITLE = "Private online learning, replicated"
GROUPS = ("Papers", "Register", "Use", "Evidence", "")
"""Parts of the contents; pages of the last one are reached through others."""


@dataclass(frozen=True)
class Page:
    """One page of the book.

    Attributes
    ----------
    name
        Its file without the ending, from the book's folder: ``"claims/PS-T1"``.
    title
        In words.
    body
        HTML; its links start at the book's folder.
    group
        Part of the contents that lists it, of `GROUPS`.
    short
        Title in the contents, the whole title when empty.
    """

    name: str
    title: str
    body: str
    group: str = ""
    short: str = ""

    @property
    def link(self) -> str:
        """Address, from the book's folder."""
        return f"{self.name}.html"

    @property
    def label(self) -> str:
        """Title in the contents."""
        return self.short or self.title

    @property
    def sections(self) -> list[tuple[str, str]]:
        """Place and title of every second heading."""
        return re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', self.body, flags=re.DOTALL)


def distinct(body: str) -> str:
    """HTML in which headings of the same words have places of their own."""
    seen: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        seen[match[2]] = seen.get(match[2], 0) + 1
        return match[0] if seen[match[2]] == 1 else f'{match[1]}"{match[2]}-{seen[match[2]]}"'

    return re.sub(r'(<h[1-6] id=)"([^"]+)"', number, body)


def framed(page: Page, pages: Sequence[Page]) -> str:
    """Return a page as a whole HTML document; `pages` are those of the book, in its order."""
    body = (
        f'<a class="skip" href="#content">To the text</a>{_top(page)}'
        f'<div class="book"><aside>{_contents(page, pages)}</aside>'
        f'<main id="content">{page.body}{_ends(page, pages)}</main></div>'
    )
    if page.name.count("/"):
        body = re.sub(r'((?:href|src)=")(?!#|\w+:)', r"\1" + "../" * page.name.count("/"), body)
    root = "../" * page.name.count("/")
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><link rel="stylesheet" href="{root}book.css">'
        f"<title>{html.escape(page.title)}</title>"
        f'<script defer src="{root}book.js" data-root="{root}"></script>'
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n'


def _top(page: Page) -> str:
    """Title of the book, the search, and on narrow windows the switch of the contents."""
    here = ' aria-current="page"' if page.name == "index" else ""
    return (
        f'<header><a class="title" href="index.html"{here}>{TITLE}</a>'
        '<search><input id="search" type="search" placeholder="Search: Theorem 2, PS-T1, noise …" '
        'aria-label="Search the book" autocomplete="off"><ol id="found" hidden></ol></search>'
        '<label class="switch" for="menu">Contents</label></header>'
        '<input id="menu" type="checkbox" aria-label="Show the contents">'
    )


def _contents(page: Page, pages: Sequence[Page]) -> str:
    """Every page that is listed, part by part; under the page itself its sections."""
    parts = []
    for group in GROUPS[:-1]:
        members = [other for other in pages if other.group == group]
        if members:
            items = "".join(f"<li>{_entry(other, other is page)}</li>" for other in members)
            parts.append(f"<p>{group}</p><ul>{items}</ul>")
    if not page.group and page.sections:
        parts.insert(0, f"<p>On this page</p>{_sections(page)}")
    return f'<nav aria-label="Contents">{"".join(parts)}</nav>'


def _entry(page: Page, here: bool) -> str:
    """One line of the contents."""
    if not here:
        return f'<a href="{page.link}">{html.escape(page.label)}</a>'
    return f'<a href="{page.link}" aria-current="page">{html.escape(page.label)}</a>{_sections(page)}'


def _sections(page: Page) -> str:
    items = "".join(f'<li><a href="#{place}">{title}</a></li>' for place, title in page.sections)
    return f"<ul>{items}</ul>" if items else ""


def _ends(page: Page, pages: Sequence[Page]) -> str:
    """Links to the page before and the one after, of the same folder."""
    folder = page.name.rpartition("/")[0]
    beside = [other for other in pages if other.name.rpartition("/")[0] == folder]
    here = beside.index(page)
    before = _neighbour(beside[here - 1], "Previous", "prev") if here else "<span></span>"
    after = _neighbour(beside[here + 1], "Next", "next") if here + 1 < len(beside) else ""
    return f'<nav class="ends" aria-label="Neighbours">{before}{after}</nav>'


def _neighbour(page: Page, word: str, relation: str) -> str:
    title = "Contents" if page.name == "index" else html.escape(words(page.label))
    return f'<a rel="{relation}" href="{page.link}">{word}: {title}</a>'
