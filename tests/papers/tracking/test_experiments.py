"""Data behind figures: bounds are those of the setting that a row names, replicates draw for themselves."""

import re

import pytest

from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import mirror_descent
from replicate.papers.tracking.experiments import adaptive, privacy

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
            rule = bounds.restart_rule(n_actions=n, epsilon=4.0, horizon=8192, calibration=row.calibration)
            proved = 1 / 2 + 3 / 2 * rule.epsilon / 4
        assert row.upper == pytest.approx(proved)


def test_replicates_of_the_duel_draw_for_themselves():
    data = adaptive.adversarial("quick", 2026)
    spread = data.groupby(["horizon", "learner", "adversary"])["regret"].nunique()
    replicates = data["replicate"].nunique()
    assert replicates > 10
    assert (spread > 2).all()
