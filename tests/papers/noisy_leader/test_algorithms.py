"""The six variants: learner, simulator and exact regret agree."""

from __future__ import annotations

import numpy as np
import pytest

from replicate import certify, environments, mechanisms
from replicate.learners import dyadic
from replicate.papers import noisy_leader
from replicate.papers.noisy_leader import algorithms
from replicate.streams import stream

FALSE_ALARM = 1e-7
MEANS = np.array([0.5, 0.3, 0.45, 0.9])


@pytest.mark.parametrize("noise", mechanisms.NOISES)
def test_groups_of_gaps_count_as_many(noise):
    delta, counts = np.array([0.0, 0.1, 0.4]), np.array([1, 5, 90])
    _, grouped = algorithms.grouped_regret(delta, counts, noise=noise, scale=20.0, horizon=2**30)
    each = np.repeat(delta, counts)
    _, single = algorithms.grouped_regret(each, np.ones(96, dtype=int), noise=noise, scale=20.0, horizon=2**30)
    np.testing.assert_allclose(grouped, single, rtol=1e-10)


def test_resampling_keeps_means_and_makes_bits():
    rng = stream(3, "resampled")
    table = environments.Table(rng.random((50, 3)))
    joint = environments.Joint(np.array([[0.0, 0.5], [1.0, 0.25]]), np.array([0.4, 0.6]))
    grid = environments.Grid(np.array([0.0, 0.5]), np.array([[0.5, 0.5], [0.2, 0.8]]))
    for env in (table, joint, grid, environments.Deterministic(MEANS)):
        bits = noisy_leader.resampled(env)
        assert bits.n_actions == env.n_actions
        np.testing.assert_allclose(bits.mean_sums(0, 50), env.mean_sums(0, 50))
        assert np.isin(bits.losses(0, 20, rng=rng), (0, 1)).all()
        draws = np.array([bits.sums(0, 50, rng=rng) for _ in range(2000)])
        for j in range(env.n_actions):
            assert env.mean_sums(0, 50)[j] in certify.mean_interval(draws[:, j], false_alarm=FALSE_ALARM)
    assert isinstance(noisy_leader.resampled(environments.Deterministic(MEANS)), environments.Bernoulli)
    correlated = environments.antithetic([0.2, 0.7])
    assert noisy_leader.resampled(correlated) is correlated
    with pytest.raises(ValueError, match="one by one"):
        noisy_leader.resampled(joint).sums(0, 2**30, rng=rng)


def test_longest_horizon_is_the_dyadic_one():
    assert noisy_leader.exact_regret([0.1, 0.2], epsilon=1.0, horizon=dyadic.MAX_HORIZON).final[0] > 0
    with pytest.raises(ValueError, match="horizon"):
        noisy_leader.exact_regret([0.1, 0.2], epsilon=1.0, horizon=2 * dyadic.MAX_HORIZON)
