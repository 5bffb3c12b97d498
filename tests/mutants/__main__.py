"""Plant each mistake in a copy of the tree and run the tests that should notice: ``python -m tests.mutants``."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
REPORT = ROOT / "reports" / "mutants.md"


@dataclass(frozen=True)
class Mutant:
    """One mistake: in `file`, `old` (which occurs once) becomes `new`; `tests` are what pytest runs."""

    paper: str
    name: str
    file: str
    old: str
    new: str
    tests: list[str]


def mutants() -> list[Mutant]:
    """Return every mutant of every paper's list."""
    found = []
    for path in sorted(Path(__file__).parent.glob("*.toml")):
        listed = tomllib.loads(path.read_text(encoding="utf-8"))
        found += [Mutant(path.stem, tests=m.pop("tests", listed["tests"]), **m) for m in listed["mutant"]]
    return found


def plant(mutant: Mutant, tree: Path) -> None:
    """Apply a mutant to a copy of the tree; refuse one that does not fit the code any more."""
    path = tree / mutant.file
    text = path.read_text(encoding="utf-8")
    if text.count(mutant.old) != 1:
        raise ValueError(f"{mutant.name}: {mutant.old!r} occurs {text.count(mutant.old)} times in {mutant.file}")
    path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")


def known_killers() -> dict[tuple[str, str], str]:
    """Return the tests that killed, by paper and mistake, from the last report, of tests that are still there."""
    if not REPORT.exists():
        return {}
    rows = [line.strip("| ").split(" | ") for line in REPORT.read_text(encoding="utf-8").splitlines()]
    killers = {(row[0], row[1]): row[2].strip("`") for row in rows if len(row) == 3 and "::" in row[2]}
    return {key: test for key, test in killers.items() if (ROOT / test.partition("::")[0]).exists()}


def killer(mutant: Mutant, first: str | None, *, timeout: float) -> str:
    """Return the test that kills a mutant, empty if it survives; try the test `first` before the others."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(
            ROOT, tree, ignore=shutil.ignore_patterns(".git", ".venv", "build", "__pycache__", ".*_cache")
        )
        plant(mutant, tree)
        return (first and failing(tree, [first], timeout)) or failing(tree, mutant.tests, timeout)


def failing(tree: Path, tests: list[str], timeout: float) -> str:
    """Return the first of some tests that fails in a tree; empty if none does."""
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", "--no-header", *tests]
    environment = os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return "(ran out of time)"
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    ran = done.returncode in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)
    return failed[0].split(" ", 1)[1].split(" - ")[0] if ran and failed else ""


def main() -> int:
    """Run the chosen mutants; print and write a report; return 1 if one survives."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Run deliberate mistakes.")
    parser.add_argument("papers", nargs="*", help="all papers when none is given")
    parser.add_argument("--timeout", type=float, default=300, help="seconds a mutant may take")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mutants at a time")
    options = parser.parse_args()
    if unknown := set(options.papers) - {mutant.paper for mutant in mutants()}:
        parser.error(f"no mistakes are listed for {', '.join(sorted(unknown))}")
    chosen = [m for m in mutants() if not options.papers or m.paper in options.papers]
    known = known_killers()
    firsts = [known.get((m.paper, m.name)) for m in chosen]
    found = {}
    with ThreadPoolExecutor(options.jobs) as pool:
        killers = pool.map(partial(killer, timeout=options.timeout), chosen, firsts)
        for mutant, by in zip(chosen, killers, strict=True):
            found[mutant.paper, mutant.name] = by
            print(row(mutant, by), flush=True)
    survivors = sum(not by for by in found.values())
    print(f"{len(found) - survivors} of {len(found)} mutants killed")
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(report(known | found), encoding="utf-8")
    return 1 if survivors else 0


def row(mutant: Mutant, by: str) -> str:
    """Return a mutant's line of the report."""
    return f"| {mutant.paper} | {mutant.name} | {f'`{by}`' if by else '**SURVIVED**'} |"


def report(found: dict[tuple[str, str], str]) -> str:
    """Return the page on every mutant that has been run, in the order of the lists."""
    run = [mutant for mutant in mutants() if (mutant.paper, mutant.name) in found]
    killed = sum(bool(found[mutant.paper, mutant.name]) for mutant in run)
    left = len(mutants()) - len(run)
    others = (
        f" {left} others are to be run: they are new, or the tests that rejected them have moved." if left else ""
    )
    lines = [
        "# Deliberate mistakes",
        "",
        f"{killed} of {len(run)} are rejected; the test named is the first that fails.{others}",
        "",
        "| where | mistake | killed by |",
        "|---|---|---|",
        *(row(mutant, found[mutant.paper, mutant.name]) for mutant in run),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
