"""The advisor as a user types it."""

import json

import pytest

from replicate.__main__ import main

FEW = ["--feedback", "bandit", "--local", "--epsilon", "1", "--budget", "1"]
"""A question that few learners of the register answer."""
ASKED = ["--losses", "iid", "--actions", "2", "--rounds", "2e3", *FEW]


@pytest.fixture
def said(capsys):
    def asked(*words):
        assert main(["advise", *words]) == 0
        return capsys.readouterr()

    return asked


def test_it_answers(said):
    answer = said(*ASKED).out
    assert "\nUse " in answer
    assert "registry.learner(" in answer
    assert "for comparison, without privacy:" in answer


def test_it_answers_machines(said):
    data = json.loads(said(*ASKED, "--json").out)
    assert data["question"]["rounds"] == 2000
    assert data["ranking"][0]["kind"] == "guaranteed"


def test_a_race_decides_orders(said):
    assert "above best" in said(*ASKED, "--race").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*ASKED, "--switches", "3"], "n_switches must be 0 for iid losses"),
        (FEW, "give --actions and --rounds, or --table, and not both"),
        ([*FEW, "--table", "t.csv", "--actions", "2"], "give --actions and --rounds, or --table, and not both"),
        (
            [*FEW, "--losses", "switching", "--actions", "1048576", "--rounds", "1e8", "--switches", "900"],
            "n_switches must be at most 15 for 1,048,576 actions",
        ),
    ],
)
def test_it_refuses_in_one_line(words, message, capsys):
    assert main(["advise", *words]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert message in shown.err


def table(tmp_path, rounds):
    path = tmp_path / "losses.csv"
    path.write_text("a,b\n" + "1,0\n" * rounds)
    return ["--table", str(path), *FEW]


def test_it_ranks_on_a_table_and_warns(said, tmp_path):
    done = said(*table(tmp_path, 300))
    assert "K = 2, T = 300" in done.out
    assert "--choose makes the choice itself private" in done.err


def test_it_chooses_privately_if_there_is_time(said, tmp_path, capsys):
    done = said(*table(tmp_path, 100), "--choose")
    assert "(chosen with ε = 1; noisy loss " in done.out
    assert len(done.out.splitlines()) == 1
    assert main(["advise", *table(tmp_path, 10**6), "--choose"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "learners on 1,000,000 rounds, which takes about" in shown.err
