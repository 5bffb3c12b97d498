"""The signed balanced tree from its definition: points on a line, a search over all trees, privacy, variance.

The mechanism unfolds the tree while it releases; here it is built as it is defined, and as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from itertools import accumulate
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd

from replicate.mechanisms.signed_tree import Tree, delannoy, releases_of
from replicate.mechanisms.tree_sums import TreeSums
from replicate.streams import stream
from replicate.studies.synopsis import privacy
from replicate.validation import FloatArray, IntArray


def parents(tree: Tree) -> list[int]:
    """Return for each release, from 0 on, the one that it is computed from; -1 for release 0."""
    return _around(tree.depth, tree.nodes, left=False)


def _around(cuts: int, reach: int, *, left: bool = True) -> list[int]:
    """The tree around a point, with or without a path to the left; -1 at the point itself."""
    if 0 in (cuts, reach):
        return [-1]
    places = range(-reach if left else 0, reach + 1)
    parts = [_around(cuts - 1, reach - abs(i), left=left or i != 0) for i in places]
    starts = [0, *accumulate(map(len, parts))]
    roots = [start + part.index(-1) for start, part in zip(starts, parts, strict=False)]
    parent = [start + p for start, part in zip(starts, parts, strict=False) for p in part]
    for place, i in enumerate(places):
        parent[roots[place]] = -1 if i == 0 else roots[place - (1 if i > 0 else -1)]
    return parent


def factors(parent: list[int]) -> tuple[FloatArray, FloatArray]:
    """Return L and R, shapes (N, N): the signs of the nodes of each release, and the rounds of each node."""
    n = len(parent) - 1
    signs, rounds = np.zeros((n + 1, n)), np.zeros((n, n))
    for t in range(1, n + 1):
        low, high = sorted((t, parent[t]))
        rounds[t - 1, low:high] = 1
        point = t
        while point:
            signs[t, point - 1] = np.sign(point - parent[point])
            point = parent[point]
    return signs[1:], rounds


@cache
def fits(tree: Tree, n_releases: int) -> bool:
    """Return True if some tree on the points 0, ..., N has at most a edges over each cut, and b on each path.

    A search over the parents of all points, one point after the other.
    """
    load, parent = [0] * n_releases, [0] * (n_releases + 1)

    def near(point: int, last: int) -> bool:
        """Return True if at most b edges lead to 0, or to a point after the last one that has a parent."""
        for left in range(tree.nodes - 1, -1, -1):
            point = parent[point]
            if point == 0 or point > last:
                return point == 0 or left > 0
        return False

    def search(point: int) -> bool:
        if point > n_releases:
            return True
        for other in range(n_releases + 1):
            crossed = range(min(point, other), max(point, other))
            if not crossed or any(load[cut] == tree.depth for cut in crossed):
                continue
            parent[point] = other
            for cut in crossed:
                load[cut] += 1
            if all(near(earlier, point) for earlier in range(1, point + 1)) and search(point + 1):
                return True
            for cut in crossed:
                load[cut] -= 1
        return False

    return search(1)


# Transcripts of games in which vectors depend on releases


class Given(np.random.Generator):
    """Draws given vectors as noise of scale 1, one after the other: Laplace noise, or that of the cube."""

    def __init__(self, noises: FloatArray) -> None:
        super().__init__(np.random.PCG64(1))
        self._noises, self._drawn, self._radius = noises, -1, 0.0

    def standard_exponential(self, *_: Any, **__: Any) -> Any:
        """Sizes of Laplace noise."""
        self._drawn, self._radius = self._drawn + 1, 0.0
        return np.abs(self._noises[self._drawn])

    def standard_gamma(self, *_: Any, **__: Any) -> Any:
        """Radius of the noise of the cube."""
        self._drawn += 1
        self._radius = float(np.abs(self._noises[self._drawn]).max())
        return self._radius

    def random(self, *_: Any, **__: Any) -> Any:
        """Signs of Laplace noise, above and below one half; a point of the cube."""
        row = self._noises[self._drawn]
        return (row / self._radius + 1) / 2 if self._radius else (row >= 0).astype(np.float64)


def _sums(noise: str, noises: FloatArray, n_rounds: int) -> TreeSums:
    return TreeSums(noises.shape[1], n_rounds=n_rounds, noise=noise, epsilon=1.0, rng=Given(noises))


@cache
def moves(n_rounds: int) -> tuple[FloatArray, int]:
    """Return R as the mechanism has it, a row for each of its draws, and how many of these are pads.

    What each draw adds to the releases is read from a run in which it is a unit vector of its own; N must be the
    most releases of the tree, so that there are as many other draws as releases.
    """
    draws = 2 * n_rounds
    sums = _sums("laplace", np.eye(draws), n_rounds)
    carried = np.array([sums.add(np.zeros(draws)) for _ in range(n_rounds)]) / sums.noise.scale
    pads = sums.tree.nodes - 1
    nodes = carried[:, pads : pads + n_rounds]
    if carried[:, pads + n_rounds :].any():
        raise ValueError(f"n_rounds must be the most releases of its tree, got {n_rounds}")
    rounds = np.linalg.solve(nodes, np.tril(np.ones((n_rounds, n_rounds))))
    return np.vstack([np.zeros((pads, n_rounds)), rounds.round()]), pads


def game(noise: str, noises: FloatArray, n_rounds: int, replaced: IntArray | None = None) -> FloatArray:
    """Play the mechanism against adversaries who answer each release with the next vector, in many games at once.

    Parameters
    ----------
    noise, n_rounds
        As for `shear`.
    noises
        Of the mechanism's draws, shape (draws, games, K).
    replaced
        The round of each game in which the vector x becomes 1 - x, shape (games,); none where it is None.

    Returns
    -------
    All releases, shape (N, games, K).
    """
    draws, shape = len(noises), noises.shape[1:]
    drawn = noises.reshape(draws, -1)
    scale = _sums(noise, drawn, n_rounds).noise.scale  # Laplace noise of so many coordinates has a larger one
    sums, released = _sums(noise, drawn / scale, n_rounds), np.zeros((n_rounds + 1, *shape))
    for t in range(n_rounds):
        rows = answer(released[t], t)
        if replaced is not None:
            rows[replaced == t] = 1 - rows[replaced == t]
        released[t + 1] = sums.add(rows.ravel()).reshape(shape)
    return released[1:]


def answer(released: FloatArray, t: int) -> FloatArray:
    """Return the vector of round t, entries in [0, 1], which depends on the release before it, each (..., K)."""
    return (1 + np.sin(released[..., ::-1] + t)) / 2


def shear(noise: str, n_rounds: int, *, seed: int, move: str) -> float:
    """Return the largest difference of transcripts when a round is replaced and the noises of its nodes move.

    Parameters
    ----------
    noise
        ``"laplace"`` or ``"cube"``.
    n_rounds
        As for `moves`; each round is replaced in turn.
    seed
        Of the noises.
    move
        ``"every node"``, ``"all nodes but one"`` or ``"without signs"``.
    """
    columns, pads = moves(n_rounds)
    noises = stream(seed, "synopsis/shear", noise).laplace(size=(n_rounds + pads, 1, 3))
    noises *= _sums(noise, noises[:, 0], n_rounds).noise.scale
    before = game(noise, noises, n_rounds)
    # vectors until round s depend on releases before it, which are those of the game as it was
    moved = np.array([1 - 2 * answer(before[t - 1] if t else np.zeros((1, 3)), t)[0] for t in range(n_rounds)])
    shifts = np.abs(columns) if move == "without signs" else columns.copy()
    if move == "all nodes but one":
        last = len(shifts) - 1 - np.argmax(shifts[::-1] != 0, axis=0)
        shifts[last, np.arange(n_rounds)] = 0
    after = game(noise, noises - shifts[:, :, None] * moved, n_rounds, np.arange(n_rounds))
    return float(np.abs(after - before).max())


def cost(noise: str, n_rounds: int) -> float:
    """Return the most that replacing a round can move the log density of the noises, over epsilon."""
    sums = _sums(noise, np.zeros((1, 3)), n_rounds)
    law = "laplace" if noise == "laplace" else "cube 3"
    return float(np.abs(moves(n_rounds)[0]).sum(axis=0).max()) * privacy.norm(law, np.ones(3)) / sums.noise.scale


SIZES = (10**3, 2**14 - 1, 10**6, 10**9, 2**40, 2**59)
Shape = tuple[float, float, str]
"""Noises of the worst release and of the mean one, times the square of the nodes of a round; what it is."""


def _least(enough: Callable[[int], bool], low: int) -> int:
    """Return the least integer from `low` on that is enough, which then all larger ones are."""
    high = low
    while not enough(high):
        high *= 2
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low


def _digits(n: int, h: int) -> Shape:
    """The tree of base k: digits 0, ..., k - 1, each the number of nodes of a level."""
    k = _least(lambda k: k**h > n, 2)
    return h**3 * (k - 1), h**3 * (k - 1) / 2 * (k**h / (k**h - 1)), f"k = {k}, {h} digits"


def _signed_digits(n: int, h: int) -> Shape:
    """Digits of either sign, k odd."""
    k = 2 * _least(lambda half: (2 * half + 1) ** h > 2 * n, 1) + 1
    return h**3 * (k - 1) / 2, h**3 * (k - 1 / k) / 4 * (k**h / (k**h - 1)), f"k = {k}, {h} digits"


def _balanced(n: int, a: int) -> Shape:
    """Codes of a clear and b set bits."""
    b = _least(lambda b: math.comb(a + b, a) > n, 1)
    return a * a * b, a * a * b, f"a = {a}, b = {b}"


def _signed(n: int, a: int) -> Shape:
    """(D(a, i) + 1) / 2 points have at most i nodes; over i < b, (i choose k) adds up to (b choose k + 1)."""
    b = _least(lambda b: releases_of(Tree(a, b)) >= n, 1)
    edges = b * delannoy(a, b) - sum(math.comb(a, k) * math.comb(b, k + 1) << k for k in range(a + 1))
    return a * a * b, a * a * edges / (delannoy(a, b) - 1), f"a = {a}, b = {b}"


SCHEMES: dict[str, Callable[[int, int], Shape]] = {
    "digits 0 to k − 1": _digits,
    "digits of either sign": _signed_digits,
    "balanced tree": _balanced,
    "signed balanced tree": _signed,
}
"""By the most nodes that a round is in."""
LIMITS = {"digits of either sign": 0.06180, "balanced tree": 0.08426, "signed balanced tree": 0.04528}
"""Of the smaller of the two variances over log2(N)**3, as N grows: at k = 19, b = 5.236 a and b = 3.531 a."""


@cache
def best_shapes(n: int) -> dict[str, tuple[Shape, Shape]]:
    """Return each scheme's shapes of least variance for N releases: of the worst release, and of the mean one."""
    ways = {name: [shape(n, a) for a in range(1, n.bit_length() + 2)] for name, shape in SCHEMES.items()}
    return {name: (min(shapes), min(shapes, key=itemgetter(1, 0))) for name, shapes in ways.items()}


def variances(sizes: tuple[int, ...] = SIZES) -> pd.DataFrame:
    """Variance of the worst release and of the mean one, each at its best shape; that of a single release is 1."""
    rows = []
    for name in SCHEMES:
        for n in sizes:
            worst, mean = best_shapes(n)[name]
            rows.append({
                "scheme": name, "releases": n, "worst": worst[0], "mean": round(mean[1], 2),
                "worst_over_log3": worst[0] / math.log2(n) ** 3, "mean_over_log3": mean[1] / math.log2(n) ** 3,
                "shape_of_worst": worst[2], "shape_of_mean": mean[2],
            })  # fmt: skip
    return pd.DataFrame(rows)
