"""Bounds drawn in figures are those of the setting that a row names."""

import pytest

from replicate.papers.bandits import experiments
from tests.transcriptions import bandits as second


def test_bounds_are_those_of_each_row():
    for _, row in experiments.separation("quick", 2026).iterrows():
        setting = {"epsilon": row["epsilon"], "horizon": row["horizon"]}
        assert row["bound"] == pytest.approx(second.corollary_2(n_actions=2, **setting) / row["horizon"])
