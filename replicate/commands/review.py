"""Run ten headline claims at full sizes and hold them against the records: ``python -m replicate review``.

It does what ``claims`` does for these ten and says of each whether it agrees with its record. If a page of
``examples/theorems`` shows the claim, it runs that page, which fails if its numbers do not agree with the theorem.
It writes ``reports/review.csv``, which codecheck.yml names: the same file on every machine. If NumPy or SciPy is
not the lock's, numbers may differ, which is said with the versions' names; verdicts may not. REVIEW.md has the ten
in words, from ``headlines.toml``; ``--publish`` also renews their times in ``reports/times.json``.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from replicate.claims import register, theorems
from replicate.claims.words import control, found, place
from replicate.commands import claims
from replicate.files import other_versions, project_root, write

Record = Mapping[str, Any]
TOLERANCE = 1e-3
"""Relative difference of a number from its record that is allowed: the seed is the same, and so are the draws."""
SEED = 2026
COMMAND = ".venv/bin/python -m replicate claims"


def entries(records: Sequence[Record], times: Mapping[str, Any]) -> str:
    """Return the ten claims as REVIEW.md has them.

    Parameters
    ----------
    records
        The committed ones of claims.
    times
        What ``reports/times.json`` holds.
    """
    known = {record["id"]: record for record in records}
    parts = []
    for number, (name, headline) in enumerate(headlines().items(), 1):
        record, page = known[name], theorems.page_of(name)
        facts = {
            "Place": place(record),
            "Command": f"`{COMMAND} {name} --profile full`, about {times['claims'][name]} s",
            "Expected": f"{found(record)} ({record['grade']})",
            "Control": f"{control(record)}. It shows that {headline['control']}",
            "Check": f"`{re.sub(r':[0-9]+ ', ' ', claims.where(register()[name]))}`",
            "Page": page and f"[{page.file}]({page.path}) shows the theorem in NumPy, at its own sizes",
        }
        listed = "".join(f"- {label}: {text}.\n" for label, text in facts.items() if text)
        head = f"\n## {number}. [{name}](reports/claims.md#{name}): {record['verdict']}"
        parts.append(f"{head}\n\n{headline['says']}\n\n{listed}")
    return "".join(parts)


def headlines() -> dict[str, dict[str, str]]:
    """Return the ten claims by id, in the papers' order: what each says, and what its control shows."""
    return tomllib.loads(Path(__file__).with_name("headlines.toml").read_text(encoding="utf-8"))


def minutes(times: Mapping[str, Any], target: str) -> str:
    """Return how long a target of make takes.

    Examples
    --------
    >>> minutes({"minutes": {"quick": [2, 4], "env": [1, 1]}}, "quick")
    '2 to 4 minutes'
    """
    low, high = times["minutes"][target]
    return f"{low} minute{'s' * (low != 1)}" if low == high else f"{low} to {high} minutes"


def told(times: Mapping[str, Any]) -> str:
    """Return the times of make's targets in a sentence: what README.md and REVIEW.md say of them."""
    listed = ", ".join(f"`make {target}` {minutes(times, target)}" for target in times["minutes"])
    return f"On {times['cores']} cores: {listed}; the first run also compiles kernels."


def times(root: Path) -> dict[str, Any]:
    """Return the times that stand in ``reports/times.json``: minutes of targets, seconds of the ten claims."""
    known: dict[str, Any] = json.loads((root / "reports" / "times.json").read_text(encoding="utf-8"))
    return known


def agrees(found: Record, expected: Record, *, numbers: bool = True) -> bool:
    """Return True if a claim stands with its verdict and, with `numbers`, has the numbers of its record."""

    def close(measured: Any, expected: Any) -> bool:
        if isinstance(measured, str) or isinstance(expected, str):
            return bool(measured == expected)
        return bool(abs(measured - expected) <= TOLERANCE * abs(expected))

    names = ("measured", "limit", "control_measured", "control_limit")
    same = not numbers or all(close(found[name], expected[name]) for name in names)
    return bool(found["stands"] and same and found["verdict"] == expected["verdict"])


def page_agrees(name: str) -> bool:
    """Run the page that shows a claim alone and print its table; True if its assertions hold or there is none."""
    page, folder = theorems.page_of(name), theorems.folder()
    if page is None or folder is None:
        return True
    done = subprocess.run([sys.executable, "-I", str(folder / page.file)], capture_output=True, text=True)
    holds = done.returncode == 0
    print(textwrap.indent(done.stdout, " " * 12) + f"{'page':11} {page.path} {'agrees' if holds else 'DIFFERS'}")
    return holds


def row_of(found: Record, expected: Record, *, same: bool, page: bool) -> dict[str, Any]:
    """Return a row of reports/review.csv; a claim agrees if its record is the same and its page runs."""
    return {
        "claim": found["id"], "measured": found["measured"], "expected": expected["measured"],
        "limit": found["limit"], "control": found["control_measured"],
        "control expected": expected["control_measured"],
        "control rejected": "yes" if found["control_caught"] else "no", "agrees": "yes" if same and page else "no",
    }  # fmt: skip


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--publish", action="store_true", help="also renew the times in reports/times.json")


def main(options: argparse.Namespace) -> int:
    """Run the ten, print and write; return 1 if one differs from its record."""
    root, names = project_root(), [*headlines()]
    expected = {name: claims.committed(register()[name]) or {} for name in names}
    if missing := ", ".join(name for name in names if not expected[name]):
        raise ValueError(f"figures has no record of {missing}: check the project out whole, or run `make all`")
    rows, seconds = {}, {}
    asked = argparse.Namespace(names=names, profile="full", seed=SEED, resume=False)
    for checked in claims.checked(names, asked, executor="processes"):
        new, record, versions = checked.record, expected[checked.id], other_versions()
        exact, same = agrees(new, record), agrees(new, record, numbers=not versions)
        other = f"agrees in its verdict; numbers differ under {versions}" if same else "DIFFERS"
        print(f"{'record':11} {'agrees' if exact else other}", flush=True)
        seconds[checked.id] = max(1, round(checked.seconds))
        rows[checked.id] = row_of(new, record, same=same, page=page_agrees(checked.id))
    table = pd.DataFrame([rows[name] for name in names])
    write(root / "reports" / "review.csv", table.to_csv(index=False, lineterminator="\n"))
    if options.publish:
        new = times(root) | {"claims": {name: seconds[name] for name in names}}
        write(root / "reports" / "times.json", json.dumps(new, indent=1) + "\n")
    agreeing = sum(row["agrees"] == "yes" for row in rows.values())
    shown = sum(theorems.page_of(name) is not None for name in names)
    print(
        f"{agreeing} of {len(names)} agree with their records, controls rejected; {shown} of them have a page of "
        "NumPy, which was run; reports/review.csv has them."
    )
    return int(agreeing < len(names))
