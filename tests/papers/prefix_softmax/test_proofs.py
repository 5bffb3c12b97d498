"""Statements of the paper's proofs, at random points."""

import numpy as np

from replicate.environments import Joint
from replicate.papers.prefix_softmax import lemmas


def random_joint(rng, n_actions):
    outcomes = (rng.random((6, n_actions)) < 0.5).astype(float)
    return Joint(outcomes, rng.dirichlet(np.full(6, 0.5)))


def test_equation_4_with_better_constants_at_random_laws():
    rng, tried = np.random.default_rng(4), 0
    while tried < 100:
        env = random_joint(rng, 2)
        gap = float(env.means[1] - env.means[0])
        if gap <= 0.02 or not np.isclose(env.probabilities.sum(), 1):
            continue
        tried += 1
        eta = gap / 4 * float(rng.uniform(1, 4))
        exact = lemmas.error_probabilities(env, eta=eta, longest=60)
        assert (exact <= np.exp(-np.arange(1, 61) * gap**2 * 7 / 32) * (1 + 1e-9)).all()


def test_the_drift_is_at_least_seven_eighths_at_random_laws():
    rng, tried = np.random.default_rng(5), 0
    while tried < 200:
        env, eta = random_joint(rng, 3), float(rng.uniform(0.001, 0.125))
        if (env.means[1:] - env.means[0]).min() <= 4 * eta:
            continue
        tried += 1
        weights = rng.dirichlet([0.2, 0.2, 0.2], size=50)
        weights = weights[weights[:, 0] < 0.999]
        assert (lemmas.potential_drift(env, weights, eta=eta) <= -0.875 + 1e-9).all()
