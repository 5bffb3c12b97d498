"""Data that figures show: risks between zero and the risk of uniform weights, weights that find the truth."""

import pytest

from replicate.papers.distribution_learning.experiments import regret


def test_weights_of_the_truth_rise_from_a_quarter_to_one():
    for horizon, rows in regret.truth_weights("quick", 2026).groupby("horizon"):
        assert rows["fraction"].is_monotonic_increasing
        assert rows["median"].iloc[0] == pytest.approx(0.25, abs=0.02)
        assert horizon < 10**10 or rows["q10"].iloc[-1] > 0.99
