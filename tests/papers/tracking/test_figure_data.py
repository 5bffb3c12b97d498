"""Data behind figures: bounds are those of the setting that a row names, replicates draw for themselves."""

import numpy as np
import pytest

from replicate.papers.tracking import bounds
from replicate.papers.tracking.experiments import adaptive, privacy, single_runs
from replicate.papers.tracking.instances import EPSILON, N_ACTIONS, SHIFT, phases

SWITCHES = {64: 2, 60: 10}
"""Rounds of the games of Algorithm 3 to their switches."""


@pytest.fixture(scope="module")
def rows():
    return privacy.privacy_losses("quick", 2026)


def test_every_lower_limit_is_below_its_upper_bound(rows):
    assert len(rows) == 6
    assert (rows["lower"] <= rows["upper"]).all()
    printed = rows[rows["calibration"] == "printed"]
    assert (printed["lower"] > 1).all()
    assert (rows.loc[rows["calibration"] == "corrected", "upper"] <= 1 + 1e-12).all()


def test_replicates_of_the_duel_draw_for_themselves():
    data = adaptive.adversarial("quick", 2026)
    spread = data.groupby(["horizon", "learner", "adversary"])["regret"].nunique()
    replicates = data["replicate"].nunique()
    assert replicates > 10
    assert (spread > 1).all(), spread


@pytest.fixture(scope="module")
def sweeps():
    return single_runs.sweeps_and_bounds("quick", 2026)


def test_sweeps_compare_with_uniform_play_and_with_theorem_3_6(sweeps):
    uniform = sweeps["horizon"] * 0.9 * 7 / 8
    assert (sweeps["low"] <= sweeps["high"]).all()
    assert (sweeps["regret"] < 1.02 * uniform).all()
    named = sweeps["learner"] == "uniform"
    assert sweeps.loc[named, "regret"].to_list() == pytest.approx(uniform[named].to_list())
    for row in sweeps.itertuples():
        theorem = bounds.theorem_3_6(
            n_actions=8, horizon=row.horizon, n_switches=row.n_switches + 1, epsilon=row.epsilon,
            calibration="printed",
        )  # fmt: skip
        assert row.bound == pytest.approx(theorem)
    assert sorted(sweeps.loc[sweeps["axis"] == "S", "n_switches"].unique()) == [1, 2, 4, 8]
    assert sorted(sweeps.loc[sweeps["axis"] == "epsilon", "epsilon"].unique()) == [0.1, 0.3, 1.0, 3.0]


def crossing(rule, gap, horizon):
    """Rounds until the expected query of the window since a shift exceeds zero."""
    n = np.arange(1, horizon)
    over = gap * n - rule.constant - rule.root * np.sqrt(n - 1) - rule.accuracy - 1
    return int(n[over > 0][0])


def test_delays_are_when_the_expected_query_crosses_zero():
    data = single_runs.detection_delays("quick", 2026)
    rule = bounds.restart_rule(n_actions=N_ACTIONS, epsilon=EPSILON, horizon=2**16, windows="all")
    mean = data.groupby(["windows", "gap"])["delay"].mean()
    for gap in (0.4, 0.5, 0.6, 0.8, 1.0):
        assert mean["all", gap] == pytest.approx(crossing(rule, gap, 2**16), rel=0.1)
        assert mean["all", gap] < mean["dyadic", gap] < 2.2 * mean["all", gap]


def test_queries_of_one_run_cross_zero_at_the_restart():
    run = single_runs.query_run(2026)
    rule = bounds.restart_rule(n_actions=N_ACTIONS, epsilon=EPSILON, horizon=2**15)
    assert run["shift"].unique() == [int(SHIFT * 2**15)]
    assert run["accuracy"].unique() == pytest.approx([rule.accuracy])
    assert run["round"].iloc[-1] == run["restart"].iloc[0]
    late = run["restart"].iloc[0] - run["shift"].iloc[0]
    assert late == pytest.approx(crossing(rule, 0.96, 2**15), rel=0.1)
    allowed = rule.constant + rule.root * np.sqrt(run["window"] - 1) + rule.accuracy + 1
    assert run["query"].to_list() == pytest.approx((run["regret"] - allowed).to_list())
    assert (run.loc[run["round"] < run["shift"], "query"] < -rule.accuracy / 2).all()


def test_the_image_of_weights_is_a_law_that_follows_the_best_expert():
    image = single_runs.meta_expert_image(2026)
    assert image.groupby("round")["weight"].sum().to_list() == pytest.approx([1.0] * 200)
    assert sorted(image["switches"].unique()) == [0, 1, 2, 3]
    assert set(image["played"]) == {1, 2, 3, 4}
    by_expert = image.groupby(["round", "expert"])["weight"].sum().unstack()
    means = phases(4, 4, 4000, 0.5)
    losses = means.losses(0, 4000, rng=np.random.default_rng(1))
    best = [int(losses[t : t + 1000].sum(axis=0).argmin()) + 1 for t in range(0, 4000, 1000)]
    found = [int(by_expert.loc[t + 980].idxmax()) for t in range(0, 4000, 1000)]
    assert found == best
