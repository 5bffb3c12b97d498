"""``python -m replicate claims ID``: eight lines that answer what a reader asks first."""

import re
from pathlib import Path

import pytest

from replicate.__main__ import main
from replicate.claims import Erratum, register, words
from replicate.claims.registry import VERDICTS
from replicate.commands.claims import Journal
from replicate.commands.readme import records

ROOT = Path(__file__).parent.parent.parent
RECORDS = [*records(ROOT / "figures", "claims"), *records(ROOT / "figures", "errata")]


def answer(name, capsys):
    """The labelled lines of an answer, and what follows them."""
    assert main(["claims", name]) == 0
    *shown, last = capsys.readouterr().out.splitlines()
    return dict(line.split(maxsplit=1) for line in shown), shown, last


def test_a_claim_that_fails_is_said_to_fail(capsys):
    said, shown, last = answer("NL-S1", capsys)
    assert list(said) == ["NL-S1", "place", "verdict", "measured", "profile", "expected", "control", "check"]
    assert len(shown) == 8
    assert said["NL-S1"].startswith("Printed: with exponential noise of scale 1/ε the learner is ε-differentially")
    assert said["place"].startswith("Section 2, Table 2, of Wu & Wang (2025), New Rates")
    assert said["place"].endswith("version 1; examples/theorems/nl_t4.py shows it alone")
    assert said["verdict"] == "fails as printed: the counterexample holds"
    assert said["measured"] == "2 > 1 (If all scores moved the same way: 1. K = 2, a block of 2, ε=1)"
    assert said["profile"].startswith("quick sizes, seed 2026, ")
    assert said["expected"] == "at full sizes: 2 > 1 (measured: exact; proof: none)"
    assert said["control"] == "scale 2/ε measures 1, not above 1: rejected"
    file, line, name = re.fullmatch(r"(.*\.py):(\d+) (\w+)", said["check"]).groups()
    assert f"def {name}(" in (ROOT / file).read_text().splitlines()[int(line) - 1]
    assert last == "1 of 1 checks confirm their verdicts, every control rejected."


def test_how_loose_a_bound_may_still_be_is_said(capsys):
    said, *_ = answer("DL-L4", capsys)
    record = next(record for record in RECORDS if record["id"] == "DL-L4")
    assert f"refuted below {record['refuted'] / record['stated']:.3g} of the bound" in said["expected"]


def test_an_erratum_has_eight_lines_too(capsys):
    said, shown, _ = answer("NL-SLIP-1", capsys)
    assert list(said) == ["NL-SLIP-1", "true", "place", "verdict", "measured", "expected", "control", "check"]
    assert len(shown) == 8
    assert said["verdict"].startswith("an error in print that changes no result")
    assert said["control"] == "the corrected version measures 1 and 0"
    assert said["check"].count(".py:") == 2


def test_records_are_those_of_the_package_outside_the_project(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    said, *_ = answer("NL-S1", capsys)
    assert said["expected"] == "at full sizes: 2 > 1 (measured: exact; proof: none)"


def test_a_place_where_nothing_can_be_written_is_refused_before_the_work(capsys, tmp_path):
    file = tmp_path / "file"
    file.touch()
    for place in (tmp_path, file / "below.txt"):
        assert main(["claims", "NL-S1", "--json", str(place)]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.startswith("error: ")
    assert main(["claims", "NL-S1", "--json", str(tmp_path / "new" / "written")]) == 0
    assert "NL-S1" in (tmp_path / "new" / "written").read_text()


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("change", [{}, {"stands": False}, {"stands": False, "missing": "flint"}], ids=str)
def test_the_command_fails_if_any_check_falls_that_could_be_made(place, change, capsys, monkeypatch, tmp_path):
    """Results that an earlier run has kept, of which one fell, or was not repeated for want of a package."""
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    journal, names = Journal(tmp_path / "build" / "claims" / "quick-2026"), ["PS-T1", "NL-S1", "DL-L4"]
    for i, name in enumerate(names):
        record = next(record for record in RECORDS if record["id"] == name)
        kept = {
            "id": name,
            "text": f"{name} in a line",
            "stands": True,
            "missing": "",
            "seconds": 1.0,
            "record": record,
        }
        journal.write(kept | (change if i == place else {}))
    fell = change == {"stands": False}
    assert main(["claims", *names, "--resume"]) == int(fell)
    last = capsys.readouterr().out.splitlines()[-1]
    tried = 3 - ("missing" in change)
    said = "1 of 3 checks do NOT confirm their verdicts." if fell else f"{tried} of {tried} checks confirm"
    assert last.startswith(said)
    assert main(["claims", names[place - 1], "--resume"]) == 0
    said = capsys.readouterr().out
    assert [name for name in names if said.startswith(name) or f"\n{name} " in said] == [names[place - 1]]


def test_a_random_number_has_its_mean_and_its_limits():
    record = {"unit": "regret", "relation": "<=", "limit": 208_000, "measured": 196_000, "estimate": 200}
    both = record | {"lower": 177, "upper": 196_000}
    assert words.found(both) == "regret: mean 200, at least 177 and at most 196,000; must be at most 208,000"
    assert words.found(both | {"lower": None}) == "regret: mean 200, at most 196,000; must be at most 208,000"
    assert words.found(record | {"lower": 196_000, "upper": 196_000}) == "regret: 196,000 ≤ 208,000"


def test_every_verdict_and_effect_has_its_words():
    effects = {entry.effect for entry in register().values() if isinstance(entry, Erratum)}
    assert set(words.VERDICTS) >= set(VERDICTS) | effects


@pytest.mark.parametrize("name", ["statement", "printed", "true", "range", "source", "control"])
def test_no_latex_reaches_a_terminal(name):
    for text in (record.get(name, "") for record in RECORDS):
        shown = re.sub(r"`[^`]*`", "", words.unlatexed(text))
        assert not re.search(r"[\\$\ue000-\ue00f]|frac|sqrt|math", shown), shown
