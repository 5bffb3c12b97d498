"""Data that only figures show: risks between zero and the risk of uniform weights, weights that find the truth."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

from replicate.papers.distribution_learning import figures, instances
from replicate.papers.distribution_learning.experiments import bits, regret


def test_risks_over_horizons_are_ordered_and_bounded():
    data = regret.risk_over_horizons("quick", 2026)
    assert (data["low"] <= data["mean"]).all()
    assert (data["mean"] <= data["high"]).all()
    table = data.set_index(["horizon", "learner"])["mean"].unstack()
    f = instances.dirichlet(4, 8)
    average = f.mean(axis=0)
    divergence = float((f[0] * np.log(f[0] / average)).sum())
    assert table["uniform"].to_list() == pytest.approx([t * divergence for t in table.index])
    assert (table["non_private"] < table["randomized_response"]).all()
    assert (table[["pure", "approximate"]].lt(1.02 * table["uniform"], axis=0)).all().all()
    private = data[data["learner"].isin(["pure", "approximate", "randomized_response"])]
    assert (private["mean"] < private["bound"]).all()
    for row in private.itertuples():
        setting = {"n_hypotheses": 4, "n_labels": 8, "horizon": row.horizon, "epsilon": 1.0}
        assert row.bound == pytest.approx(regret.bound(row.learner, **setting))


def test_weights_of_the_truth_rise_from_a_quarter_to_one():
    data = regret.truth_weights("quick", 2026)
    assert (data["q10"] <= data["median"]).all()
    assert (data["median"] <= data["q90"]).all()
    assert data["fraction"].between(1e-5, 1).all()
    for horizon, rows in data.groupby("horizon"):
        assert rows["fraction"].is_monotonic_increasing
        assert rows["median"].iloc[0] == pytest.approx(0.25, abs=0.02)
        if horizon >= 10**10:
            assert rows["q10"].iloc[-1] > 0.99
    assert sorted(data["horizon"].unique()) == [10**4, 10**6, 10**8, 10**10, 10**12]


def test_risks_against_labels_are_ordered_and_drawn():
    data = bits.label_sweep("quick", 2026)
    table = data.set_index(["n_labels", "learner"])["mean"].unstack()
    assert (table["non_private"] < table["sign_bits"]).all()
    assert (table["sign_bits"] < table["posterior"]).all()
    assert (table["posterior"] < table["pure"]).all()
    assert (table["pure"] < table["uniform"]).all()
    assert table.loc[512, "merged_response"] > 100 * table.loc[8, "merged_response"]
    figure = figures.label_sweep(data)
    assert "One bit a label" in figure.axes[0].get_title(loc="left") + figure.axes[0].get_title()
    plt.close(figure)
