"""Run ten headline claims at full sizes and hold them against the records: ``python -m replicate review``.

It prints what is expected beside what is found and writes ``reports/review.csv``, which codecheck.yml names: the
same file on every machine. REVIEW.md has the ten in words, from ``headlines.toml``; ``--publish`` also renews
their times in ``reports/times.json``.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from replicate import executors
from replicate.claims import register, spread
from replicate.commands import lines
from replicate.files import project_root, write

Record = Mapping[str, Any]
TOLERANCE = 1e-3
"""Relative difference of a number from its record that is allowed: the seed is the same, and so are the draws."""
SEED = 2026
_HEAD = ("claim", "measured", "expected", "limit", "control", "control expected", "control rejected", "agrees")


PAGE = """\
# For a reviewer

The environment: `make env`, {env}, from packages with hashes (Python 3.11 to 3.14 and make). Then

```sh
make review    # {review} on two cores
```

runs the ten claims below at full sizes, prints what is expected beside what is found, and writes
[reports/review.csv](reports/review.csv), the file that [codecheck.yml](codecheck.yml) names: if everything
reproduces, `git status` stays clean. Numbers may differ from the records by {tolerance:g} %: the seed is the same,
so are the draws, on every machine. Each command below runs one of them alone and answers in eight lines; its check
decides anew, and so does its *control*, the same check with one argument changed, which must be rejected.

Everything else: `make all`, {all}, renews every record, figure and table, and leaves git clean; `make test`,
{test}, runs the tests. [All claims](reports/claims.md), [what is wrong in print](reports/errata.md),
[theorems of our own with their proofs](reports/theorems.md), [planted mistakes](reports/mutants.md).
"""
ENTRY = """
## {number}. [{id}](reports/claims.md#{id}): {verdict}

{says}

- Place: {place}.
- Command: `.venv/bin/python -m replicate claims {id} --profile full`, about {seconds} s.
- Expected: {expected}.
- Control: {control}. It shows that {shows}.
- Check: `{check}`.
"""


def page(claims: Sequence[Record], times: Mapping[str, Any]) -> str:
    """Return REVIEW.md.

    Parameters
    ----------
    claims
        The committed records of claims.
    times
        What ``reports/times.json`` holds.
    """
    known, entries = {record["id"]: record for record in claims}, register()
    told = {name: minutes(times, name) for name in ("env", "review", "all", "test")}
    parts = [PAGE.format(**told, tolerance=100 * TOLERANCE)]
    for number, (name, headline) in enumerate(headlines().items(), 1):
        record, (check,) = known[name], entries[name].comparisons
        facts = {
            "verdict": record["verdict"],
            "says": headline["says"],
            "shows": headline["control"],
            "place": lines.place(record),
            "seconds": times["claims"][name],
            "expected": f"{lines.found(record)} ({record['grade']})",
            "control": lines.control(record),
            "check": re.sub(r":\d+ ", " ", lines.where(check.check)),
        }
        parts.append(ENTRY.format(number=number, id=name, **facts))
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
    """Return the times of make's targets in a sentence: what the README says of them."""
    listed = ", ".join(f"`make {target}` {minutes(times, target)}" for target in times["minutes"])
    return f"On {times['cores']} cores: {listed}; the first run also compiles kernels."


def times(root: Path) -> dict[str, Any]:
    """Return the times that stand in ``reports/times.json``: minutes of targets, seconds of the ten claims."""
    known: dict[str, Any] = json.loads((root / "reports" / "times.json").read_text(encoding="utf-8"))
    return known


def agrees(found: Record, expected: Record) -> bool:
    """Return True if a claim stands, and its numbers and its control's are those of the record."""
    names = ("measured", "limit", "control_measured", "control_limit")
    same = all(_close(found[name], expected[name]) for name in names)
    return bool(found["stands"] and same and found["verdict"] == expected["verdict"])


def _close(measured: Any, expected: Any) -> bool:
    if isinstance(measured, str) or isinstance(expected, str):
        return bool(measured == expected)
    return bool(abs(measured - expected) <= TOLERANCE * abs(expected))


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "--publish", action="store_true", help="also renew the claims' times in reports/times.json"
    )


def main(options: argparse.Namespace) -> int:
    """Run the ten, print and write; return 1 if one differs from its record."""
    root = project_root()
    expected = {name: _expected(name) for name in headlines()}
    done: dict[str, spread.Checked] = {}
    with executors.opened("processes") as executor:
        for checked in spread.run(list(expected), profile="full", seed=SEED, executor=executor):
            done[checked.id] = checked
            print(_compared(checked, expected[checked.id]), flush=True)
    rows = [_row(done[name].record, expected[name]) for name in expected]
    write(root / "reports" / "review.csv", _csv(rows))
    if options.publish:
        new = times(root) | {"claims": {name: max(1, round(done[name].seconds)) for name in expected}}
        write(root / "reports" / "times.json", json.dumps(new, indent=1) + "\n")
    agreeing = sum(agrees(done[name].record, expected[name]) for name in expected)
    print(
        f"{agreeing} of {len(rows)} agree with their records, every control rejected; reports/review.csv has them."
    )
    return int(agreeing < len(rows))


def _expected(name: str) -> Record:
    entry = register()[name]
    record = lines.committed(name, entry.paper, erratum=False)
    if record is None:
        raise ValueError(f"figures has no record of {name}: check the project out whole, or run `make all`")
    return record


def _compared(checked: spread.Checked, expected: Record) -> str:
    """Three lines of a claim: expected, found, and the control."""
    fate = "agrees" if agrees(checked.record, expected) else "DIFFERS"
    return (
        f"{checked.id:8} {lines.VERDICTS[checked.record['verdict']]} ({checked.seconds:.0f} s)\n"
        f"{'expected':>17}  {lines.found(expected)}\n{'found':>17}  {lines.found(checked.record)}: {fate}\n"
        f"{'control':>17}  {lines.control(checked.record)}"
    )


def _row(record: Record, expected: Record) -> tuple[Any, ...]:
    said = ("no", "yes")
    measured, control = ((record[name], expected[name]) for name in ("measured", "control_measured"))
    fate = (said[record["control_caught"]], said[agrees(record, expected)])
    return (record["id"], *measured, record["limit"], *control, *fate)


def _csv(rows: Sequence[Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_HEAD, *rows])
    return text.getvalue()
