"""Renew what is generated from the committed results: ``python -m replicate readme [--check]``.

That is the tables of claims, errata, theorems and verdicts in ``reports``, those of the papers' pages and of the
replication reports, what machines read in ``reports/feed``, REVIEW.md, the gallery ``figures/README.md``, and in
the README what stands between ``<!-- name:begin -->`` and ``<!-- name:end -->``; the rest of it is prose.
"""

from __future__ import annotations

import argparse
import csv
import html
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from replicate import registered
from replicate.claims import constants, graph, summary, theorems
from replicate.claims.markdown import rows, table
from replicate.claims.registry import register
from replicate.commands import review, verdicts
from replicate.contents import PAPERS, TEXTS
from replicate.files import project_root, write

Records = Sequence[Mapping[str, Any]]

CLAIMS = """\
# All claims

{count} claims, each a measured number, the limit it must respect, and a control that the same check rejects. A
ratio is measured over limit. Where the number is random, *at most* or *at least* says that it is a confidence
limit; only the one on the other side refutes a constant. The constants are those that the paper states, those that
we derive from its proof, or corrected ones. The {failing} claims that fail as printed show {errors} errors: one
error can fail several claims. Each id leads to the notebook that explains the claim; `python -m replicate claims
ID` checks it anew. [proofs.md](proofs.md) has what rests on what.

Two things are told apart. *Measured*, at full sizes, is how strong the number is: *proved* (interval or rational
arithmetic, or an identity), *exact* (a closed form or an enumeration in floating point), *certified* (a confidence
limit that needs no normality), *nominal* (Student's or another limit that is right in the limit of many runs), or
*grid* (an inequality tried at points). *Proof* is who proves the statement: a certificate that is run with the
check (*by machine*), this workbook's text (*by hand, ours*), the paper, or nobody here (*none*: a statement that
fails, one whose printed proof is incomplete, or one that is only seen). The checks below compute {limits}.

[Constants](#constants), at the end, has one line for each constant: what is stated, refuted, and proved.
"""
ERRATA = """\
# What is wrong in print

{count} errata, each established by at least two routes that the corrected version does not pass: an exact
computation, a sample with its confidence limit, or an identity in exact arithmetic. *Measured* is what each
route finds in the printed version; the last column has the same numbers for the corrected one. Each id leads to
the notebook that explains the erratum and holds a counterexample that runs in a second; `python -m replicate
claims ID` checks it anew.
"""
CONSTANTS = """\

## <a id="constants"></a>Constants

For each bound on regret, and each constant for which a better one is proved: what is stated and who proves it,
what the data refute, and which better ones are proved, by which claim and by whom. A number is the constant of a
bound that is proportional to it; of any other bound the whole is scaled, and a share of it is refuted. Nothing is,
where no confidence limit on that side is known, or it is 0.

"""
VERDICTS = """\
# What holds, on one screen

A row for each theorem of the five papers. *Refuted below*: with any smaller constant the bound is exceeded by what
was measured, up to a stated error; *best proved* is the smallest constant that has a proof, and the claim that has
it. Each id leads to its claim, each paper to its own page, with every numbered item in the paper's order. What is
wrong in print stands in [errata.md](errata.md), theorems of our own in [theorems.md](theorems.md).
"""
COUNTS = """
## How many

{verdicts}

- *Reproduced*: the check of the printed statement holds.
- *Not refuted, proof incomplete*: it holds wherever we tried it, but the printed proof does not prove it.
- *Unproved as printed*: the printed proof does not prove it, and no check can settle it.
- *Reproduced with correction*: it holds after a correction that the remark names.
- *Fails as printed*: the check establishes a counterexample, under the definition that the erratum names.
- *Vacuous at feasible size*: true, but uniform play satisfies it at every size that one can run.
- *Our finding*: something that the paper does not claim.
- *Errata*: what is wrong in print, in a claim or elsewhere, harmless things included; one error can fail several
  claims. [proofs.md](proofs.md) follows each failing lemma to the theorems that it touches.

## How sure

What was measured has a grade, and who proves the statement is another matter:

{grades}

- *Proved*: interval or rational arithmetic, or an identity. *Exact*: a closed form or an enumeration in floating
  point. *Certified*: a confidence limit that needs no normality. *Nominal*: one that takes a mean over replicates
  for normal. *Grid*: an inequality tried at points. How probable it is that any of the limits is wrong is
  computed, not asserted: [claims.md](claims.md) has it.
- Each check has a *control*: the same check with one argument changed, such as half the noise or uniform play. The
  check must hold and the control must not.
- Privacy is audited in two ways where both are possible: the exact worst-case privacy loss over neighbouring
  inputs, and a lower limit certified from samples of the learner's own actions. [audit_bench.md](audit_bench.md)
  holds this audit against the field's benchmark.
- [replications](replications) has two pages for each paper: scope, method, results, difficulties.
- [mutants.md](mutants.md) lists deliberate mistakes in the code and the test that rejects each,
  [seeds.md](seeds.md) has every random check under other root seeds, [limits.md](limits.md) how often each kind of
  limit misses on the papers' skewed laws; `python -m tests.test_stated_constants` prints the largest constants
  that the data refute.
"""
SHOWN = tuple(f"SY-ROW-{name}" for name in ("IID", "FIX", "SWITCH", "REACT", "BIID", "LFIX"))
"""Rows of the decision table that the README has; the synopsis has all of them."""
GALLERY = """\
# Figures

`make all` draws every figure anew. Beside each picture lie its PDF, its data (CSV) and its provenance (JSON).
"""


def records(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the records that lie in ``<folder>/<paper>/<name>.json``, in the papers' order.

    Parameters
    ----------
    folder
        ``figures`` of the project, or of a run.
    name
        ``"claims"`` or ``"errata"``.
    """
    paths = [folder / paper / f"{name}.json" for paper in PAPERS]
    return [record for path in paths if path.exists() for record in json.loads(path.read_text(encoding="utf-8"))]


def by_paper(chosen: Records, tabulated: Callable[[Records], str]) -> str:
    """Return one table a paper, each under its paper's name."""
    parts = []
    for paper in PAPERS:
        listed = [record for record in chosen if record["paper"] == paper]
        if listed:
            parts.append(f"\n## {paper}\n\n{tabulated(listed)}\n")
    return "".join(parts)


def _report(introduction: str, chosen: Records) -> str:
    """A page of claims or errata; each row is a place that links can lead to."""

    def tabulated(records: Records) -> str:
        return table(records, link="notebooks/{notebook}.ipynb", anchors=True)

    return introduction + by_paper(chosen, tabulated)


def _gallery(figures: Path) -> str:
    """Every committed figure with its description, under its paper's name."""
    parts = [GALLERY]
    for paper, notebook in PAPERS.items():
        pictures = sorted((figures / paper).glob("*.png"))
        if pictures:
            parts.append(f"\n## [{paper}](../reports/notebooks/{notebook}.ipynb)\n")
        parts += [_picture(path.relative_to(figures), figures) for path in pictures]
    return "".join(parts)


def _picture(path: Path, figures: Path) -> str:
    """One figure: its finding, the picture, described in words for who does not see it, and its files."""
    text = json.loads((figures / path.with_suffix(".json")).read_text(encoding="utf-8"))["description"]
    finding, _, rest = text.partition(". ")
    kinds = (("PDF", ".pdf"), ("data", ".csv"), ("provenance", ".json"))
    links = " · ".join(f"[{name}]({path.with_suffix(suffix).as_posix()})" for name, suffix in kinds)
    picture = f'<img src="{path.as_posix()}" width="720" alt="{html.escape(rest)}">'
    return f"\n### {finding}\n\n{picture}\n\n{links}\n"


def _decisions(path: Path, links: Mapping[str, str]) -> str:
    """Which learner for what, from the synopsis's table: six of its rows, five columns, ids linked."""
    with path.open(encoding="utf-8", newline="") as file:
        decisions = list(csv.DictReader(file))
    lines = [
        [
            _joined(row["if you have"], ", for example ", row["for example"]),
            ", ".join(filter(None, (row["use"], f"`{row['in code']}`" * bool(row["in code"]), row["privacy"])))
            + _linked(row["evidence"], links),
            _joined(_joined(row["regret"], "; uniform play ", row["uniform play"]), "; ", row["not private"]),
            _joined(row["bound"], "; from ", row["guaranteed from"]),
            row["remarks"],
        ]
        for row in decisions
        if row["evidence"] in SHOWN
    ]
    head = (
        "if you have", "use, its name in code and privacy", "regret; of uniform play; without privacy",
        "guarantee; from which T on", "it changes when",
    )  # fmt: skip
    return rows(head, lines)


def _joined(text: str, word: str, more: str) -> str:
    return f"{text}{word}{more}" if more else text


def _linked(ids: str, links: Mapping[str, str]) -> str:
    """Ids of claims in brackets, each with its link; nothing without ids."""
    named = [f"[{one}]({links[one]})" if one in links else one for one in filter(None, ids.split(", "))]
    return f" ({', '.join(named)})" if named else ""


def generated(root: Path) -> dict[Path, str]:
    """Return every generated file of a project with the text that its committed results give.

    Raises
    ------
    ValueError
        If the README or a report has no place for a generated part.
    """
    figures, reports, readme = root / "figures", root / "reports", root / "README.md"
    times = review.times(root)
    claims, errata = records(figures, "claims"), records(figures, "errata")
    entries = [*claims, *errata]
    links = {r["id"]: f"reports/{'errata' if 'routes' in r else 'claims'}.md#{r['id']}" for r in entries}
    parts = {
        "decisions": _decisions(figures / "synopsis" / "decisions.csv", links),
        "verdicts": verdicts.screen(entries, link="reports/{report}.md#{id}"),
        "times": review.told(times),
    }
    budgets = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(figures.glob("*/budget.json"))]
    told: dict[str, Any] = {"count": len(claims), "limits": summary.false_alarms(budgets)}
    told["failing"], told["errors"] = summary.errors(claims, "fails as printed")
    replications = {
        path: _filled(path, results=summary.results(claims, errata, path.stem))
        for path in sorted((reports / "replications").glob("*.md"))
    }
    beside = "../{report}.md#{id}"
    papers = {
        path: _filled(
            path,
            verdicts=verdicts.verdicts(entries, paper=path.stem, link=beside),
            order=verdicts.order(path.stem, entries, link=beside),
        )
        for path in sorted((reports / "papers").glob("*.md"))
    }
    screen = [
        f"\n## [{text.authors}, *{text.title}*](papers/{paper}.md)\n\n"
        f"{verdicts.verdicts(entries, paper=paper, link='{report}.md#{id}')}\n"
        for paper, text in TEXTS.items()
    ]
    return {
        **papers,
        **{reports / "feed" / f"{paper}.json": verdicts.feed(paper, entries) for paper in TEXTS},
        reports / "verdicts.md": VERDICTS
        + "".join(screen)
        + COUNTS.format(verdicts=summary.verdicts(claims, errata), grades=summary.grades(claims)),
        readme: _filled(readme, **parts),
        **replications,
        reports / "claims.md": _report(CLAIMS.format(**told), claims)
        + f"{CONSTANTS}{constants.table(claims, link='{report}.md#{id}')}\n",
        reports / "errata.md": _report(ERRATA.format(count=len(errata)), errata),
        reports / "proofs.md": graph.page(register(), link="../reports/{report}.md#{id}"),
        reports / "theorems.md": theorems.page(
            registered("theorems"),
            link="../reports/{report}.md#{id}",
            machine=theorems.checked_by_machine(root / "formal" / "statements.toml"),
        ),
        figures / "README.md": _gallery(figures),
        root / "REVIEW.md": review.page(claims, times),
    }


def _filled(path: Path, **parts: str) -> str:
    """Text of a file with its generated parts renewed."""
    text = path.read_text(encoding="utf-8")
    for name, content in parts.items():
        begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
        if begin not in text or end not in text:
            raise ValueError(f"the text has no place for the generated part {name!r}: it needs {begin.strip()}")
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}{content}\n{end}{rest.partition(end)[2]}"
    return text


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--check", action="store_true", help="change nothing; fail when a file is stale")


def main(options: argparse.Namespace) -> int:
    """Write what is stale, or with --check only name it."""
    root = project_root()
    new = generated(root)
    stale = [path for path, text in new.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        if options.check:
            print(f"{path.relative_to(root)} is stale: run `make readme`", file=sys.stderr)
        else:
            write(path, new[path])
    return int(options.check and bool(stale))
