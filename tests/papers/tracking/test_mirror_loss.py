"""The privacy loss of Algorithm 3's event against integrals over the noise, round by round."""

import math

import numpy as np
import pytest

from replicate.papers.tracking.algorithms import mirror_descent
from replicate.papers.tracking.privacy import exact

EPSILON, SWITCHES = 0.9, 1


def difference(x):
    """Density of X - Y for independent Laplace(1) variables."""
    return (1 + np.abs(x)) * np.exp(-np.abs(x)) / 4


def stays_on_expert_1(shift, horizon, calibration):
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
    second = np.clip(first[:, None] + rate * noise * x[None, ::4], -top, top)
    again = (1 / (1 + np.exp(-second))) @ (4 * weights[::4])
    return float(weights @ (play * again))


@pytest.mark.parametrize("calibration", ["printed", "corrected"])
@pytest.mark.parametrize("horizon", [2, 3])
def test_the_filter_is_the_integral(horizon, calibration):
    loss = exact.mirror_loss(
        horizon=horizon, n_switches=SWITCHES, epsilon=EPSILON, calibration=calibration, cells=2000
    )
    logs = [math.log(stays_on_expert_1(shift, horizon, calibration)) for shift in (1.0, -1.0)]
    assert loss == pytest.approx(logs[0] - logs[1], rel=2e-3)
    assert loss > 0.01
