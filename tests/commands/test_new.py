"""A sixth paper, laid out in a copy of the project, passes what is asked of every paper."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from replicate.__main__ import main

ROOT = Path(__file__).parent.parent.parent
OF_EVERY_PAPER = (
    "papers/sixth", "test_architecture.py", "test_documents.py", "test_listings.py",
    "test_make.py", "test_metadata.py", "claims/test_fairness.py", "claims/test_pinned.py", "claims/test_power.py",
    "claims/test_registry.py", "claims/test_schema.py", "claims/test_spread.py", "workbook/test_errata_shown.py",
    "commands/test_readme.py::test_generated_files_are_current",
    "learners/test_registry.py::test_every_paper_that_plays_on_losses_is_listed",
)  # fmt: skip
"""Tests that look at every paper, and the new paper's own."""
ASKED = "SX or sixth or (not [ and not browser)"
"""Of them, by their names: those of the new paper or its claim, and those of all together."""


TITLE = "A sixth paper: don't ask, (2nd) & last"
READ = str(ROOT / "LICENSE")


def asked(name, prefix, title, **others):
    """Words of the command."""
    given = {"authors": "Müller & Wu", "year": "2026", "version": "arXiv 1, version 2", "text": READ} | others
    options = [word for option, value in given.items() for word in (f"--{option}", value)]
    return ["new", "paper", name, "--prefix", prefix, "--title", title, *options]


def run(copy, *words):
    """Run Python in the copy; return what it printed."""
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the project with a sixth paper."""
    tree = tmp_path_factory.mktemp("sixth") / "tree"
    left = shutil.ignore_patterns(".git", ".venv", "build", "kernels-*", ".*_cache", "*.egg-info")
    shutil.copytree(ROOT, tree, ignore=left)
    said = run(tree, "-m", "replicate", *asked("sixth", "SX", TITLE))
    assert "CITATION.cff" in said
    assert "globals().update(parameters.checked(globals()))" in (tree / "notebooks/09_sixth.ipynb").read_text()
    return tree


def test_its_claim_holds_and_its_control_does_not(copy):
    said = run(copy, "-m", "replicate", "claims", "SX-T1")
    assert "1 of 1 checks confirm" in said
    assert f"Theorem 1, section 1, of Müller & Wu (2026), {TITLE}, arXiv 1, version 2" in said


def test_every_file_that_it_names_has_the_paper(copy):
    for name in (
        "replicate/contents.py",
        "replicate/claims/schema.json",
        "CITATION.cff",
        "tests/test_listings.py",
    ):
        changed = (copy / name).read_text(encoding="utf-8")
        assert changed != (ROOT / name).read_text(encoding="utf-8"), name
        assert "sixth" in changed.lower(), name


@pytest.mark.long
def test_its_quick_notebook_runs(copy):
    run(copy, "-m", "replicate", "run", "notebooks/09_sixth.ipynb", "-p", "OUTPUT", "build/quick")
    assert (copy / "build" / "quick" / "figures" / "sixth" / "1_regret.png").exists()


@pytest.mark.long
def test_it_keeps_the_rules_of_every_paper_once_its_commands_have_run(copy):
    run(copy, "-m", "tests.claims.pinned", "--only", "SX-T1")
    run(copy, "-m", "replicate", "readme")
    run(copy, "-m", "pytest", "-p", "no:cacheprovider", "-k", ASKED, *(f"tests/{name}" for name in OF_EVERY_PAPER))


@pytest.mark.parametrize(
    ("name", "prefix", "said"),
    [
        ("tracking", "SX", "name"), ("Sixth", "SX", "name"), ("class", "SX", "name"), ("own", "SX", "name"),
        ("sixth\n", "SX", "name"), ("sixth", "TR", "--prefix"), ("sixth", "S", "--prefix"),
    ],
)  # fmt: skip
def test_a_name_that_is_none_or_taken_is_refused_and_nothing_written(name, prefix, said, capsys):
    assert main(asked(name, prefix, "A title")) == 2
    assert capsys.readouterr().err.startswith(f"error: {said} must be")


@pytest.mark.parametrize(
    "words", ['"', "\\N", "two\nlines", "\x1b[31m", "{x}", "`x`", "<b>", "$x$", "a|b", "[x](y)", " ", "x" * 200]
)
@pytest.mark.parametrize("option", ["title", "authors", "paper", "version"])
def test_words_that_a_file_would_read_as_code_are_refused(option, words, capsys):
    given = {"title": "A title", option: words}
    assert main(asked("sixth", "SX", given.pop("title"), **given)) == 2
    assert capsys.readouterr().err.startswith(f"error: --{option} must be words")
    assert not (ROOT / "replicate" / "papers" / "sixth").exists()


def test_a_year_and_a_text_that_are_none_are_refused(capsys):
    assert main(asked("sixth", "SX", "A title", year="19")) == 2
    assert main(asked("sixth", "SX", "A title", text="nowhere.txt")) == 2
    assert "nowhere.txt" in capsys.readouterr().err
