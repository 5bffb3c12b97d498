"""Check claims and errata and print a line for each: ``python -m replicate claims PS-T1 tracking``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from replicate.claims import PROFILES, register, verify
from replicate.claims.markdown import NOTEBOOKS, table
from replicate.contents import PAPERS
from replicate.files import replacing


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "names", nargs="*", help="ids of claims or errata, or papers; everything when none is given"
    )
    parser.add_argument("--profile", choices=PROFILES, default="quick")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    parser.add_argument("--markdown", type=Path, help="also write the table to this file")


def main(options: argparse.Namespace) -> int:
    """Verify what is asked for, print each result as it is done; return 1 if one does not stand."""
    entries = register()
    unknown = [name for name in options.names if name not in entries and name not in PAPERS]
    if unknown:
        raise ValueError(f"unknown claim, erratum or paper: {', '.join(unknown)}")
    results = []
    for entry in entries.values():
        if not options.names or entry.id in options.names or entry.paper in options.names:
            results.append(verify(entry, profile=options.profile, seed=options.seed))
            print(results[-1], flush=True)
    fallen = sum(not result.stands for result in results)
    print(
        f"{len(results) - fallen} of {len(results)} stand, every control rejected."
        if not fallen
        else f"{fallen} of {len(results)} do NOT stand."
    )
    records = [result.record() | {"seconds": round(result.seconds, 3)} for result in results]
    _write(options.json, json.dumps(records, indent=1, ensure_ascii=False))
    _write(options.markdown, table(records, link="../" + NOTEBOOKS))
    return 1 if fallen else 0


def _write(path: Path | None, text: str) -> None:
    if path is not None:
        with replacing(path) as temporary:
            temporary.write_text(text + "\n", encoding="utf-8")
