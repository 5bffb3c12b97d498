"""One mistake against the tests that run its place: planted in the tree, taken out afterwards."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from tests.mutants.drawn.mapping import BUILD, BY_HAND, KERNELS, TREE, Mapping, environment, pytest_command
from tests.mutants.drawn.operators import Mutation, applied
from tests.mutants.drawn.reading import SOURCES, Reading

PINNED = "tests/claims/test_pinned.py"
FIRST = 60
"""Tests in the first run: those most likely to notice; nearly every mistake goes no further."""
LONGEST = 3600.0
BUDGET = 60.0
"""Seconds of processor time for the tests of one mistake that are chosen by reading."""


@dataclass(frozen=True)
class Verdict:
    """What the tests said of a mistake.

    Attributes
    ----------
    by
        The first test that failed; empty if none did.
    kind
        ``"assertion"``, ``"error"``, ``"time"`` or, if none failed, empty.
    tests
        How many tests were chosen.
    seconds
        Wall time.
    """

    by: str
    kind: str
    tests: int
    seconds: float


@contextmanager
def planted(mutation: Mutation) -> Iterator[None]:
    """Hold a mistake in the tree; files keep their times, by which compiled code is known."""
    path = TREE / mutation.file
    before, at = path.read_text(encoding="utf-8"), path.stat()
    known = set(KERNELS.glob("kernels-*"))
    path.write_text(applied(before, mutation), encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(before, encoding="utf-8")
        os.utime(path, ns=(at.st_atime_ns, at.st_mtime_ns))
        for folder in set(KERNELS.glob("kernels-*")) - known:
            shutil.rmtree(folder)


def hunt(mutation: Mutation, mapping: Mapping) -> Verdict:
    """Run the tests of a mistake's place without the pinned numbers, the quick and special ones first."""
    tests = [test for test in ordered(mutation, mapping) if not test.startswith(PINNED)]
    batches = [tests] if isinstance(mapping, Reading) else [tests[:FIRST], tests[FIRST:]]
    return _until_one_fails(mutation, batches, mapping)


def pinned(mutation: Mutation, mapping: Mapping) -> Verdict:
    """Run the pinned numbers of a mistake's place alone."""
    tests = [test for test in ordered(mutation, mapping) if test.startswith(PINNED)]
    return _until_one_fails(mutation, [tests], mapping)


def confirm(mutation: Mutation, mapping: Mapping) -> Verdict:
    """Run every test but the pinned numbers: those of the place have passed and come last."""
    own = set(ordered(mutation, mapping))
    others = sorted(test for test in mapping.passed - own if not test.startswith(PINNED))
    return _until_one_fails(
        mutation, [others, [module for module in BY_HAND if (TREE / module).exists()]], mapping
    )


def ordered(mutation: Mutation, mapping: Mapping) -> list[str]:
    """Return the tests of a mistake's place, the most promising first.

    What a test costs counts with what it asks for. A test that runs few functions is special, and so is one of the
    mistake's own package. Tests that read sources come first, those of other processes last.
    """

    def promise(test: str) -> float:
        near = mutation.package in test
        return (0.02 + mapping.cost(test)) * mapping.breadth.get(test, 1) ** 0.5 * (0.25 if near else 1.0)

    by_hand = [module for module, runs in BY_HAND.items() if mutation.file.startswith(runs or ("-",))]
    by_hand = [module for module in by_hand if (TREE / module).exists()]
    chosen = sorted(mapping.tests(mutation.file, mutation.symbol), key=promise)
    read, run = ([module for module in by_hand if (module in SOURCES) == first] for first in (True, False))
    return read + chosen + run


def _until_one_fails(mutation: Mutation, batches: Sequence[list[str]], mapping: Mapping) -> Verdict:
    """Run batches of tests with a mistake in the tree, up to the first failure."""
    started, by, kind = time.monotonic(), "", ""
    with planted(mutation):
        for batch in filter(None, batches):
            by, kind = _failing(batch, mapping)
            if kind:
                break
    return Verdict(by, kind, sum(map(len, batches)), round(time.monotonic() - started, 1))


def _failing(tests: list[str], mapping: Mapping) -> tuple[str, str]:
    """Return the first of some tests that fails, and how; two empty words if none does."""
    chosen, limits = BUILD / "hunted.txt", BUILD / "attend.json"
    outcome = limits.with_suffix(".outcome")
    chosen.write_text("\n".join(tests), encoding="utf-8")
    seconds = {test: 60 + 8 * mapping.cost(test) for test in tests}
    budget = {"budget": BUDGET}
    limits.write_text(json.dumps(budget if isinstance(mapping, Reading) else seconds), encoding="utf-8")
    outcome.write_text(json.dumps({"test": "(import)", "kind": "error"}), encoding="utf-8")
    command = pytest_command("-x", "-p", "tests.mutants.drawn.attend", f"@{chosen}")
    surroundings = environment(ATTEND=str(limits))
    try:
        done = subprocess.run(
            command, cwd=TREE, env=surroundings, capture_output=True, text=True, timeout=LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        return json.loads(outcome.read_text(encoding="utf-8"))["test"], "time"
    (BUILD / "last.txt").write_text(done.stdout[-20000:] + done.stderr[-5000:], encoding="utf-8")
    said = json.loads(outcome.read_text(encoding="utf-8"))
    if done.returncode == pytest.ExitCode.USAGE_ERROR and said["kind"] != "error":
        raise RuntimeError(f"the tests cannot be chosen: {done.stderr[-500:]}")
    ended = "error" if done.returncode < 0 and said["kind"] == "time" else said["kind"]
    return (said["test"], ended) if done.returncode else ("", "")
