"""Compiled kernels: an edit compiles anew what it can change, and nothing else."""

import ast
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from replicate import compiled, files

ROOT = Path(__file__).parent.parent
CONSTANT = "FACTOR = {factor}\n"
CALLEE = """
from replicate.compiled import compiled
from replicate import constant

FACTOR = constant.FACTOR

@compiled()
def callee(x):
    return FACTOR * x
"""
CALLER = """
from replicate.compiled import compiled
from replicate.callee import callee

@compiled()
def caller(x):
    return callee(x) + 1
"""
STRANGER = """
from replicate.compiled import compiled

@compiled()
def stranger(x):
    return x - 1
"""

MADE = """
import numpy as np
from replicate.compiled import compiled

def times(factor):
    @compiled()
    def kernel(x):
        return np.full(2, factor * x)
    return kernel

kernels = [times(factor) for factor in (2, 3.5)]
"""


THREE = """
import os
import numba.core.registry, numpy
for which in ((0,), (1,), (0, 1)):
    if os.fork() == 0:
        from replicate.made import kernels
        print(*(x for i in which for x in kernels[i](5)), flush=True)
        os._exit(0)
    assert os.wait()[1] == 0
"""
"""Three processes, of which the last one calls both kernels."""


@pytest.fixture
def package(tmp_path):
    """Make a package with three modules of kernels: one calls another's, which reads a constant."""
    folder = tmp_path / "replicate"
    folder.mkdir()
    (folder / "__init__.py").touch()
    for name in ("compiled.py", "files.py"):
        (folder / name).write_bytes((ROOT / "replicate" / name).read_bytes())
    for name, text in (("callee", CALLEE), ("caller", CALLER), ("stranger", STRANGER), ("made", MADE)):
        (folder / f"{name}.py").write_text(text)
    return folder


RUNS = """
import os, sys
import numba.core.registry, numpy
for _ in sys.stdin:
    if os.fork() == 0:
        from replicate.caller import caller
        from replicate.stranger import stranger
        said = [(kernel(10), sum(kernel.stats.cache_hits.values())) for kernel in (caller, stranger)]
        print(*said[0], *said[1], flush=True)
        os._exit(0)
    assert os.wait()[1] == 0
"""
"""For every line, a process that has imported nothing of the package."""


@pytest.fixture
def answer(package):
    """Results of the kernels under a factor, each with how often it was read from the cache."""
    command = [sys.executable, "-B", "-c", RUNS]  # Python's bytecode knows an edit by its second and size only
    with subprocess.Popen(
        command, cwd=package.parent, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=1
    ) as runs:

        def numbers(factor):
            (package / "constant.py").write_text(CONSTANT.format(factor=factor))
            runs.stdin.write("\n")
            return [int(number) for number in runs.stdout.readline().split()]

        yield numbers


def test_an_edit_compiles_anew_what_it_can_change(package, answer):
    assert answer(2) == [21, 0, 9, 0]
    assert answer(2) == [21, 1, 9, 1], "an unchanged text is read from the cache"
    assert answer(3) == [31, 0, 9, 1], "a constant of a module without kernels, one import further"
    (package / "stranger.py").write_text(STRANGER.replace("- 1", "- 2"))
    assert answer(3) == [31, 1, 8, 0]


def test_kernels_of_one_name_that_two_processes_compiled_are_not_mixed_up_in_a_third(package):
    """Numba links by name: kernels that one function makes have one unless each is given its own."""
    done = subprocess.run(
        [sys.executable, "-c", THREE], cwd=package.parent, text=True, capture_output=True, check=True
    )
    assert done.stdout.splitlines() == ["10 10", "17.5 17.5", "10 10 17.5 17.5"]


def test_the_choice_of_folder_leaves_other_kernels_alone():
    before = numba.config.CACHE_DIR
    compiled.compiled()(lambda x: x)
    assert before == numba.config.CACHE_DIR


def test_every_kernel_is_made_by_the_one_decorator():
    """So that none reorders sums and none is kept under its own file's time alone."""
    texts = {p: p.read_text() for p in (ROOT / "replicate").rglob("*.py") if p.name != "compiled.py"}
    assert [str(p) for p, text in texts.items() if "njit" in text or "fastmath" in text] == []


def test_imports_are_found_as_the_parser_finds_them():
    """The text of what a kernel imports is part of its folder's name; every form of the statement is found."""
    for path in (ROOT / "replicate").rglob("*.py"):
        imported, text = set(), path.read_bytes()
        tree = ast.parse(text)
        for part in tree.body:  # what is imported for types alone does not run
            if isinstance(part, ast.If) and ast.unparse(part.test) == "TYPE_CHECKING":
                part.body = [ast.Pass()]
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        ours = {name for name in imported if name.partition(".")[0] == "replicate"}
        assert files.imports(text) == ours, path


def test_a_module_reaches_what_it_imports_and_what_an_import_stands_for():
    reached = files.reached("replicate.learners.tsallis_law")
    assert {"replicate.learners.tsallis_law", "replicate.compiled", "replicate.files"} <= set(reached)
    assert "replicate.streams" not in reached
    implied = {"replicate.compiled": ["replicate.streams"]}
    assert "replicate.streams" in files.reached("replicate.learners.tsallis_law", implied)
    nowhere = {"replicate.nowhere": ["replicate.streams"]}
    assert "replicate.streams" not in files.reached("replicate.learners.tsallis_law", nowhere)
    assert files.digest(reached) != files.digest({**reached, "replicate.files": b""})
    assert files.reached("numpy.nothing") == {}
