"""The register: every claim of the five papers and of their synopsis, how it is checked, and what would refute it.

``python -m replicate.claims`` checks claims and prints the table; see ``--help``.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from replicate import boundary

__all__ = [
    "OWN",
    "PAPERS",
    "PROFILES",
    "Claim",
    "Evidence",
    "Result",
    "cell",
    "package",
    "register",
    "shown",
    "significant",
    "table",
    "verify",
]

PAPERS = {
    "prefix_softmax": "01_prefix_softmax",
    "noisy_leader": "02_noisy_leader",
    "tracking": "03_tracking",
    "bandits": "04_bandits",
    "distribution_learning": "05_distribution_learning",
    "synopsis": "06_synopsis",
}
"""The papers, and the synopsis across them, each with the name of its notebook."""

OWN = "own"
"""In the place of a paper: a claim of the reader's own, about a learner of the reader's own."""

PROFILES = ("quick", "full")

Kind = Literal["regret upper", "regret lower", "privacy", "lemma", "figure", "table"]
Constants = Literal["stated", "derived", "corrected"]
Verdict = Literal[
    "reproduced", "reproduced with correction", "fails as printed", "vacuous at feasible size", "our finding"
]


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One number held against its limit.

    Attributes
    ----------
    measured, limit
        The number and what it must respect. Where the number is random, it is a confidence limit.
    relation
        ``"<="`` when `measured` may be at most `limit`, ``">="`` when it must be at least that.
    detail
        Where the worst case was met, and what the number is.
    uniform
        What uniform play measures in the same place, where that makes sense: above `limit`, or the
        bound would say nothing.
    """

    measured: float
    limit: float
    relation: Literal["<=", ">="] = "<="
    detail: str = ""
    uniform: float | None = None

    @property
    def holds(self) -> bool:
        """Whether the number respects its limit; a NaN never does."""
        return self.measured <= self.limit if self.relation == "<=" else self.measured >= self.limit

    @property
    def ratio(self) -> float:
        """Measured over limit."""
        return self.measured / self.limit if self.limit else (np.inf if self.measured > 0 else 0.0)

    @property
    def _tightness(self) -> tuple[bool, float]:
        """Order of badness: a failure first, then how close to (or far beyond) the limit."""
        ratio = self.ratio
        if np.isnan(ratio):
            return (True, np.inf)
        return (not self.holds, ratio if self.relation == "<=" else -ratio)

    @staticmethod
    def worst(evidence: Iterable[Evidence]) -> Evidence:
        """The piece that fails worst, or the one closest to its limit when all hold."""
        pieces = list(evidence)
        if not pieces:
            raise ValueError("evidence must hold at least one piece, got none")
        return max(pieces, key=lambda piece: piece._tightness)

    @staticmethod
    def best(evidence: Iterable[Evidence]) -> Evidence:
        """The piece that respects its limit most clearly, or comes closest to it when none does."""
        pieces = list(evidence)
        if not pieces:
            raise ValueError("evidence must hold at least one piece, got none")
        return min(pieces, key=lambda piece: piece._tightness)


Check = Callable[[str, int], Evidence]
"""(profile, seed) to evidence."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One claim of a paper, or of a reader.

    Attributes
    ----------
    id
        Stable name, ``"PS-T1"``.
    paper
        Key of `PAPERS`, or `OWN`.
    source
        Where the paper states it: ``"Theorem 1, (1)"``.
    statement
        The claim in our words, Markdown with LaTeX.
    kind, constants
        What sort of claim, and whose constants are tested: the paper's, or ours.
    verdict
        What stands once the check holds.
    check
        Must hold.
    control
        The same comparison on something that breaks the claim: must not hold.
    control_name
        What the control is: ``"uniform play"``.
    remark
        The reason for a correction, the counterexample, the size at which the claim starts to bite.
    """

    id: str
    paper: str = OWN
    source: str
    statement: str
    kind: Kind
    check: Check
    control: Check
    control_name: str
    constants: Constants = "stated"
    verdict: Verdict = "reproduced"
    remark: str = ""

    def __post_init__(self) -> None:
        boundary.choice("paper", self.paper, (*PAPERS, OWN))
        for name, allowed in (("kind", Kind), ("constants", Constants), ("verdict", Verdict)):
            boundary.choice(name, getattr(self, name), get_args(allowed))
        if self.verdict in ("reproduced with correction", "fails as printed") and not self.remark:
            raise ValueError(f"remark must say why {self.id} is {self.verdict!r}, got an empty one")


@dataclass(frozen=True, kw_only=True)
class Result:
    """A claim with the evidence for it and the evidence that its control is caught."""

    claim: Claim
    evidence: Evidence
    control: Evidence
    seconds: float

    @property
    def stands(self) -> bool:
        """The check holds and the control does not."""
        return self.evidence.holds and not self.control.holds

    @property
    def verdict(self) -> str:
        """The claim's verdict, or what went wrong with its check."""
        if not self.evidence.holds:
            return "NOT CONFIRMED"
        return "CONTROL NOT CAUGHT" if self.control.holds else self.claim.verdict

    def __str__(self) -> str:
        e = self.evidence
        return (
            f"{self.claim.id:9} {e.measured:11.4g} {e.relation} {e.limit:<11.4g} ratio {e.ratio:<9.3g}"
            f" control {self.control.ratio:<9.3g} {self.seconds:6.1f} s  {self.verdict}"
            f" ({self.claim.source}; {self.claim.constants} constants)"
        )

    def record(self) -> dict[str, Any]:
        """Return the result as plain data, numbers to four digits, without times."""
        claim, evidence = self.claim, self.evidence
        return {
            "id": claim.id,
            "paper": claim.paper,
            "source": claim.source,
            "link": f"notebooks/{PAPERS[claim.paper]}.ipynb#{claim.id}" if claim.paper in PAPERS else "",
            "statement": claim.statement,
            "kind": claim.kind,
            "constants": claim.constants,
            "measured": significant(evidence.measured),
            "relation": evidence.relation,
            "limit": significant(evidence.limit),
            "ratio": significant(evidence.ratio),
            "uniform": significant(evidence.uniform),
            "detail": evidence.detail,
            "control": claim.control_name,
            "control_measured": significant(self.control.measured),
            "control_limit": significant(self.control.limit),
            "control_caught": not self.control.holds,
            "verdict": self.verdict,
            "remark": claim.remark,
        }


def significant(value: float | None) -> float | str | None:
    """Return a number to four significant digits; infinities and NaN as words, for JSON has none."""
    if value is None:
        return None
    return float(f"{value:.4g}") if np.isfinite(value) else str(float(value))


def package(paper: str) -> str:
    """Return the name of the package that holds a paper's code; the synopsis lives next to the papers."""
    return "replicate.synopsis" if paper == "synopsis" else f"replicate.papers.{paper}"


def register() -> dict[str, Claim]:
    """Return every claim of every paper in the workbook, by id, in the papers' order."""
    claims: dict[str, Claim] = {}
    for paper in PAPERS:
        if importlib.util.find_spec(package(paper)) is None:
            continue
        for claim in importlib.import_module(f"{package(paper)}.claims").CLAIMS:
            if claim.id in claims:
                raise ValueError(f"claim ids must be unique, got {claim.id} twice")
            claims[claim.id] = claim
    return claims


def verify(claim: Claim, *, profile: str, seed: int) -> Result:
    """Run a claim's check and its control."""
    boundary.choice("profile", profile, PROFILES)
    boundary.count("seed", seed, low=0)
    start = time.perf_counter()
    evidence, control = claim.check(profile, seed), claim.control(profile, seed)
    return Result(claim=claim, evidence=evidence, control=control, seconds=time.perf_counter() - start)


_EXPLAINED = ("reproduced with correction", "fails as printed")


def table(records: Iterable[Mapping[str, Any]], *, notebooks: str = "notebooks") -> str:
    """Return records of results as a Markdown table, each id linked to its place in a notebook.

    What is corrected or fails comes with its remark: the reason, the counterexample. Records may carry the
    time of their check in `seconds`.
    """
    lines = [
        "| claim | where | what is claimed | constants | measured | limit | ratio | verdict | control | time |",
        "|---|---|---|---|---:|---:|---:|---|---|---:|",
    ]
    for r in records:
        link = (
            f"[{r['id']}]({notebooks}/{PAPERS[r['paper']]}.ipynb#{r['id']})" if r["paper"] in PAPERS else r["id"]
        )
        caught = "caught" if r["control_caught"] else "NOT CAUGHT"
        limit = f"{'≤' if r['relation'] == '<=' else '≥'} {shown(r['limit'])}"
        claimed = r["statement"] + (f"<br><sub>{r['remark']}</sub>" if r["verdict"] in _EXPLAINED else "")
        row = [link, r["source"], claimed, r["constants"], shown(r["measured"]), limit, shown(r["ratio"])]
        row += [r["verdict"], f"{r['control']}: {caught}", _duration(r.get("seconds"))]
        lines.append("| " + " | ".join(map(cell, row)) + " |")
    return "\n".join(lines)


def cell(text: str) -> str:
    """Return text for a cell of a Markdown table: its vertical bars must not end the cell, in formulas or outside."""
    formulas = re.sub(r"\$[^$]*\$", lambda formula: formula[0].replace("|", r"\vert "), text)
    return formulas.replace("|", r"\|")


def shown(value: float | str | None) -> str:
    """Return a number of a record as text, three significant digits."""
    return "" if value is None else f"{float(value):.3g}"


def _duration(seconds: float | None) -> str:
    """Return a time, in seconds, as text."""
    if seconds is None:
        return ""
    return "< 0.1 s" if seconds < 0.1 else f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m replicate.claims", description="Check the register's claims.")
    parser.add_argument("ids", nargs="*", help="claim ids or paper names; all claims when none is given")
    parser.add_argument("--profile", choices=PROFILES, default="quick")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    parser.add_argument("--markdown", type=Path, help="also write the table of the register to this file")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Check claims, print a line for each as it is done; return 1 if one of them does not stand."""
    options = _parser().parse_args(arguments)
    claims = register()
    unknown = [name for name in options.ids if name not in claims and name not in PAPERS]
    if unknown:
        raise SystemExit(f"unknown claim or paper: {', '.join(unknown)}")
    chosen = [c for c in claims.values() if not options.ids or c.id in options.ids or c.paper in options.ids]
    results = [_report(claim, options.profile, options.seed) for claim in chosen]
    fallen = [result for result in results if not result.stands]
    if fallen:
        print(f"{len(fallen)} of {len(results)} checks do NOT stand.")
    else:
        print(f"{len(results)} of {len(results)} claims stand, every control caught.")
    records = [result.record() | {"seconds": round(result.seconds, 3)} for result in results]
    _write(options.json, json.dumps(records, indent=1, ensure_ascii=False))
    _write(options.markdown, table(records, notebooks="../notebooks"))
    return 1 if fallen else 0


def _write(path: Path | None, text: str) -> None:
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")


def _report(claim: Claim, profile: str, seed: int) -> Result:
    """Verify a claim and print one line."""
    result = verify(claim, profile=profile, seed=seed)
    print(result, flush=True)
    return result


if __name__ == "__main__":
    sys.exit(main())
