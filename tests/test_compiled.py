"""Compiled kernels: an edit of any kernel's text compiles all of them anew."""

import re
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from replicate import compiled

ROOT = Path(__file__).parent.parent
CALLEE = """
from replicate.compiled import compiled

@compiled()
def callee(x):
    return {factor} * x
"""
CALLER = """
from replicate.compiled import compiled
from replicate.callee import callee

@compiled()
def caller(x):
    return callee(x) + 1
"""


@pytest.fixture
def package(tmp_path):
    """Make a package with two modules of kernels, one of which calls the other's."""
    folder = tmp_path / "replicate"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "compiled.py").write_bytes((ROOT / "replicate" / "compiled.py").read_bytes())
    (folder / "caller.py").write_text(CALLER)
    return folder


def answer(package, factor):
    (package / "callee.py").write_text(CALLEE.format(factor=factor))
    script = "from replicate.caller import caller; print(caller(10)); print(sum(caller.stats.cache_hits.values()))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=package.parent
    )
    return [int(line) for line in done.stdout.split()]


def test_a_kernel_is_compiled_anew_when_the_kernel_that_it_calls_changes(package):
    assert answer(package, 2) == [21, 0]
    assert answer(package, 2) == [21, 1], "an unchanged text is read from the cache"
    assert answer(package, 3) == [31, 0]


def test_the_choice_of_folder_leaves_other_kernels_alone():
    before = numba.config.CACHE_DIR
    compiled.compiled()(lambda x: x)
    assert before == numba.config.CACHE_DIR


def test_every_kernel_is_made_by_the_one_decorator():
    """So that none reorders sums and none is kept under its own file's time alone."""
    texts = {p: p.read_text() for p in (ROOT / "replicate").rglob("*.py") if p.name != "compiled.py"}
    assert [str(p) for p, text in texts.items() if "njit" in text or "fastmath" in text] == []


def test_every_module_with_kernels_is_part_of_the_folders_name():
    """Also one whose decorator was made elsewhere: an edit of such a kernel would go on running the old one."""
    texts = [p.read_text() for p in (ROOT / "replicate").rglob("*.py") if p.name != "compiled.py"]
    made = {name for text in texts for name in re.findall(r"^(\w+) = compiled\(", text, re.MULTILINE)}
    assert "step" in made
    for text in texts:
        decorated = set(re.findall(r"^@(\w+)", text, re.MULTILINE)) & made
        assert not decorated or any(word in text.encode() for word in compiled.KERNELS), decorated
