"""Deliberate mistakes: each listed one fits the code as it is; `make mutants` plants them and runs the tests."""

import ast
from pathlib import Path

import pytest

from tests.mutants.__main__ import ROOT, mutants, plant

MUTANTS = mutants()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: f"{m.paper}: {m.name}")
def test_a_mistake_can_be_planted(mutant, tmp_path):
    copy = tmp_path / mutant.file
    copy.parent.mkdir(parents=True)
    before = (ROOT / mutant.file).read_text(encoding="utf-8")
    copy.write_text(before, encoding="utf-8")
    plant(mutant, tmp_path)
    after = copy.read_text(encoding="utf-8")
    assert after != before
    ast.parse(after)
    assert all((ROOT / test).exists() for test in mutant.tests if test.startswith("tests/") and "::" not in test)


def test_mistakes_have_names_of_their_own():
    names = [(mutant.paper, mutant.name) for mutant in MUTANTS]
    assert len(set(names)) == len(names) > 40
    assert {Path(mutant.file).suffix for mutant in MUTANTS} == {".py"}
