"""Bounds drawn in figures are those of the setting that a row names."""

import pytest

from replicate.papers.noisy_leader import experiments
from tests.transcriptions import noisy_leader as second


def test_bounds_are_those_of_each_row():
    for _, row in experiments.sandwich().iterrows():
        setting = {"n_actions": int(row["n_actions"]), "epsilon": row["epsilon"]}
        assert row["theorem_3"] == pytest.approx(second.theorem_3(**setting, horizon=2**40))
        # later rounds add e**-200
        assert row["theorem_3_sum"] == pytest.approx(second.theorem_3_sum(**setting, horizon=2000))
        assert row["theorem_4"] == pytest.approx(second.theorem_4(**setting))
    for _, row in experiments.deterministic_growth("quick", 2026).iterrows():  # in units of 1 / epsilon
        stated = second.theorem_4(n_actions=int(row["n_actions"]), epsilon=0.001)
        assert row["theorem_4"] == pytest.approx(0.001 * stated)
