"""A theorem of our own, with its proof: what the page of theorems prints, and what other pages quote."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from replicate import validation
from replicate.claims import pages
from replicate.claims.markdown import linked


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
        Ids of the register whose checks and controls are its tests.
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

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self) if field.name != "claims"):
            if not validation.text(name, getattr(self, name)):
                raise ValueError(f"{name} of a theorem must not be empty")
        if not validation.tuple_of("claims", self.claims, str, "ids"):
            raise ValueError("claims must not be empty")


PAGE = """\
# Theorems

What this workbook proves itself, each with the shortest complete proof that we have; docstrings, notebooks and
letters quote the theorems by name. *Checked* says how often a proof was gone through; none has been read by
anybody outside. The ids lead to the checks and controls that would notice a wrong statement. Numbers follow the
order of this page; names stay. *Checked by machine* names statements that Coq has checked, in the folder `formal`,
each with its limits. What others have shown since is in [since.md](since.md).
"""


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
    """Return the page of theorems as Markdown, numbered in their order.

    Parameters
    ----------
    theorems
        Their keys must differ.
    link
        Where an id leads to, see `replicate.claims.markdown.table`.
    machine
        What is checked by machine, by key: see `checked_by_machine`.
    """
    listed = list(theorems)
    keys = [theorem.key for theorem in listed]
    if len(set(keys)) < len(keys):
        raise ValueError(f"keys of theorems must differ, got {', '.join(keys)}")
    contents = [f"{i}. [{t.title}](#{t.key}) (“{t.key}”)" for i, t in enumerate(listed, start=1)]
    return "\n".join(
        [
            PAGE,
            *contents,
            *(_section(i, t, link, (machine or {}).get(t.key)) for i, t in enumerate(listed, start=1)),
        ]
    )


def _section(number: int, theorem: Theorem, link: str, machine: str | None) -> str:
    """A theorem's part of the page."""
    notes = {
        "Range": f" {theorem.scope}",
        "Known": f" {theorem.known}",
        "New": f" {theorem.new}",
        "Checked": f" {theorem.checked_by}",
        "Checked by machine": "\n\n" + machine if machine else "",
        "How far the constant could fall": f" {theorem.floor}",
        "Tests": f" {', '.join(theorem.claims)}.",
    }
    above, below = (
        "\n\n".join(f"**{name}.**{linked(notes[name], link=link)}" for name in names if notes[name])
        for names in (
            ("Range", "Known", "New"),
            ("Checked", "Checked by machine", "How far the constant could fall", "Tests"),
        )
    )
    return f"""
<a id="{theorem.key}"></a>
## {number}. {theorem.title}

{theorem.statement}{_pages(theorem)}

{above}

### Proof of {number}

{theorem.proof}

{below}
"""


def _pages(theorem: Theorem) -> str:
    """A paragraph that links the pages which show the theorem alone, if there are any."""
    links = [f"[{page.file}](../{page.path})" for page in pages.pages() if page.claims[0] in theorem.claims]
    verb = "shows" if len(links) == 1 else "show"
    return f"\n\n**Page.** {' and '.join(links)} {verb} it alone, in at most 60 lines of NumPy." if links else ""
