"""Checks of the signed balanced tree: how many releases it has, its privacy, its variance beside others'."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product, takewhile

import numpy as np

from replicate.claims.evidence import EXACT, Evidence, worst
from replicate.mechanisms.signed_tree import Tree, releases_of
from replicate.studies.synopsis import lemmas
from replicate.studies.synopsis.checks import corners

_SEARCHED = {"quick": ((1, 3), (4, 1), (2, 2)), "full": ((1, 3), (4, 1), (2, 2), (2, 3))}
_BUILT = {"quick": 200, "full": 1023}
_ROUNDS = {"quick": 30, "full": 188}
_RELEASES = {"quick": (10**6, 10**7), "full": (10**6, 2**59)}


@worst
def most_releases(profile: str, seed: int, *, more: int) -> Iterator[Evidence]:
    """Most releases of a tree that a search finds, and that the tree has as built, against N(a, b) + `more`."""
    size = "quick" if profile == "quick" else "full"
    for shape in _SEARCHED[size]:
        tree, n = Tree(*shape), releases_of(Tree(*shape))
        while lemmas.fits(tree, n + 1):
            n += 1
        detail = f"a={tree.depth}, b={tree.nodes}: a search over all trees finds {n} releases at most."
        claimed = releases_of(tree) + more
        yield Evidence(measured=n, limit=claimed, relation="<=", detail=detail)
        yield Evidence(measured=n, limit=claimed, relation=">=", detail=detail)
    for a, b in product(range(1, 32), repeat=2):
        tree = Tree(a, b)
        if releases_of(tree) <= _BUILT[size]:
            signs, rounds = lemmas.factors(lemmas.parents(tree))
            sums = np.tril(np.ones(signs.shape))
            right = np.array_equal(signs @ rounds, sums)
            right &= bool(rounds.sum(axis=0).max() <= tree.depth and np.abs(signs).sum(axis=1).max() <= tree.nodes)
            detail = f"a={tree.depth}, b={tree.nodes}: the tree as built has {len(signs)} right releases."
            claimed = releases_of(tree) + more
            yield Evidence(measured=len(signs) if right else 0, limit=claimed, relation=">=", detail=detail)


@worst
def same_transcript(
    profile: str, seed: int, *, noises: tuple[str, ...], move: str, noise_divisor: float = 1.0
) -> Iterator[Evidence]:
    """Largest change of a transcript when a round is replaced and its nodes' noises move, and what that costs."""
    n = _ROUNDS["quick" if profile == "quick" else "full"]
    for noise in noises:
        change, cost = lemmas.shear(noise, n, seed=seed, move=move), lemmas.cost(noise, n)
        where = f"{noise} noise, {n} rounds, K=3, each round replaced in turn"
        yield Evidence(measured=change, limit=EXACT, detail=f"{where}: releases change by {change:.1e} at most.")
        yield Evidence(measured=noise_divisor * cost, limit=1 + EXACT, detail=f"{where}: loss {cost:.4f} over ε.")


@worst
def smallest_variance(profile: str, seed: int, *, scheme: str, worst: float, mean: float) -> Iterator[Evidence]:
    """Variance of a scheme over the least of the other schemes, of the worst release and of the mean one.

    Between two sizes N(a, b) of the signed balanced tree its own variances stay and the others' rise: the ratio is
    largest just above such a size. Quick up to 10^7 releases.
    """
    low, high = _RELEASES["quick" if profile == "quick" else "full"]
    sizes = {low, high}
    for a in range(1, 60):  # N(a, b) grows with b
        sizes.update(takewhile(high.__ge__, (releases_of(Tree(a, b)) + 1 for b in range(1, 200))))
    for n in sorted(sizes):
        if low <= n:
            yield corners.smallest_variance(n, scheme=scheme, worst=worst, mean=mean)
