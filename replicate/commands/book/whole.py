"""The whole book as one page, and as a PDF that Chromium prints."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from replicate.commands.book.frame import TITLE
from replicate.files import replacing

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATIENCE = 1800
"""Seconds that printing may take."""


def printed(book: Path) -> Path:
    """Print the book that was built into one PDF beside its pages and return it.

    Raises
    ------
    ValueError
        If there is no book, or no Chromium on the path, or it fails.
    """
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise ValueError(f"a PDF needs Chromium or Chrome on the path ({', '.join(BROWSERS)}): none was found")
    if not (book / "index.html").exists():
        raise ValueError("no book to print: run `make book`")
    page = book / "whole.html"
    page.write_text(one_page(book), encoding="utf-8")
    try:
        with replacing(book / "book.pdf") as path:
            _print(browser, page, path)
    finally:
        page.unlink()
    return book / "book.pdf"


def _print(browser: str, page: Path, path: Path) -> None:
    """Let a browser print a page into a PDF."""
    name = Path(browser).name
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
                   "--generate-pdf-document-outline", f"--user-data-dir={profile}",
                   f"--print-to-pdf={path}", page.resolve().as_uri()]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired as error:
            raise ValueError(f"{name} printed nothing in {PATIENCE} seconds") from error
        if done.returncode or not path.stat().st_size:
            raise ValueError(f"{name} printed nothing: {done.stderr.strip().splitlines()[-1:]}")


def one_page(book: Path) -> str:
    """Return all pages of a book as one document, in their order, whose links lead to places inside it."""
    order = _order(book)
    parts = [_part(name, (book / f"{name}.html").read_text(encoding="utf-8"), set(order)) for name in order]
    head = f'<meta charset="utf-8"><link rel="stylesheet" href="book.css"><title>{TITLE}</title>'
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}</head><body class="whole">{"".join(parts)}</body></html>\n'
    )


def _order(book: Path) -> list[str]:
    """Names of the pages: first those of the contents in their order, then the rest."""
    first = re.findall(r'<li><a href="([^"#]+)\.html"', (book / "index.html").read_text(encoding="utf-8"))
    rest = sorted(path.relative_to(book).with_suffix("").as_posix() for path in book.rglob("*.html"))
    known = dict.fromkeys(["index", *first, *rest])
    return [name for name in known if (book / f"{name}.html").exists()]


def _part(name: str, page: str, known: set[str]) -> str:
    """One page's text; its places get the page's name in front."""
    body = page.partition('<main id="content">')[2].rpartition('<nav class="ends"')[0]
    folder = name.rpartition("/")[0]

    def link(match: re.Match[str]) -> str:
        address, place = match[2].partition("#")[::2]
        address = address.partition("?")[0]
        path = address.removeprefix("../") if address.startswith("../") or not folder else f"{folder}/{address}"
        target = path.removesuffix(".html") if address else name
        if address and target not in known:
            return f'{match[1]}="{path}"'
        return f'{match[1]}="#{_place(target, place)}"'

    body = re.sub(r'<script src="[^"]*"></script>', "", body)  # tables stand beside what they would move
    body = re.sub(r"<details(?! open)", "<details open", body.replace(' loading="lazy"', ""))
    body = re.sub(r' id="([^"]+)"', lambda m: f' id="{_place(name, m[1])}"', body)
    body = re.sub(r'(href|src)="(?!\w+:)([^"]+)"', link, body)
    entry = ' class="entry"' if folder else ""
    return f'<main id="{_place(name, "")}"{entry}>{body}</main>'


def _place(page: str, place: str) -> str:
    return f"{page.replace('/', '.')}..{place}"
