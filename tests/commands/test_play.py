import re

import numpy as np
import pandas as pd
import pytest

from replicate.__main__ import main
from replicate.commands import play
from replicate.environments import forecasting, readers
from replicate.learners import protocol, registry
from replicate.streams import stream


def command(*words):
    return main(["play", *map(str, words)])


TABLE = [[0.25, 0.5, 1.0], [0.0, 0.125, 0.5]]


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "losses.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("separator", [",", ";", "\t", " ", " , "])
@pytest.mark.parametrize("header", [True, False])
def test_separators_and_headers(file, separator, header):
    lines = [separator.join(map(str, row)) for row in TABLE]
    if header:
        lines.insert(0, separator.join(["sun", '"rain"', "snow"]))
    table = readers.read_table(file("\ufeff# losses\n\n" + "\n".join(lines) + "\n\n"))
    np.testing.assert_array_equal(table, TABLE)
    assert list(table.columns) == (["sun", "rain", "snow"] if header else [0, 1, 2])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n0.1,x", r"losses.csv, line 2, column 2 \(b\) must be a finite number"),
        ("0.1,0.2\n0.3,", r"line 2, column 2 must be a finite number, got nothing"),
        ("0.1,0.2\n\n0.1,inf", r"line 3, column 2 must be a finite number"),
        ("0.1,oops,0.2\n0,0,0", r"line 1 holds numbers and other words: --header"),
        ("0,5;0,7\n0,1;0,2", r"line 1, column 1 must be a finite number, with a point for the decimals"),
        ("0.1,0.2\n3.5,0.1", r"line 2, column 1 must lie in \[0, 1\]; .*--range LOW HIGH"),
        ("0.1,0.2\n0.1", r"line 2 must have 2 values like the first line, got 1"),
        ("a,b", "at least one round and two actions, got 0 and 2"),
    ],
)
def test_bad_files_are_named_by_line_and_column(file, text, message):
    with pytest.raises(ValueError, match=message):
        readers.read_table(file(text))


@pytest.mark.parametrize(
    "words",
    ["--epsilon 0", "--repeats 0", "--switches -1", "--range 0 0", "--no-numbered", "--seed -1", "--learner no"],
)
def test_a_value_of_nothing_is_refused_and_not_taken_for_an_option_that_is_not_given(words, file, capsys):
    assert command(file("1,0\n" * 9), "--epsilon", 1, *words.split()) == 2
    assert words.split()[0].replace("--no-", "--") in capsys.readouterr().err


def test_repeats_are_games_with_streams_of_their_own():
    table = pd.DataFrame(stream(1, "table").random((64, 3)), columns=["a", "b", "c"])
    run = play.repeat("limited_updates", table, epsilon=1.0, n_switches=2, repeats=3, seed=5)
    for r in range(3):
        rng = stream(5, "play", "limited_updates", r)
        learner = registry.learner("limited_updates", n_actions=3, horizon=64, epsilon=1.0, rng=rng)
        np.testing.assert_array_equal(run.regret[r], protocol.play(learner, table, n_switches=2).regret[0])
    assert run.actions.shape == (3, 64)
    assert len({tuple(row) for row in run.actions.tolist()}) == 3


def test_the_command_plays_a_file(file, capsys):
    path = file("good,bad\n" + "0,1\n" * 50)
    arguments = [path, "--learner", "prefix_softmax", "hedge", "--epsilon", "0.2", "--seed", "3"]
    assert command(*arguments) == 0
    out = capsys.readouterr().out
    private, free = out.strip().split("\n\n")
    read, _, private = private.partition("\n")
    assert read == "read        50 rounds, 2 actions: good, bad; losses from 0 to 1"
    assert private.startswith("learner     prefix_softmax\nloss ")
    assert "comparator  best fixed action: good from round 1; loss 0" in private
    assert "uniform play: 25" in private
    assert "epsilon = 0.2, delta = 0, event level" in private
    assert "privacy     none" in free
    assert command(*arguments) == 0
    assert capsys.readouterr().out == out


@pytest.mark.parametrize("asked", ["0.0001", "3"])
def test_a_level_other_than_asked_is_noted_however_small(file, capsys, asked):
    """Uniform play spends nothing; a level that is kept is not noted."""
    assert command(file("a,b\n" + "0,1\n" * 50), "--learner", "uniform", "dp_imed", "--epsilon", asked) == 0
    uniform, other = capsys.readouterr().out.split("dp_imed")
    assert f"note        epsilon = 0 is less than the {asked} that was asked" in uniform
    assert "note " not in other


def test_the_command_plays_the_example_and_a_scaled_file(file, capsys):
    assert command("--example", "eeg", "--learner", "limited_updates", "--epsilon", "1", "--switches", "2") == 0
    out = capsys.readouterr().out
    assert "in 3,136 rounds" in out
    assert "best sequence with at most 2 switches" in out
    assert any(f"{name} from round 1" in out for name in forecasting.PANEL)
    assert command(file("-10 90\n" * 9), "--range", "-10", "90", "--learner", "hedge") == 0
    assert "uniform play: 4.5" in capsys.readouterr().out


def test_the_command_says_that_a_learner_keeps_to_less_than_was_asked(file, capsys):
    path = file("good,bad\n" + "0,1\n" * 50)
    assert command(path, "--learner", "prefix_softmax", "gumbel", "--epsilon", "0.5") == 0
    capped, plain = capsys.readouterr().out.strip().split("\n\n")
    note = (
        "note        epsilon = 0.25 is less than the 0.5 that was asked: 2 eta, eta = min(epsilon / 2, 1/8): PS-P1"
    )
    assert capped.splitlines()[-1] == note
    assert "note" not in plain
    assert command(path, "--epsilon", "0.2") == 0
    assert "note" not in capsys.readouterr().out


LAWS = "rain,sun\n0.75,0.25\n0.5,0.5\n"


def test_labels_by_name_or_number(file):
    names = ["rain", "sun"]
    np.testing.assert_array_equal(readers.read_labels(file("label\nrain\nsun\n1\n0\n"), names), [0, 1, 1, 0])
    with pytest.raises(ValueError, match=r"line 3 must hold a label: one of rain, sun, or its number"):
        readers.read_labels(file("rain\nsun\nsnow"), names)
    with pytest.raises(ValueError, match="line 1 must hold a label"):
        readers.read_labels(file("rian\nsun"), names)
    with pytest.raises(ValueError, match="at least one label"):
        readers.read_labels(file("Label\n"), names)


@pytest.mark.parametrize(
    ("lines", "read"),
    [
        ("0 1 0", None),  # names of each other's numbers
        ("0 x 2", None),  # a name and a number, and what may be either
        ("x 2", [2, 2]),
        ("x 1 0", [2, 0, 1]),  # all are names
        ("0 1 2", [0, 1, 2]),  # all are numbers
    ],
)
def test_labels_that_are_names_and_numbers_of_others_are_refused(lines, read, file):
    """Labels 0, 1 and 2 have the names 1, 0 and x."""
    path, names = file("\n".join(lines.split()) + "\n"), ["1", "0", "x"]
    if read is None:
        with pytest.raises(ValueError, match="names and numbers of other labels"):
            readers.read_labels(path, names)
    else:
        assert readers.read_labels(path, names).tolist() == read


@pytest.mark.parametrize(("scheme", "differ"), [("pure", True), ("non_private", False)])
def test_games_on_labels_have_coins_of_their_own(scheme, differ, file, tmp_path, capsys):
    """Their regrets scatter; without coins they are one number."""
    laws = tmp_path / "laws.csv"
    laws.write_text(LAWS)
    words = ["--hypotheses", laws, "--epsilon", "2", "--repeats", "3", "--learner", scheme]
    assert command(file("rain\nsun\n" * 40), *words) == 0
    error = re.search(r"± (\S+) in 3 games", capsys.readouterr().out)
    assert (float(error[1]) > 1e-9) is differ


def test_the_command_plays_labels(file, tmp_path, capsys):
    laws = tmp_path / "laws.csv"
    laws.write_text(LAWS)
    path = str(file("rain\nrain\nrain\nsun\n" * 40))
    assert command(path, "--hypotheses", laws, "--epsilon", "2", "--learner", "pure", "non_private") == 0
    private, free = capsys.readouterr().out.strip().split("\n\n")
    assert "best hypothesis (log loss, nats): 0 from round 1; loss 89.97" in private  # 160 entropies of (3/4, 1/4)
    assert "epsilon = 2, delta = 0" in private
    assert "each label (local privacy) stays private" in private
    assert "privacy     none" in free
    assert command(path, "--hypotheses", laws) == 2
    assert "--hypotheses needs a file of labels and --epsilon" in capsys.readouterr().err
    assert command(path, "--hypotheses", laws, "--epsilon", "2", "--learner", "gumbel") == 2
    assert "--learner must be one of pure, approximate" in capsys.readouterr().err
