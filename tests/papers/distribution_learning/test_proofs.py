"""Statements of the paper's proofs, at random points."""

import numpy as np

from replicate.papers.distribution_learning import instances, lemmas

CLASSES = instances.clipped()


def test_lemma_1_with_five_eighths_at_random_tables():
    rng = np.random.default_rng(1)
    for _ in range(300):
        horizon, k = int(rng.integers(1, 200)), int(rng.integers(2, 30))
        losses = rng.random((horizon, k)) ** rng.integers(0, 5)
        losses[:, 0] *= rng.random()
        regret = lemmas.wma_regret(losses, np.sqrt(2 * np.log(k) / horizon))
        assert regret <= 5 / 8 * np.sqrt(2 * horizon * np.log(k)) + 1e-9


def test_the_second_order_inequality_at_random_tables():
    rng = np.random.default_rng(2)
    for _ in range(300):
        losses = rng.exponential(size=(int(rng.integers(1, 50)), int(rng.integers(2, 10))))
        assert lemmas.second_order_slack(losses, float(10 ** rng.uniform(-2, 2))) <= 1 + 1e-9


def test_no_column_exceeds_the_right_factor():
    rng = np.random.default_rng(3)
    for _ in range(500):
        epsilon = float(rng.uniform(0.01, 6))
        columns = np.exp(epsilon * rng.random((20, int(rng.integers(2, 60)))) ** rng.integers(0, 9))
        assert lemmas.spread_ratio(columns) <= 2 * np.tanh(epsilon / 2) ** 2 + 1e-9
