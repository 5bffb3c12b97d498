"""The advisor as a user types it."""

import json

import pytest

from replicate.__main__ import main

FEW = ["--feedback", "bandit", "--local", "--epsilon", "1", "--budget", "0.5"]
"""A question that few learners of the register answer."""
ASKED = ["--losses", "iid", "--actions", "2", "--rounds", "2e3", *FEW]


def program(answer):
    """The program below an answer, as one copies it."""
    return answer[answer.index("\nimport ") :] if "\nimport " in answer else answer[answer.index("\nfrom ") :]


@pytest.fixture
def said(capsys):
    def asked(*words):
        assert main(["advise", *words]) == 0
        return capsys.readouterr()

    return asked


def test_it_answers(said):
    answer = said(*ASKED).out
    assert "\nuse         " in answer
    assert "registry.learner(" in answer
    assert "for comparison, without privacy:" in said(*ASKED, "--all").out


def test_with_experts_it_names_who_takes_advice(said, capsys):
    """Four lines; where all losses are seen, and with what nothing would read, it is refused."""
    words = ["--actions", "2", "--rounds", "2e3", *FEW]
    assert said(*words, "--experts", "4").out.startswith("use         one random bit, EXP4")
    assert main(["advise", *words, "--experts", "4", "--json"]) == 2
    assert main(["advise", *words, "--feedback", "full", "--experts", "4"]) == 2
    assert "experts as actions" in capsys.readouterr().err


SOUGHT = ("--table t.csv", "--race", "--guaranteed", "--against x.py", "--json", "--all", "--labels 4")
UNREAD = {
    "--regret 10": SOUGHT, "--experts 4": (*SOUGHT, "--regret 10"), "--guaranteed": ("--race", "--against x.py"),
    "--json": ("--all",), "--race": ("--budget 9",),
    "--feedback labels": (
        "--table t.csv", "--switches 2", "--losses iid", "--race", "--local", "--rounds-per-person 3",
        "--regret 10", "--guaranteed", "--against x.py",
    ),
}  # fmt: skip
"""What is given, and each option that would not be read beside it."""


@pytest.mark.parametrize(("given", "unread"), [(given, each) for given, them in UNREAD.items() for each in them])
def test_an_option_that_would_not_be_read_is_refused(given, unread, capsys):
    words = ["--actions", "2", "--rounds", "2000", "--epsilon", "1", *given.split(), *unread.split()]
    assert main(["advise", *words]) == 2
    assert f"{unread.split()[0]} cannot be used with" in capsys.readouterr().err


SMALL = "--losses iid --actions 2 --rounds 100 --epsilon 1"
NOTHING = {
    "--rounds 0": "--losses iid --actions 2 --epsilon 1", "--actions 0": "--losses iid --rounds 9 --epsilon 1",
    "--epsilon 0": "--losses iid --actions 2 --rounds 100", "--budget 0": SMALL, "--rounds-per-person 0": SMALL,
    "--rounds 0 ": "--actions 2 --regret 5", "--epsilon 0 ": "--actions 2 --regret 5",
    "--regret 0": "--losses iid --actions 2 --epsilon 1", "--experts 0": f"{SMALL} --feedback bandit",
    "--labels 0": "--feedback labels --actions 2 --rounds 100 --epsilon 1", "--budget 0 ": f"{SMALL} --race",
    "--against .": SMALL, "--seed -1": SMALL,
    "--rounds-per-person 0 ": "--feedback labels --actions 2 --labels 2 --rounds 100 --epsilon 1",
    "--regret 0 ": "--feedback labels --actions 2 --rounds 100 --epsilon 1",
}  # fmt: skip
"""An option with a value that nothing can be made of, and what is given beside it."""


@pytest.mark.parametrize("option", NOTHING)
def test_a_value_of_nothing_is_refused_and_not_taken_for_an_option_that_is_not_given(option, capsys):
    assert main(["advise", "--feedback", "full", *NOTHING[option].split(), *option.split()]) == 2
    name, value = option.split()
    said = capsys.readouterr().err
    assert said.startswith(f"error: {value if name == '--against' else name} ")
    assert "cannot be used with" in said or f"got {value}" in said or "must define" in said


def test_it_answers_where_nobody_knows_T(said, capsys):
    words = ["--losses", "fixed", "--actions", "2", "--rounds", "unknown", *FEW]
    answer = said(*words).out
    assert "T unknown, compared at T = 65,536" in answer
    assert "times the regret of the best learner that knows T" in answer
    code = program(answer)
    assert "horizon=None" in code
    exec(code, {})
    assert "in 1,000 rounds; best action" in capsys.readouterr().out


def test_it_answers_machines(said):
    data = json.loads(said(*ASKED, "--json").out)
    assert data["question"]["rounds"] == 2000
    assert data["answers"][0]["ranking"][0]["kind"] == "guaranteed"


def table(tmp_path, rounds):
    path = tmp_path / "losses.csv"
    path.write_text("a,b\n" + "1,0\n" * rounds)
    return ["--table", str(path), *(word for word in FEW if word != "--local")]


def test_it_ranks_on_a_table_and_warns(said, tmp_path):
    done = said(*table(tmp_path, 300))
    assert "K = 2, T = 300" in done.out
    assert "advice.choosing.choose makes the choice itself private" in done.err


def test_the_program_reads_the_same_table(said, tmp_path, capsys):
    answer = said(*table(tmp_path, 300), "--losses", "fixed", "--columns", "b", "a").out
    exec(program(answer), {})
    assert "in 300 rounds; best action 0.0" in capsys.readouterr().out


def test_on_a_table_T_may_be_unknown(said, tmp_path, capsys):
    answer = said(*table(tmp_path, 300), "--losses", "fixed", "--rounds", "unknown").out
    assert "T unknown, compared at T = 300" in answer
    exec(program(answer), {})
    assert "in 300 rounds" in capsys.readouterr().out
