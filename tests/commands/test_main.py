"""One command line: every command is listed, mistakes end it with one line; `ask` as a user types it."""

import argparse
import importlib
import json
import re
import subprocess
import sys

import numpy as np
import pytest

from replicate import __main__ as program


def test_every_command_is_a_module_that_declares_its_arguments(capsys):
    for name in program.COMMANDS:
        module = importlib.import_module(f"replicate.commands.{name}")
        assert callable(module.arguments)
        assert callable(module.main)
        with pytest.raises(SystemExit) as stop:
            program.main([name, "--help"])
        assert stop.value.code == 0
        assert capsys.readouterr().out.startswith(f"usage: python -m replicate {name} ")
    assert set(program.COMMANDS) < set(program.__doc__.replace("`", " ").replace(".", " ").split())


def test_a_default_is_what_its_help_says():
    """A number in parentheses at the end of a help is the default; None stands for one that is told later."""
    told = {}
    for name in program.COMMANDS:
        parser = argparse.ArgumentParser()
        importlib.import_module(f"replicate.commands.{name}").arguments(parser)
        for action in parser._actions:
            number = re.search(r"\((-?[\d.e-]+)\)$", action.help or "")
            if number and action.default is not None:
                told[name, action.dest] = (float(number[1]), float(action.default))
    assert len(told) >= 3
    assert all(said == default for said, default in told.values()), told


LEFT_OUT = {
    "delta": (["play", "TABLE", "--learner", "meta_experts", "--epsilon", "0.5", "--switches", "1", "--seed", "3"],
              ["--delta", "1e-6"], ["--delta", "1e-3"]),
    "range": (["play", "TABLE", "--learner", "hedge", "--seed", "3"],
              ["--range", "0", "1"], ["--range", "0", "2"]),
    "learner": (["play", "TABLE", "--epsilon", "1", "--seed", "3"], ["--learner", "prefix_softmax"],
                ["--learner", "gumbel"]),
}  # fmt: skip
"""Commands, what their help calls the default of an option, and another value of it."""


@pytest.mark.parametrize("option", LEFT_OUT)
def test_what_is_left_out_is_what_the_help_says(option, tmp_path, capsys):
    words, stated, other = LEFT_OUT[option]
    table = tmp_path / "losses.csv"
    np.savetxt(table, np.random.default_rng(1).random((300, 3)), delimiter=",", fmt="%.3f")
    words, said = [str(table) if word == "TABLE" else word for word in words], []
    for more in ([], stated, other):
        assert program.main([*words, *more]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] != said[2]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["claims", "XX-1"], "unknown claim, erratum or paper: XX-1"),
        (["seeds", "XX-1"], "unknown check: XX-1"),
        (["run", "nowhere.ipynb"], "no such notebook: nowhere.ipynb"),
        (["run", "notebooks/01_prefix_softmax.ipynb", "-p", "SEED", "1.5"], "parameter SEED must be of type int"),
        (["advise", "--actions", "0", "--rounds", "9", "--epsilon", "1"], "--actions must be an integer"),
        (["advise", "--actions", "2", "--rounds", "1.5", "--epsilon", "1"], "--rounds must be an integer"),
        (["advise", "--actions", "2", "--rounds", "9", "--epsilon", "-1"], "--epsilon must be a finite number"),
        (
            ["advise", "--actions", "2", "--rounds", "99", "--epsilon", "1", "--losses", "switching"],
            "--switches must",
        ),
        (
            ["advise", "--actions", "2", "--rounds", "9", "--epsilon", "1", "--rounds-per-person", "0"],
            "--rounds-per-person must be an integer",
        ),
        (["ask", "PS-T1", "--gap", "2"], "--gap must be a finite number"),
        (
            ["ask", "PS-T1", "--switches", "2"],
            "--switches cannot be used with PS-T1, which reads --epsilon, --actions",
        ),
        (["play", "--example", "eeg"], "--epsilon must be given: a positive number (for prefix_softmax)"),
        (["play", "nowhere.csv", "--epsilon", "1"], "nowhere.csv: No such file"),
    ],
)
def test_mistakes_end_a_command_with_one_line(capsys, asked, message):
    """The line names the option or the file that was typed."""
    assert program.main(asked) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"error: {message}")
    assert captured.err.count("\n") == 1
    assert captured.out == ""


def test_claims_are_checked_and_written(tmp_path, capsys):
    path = tmp_path / "deep" / "claims.json"
    assert program.main(["claims", "PS-L2", "PS-L1", "--json", str(path)]) == 0
    records = json.loads(path.read_text())
    assert [r["id"] for r in records] == ["PS-L1", "PS-L2"]
    assert all(r["verdict"] == "reproduced" and r["seconds"] >= 0 for r in records)
    assert "2 of 2 checks confirm their verdicts" in capsys.readouterr().out


def test_many_seeds_go_on_where_they_stopped(tmp_path, monkeypatch, capsys):
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EXECUTOR", "threads:2")
    said = []
    for _ in range(2):
        assert program.main(["seeds", "--seeds", "4", "--first", "7", "PS-L2", "PS-E4"]) == 0
        (kept,) = (tmp_path / "build" / "seeds").glob("*.jsonl")
        said.append((kept.read_text(), capsys.readouterr().out.rpartition("\n0 of ")[2].partition(" fell")[0]))
    assert said[0] == said[1] != ("", "")
    assert not (tmp_path / "reports").exists(), "a part of the checks makes no report"


def test_a_reader_who_has_enough_is_no_error():
    command = f"{sys.executable} -m replicate play --list | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert (done.stdout.count("\n"), done.stderr) == (1, "")


def test_an_answer(capsys):
    assert (
        program.main(["ask", "PS-T1", "--epsilon", "2", "--actions", "100", "--gap", "0.2", "--rounds", "2**20"])
        == 0
    )
    text = capsys.readouterr().out
    assert "K = 100, Δ = 0.2, T = 1,048,576" in text
    assert text.startswith("Theorem 1, (1), section 4, of Cesari & Colomboni (2026), ")
    assert "\nFor every horizon, Reg_T ≤ 1 + 800 log K/Δ + 16 log K/η, where η = min(ε/2, 1/8).\n" in text
    assert "on        Bernoulli losses, one action better by the gap\n" in text
    assert "verdict   holds here" in text


def test_the_sizes_that_were_not_given_are_said(capsys):
    assert program.main(["ask", "PS-T1", "--epsilon", "2", "--actions", "100", "--rounds", "2**20"]) == 0
    assert capsys.readouterr().out.endswith("note      sizes that were not given are the claim's own: --gap 0.1\n")
    assert (
        program.main(["ask", "PS-T1", "--epsilon", "2", "--actions", "4", "--gap", "0.5", "--rounds", "64"]) == 0
    )
    assert "not given" not in capsys.readouterr().out


def test_every_option_has_a_help(capsys):
    """And no placeholder of a template in it."""
    for name in program.COMMANDS:
        parser = argparse.ArgumentParser()
        importlib.import_module(f"replicate.commands.{name}").arguments(parser)
        for action in parser._actions:
            assert action.help, (name, action.dest)
            assert "{" not in f"{action.metavar}{action.help}", (name, action.dest)


def test_the_list(capsys):
    assert program.main(["ask"]) == 0
    assert (
        "PS-T1    --epsilon 1 --actions 10 --gap 0.1 --rounds 2**40  (prefix softmax)" in capsys.readouterr().out
    )
