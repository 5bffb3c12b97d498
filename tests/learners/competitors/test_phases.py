"""DP-IMED: its phases follow the printed rule; the divergence under privacy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from replicate.learners import registry
from replicate.learners.competitors import phases
from tests.learners import draws

MEANS, EPSILON = np.array([0.5, 0.35, 0.6]), 0.7


@pytest.mark.parametrize(("name", "ratio"), [("dp_imed", 2), ("dp_imed_4", 4), ("", 1.5)])
def test_phases_without_noise_follow_the_printed_rule(name, ratio):
    """Every action once, in some order; then the smallest index. Losses of odd and even phases differ."""
    learner = phases.GrowingBandit(3, epsilon=EPSILON, ratio=ratio, rng=draws.Scripted())
    if name:
        learner = registry.learner(name, n_actions=3, horizon=10**9, epsilon=EPSILON, rng=draws.Scripted())
    order, plays, sums = [], np.zeros(3), np.zeros(3)
    for phase in range(45):
        if phase < 3:
            arm, length = learner.open()
            assert length == 1
            order.append(arm)
        else:
            least = phases.private_evidence((sums / plays).clip(0, 1), plays, EPSILON)
            arm, length = learner.open()
            assert arm == min(order, key=lambda a: least[a])
            assert length == math.ceil(ratio * plays[arm]) - plays[arm]
        total = length * (MEANS[arm] + 0.1 * (-1) ** phase)
        learner.close(total)
        plays[arm] += length
        sums[arm] += total
    assert sorted(order) == [0, 1, 2]
    assert plays.argmax() == 1


UNIT = st.floats(0.001, 0.999)
LEVEL = st.floats(-3, 1.5).map(lambda x: 10**x)


def by_grid(x, y, epsilon):
    """The least value of a convex function, on grids that close in on it."""
    values, low, high = np.zeros(1), y, x
    for _ in range(3):
        z = np.linspace(low, high, 2_001)
        values = special.rel_entr(z, y) + special.rel_entr(1 - z, 1 - y) + epsilon * (x - z)
        low, high = z[max(values.argmin() - 1, 0)], z[min(values.argmin() + 1, 2_000)]
    return values.min()


@given(x=UNIT, share=UNIT, epsilon=LEVEL)
def test_the_private_divergence_is_the_infimum(x, share, epsilon):
    y = x * share
    assert phases.private_divergence(x, y, epsilon) == pytest.approx(by_grid(x, y, epsilon), rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("x", [0.0, 0.3, 1.0])
def test_edges(x):
    assert phases.private_divergence(x, 0.0, 0.7) == pytest.approx(0.7 * x)
    assert phases.private_divergence(x, x, 0.7) == 0
    assert phases.divergence(x, x) == 0
    assert phases.divergence(0.5, 0.0) == math.inf
    assert phases.divergence(0.5, 1.0) == math.inf
    assert phases.private_divergence(x, x / 2, 1e300) == phases.divergence(x, x / 2)
