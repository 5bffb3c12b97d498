"""Tests in parallel: those of one paper go to one worker, where experiments that they share are computed once."""

from pathlib import Path

import pytest

from replicate import claims
from tests.conftest import PAPERS, SECONDS, group


@pytest.mark.parametrize(
    ("test", "paper"),
    [
        ("tests/papers/bandits/test_bounds.py::test_x[1-2]", "bandits"),
        ("tests/papers/tracking/deep/test_x.py::test_x", "tracking"),
        ("tests/claims/test_registry.py::test_x[NL-SLIP-3]", "noisy_leader"),
        ("tests/claims/test_registry.py::test_x", "claims/test_registry"),
        ("tests/workbook/test_sweep.py::test_x[PS-T1]", "workbook/test_sweep"),
        ("tests/test_make.py::test_x", "test_make"),
    ],
)
def test_groups(test, paper):
    assert group(test) == paper


def test_every_claim_is_in_the_group_of_its_paper():
    found = {name.partition("-")[0]: entry.paper for name, entry in claims.register().items()}
    assert found == PAPERS, f"PAPERS of tests/conftest.py should be {found}"


def test_the_longest_groups_exist():
    tests = Path(__file__).parent
    gone = [name for name in SECONDS if name not in PAPERS.values() and not (tests / f"{name}.py").exists()]
    assert not gone, f"drop from SECONDS of tests/conftest.py, there are no such tests: {', '.join(gone)}"
