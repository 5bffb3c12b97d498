"""The table of the advice on labels: numbers of a row against simulation, ties, what is not shown."""

import math

import numpy as np
import pytest

from replicate import certify
from replicate.advice import labels
from replicate.learners import registry
from replicate.streams import stream

QUESTION = labels.LabelQuestion(n_hypotheses=2, n_labels=2, rounds=100, epsilon=1.0)
LAWS = np.array([[0.5, 0.5], [0.1, 0.9]])
UNIFORM = 100 * (0.5 * math.log(0.5 / 0.3) + 0.5 * math.log(0.5 / 0.7))
"""Risk of the uniform mixture, by hand: T KL(first law, mean of the laws)."""


@pytest.fixture(scope="module")
def table():
    return labels.advise_labels(QUESTION, hypotheses=LAWS, replicates=7).ranking


def test_numbers_of_a_row(table):
    """On one class: the mean of what is simulated, Student's half width, ratios to the two benchmarks."""
    rows = table.set_index("learner")
    for name in ("sign_bits", "non_private"):
        run = registry.schemes()[name].simulate(
            LAWS, epsilon=1.0, delta=0.0, horizon=100, replicates=7, grid=100,
            rng=stream(2026, "advice/labels", name, 0),
        )  # fmt: skip
        band = certify.band(run.final, level=0.99)
        assert rows.loc[name, "regret"] == pytest.approx(band.estimate)
        assert rows.loc[name, "half_width"] == pytest.approx(band.high - band.estimate)
    assert rows["of_uniform"].dropna().to_numpy() == pytest.approx(rows["regret"].dropna().to_numpy() / UNIFORM)
    free = rows["regret"] / rows.loc["non_private", "regret"]
    assert rows["of_non_private"].dropna().to_numpy() == pytest.approx(free.dropna().to_numpy())
    assert rows["rough"].loc["sign_bits"]


def test_schemes_are_tied_within_the_width_of_the_difference(table):
    """Widths h of both: a rival is not distinguished up to a difference of sqrt(2) h."""
    best = table["learner"] == "sign_bits"
    rival = table["learner"] == "pair_bits"
    for times, tied in ((0.98, True), (1.02, False)):
        numbers = table[best | rival].copy()
        numbers["half_width"] = 1.0
        numbers["regret"] = np.where(numbers["learner"] == "sign_bits", 4.0, 4.0 + times * math.sqrt(2))
        said = labels.LabelAdvice(QUESTION, numbers).lines()["open"]
        assert ("not told apart: pair_bits" in said) == tied
