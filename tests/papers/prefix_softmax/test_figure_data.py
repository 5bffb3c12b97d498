"""Bounds drawn in figures are those of the setting that a row names."""

import pytest

from replicate.papers.prefix_softmax import experiments
from tests.transcriptions import prefix_softmax as second


def test_bounds_are_those_of_each_row():
    for _, row in experiments.regret_over_time("quick", 2026).iterrows():
        assert row["bound"] == pytest.approx(second.theorem_1(n_actions=16, gap=0.1, epsilon=row["epsilon"]))
    for _, row in experiments.regret_grid("quick", 2026).iterrows():
        setting = {key: row[key] for key in ("n_actions", "gap", "epsilon")}
        assert row["bound_1"] == pytest.approx(second.theorem_1(**setting))
        assert row["bound_2"] == pytest.approx(second.theorem_1_rate(**setting))
        assert row["rate"] == pytest.approx(second.rate(**setting))
