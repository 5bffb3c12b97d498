"""``python -m replicate review``: what agrees with a record, and the page for a reviewer."""

import csv
import re
from pathlib import Path

import pytest

from replicate.claims import theorems
from replicate.claims.words import found
from replicate.commands import readme, review

ROOT = Path(__file__).parent.parent.parent
RECORDS = readme.records(ROOT / "figures", "claims")
KNOWN = {record["id"]: record for record in RECORDS}


@pytest.mark.parametrize(
    ("change", "agrees"),
    [
        ({}, True),
        ({"measured": 1.2245}, True),
        ({"measured": 1.23}, False),
        ({"measured": "below 10\u207b\u00b9\u00b2"}, False),
        ({"control_measured": -0.9}, False),
        ({"stands": False}, False),
        ({"verdict": "NOT CONFIRMED"}, False),
    ],
)
def test_what_differs_from_a_record_is_said(change, agrees):
    record = KNOWN["TR-P3n"]
    assert review.agrees(record | change, record) is agrees
    only_numbers = "measured" in change or "control_measured" in change
    assert review.agrees(record | change, record, numbers=False) is (agrees or only_numbers)


@pytest.mark.parametrize("number", ["measured", "limit", "control_measured", "control_limit"])
@pytest.mark.parametrize("size", [-1e-9, 1e-5, 1.0, 1e6])
def test_a_thousandth_of_a_number_is_allowed_whatever_its_size(number, size):
    record = KNOWN["TR-P3n"] | {number: size}
    found = {share: review.agrees(record | {number: share * size}, record) for share in (0.9991, 1.0009)}
    other = {share: review.agrees(record | {number: share * size}, record) for share in (-1, 0, 0.9989, 1.0011, 2)}
    assert (set(found.values()), set(other.values())) == ({True}, {False})
    nothing = record | {number: 0.0}
    assert review.agrees(nothing, nothing)
    assert not review.agrees(nothing | {number: size}, nothing)


@pytest.mark.parametrize(("same", "page", "agrees"), [(1, 1, "yes"), (1, 0, "no"), (0, 1, "no"), (0, 0, "no")])
def test_a_claim_agrees_if_its_record_is_the_same_and_its_page_runs(same, page, agrees):
    record = KNOWN["TR-P3n"]
    assert (
        review.row_of(record | {"control_caught": True}, record, same=bool(same), page=bool(page))["agrees"]
        == agrees
    )


def test_the_committed_file_has_the_ten_and_their_records():
    with (ROOT / "reports" / "review.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["claim"] for row in rows] == list(review.headlines())
    for row in rows:
        record = KNOWN[row["claim"]]
        assert float(row["expected"]) == record["measured"]
        assert float(row["control expected"]) == record["control_measured"]
        assert (row["control rejected"], row["agrees"]) == ("yes", "yes")


def test_a_page_that_stands_alone_is_run_and_what_it_prints_is_shown(capsys):
    assert review.page_agrees("NL-S1")
    said = capsys.readouterr().out
    assert said.splitlines()[-1] == "page        examples/theorems/nl_t4.py agrees"
    assert "privacy loss" in said
    assert review.page_agrees("PS-L1")
    assert capsys.readouterr().out == ""


def test_a_page_that_asserts_something_false_is_said_to_differ(capsys, monkeypatch, tmp_path):
    folder = tmp_path / theorems.FOLDER
    folder.mkdir(parents=True)
    (tmp_path / "pyproject.toml").touch()
    table = "| [bad.py](bad.py) | Theorem 1 | PS-W | nothing | 1 | 1 |\n"
    (folder / "README.md").write_text(table, encoding="utf-8")
    (folder / "bad.py").write_text("assert 1 > 2\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert not review.page_agrees("PS-W")
    assert capsys.readouterr().out == "page        examples/theorems/bad.py DIFFERS\n"


def test_the_page_states_the_tolerance():
    page = " ".join((ROOT / "REVIEW.md").read_text(encoding="utf-8").split())
    assert f"may differ from the records by {100 * review.TOLERANCE:g}%" in page


def test_a_command_of_the_page_answers_what_it_says(capsys):
    from replicate.__main__ import main

    page = review.entries(RECORDS, review.times(ROOT))
    assert len(re.findall(r"^- Command: ", page, flags=re.MULTILINE)) == 10
    words = re.search(r"`\.venv/bin/python -m replicate (claims NL-S1 .*?)`", page)[1]
    assert main(words.split()) == 0
    said = capsys.readouterr().out
    assert found(KNOWN["NL-S1"]) in said
    assert f"Expected: {found(KNOWN['NL-S1'])} (exact)." in page
    assert "full sizes, seed 2026" in said
