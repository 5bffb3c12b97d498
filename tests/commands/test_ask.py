"""``python -m replicate ask`` as a user types it."""

import json

import pytest

from replicate.__main__ import main


def test_an_answer(capsys):
    assert main(["ask", "PS-T1", "--epsilon", "2", "--actions", "100", "--gap", "0.2", "--rounds", "2**20"]) == 0
    text = capsys.readouterr().out
    assert "K = 100, Δ = 0.2, T = 1,048,576" in text
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


@pytest.mark.parametrize("words", [["ask", "PS-L3"], ["ask", "PS-T1", "--epsilon", "0"]])
def test_one_line_of_refusal(capsys, words):
    assert main(words) == 2
    assert capsys.readouterr().err.count("\n") == 1
