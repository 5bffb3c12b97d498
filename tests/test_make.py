"""The Makefile rebuilds what changed and nothing else (dry runs in a copy of the tree)."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from replicate import contents

ROOT = Path(__file__).parent.parent
BUILT = [paper for paper, name in contents.PAPERS.items() if (ROOT / "notebooks" / f"{name}.ipynb").exists()]


@pytest.fixture
def tree(tmp_path):
    """The sources, an environment that claims to be ready, and every marker newer than what it depends on."""
    for name in ("Makefile", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("replicate", "notebooks"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in tmp_path.rglob("*"):
        os.utime(path, (1_000_000, 1_000_000))
    stamps = [".venv/.ready", *(f"build/{p}/{paper}.json" for p in ("quick", "full") for paper in BUILT)]
    for age, stamp in enumerate([*stamps, "build/full/README.stamp"]):
        path = tmp_path / stamp
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (2_000_000 + age, 2_000_000 + age))
    return tmp_path


def planned(tree: Path, target: str) -> set[str]:
    """Return the papers whose notebooks `make target` would run."""
    command = ["make", "--dry-run", target]
    lines = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=True).stdout.splitlines()
    runs = [line for line in lines if "replicate.run" in line]
    return {paper for paper, name in contents.PAPERS.items() if any(f"{name}.ipynb" in line for line in runs)}


@pytest.mark.parametrize("target", ["quick", "all"])
def test_a_second_make_does_nothing(tree, target):
    assert planned(tree, target) == set()


@pytest.mark.parametrize("paper", BUILT)
def test_touching_a_paper_rebuilds_its_notebook_and_the_synopsis(tree, paper):
    package = Path(*contents.package(paper).split("."))
    (tree / package / "__init__.py").touch()
    assert planned(tree, "all") == {paper, "synopsis"}
    (tree / "notebooks" / f"{contents.PAPERS[paper]}.ipynb").touch()
    assert planned(tree, "quick") == {paper, "synopsis"}


def test_touching_the_ground_floor_rebuilds_everything(tree):
    (tree / "replicate" / "certify.py").touch()
    assert planned(tree, "quick") == set(BUILT)


def test_help_lists_every_documented_target(tree):
    text = subprocess.run(["make"], cwd=tree, capture_output=True, text=True, check=True).stdout
    listed = {"all", "quick", "test", "claims", "bench", "lint", "lab", "clean", "help"}
    assert listed <= {line.split()[0] for line in text.splitlines()}
