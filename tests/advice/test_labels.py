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
    return question, labels.advise_labels(question, replicates=10)


def test_schemes_with_a_bound_come_first_from_the_smallest_risk():
    question, table = ranking()
    assert set(table["learner"]) == set(registry.schemes())
    best = table[table["kind"] == "guaranteed"]
    assert table["kind"].iloc[0] == "guaranteed"
    assert best["regret"].is_monotonic_increasing
    assert best["learner"].iloc[0] == "sign_bits"
    assert list(table[table["kind"] == "no guarantee"]["learner"]) == ["pair_bits", "posterior"]
    assert table.set_index("learner").loc["approximate", "reason"] == "needs delta > 0"
    assert table.set_index("learner").loc["sign_bits", "promise"] == "holds here"
    assert table.set_index("learner").loc["pure", "promise"] == "vacuous here"
    said = labels.text(question, table)
    assert "Use one bit of a random sign test (sign_bits), ε, local." in said
    assert "approximate: needs delta > 0" in said


def test_the_same_numbers_with_fixed_replicates():
    first, second = (ranking()[1].drop(columns="seconds") for _ in range(2))
    assert first.equals(second)


def test_the_risk_is_that_of_the_simulation_and_the_bound_that_of_the_register():
    _, table = ranking(delta=1e-3)
    for name in ("approximate", "merged_response"):
        scheme, row = registry.schemes()[name], table.set_index("learner").loc[name]
        finals, laws = [], labels._classes(labels.LabelQuestion(**GOOD), None)
        for i, f in enumerate(laws):
            run = scheme.simulate(
                f, epsilon=1.0, delta=1e-3, horizon=10**6, replicates=10, grid=100,
                rng=labels.stream(2026, "advice/labels", name, i),
            )  # fmt: skip
            finals.append(run.final.mean())
        assert row["regret"] == pytest.approx(np.mean(finals))
        assert row["bound"] == pytest.approx(scheme.bound(laws[0], epsilon=1.0, delta=1e-3, horizon=10**6))


def test_a_class_of_ones_own():
    copies = np.repeat([[0.7, 0.3], [0.2, 0.8]], 50, axis=1) / 50
    question = labels.LabelQuestion(n_hypotheses=2, n_labels=100, rounds=1e4, epsilon=1.0)
    table = labels.advise_labels(question, hypotheses=copies, replicates=20).set_index("learner")
    assert table.loc["merged_response", "regret"] < table.loc["randomized_response", "regret"] / 3
    assert table.loc["merged_response", "bound"] < table.loc["randomized_response", "bound"] / 10
    with pytest.raises(ValueError, match=r"hypotheses must have the shape \(2, 100\)"):
        labels.advise_labels(question, hypotheses=np.full((2, 50), 1 / 50))


def test_the_three_lines_run():
    _, table = ranking(delta=1e-3)
    for code in table["code"]:
        place = {"hypotheses": np.random.default_rng(1).dirichlet(np.ones(32), size=4), "label": 3}
        exec(code, place)
        assert len(code.splitlines()) == 3
        assert place["p"].sum() == pytest.approx(1)
        assert np.ptp(place["predictor"].log_weights) > 0


def test_the_budget_is_shared_by_what_is_left(monkeypatch):
    """Every replicate takes one second; two measure a scheme, and its share of what is left is run anew."""
    clock, ran = [0.0], []

    def run(question, scheme, classes, replicates, seed):
        clock[0] += replicates
        ran.append(replicates)
        return [np.zeros(replicates) for _ in classes]

    monkeypatch.setattr(labels, "_run", run)
    monkeypatch.setattr(labels.time, "process_time", lambda: clock[0])
    question = labels.LabelQuestion(**GOOD)
    labels.advise_labels(question, budget=1000)
    left, due = 1000, [1]
    schemes = (len(ran) - 1) // 2
    for others in range(schemes, 0, -1):
        share = (left - 2) // others
        due, left = [*due, 2, share], left - 2 - share
    assert schemes > 3
    assert ran == due
    assert left == 0
    ran.clear()
    labels.advise_labels(question, replicates=50)
    assert ran == [1, *[50] * schemes]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_hypotheses": 1}, "n_hypotheses must be"),
        ({"n_labels": 1}, "n_labels must be"),
        ({"n_labels": 10**6, "n_hypotheses": 1000}, "n_labels times n_hypotheses must be at most"),
        ({"rounds": 1}, "rounds must be"),
        ({"epsilon": 0}, "epsilon must be"),
        ({"delta": 0.1}, "delta must be"),
    ],
)
def test_impossible_questions_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        labels.LabelQuestion(**GOOD | changes)


@pytest.mark.parametrize("wrong", [{"question": 3}, {"budget": 0}, {"replicates": 1}, {"seed": -1}])
def test_impossible_runs_are_refused(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
        labels.advise_labels(**{"question": labels.LabelQuestion(**GOOD)} | wrong)


def test_too_many_pairs_are_said_to_be():
    question = labels.LabelQuestion(n_hypotheses=512, n_labels=8192, rounds=100, epsilon=1)
    assert question.refusal(registry.schemes()["pair_bits"]) == "has too many pairs of hypotheses"


def test_the_command_answers_machines_and_people(capsys):
    assert main(["advise", *ASKED, "--json", "--budget", "1"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["question"]["feedback"] == "labels"
    assert data["ranking"][0]["learner"] == "sign_bits"


def test_the_command_refuses_in_one_line(capsys):
    for words in (["--feedback", "labels", "--epsilon", "1"], [*ASKED, "--switches", "2"]):
        assert main(["advise", *words]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
