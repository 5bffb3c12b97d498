"""Sliders on the page of every claim that can be asked: its bound at any sizes, and what was measured near them.

A page holds its data and loads one script, ``sliders.js``: the bounds' formulas, translated, and what moves them.
Without scripts, and in print, the same numbers stand in a table.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from replicate.claims import asking
from replicate.claims.asking import Formula, Promise
from replicate.claims.words import shown
from replicate.commands import grids
from replicate.commands.ask import OPTIONS
from replicate.commands.book.javascript import RUNTIME, Script, Untranslated, constant
from replicate.commands.book.markup import labelled, markdown

NAMES = {
    "epsilon": "ε, privacy", "delta": "δ", "n_actions": "K, actions", "n_labels": "M, labels", "gap": "Δ, gap",
    "horizon": "T, rounds", "n_switches": "S, switches",
}  # fmt: skip
"""What stands beside a slider."""


@cache
def _script() -> tuple[Script, dict[tuple[str, str], dict[str, str]]]:
    """The translated functions, and by claim and subject the expressions of bound, uniform play and scope."""
    script, expressions = Script(), {}
    for claim, listed in asking.promises().items():
        for promise in listed:
            expressions[claim, promise.subject] = _expressions(promise, script)
    return script, expressions


def _expressions(promise: Promise, script: Script) -> dict[str, str]:
    """Translate what can be of a promise, as functions of its sizes ``own``; the rest is tabulated."""
    expressions = {}
    if isinstance(promise.bound, Formula):
        formula = promise.bound
        arguments = {name: f"own.{size}" for name, size in formula.reads.items()}
        arguments |= {name: constant(value) for name, value in formula.fixed.items()}
        expressions["bound"] = script.call(formula.function, arguments)
    for name in ("uniform", "scope"):
        try:
            expressions[name] = f"{script.add(getattr(promise, name))}(own)"
        except Untranslated:
            continue
    return expressions


def script() -> str:
    """Return the script of every page with sliders, and of the decision on the first page."""
    functions, expressions = _script()
    rows = "".join(
        f"  {json.dumps(f'{claim} {subject}', ensure_ascii=False)}: "
        f"{{ {', '.join(f'{name}: (own) => {text}' for name, text in known.items())} }},\n"
        for (claim, subject), known in expressions.items()
        if known
    )
    moves = files("replicate.commands.book").joinpath("sliders.js").read_text(encoding="utf-8")
    formulas = f'"use strict";\n{RUNTIME}{functions.text}const FORMULAS = {{\n{rows}}};\n'
    return formulas + moves


def read(root: Path) -> dict[str, Any]:
    """Return what ``reports/sliders.json`` holds; nothing where it is absent."""
    path = root / "reports" / "sliders.json"
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def section(claim: str, stored: Sequence[Mapping[str, Any]]) -> str:
    """Return the sliders of a claim as HTML; nothing for a claim that cannot be asked.

    Parameters
    ----------
    claim
        Its id.
    stored
        Its learners and settings, from `read`.
    """
    listed = asking.promises().get(claim)
    if listed is None or not stored:
        return ""
    known = {part["subject"]: part["settings"] for part in stored}
    learners = [learner(promise, known.get(promise.subject, [])) for promise in listed]
    data = json.dumps({"claim": claim, "learners": learners}, ensure_ascii=False, separators=(",", ":"))
    data = data.replace("</", r"<\/")
    above = (
        "The bound is computed in this page, as in Python; what is measured beside it was played before, where "
        "the sliders begin and along each of them. Bars are on a logarithmic scale."
    )
    return (
        f'<h2 id="sizes">At your sizes</h2><p>{above}</p>'
        f'<form class="sizes" hidden><script type="application/json">{data}</script></form>'
        '<details class="asked" open><summary>What was measured, as a table</summary>'
        f'{_table(listed, known)}</details><script src="sliders.js"></script>'
    )


def learner(promise: Promise, settings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the page's script needs of one learner: its sizes, and what was stored, a row a setting."""
    sizes = list(promise.at)
    columns = ("mean", "low", "high", "bound", "uniform")
    rows = [[*(row["sizes"][size] for size in sizes), *(row[name] for name in columns)] for row in settings]
    positions = grids.positions(promise)
    return {
        "key": f"{promise.claim} {promise.subject}", "label": promise.label, "losses": promise.losses,
        "quantity": promise.quantity, "relation": promise.relation, "exact": promise.exact,
        "sizes": [
            {"name": size, "label": NAMES[size], "option": OPTIONS[size][0], "values": positions[size], "own": own}
            for size, own in promise.at.items()
        ],
        "stored": rows,
    }  # fmt: skip


def _table(listed: Sequence[Promise], known: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Every stored setting: sizes, bound, measured, uniform play."""
    lines = ["| learner | sizes | bound | measured, 99 % | uniform play |", "| --- | --- | --- | --- | --- |"]
    for promise in listed:
        for row in known.get(promise.subject, []):
            own = asking.described(promise, promise.own(row["sizes"]))
            half = (row["high"] - row["low"]) / 2
            error = "" if promise.exact else f" ± {shown(half)}"
            lines.append(
                f"| {promise.label} | {own} | {shown(row['bound'])} | {shown(row['mean'])}{error} | "
                f"{shown(row['uniform'])} |"
            )
    return f'<div class="wide">{labelled(markdown(chr(10).join(lines)))}</div>'


QUESTIONS: Mapping[str, tuple[str, Mapping[Any, str]]] = {
    "feedback": ("What I see", {"full": "the losses of all actions", "bandit": "my own loss only"}),
    "losses": ("What losses may do", {
        "iid": "independent, one law", "shifting": f"independent, the law changes {grids.SWITCHES} times",
        "fixed": "anything, fixed in advance",
        "switching": f"anything, and the best action changes {grids.SWITCHES} times",
        "reactive": "react to what I play",
    }),
    "local": ("Whom I trust", {False: "one curator", True: "nobody"}),
}  # fmt: skip
"""What the first page asks, with the answers in words."""


def decision(stored: Mapping[str, Any]) -> str:
    """Return the first page's questions, whose answer is the learner that wins there.

    Parameters
    ----------
    stored
        ``"decisions"`` of what `read` returns; nothing for none.
    """
    if not stored:
        return ""
    chosen = [
        {"label": label, "options": [answers[value] for value in grids.DECISIONS[name]]}
        for name, (label, answers) in QUESTIONS.items()
    ]
    sizes = [
        {"label": NAMES[name], "option": OPTIONS[name][0], "values": grids.DECISIONS[name]}
        for name in ("n_actions", "horizon", "epsilon")
    ]
    choices = {"options": [list(grids.DECISIONS[name]) for name in QUESTIONS], "gap": grids.GAP}
    data = json.dumps({"questions": chosen, "sizes": sizes, **choices, **stored}, ensure_ascii=False)
    return (
        "<p>Among the private learners that have a guarantee for such losses: who wins a short race at these "
        "sizes; in long games, and where losses react, whose proved bound is least. The command races all.</p>"
        f'<form class="decision" hidden><script type="application/json">{data}</script></form>'
        '<script src="sliders.js"></script>'
    )
