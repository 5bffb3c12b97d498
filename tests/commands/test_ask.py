"""``python -m replicate ask`` as a user types it."""

import json

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
