"""Plant each mistake in a copy of the tree and run the tests that should notice: ``python -m tests.mutants``."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


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


def killer(mutant: Mutant, timeout: float) -> str:
    """Return the test that kills a mutant; empty if it survives."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(
            ROOT, tree, ignore=shutil.ignore_patterns(".git", ".venv", "build", "__pycache__", ".*_cache")
        )
        plant(mutant, tree)
        command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", "--no-header", *mutant.tests]
        environment = os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                command, cwd=tree, env=environment, capture_output=True, text=True, timeout=timeout
            )
        except subprocess.TimeoutExpired:
            return "(ran out of time)"
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0].split(" ", 1)[1].split(" - ")[0] if done.returncode and failed else ""


def main() -> int:
    """Run the chosen mutants; print and write a report; return 1 if one survives."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Run deliberate mistakes.")
    parser.add_argument("papers", nargs="*", help="all papers when none is given")
    parser.add_argument("--timeout", type=float, default=300, help="seconds a mutant may take")
    options = parser.parse_args()
    lines = ["| paper | mistake | killed by | seconds |", "|---|---|---|---:|"]
    survivors = 0
    for mutant in mutants():
        if options.papers and mutant.paper not in options.papers:
            continue
        start = time.perf_counter()
        by = killer(mutant, options.timeout)
        survivors += not by
        row = f"| {mutant.paper} | {mutant.name} | {by or '**SURVIVED**'} | {time.perf_counter() - start:.1f} |"
        lines.append(row)
        print(row, flush=True)
    report = ROOT / "build" / "mutants.md"
    report.parent.mkdir(exist_ok=True)
    report.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines) - 2 - survivors} of {len(lines) - 2} mutants killed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
