"""Lazy-DP-TS: decisions by hand, each loss in one noisy sum, noise at its scale."""

import numpy as np
import pytest
from scipy import stats

from replicate.learners.competitors import lazy_thompson, player
from replicate.learners.competitors.lazy_thompson import LazyThompson
from replicate.streams import stream
from tests.conftest import FALSE_ALARM


def test_the_kernel_draws_fresh_noise_at_its_scale_for_every_action():
    """First noisy sums of 400 actions without losses, 100 games; 1.2 times the noise is rejected."""
    zeros, rng, games = np.zeros((1, 400)), stream(6), []
    for _ in range(100):
        state = lazy_thompson.fresh_state(400, epsilon=0.5)
        player.play(player.LAZY, state, zeros, zeros, 0.0, np.array([400]), rng)
        assert (state[lazy_thompson.READ] == 1).all()
        games.append(state[lazy_thompson.MEAN].copy())
    noise = np.array(games)
    assert stats.kstest(noise.ravel(), stats.laplace(scale=2).cdf).pvalue > FALSE_ALARM
    assert stats.kstest(noise.ravel() / 1.2, stats.laplace(scale=2).cdf).pvalue < FALSE_ALARM
    assert stats.spearmanr(noise[:, 1:].ravel(), noise[:, :-1].ravel()).pvalue > FALSE_ALARM
    assert stats.spearmanr(noise[1:].ravel(), noise[:-1].ravel()).pvalue > FALSE_ALARM


def play(learner, loss):
    action = learner.act()
    learner.observe(loss)
    return action


def test_bad_arguments_and_orders_are_named():
    with pytest.raises(ValueError, match="epsilon must be"):
        LazyThompson(2, epsilon=0.0, rng=stream(5))
    with pytest.raises(ValueError, match="epsilon must be"):
        lazy_thompson.fresh_state(2, epsilon=1e-300)
    learner = LazyThompson(2, epsilon=1.0, rng=stream(5))
    with pytest.raises(ValueError, match="call act"):
        learner.observe(0.5)
