"""The data behind the figures on privacy: every bound is that of the setting that its row names."""

import re

import pytest

from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import mirror_descent
from replicate.papers.tracking.experiments import privacy

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
