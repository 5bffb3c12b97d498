"""Statements of the paper's proofs, at random points."""

import math

import numpy as np

from replicate import mechanisms
from replicate.papers.tracking import lemmas
from replicate.papers.tracking.algorithms import switching


def test_lemma_2_4_with_4_for_8_at_random_sizes():
    rng = np.random.default_rng(1)
    for _ in range(40):
        n, beta, level = int(10 ** rng.uniform(0, 9)), float(10 ** rng.uniform(-9, 0)), float(rng.uniform(0.1, 5))
        alpha = 4 * (math.log(n) + math.log(2 / beta)) / level
        assert mechanisms.above_threshold_failure(n, accuracy=alpha, epsilon=level) <= beta


def test_the_count_at_random_sizes():
    rng = np.random.default_rng(3)
    for _ in range(300):
        n, horizon, switches = (int(v) for v in 10 ** rng.uniform([0, 0, 0], [4, 4, 1.3]))
        count = switching.count_sequences(horizon, max(n, 2), switches)
        assert count <= max(n, 2) * (max(n, 2) * horizon) ** switches <= (max(n, 2) * horizon) ** (2 * switches)


def test_lemma_b3_with_factor_4_at_random_sizes():
    rng = np.random.default_rng(4)
    for _ in range(200):
        n, horizon = int(10 ** rng.uniform(0, 6)), int(10 ** rng.uniform(0.4, 9))
        assert lemmas.laplace_norm_failure(n_actions=n, horizon=horizon, factor=4.0) <= 1 / horizon
