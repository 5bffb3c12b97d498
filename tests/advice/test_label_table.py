"""The table and the text of the advice on labels, from risks that are given: no simulation."""

import math
from dataclasses import replace

import numpy as np
import pytest

from replicate import certify
from replicate.advice import labels
from replicate.learners import registry

QUESTION = labels.LabelQuestion(n_hypotheses=2, n_labels=2, rounds=100, epsilon=1.0)
CLASSES = [np.array([[0.5, 0.5], [0.1, 0.9]]), np.array([[1.0, 0.0], [0.2, 0.8]])]
UNIFORM = 100 * (0.5 * math.log(0.5 / 0.3) + 0.5 * math.log(0.5 / 0.7) + math.log(1 / 0.6)) / 2
"""Risk of the uniform mixture, by hand: the mean over both classes of T KL(first law, mean of the laws)."""


def table(**risks):
    """The ranking of schemes whose risks are given, on each class; all others were not measured."""
    found = {name: ([np.asarray(values, dtype=float)] * 2, 0.5) for name, values in risks.items()}
    return labels._table(QUESTION, list(registry.schemes().values()), CLASSES, found)


def test_numbers_of_a_row_by_hand():
    """The mean of two classes has the half widths' root of squares over 2; the others are ratios."""
    spread = [3.0, 5.0] * 4
    rows = table(sign_bits=spread, non_private=[2.0] * 8, posterior=[7.0] * 7).set_index("learner")
    band = certify.band(np.array(spread), level=0.99)
    assert rows.loc["sign_bits", "regret"] == 4
    assert rows.loc["sign_bits", "half_width"] == pytest.approx((band.high - 4) / math.sqrt(2))
    assert rows.loc["sign_bits", "of_uniform"] == pytest.approx(4 / UNIFORM)
    assert rows.loc["sign_bits", "of_non_private"] == 2
    assert list(rows.loc[["sign_bits", "posterior"], "rough"]) == [False, True]
    assert rows.loc["non_private", "kind"] == "not private"
    assert rows.loc["posterior", "kind"] == "no guarantee"


def test_classes_of_a_size_are_three_draws_of_their_own():
    """On the simplex: no law is met twice, nor in classes of another size; rounds and levels share them."""
    sizes = [(2, 2), (2, 3), (4, 2)]
    asked = [replace(QUESTION, n_hypotheses=k, n_labels=m) for k, m in sizes]
    found = [labels._classes(question, None) for question in asked]
    assert [laws.shape for classes in found for laws in classes] == [size for size in sizes for _ in range(3)]
    assert all(laws.sum(axis=1) == pytest.approx(1) for classes in found for laws in classes)
    entries = np.concatenate([laws.ravel() for classes in found for laws in classes])
    assert len(np.unique(entries)) == len(entries)
    again = labels._classes(replace(QUESTION, rounds=7, epsilon=2.0), None)
    np.testing.assert_array_equal(again, found[0])


def test_schemes_are_tied_within_the_width_of_the_difference():
    """Widths h of both: a rival is not distinguished up to a difference of sqrt(2) h."""
    width = float(table(sign_bits=[3.0, 5.0] * 4).set_index("learner").loc["sign_bits", "half_width"])
    for times, tied in ((0.98, True), (1.02, False)):
        rival = np.array([3.0, 5.0] * 4) + times * math.sqrt(2) * width
        said = labels.text(QUESTION, table(sign_bits=[3.0, 5.0] * 4, pair_bits=rival))
        assert (f"runs: {registry.schemes()['pair_bits'].label}." in said) == tied


def test_a_kind_without_schemes_has_no_heading():
    rows = table(sign_bits=[1.0, 2.0], non_private=[1.0, 1.0])
    for kept in ({"guaranteed"}, {"guaranteed", "not private"}, {"guaranteed", "unfit"}):
        said = labels.text(QUESTION, rows[rows["kind"].isin(kept)])
        assert {kind for kind, heading in labels._HEADINGS.items() if f"{heading}:" in said} == kept
