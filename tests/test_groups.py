"""Tests in parallel: those of one paper go to one worker, where experiments that they share are computed once."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from replicate import claims
from replicate.contents import PREFIXES
from tests.conftest import LONGEST, group


@pytest.mark.parametrize(
    ("test", "paper"),
    [
        ("tests/papers/bandits/test_bounds.py::test_x[1-2]", "bandits"),
        ("tests/papers/tracking/deep/test_x.py::test_x", "tracking"),
        ("tests/claims/test_registry.py::test_x[NL-SLIP-3]", "noisy_leader"),
        ("tests/claims/test_registry.py::test_x[NL]", "noisy_leader"),
        ("tests/claims/test_pinned.py::test_x[TR0]", "tracking"),
        ("tests/claims/test_registry.py::test_x", "claims/test_registry"),
        ("tests/workbook/test_sweep.py::test_x[PS-T1]", "workbook/test_sweep"),
        ("tests/test_make.py::test_x", "test_make"),
    ],
)
def test_groups(test, paper):
    assert group(test) == paper


def test_every_claim_is_in_the_group_of_its_paper():
    """By its prefix, as the table of contents has it."""
    strange = [name for name, entry in claims.register().items() if PREFIXES.get(name[:2]) != entry.paper]
    assert not strange, f"the prefix is another paper's in replicate/contents.py: {', '.join(strange)}"


def test_the_longest_groups_exist():
    tests = Path(__file__).parent
    gone = [name for name in LONGEST if name not in PREFIXES.values() and not (tests / f"{name}.py").exists()]
    assert not gone, f"drop from LONGEST of tests/conftest.py, there are no such tests: {', '.join(gone)}"


@pytest.mark.long
def test_one_worker_has_all_tests_of_a_paper():
    names = ("claims/test_pinned", "claims/test_registry", "papers/bandits/test_formulas")
    modules = [f"tests/{name}.py" for name in names]
    options = ["-n", "2", "--dist", "loadscope", "--no-loadscope-reorder", "-vv", "-k", "BA or bandits"]
    done = subprocess.run([sys.executable, "-m", "pytest", *options, *modules], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    lines = re.findall(r"\[(gw\d)\].* (tests/\S+)", done.stdout)
    assert len({worker for worker, test in lines if group(test) == "bandits"}) == 1
