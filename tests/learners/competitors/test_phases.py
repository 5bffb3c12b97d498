"""DP-IMED: its phases follow the printed rule."""

import numpy as np
import pytest

from replicate.learners import registry
from replicate.learners.competitors import kl_ucb
from tests.learners import draws

MEANS, EPSILON = np.array([0.5, 0.35, 0.6]), 0.7


@pytest.mark.parametrize(("name", "ratio"), [("dp_imed", 2), ("dp_imed_4", 4)])
def test_phases_without_noise_follow_the_printed_rule(name, ratio):
    """Every action once, in some order; then the smallest index. Losses of odd and even phases differ."""
    learner = registry.learner(name, n_actions=3, horizon=10**9, epsilon=EPSILON, rng=draws.Scripted())
    order, plays, sums = [], np.zeros(3), np.zeros(3)
    for phase in range(45):
        if phase < 3:
            arm, length = learner.open()
            assert length == 1
            order.append(arm)
        else:
            least = kl_ucb.private_evidence((sums / plays).clip(0, 1), plays, EPSILON)
            arm, length = learner.open()
            assert arm == min(order, key=lambda a: least[a])
            assert length == (ratio - 1) * plays[arm]
        total = length * (MEANS[arm] + 0.1 * (-1) ** phase)
        learner.close(total)
        plays[arm] += length
        sums[arm] += total
    assert sorted(order) == [0, 1, 2]
    assert plays.argmax() == 1
