"""The signed balanced tree as it is defined: mistakes that its checks see."""

import numpy as np
import pytest

from replicate.mechanisms.signed_tree import Tree, releases_of
from replicate.studies.synopsis import checks, lemmas

SHEAR = {"noises": ("laplace", "cube"), "move": "every node"}


def test_the_tree_of_two_and_two_by_hand():
    """The path to the right is 0, 4, 6; on 0 hangs the chain 0, 1, 2, on 4 a point on either side."""
    parent = lemmas.parents(Tree(2, 2))
    assert parent == [-1, 0, 1, 4, 0, 4, 4]
    signs, rounds = lemmas.factors(parent)
    assert (signs < 0).any()
    assert abs(np.linalg.det(signs)) == pytest.approx(1)
    assert not np.array_equal(np.abs(signs) @ rounds, np.tril(np.ones((6, 6)))), "signs dropped"


@pytest.mark.parametrize(
    "change", [{"move": "without signs"}, {"move": "all nodes but one"}, {"noise_divisor": 2.0}]
)
def test_what_is_not_private_is_seen(change):
    """Divided by two: the scale for one node a round, where the tree of 30 releases has two."""
    assert checks.same_transcript("quick", 1, **SHEAR).holds
    assert not checks.same_transcript("quick", 1, **SHEAR | change).holds


@pytest.mark.parametrize("n", [31, 40])
def test_only_whole_trees_are_read(n):
    with pytest.raises(ValueError, match="n_rounds must be the most releases of its tree"):
        lemmas.moves(n)


@pytest.mark.parametrize("shape", [(2, 2), (4, 1), (1, 3)])
def test_a_search_finds_no_more_releases(shape):
    most = releases_of(Tree(*shape))
    assert lemmas.fits(Tree(*shape), most)
    assert not lemmas.fits(Tree(*shape), most + 1)
