"""Tests in parallel: those of one paper go to one worker, where experiments that they share are computed once."""

import subprocess
import sys
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


def test_the_longest_groups_exist():
    tests = Path(__file__).parent
    assert [name for name in SECONDS if name not in PAPERS.values() and not (tests / f"{name}.py").exists()] == []


def test_a_group_stays_on_one_worker(tmp_path):
    """Two groups of sixteen tests on two workers: none is split, both workers have something to do.

    A third, of one test that takes long, starts first.
    """
    for paper in ("one", "two"):
        folder = tmp_path / "tests" / "papers" / paper
        folder.mkdir(parents=True)
        for i in range(4):
            body = f"open({str(tmp_path / paper)!r}, 'a').write(worker_id + chr(10))"
            body += f"; open({str(tmp_path / 'ran-')!r} + worker_id, 'w')"
            tests = "".join(f"def test_{j}(worker_id):\n    {body}\n" for j in range(4))
            (folder / f"test_{paper}_{i}.py").write_text(tests)
    long = tmp_path / "tests" / "papers" / "tracking"
    long.mkdir()
    body = f"import pathlib\n    assert not list(pathlib.Path({str(tmp_path)!r}).glob('*-' + worker_id))"
    (long / "test_long.py").write_text(f"def test_first(worker_id):\n    {body}\n")
    (tmp_path / "tests" / "conftest.py").write_text(Path(__file__).with_name("conftest.py").read_text())
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadgroup", "-p", "no:cacheprovider", "tests"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    workers = [(tmp_path / paper).read_text().split() for paper in ("one", "two")]
    assert [len(used) for used in workers] == [16, 16]
    assert sorted({*workers[0], *workers[1]}) == ["gw0", "gw1"]
    assert [len(set(used)) for used in workers] == [1, 1]
