"""The search for the gaps with the largest regret, and the table of the audit."""

from __future__ import annotations

import numpy as np

from replicate import mechanisms
from replicate.papers.noisy_leader import algorithms
from replicate.papers.noisy_leader.experiments import growth, privacy


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
