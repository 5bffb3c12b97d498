"""Advice on labels: questions, rankings, the code that they print, the command as a user types it."""

import json

import numpy as np
import pytest

from replicate.__main__ import main
from replicate.advice import labels
from replicate.learners import registry

GOOD = {"n_hypotheses": 4, "n_labels": 32, "rounds": 1e6, "epsilon": 1.0}
ASKED = ["--feedback", "labels", "--actions", "4", "--labels", "32", "--rounds", "1e6", "--epsilon", "1"]


def ranking(**changes):
    question = labels.LabelQuestion(**GOOD | changes)
    advice = labels.advise_labels(question, replicates=10)
    return advice, advice.ranking


def test_schemes_with_a_bound_come_first_from_the_smallest_risk():
    advice, table = ranking()
    assert set(table["learner"]) == set(registry.schemes())
    best = table[table["kind"] == "guaranteed"]
    assert table["kind"].iloc[0] == "guaranteed"
    assert best["regret"].is_monotonic_increasing
    assert best["learner"].iloc[0] == "sign_bits"
    assert list(table[table["kind"] == "no guarantee"]["learner"]) == ["pair_bits", "posterior"]
    assert table.set_index("learner").loc["approximate", "reason"] == "needs delta > 0"
    assert table.set_index("learner").loc["sign_bits", "promise"] == "holds here"
    assert table.set_index("learner").loc["pure", "promise"] == "vacuous here"
    said = str(advice).splitlines()
    assert [line.split()[0] for line in said[2:8]] == ["use", "costs", "assumes", "guaranteed", "open", "verdict"]
    assert "one bit of a random sign test (sign_bits), ε, local-private" in said[2]
    assert "needs delta > 0" in advice.table()


LAWS = np.random.default_rng(3).dirichlet(np.ones(32), size=4)


def test_the_bound_is_that_of_the_register():
    question = labels.LabelQuestion(**GOOD, delta=1e-3)
    table = labels.advise_labels(question, hypotheses=LAWS, replicates=2).ranking
    for name in ("approximate", "merged_response"):
        scheme, row = registry.schemes()[name], table.set_index("learner").loc[name]
        assert row["bound"] == pytest.approx(scheme.bound(LAWS, epsilon=1.0, delta=1e-3, horizon=10**6))


def test_a_class_of_ones_own():
    copies = np.repeat([[0.7, 0.3], [0.2, 0.8]], 50, axis=1) / 50
    question = labels.LabelQuestion(n_hypotheses=2, n_labels=100, rounds=1e4, epsilon=1.0)
    table = labels.advise_labels(question, hypotheses=copies, replicates=20).ranking.set_index("learner")
    assert table.loc["merged_response", "regret"] < table.loc["randomized_response", "regret"] / 3
    assert table.loc["merged_response", "bound"] < table.loc["randomized_response", "bound"] / 10
    with pytest.raises(ValueError, match=r"hypotheses must have the shape \(2, 100\)"):
        labels.advise_labels(question, hypotheses=np.full((2, 50), 1 / 50))


def test_the_program_runs_as_printed(capsys):
    for changes in ({}, {"delta": 1e-3}, {"rounds": 3}):
        exec(ranking(**changes)[0].program, names := {})
        assert capsys.readouterr().out.startswith("log loss ")
        scheme = registry.schemes()[names["given"]["scheme"]]
        assert names["given"].get("delta") == (changes.get("delta", 0.0) if scheme.approximate else None)


def test_the_command_answers_machines_and_people(capsys):
    assert main(["advise", *ASKED, "--delta", "1e-3", "--json", "--budget", "1"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["question"] | {"delta": 1e-3} == data["question"]
    assert data["question"]["feedback"] == "labels"
    assert data["answers"][0]["use"] == data["answers"][0]["ranking"][0]["learner"] == "sign_bits"


def test_half_widths_are_those_of_the_mean_over_classes():
    """Over seeds regrets scatter as the half widths say: 2.946 deviations, Student's at 15 degrees of freedom."""
    asked = labels.LabelQuestion(n_hypotheses=2, n_labels=4, rounds=64, epsilon=1)
    tables = [
        labels.advise_labels(asked, replicates=16, seed=s).ranking.dropna(subset="regret") for s in range(12)
    ]
    tables = [table.set_index("learner").sort_index() for table in tables]
    regrets, halves = (np.array([t[c].to_numpy(float) for t in tables]) for c in ("regret", "half_width"))
    assert 0.7 < np.median(halves.mean(axis=0) / (2.946 * regrets.std(axis=0, ddof=1))) < 1.35


def test_where_all_laws_are_the_same_there_is_nothing_to_learn():
    question = labels.LabelQuestion(**GOOD | {"rounds": 50})
    said = labels.advise_labels(question, hypotheses=np.full((4, 32), 1 / 32), replicates=3).lines()
    assert said["verdict"] == "all distributions are the same, and there is nothing to learn"
    assert (
        "nothing to learn" not in labels.advise_labels(question, hypotheses=LAWS, replicates=3).lines()["verdict"]
    )
