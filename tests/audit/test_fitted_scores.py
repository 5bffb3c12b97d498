"""Compute the parts of fitted scores by hand: features, corrections of patterns, the drafts that are kept."""

import numpy as np
from scipy import optimize, special

from replicate.audit import logistic, scores
from replicate.audit.outcomes import Layout

NUMBERS, PAIRS = (Layout.of(np.zeros((2, d)), np.ones((2, d))) for d in (1, 2))


def test_features_by_hand():
    rows = np.array([[1.0, 4.0, -2.0], [0.5, 0.0, 3.0]])
    assert scores.coordinates(rows).tolist() == rows.tolist()
    assert scores.differences(rows).tolist() == [[1, 3, -6], [0.5, -0.5, 3]]
    order = [[1, 2, 4, -2, 3], [2, 1, 3, 0, 3.5]]
    expected = np.hstack([rows, [[3, -6], [-0.5, 3]], order])
    assert scores.everything(rows).tolist() == expected.tolist()


def test_a_fit_to_many_samples_is_the_optimum_of_the_loss(rng):
    """No other log odds of the bins foretell the input much better, and the gradient is nearly zero."""
    one, other = rng.normal(size=(2, 20_000, 2)) + np.array([[0.0, 0.0], [0.3, 1.0]])[:, None]
    counts = logistic.tally(one, other)
    codes, offsets = np.clip(np.round(counts.rows) + 2, 0, 4).astype(np.int16), np.array([0, 5])
    rows = np.eye(10)[codes + offsets].sum(axis=1)

    def loss(weights):
        return logistic.loss(rows @ weights, counts)

    def slope(weights):
        return rows.T @ (counts.total * special.expit(rows @ weights) - counts.first) / counts.total.sum()

    found = logistic.fit(codes, offsets, counts=counts, size=10)
    best = optimize.minimize(loss, np.zeros(10), jac=slope, tol=1e-10)
    assert best.fun <= loss(found) < best.fun + 2e-5 < loss(0.95 * found)
    assert np.abs(slope(found)).max() < 1e-3 < np.abs(slope(0.9 * found)).max()
