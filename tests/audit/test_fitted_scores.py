"""What fitted scores consist of: features, corrections of patterns, and the drafts that are kept, by hand."""

import numpy as np
import pytest
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


@pytest.mark.parametrize("whole", [True, False])
def test_a_pattern_is_corrected_by_its_shrunken_newton_step(whole):
    """Two coins that agree in nine of ten runs on the first input, in one of ten on the second.

    Each coin alone is fair on both, so that coordinates score nothing; g is 500 (0.9 - 1/2), h is 500 / 4.
    """
    kind = np.int64 if whole else np.float64
    often = {(0, 0): 450, (1, 1): 450, (0, 1): 50, (1, 0): 50}
    first = np.concatenate([np.tile(row, (n, 1)) for row, n in often.items()]).astype(kind)
    second = np.concatenate([np.tile(row, (500 - n, 1)) for row, n in often.items()]).astype(kind)
    counts = logistic.tally(first, second)
    base = scores.additive(counts, scores.coordinates)
    assert base.of_rows(counts.rows) == pytest.approx(0, abs=1e-6)
    found = scores.patterned(base, counts, whole=whole)
    step, curvature = 500 * 0.4, 500 / 4
    variance = (step**2 / curvature - 1) / curvature
    expected = step / (curvature + 1 / variance)
    scored = [float(found(np.array([row], dtype=kind))[0]) for row in often]
    assert scored == pytest.approx([expected, expected, -expected, -expected], abs=1e-3)


def test_a_loss_is_the_mean_surprise_of_an_output():
    """Log odds log 3 and 0 give the first input 3/4 and 1/2; three runs of four, and one of two, were its own."""
    counts = logistic.Tally(np.array([[0.0], [1.0]]), np.array([3.0, 1.0]), np.array([4.0, 2.0]), NUMBERS)
    known = -(3 * np.log(3 / 4) + np.log(1 / 4) + 2 * np.log(1 / 2)) / 6
    assert logistic.loss(np.array([np.log(3), 0.0]), counts) == pytest.approx(known)


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
