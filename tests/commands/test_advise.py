"""The advisor as a user types it."""

import json

import pytest

import replicate.__main__
import replicate.commands.advise
from replicate.advice import Rule
from replicate.learners import registry

ASKED = ["--losses", "iid", "--actions", "4", "--rounds", "2e3", "--epsilon", "1", "--budget", "1"]


@pytest.fixture
def few(monkeypatch, capsys):
    """The command in this process, among few learners: the whole register takes half a minute."""

    def said(*words):
        assert replicate.__main__.main(["advise", *words]) == 0
        return capsys.readouterr()

    entries = {name: registry.entry(name) for name in ("hedge_tree_cube", "ftpl", "bit_tsallis_inf", "hedge")}
    monkeypatch.setattr(registry, "register", lambda: entries)
    return said


def test_it_answers(few):
    said = few(*ASKED).out
    assert "\nUse " in said
    assert "registry.learner(" in said
    assert "for comparison, without privacy:" in said


def test_it_answers_machines(few):
    data = json.loads(few(*ASKED, "--json").out)
    assert data["question"]["rounds"] == 2000
    assert data["ranking"][0]["kind"] == "guaranteed"


def test_a_race_decides_orders_and_says_whom_it_left_behind(few, monkeypatch):
    monkeypatch.setattr(replicate.commands.advise, "Rule", lambda: Rule(start=8, looks=2))
    words = ["--losses", "fixed", "--actions", "2", "--rounds", "2100", "--epsilon", "1", "--race"]
    said = few(*words).out
    assert "above best" in said
    assert "(after 512 rounds)" in said


def test_it_refuses_in_one_line(capsys):
    assert replicate.__main__.main(["advise", *ASKED, "--switches", "3"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: n_switches must be 0 for iid losses")
    assert len(said.err.splitlines()) == 1


def table(tmp_path):
    path = tmp_path / "losses.csv"
    path.write_text("a,b\n" + "1,0\n" * 600)
    return ["--table", str(path), "--epsilon", "2", "--budget", "1"]


def test_it_ranks_on_a_table_and_warns(few, tmp_path):
    done = few(*table(tmp_path))
    assert "K = 2, T = 600" in done.out
    assert "--choose makes the choice itself private" in done.err


def test_it_chooses_privately(few, tmp_path):
    done = few(*table(tmp_path), "--choose", "--feedback", "bandit")
    assert "(chosen with ε = 2; noisy loss " in done.out
    assert len(done.out.splitlines()) == 1


def test_it_needs_sizes_or_a_table(tmp_path, capsys):
    for words in (["--epsilon", "1"], [*table(tmp_path), "--actions", "2", "--rounds", "600"]):
        assert replicate.__main__.main(["advise", *words]) == 2
        assert capsys.readouterr().err == "error: give --actions and --rounds, or --table, and not both\n"
