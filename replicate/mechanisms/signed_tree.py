"""The signed balanced tree: all prefix sums from few noisy sums of intervals, as many as can be.

Let the releases 0, ..., N (0 is free) be points on a line, and the sum over rounds s + 1, ..., e, a node, an edge
between s and e. A prefix of t rounds is the sum over the edges of a path from 0 to t, + where an edge leads to the
right and - where it leads to the left. In the tree of (a, b) a round is in at most a nodes and a release is made
of at most b: it has N(a, b) = (D(a, b) - 1) / 2 releases, D the Delannoy numbers, and no scheme of noisy sums of
intervals has more (theorem "signed-tree").

As virtual paths along a chain of switches, by load a and hop count b, such trees are known (Zaks 2000). For
private sums Andersson, Pagh, Steiner and Torkamani (2025) have releases with digits of either sign, Andersson and
Pagh (2023) noise of one distribution for all releases.

The tree around a point with `cuts` = a and `reach` = b: from the point a path of b edges leads to the left and one
to the right; at the i-th point of either stands a tree of (a - 1, b - i), and around the point itself one of
(a - 1, b), side by side. At the free release there is no path to the left.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from replicate import validation
from replicate.compiled import compiled
from replicate.validation import IntArray

__all__ = ["Tree", "delannoy", "releases_of", "signed_tree"]

MAX_ROUNDS = 2**59
_MOST = 2**60
"""Largest a or b: a chain of all rounds has 2**59."""


class Tree(NamedTuple):
    """Shape of a signed balanced tree.

    Attributes
    ----------
    depth
        Most nodes that a round is in, a: what it can change.
    nodes
        Most nodes that a release is made of, b.
    """

    depth: int
    nodes: int


@cache
def delannoy(a: int, b: int) -> int:
    """Return D(a, b) = D(a - 1, b) + D(a, b - 1) + D(a - 1, b - 1), with D(a, 0) = D(0, b) = 1.

    It is the sum over k of (a choose k) (b choose k) 2**k.

    Examples
    --------
    >>> [delannoy(2, b) for b in range(5)]
    [1, 5, 13, 25, 41]
    """
    few, many = sorted((validation.count("a", a, low=0, high=_MOST), validation.count("b", b, low=0, high=_MOST)))
    if few > 1000:
        raise ValueError(f"a or b must be at most 1,000, got {a} and {b}")
    return sum(math.comb(few, k) * math.comb(many, k) << k for k in range(few + 1))


def releases_of(tree: Tree) -> int:
    """Return N(a, b) = (D(a, b) - 1) / 2, the number of releases of a tree.

    Examples
    --------
    >>> releases_of(Tree(depth=3, nodes=11))
    1023
    """
    return delannoy(*tree) // 2  # D is odd


def signed_tree(n_rounds: int) -> Tree:
    """Return the tree of at least N releases with the smallest variance.

    The variance of a release is proportional to a**2 b: the scale of the noise is proportional to a. N(a, b) =
    N(b, a) and a <= b is no dearer: a is at most the first with N(a, a) >= N.

    Parameters
    ----------
    n_rounds
        N, 1 to 2**59.

    Examples
    --------
    >>> signed_tree(10**6)
    Tree(depth=5, nodes=24)
    """
    return _shape(validation.count("n_rounds", n_rounds, high=MAX_ROUNDS))


@cache
def _shape(n_rounds: int) -> Tree:
    trees: list[Tree] = []
    a = 0
    while not trees or trees[-1].nodes > a:
        a += 1
        low, high = 1, n_rounds
        while low < high:
            b = (low + high) // 2
            low, high = (low, b) if releases_of(Tree(a, b)) >= n_rounds else (b + 1, high)
        trees.append(Tree(a, low))
    return min(trees, key=lambda tree: (tree.depth**2 * tree.nodes, tree))


def unreleased(tree: Tree) -> IntArray:
    """Return what `unfold` starts from: after release 0, the first points of all paths to the right.

    A row is a point that is not released yet, with what is still hung on it: cuts and reach of the tree around it,
    how many nodes its release is made of, and 1 where its path leads on to the right before that, else 0. The last
    row that is in use comes next on the line.
    """
    rows = np.zeros((tree.depth + tree.nodes, 4), dtype=np.int64)
    rows[: tree.depth, 0] = np.arange(tree.depth)[::-1]
    rows[: tree.depth, 1:] = tree.nodes - 1, 1, 1
    return rows


@compiled(error_model="numpy")
def unfold(points: IntArray, top: int) -> int:
    """Replace the last point by those that come before it on the line; return the place of the new last one.

    Place `top` becomes a new point, next to the old one, which moves to `top` + 1; each further place is a new
    point next to the one below it. The place does not change where the last point is the next release.
    """
    cuts, reach, nodes, on_path = points[top, 0], points[top, 1], points[top, 2], points[top, 3]
    if reach == 0 or (cuts == 0 and on_path == 0):
        return top
    cuts -= 1 - on_path
    points[top, 0], points[top, 1], points[top, 2], points[top, 3] = cuts, reach - 1, nodes + 1, 1
    opened = top + 1 + (1 - on_path) * reach
    for i in range(opened - top):
        new = top + 1 + i
        points[new, 0], points[new, 1], points[new, 2], points[new, 3] = cuts, reach - i, nodes + i, 0
    return opened
