"""One bit of one coordinate: the steps of its bounds."""

import math

import numpy as np
import pytest

from replicate.learners.competitors.coordinate_bit import coordinates, leader_bound, tuning


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("switches", [0, 3])
def test_the_bound_is_near_its_leading_term_and_least_at_its_step(switches, epsilon):
    sizes = {"n_actions": 8, "horizon": 10**8, "epsilon": epsilon, "n_switches": switches}
    d = math.log(8) + (switches * (1 + math.log(7 * (10**8 - 1) / switches)) if switches else 0)
    v = 8 / (4 * math.tanh(epsilon / 2) ** 2)
    assert tuning(**sizes).bound == pytest.approx(math.sqrt(2 * d * v * 10**8), rel=0.02)
    for times in (0.8, 1.25):
        assert tuning(**sizes, times=times).bound > tuning(**sizes).bound


@pytest.mark.parametrize("times", [4.0, 1000.0])
def test_no_multiple_of_the_step_leaves_the_numbers_of_a_double(times):
    """One round: the step is as large as it may be, and the bound is c T m / K + T / 2 there."""
    plan = tuning(n_actions=4, horizon=1, epsilon=1.0, times=times)
    assert math.exp(plan.step) < 1e14
    assert plan.bound == pytest.approx(1 / (2 * math.tanh(0.5)) + 0.5, rel=1e-9)


@pytest.mark.parametrize(("k", "epsilon", "drawn"), [(8, 1.0, 1), (8, 9.0, 4), (20, 12.0, 6)])
def test_the_leaders_bound_rests_on_the_rate_at_which_a_rival_falls_back(k, epsilon, drawn):
    """Of the two losses one is 1 and the other 0, which is worst: exactly, E exp(s X) at the best s.

    It is at most exp(-q d^2), and for a small gap close to it: 1.02 q is too much.
    """
    m, d = coordinates(k, epsilon), 0.01
    assert m == drawn
    r, both, y = math.tanh(epsilon / (2 * m)), m * (m - 1) / (k * (k - 1)), np.linspace(1e-4, 0.1, 4000)
    one, two = (
        sum((1 + sign * d) / 2 * (np.cosh(y) - sign * r * np.sinh(y)) ** power for sign in (1, -1))
        for power in (1, 2)
    )
    moment = (1 - 2 * m / k + both + 2 * (m / k - both) * one + both * two).min()
    bound = leader_bound(n_actions=k, gap=d, epsilon=epsilon, horizon=1e40)
    q = (math.log(k - 1) + 1) * (2 / d - 1) / (bound - 1)
    assert math.exp(-1.02 * q * d**2) < moment <= math.exp(-q * d**2)
