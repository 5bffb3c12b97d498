"""Lazy-DP-TS: decisions by hand, each loss in one noisy sum, noise at its scale."""

import math

import numpy as np
import pytest
from scipy import stats

from replicate import certify
from replicate.learners.competitors import lazy_thompson, player
from replicate.learners.competitors.lazy_thompson import LazyThompson
from replicate.streams import stream
from tests.conftest import FALSE_ALARM
from tests.learners import draws
from tests.learners.competitors.test_phases import Recording
from tests.learners.competitors.test_thompson import law


def sums_of(learner, rows):
    """Play rounds; return the actions, the losses, and what was released: action and noisy sum."""
    released, release, played, lost = [], learner._release, [], []
    learner._release = lambda arm, noisy: released.append((len(played), arm, noisy)) or release(arm, noisy)
    for row in rows:
        played.append(learner.act())
        lost.append(row[played[-1]])
        learner.observe(lost[-1])
    return np.array(played), np.array(lost), released


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 7.0])
def test_every_loss_is_read_once_with_noise_of_scale_one_over_epsilon(epsilon):
    rng = Recording()
    learner = LazyThompson(3, epsilon=epsilon, rng=rng)
    assert (learner.privacy.epsilon, learner.privacy.delta) == (epsilon, 0)
    played, lost, released = sums_of(learner, stream(1, "table").random((2000, 3)))
    assert rng.calls == [("laplace", 1 / epsilon, None)] * len(released)
    read = np.zeros(2000, dtype=int)
    for i, (round_, arm, noisy) in enumerate(released):
        own = np.flatnonzero((played[:round_] == arm) & (read[:round_] == 0))
        earlier = sum(a == arm for _, a, _ in released[:i])
        assert len(own) == 2**earlier
        assert noisy - lost[own].sum() == pytest.approx(1e-3 / epsilon * ((i + 1) % 3 - 1), abs=1e-9)
        read[own] = 1
    assert len({arm for _, arm, _ in released}) == 3
    assert read.mean() > 0.4


def test_noise_is_laplace_and_fresh():
    learner, noise, rng = LazyThompson(2, epsilon=0.5, rng=stream(2)), [], stream(3)
    learner._release = lambda arm, noisy: noise.append(noisy - 0.5) or learner._buffers.__setitem__(arm, [])
    for _ in range(40_000):
        learner._action = int(rng.integers(2))
        learner.observe(0.5)
    assert len(noise) == 40_000
    assert stats.kstest(noise, stats.laplace(scale=2).cdf).pvalue > FALSE_ALARM
    assert stats.kstest(np.multiply(1.2, noise), stats.laplace(scale=2).cdf).pvalue < FALSE_ALARM
    assert stats.spearmanr(noise[1:], noise[:-1]).pvalue > FALSE_ALARM
    shared = np.repeat(noise[::2], 2)
    assert stats.spearmanr(shared[1:], shared[:-1]).pvalue < FALSE_ALARM


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


def test_actions_have_the_law_of_the_lowered_posteriors():
    """Round 51: means 0.5, 0.3 and 0.9 of 16, 16 and 8 losses at epsilon 4 are lowered by 3 log 51 / (4 n)."""
    learner = LazyThompson(3, epsilon=4.0, rng=stream(4))
    learner.rounds, learner._read = 50, np.array([16.0, 16.0, 8.0])
    learner._means = np.array([0.5, 0.3, 0.9])
    shift = 3 * math.log(51) / (4 * learner._read)
    ones = learner._read * np.maximum(learner._means - shift, 0)
    seen = np.bincount([learner.act() for _ in range(20_000)], minlength=3)
    assert certify.goodness_of_fit(seen, law(ones, learner._read - ones)) > FALSE_ALARM
    plain = learner._read * learner._means
    assert certify.goodness_of_fit(seen, law(plain, learner._read - plain)) < FALSE_ALARM


@pytest.mark.parametrize(("rounds", "epsilon"), [(3, 0.5), (50, 4.0), (10**6, 0.1)])
def test_posteriors_are_those_of_the_lowered_means_exactly(rounds, epsilon):
    """Beta(1 + n m, 1 + n (1 - m)), m = mean - 3 log t / (epsilon n), n losses read, in round t."""
    learner, asked = LazyThompson(2, epsilon=epsilon, rng=stream(6)), []
    learner.rounds, learner._read, learner._means = rounds, np.array([1e6, 4e6]), np.array([0.6, 0.7])
    learner._rng = type("Betas", (), {"beta": lambda _, a, b: asked.extend([a, b]) or np.zeros(2)})()
    learner.act()
    means = learner._means - 3 * math.log(rounds + 1) / (epsilon * learner._read)
    np.testing.assert_allclose(asked, [1 + learner._read * means, 1 + learner._read * (1 - means)], rtol=1e-12)


def test_means_are_clipped_and_every_action_is_played_once():
    learner = LazyThompson(3, epsilon=1.0, rng=draws.Scripted(noise=0.0))
    assert [play(learner, 1.0) for _ in range(3)] == [0, 1, 2]
    learner._means = np.array([-5.0, 9.0, 0.5])
    parameters = []
    learner._rng = type("Betas", (), {"beta": lambda _, a, b: parameters.append((a, b)) or np.zeros(3)})()
    learner.act()
    assert parameters[0][0].tolist() == [1, 2, 1]
    assert parameters[0][1].tolist() == [2, 1, 2]


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
