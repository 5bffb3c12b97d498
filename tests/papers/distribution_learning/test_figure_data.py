"""Bounds drawn in figures are those of the setting that a row names."""

import pytest

from replicate.papers.distribution_learning.experiments import regret
from tests.papers.distribution_learning.common import DELTAS
from tests.transcriptions import distribution_learning as second


def bound(scheme, **setting):
    if scheme == "approximate":
        return second.theorem_4(delta=DELTAS[scheme], **setting)
    return second.theorem_5(**setting) if scheme == "pure" else None


def test_bounds_are_those_of_each_row():
    for _, row in regret.risk_over_horizons("quick", 2026).iterrows():
        if expected := bound(row["learner"], n_hypotheses=4, horizon=row["horizon"], epsilon=row["epsilon"]):
            assert row["bound"] == pytest.approx(expected)
    for _, row in regret.size_sweep("quick", 2026).iterrows():
        k = row["value"] if row["axis"] == "K" else 4
        if expected := bound(row["learner"], n_hypotheses=k, horizon=10**10, epsilon=1.0):
            assert row["bound"] == pytest.approx(expected)
    for _, row in regret.hadamard_risks("quick", 2026).iterrows():
        setting = {key: row[key] for key in ("n_pairs", "horizon", "epsilon")}
        assert row["theorem_3"] == pytest.approx(second.theorem_3(**setting))
    for _, row in regret.close_coins("quick", 2026)[0].iterrows():
        stated = second.theorem_6(n_hypotheses=2, horizon=row["horizon"], epsilon=1.0)
        assert row["theorem_6"] == pytest.approx(stated)
