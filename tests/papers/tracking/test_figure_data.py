"""Data behind figures: bounds are those of the setting that a row names, replicates draw for themselves."""

import numpy as np
import pytest

from replicate.papers.tracking import bounds, experiments
from replicate.papers.tracking.instances import EPSILON, N_ACTIONS
from tests.transcriptions import tracking as second


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


def test_the_theorem_that_sweeps_are_drawn_beside_is_that_of_all_distributions_met():
    """S switches are between S + 1 distributions, which is what Theorem 3.6 counts."""
    for _, row in experiments.sweeps_and_bounds("quick", 2026).iterrows():
        setting = {"n_actions": 8, "epsilon": row["epsilon"], "horizon": row["horizon"]}
        stated = second.theorem_3_6(n_switches=row["n_switches"] + 1, **setting)
        assert row["bound"] == pytest.approx(stated)


@pytest.mark.parametrize(("calibration", "restarts", "two"), [("printed", 1.25, 2), ("corrected", 1, 1)])
def test_proved_privacy_losses_by_hand(calibration, restarts, two):
    """Algorithm 2 has epsilon / 2 for its selections, and 1.5 times what its alarm has: epsilon / 2, or / 3.

    Algorithm 3: one loss vector moves 2 floor(N / 2) noisy losses by 1; or T - 1 plays by e^(2 eta) each.
    """
    rate, noise = second.parameters(n_actions=200, horizon=60, n_switches=10, epsilon=0.9, calibration=calibration)
    many = min(200 / noise, 2 * 59 * rate) / 0.9
    assert list(experiments.accounted(calibration).values()) == pytest.approx([restarts, two, many])
