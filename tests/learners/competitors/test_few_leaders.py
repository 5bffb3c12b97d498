"""Leaders of all rounds, and of fading batches: their bounds by hand, and regret below them."""

import math

import numpy as np
import pytest

from replicate import certify
from replicate.learners.competitors.few_leaders import FewLeaders, tuning
from replicate.streams import stream
from tests.conftest import FALSE_ALARM
from tests.learners import draws


def test_live_choices_have_the_law_of_permute_and_flip():
    """Two batches: one selection, with all of epsilon."""
    rng, epsilon, horizon = stream(4, "live"), 2.0, 20
    plan = tuning(n_actions=3, horizon=horizon, epsilon=epsilon)._replace(batch=10, noise=2 / epsilon)
    rows, seen = np.tile([0.0, 0.1, 0.2], (10, 1)), np.zeros(3)
    for _ in range(1500):
        learner = FewLeaders(3, horizon=horizon, epsilon=epsilon, rng=rng)
        learner.tuning = plan
        for row in rows:
            learner.observe(row)
        seen[learner.act()] += 1

    def law(level):
        return draws.noisy_min_law(rows.sum(axis=0), noise="exponential", scale=2 / level)

    assert certify.goodness_of_fit(seen, law(epsilon)) > FALSE_ALARM
    assert certify.goodness_of_fit(seen, law(2 * epsilon)) < FALSE_ALARM


def test_the_bound_of_fixed_losses_is_its_formula_and_least_at_its_batch():
    """K = 4: H_K - 1 = 13/12; the last of the batches is shorter."""

    def by_hand(batch):
        n = math.ceil(1000 / batch)
        scale = 2 * (n - 1) / 0.5
        lags = [t % batch + 1 for t in range(1000)]
        return scale * 13 / 12 + sum(1 - math.exp(-lag / scale) for lag in lags)

    found = tuning(n_actions=4, horizon=1000, epsilon=0.5)
    assert found.bound == pytest.approx(by_hand(found.batch))
    assert found.bound == pytest.approx(min(map(by_hand, range(2, 500))))


def test_without_memory_the_bound_is_that_of_the_last_batch_with_harmonic_numbers():
    """K = 4, S = 1: three batches are lost; at epsilon 10 older batches help, at 0.1 they do not."""
    plan = tuning(n_actions=4, horizon=10**4, epsilon=0.1, n_switches=1)
    n, cost = math.ceil(10**4 / plan.batch), math.sqrt(plan.batch * math.log(4) / 2) + 2 * 13 / 12 / 0.1
    assert plan.memory == 0
    assert plan.bound == pytest.approx(3 * plan.batch + (n - 3) * cost)
    assert tuning(n_actions=4, horizon=10**4, epsilon=10.0, n_switches=1).memory > 0


@pytest.mark.parametrize("switches", [0, 1, 3])
def test_with_memory_the_bound_pays_for_batches_that_are_lost_and_for_the_start_of_every_phase(switches):
    """K = 4, the printed sum term by term; S + 1 phases start."""
    plan = tuning(n_actions=4, horizon=10**4, epsilon=10.0, n_switches=switches)
    n, b, w = math.ceil(10**4 / plan.batch), plan.batch, plan.memory
    c = math.sqrt(b * math.log(4) * (1 - w) / (2 * (1 + w))) + 2 * 13 / 12 / 10
    start = sum(min(b, (c + b * w**m) / (1 - w**m)) - min(b, c) for m in range(1, 2000))
    assert w > 0
    lost = 2 * switches + 1
    assert plan.bound == pytest.approx(lost * b + (n - lost) * min(b, c) + (switches + 1) * start, rel=1e-6)
