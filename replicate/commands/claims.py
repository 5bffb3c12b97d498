"""Check claims and errata: ``python -m replicate claims PS-T1 tracking``.

Of a paper each is a line; an id that is named has eight: statement, place, verdict, measured, profile, expected at
full sizes, control, and where the check is.
The environment variable ``EXECUTOR`` says where they are checked; if it says nothing, one after the other, here.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path

from replicate import executors
from replicate.claims import PROFILES, register, spread
from replicate.claims.journal import Journal
from replicate.claims.markdown import NOTEBOOKS, table
from replicate.commands import lines
from replicate.contents import PAPERS
from replicate.files import project_root, write
from replicate.profiles import MORE


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "names", nargs="*", help="ids of claims or errata, or papers; everything when none is given"
    )
    parser.add_argument("--profile", choices=PROFILES, default="quick")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument(
        "--resume", action="store_true", help="go on where an interrupted run of the same code stopped"
    )
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    parser.add_argument("--markdown", type=Path, help="also write the table to this file")


def main(options: argparse.Namespace) -> int:
    """Verify what is asked for, print each result as it is done; return 1 if one does not stand."""
    entries = register()
    unknown = [name for name in options.names if name not in entries and name not in PAPERS]
    if unknown:
        raise ValueError(f"unknown claim, erratum or paper: {', '.join(unknown)}")
    chosen = [e.id for e in entries.values() if not options.names or {e.id, e.paper} & set(options.names)]
    done = {}
    for checked in _checked(chosen, options):
        print(_shown(checked, options) if checked.id in options.names else checked.text, flush=True)
        done[checked.id] = checked
    results = [done[name] for name in chosen]
    unrepeated = [result.id for result in results if result.missing]
    fallen, tried = sum(not result.stands for result in results) - len(unrepeated), len(results) - len(unrepeated)
    if unrepeated:
        print(f"{len(unrepeated)} not repeated, because a package is missing: {', '.join(unrepeated)}")
    print(
        f"{tried - fallen} of {tried} checks confirm their verdicts, every control rejected."
        if not fallen
        else f"{fallen} of {tried} checks do NOT confirm their verdicts."
    )
    records = [result.record | {"seconds": result.seconds} for result in results]
    _write(options.json, json.dumps(records, indent=1, ensure_ascii=False))
    _write(options.markdown, table(records, link="../" + NOTEBOOKS))
    return 1 if fallen else 0


def _shown(checked: spread.Checked, options: argparse.Namespace) -> str:
    """Return an entry that was asked for by name, in eight lines."""
    entry = register()[checked.id]
    return lines.eight(entry, checked.record, profile=options.profile, seed=options.seed, seconds=checked.seconds)


def _checked(names: list[str], options: argparse.Namespace) -> Iterator[spread.Checked]:
    """Yield what an earlier run has kept, if that is asked for, and the rest as it is done."""
    build, huge = project_root() / "build", options.profile == "huge"
    journal = Journal(build / "claims" / f"{options.profile}-{options.seed}") if options.resume else None
    kept = [spread.Checked(**record) for record in journal or ()]
    yield from (checked for checked in kept if checked.id in names)
    left = [name for name in names if name not in {checked.id for checked in kept}]
    if huge:
        print(spread.estimate(left, spread.times(build, "full"), factor=MORE, what="`make all`"), flush=True)
    with executors.opened() if os.environ.get("EXECUTOR") else nullcontext() as executor:
        for checked in spread.run(left, profile=options.profile, seed=options.seed, executor=executor, apart=huge):
            if journal is not None:
                journal.write(asdict(checked))
            yield checked


def _write(path: Path | None, text: str) -> None:
    if path is not None:
        write(path, text + "\n")
