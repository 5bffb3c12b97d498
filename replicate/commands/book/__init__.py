"""The executed notebooks and the reports as static pages: ``python -m replicate book --profile full``.

Their Markdown is gathered in one folder, with a page for each claim and erratum, and Sphinx makes pages of it that
need no network. `conf` has its settings.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from replicate.claims import PROFILES
from replicate.commands.book.source import gather
from replicate.files import project_root, replacing

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATIENCE = 1800
"""Seconds that printing may take."""


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
        page.write_text(
            re.sub(r'href="#document-[^"#]*#', 'href="#', page.read_text(encoding="utf-8")), encoding="utf-8"
        )
    return page


def chromium() -> str:
    """Return the path of a browser that prints.

    Raises
    ------
    ValueError
        If there is none.
    """
    for name in BROWSERS:
        if path := shutil.which(name):
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
    parser.add_argument("--profile", choices=PROFILES, default="full")
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
