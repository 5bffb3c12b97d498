"""The search for the gaps with the largest regret, and the table of the audit."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from replicate import mechanisms
from replicate.papers.noisy_leader import algorithms
from replicate.papers.noisy_leader.experiments import growth, privacy, regret


def test_splits_share_all_actions():
    for k in (2, 3, 4, 16, 1000, 2**14):
        for counts in growth.splits(k):
            assert counts.sum() == k
            assert counts[0] == 1


def test_search_finds_at_least_equal_gaps():
    rows = growth.deterministic_growth("quick", 2026, "1").set_index(["noise", "n_actions"])
    for noise in mechanisms.NOISES:
        gaps = np.exp(np.linspace(-2.7, -2, 15))
        scale = algorithms.noise_scale(noise, epsilon=growth.EPSILON)
        equal = [
            algorithms.grouped_regret(
                np.array([0, gap]), np.array([1, 63]), noise=noise, scale=scale, horizon=2**40
            )[1][-1]
            for gap in gaps
        ]
        assert rows.loc[(noise, 64), "regret"] >= 0.999 * growth.EPSILON * max(equal)


def test_the_audit_table_separates_printed_from_corrected():
    table = privacy.audit_table("quick", 3)
    assert (table["certified"] <= table["this pair"]).all()
    assert (table["this pair"] <= table["any pair"] + 1e-12).all()
    corrected = table[table["calibration"] == "corrected"]
    printed = table[table["calibration"] == "printed"]
    assert len(corrected) == 6
    assert (corrected["any pair"] <= corrected["declared"]).all()
    assert (printed["certified"] > printed["declared"]).all()


@pytest.mark.parametrize("learner", ["exploring leader", "Laplace noise"])
def test_who_goes_on_exploring_plays_uniformly_by_the_inverse_of_what_was_lost(learner, monkeypatch):
    """With a sum of 12 a quarter of the time, of 396 once in a hundred; others follow report-noisy-max alone."""
    asked = []

    def simulate(env, *, selector, horizon, replicates, rng):
        sums = np.zeros((2, 16))
        sums[0, 1:], sums[1, 1:] = 12.0, 396.0
        asked.append(selector(sums) - mechanisms.report_noisy_max_pmf(-sums, noise="laplace", scale=20.0))
        rounds = 2 ** np.arange(1, 60) - 1
        regrets = np.tile(np.minimum(np.arange(59.0), 40), (replicates, 1))
        return SimpleNamespace(rounds=rounds, regret=regrets)

    monkeypatch.setattr(regret.dyadic, "simulate", simulate)
    data = regret.late_growth.__wrapped__("quick", 5, learner)
    assert len(asked) == data["instance"].nunique() == 4
    law = mechanisms.report_noisy_max_pmf(-np.append(0, np.full(15, 12.0)), noise="laplace", scale=20.0)
    far = mechanisms.report_noisy_max_pmf(-np.append(0, np.full(15, 396.0)), noise="laplace", scale=20.0)
    moved = np.array([(1 / 16 - law) / 4, (1 / 16 - far) / 100]) * (learner == "exploring leader")
    for found in asked:
        np.testing.assert_allclose(found, moved, atol=1e-9)
    assert data["growth"].to_list() == pytest.approx([11.0] * len(data))
    assert set(data["claimed_growth"]) == {29 * np.log(16) / 0.1}
