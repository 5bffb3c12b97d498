"""A page for each claim and each erratum: statement, place, evidence, control, figure, code."""

from __future__ import annotations

import html
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from replicate.claims.evidence import Comparison
from replicate.claims.markdown import linked
from replicate.claims.registry import Claim, register
from replicate.claims.words import compared, grounds, refuted, shown
from replicate.commands.book.frame import Page
from replicate.commands.book.markup import code, facts, inline, markdown, words
from replicate.contents import PAPERS, TEXTS

LINK = "claims/{id}.html"


def entry_page(
    record: Mapping[str, Any], figure: str, follows: Mapping[str, Sequence[str]], *, sizes: str = ""
) -> Page:
    """Return the page of a claim or an erratum.

    Parameters
    ----------
    record
        From `Result.record`.
    figure
        HTML of the figure that is nearest to it in its notebook, or nothing.
    follows
        Ids to the ids of what rests on them.
    sizes
        HTML of the sliders of a claim that can be asked, or nothing.
    """
    name, erratum = str(record["id"]), "routes" in record
    parts = _of_erratum(record) if erratum else _of_claim(record, follows.get(name, ()))
    shown_at = f'<h2 id="figure">Figure</h2><p>From the section that explains it.</p>{figure}' if figure else ""
    report = "errata" if erratum else "claims"
    head = (
        f'<p class="crumbs"><a href="{report}.html#{name}">All {report}</a> · '
        f'<a href="{PAPERS[record["paper"]]}.html#{name}">{record["paper"]}, where it is explained</a></p>'
        f'<h1 id="top">{inline(str(record["source"]))} <small>{name}</small></h1>'
        f"<p>{badge(record)}</p>{place(record)}"
    )
    title = f"{name}: {words(inline(str(record['source'])))}"
    return Page(f"claims/{name}", title, head + parts + sizes + shown_at + _code(name), "", name)


def badge(record: Mapping[str, Any]) -> str:
    """The verdict of a record, how strong its number is and who proves it."""
    verdict = record.get("verdict") or record["effect"]
    grade = f" · {grounds(record)}" if "proof" in record else ""
    constants = f" · {record['constants']} constants" if record.get("constants") else ""
    mark = f'<strong class="verdict" data-verdict="{html.escape(verdict)}">{html.escape(verdict)}</strong>'
    return f"{mark}<small>{grade}{constants}</small>"


def place(record: Mapping[str, Any]) -> str:
    """Return the place in the paper, and the text of the paper that was read."""
    text = TEXTS.get(record["paper"])
    section = f", section {record['section']}" if record.get("section") else ""
    if text is None:
        return "<p>This workbook's own.</p>"
    paper = f"{text.authors} ({text.year}), <cite>{text.title}</cite>, {text.version}"
    return f"<p>{inline(str(record['source']))}{section} of {paper}. {text.later}</p>"


def _text(value: object) -> str:
    """A text of a record as HTML; ids that it names lead to their pages."""
    return inline(linked(str(value), link=LINK)) if value else ""


def _of_claim(record: Mapping[str, Any], follows: Sequence[str]) -> str:
    """Statement, evidence, control and neighbours of a claim."""
    uniform = record.get("uniform")
    evidence = facts(
        (
            ("Measured against its limit", compared(record)),
            ("Ratio", shown(record["ratio"])),
            ("Where", _text(record["detail"])),
            ("Uniform play measures", "" if uniform is None else shown(uniform)),
            ("Probability that a confidence limit is wrong", shown(record["false_alarm"] or None)),
            ("The data refute", refuted(record) if record["knob"] else ""),
        )
    )
    control = (
        f"<p>The same check with one argument changed, <em>{html.escape(record['control'])}</em>, measures "
        f"{shown(record['control_measured'])} against {shown(record['control_limit'])}: "
        f"{'rejected' if record['control_caught'] else 'NOT REJECTED'}.</p>"
    )
    rests = facts(
        (
            ("The paper's proof uses", _ids(record["proof_uses"])),
            ("Stands by", _ids(record["stands_by"])),
            ("Used by", _ids(follows)),
            ("Error in print", _ids([record["error"]] if record["error"] else [])),
        )
    )
    remark = markdown(linked(record["remark"], link=LINK))
    return (
        f'<h2 id="statement">Statement</h2>{markdown(record["statement"])}{_range(record)}{remark}'
        f'<h2 id="evidence">Evidence</h2>{evidence}<h2 id="control">Control</h2>{control}'
        + (f'<h2 id="rests">What rests on what</h2>{rests}' if rests else "")
    )


def _range(record: Mapping[str, Any]) -> str:
    """The set for which a statement is claimed, and what was known before."""
    known = f"<p>{inline(record['known'])}</p>" if record.get("known") else ""
    return (f"<p><em>Range:</em> {inline(record['range'])}.</p>" if record.get("range") else "") + known


def _ids(names: Sequence[str]) -> str:
    entries = register()
    return ", ".join(f'<a href="{LINK.format(id=name)}">{name}</a>' if name in entries else name for name in names)


def _of_erratum(record: Mapping[str, Any]) -> str:
    """Return an erratum's page: printed and true, the routes, the counterexample."""
    names = ("true", "consequence", "correction", "cost", "reading", "definition", "shown_at")
    titles = ("True", "Consequence", "Correction", "Its cost in regret", "Survives if", "Definition", "Shown at")
    said = facts(
        (("Printed", _text(record["printed"])),
         *((title, _text(record.get(name))) for name, title in zip(names, titles, strict=True)),
         ("Claims", _ids(record["claims"])))
    )  # fmt: skip
    routes = "".join(
        f"<li><em>{route['kind']}</em>: {_text(route['how'])}: {compared(route)}; the corrected version measures "
        f"{shown(route['corrected'])}. {_text(route['detail'])}</li>"
        for route in record["routes"]
    )
    return (
        f'<h2 id="statement">Printed and true</h2>{said}{_range(record)}'
        f'<h2 id="evidence">How it was found</h2><ol>{routes}</ol>'
        f'<h2 id="example">Counterexample</h2><p>Runs in a second; its last line is true when the printed '
        f"statement fails.</p>{code(record['example'])}"
    )


def _code(name: str) -> str:
    """Module, function and source of every check of an entry, and the command that runs it."""
    entry = register().get(name)
    if entry is None:
        return ""
    command = code(f".venv/bin/python -m replicate claims {name}", "sh")
    checks = list(dict.fromkeys(_check(comparison) for comparison in entry.comparisons))
    if isinstance(entry, Claim):
        control = next(iter(entry.control.items()))
        command += f"<p>Control: <code>{html.escape(f'{control[0]}={control[1]!r}')}</code></p>"
    return f'<h2 id="code">Code</h2>{command}{"".join(checks)}'


def _check(comparison: Comparison) -> str:
    """One check with its stated arguments."""
    function = inspect.unwrap(comparison.check)
    stated = ", ".join(f"{name}={value!r}" for name, value in comparison.stated.items())
    where = f"{function.__module__}.{function.__qualname__}"
    called = html.escape(f"{function.__name__}(profile, seed{', ' + stated if stated else ''})")
    return f"<p><code>{where}</code>, called as <code>{called}</code></p>{code(inspect.getsource(function))}"
