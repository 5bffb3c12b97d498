"""Data behind figures: bounds are those of the setting that a row names, replicates draw for themselves."""

import numpy as np
import pytest

from replicate.papers.tracking import bounds, experiments
from replicate.papers.tracking.instances import EPSILON, N_ACTIONS, SHIFT

SWITCHES = {64: 2, 60: 10}
"""Rounds of the games of Algorithm 3 to their switches."""


@pytest.fixture(scope="module")
def rows():
    return experiments.privacy_losses("quick", 2026)


def test_every_lower_limit_is_below_its_upper_bound(rows):
    assert len(rows) == 6
    assert (rows["lower"] <= rows["upper"]).all()
    printed = rows[rows["calibration"] == "printed"]
    assert (printed["lower"] > 1).all()
    assert (rows.loc[rows["calibration"] == "corrected", "upper"] <= 1 + 1e-12).all()


def test_replicates_of_the_duel_draw_for_themselves():
    data = experiments.adversarial("quick", 2026)
    spread = data.groupby(["horizon", "learner", "adversary"])["regret"].nunique()
    replicates = data["replicate"].nunique()
    assert replicates > 10
    assert (spread > 1).all(), spread


def crossing(rule, gap, horizon):
    """Rounds until the expected query of the window since a shift exceeds zero."""
    n = np.arange(1, horizon)
    over = gap * n - rule.constant - rule.root * np.sqrt(n - 1) - rule.accuracy - 1
    return int(n[over > 0][0])


def test_delays_are_when_the_expected_query_crosses_zero():
    data = experiments.detection_delays("quick", 2026)
    rule = bounds.restart_rule(n_actions=N_ACTIONS, epsilon=EPSILON, horizon=2**16, windows="all")
    mean = data.groupby(["windows", "gap"])["delay"].mean()
    for gap in (0.4, 0.5, 0.6, 0.8, 1.0):
        assert mean["all", gap] == pytest.approx(crossing(rule, gap, 2**16), rel=0.1)
        assert mean["all", gap] < mean["dyadic", gap] < 2.2 * mean["all", gap]


def test_queries_of_one_run_cross_zero_at_the_restart():
    run = experiments.query_run(2026)
    rule = bounds.restart_rule(n_actions=N_ACTIONS, epsilon=EPSILON, horizon=2**15)
    assert run["shift"].unique() == [int(SHIFT * 2**15)]
    assert run["accuracy"].unique() == pytest.approx([rule.accuracy])
    assert run["round"].iloc[-1] == run["restart"].iloc[0]
    late = run["restart"].iloc[0] - run["shift"].iloc[0]
    assert late == pytest.approx(crossing(rule, 0.96, 2**15), rel=0.1)
    allowed = rule.constant + rule.root * np.sqrt(run["window"] - 1) + rule.accuracy + 1
    assert run["query"].to_list() == pytest.approx((run["regret"] - allowed).to_list())
    assert (run.loc[run["round"] < run["shift"], "query"] < -rule.accuracy / 2).all()
