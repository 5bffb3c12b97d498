"""``python -m replicate ask`` as a user types it."""

import json

import pytest

from replicate.__main__ import main


def test_an_answer(capsys):
    assert main(["ask", "PS-T1", "--epsilon", "2", "--actions", "100", "--gap", "0.2", "--rounds", "2**20"]) == 0
    text = capsys.readouterr().out
    assert "K = 100, Δ = 0.2, T = 1,048,576" in text
    assert text.startswith("Theorem 1, (1), section 4, of Cesari & Colomboni (2026), ")
    assert "\nFor every horizon, Reg_T ≤ 1 + 800 log K/Δ + 16 log K/η, η = min(ε/2, 1/8).\n" in text
    assert "on        Bernoulli losses, one action better by the gap\n" in text
    assert "verdict   holds here" in text


def test_plain_data(capsys):
    assert main(["ask", "NL-F7", "--rounds", "4096", "--json"]) == 0
    answers = json.loads(capsys.readouterr().out)
    first = answers[0]
    assert {answer["subject"] for answer in answers} == {"gumbel", "exponential", "laplace"}
    assert first["setting"]["horizon"] == 4096
    assert first["losses"] == "Bernoulli losses, one action better by the gap"


def test_the_list(capsys):
    assert main(["ask"]) == 0
    assert (
        "PS-T1    --epsilon 1 --actions 10 --gap 0.1 --rounds 2**40  (prefix softmax)" in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("PS-L3", "PS-L3 has no sizes that can be set: `python -m replicate claims PS-L3`"),
        ("NL-SLIP-1", "NL-SLIP-1 has no sizes that can be set: `python -m replicate claims NL-SLIP-1`"),
        ("PS-T9", "unknown claim: PS-T9; these can be asked: PS-T1, "),
        ("PS-T1 --epsilon 0", "epsilon must be a finite number in (0, inf]"),
        ("PS-T1 --epsilon inf --json", "epsilon must be a finite number in (0, inf]"),
        ("TR-T36c --epsilon 50", "TR-T36c at these sizes needs more than ten minutes"),
    ],
)
def test_one_line_of_refusal(capsys, words, message):
    assert main(["ask", *words.split()]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"error: {message}")
    assert captured.err.count("\n") == 1
    assert captured.out == ""
