"""Theorem "signed-tree" (number 9 of reports/theorems.md): the signed balanced tree has the most prefix sums.

Statement: prefix sums of x_1, ..., x_N are released, each as a real combination of noisy sums of intervals of
rounds (nodes); every round is in at most a nodes, every release is made of at most b. Then N is at most
N(a, b) = (D(a, b) - 1) / 2, D(a, b) = D(a-1, b) + D(a, b-1) + D(a-1, b-1), D(a, 0) = D(0, b) = 1, and the signed
balanced tree attains it. With Laplace noise of scale a / epsilon per node (an x_s changes by at most 1), all
releases together are epsilon-private, also if x_t depends on the releases before round t. Range: all a, b >= 1.

The page builds the tree as the proof does and shows
(1) that it has N(a, b) releases and that its combinations are exactly the prefix sums;
(2) by a search over all trees of depth at most 2, that N(a, 2) + 1 releases are impossible for a = 1, 2;
(3) in whole numbers, with an x that reacts to the releases, that the map of the proof leaves the transcript as it
    is; the worst privacy loss is therefore the most nodes of a round times epsilon / a; the control has noise of
    scale (a - 1) / epsilon.
Without signs the same a and b give comb(a + b, a) - 1 releases (quoted). The page does not show the optimality for
larger shapes, and says nothing of mechanisms that do not add noise to intervals.
"""

from itertools import product
from math import comb

import numpy as np


def delannoy(a, b):
    """Return D(a, b)."""
    return 1 if a * b == 0 else delannoy(a - 1, b) + delannoy(a, b - 1) + delannoy(a - 1, b - 1)


def bound(a, b):
    """Return N(a, b), the most releases."""
    return (delannoy(a, b) - 1) // 2


def tree(a, b, leftmost=True):
    """Return the parents of the points of a line (the root's is itself) and the root, which is 0 if leftmost."""
    if a == 0 or b == 0:
        return [0], 0
    depths = list(range(b + 1)) if leftmost else [*range(b, 0, -1), *range(b + 1)]
    middle = depths.index(0)
    parents, roots = [], []
    for k, depth in enumerate(depths):  # one component per point of the left and the right path, side by side
        part, root = tree(a - 1, b - depth, leftmost and k == middle)
        roots.append(len(parents) + root)
        parents += [len(parents) + p for p in part]
    for k in range(len(depths)):  # the paths' edges lead from component to component
        parents[roots[k]] = roots[k - (k > middle) + (k < middle)]
    return parents, roots[middle]


def matrices(a, b):
    """Return L (signs of the nodes of each release) and R (rounds of each node) of the tree with root 0."""
    parents, _ = tree(a, b)
    N = len(parents) - 1
    L, R = np.zeros((2, N, N), dtype=np.int64)  # node t - 1 is the interval between point t and its parent
    for point in range(1, N + 1):
        t, R[point - 1, min(point, parents[point]) : max(point, parents[point])] = point, 1
        while point:  # the path from t to the root
            L[t - 1, point - 1] = 1 if parents[point] < point else -1
            point = parents[point]
    return L, R


def possible(a, N):
    """Search all trees of depth at most 2 on the points 0, ..., N in which at most a edges cross every cut."""
    roots = product((0, 1), repeat=N)  # which points hang from 0; the others hang from one of these
    choices = ([[0] if one else np.flatnonzero(first) + 1 for one in first] for first in roots)
    trees = ([sorted(edge) for edge in enumerate(up, 1)] for lists in choices for up in product(*lists))
    return any(all(sum(i < cut <= j for i, j in tree) <= a for cut in range(1, N + 1)) for tree in trees)


def transcript(L, x, z, d, s):
    """Release all prefix sums with node noise z, of reacting x; round s is changed by -d."""
    A, y, played = np.tril(np.ones_like(L)), np.zeros_like(x), np.zeros_like(x)
    for t in range(len(x)):
        played[t] = x[t] + (y[t - 1] % 3 if t else 0) - d * (s == t)  # x_t reacts to the last release
        y[t] = A[t] @ played + L[t] @ z
    return y


def main(shapes=((1, 1), (2, 2), (3, 3), (2, 5), (4, 3)), epsilon=1.0, seed=1):
    """Print the table and check what it shows."""
    print("Nodes per round, per release; releases, without signs; worst privacy loss, control")
    for a, b in shapes:
        L, R = matrices(a, b)
        N, most = len(L), R.sum(axis=0).max()
        assert (N, np.abs(L).sum(axis=1).max()) == (bound(a, b), b)
        assert np.array_equal(L @ R, np.tril(np.ones_like(L)))
        x, z = np.random.default_rng(seed).integers(-9, 10, (2, N))
        assert all(
            np.array_equal(transcript(L, x, z, 0, s), transcript(L, x, z + R[:, s], 1, s)) for s in range(N)
        )
        loss, control = most * epsilon / a, most * epsilon / max(a - 1, 0.5)
        print(f"{a:15}, {b:11}; {N:8}, {comb(a + b, a) - 1:13}; {loss:18.3f}, {control:7.3f}")
        assert loss <= epsilon < control
    for a, N in ((1, 2), (1, 3), (2, 6), (2, 7)):
        print(f"Search over trees, a = {a}, b = 2: {N} releases are possible: {possible(a, N)}")
        assert possible(a, N) == (bound(a, 2) >= N)


if __name__ == "__main__":
    main()
