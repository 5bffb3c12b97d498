"""Which tests could notice a mistake, read from the sources alone: no run of the suite, but no certainty either.

Names are followed from a mistake's place to the tests in whose text, or in the text of what they call, they
stand. What is found by a registry's strings is not seen that way: the tests beside the mistake's module, and those
that run every learner, are taken as well. The more steps lie between, the later a test comes, but the tests of the
module's own name come first. Hunts have a budget of time.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.drawn.mapping import APART, BY_HAND, TREE, Mapping
from tests.mutants.drawn.symbols import owned

STEPS = 5
"""Names are followed so far; beyond that nearly every test of a package is found."""
LEARNERS = ("tests/learners", "tests/test_kernels.py", "tests/test_agreement.py")
"""Tests that run whatever the registry holds."""


@dataclass
class Reading(Mapping):
    """Functions to tests, by the names in their text."""

    def tests(self, file: str, symbol: str) -> set[str]:
        """Return the tests within some steps of a function; `seconds` becomes how many steps each is away."""
        steps = dict.fromkeys(self._beside(file), STEPS + 2.0) | self._within_steps(f"{file}::{symbol}")
        own = f"/test_{Path(file).stem}.py::"
        self.seconds = {test: n / 10 if own in test else n for test, n in steps.items()}
        self.passed = set(steps)
        return self.passed

    def _within_steps(self, place: str) -> dict[str, float]:
        """Tests that name a place, or name what names it, to the number of steps."""
        found, edge, steps = {place: 0.0}, {place}, 0.0
        while edge and steps < STEPS:
            steps += 1
            edge = {user for known in edge for user in self._users(known)} - found.keys()
            found |= dict.fromkeys(edge, steps)
        return {test: steps for test, steps in found.items() if _is_test(test)}

    def _beside(self, file: str) -> list[str]:
        """Tests in the folders that mirror a module's, and those of every learner if it may hold one."""
        folders = [f"tests/{Path(file).parent.relative_to('replicate').as_posix()}"]
        if file.startswith("replicate/papers/"):
            folders[0] = "/".join(["tests", *file.split("/")[1:3]])
        if any(room in file for room in ("learners", "algorithms", "mechanisms")):
            folders += LEARNERS
        return [
            f"{path.relative_to(TREE).as_posix()}::{name}"
            for folder in folders
            for path in [TREE / folder, *(TREE / folder).rglob("test_*.py")]
            if path.is_file()
            for name, _ in owned(ast.parse(path.read_text(encoding="utf-8")))
            if _is_test(f"{path.relative_to(TREE).as_posix()}::{name}")
        ]


def _is_test(place: str) -> bool:
    file, _, name = place.partition("::")
    apart = file.startswith(APART) or file in BY_HAND
    return file.startswith("tests/") and "/test_" in file and name.startswith("test_") and not apart
