"""Theorems: what the page of our own prints, and which claim has a program of NumPy that shows it alone.

``examples/theorems/README.md`` has the table of these programs, one row per page; links to one come from it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import replicate
from replicate.claims.markdown import linked
from replicate.contents import paper_of
from replicate.files import project_root


@dataclass(frozen=True, kw_only=True)
class Theorem:
    """A theorem that the workbook proves; texts are Markdown with LaTeX.

    Attributes
    ----------
    key
        Stable name without a number: ``"noisy-leader"``. The page numbers the theorems in their order.
    title
        A few words.
    statement
        The theorem, with its constants.
    scope
        For which K, T, epsilon, gaps, losses and noises it is stated, quantifier by quantifier.
    proof
        The shortest complete proof that we have, at most 40 lines.
    known, new
        What was known before, with references, and what is new.
    checked_by
        How often it was derived, and which steps a machine certifies or computes.
    floor
        How far the constant could fall at most.
    claims
        Ids of the registry whose checks and controls are its tests.
    corollary
        What follows, stated and proved; empty if the page has none.
    """

    key: str
    title: str
    statement: str
    scope: str
    proof: str
    known: str
    new: str
    checked_by: str
    floor: str
    claims: tuple[str, ...]
    corollary: str = ""


def checked_by_machine(path: Path) -> dict[str, str]:
    """Return, for each theorem that has formal proofs, what they prove and their limits: a Markdown list.

    Parameters
    ----------
    path
        ``formal/statements.toml`` of the project.
    """
    proved: dict[str, list[str]] = {}
    for said in tomllib.loads(path.read_text(encoding="utf-8"))["statement"]:
        if "theorem" in said:
            limits = f" *Limits:* {said['limits']}" if "limits" in said else ""
            proved.setdefault(said["theorem"], []).append(f"- `{said['name']}`: {said['says']}{limits}")
    return {key: "\n".join(lines) for key, lines in proved.items()}


def page(theorems: Iterable[Theorem], *, link: str, machine: Mapping[str, str] | None = None) -> str:
    """Return contents and theorems of their page as Markdown, numbered in their order.

    Parameters
    ----------
    theorems
        Their keys must differ.
    link
        Where an id leads to, see `replicate.claims.markdown.linked`.
    machine
        What is checked by machine, by key: see `checked_by_machine`.
    """
    listed = list(theorems)
    keys = [theorem.key for theorem in listed]
    if len(set(keys)) < len(keys):
        raise ValueError(f"keys of theorems must differ, got {', '.join(keys)}")
    contents = [f"{i}. [{t.title}](#{t.key}) (“{t.key}”)" for i, t in enumerate(listed, start=1)]
    sections = [_section(i, t, link, (machine or {}).get(t.key, "")) for i, t in enumerate(listed, start=1)]
    return "\n".join([*contents, *sections])


def _section(number: int, theorem: Theorem, link: str, machine: str) -> str:
    """A theorem's part of the page."""
    above = {"Range": theorem.scope, "Known": theorem.known, "New": theorem.new}
    below = {
        "Checked": theorem.checked_by,
        "Checked by machine": machine and f"\n\n{machine}",
        "How far the constant could fall": theorem.floor,
        "Tests": f"{', '.join(theorem.claims)}.",
    }

    def notes(said: Mapping[str, str]) -> str:
        listed = (f"**{name}.**{text if text[0].isspace() else f' {text}'}" for name, text in said.items() if text)
        return linked("\n\n".join(listed), link=link)

    links = [f"[{page.file}](../{page.path})" for page in pages() if page.claims[0] in theorem.claims]
    verb = "shows" if len(links) == 1 else "show"
    page = f"\n\n**Page.** {' and '.join(links)} {verb} it alone, in at most 60 lines of NumPy." if links else ""
    follows = linked(theorem.corollary.strip(), link=link)
    corollary = f"\n\n### Corollary of {number}\n\n{follows}" if follows else ""
    return f"""
<a id="{theorem.key}"></a>
## {number}. {theorem.title}

{theorem.statement}{page}

{notes(above)}

### Proof of {number}

{theorem.proof}{corollary}

{notes(below)}
"""


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


def listed(paper: str, *, up: str) -> str:
    """Return the pages of a paper or a study as a Markdown list, with what each shows."""
    return "\n".join(
        f"- [{page.theorem}]({up}{page.path}): {page.shows}" for page in pages() if page.paper == paper
    )
