"""Algorithm 2 with Gaussian noise: its bound by hand, its regret against one recomputed without the kernel."""

import math

import numpy as np
import pytest

from replicate import certify
from replicate.mechanisms.vector_noise import gaussian_scale
from replicate.papers.bandits.algorithms.advice import (
    Exp4Tuning,
    gaussian_bound,
    gaussian_regrets,
    gaussian_tuning,
)
from replicate.papers.bandits.instances import one_good_expert
from tests import agreement
from tests.conftest import FALSE_ALARM


def test_the_bound_by_hand():
    tuned = Exp4Tuning(learning_rate=0.5, mixing=0.1, batch=10, noise=2.0)
    found = gaussian_bound(tuned, n_actions=2, n_experts=4, horizon=100)
    assert found == pytest.approx(60 * math.log(4) + 10 + 100 + 200)


@pytest.mark.parametrize(
    ("n", "k", "epsilon", "horizon", "leads"),
    [
        (2, 2, 1.0, 10**15, False),
        (10, 3, 0.1, 10**15, False),
        (1000, 20, 0.01, 10**15, False),
        (16, 2, 1.0, 5000, True),
        (1000, 3, 0.1, 3 * 10**6, True),
    ],
)
def test_the_tuning_meets_the_conditions_and_the_closed_form(n, k, epsilon, horizon, leads):
    """The mixing is the least allowed one, which `leads` in short games, or balances two terms of the bound."""
    tuned = gaussian_tuning(n_actions=k, n_experts=n, epsilon=epsilon, delta=1e-6, horizon=horizon)
    least = tuned.noise * tuned.mixing * 2 * tuned.learning_rate * math.sqrt(math.log(n * horizon))
    assert least <= tuned.mixing * (1 + 1e-9)
    balanced = (2 * tuned.learning_rate * (tuned.noise * tuned.mixing) ** 2) ** (1 / 3)
    assert (least > balanced) is leads
    assert tuned.mixing == pytest.approx(max(least, balanced))
    b = (tuned.noise * tuned.mixing * tuned.batch / k) ** 2
    assert b == pytest.approx(n * gaussian_scale(epsilon=epsilon, delta=1e-6) ** 2)
    u = b ** (1 / 6) * math.sqrt(k) * math.log(n) ** (1 / 3) * horizon ** (2 / 3)
    v = b ** (1 / 3) * math.sqrt(k) * math.log(n) ** (2 / 3) * horizon ** (1 / 3)
    closed = 6 * u + 2 * math.sqrt(math.log(n * horizon)) * v
    assert gaussian_bound(tuned, n_actions=k, n_experts=n, horizon=horizon) <= closed


def literal(problem, tuned, horizon, runs, rng):
    """Round by round, as Algorithm 2 is printed, with Gaussian noise: regrets of many runs."""
    (contexts, n, k), each = problem.advice.shape, np.arange(runs)
    score, total, estimate = np.zeros((runs, n)), np.zeros(runs), np.zeros((runs, n))
    for t in range(horizon):
        advice, losses = problem.advice[t % contexts], problem.losses[t % contexts]
        law = np.exp(score - score.max(axis=1, keepdims=True))
        law = (1 - tuned.mixing) * (law / law.sum(axis=1, keepdims=True)) @ advice + tuned.mixing / k
        arm = agreement.drawn(law, rng)
        total += law @ losses - advice[0] @ losses
        estimate += (advice[:, arm] * losses[arm] / law[each, arm]).T / tuned.batch
        if (t + 1) % tuned.batch == 0:
            score -= tuned.learning_rate * (estimate + tuned.noise * rng.standard_normal((runs, n)))
            estimate[:] = 0.0
    return total


@pytest.mark.parametrize("contexts", [1, 3])
def test_regret_agrees_with_a_literal_play(contexts, rng):
    """Batches of eight rounds begin at another context every time."""
    problem, sizes = one_good_expert(3, 2, contexts=contexts), {"horizon": 240, "rng": rng}
    tuned = Exp4Tuning(learning_rate=0.8, mixing=0.2, batch=8, noise=0.5)
    slow = literal(problem, tuned, 240, 6000, rng)
    assert certify.two_sample(gaussian_regrets(problem, tuned, replicates=1500, **sizes), slow) > FALSE_ALARM
    louder = Exp4Tuning(learning_rate=0.8, mixing=0.2, batch=8, noise=1.5)
    assert certify.two_sample(gaussian_regrets(problem, louder, replicates=300, **sizes), slow) < FALSE_ALARM


@pytest.mark.parametrize("contexts", [1, 3])
def test_every_round_counts_once_whatever_the_batch(contexts, rng):
    """A learner that hardly learns follows all experts alike, with a fifth of the law mixed in."""
    problem, tuned = one_good_expert(3, 2, contexts=contexts), Exp4Tuning(1e-12, mixing=0.2, batch=8, noise=0.5)
    even = 0.8 * problem.advice.mean(axis=1, keepdims=True) + 0.1
    each = np.einsum("cnk,ck->cn", even - problem.advice, problem.losses)
    for horizon in (5, 8, 10, 23):
        found = gaussian_regrets(problem, tuned, horizon=horizon, replicates=2, rng=rng)
        assert found == pytest.approx(each[np.arange(horizon) % contexts].sum(axis=0).max(), rel=1e-6)
