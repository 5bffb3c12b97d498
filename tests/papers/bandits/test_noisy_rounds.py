"""HTINF with noise on every loss: the law of its listing."""

import math

import numpy as np

from replicate import certify, environments
from replicate.learners import registry
from tests.conftest import FALSE_ALARM
from tests.papers.bandits.listed import listed_htinf

NAME = "per_round_htinf"


def test_it_is_htinf_tuned_to_the_second_moment_of_noisy_losses(rng):
    """E[(1 + Z)^2] = 1 + 2 / epsilon^2: regrets of the listing; other second moments and noises do not fit."""
    table = np.tile([0.0, 1.0, 1.0], (100, 1))
    env, sizes = environments.Table(table), {"horizon": 100, "replicates": 3000, "rng": rng}
    found = registry.simulate(NAME, env, epsilon=0.8, **sizes).final
    sigma = math.sqrt(1 + 2 / 0.8**2)
    assert certify.two_sample(listed_htinf(table, 2000, sigma, 1 / 0.8, rng), found) > FALSE_ALARM
    for wrong, noise in ((2 * sigma, 1 / 0.8), (sigma, 0.2 / 0.8)):
        assert certify.two_sample(listed_htinf(table, 1000, wrong, noise, rng), found) < FALSE_ALARM
