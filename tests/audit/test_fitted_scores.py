"""What fitted scores consist of: features, corrections of patterns, and the drafts that are kept, by hand."""

import numpy as np
import pytest
from scipy import optimize, special

from replicate.audit import kernels, logistic, scores
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


def test_patterns_that_gain_nothing_and_rows_without_any_are_left_alone(rng):
    even = np.tile(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), (100, 1))
    counts = logistic.tally(even, even)
    assert scores.patterned(scores.additive(counts, scores.coordinates), counts, whole=True) is None
    floats = logistic.tally(rng.normal(size=(300, 2)), rng.normal(size=(300, 2)))
    assert scores.patterned(scores.additive(floats, scores.coordinates), floats, whole=False) is None


def test_a_loss_is_the_mean_surprise_of_an_output():
    """Log odds log 3 and 0 give the first input 3/4 and 1/2; three runs of four, and one of two, were its own."""
    counts = logistic.Tally(np.array([[0.0], [1.0]]), np.array([3.0, 1.0]), np.array([4.0, 2.0]), NUMBERS)
    known = -(3 * np.log(3 / 4) + np.log(1 / 4) + 2 * np.log(1 / 2)) / 6
    assert logistic.loss(np.array([np.log(3), 0.0]), counts) == pytest.approx(known)


def test_every_other_row_keeps_its_counts():
    counts = logistic.Tally(np.arange(10.0).reshape(5, 2), np.arange(5.0), np.arange(5.0, 10.0), PAIRS)
    for part, rows in (
        (counts.every(2), [0, 2, 4]),
        (counts.every(2, start=1), [1, 3]),
        (counts.every(4), [0, 4]),
    ):
        assert part.rows.tolist() == counts.rows[rows].tolist()
        assert [part.first.tolist(), part.total.tolist()] == [rows, [5.0 + row for row in rows]]
        assert part.layout is PAIRS


def test_a_fit_ends_where_another_from_there_ends(rng):
    """Weights and precisions are chosen in turn until neither moves: where they began is forgotten."""
    one, other = rng.normal(size=(2, 4000, 2)) + np.array([[0.0, 0.0], [0.3, 1.0]])[:, None]
    counts = logistic.tally(one, other)
    codes = np.clip(np.round(2 * counts.rows) + 6, 0, 12).astype(np.int16)
    offsets, words = np.array([0, 13]), {"counts": counts, "size": 26}
    first = logistic.fit(codes, offsets, **words)
    again = logistic.fit(codes, offsets, **words, start=first)
    assert np.abs(first - again).max() < 5e-3 < 0.1 < np.abs(first).max()


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


@pytest.mark.parametrize(("offsets", "size"), [([0, 3, 7], 9), ([0, 0, 0], 4), ([0], 3)])
def test_pairs_are_counted_as_by_the_matrix_of_all_bins(offsets, size, rng):
    """X' V X for one-hot rows X: where features have bins of their own, where they share them, and for one."""
    offsets, codes = np.array(offsets), rng.integers([3, 4, 2][: len(offsets)], size=(50, len(offsets)))
    rows = np.eye(size)[codes + offsets].sum(axis=1)
    values, found = rng.random(50), np.zeros((size, size))
    kernels.scatter_pairs(codes.astype(np.int16), offsets, values, found)
    np.testing.assert_allclose(found, rows.T @ (values[:, None] * rows), rtol=1e-12)
