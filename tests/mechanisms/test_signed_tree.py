"""The signed balanced tree: its numbers, its shapes, and the order in which the mechanism unfolds it."""

from collections import Counter

import numpy as np
import pytest

from replicate.mechanisms.signed_tree import Tree, delannoy, releases_of, signed_tree
from replicate.mechanisms.tree_sums import TreeSums
from replicate.studies.synopsis.lemmas import factors, parents
from tests.mechanisms.test_tree_sums import Units


def test_delannoy_s_numbers_have_their_recursion():
    for a in range(1, 8):
        for b in range(1, 8):
            neighbours = (a - 1, b), (a, b - 1), (a - 1, b - 1)
            assert delannoy(a, b) == delannoy(b, a) == sum(delannoy(*n) for n in neighbours)
    assert delannoy(0, 7) == delannoy(7, 0) == 1


@pytest.mark.parametrize("n", [1, 2, 12, 13, 1000, 10**6, 2**59])
def test_shapes_have_enough_releases_and_no_shape_is_better(n):
    found = signed_tree(n)
    assert releases_of(found) >= n
    for a in range(1, 40):
        b = (found.depth**2 * found.nodes - 1) // a**2
        assert b == 0 or releases_of(Tree(a, b)) < n


SHAPES = {99: 10**3, 240: 2**14 - 1, 600: 10**6, 1728: 10**9, 3872: 2**40, 11475: 2**59}


@pytest.mark.parametrize("noises", SHAPES)
def test_noises_times_squared_depth_at_six_sizes(noises):
    tree = signed_tree(SHAPES[noises])
    assert tree.depth**2 * tree.nodes == noises


@pytest.mark.parametrize("n", [5, 20, 72, 188])
def test_the_mechanism_s_noises_are_those_of_the_tree_as_it_is_defined(n):
    """Whole trees: how many noises two releases share, but for pads; which noise is drawn first is left open."""
    draws = 2 * n
    sums = TreeSums(draws, n_rounds=n, noise="laplace", epsilon=1.0, rng=Units(np.random.PCG64(1)))
    assert releases_of(sums.tree) == n
    table = np.array([sums.add(np.zeros(draws)) for _ in range(n)]) / sums.noise.scale
    nodes = table[:, sums.tree.nodes - 1 :]
    signs, _ = factors(parents(sums.tree))
    np.testing.assert_allclose(nodes @ nodes.T, np.abs(signs) @ np.abs(signs).T, atol=1e-9)
    assert Counter(nodes.sum(axis=0).round().tolist())[0] == draws - (sums.tree.nodes - 1) - n
