"""Which tests run which functions: measured once, group by group, and asked for every mistake.

In ``build/mutants``, ``tree`` holds a commit's files, ``numba`` its compiled kernels, ``maps`` what the plugin
`contexts` noted in each group of tests. Coverage is no dependency of the project: it is installed into ``tools``
when tests are measured. What is noted are functions, not lines, so that it stays true when lines move; tests that
are new are measured when they are first met.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tests.conftest import group
from tests.mutants.drawn.symbols import owned

ROOT = Path(__file__).parent.parent.parent.parent
BUILD = ROOT / "build" / "mutants"
TREE, KERNELS, MAPS, TOOLS = BUILD / "tree", BUILD / "numba", BUILD / "maps", BUILD / "tools"
OWN = Path("tests/mutants/drawn")
APART = ("tests/test_mutants.py", "tests/test_mutants_random.py", "tests/test_architecture.py", "tests/benchmarks")
"""Tests that read the sources' text, where any edit at all may fail them; tests of speed."""
BY_HAND = {
    "tests/test_stream_keys.py": ("replicate/papers/",),
    "tests/commands/test_run.py": ("replicate/papers/",),
    "tests/commands/test_book.py": (),
    "tests/commands/test_book_browser.py": (),
    "tests/test_make.py": (),
    "tests/test_groups.py": (),
    "tests/test_packaging.py": (),
    "tests/test_examples.py": ("replicate/learners/", "replicate/workbook/"),
    "tests/test_cluster.py": ("replicate/workbook/", "replicate/claims/spread.py"),
    "tests/workbook/test_sweep_resume.py": ("replicate/workbook/",),
}
"""Modules whose tests run other processes or read sources, which coverage does not see, to those sources."""


def unpack(commit: str) -> None:
    """Put the files of a commit into the tree, and this package beside them."""
    shutil.rmtree(TREE, ignore_errors=True)
    TREE.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True)
    subprocess.run(["tar", "-x", "-C", str(TREE)], input=archive.stdout, check=True)
    shutil.copytree(ROOT / OWN, TREE / OWN, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))


def environment(**more: str) -> dict[str, str]:
    """Environment of tests in the tree: its own modules, no finished cells, one thread of linear algebra."""
    own = {
        "PYTHONPATH": os.pathsep.join([str(TREE), str(TOOLS)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(KERNELS),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    others = ("REPLICATE_", "MAKE", "MFLAGS")
    return {key: value for key, value in os.environ.items() if not key.startswith(others)} | own | more


def pytest_command(*words: str) -> list[str]:
    """Return the command that runs tests in the tree."""
    return [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--no-header", *words]


def collected() -> dict[str, list[str]]:
    """Node ids of the tree's tests, by paper; those of no paper are "ground"."""
    command = pytest_command("--collect-only", *(f"--ignore={path}" for path in (*APART, *BY_HAND)))
    done = subprocess.run(command, cwd=TREE, env=environment(), capture_output=True, text=True, check=True)
    groups: dict[str, list[str]] = defaultdict(list)
    for line in done.stdout.splitlines():
        if "::" in line:
            paper = group(line)
            groups[paper if "/" not in paper and not paper.startswith("test_") else "ground"].append(line)
    return groups


def measure() -> None:
    """Note what the tests run that have not been measured yet: a paper's in one process, all others in another."""
    if not TOOLS.exists():
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(TOOLS), "coverage"]
        subprocess.run(install, check=True)
    MAPS.mkdir(parents=True, exist_ok=True)
    known = Mapping.load().seconds
    for name, listed in collected().items():
        tests = [test for test in listed if test not in known]
        if tests:
            print(f"{name}: {len(tests)} tests to be measured", flush=True)
            _run_with_contexts(tests, MAPS / f"{name}.{len(list(MAPS.glob(f'{name}.*')))}.json")


def _run_with_contexts(tests: list[str], path: Path) -> None:
    """Run some tests under the plugin `contexts`."""
    chosen = BUILD / "measured.txt"
    chosen.write_text("\n".join(tests), encoding="utf-8")
    command = pytest_command("-p", "tests.mutants.drawn.contexts", f"@{chosen}")
    surroundings = environment(CONTEXTS=str(path))
    done = subprocess.run(command, cwd=TREE, env=surroundings, capture_output=True, text=True, check=False)
    print(done.stdout.splitlines()[-1], flush=True)


@dataclass
class Mapping:
    """Functions to tests.

    Attributes
    ----------
    functions
        ``path::symbol`` to the contexts that ran it.
    asked
        The result of a kept function, or a wide fixture, to the contexts that asked for it.
    seconds
        A context to how long it took, what it asked for included when it was the first to ask.
    passed
        The tests that pass without a mistake.
    """

    functions: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    asked: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    seconds: dict[str, float] = field(default_factory=dict)
    passed: set[str] = field(default_factory=set)

    @classmethod
    def load(cls) -> Mapping:
        """Read what was measured in every group."""
        mapping = cls()
        for path in sorted(MAPS.glob("*.json")):
            found = json.loads(path.read_text(encoding="utf-8"))
            for name, contexts in found["functions"].items():
                mapping.functions[name] |= set(contexts)
            for context, asked in found["asks"].items():
                for name in asked:
                    mapping.asked[name].add(context)
            mapping.seconds |= found["seconds"]
            mapping.passed |= set(found["passed"])
        return mapping

    def tests(self, file: str, symbol: str) -> set[str]:
        """Return the tests that run a function, directly or through what is kept, a kernel or a name.

        Kernels and names of modules are not seen to run: they are attributed to whoever runs a function in whose
        text their names stand, through other kernels and names.
        """
        contexts: set[str] = set()
        waiting, seen = [f"{file}::{symbol}"], set()
        while waiting:
            place = waiting.pop()
            if place not in seen:
                seen.add(place)
                contexts |= self.functions.get(place, set())
                if place not in self._traced:
                    waiting.extend(self._users(place))
        return self._reached(contexts)

    def _reached(self, contexts: set[str]) -> set[str]:
        """Return the tests among some contexts and among those that asked for them."""
        waiting, seen = list(contexts), set()
        while waiting:
            context = waiting.pop()
            if context not in seen:
                seen.add(context)
                waiting.extend(self.asked.get(context, ()))
        return seen & self.passed

    @cached_property
    def _traced(self) -> set[str]:
        """Functions whose lines coverage sees: all but compiled ones."""
        traced = set()
        for path in (TREE / "replicate").rglob("*.py"):
            for name, node in owned(ast.parse(path.read_text(encoding="utf-8"))):
                decorators = " ".join(ast.unparse(d) for d in getattr(node, "decorator_list", []))
                if isinstance(node, ast.FunctionDef) and not re.search("compiled|kernel", decorators):
                    traced.add(f"{path.relative_to(TREE).as_posix()}::{name}")
        return traced

    def _users(self, place: str) -> set[str]:
        """Return the functions in whose text a name stands: in its module, or in one that speaks of its module."""
        file, _, symbol = place.rpartition("::")
        name, path = symbol.partition(".")[0], Path(file)
        module = {path.stem, path.parent.name}
        return {
            user
            for user, words in self._named.get(name, {}).items()
            if user.startswith(f"{file}::") or (not name.startswith("_") and module & words)
        }

    @cached_property
    def _named(self) -> dict[str, dict[str, set[str]]]:
        """A name to the functions in whose text it stands, each with the modules that its file imports."""
        users: dict[str, dict[str, set[str]]] = defaultdict(dict)
        for path in (*(TREE / "replicate").rglob("*.py"), *(TREE / "tests").rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            words = {word for node in ast.walk(tree) for word in _imported(node)}
            for owner, node in owned(tree):
                place = f"{path.relative_to(TREE).as_posix()}::{owner}"
                for part in ast.walk(node):
                    name = part.attr if isinstance(part, ast.Attribute) else getattr(part, "id", "")
                    if name and name != owner:
                        users[name][place] = words
        return users

    def cost(self, test: str) -> float:
        """Seconds of a test with all that it asks for."""
        return self.seconds.get(test, 0.0) + sum(self.seconds.get(name, 0.0) for name in self._asks[test])

    @cached_property
    def _asks(self) -> dict[str, set[str]]:
        """A context to what it asked for."""
        asks: dict[str, set[str]] = defaultdict(set)
        for name, contexts in self.asked.items():
            for context in contexts:
                asks[context].add(name)
        return asks

    @cached_property
    def breadth(self) -> dict[str, int]:
        """A test to the number of functions that it runs itself."""
        counts: dict[str, int] = defaultdict(int)
        for contexts in self.functions.values():
            for context in contexts:
                counts[context] += 1
        return counts


def _imported(node: ast.AST) -> set[str]:
    """Words of the modules and names that a statement imports."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        module = getattr(node, "module", "") or ""
        return {word for name in (module, *(alias.name for alias in node.names)) for word in name.split(".")}
    return set()
