"""What is wrong in print: each slip with two ways to see it, its counterexample, its cure and the cure's cost.

``python -m replicate.slips`` runs every route; see ``--help``.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import json
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from replicate import boundary
from replicate.claims import PAPERS, PROFILES, Check, Evidence, cell, package, shown, significant

__all__ = [
    "Adjudication",
    "Finding",
    "Route",
    "Slip",
    "adjudicate",
    "overview",
    "register",
    "table",
    "try_example",
]

Kind = Literal["exact", "sampled", "symbolic"]
Effect = Literal["harmless", "changed constant", "broken as printed", "unproved as printed", "wording"]


@dataclass(frozen=True, kw_only=True)
class Route:
    """One way to find out that a printed statement fails.

    Attributes
    ----------
    kind
        Exact computation, sampling with a confidence limit, or a symbolic identity in exact arithmetic.
    how
        What is computed, in one line.
    check
        Must hold: it establishes the failure.
    control
        The same comparison on the corrected version: must not hold.
    """

    kind: Kind
    how: str
    check: Check
    control: Check

    def __post_init__(self) -> None:
        boundary.choice("kind", self.kind, get_args(Kind))


@dataclass(frozen=True, kw_only=True)
class Slip:
    """One thing that is wrong in print, and what becomes of the result.

    Attributes
    ----------
    id
        Stable name, ``"NL-SLIP-1"``, numbered in the paper's order.
    paper, where
        Key of `claims.PAPERS`, and the place in it.
    printed, true
        What stands there, and what holds.
    effect, consequence
        How bad it is, and what becomes of the theorem.
    correction, cost
        What we run instead, and what that costs in regret.
    reading
        The reading or definition under which the printed statement survives.
    example
        Python that runs in a second; its last line is an expression, true when the printed statement fails.
    routes
        At least two independent ways to find out.
    claims
        Entries of the register that rest on it.
    """

    id: str
    paper: str
    where: str
    printed: str
    true: str
    effect: Effect
    consequence: str
    correction: str
    cost: str
    reading: str
    example: str
    routes: tuple[Route, ...]
    claims: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        boundary.choice("paper", self.paper, tuple(PAPERS))
        boundary.choice("effect", self.effect, get_args(Effect))
        if len(self.routes) < 2:
            raise ValueError(f"routes must be at least two for {self.id}, got {len(self.routes)}")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What one route found, on the printed and on the corrected version."""

    route: Route
    evidence: Evidence
    control: Evidence
    seconds: float

    @property
    def stands(self) -> bool:
        """The failure is established for the printed version and not for the corrected one."""
        return self.evidence.holds and not self.control.holds


@dataclass(frozen=True, kw_only=True)
class Adjudication:
    """A slip with what its routes and its example found."""

    slip: Slip
    findings: tuple[Finding, ...]
    example_holds: bool

    @property
    def stands(self) -> bool:
        """Every route and the example establish the slip."""
        return self.example_holds and all(finding.stands for finding in self.findings)

    def record(self) -> dict[str, Any]:
        """Return the adjudication as plain data, numbers to four digits, without times."""
        slip = self.slip
        texts = (
            "id",
            "paper",
            "where",
            "printed",
            "true",
            "effect",
            "consequence",
            "correction",
            "cost",
            "reading",
        )
        return {name: getattr(slip, name) for name in texts} | {
            "claims": list(slip.claims),
            "example": slip.example,
            "routes": [
                {
                    "kind": f.route.kind,
                    "how": f.route.how,
                    "measured": significant(f.evidence.measured),
                    "relation": f.evidence.relation,
                    "limit": significant(f.evidence.limit),
                    "detail": f.evidence.detail,
                    "corrected": significant(f.control.measured),
                }
                for f in self.findings
            ],
            "stands": self.stands,
        }


def register() -> dict[str, Slip]:
    """Return every slip of every paper in the workbook, by id, in the papers' order."""
    slips: dict[str, Slip] = {}
    for paper in PAPERS:
        name = f"{package(paper)}.slips"
        if importlib.util.find_spec(name) is None:
            continue
        for slip in importlib.import_module(name).SLIPS:
            if slip.id in slips:
                raise ValueError(f"slip ids must be unique, got {slip.id} twice")
            slips[slip.id] = slip
    return slips


def try_example(slip: Slip) -> bool:
    """Run a slip's example in a namespace of its own and return the value of its last line."""
    tree = ast.parse(slip.example)
    last = tree.body.pop()
    if not isinstance(last, ast.Expr):
        raise ValueError(f"the example of {slip.id} must end in an expression")
    namespace: dict[str, Any] = {}
    exec(compile(tree, slip.id, "exec"), namespace)
    return bool(eval(compile(ast.Expression(last.value), slip.id, "eval"), namespace))


def adjudicate(slip: Slip, *, profile: str, seed: int) -> Adjudication:
    """Run a slip's routes, each on the printed and on the corrected version, and its example."""
    boundary.choice("profile", profile, PROFILES)
    boundary.count("seed", seed, low=0)
    findings = []
    for route in slip.routes:
        start = time.perf_counter()
        evidence, control = route.check(profile, seed), route.control(profile, seed)
        seconds = time.perf_counter() - start
        findings.append(Finding(route=route, evidence=evidence, control=control, seconds=seconds))
    return Adjudication(slip=slip, findings=tuple(findings), example_holds=try_example(slip))


def overview(records: Iterable[Mapping[str, Any]], *, notebooks: str = "notebooks") -> str:
    """Return records of adjudications as a short Markdown table: what is printed, what is true, what follows."""
    head = ("slip", "where", "printed", "true", "effect")
    return _rows(head, ([_link(r, notebooks), r["where"], r["printed"], r["true"], r["effect"]] for r in records))


def table(records: Iterable[Mapping[str, Any]], *, notebooks: str = "notebooks") -> str:
    """Return records of adjudications as a Markdown table, each id linked to its place in a notebook."""
    cure_and_cost = "correction and its cost in regret"
    head = ("slip", "where", "printed", "true", "effect", cure_and_cost, "survives if", "found by")
    rows = []
    for r in records:
        effect = f"**{r['effect']}**: {r['consequence']}"
        cure = f"{r['correction']}<br><sub>cost: {r['cost']}</sub>"
        found = "<br>".join(f"{_compared(route)} ({route['kind']})" for route in r["routes"])
        rows.append([_link(r, notebooks), r["where"], r["printed"], r["true"], effect, cure, r["reading"], found])
    return _rows(head, rows)


def _link(record: Mapping[str, Any], notebooks: str) -> str:
    return f"[{record['id']}]({notebooks}/{PAPERS[record['paper']]}.ipynb#{record['id']})"


def _rows(head: Iterable[str], rows: Iterable[list[str]]) -> str:
    """Lay out a Markdown table."""
    names = list(head)
    lines = [names, ["---"] * len(names), *(map(cell, row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _compared(route: Mapping[str, Any]) -> str:
    sign = "≤" if route["relation"] == "<=" else "≥"
    return f"{shown(route['measured'])} {sign} {shown(route['limit'])}"


def main(arguments: list[str] | None = None) -> int:
    """Adjudicate slips, print a line for each route; return 1 if one of them does not stand."""
    parser = argparse.ArgumentParser(prog="python -m replicate.slips", description="Run the routes of every slip.")
    parser.add_argument("ids", nargs="*", help="slip ids or paper names; all slips when none is given")
    parser.add_argument("--profile", choices=PROFILES, default="quick")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    options = parser.parse_args(arguments)
    slips = register()
    unknown = [name for name in options.ids if name not in slips and name not in PAPERS]
    if unknown:
        raise SystemExit(f"unknown slip or paper: {', '.join(unknown)}")
    chosen = [s for s in slips.values() if not options.ids or s.id in options.ids or s.paper in options.ids]
    results = [_report(slip, options.profile, options.seed) for slip in chosen]
    fallen = sum(not result.stands for result in results)
    print(f"{len(results) - fallen} of {len(results)} slips stand by every route.")
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps([result.record() for result in results], indent=1, ensure_ascii=False)
        options.json.write_text(text + "\n", encoding="utf-8")
    return 1 if fallen else 0


def _report(slip: Slip, profile: str, seed: int) -> Adjudication:
    """Adjudicate a slip and print a line for each route."""
    result = adjudicate(slip, profile=profile, seed=seed)
    for finding in result.findings:
        e, c = finding.evidence, finding.control
        state = "found" if finding.stands else "NOT FOUND" if not e.holds else "FOUND IN THE CORRECTED VERSION TOO"
        print(
            f"{slip.id:11} {finding.route.kind:8} {e.measured:11.4g} {e.relation} {e.limit:<11.4g}"
            f" corrected {c.measured:<11.4g} {finding.seconds:6.1f} s  {state}",
            flush=True,
        )
    if not result.example_holds:
        print(f"{slip.id:11} EXAMPLE DOES NOT HOLD", flush=True)
    return result


if __name__ == "__main__":
    sys.exit(main())
