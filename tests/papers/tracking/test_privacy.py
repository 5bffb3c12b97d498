"""Exact privacy losses against independent computations."""

import math

import numpy as np
import pytest

from replicate import certify
from replicate.papers.tracking.algorithms import mirror_descent
from replicate.papers.tracking.privacy import exact as privacy
from replicate.papers.tracking.privacy.sampled import half_counts
from replicate.streams import stream


def test_printed_restarts_exceed_epsilon_and_corrected_ones_do_not():
    printed = privacy.restart_pair(epsilon=8.0, horizon=4096, calibration="printed")
    corrected = privacy.restart_pair(epsilon=8.0, horizon=4096, calibration="corrected")
    assert 1.2 * 8 < printed.loss <= 1.25 * 8
    assert printed.restart == pytest.approx(1.5 * 4, rel=1e-6)
    assert corrected.restart == pytest.approx(1.5 * 8 / 3, rel=1e-6)
    for pair in (printed, corrected):
        assert 0.9 * 4 < pair.selections <= 4
        assert pair.log_probability < -20
    assert 0.99 * 8 < corrected.loss <= 8
    with pytest.raises(ValueError, match="horizon"):
        privacy.restart_pair(epsilon=8.0, horizon=1000, calibration="printed")


def test_half_counts_are_symmetric_without_a_signal_and_above_half_with_one():
    setting = {"n_actions": 20, "horizon": 30, "n_switches": 3, "calibration": "printed", "replicates": 2000}
    counts, favoured = (half_counts(**setting, epsilon=level, rng=stream(3, "halves")) for level in (1e-9, 0.9))
    assert certify.two_sample(counts, 29 - counts) > 1e-7
    assert certify.mean_lower(favoured) > 29 / 2


# Algorithm 3's event against integrals over the noise, round by round

EPSILON, SWITCHES = 0.9, 1


def difference(x):
    """Density of X - Y for independent Laplace(1) variables."""
    return (1 + np.abs(x)) * np.exp(-np.abs(x)) / 4


def stays_on_expert_1(shift, horizon, calibration, later_loss):
    """Probability of expert 1 in rounds 2 to T, T = 2 or 3, when round 1 moves log(w_1 / w_2) by `shift` eta."""
    rate, noise = mirror_descent.parameters(
        n_actions=2, horizon=horizon, n_switches=SWITCHES, epsilon=EPSILON, calibration=calibration
    )
    floor = SWITCHES / (2 * horizon)
    top = math.log((1 - floor) / floor)
    x = np.linspace(-40, 40, 4001)
    weights = difference(x) * (x[1] - x[0])
    first = np.clip(shift * rate + rate * noise * x, -top, top)
    play = 1 / (1 + np.exp(-first))
    if horizon == 2:
        return float(weights @ play)
    second = np.clip(first[:, None] - rate * later_loss + rate * noise * x[None, ::4], -top, top)
    again = (1 / (1 + np.exp(-second))) @ (4 * weights[::4])
    return float(weights @ (play * again))


@pytest.mark.parametrize("calibration", ["printed", "corrected"])
@pytest.mark.parametrize(("horizon", "later_loss"), [(2, 0.0), (3, 0.0), (3, 1.0)])
def test_the_filter_is_the_integral(horizon, later_loss, calibration):
    loss = privacy.mirror_loss(
        horizon=horizon, n_switches=SWITCHES, epsilon=EPSILON, calibration=calibration, later_loss=later_loss,
        cells=2000,
    )  # fmt: skip
    logs = [math.log(stays_on_expert_1(shift, horizon, calibration, later_loss)) for shift in (1.0, -1.0)]
    assert loss == pytest.approx(logs[0] - logs[1], rel=2e-3)
    assert loss > 0.01
