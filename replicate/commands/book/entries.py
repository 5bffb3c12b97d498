"""A page for each claim and each erratum, in Markdown: statement, place, evidence, control, code."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from replicate.claims.evidence import Comparison
from replicate.claims.markdown import linked, rows
from replicate.claims.registry import Claim, register
from replicate.claims.words import compared, grounds, refuted, shown
from replicate.commands import readme
from replicate.contents import PAPERS, TEXTS

Record = Mapping[str, Any]
LINK = "/claims/{id}.md"


def verdict(record: Record) -> str:
    """Return the verdict of a claim, the effect of an erratum."""
    return str(record.get("verdict") or record["effect"])


def register_page(text: str, records: Sequence[Record]) -> str:
    """Return the report on claims or errata with a short table for each paper: their own pages have the rest."""
    introduction, *parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    rest = [part for part in parts if part.split()[1] not in PAPERS]

    def tabulated(listed: Sequence[Record]) -> str:
        lines = [(_ids([r["id"]]), r["source"], verdict(r), compared(r) if "proof" in r else "") for r in listed]
        return rows(("id", "where", "verdict", "measured"), lines)

    introduction = re.sub(r"leads to\s+the notebook", "has a page, which leads to the notebook", introduction)
    return f"{introduction}{readme.by_paper(records, tabulated)}\n{''.join(rest)}"


def entry_page(record: Record, records: Mapping[str, Record]) -> str:
    """Return the page of a claim or an erratum; `records` are those of all, by their ids."""
    name, erratum = str(record["id"]), "routes" in record
    report = "errata" if erratum else "claims"
    notebook = f"[{record['paper']}, where it is explained](/{PAPERS[record['paper']]}.ipynb#{name})"
    head = (
        f"---\norphan: true\n---\n\n# {name}: {record['source']}\n\n"
        f"```{{index}} ! {name}\n```\n\n**{verdict(record)}**{_strength(record)}\n\n"
        f"[All {report}](/reports/{report}.md) · {notebook}\n\n{_place(record)}\n\n"
    )
    used = [other for other, r in records.items() if name in r.get("proof_uses", ())]
    return head + (_erratum(record) if erratum else _claim(record, used)) + _code(name)


def _strength(record: Record) -> str:
    """Return how strong the number of a claim is, who proves it, and whose its constants are."""
    return f" · {grounds(record)} · {record['constants']} constants" if "proof" in record else ""


def _place(record: Record) -> str:
    """Return the place in the paper, and the text of the paper that was read."""
    text = TEXTS.get(record["paper"])
    if text is None:
        return "This workbook's own."
    section = f", section {record['section']}" if record.get("section") else ""
    number = int(PAPERS[record["paper"]].partition("_")[0])
    paper = f"paper {number}: {text.authors} ({text.year}), *{text.title}*, {text.version}"
    return f"{record['source']}{section} of {paper}. {text.later}"


def _facts(pairs: Iterable[tuple[str, Any]]) -> str:
    """Return names with their texts, one line each; what is empty is left out."""
    return "".join(f"- **{name}:** {text}\n" for name, text in pairs if text) + "\n"


def _text(value: object) -> str:
    """Return a text of a record; ids that it names lead to their pages."""
    return linked(str(value or ""), link=LINK)


def _ids(names: Sequence[str]) -> str:
    return ", ".join(f"[{name}]({LINK.format(id=name)})" if name in register() else name for name in names)


def _range(record: Record) -> str:
    """Return the set for which a statement is claimed, and what was known before."""
    said = (f"*Range:* {record['range']}." if record.get("range") else "", record.get("known"))
    return "".join(f"{line}\n\n" for line in said if line)


def _claim(record: Record, used: Sequence[str]) -> str:
    """Return statement, evidence, control and neighbours of a claim."""
    uniform = record["uniform"]
    evidence = _facts(
        (
            ("Measured against its limit", compared(record)),
            ("Ratio", shown(record["ratio"])),
            ("Where", _text(record["detail"])),
            ("Uniform play measures", "" if uniform is None else shown(uniform)),
            ("Probability that a confidence limit is wrong", shown(record["false_alarm"] or None)),
            ("Data", refuted(record)),
        )
    )
    rests = _facts(
        (
            ("The paper's proof uses", _ids(record["proof_uses"])),
            ("Rests on", _ids(record["stands_by"])),
            ("Used by", _ids(used)),
            ("Error in print", _ids([record["error"]] if record["error"] else [])),
        )
    )
    control = (
        f"The same check with one argument changed, *{record['control']}*, measures "
        f"{shown(record['control_measured'])} against {shown(record['control_limit'])}: "
        f"it is {'rejected' if record['control_caught'] else 'NOT REJECTED'}."
    )
    return (
        f"{record['statement']}\n\n{_range(record)}{_text(record['remark'])}\n\n"
        f"## Evidence\n\n{evidence}{control}\n\n" + (f"## What rests on what\n\n{rests}" if rests.strip() else "")
    )


def _erratum(record: Record) -> str:
    """Return what is printed and what is true, the routes and the counterexample."""
    names = {
        "Printed": "printed", "True": "true", "Consequence": "consequence", "Correction": "correction",
        "Its cost in regret": "cost", "Survives if": "reading", "Definition": "definition", "Shown at": "shown_at",
    }  # fmt: skip
    said = [(title, _text(record.get(name))) for title, name in names.items()]
    routes = [
        (f"{route['kind']}", f"{_text(route['how'])}: {compared(route)}; the corrected version measures "
         f"{shown(route['corrected'])}. {_text(route['detail'])}")
        for route in record["routes"]
    ]  # fmt: skip
    return (
        f"{_facts([*said, ('Claims', _ids(record['claims']))])}{_range(record)}## Evidence\n\n{_facts(routes)}"
        "## Counterexample\n\nIt runs in a second; its last line is true when the printed statement fails.\n\n"
        f"```python\n{record['example']}\n```\n\n"
    )


def _code(name: str) -> str:
    """Return the command that checks an entry, and module, call and source of every check of it."""
    entry = register().get(name)
    if entry is None:
        return ""
    command = f"## Code\n\n```sh\n.venv/bin/python -m replicate claims {name}\n```\n\n"
    if isinstance(entry, Claim):
        control = next(iter(entry.control.items()))
        command += f"Control: `{control[0]}={control[1]!r}`\n\n"
    return command + "".join(dict.fromkeys(map(_check, entry.comparisons)))


def _check(comparison: Comparison) -> str:
    """Return one check with its stated arguments."""
    function = inspect.unwrap(comparison.check)
    stated = "".join(f", {name}={value!r}" for name, value in comparison.stated.items())
    where = f"{function.__module__}.{function.__qualname__}"
    called = f"{function.__name__}(profile, seed{stated})"
    return f"`{where}`, called as `{called}`\n\n```python\n{inspect.getsource(function)}```\n\n"
