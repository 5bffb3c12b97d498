"""HTINF with noise on every loss: one path with its simulator, noise at its scale, tuned to its second moment."""

import math

import numpy as np
import pytest

from replicate import environments
from replicate.learners import protocol, registry
from replicate.papers.bandits import bounds
from replicate.papers.bandits.algorithms import kernels
from replicate.streams import stream
from tests.agreement import compares
from tests.learners.test_privacy_spent_bandits import Listener, check_batches

NAME = "per_round_htinf"
ROUNDS = 60
TABLE = stream(1, "noisy rounds").random((ROUNDS, 3))


def make(epsilon, rng, horizon=ROUNDS):
    return registry.learner(NAME, n_actions=3, horizon=horizon, epsilon=epsilon, rng=rng)


@compares(f"simulator: {NAME}")
@pytest.mark.parametrize("epsilon", [1.0, 0.3])
def test_literal_and_simulated_have_one_path(epsilon, monkeypatch):
    monkeypatch.setenv("EXECUTOR", "threads:1")
    sizes = {"horizon": ROUNDS, "replicates": 3, "epsilon": epsilon}
    run = registry.simulate(NAME, environments.Table(TABLE), rng=stream(2, epsilon), **sizes)
    best, regrets = TABLE.sum(axis=0).argmin(), np.empty((4, ROUNDS))
    for regret, rng in zip(regrets, stream(2, epsilon).spawn(4), strict=True):
        actions = protocol.play(make(epsilon, rng), TABLE).actions[0]
        regret[:] = np.cumsum(TABLE[np.arange(ROUNDS), actions] - TABLE[:, best])
    np.testing.assert_allclose(run.regret, regrets[:3, run.rounds - 1], atol=1e-11)
    assert np.abs(run.regret - regrets[3, run.rounds - 1]).max() > 0.1


@pytest.mark.parametrize("epsilon", [0.07, 0.3, 1.0])
def test_noise_has_the_scale_of_local_privacy(epsilon):
    """Every loss alone, with a Laplace variable of its own of scale 1 / epsilon; literal and compiled."""
    rng = stream(3, epsilon)
    learner = make(epsilon, rng)
    check_batches(learner, (1, 1 / epsilon), rng)
    assert learner.privacy.epsilon == epsilon
    assert "noisy loss" in learner.privacy.released
    assert registry.entry(NAME).local


def test_the_compiled_loop_is_given_the_same_noise_and_the_second_moment(monkeypatch):
    seen, loop = [], kernels.PLAY[kernels.HTINF]

    def spied(state, setting, losses, cost, trials, noise, *rest):
        seen.append((setting[kernels.SIGMA], trials, noise))
        return loop(state, setting, losses, cost, trials, noise, *rest)

    monkeypatch.setitem(kernels.PLAY, kernels.HTINF, spied)
    env = environments.Bernoulli([0.2, 0.5, 0.9])
    registry.simulate(NAME, env, epsilon=0.25, horizon=50, replicates=1, rng=stream(4))
    second = np.mean((1 + stream(5).laplace(scale=4, size=10**6)) ** 2)
    assert {trials for _, trials, _ in seen} == {1}
    np.testing.assert_allclose([noise for _, _, noise in seen], 4.0)
    np.testing.assert_allclose([sigma**2 for sigma, _, _ in seen], 33.0)
    assert second == pytest.approx(33.0, rel=0.02)


def test_every_round_is_read():
    learner = make(1.0, stream(6))
    learner._base = base = Listener(3)
    for _ in range(5):
        learner.act()
        learner.observe(0.5)
    assert len(set(base.heard)) == 5


def test_the_bound_is_theorem_21():
    entry = registry.entry(NAME)
    setting = registry.Setting(n_actions=8, horizon=10**6, epsilon=0.5)
    assert entry.bound(setting, 0.1) == float(bounds.theorem_21(n_actions=8, sigma=3.0, horizon=10**6))
    assert entry.bound(setting, 0.1) == pytest.approx(90 * math.sqrt(8e6), rel=1e-5)
