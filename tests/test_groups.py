"""Tests in parallel: those of one paper go to one worker, where experiments that they share are computed once."""

import subprocess
import sys
from pathlib import Path

import pytest

from replicate import claims
from tests.conftest import PAPERS, group


@pytest.mark.parametrize(
    ("test", "paper"),
    [
        ("tests/papers/bandits/test_bounds.py::test_x[1-2]", "bandits"),
        ("tests/papers/tracking/deep/test_x.py::test_x", "tracking"),
        ("tests/claims/test_registry.py::test_x[NL-SLIP-3]", "noisy_leader"),
        ("tests/test_stated_constants.py::test_x[BA-C2 base]", "bandits"),
        ("tests/claims/test_registry.py::test_x", "claims/test_registry"),
        ("tests/workbook/test_sweep.py::test_x[PS-T1]", "workbook/test_sweep"),
        ("tests/test_make.py::test_x", "test_make"),
    ],
)
def test_groups(test, paper):
    assert group(test) == paper


def test_every_claim_is_in_the_group_of_its_paper():
    for name, entry in claims.register().items():
        assert PAPERS[name.partition("-")[0]] == entry.paper


def test_a_group_stays_on_one_worker(tmp_path):
    """Two groups of sixteen tests on two workers: no group is split, and both workers have something to do."""
    for paper in ("one", "two"):
        folder = tmp_path / "tests" / "papers" / paper
        folder.mkdir(parents=True)
        for i in range(4):
            body = f"open({str(tmp_path / paper)!r}, 'a').write(worker_id + chr(10))"
            tests = "".join(f"def test_{j}(worker_id):\n    {body}\n" for j in range(4))
            (folder / f"test_{paper}_{i}.py").write_text(tests)
    (tmp_path / "tests" / "conftest.py").write_text(Path(__file__).with_name("conftest.py").read_text())
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadgroup", "-p", "no:cacheprovider", "tests"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    workers = [(tmp_path / paper).read_text().split() for paper in ("one", "two")]
    assert [len(used) for used in workers] == [16, 16]
    assert sorted({*workers[0], *workers[1]}) == ["gw0", "gw1"]
    assert [len(set(used)) for used in workers] == [1, 1]
