"""Sign tests and pair tests: their price, certified and searched; the bounds that follow."""

import math

import numpy as np
import pytest

from replicate.papers.distribution_learning import bounds, instances
from replicate.papers.distribution_learning.algorithms import bits
from replicate.streams import stream

CLASSES = {
    "two coins": instances.close_pair(1e-6),
    "Dirichlet(0.3), K=4, M=8": instances.dirichlet(4, 8),
    "Dirichlet(1), K=6, M=300": instances.dirichlet(6, 300, concentration=1.0),
    "more hypotheses than labels": instances.dirichlet(20, 6),
    "tied": instances.dirichlet(4, 8)[[0, 0, 1, 2]],
    "zeros": instances.one_against_many(9),
    "Hadamard, a tiny gap": instances.hadamard_class(4, 1e-6),
    "blocks": instances.paired_blocks(4, 1e-4),
}


@pytest.mark.parametrize("name", CLASSES)
def test_the_price_of_sign_tests_is_between_n_and_2_n(name):
    laws = CLASSES[name]
    basis, tests = bits.span(laws), bits.sign_tests(laws)
    n = basis.shape[1]
    assert n == min(np.linalg.matrix_rank(laws[1:] - laws[0], tol=1e-8), len(laws) - 1)
    found = bits.searched_price(basis, tests.signs, stream(1, "price"))
    assert n * (1 - 1e-9) <= found <= tests.price * (1 + 1e-9)
    assert tests.price <= 2 * n


@pytest.mark.parametrize("name", CLASSES)
def test_lewis_weights_are_a_fixed_point(name):
    """Of every label that the class sees: none is left behind when the others have settled."""
    basis = bits.span(CLASSES[name])
    weights = bits.lewis_weights(basis)
    seen = weights > 0
    assert (seen == basis.any(axis=1)).all()
    inverse = np.linalg.inv(basis[seen].T @ (basis[seen] / weights[seen, None]))
    expected = np.einsum("yi,ij,yj->y", basis[seen], inverse, basis[seen])
    np.testing.assert_allclose(expected, weights[seen] ** 2, rtol=4e-3)


def test_pair_tests_by_hand():
    laws = np.array([[0.5, 0.5, 0.0], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
    assert bits.pair_tests(laws).signs.tolist() == [[1, -1, -1], [1, 1, -1], [1, 1, -1]]


def test_blocks_are_what_pairs_of_hypotheses_do_not_see():
    """Only the pair itself tells its two laws apart: price K(K-1)/2 at least, sign tests within 2 K."""
    for pairs in (2, 4, 8):
        laws = instances.paired_blocks(pairs, 0.1)
        k = len(laws)
        u = laws[0] - laws[pairs]
        seen = (bits.pair_tests(laws).signs @ u) ** 2
        assert np.abs(u).sum() ** 2 / seen.mean() == pytest.approx(k * (k - 1) / 2)
        assert bits.pair_tests(laws).price >= k * (k - 1) / 2 * (1 - 1e-9)
        assert bits.sign_tests(laws).price <= 2 * (k - 1)


def test_alike_laws_leave_nothing_to_test():
    tests = bits.sign_tests(np.array([[0.3, 0.7]] * 3))
    assert tests.price == 0
    assert tests.signs.tolist() == [[1, 1]]


def test_bounds_by_hand():
    """K = 4, T = 1000, epsilon = log 3, tanh(epsilon/2) = 1/2."""
    setting = {"n_hypotheses": 4, "horizon": 1000, "epsilon": math.log(3)}
    # 2 (3 * 1.38629436 / 1000)**0.5 = 2 * 0.0644894 = 0.1289788
    assert bounds.bits_tv(**setting) == pytest.approx(0.12897880, rel=1e-6)
    assert bounds.bits_tv(**setting, price=6.0) == pytest.approx(bounds.bits_tv(**setting), rel=1e-12)
    assert bounds.bits_tv(**setting, price=1.5) == pytest.approx(bounds.bits_tv(**setting) / 2, rel=1e-12)
    # 3 * 1.38629436 / (0.1 / 2)**2 = 1663.553: bits_tv is then 0.1
    assert bounds.bits_sample_size(n_hypotheses=4, epsilon=math.log(3), accuracy=0.1) == 1664
    assert bounds.bits_tv(**setting | {"horizon": 1664}) == pytest.approx(0.1, rel=1e-3)
    # 1000 * 0.1289788 * ((2 + 1.38629436)**2 + 1)**0.5 = 128.9788 * 3.5308625 = 455.4064
    assert bounds.bits_risk(**setting) == pytest.approx(455.4064, rel=1e-5)
    # V = 0.8 (sqrt(3) - 1)^2 = 0.42871871; gap = 0.75 (2 * 2/(1000 * 0.42871871))**0.5 = 0.07244444
    low = bounds.tv_lower_bound(n_pairs=2, horizon=1000, epsilon=math.log(3))
    assert low == pytest.approx(0.07244444 / 8, rel=1e-6)
