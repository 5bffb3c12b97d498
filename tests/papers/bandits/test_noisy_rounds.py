"""HTINF with noise on every loss: one path with its simulator, the law of its listing, its bound."""

import math

import numpy as np
import pytest

from replicate import certify, environments
from replicate.learners import protocol, registry
from replicate.streams import stream
from tests.agreement import compares
from tests.conftest import FALSE_ALARM
from tests.papers.bandits.listed import listed_htinf

NAME = "per_round_htinf"
ROUNDS = 60
TABLE = stream(1, "noisy rounds").random((ROUNDS, 3))


def make(epsilon, rng):
    return registry.learner(NAME, n_actions=3, horizon=ROUNDS, epsilon=epsilon, rng=rng)


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


def test_it_is_htinf_tuned_to_the_second_moment_of_noisy_losses(rng):
    """E[(1 + Z)^2] = 1 + 2 / epsilon^2: regrets of the listing; other second moments and noises do not fit."""
    table = np.tile([0.0, 1.0, 1.0], (100, 1))
    env, sizes = environments.Table(table), {"horizon": 100, "replicates": 3000, "rng": rng}
    found = registry.simulate(NAME, env, epsilon=0.8, **sizes).final
    sigma = math.sqrt(1 + 2 / 0.8**2)
    assert certify.two_sample(listed_htinf(table, 2000, sigma, 1 / 0.8, rng), found) > FALSE_ALARM
    for wrong, noise in ((2 * sigma, 1 / 0.8), (sigma, 0.2 / 0.8)):
        assert certify.two_sample(listed_htinf(table, 1000, wrong, noise, rng), found) < FALSE_ALARM
