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
from replicate.claims.markdown import NOTEBOOKS, listed
from replicate.commands import lines
from replicate.contents import PAPERS
from replicate.files import project_root, writable, write
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
    for path in filter(None, (options.json, options.markdown)):
        writable(path)
    chosen = [e.id for e in entries.values() if not options.names or {e.id, e.paper} & set(options.names)]
    done = {result.id: result for result in checked(chosen, options)}
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
    if options.json:
        write(options.json, json.dumps(records, indent=1, ensure_ascii=False) + "\n")
    if options.markdown:
        write(options.markdown, listed(records, link="../" + NOTEBOOKS) + "\n")
    return 1 if fallen else 0


def checked(names: list[str], options: argparse.Namespace, *, executor: str = "") -> Iterator[spread.Checked]:
    """Check entries, print and yield each as it is done; first what an earlier run has kept, if that is asked for.

    Parameters
    ----------
    names
        Ids.
    options
        Those of the command; what its `names` have is printed in eight lines, of others a line.
    executor
        Where to run if ``EXECUTOR`` says nothing: here, one after the other, if this is empty.
    """
    build, huge = project_root() / "build", options.profile == "huge"
    journal = spread.Journal(build / "claims" / f"{options.profile}-{options.seed}") if options.resume else None
    kept = [spread.Checked(**record) for record in journal or ()]
    left = [name for name in names if name not in {result.id for result in kept}]
    entries = register()

    def told(result: spread.Checked) -> spread.Checked:
        run = {"profile": options.profile, "seed": options.seed, "seconds": result.seconds}
        eight = result.id in options.names
        print(lines.eight(entries[result.id], result.record, **run) if eight else result.text, flush=True)
        return result

    yield from (told(result) for result in kept if result.id in names)
    if huge:
        print(spread.estimate(left, spread.times(build, "full"), factor=MORE, what="`make all`"), flush=True)
    with executors.opened(executor) if executor or os.environ.get("EXECUTOR") else nullcontext() as pool:
        for result in spread.run(left, profile=options.profile, seed=options.seed, executor=pool, apart=huge):
            if journal is not None:
                journal.write(asdict(result))
            yield told(result)
