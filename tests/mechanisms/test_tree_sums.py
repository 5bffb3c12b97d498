"""Noisy prefix sums: which draws a release carries, exact sensitivities by linear programs, laws of the noise.

A release is P x + M z, P summing rounds, z independent noises of one law and M the table of which release carries
which. Releasing M (C x + z) with M C = P costs, by the smallest such C, what the columns of C cost.
"""

import math

import numpy as np
import pytest
from scipy import optimize

from replicate.mechanisms import square_root
from replicate.mechanisms.signed_tree import signed_tree
from replicate.mechanisms.tree_sums import FactorizedSums, TreeSums, UnboundedSums
from replicate.mechanisms.vector_noise import NOISES, gaussian_scale

DRAWS = 256


def rng(seed=1):
    return np.random.default_rng(seed)


def make(k=3, n=50, *, noise="cube", seed=1, epsilon=0.7):
    return TreeSums(k, n_rounds=n, noise=noise, epsilon=epsilon, rng=rng(seed))


def cost(table, i):
    """Smallest sum of absolute values of a column c with M c = the i-th column of P."""
    n, draws = table.shape
    prefix = (np.arange(n) >= i).astype(float)
    found = optimize.linprog(np.ones(2 * draws), A_eq=np.hstack([table, -table]), b_eq=prefix, method="highs")
    assert found.status == 0
    return found.fun


class Units(np.random.Generator):
    """Draws unit vectors, one after the other, as positive Laplace noise."""

    drawn = 0

    def standard_exponential(self, size=None, dtype=np.float64, method="zig", out=None):
        self.drawn += 1
        return np.eye(size)[self.drawn - 1]

    def random(self, size=None, dtype=np.float64, out=None):
        return np.ones(size)


@pytest.mark.parametrize("n", [1, 2, 5, 13, 20, 31, 50])
def test_a_round_is_in_no_more_nodes_than_the_noise_is_made_for(n):
    """Every release carries as many noises as its tree says, each once; a round moves at most `depth` of them."""
    sums = TreeSums(DRAWS, n_rounds=n, noise="laplace", epsilon=0.7, rng=Units(np.random.PCG64(1)))
    table = np.array([sums.add(np.zeros(DRAWS)) for _ in range(n)]) / sums.noise.scale
    assert (np.isclose(table, 0) | np.isclose(table, 1)).all()
    assert table.sum(axis=1) == pytest.approx(np.full(n, sums.tree.nodes))
    assert sums.tree == signed_tree(n)
    table = table[:, : table.any(axis=0).nonzero()[0].max() + 1]
    costs = [cost(table, i) for i in range(n)]
    assert sums.tree.depth - 1 + 1e-6 < max(costs) <= sums.tree.depth + 1e-6


@pytest.mark.parametrize("noise", NOISES)
def test_the_noise_of_a_node_has_the_scale_of_its_depth(noise):
    sums = make(8, 10**6, noise=noise, epsilon=0.5)
    expected = {"laplace": 8 * 5 / 0.5, "cube": 5 / 0.5}
    assert sums.noise.scale == pytest.approx(expected[noise], rel=1e-12)
    assert float(sums.log_mgf(1e-4)) == pytest.approx(sums.tree.nodes * float(sums.noise.log_mgf(1e-4)))


@pytest.mark.parametrize("noise", [*NOISES, "factorised"])
def test_noise_is_drawn_alike_release_by_release_and_at_once(noise):
    first, second = (factorized() if noise == "factorised" else make(noise=noise) for _ in range(2))
    one = np.array([first.add([0.0, 0.0, 0.0]) for _ in range(50)])
    many = np.concatenate([second.draw_noise(n) for n in (0, 1, 20, 29)])
    np.testing.assert_allclose(one, many, rtol=1e-9, atol=1e-9 if noise == "factorised" else 0)
    assert len(np.unique(one, axis=0)) == 50


def test_a_release_is_the_sum_and_noise_that_does_not_depend_on_it():
    rows = rng(3).random((50, 3))
    for first, second in ((make(), make()), (factorized(), factorized())):
        noisy = np.array([first.add(row) for row in rows])
        np.testing.assert_allclose(noisy - np.cumsum(rows, axis=0), second.draw_noise(50), atol=1e-9)


def factorized(k=3, n=50, seed=1):
    return FactorizedSums(k, n_rounds=n, epsilon=0.7, delta=1e-6, rng=rng(seed))


class Rows(np.random.Generator):
    """Draws unit vectors, one after the other."""

    drawn = 0

    def standard_normal(self, size=None, dtype=np.float64, out=None):
        self.drawn += size[0]
        return np.eye(size[1])[self.drawn - size[0] : self.drawn]


def test_the_factors_are_roots_of_the_summing_matrix_and_the_scale_is_that_of_the_longest_column():
    n = 40
    sums = FactorizedSums(n, n_rounds=n, epsilon=0.7, delta=1e-6, rng=Rows(np.random.PCG64(1)))
    root = np.array([sums.add(np.zeros(n)) for _ in range(n)]) / sums.scale
    np.testing.assert_allclose(root @ root, np.tril(np.ones((n, n))), atol=1e-12)
    moved = np.linalg.solve(root, np.tril(np.ones((n, n))))  # what releases reveal of the rounds, before noise
    longest = np.square(moved).sum(axis=0).max()
    assert sums.scale == pytest.approx(gaussian_scale(epsilon=0.7, delta=1e-6) * math.sqrt(n * longest), rel=1e-9)
    assert float(sums.log_mgf(0.1)) == pytest.approx(0.01 * sums.scale**2 * longest / 2, rel=1e-8)
    np.testing.assert_allclose(np.square(root).sum(axis=1)[-1], longest)


def test_the_square_of_a_column_is_exact_and_then_from_above():
    exact = [math.comb(2 * k, k) / 4**k for k in range(200)]
    np.testing.assert_allclose(square_root.coefficients(200), exact, rtol=1e-12)
    assert square_root.squared_column(200) == pytest.approx(math.fsum(r * r for r in exact))


@pytest.mark.parametrize("n", [2**20 - 1, 2**20, 2**20 + 1, 3 * 2**19, 2**21])
def test_the_square_of_a_long_column_is_from_above_by_no_more_than_its_roundings(n):
    """Beyond 2**20 terms a logarithm stands for the sum, less than 1e-12 above it; for roundings there is 1e-9."""
    excess = square_root.squared_column(n) - math.fsum(np.square(square_root.coefficients(n)))
    assert 0 <= excess < 8e-9


@pytest.mark.parametrize("log2", [21, 30, 59])
def test_the_square_of_a_column_has_the_constant_of_its_logarithm(log2):
    """The sum of r(k)**2 over k < n is (log n + gamma + 4 log 2) / pi, but for 1 / (4 pi n)."""
    known = ((log2 + 4) * math.log(2) + np.euler_gamma - 2.0 ** -(log2 + 2)) / math.pi
    assert 0 <= square_root.squared_column(2**log2) - known < 8e-9


@pytest.mark.parametrize("build", [make, factorized])
def test_no_more_is_released_than_the_noise_is_made_for(build):
    sums = build()
    sums.draw_noise(49)
    sums.add([0.0, 0.5, 1.0])
    with pytest.raises(ValueError, match="values must be of at most n_rounds = 50 rounds"):
        sums.add([0.0, 0.5, 1.0])
    with pytest.raises(ValueError, match="n_rounds = 50"):
        sums.draw_noise(1)


def unbounded(noise="cube", seed=1, k=3):
    return UnboundedSums(k, noise=noise, epsilon=0.7, rng=rng(seed))


@pytest.mark.parametrize(("noise", "moved"), [("cube", 1), ("laplace", 3)])
@pytest.mark.parametrize("n_rounds", [256, 512, 2**20])
def test_a_tree_of_unbounded_sums_and_its_total_spend_epsilon_together(noise, moved, n_rounds):
    tree, total = unbounded(noise).stage(n_rounds)
    assert tree.noise.scale == pytest.approx(total.scale)
    assert moved * (tree.tree.depth / tree.noise.scale + 1 / total.scale) == pytest.approx(0.7)


@pytest.mark.parametrize("noise", ["cube", "laplace"])
def test_unbounded_sums_release_the_sum_with_the_noise_of_a_tree_and_of_the_totals_before(noise):
    """By their variance over 20,000 coordinates, in the first and the second tree; `add` draws as `draw_noise`."""
    path = unbounded(noise, k=20_000).draw_noise(300)
    (first, total), (second, _) = (unbounded(noise, k=20_000).stage(n) for n in (256, 512))
    for place, stages, totals in ((100, first, 0), (299, second, 1)):
        expected = stages.tree.nodes * stages.noise.variance + totals * total.variance
        assert path[place].var() == pytest.approx(expected, rel=0.08)
    assert total.variance > 0.1 * second.tree.nodes * second.noise.variance  # one total less would be seen
    sums = unbounded(noise, 5)
    rows = rng(6).random((700, 3))
    noisy = np.array([sums.add(row) for row in rows])
    np.testing.assert_allclose(noisy - rows.cumsum(axis=0), unbounded(noise, 5).draw_noise(700), atol=1e-9)


def test_every_total_of_an_unbounded_sum_stays_in_later_releases():
    """In the third tree a release has its own noises and those of both totals before it."""
    sums = UnboundedSums(4000, noise="laplace", epsilon=1.0, rng=rng())
    stages = [sums.stage(n) for n in (256, 512, 1024)]
    own = stages[2][0].tree.nodes * stages[2][0].noise.variance
    last = [
        UnboundedSums(4000, noise="laplace", epsilon=1.0, rng=rng(seed)).draw_noise(769)[-1] for seed in range(10)
    ]
    assert np.var(last) == pytest.approx(own + sum(total.variance for _, total in stages[:2]), rel=0.04)
