"""Draw mistakes, hunt each with the tests that run its place, report: ``make mutants-random N=100 SEED=1``."""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from tests.mutants.drawn import hunt, mapping, report
from tests.mutants.drawn.operators import Mutation
from tests.mutants.drawn.reading import Reading
from tests.mutants.drawn.sample import files, sample
from tests.mutants.drawn.symbols import owned

RESULTS = mapping.BUILD / "results.jsonl"
UNPACKED = mapping.BUILD / "commit.txt"


def prepare(commit: str) -> str:
    """Unpack a commit unless it lies there, and return its full name."""
    command = ["git", "rev-parse", commit]
    full = subprocess.run(command, cwd=mapping.ROOT, check=True, capture_output=True, text=True).stdout.strip()
    if not UNPACKED.exists() or UNPACKED.read_text(encoding="utf-8") != full:
        mapping.unpack(full)
        UNPACKED.write_text(full, encoding="utf-8")
    return full


def results() -> list[dict[str, Any]]:
    """Return what earlier runs found, one record a mistake."""
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]


def run(drawn: Iterable[Mutation], key: dict[str, Any], *, whole: bool) -> None:
    """Hunt the mistakes that have no record yet; append one for each."""
    found = Reading() if key["read"] else mapping.Mapping.load()
    if not key["read"]:
        found.passed &= {test for tests in mapping.collected().values() for test in tests}
    done = [record["mutation"] for record in results() if record["key"] == key]
    for mutation in drawn:
        if asdict(mutation) in done:
            continue
        first = hunt.hunt(mutation, found)
        pinned = hunt.pinned(mutation, found) if not first.kind else None
        last = hunt.confirm(mutation, found) if whole and not first.kind else None
        record = {
            "key": key,
            "mutation": asdict(mutation),
            "verdict": asdict(first if last is None or not last.kind else last),
            "pinned": None if pinned is None else asdict(pinned),
            "confirmed": bool(last),
        }
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
        print(report.line(record), flush=True)


def chosen(options: argparse.Namespace) -> list[Mutation]:
    """Draw the mistakes: half of them of the packages that come first, if any do."""
    half = options.n // 2 if options.first else 0
    drawn = sample(mapping.TREE, half, options.seed, options.first) if half else []
    return list(dict.fromkeys([*drawn, *sample(mapping.TREE, options.n - half, options.seed, options.packages)]))


def unseen() -> list[str]:
    """Return the functions in which a mistake would meet no test: where to write the next one."""
    found, places = mapping.Mapping.load(), []
    for path in files(mapping.TREE):
        file = path.relative_to(mapping.TREE).as_posix()
        for name, node in owned(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and not found.tests(file, name):
                places.append(f"{file}::{name}")
    return places


def main() -> int:
    """Run a sample and write the report; return 1 if a mistake survives that nobody has judged."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants.drawn", description=__doc__)
    parser.add_argument("--n", type=int, default=100, help="how many mistakes")
    parser.add_argument("--seed", type=int, default=1, help="seed of the sample")
    parser.add_argument("--commit", default="HEAD", help="whose files are changed")
    parser.add_argument("--packages", nargs="*", default=[], help="papers and packages to change; all when none")
    parser.add_argument("--measured", action="store_true", help="leave tests out that have not been measured")
    parser.add_argument("--read", action="store_true", help="choose tests by reading: nothing is measured")
    parser.add_argument("--first", nargs="*", default=[], help="packages of which half of the mistakes are drawn")
    parser.add_argument("--unseen", action="store_true", help="only list the functions that no test runs")
    parser.add_argument("--confirm", action="store_true", help="run the whole suite on survivors")
    options = parser.parse_args()
    commit = prepare(options.commit)
    if not (options.measured or options.read):
        mapping.measure()
    if options.unseen:
        print(*unseen(), sep="\n")
        return 0
    named = ("n", "seed", "packages", "measured", "read", "first")
    key = {"commit": commit} | {name: getattr(options, name) for name in named}
    drawn = chosen(options)
    run(drawn, key, whole=options.confirm)
    wanted = [asdict(mutation) for mutation in drawn]
    records = [record for record in results() if record["key"] == key and record["mutation"] in wanted]
    report.REPORT.write_text(report.page(records, mapping.TREE), encoding="utf-8")
    unjudged = report.unjudged(records, mapping.TREE)
    print(f"{len(unjudged)} survivors to be judged; {report.REPORT}")
    return 1 if unjudged else 0


if __name__ == "__main__":
    sys.exit(main())
