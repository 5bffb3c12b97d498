"""The square root of the summing matrix: coefficients against whole numbers, weighed rows against products."""

import math

import numpy as np
import pytest
from scipy import linalg

from replicate.mechanisms import square_root
from replicate.mechanisms.square_root import NEAR, SquareRoot


def exact(k):
    """(2k choose k) / 4**k; Stirling's series above 1,000, whose first term left out is below 1e-18."""
    if k <= 1000:
        return math.comb(2 * k, k) / 4**k
    series = 1 - 1 / (8 * k) + 1 / (128 * k**2) + 5 / (1024 * k**3) - 21 / (32768 * k**4)
    return series / math.sqrt(math.pi * k)


def wrong_by(n):
    """Largest relative error of the sum of powers."""
    found = sorted({*range(NEAR, min(n, 300)), *np.geomspace(min(NEAR, n), n, 200).astype(int).clip(0, n - 1)})
    ks = np.array([k for k in found if k >= NEAR])
    decay, weight = square_root.powers(n)
    sums = np.exp((ks - NEAR)[:, None] * np.log1p(-decay)) @ weight
    return np.abs(sums / [exact(int(k)) for k in ks] - 1).max()


@pytest.mark.parametrize("n", [17, 20, 100, 5000, 10**6, 2**40, 2**59])
def test_a_few_powers_add_up_to_every_coefficient(n):
    assert wrong_by(n) < 2e-13
    assert len(square_root.powers(n)[0]) < math.log(n) / 0.3 + 12


@pytest.mark.parametrize("pieces", [(1,), (5, 0, 3), (1,) * 20, (7, 2, 300, 1, 190)])
@pytest.mark.parametrize("k", [1, 3])
def test_rows_are_weighed_as_by_the_matrix_in_any_pieces(pieces, k):
    n = sum(pieces)
    rows, root = np.random.default_rng(1).normal(size=(n, k)), SquareRoot(n, k)
    matrix = linalg.toeplitz([exact(t) for t in range(n)], np.zeros(n))
    found = np.concatenate([root.weigh(piece) for piece in np.split(rows, np.cumsum(pieces)[:-1])])
    np.testing.assert_allclose(found, matrix @ rows, rtol=0, atol=1e-12)
    np.testing.assert_allclose(matrix @ found, np.cumsum(rows, axis=0), atol=1e-11)


def test_rounding_does_not_build_up():
    """A unit row, weighed a million rounds later."""
    root = SquareRoot(10**6, 1)
    found = root.weigh(np.eye(10**6, 1))[:, 0]
    ks = np.geomspace(1, 10**6 - 1, 50).astype(int)
    np.testing.assert_allclose(found[ks], [exact(int(k)) for k in ks], rtol=1e-12)
