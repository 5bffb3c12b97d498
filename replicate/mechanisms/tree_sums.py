"""Noisy prefix sums of vectors, one after every round, from few noises: a tree and a square-root factorisation."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from replicate import validation
from replicate.compiled import compiled
from replicate.mechanisms.signed_tree import MAX_ROUNDS, signed_tree, unfold, unreleased
from replicate.mechanisms.square_root import SquareRoot, squared_column
from replicate.mechanisms.vector_noise import NOISES, VectorNoise, checked_rates, gaussian_scale, private_noise
from replicate.validation import FloatArray, Generator, IntArray

__all__ = ["FactorizedSums", "PrefixSums", "TreeSums", "UnboundedSums"]

FIRST = 256
"""Rounds of the first tree where nobody knows how many rounds there will be."""
_MOST_DRAWN = 2**27
"""Most numbers of a path of noise: 1 GB."""


class PrefixSums(Protocol):
    """The interface of noisy prefix sums.

    Attributes
    ----------
    n_actions, n_rounds
        K and N.
    largest_rate
        Rate below which `log_mgf` is finite.
    """

    n_actions: int
    n_rounds: int
    largest_rate: float

    def add(self, values: Any) -> FloatArray:
        """Add a vector, shape (K,), entries in [0, 1]; return the noisy sum of all so far, shape (K,)."""

    def draw_noise(self, n: int) -> FloatArray:
        """Draw the noise of the next n releases, shape (n, K), without vectors."""

    def log_mgf(self, rate: Any) -> FloatArray:
        """Return the largest log E exp(rate * noise) of a coordinate of a release."""


class _Sums:
    """Rounds that are counted, and vectors that are added up."""

    def __init__(self, n_actions: int, n_rounds: int, rng: Generator) -> None:
        self.n_actions = validation.count("n_actions", n_actions, high=2**20)
        self.n_rounds = validation.count("n_rounds", n_rounds, high=MAX_ROUNDS)
        self._rng = validation.generator(rng)
        self._round, self._exact = 0, np.zeros(self.n_actions)

    def add(self, values: Any) -> FloatArray:
        """Add a vector, shape (K,), entries in [0, 1]; return the noisy sum of all so far, shape (K,).

        Raises
        ------
        ValueError
            If the vector is none, or N have been added: more would cost more privacy.
        """
        row = validation.unit_array("values", values, ndim=1, min_last=1)
        if len(row) != self.n_actions:
            raise ValueError(f"values must have length {self.n_actions}, got {len(row)}")
        self._count(1)
        self._exact = self._exact + row
        return self._exact + self._next_noise()

    def _count(self, n: int) -> None:
        if self._round + n > self.n_rounds:
            raise ValueError(
                f"values must be of at most n_rounds = {self.n_rounds} rounds: all have been released"
            )
        self._round += n

    def _drawn(self, n: Any) -> int:
        """Check a number of releases, and count them."""
        many = validation.count("n", n, low=0, high=_MOST_DRAWN // self.n_actions)
        self._count(many)
        return many

    def _next_noise(self) -> FloatArray:
        raise NotImplementedError


class TreeSums(_Sums):
    """Prefix sums with noise on the nodes of a signed balanced tree: `add` a vector, get the noisy sum so far.

    A round is in at most a nodes, a release is the signed sum of at most b, and the tree of (a, b) is the one with
    the smallest variance (`signed_tree`). A release of fewer than b nodes is padded with noises that are drawn at
    the start, so that the noise of all releases has one distribution: that of b noises.

    Proof of privacy, also when vectors depend on earlier releases. Releases are y = A x + L z, with A the lower
    triangular matrix of ones, z the noises, and L R = A, where column s of R, R_s, has the signs with which the
    nodes hold round s. Fix all other chance, the pads among it; replace x_s by x_s - d, and map z to z + R_s d.
    L R_s = A_s is 0 before s and 1 from s on: releases before s stay; so does d, which depends on them; and from
    s on the two changes cancel in one release after the other, and later vectors stay. The transcript is the
    same. The map is a shear, for d depends on what it does not move: its Jacobian is 1. At most a noises move,
    each by d or -d, and the log density by at most epsilon: see `private_noise`. That a release is a sum of noisy
    nodes does not prove it: a node may be in use before its last round is known.

    The code keeps the exact prefix and the noises alone: a + b vectors of points to come, and b pads. Signs of
    noises are left out, their distribution being symmetric.

    Parameters
    ----------
    n_actions
        Length of the vectors, K, 1 to 2**20.
    n_rounds
        Number of releases N, 1 to 2**59.
    noise
        ``"laplace"`` or ``"cube"``.
    epsilon
        In [1e-9, 1e9].
    rng
        Source of randomness.

    Examples
    --------
    >>> sums = TreeSums(2, n_rounds=10**6, noise="cube", epsilon=1.0, rng=np.random.default_rng(1))
    >>> sums.noise.scale, sums.tree.nodes
    (5.0, 24)
    >>> for _ in range(1000):
    ...     noisy = sums.add([0.0, 1.0])
    >>> bool(abs(noisy - [0, 1000]).max() < 250)
    True
    """

    def __init__(self, n_actions: int, *, n_rounds: int, noise: str, epsilon: float, rng: Generator) -> None:
        super().__init__(n_actions, n_rounds, rng)
        validation.choice("noise", noise, NOISES)
        self.tree = signed_tree(self.n_rounds)
        self.noise = private_noise(noise, n_actions=self.n_actions, epsilon=epsilon, releases=self.tree.depth)
        self.largest_rate = self.noise.largest_rate
        self._points, self._top = unreleased(self.tree), -1
        self._pads = np.zeros((self.tree.nodes, self.n_actions))
        self._noises = np.zeros((len(self._points), self.n_actions))

    def log_mgf(self, rate: Any) -> FloatArray:
        """Return the largest log E exp(rate * noise) of a coordinate of a release, any shape."""
        return self.tree.nodes * self.noise.log_mgf(rate)

    def draw_noise(self, n: int) -> FloatArray:
        """Draw the noise of the next n releases, shape (n, K), as `add` would, without vectors."""
        path = np.empty((self._drawn(n), self.n_actions))
        if self._top < 0 and len(path):
            self._start()
        law = self.noise.kind, self.noise.scale
        self._top = int(_tree_noise(self._points, self._top, self._noises, self._pads, *law, path, self._rng))
        return path

    def _start(self) -> None:
        """Draw the pads, row m the sum of m noises, and those of the first points of the paths."""
        for m in range(1, self.tree.nodes):
            self._pads[m] = self._pads[m - 1] + self.noise.draw(self._rng)
        for i in range(self.tree.depth):
            self._noises[i] = self.noise.draw(self._rng)
        self._top = self.tree.depth - 1

    def _next_noise(self) -> FloatArray:
        if self._top < 0:
            self._start()
        noises = self._noises
        while (top := int(unfold(self._points, self._top))) > self._top:
            # the old point moves up one place and keeps its noise; the new ones are next to it
            noises[self._top + 1] = noises[self._top]
            noises[self._top] = noises[self._top + 1] + self.noise.draw(self._rng)
            for i in range(self._top + 2, top + 1):
                noises[i] = noises[i - 1] + self.noise.draw(self._rng)
            self._top = top
        self._top = top - 1
        # padded to b noises: every release has noise of one distribution
        return np.asarray(noises[top] + self._pads[self.tree.nodes - self._points[top, 2]])


class UnboundedSums(_Sums):
    """Prefix sums of any number of rounds: a tree on the first 256, then one on the next 512, on 1024, and so on.

    After the last round of a tree the sum of its rounds is released once more, with a noise of its own, to be
    added to all releases of later trees. A tree of depth a has a / (a + 1) of epsilon, and the total the rest: the
    noises of both have one scale. Chan, Shi and Song 2011 (their hybrid mechanism) have one counter of
    logarithmically many totals; Jacobsen and Fawaz 2025, arXiv 2506.15018, smaller errors with Gaussian noise.

    Proof of privacy: a round is part of one tree and of one total, which together are private by composition,
    also where vectors depend on earlier releases; other trees and totals do not read it.

    Parameters
    ----------
    n_actions
        Length of the vectors, K, 1 to 2**20.
    noise
        ``"laplace"`` or ``"cube"``.
    epsilon
        In [1e-7, 1e9].
    rng
        Source of randomness.

    Examples
    --------
    >>> sums = UnboundedSums(2, noise="cube", epsilon=1.0, rng=np.random.default_rng(1))
    >>> for _ in range(1000):
    ...     noisy = sums.add([0.0, 1.0])
    >>> bool(abs(noisy - [0, 1000]).max() < 250), sums.tree.n_rounds
    (True, 1024)
    """

    def __init__(self, n_actions: int, *, noise: str, epsilon: float, rng: Generator) -> None:
        super().__init__(n_actions, MAX_ROUNDS, rng)
        self._noise = validation.choice("noise", noise, NOISES)
        self._epsilon = validation.real("epsilon", epsilon, low=1e-7, high=1e9)
        self._past, self._left = np.zeros(self.n_actions), FIRST
        self.tree, self.total = self.stage(FIRST)

    def stage(self, n_rounds: int) -> tuple[TreeSums, VectorNoise]:
        """Return a tree on that many rounds, which has drawn nothing, and the noise of their total."""
        words: dict[str, Any] = {"n_actions": self.n_actions, "noise": self._noise}
        depth = signed_tree(n_rounds).depth
        level = self._epsilon / (depth + 1)
        tree = TreeSums(**words, n_rounds=n_rounds, epsilon=depth * level, rng=self._rng)
        return tree, private_noise(self._noise, n_actions=self.n_actions, epsilon=level)

    def draw_noise(self, n: int) -> FloatArray:
        """Draw the noise of the next n releases, shape (n, K), as `add` would, without vectors."""
        return self._released(self._drawn(n))

    def _next_noise(self) -> FloatArray:
        return self._released(1)[0]

    def _released(self, n: int) -> FloatArray:
        """Go from tree to tree."""
        path, done = np.empty((n, self.n_actions)), 0
        while done < n:
            many = min(n - done, self._left)
            path[done : done + many] = self.tree.draw_noise(many) + self._past
            done, self._left = done + many, self._left - many
            if not self._left:
                self._past = self._past + self.total.draw(self._rng)
                self._left = 2 * self.tree.n_rounds
                self.tree, self.total = self.stage(self._left)
        return path


@compiled(error_model="numpy")
def add_noise(rows: FloatArray, source: int, target: int, kind: int, scale: float, rng: Generator) -> None:
    """Write row `source` plus a draw of `VectorNoise`, by the number of its kind, into another row."""
    n = rows.shape[1]
    if kind == 0:
        for i in range(n):
            # sizes first, signs second, as `VectorNoise.draw` does: the same draws, the same noise
            rows[target, i] = scale * rng.standard_exponential()
        for i in range(n):
            rows[target, i] = rows[source, i] + math.copysign(rows[target, i], rng.random() - 0.5)
    else:
        radius = scale * rng.standard_gamma(n + 1.0)
        for i in range(n):
            rows[target, i] = rows[source, i] + radius * (2 * rng.random() - 1)


@compiled(error_model="numpy")
def _tree_noise(
    points: IntArray,
    top: int,
    noises: FloatArray,
    pads: FloatArray,
    kind: int,
    scale: float,
    path: FloatArray,
    rng: Generator,
) -> int:
    """Write the noise of the next releases; return the place of the last point that is left."""
    n_rounds, n = path.shape
    for t in range(n_rounds):
        opened = unfold(points, top)
        while opened > top:
            for i in range(n):
                noises[top + 1, i] = noises[top, i]
            add_noise(noises, top + 1, top, kind, scale, rng)
            for new in range(top + 2, opened + 1):
                add_noise(noises, new - 1, new, kind, scale, rng)
            top = opened
            opened = unfold(points, top)
        pad = len(pads) - points[top, 2]
        for i in range(n):
            path[t, i] = noises[top, i] + pads[pad, i]
        top -= 1
    return top


class FactorizedSums(_Sums):
    """Prefix sums with Gaussian noise through the square root of the summing matrix (Fichtenberger et al. 2023).

    With A the lower triangular matrix of ones and B its square root (`square_root`), released is A x + B z =
    B (B x + z), where z has N rows of independent Gaussian noise. Proof: replacing one round moves B x by a column
    of B times d, of Euclidean norm at most sqrt(K) times that of the first column, the longest. The statement
    holds for all releases together and when vectors depend on earlier releases (Denisov et al. 2022, Theorem 2.1).
    A release costs the same time and memory however many went before.

    Parameters
    ----------
    n_actions
        Length of the vectors, K, 1 to 2**20.
    n_rounds
        Number of releases N, 1 to 2**59.
    epsilon
        In [1e-9, 1e9].
    delta
        In [1e-200, 1 - 1e-9].
    rng
        Source of randomness.

    Examples
    --------
    >>> sums = FactorizedSums(1, n_rounds=10**6, epsilon=1.0, delta=1e-6, rng=np.random.default_rng(1))
    >>> round(sums.scale / gaussian_scale(epsilon=1.0, delta=1e-6), 3)
    2.337
    """

    def __init__(self, n_actions: int, *, n_rounds: int, epsilon: float, delta: float, rng: Generator) -> None:
        super().__init__(n_actions, n_rounds, rng)
        self._norm = squared_column(self.n_rounds)
        self.scale = gaussian_scale(
            epsilon=epsilon, delta=delta, sensitivity=math.sqrt(self.n_actions * self._norm)
        )
        self.largest_rate = math.inf
        self._root = SquareRoot(self.n_rounds, self.n_actions)

    def log_mgf(self, rate: Any) -> FloatArray:
        """Return log E exp(rate * noise) of a coordinate of the last release, the noisiest; any shape."""
        return np.asarray(np.square(checked_rates(rate) * self.scale) * self._norm / 2)

    def draw_noise(self, n: int) -> FloatArray:
        """Draw the noise of the next n releases, shape (n, K), as `add` would, without vectors."""
        return self._weighed(self._drawn(n))

    def _next_noise(self) -> FloatArray:
        return self._weighed(1)[0]

    def _weighed(self, n: int) -> FloatArray:
        """Draw n new rows of noise, and weigh them and all before."""
        return self._root.weigh(self.scale * self._rng.standard_normal((n, self.n_actions)))
