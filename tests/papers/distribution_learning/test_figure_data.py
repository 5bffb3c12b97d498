"""Data that figures show: risks between zero and the risk of uniform weights, weights that find the truth."""

from itertools import pairwise

import numpy as np
import pytest

from replicate.papers.distribution_learning.experiments import bits, regret
from replicate.papers.distribution_learning.instances import dirichlet


def test_risks_over_horizons_are_ordered_and_bounded():
    data = regret.risk_over_horizons("quick", 2026)
    table, f = data.set_index(["horizon", "learner"])["mean"].unstack(), dirichlet(4, 8)
    divergence = float((f[0] * np.log(f[0] / f.mean(axis=0))).sum())
    assert table["uniform"].to_list() == pytest.approx([t * divergence for t in table.index])
    assert (table["non_private"] < table["randomized_response"]).all()
    assert (table[["pure", "approximate"]].lt(1.02 * table["uniform"], axis=0)).all().all()
    bounded = data[data["learner"].isin(["pure", "approximate", "randomized_response"])]
    assert (bounded["mean"] < bounded["bound"]).all()


def test_weights_of_the_truth_rise_from_a_quarter_to_one():
    for horizon, rows in regret.truth_weights("quick", 2026).groupby("horizon"):
        assert rows["fraction"].is_monotonic_increasing
        assert rows["median"].iloc[0] == pytest.approx(0.25, abs=0.02)
        assert horizon < 10**10 or rows["q10"].iloc[-1] > 0.99


def test_risks_against_labels_are_ordered():
    table = bits.label_sweep("quick", 2026).set_index(["n_labels", "learner"])["mean"].unstack()
    for better, worse in pairwise(("non_private", "sign_bits", "posterior", "pure", "uniform")):
        assert (table[better] < table[worse]).all()
    assert table.loc[512, "merged_response"] > 100 * table.loc[8, "merged_response"]
