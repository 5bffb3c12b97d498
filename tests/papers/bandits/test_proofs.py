"""Statements of the paper's proofs, at random points."""

import numpy as np

from replicate.papers.bandits import bounds, lemmas


def test_lemma_20_with_factor_4_at_random_sizes():
    rng = np.random.default_rng(3)
    size, horizon = (10 ** rng.uniform(0, 8, (2, 500))).round()
    assert (
        bounds.lemma_20(size=size, horizon=np.maximum(horizon, 2), factor=4.0) <= 1 / np.maximum(horizon, 2)
    ).all()


def test_lemma_26_at_random_games():
    rng = np.random.default_rng(4)
    for _ in range(200):
        n, rounds = int(rng.integers(2, 30)), int(rng.integers(1, 40))
        eta, reach = float(10 ** rng.uniform(-2, 1)), float(rng.uniform(0, 1.79))
        losses = np.maximum(rng.normal(scale=5 / eta, size=(rounds, n)), -reach / eta)
        regret, limit = lemmas.weights_game(losses, eta)
        assert regret <= limit * (1 + 1e-9)
