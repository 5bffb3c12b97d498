"""Records as Markdown: tables whose columns are data, and pages with generated parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from replicate.claims.errata import Erratum
from replicate.claims.registry import WITH_REASON, Result, register
from replicate.claims.words import against, apart, compared, constant_of, grounds, plain, refuted, sectioned, shown
from replicate.contents import PAPERS, TEXTS

_NOTES = {
    "definition": "definition",
    "shown at": "shown_at",
    "consequence": "consequence",
    "correction": "correction",
    "its cost in regret": "cost",
    "survives if": "reading",
}
"""Texts of an erratum besides what is printed and what is true: labels and fields."""


_WORDS = {",": "thinspace", ";": "thickspace", "{": "lbrace", "}": "rbrace", "|": "Vert"}
"""Commands of TeX that are a sign, and the same as words."""


def published(text: str) -> str:
    r"""Return Markdown whose formulas the page of a repository shows whole: it strips the backslash of ``\,``.

    Code, and what stands in no formula, stays as it is.

    Examples
    --------
    >>> published(r"$2\,\min\{a,b\}$ and `$2\,a$`, \{not this\}")
    '$2\\thinspace\\min\\lbrace a,b\\rbrace$ and `$2\\,a$`, \\{not this\\}'
    """
    signs = re.compile(r"\\([,;{}|])(?=([A-Za-z]?))")
    parts = re.compile(r"```.*?```|`[^`\n]*`|\$\$[^$]+\$\$|\$[^$\n]+(?:\n[^$\n]+)*\$", re.DOTALL)

    def worded(sign: re.Match[str]) -> str:
        return f"\\{_WORDS[sign[1]]}{' ' * bool(sign[2])}"

    return parts.sub(lambda part: signs.sub(worded, part[0]) if part[0][0] == "$" else part[0], text)


def tabulated(records: Iterable[Mapping[str, str]], *, link: str = "") -> str:
    """Return a Markdown table with a row for each record; the first one's keys are the columns' names.

    Parameters
    ----------
    records
        Texts by column, in Markdown.
    link
        Where the ids of claims and errata in the table lead to, see `linked`; empty for no links.
    """
    listed = list(records)
    text = rows([*listed[0]], [[*record.values()] for record in listed]) if listed else ""
    return linked(text, link=link) if link else text


def filled(path: Path, **parts: str) -> str:
    """Return the text of a page with its generated parts renewed.

    Parameters
    ----------
    path
        The page; a part stands between ``<!-- name:begin -->`` and ``<!-- name:end -->``.
    parts
        Their new texts by name.

    Raises
    ------
    ValueError
        If the page has no place for a part.
    """
    text = path.read_text(encoding="utf-8")
    for name, content in parts.items():
        begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
        if begin not in text or end not in text:
            raise ValueError(f"{path} has no place for the generated part {name!r}: it needs {begin.strip()}")
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}{content}\n{end}{rest.partition(end)[2]}"
    return text


def listed(records: Iterable[Mapping[str, Any]]) -> str:
    """Return records of results as a Markdown list, one entry per claim or erratum, one line per fact.

    Parameters
    ----------
    records
        From `Result.record`, or read back from JSON.

    Returns
    -------
    An id leads to its notebook, and is a place that links can lead to. What is corrected or fails comes with the
    reason; an erratum with what is printed and what is true, and folded: what follows, what is run instead and the
    reading under which the sentence survives.
    """
    entries, everything = [], list(records)
    for record in everything:
        first = f"**{_link(record['id'], record['paper'], '', 'notebooks/{notebook}.ipynb')}**"
        head, *facts = _erratum(record) if "routes" in record else _claim(record, everything)
        said = f'- <a id="{record["id"]}"></a>{first} ({_where(record)}): {head}'
        entries.append("\n  - ".join([said, *facts]))
    return "\n".join(entries)


def _claim(r: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Verdict and statement; then its range, the numbers, the control, the proof and the reason, a fact each."""
    constants = "" if r["constants"] == "stated" else f"; {r['constants']} constants"
    measured = f"{compared(r)} ({r['grade']})"
    facts = {
        "Range": (r.get("range") or "").removeprefix("for all "),
        "Measured": "; ".join(filter(None, [measured, refuted(r).replace(" of the bound", "")])),
        "Control": r["control"] + ("" if r["control_caught"] else ": NOT REJECTED"),
        "Proof": r["proof"].removeprefix("by hand, ") + constants,
        "Better, proved": constant_of(r, records).better if r.get("knob") else "",
        "Reason": r["remark"] if r["verdict"] in WITH_REASON else "",
    }
    return [f"**{r['verdict']}**. {r['statement']}", *_labelled(facts), *filter(None, [r.get("known")])]


def _labelled(facts: Mapping[str, str | None]) -> list[str]:
    return [f"*{name}:* {text}" for name, text in facts.items() if text]


def ranged(record: Mapping[str, Any]) -> str:
    """The range of a record's statement, and what is new about it, each a paragraph of its own."""
    said = (f"*Range:* {record['range']}." if record.get("range") else "", record.get("known"))
    return "".join(f"\n\n{line}" for line in said if line)


def _erratum(r: Mapping[str, Any]) -> list[str]:
    """Effect and what is printed; then what is true, what each route measures, and the rest folded."""
    routes = (
        f"{compared(route)} ({route['kind']}); corrected, {apart(route['corrected'], route['limit'])[0]}"
        for route in r["routes"]
    )
    fold = "; ".join(["what follows", *(name for name, _ in notes(r) if name != "consequence")])
    noted = "\n    ".join(f"- *{name.capitalize()}:* {text.rstrip('.')}." for name, text in notes(r))
    facts = {"True": r["true"], "Range": r.get("range"), "Measured": "; ".join(routes)}
    folded = f"<details><summary>{fold.capitalize()}</summary>\n\n    {noted}\n\n    </details>"
    return [f"**{r.get('verdict', r['effect'])}**. Printed: {r['printed']}", *_labelled(facts), folded]


def notes(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what an erratum says besides what is printed and what is true: labels and texts."""
    return [(name, record[field]) for name, field in _NOTES.items() if record.get(field)]


def in_full(result: Result) -> str:
    """Return a result as a notebook shows it, Markdown: a claim's number and control, an erratum's texts."""
    c, record = result.outcomes[0].control, result.record()
    if "routes" in record:
        return full(record, "")
    return full(record, f"{against(record)}, {'not ' if not c.holds else ''}accepted. {plain(c.detail)}")


def full(r: Mapping[str, Any], fate: str) -> str:
    """Return a record as Markdown, all that it says; `fate` is what became of a claim's control."""
    if "routes" in r:
        routes = "\n".join(
            f"- *{route['kind']}*: {route['how']}: {compared(route)}; "
            f"corrected: {apart(route['corrected'], route['limit'])[0]}. {route['detail']}"
            for route in r["routes"]
        )
        return (
            f"**{r['id']}** ({r['source']}): **{r['verdict']}**\n\n"
            f"*Printed:* {r['printed']}\n\n*True:* {r['true']}{ranged(r)}\n\n"
            "<details><summary>Where it is shown, what follows, the correction, how to find out</summary>\n\n"
            f"{rows(('', ''), notes(r))}\n\n{routes}\n\n```python\n{r['example']}\n```\n\n</details>\n"
        )
    uniform = "" if r["uniform"] is None else f" Uniform play: {shown(r['uniform'])}."
    remark = f"\n\n{r['remark']}" if r["remark"] else ""
    return (
        f"**{r['id']}** ({r['source']}, {r['constants']} constants): **{r['verdict']}** ({grounds(r)})\n\n"
        f"{r['statement']}{ranged(r)}\n\n"
        f"**{compared(r)}**, ratio {shown(r['ratio'])}. {r['detail']}{uniform}\n\n"
        f"*Control, {r['control']}:* {fate}{remark}"
    )


def _link(name: str, paper: str, report: str, link: str) -> str:
    return f"[{name}]({link.format(notebook=PAPERS[paper], report=report, id=name)})" if paper in PAPERS else name


def _where(record: Mapping[str, Any]) -> str:
    """Section of the paper, and the number of the theorem or formula in it."""
    text = TEXTS.get(record["paper"])
    return sectioned(record) + (", in the version read" if "routes" in record and text and text.later else "")


def titled(paper: str) -> str:
    """Return the authors and the title of a paper, or the notebook of a study, as Markdown.

    Examples
    --------
    >>> titled("synopsis")
    'Notebook 06_synopsis'
    """
    text = TEXTS.get(paper)
    return f"{text.authors}, *{text.title}*" if text else f"Notebook {PAPERS[paper]}"


def rows(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Lay out a Markdown table with these column names and rows."""
    return "\n".join(f"| {' | '.join(map(cell, line))} |" for line in (head, ["---"] * len(head), *lines))


def cell(text: str) -> str:
    """Return text for a cell of a Markdown table: its vertical bars must not end the cell."""
    formulas = re.sub(r"\$[^$]*\$", lambda formula: formula[0].replace("|", r"\vert "), text)
    return formulas.replace("|", r"\|")


def linked(text: str, *, link: str) -> str:
    """Link the ids of claims and errata that a text names.

    Parameters
    ----------
    text
        Markdown.
    link
        Where an id leads to; ``{notebook}``, ``{report}`` ("claims" or "errata") and ``{id}`` are filled in.
    """
    entries = register()

    def linked(match: re.Match[str]) -> str:
        entry = entries.get(match[0])
        report = "errata" if isinstance(entry, Erratum) else "claims"
        return _link(entry.id, entry.paper, report, link) if entry else match[0]

    return re.sub(r"\b[A-Z]{2}(?:-\w+)+", linked, text)
