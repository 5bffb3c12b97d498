"""Data behind figures: bounds are those of the setting that a row names, replicates draw for themselves."""

import math
import re
from types import SimpleNamespace

import numpy as np
import pytest

from replicate.certify import Interval
from replicate.learners import baselines
from replicate.learners.comparator import best_sequence
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import mirror_descent
from replicate.papers.tracking.checks import privacy as checks
from replicate.papers.tracking.experiments import adaptive, privacy, single_runs
from replicate.papers.tracking.instances import EPSILON, N_ACTIONS, SHIFT, phases

SWITCHES = {64: 2, 60: 10}
"""Rounds of the games of Algorithm 3 to their switches."""


@pytest.fixture(scope="module")
def rows():
    return privacy.privacy_losses("quick", 2026)


def test_counts_stand_in_the_figure_as_in_the_claim(rows):
    counted = rows[rows["case"].str.contains("N = 200")].set_index("calibration")["lower"]
    claimed = {name: checks.mirror_counts("quick", 2026, calibration=name).measured for name in counted.index}
    assert counted["printed"] == claimed["printed"] > 1
    assert counted["corrected"] == max(claimed["corrected"], 0.0)


def test_every_lower_limit_is_below_its_upper_bound(rows):
    assert len(rows) == 6
    assert (rows["lower"] <= rows["upper"]).all()
    printed = rows[rows["calibration"] == "printed"]
    assert (printed["lower"] > 1).all()
    assert (rows.loc[rows["calibration"] == "corrected", "upper"] <= 1 + 1e-12).all()


def test_the_upper_bounds_belong_to_the_settings_that_are_named(rows):
    for row in rows.itertuples():
        n, *rest = (int(number) for number in re.findall(r"= (\d+)", row.case))
        if "Algorithm 3" in row.case:
            horizon = rest[0]
            rate, noise = mirror_descent.parameters(
                n_actions=n,
                horizon=horizon,
                n_switches=SWITCHES[horizon],
                epsilon=0.9,
                calibration=row.calibration,
            )
            proved = min(2 * (n // 2) / noise, 2 * rate * (horizon - 1)) / 0.9
        else:
            rule = bounds.restart_rule(n_actions=n, epsilon=1.0, horizon=10_000, calibration=row.calibration)
            proved = 1 / 2 + 3 / 2 * rule.epsilon
        assert row.upper == pytest.approx(proved)


@pytest.mark.parametrize(
    ("likely", "rare", "known"),
    [
        ((0.5, 0.4, 0.6), (0.1, 0.05, 0.2), math.log(2)),
        ((0.3, 0.25, 0.35), (0.28, 0.2, 0.32), 0.0),
        ((0.3, 0.25, 0.35), (0.2, 0.18, 0.25), 0.0),
        ((0.1, 0.05, 0.2), (0.5, 0.4, 0.6), 0.0),
    ],
)
def test_counts_certify_what_lies_between_two_intervals(likely, rare, known, monkeypatch):
    monkeypatch.setattr(privacy, "half_play_limits", lambda *_: (Interval(*likely), Interval(*rare)))
    monkeypatch.setattr(privacy, "restart_pair", lambda *_: SimpleNamespace(loss=1.5))
    monkeypatch.setattr(privacy.exact, "mirror_loss", lambda **_: 1.8)
    found = privacy.privacy_losses.__wrapped__("quick", 1).groupby(["calibration", "case"])["lower"].first()
    for calibration in ("printed", "corrected"):
        assert found[calibration].to_list() == pytest.approx([1.5, 2.0, known / 0.9])


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


@pytest.mark.parametrize("axis", ["S", "epsilon"])
def test_every_point_of_a_sweep_has_losses_of_its_own(sweeps, axis):
    """Learners without privacy have one law for every epsilon: only the draws differ."""
    points = sweeps[(sweeps["axis"] == axis) & (sweeps["learner"] == "fixed_share")]
    assert len(points) == points["regret"].nunique() == 4


@pytest.mark.parametrize("switches", [1, 4])
def test_learners_without_privacy_have_the_regret_of_another_table(sweeps, switches):
    """Fixed Share, and the leader that is restarted at the shifts, on losses drawn anew."""
    rows = sweeps[(sweeps["axis"] == "S") & (sweeps["n_switches"] == switches)].set_index("learner")["regret"]
    horizon = int(sweeps["horizon"].max())
    table = phases(8, switches + 1, horizon, 0.9).losses(0, horizon, rng=np.random.default_rng(3))
    best = best_sequence(table, n_switches=switches)[0]
    rate, share = baselines.fixed_share_tuning(8, horizon, switches)
    shared = baselines.fixed_share_losses(table, learning_rate=rate, share=share).sum() - best
    cuts = [round(horizon * i / (switches + 1)) for i in range(1, switches + 1)]
    led = sum(part.sum() for part in np.split(baselines.leader_losses(table, restarts=cuts), cuts)) - best
    assert rows["fixed_share"] == pytest.approx(shared, rel=0.1)
    assert rows["oracle_leader"] == pytest.approx(led, rel=0.75, abs=3)
    assert rows["oracle_leader"] < rows["fixed_share"] / 2


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
