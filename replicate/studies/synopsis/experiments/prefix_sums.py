"""Variance of pure private prefix sums over the number of releases, for four ways to share noises."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from operator import itemgetter

import pandas as pd

from replicate.mechanisms.signed_tree import Tree, delannoy, releases_of

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
