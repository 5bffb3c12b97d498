"""Prefixes, exact regrets and sums of errors against definitions and simulated means; ranges of arguments."""

import numpy as np
import pytest

from replicate import certify, environments
from replicate.learners import dyadic
from replicate.papers import prefix_softmax
from replicate.papers.prefix_softmax import algorithms
from tests.conftest import FALSE_ALARM


@pytest.mark.parametrize("r", [0, 1, 2, 5])
def test_the_prefix_is_uniform_on_the_second_half_of_the_block(r, rng):
    drawn = algorithms.random_prefix(r, 50_000, rng)
    allowed = np.arange(2**r // 2 + 1, 2**r + 1)
    assert set(drawn) <= set(allowed)
    counts = np.bincount(drawn, minlength=2**r + 1)[allowed]
    assert certify.goodness_of_fit(counts, np.full(len(allowed), 1 / len(allowed))) > FALSE_ALARM


def test_the_horizon_reaches_the_end_of_the_exact_range(rng):
    run = prefix_softmax.simulate(
        environments.Bernoulli([0.4, 0.5]), epsilon=1, horizon=dyadic.MAX_HORIZON, replicates=3, rng=rng
    )
    assert run.rounds[-1] == 2**59
    assert (np.diff(run.regret, axis=1) >= 0).all()


@pytest.mark.parametrize("epsilon", [1e-8, 1e-16, 1e-20, 1e-60])
def test_exact_regret_with_hardly_any_signal(epsilon, rng):
    """Uniform play for ever at epsilon = 1e-60, where differences of log Z have no digits left."""
    means, horizon = [0.1, 0.6, 0.9], 2**20
    exact = prefix_softmax.exact_regret(means, epsilon=epsilon, horizon=horizon).final[0]
    env = environments.Deterministic(means)
    run = prefix_softmax.simulate(env, epsilon=epsilon, horizon=horizon, replicates=400, rng=rng)
    slack = 1e-12 * horizon
    assert abs(run.final.mean() - exact) <= 7 * run.final.std() / 20 + slack
    if epsilon < 1e-12:
        assert exact == pytest.approx(horizon * np.mean(means) - 0.1 * horizon, rel=1e-6)


def test_an_infinite_sum_is_the_limit_of_finite_ones():
    gaps = [0.0, 0.3, 1.0]
    sums = prefix_softmax.softmax_error_sum(gaps, eta=0.1, start=[0, 10], stop=2**60)
    endless = prefix_softmax.softmax_error_sum(gaps, eta=0.1, start=[0, 10], stop=np.inf)
    np.testing.assert_allclose(sums, endless, rtol=1e-14)
