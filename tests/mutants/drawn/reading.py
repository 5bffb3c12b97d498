"""Which tests could notice a mistake, read from the sources alone: no run of the suite, but no certainty either.

Names are followed from a mistake's place to the tests in whose text, or in the text of what they call, they
stand. What is found by a registry's strings is not seen that way: the tests beside the mistake's module, and those
that run every learner, are taken as well. The more steps lie between, the later a test comes, but the tests of the
module's own name, and of its folder's, come first. Hunts have a budget of time.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.conftest import PAPERS
from tests.mutants.drawn.mapping import APART, BY_HAND, TREE, Mapping
from tests.mutants.drawn.symbols import owned

STEPS = 5
"""Names are followed so far; beyond that nearly every test of a package is found."""
BESIDE = 2.5
"""As far away stand tests of a mistake's own package whose text leads nowhere."""
SOURCES = ("tests/test_stream_keys.py", "tests/test_interface.py")
"""Tests that read every module's text, in seconds."""
LEARNERS = ("tests/learners", "tests/test_kernels.py", "tests/test_agreement.py")
"""Tests that run whatever the registry holds."""
REGISTER = (
    "tests/claims/test_registry.py::test_every_check_holds_and_its_control_does_not[{}]",
    "tests/claims/test_power.py::test_every_piece_turns_the_check[{}/0]",
)
"""Tests of one claim of the register."""


@dataclass
class Reading(Mapping):
    """Functions to tests, by the names in their text."""

    def tests(self, file: str, symbol: str) -> set[str]:
        """Return the tests within some steps of a function; `seconds` becomes how many steps each is away."""
        steps = dict.fromkeys(self._beside(file), BESIDE) | self._within_steps(f"{file}::{symbol}")
        steps |= dict.fromkeys(_tests_of(SOURCES), 0.01)
        own = {f"test_{Path(file).stem}.py", f"test_{Path(file).parent.name}.py"}
        near = {test for test in steps if Path(test.partition("::")[0]).name in own}
        self.seconds = {test: n / 10 if test in near else n for test, n in steps.items()}
        self.passed = set(steps)
        return self.passed

    def _within_steps(self, place: str) -> dict[str, float]:
        """Tests that name a place, or name what names it, to the number of steps."""
        found, edge, steps = {place: 0.0}, {place}, 0.0
        while edge and steps < STEPS:
            steps += 1
            edge = {user for known in edge for user in self._users(known)} - found.keys()
            found |= dict.fromkeys(edge, steps)
        tests = {test: steps for test, steps in found.items() if _is_test(test)}
        for claim, names in _claims().items():
            near = [steps for user, steps in found.items() if user in names]
            if near:
                tests |= dict.fromkeys((test.format(claim) for test in REGISTER), min(near))
        return tests

    def _beside(self, file: str) -> list[str]:
        """Tests in the folders that mirror a module's, and those of every learner if it may hold one."""
        folders = [f"tests/{Path(file).parent.relative_to('replicate').as_posix()}"]
        if file.startswith("replicate/papers/"):
            folders[0] = "/".join(["tests", *file.split("/")[1:3]])
        if any(room in file for room in ("learners", "algorithms", "mechanisms")):
            folders += LEARNERS
        return _tests_of(folders)


def _tests_of(places: Iterable[str]) -> list[str]:
    """Return the tests in modules and folders."""
    return [
        f"{path.relative_to(TREE).as_posix()}::{name}"
        for place in places
        for path in [TREE / place, *(TREE / place).rglob("test_*.py")]
        if path.is_file()
        for name, _ in owned(ast.parse(path.read_text(encoding="utf-8")))
        if _is_test(f"{path.relative_to(TREE).as_posix()}::{name}")
    ]


def _is_test(place: str) -> bool:
    file, _, name = place.partition("::")
    apart = file.startswith(APART) or file in BY_HAND
    return file.startswith("tests/") and "/test_" in file and name.startswith("test_") and not apart


@cache
def _claims() -> dict[str, set[str]]:
    """Ids of the register's entries to the checks that they name."""
    found: dict[str, set[str]] = {}
    papers = TREE / "replicate" / "papers"
    for pattern in ("*/claims.py", "*/claims/*.py", "*/errata.py", "*/errata/*.py"):
        for path in papers.glob(pattern):
            found |= _named_checks(path)
    return found


def _named_checks(path: Path) -> dict[str, set[str]]:
    """Ids of a module's entries to the places ``file::function`` of the checks that they name."""
    paper = path.relative_to(TREE / "replicate" / "papers").parts[0]
    checks = TREE / "replicate" / "papers" / paper / "checks"
    places: dict[str, set[str]] = defaultdict(set)
    for file in checks.rglob("*.py"):
        for name, _ in owned(ast.parse(file.read_text(encoding="utf-8"))):
            places[name].add(f"{file.relative_to(TREE).as_posix()}::{name}")
    found = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        name = _entry(node, paper) if isinstance(node, ast.Call) else ""
        if name:
            attributes = {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
            found[name] = set().union(*(places[check] for check in attributes & places.keys()))
    return found


def _entry(call: ast.Call, paper: str) -> str:
    """Id of the entry that a call makes: given whole, or without its paper's letters; empty if it makes none."""
    words = {keyword.arg: keyword.value for keyword in call.keywords}
    first = words.get("id") or (call.args[0] if call.args and "check" in words else None)
    if not (isinstance(first, ast.Constant) and isinstance(first.value, str)):
        return ""
    letters = next(letters for letters, name in PAPERS.items() if name == paper)
    return first.value if "id" in words else f"{letters}-{first.value}"
