"""Noisy prefix sums of vectors, one after every round, from few noises: trees and a square-root factorisation.

A tree (Dwork, Naor, Pitassi and Rothblum 2010; Chan, Shi and Song 2011) adds noise to sums over nodes; a prefix is
the disjoint union of few nodes. Round i (from 0) stands at the leaf c(i), the prefix of t rounds ends before the
leaf c(t), for an increasing sequence of codes c(0) < c(1) < ... For every bit j that is set in c(t), the leaves
that agree with c(t) above j and have bit j clear form a node, and these nodes hold the leaves below c(t).

*Binary tree*: c(t) = t. *Balanced tree* (Andersson and Pagh 2023): c(t) is the t-th number with exactly b set
bits. Then every prefix carries b noises, so that all releases have noise of one law, and a round is in as many
nodes as its leaf has clear bits.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from replicate import validation
from replicate.compiled import compiled
from replicate.mechanisms.square_root import SquareRoot, squared_column
from replicate.mechanisms.vector_noise import NOISES, checked_rates, gaussian_scale, private_noise
from replicate.validation import FloatArray

__all__ = ["FactorizedSums", "PrefixSums", "Tree", "TreeSums", "balanced_tree", "binary_tree"]

MAX_ROUNDS = 2**59
_MOST_DRAWN = 2**27
"""Most numbers of a path of noise: 1 GB."""


class Tree(NamedTuple):
    """Shape of a tree.

    Attributes
    ----------
    balanced
        Whether all codes have as many set bits.
    first
        Code of the empty prefix.
    depth
        Most nodes that a round is in: what it can change.
    nodes
        Most noises that a prefix carries; in a balanced tree, the noises that each carries.
    """

    balanced: bool
    first: int
    depth: int
    nodes: int


def binary_tree(n_rounds: int) -> Tree:
    """Return the binary tree of N rounds: L = floor(log2 N) + 1 levels, and up to L noises in a prefix.

    Examples
    --------
    >>> binary_tree(10**6)
    Tree(balanced=False, first=0, depth=20, nodes=20)
    """
    levels = _rounds(n_rounds).bit_length()
    return Tree(balanced=False, first=0, depth=levels, nodes=levels)


def balanced_tree(n_rounds: int, *, pure: bool) -> Tree:
    """Return the balanced tree of N rounds with the smallest variance.

    Codes with a clear and b set bits are (a + b choose a), and N + 1 are needed. The variance of a release is
    proportional to a**2 b for pure noise, whose scale is proportional to a, and to a b for Gaussian noise.
    Andersson and Pagh take a = b, which the second favours; the first favours more set bits.

    Parameters
    ----------
    n_rounds
        N, 1 to 2**59.
    pure
        Whether the noise is Laplace or that of the cube.

    Examples
    --------
    >>> balanced_tree(10**6, pure=True)
    Tree(balanced=True, first=134217727, depth=6, nodes=27)
    """
    return _balanced(_rounds(n_rounds), 2 if validation.flag("pure", pure) else 1)


@cache
def _balanced(n_rounds: int, power: int) -> Tree:
    shapes = ((a, _set_bits(a, n_rounds)) for a in range(1, n_rounds.bit_length() + 2))
    a, b = min((shape for shape in shapes if shape[1]), key=lambda shape: (shape[0] ** power * shape[1], shape))
    return Tree(balanced=True, first=2**b - 1, depth=a, nodes=b)


def _set_bits(clear: int, n_rounds: int) -> int:
    """Fewest set bits with `clear` clear ones that give N + 1 codes; 0 when more than 62 bits are needed."""
    most = 62 if n_rounds < 2**56 else 70
    return next((b for b in range(1, most - clear + 1) if math.comb(clear + b, b) > n_rounds), 0)


def _rounds(n_rounds: Any) -> int:
    return validation.count("n_rounds", n_rounds, high=MAX_ROUNDS)


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

    def __init__(self, n_actions: int, n_rounds: int, rng: np.random.Generator) -> None:
        self.n_actions = validation.count("n_actions", n_actions, high=2**20)
        self.n_rounds = _rounds(n_rounds)
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
    """Prefix sums with a tree of noises: `add` a vector, get the noisy sum of all so far.

    The statement holds for all N releases together, and also when vectors depend on earlier releases. Proof: a
    round is part of the sums of at most `tree.depth` nodes, each with noise of its own that is drawn once, and
    every release is a sum of noisy sums of nodes: see `private_noise`. The code keeps the exact prefix and the
    noises alone, for the exact sums over the nodes of a prefix add up to the prefix.

    Parameters
    ----------
    n_actions
        Length of the vectors, K, 1 to 2**20.
    n_rounds
        Number of releases N, 1 to 2**59.
    noise
        ``"laplace"``, ``"cube"`` or ``"gaussian"``.
    epsilon
        In [1e-9, 1e9].
    delta
        In [1e-200, 1 - 1e-9] for Gaussian noise; the others do not read it.
    balanced
        Whether the tree is balanced, else binary.
    rng
        Source of randomness.

    Examples
    --------
    >>> sums = TreeSums(2, n_rounds=10**6, noise="cube", epsilon=1.0, rng=np.random.default_rng(1))
    >>> sums.noise.scale, sums.tree.nodes
    (6.0, 27)
    >>> for _ in range(1000):
    ...     noisy = sums.add([0.0, 1.0])
    >>> bool(abs(noisy - [0, 1000]).max() < 250)
    True
    """

    def __init__(
        self,
        n_actions: int,
        *,
        n_rounds: int,
        noise: str,
        epsilon: float,
        delta: float = 0.0,
        balanced: bool = True,
        rng: np.random.Generator,
    ) -> None:
        super().__init__(n_actions, n_rounds, rng)
        validation.choice("noise", noise, NOISES)
        even = validation.flag("balanced", balanced)
        self.tree = balanced_tree(self.n_rounds, pure=noise != "gaussian") if even else binary_tree(self.n_rounds)
        self.noise = private_noise(
            noise, n_actions=self.n_actions, epsilon=epsilon, delta=delta, releases=self.tree.depth
        )
        self.largest_rate = self.noise.largest_rate
        self._code, self._stack = self.tree.first, np.zeros((self.tree.nodes + 1, self.n_actions))

    def log_mgf(self, rate: Any) -> FloatArray:
        """Return the largest log E exp(rate * noise) of a coordinate of a release, any shape."""
        return self.tree.nodes * self.noise.log_mgf(rate)

    def draw_noise(self, n: int) -> FloatArray:
        """Draw the noise of the next n releases, shape (n, K), as `add` would, without vectors."""
        path = np.empty((self._drawn(n), self.n_actions))
        self._code = int(
            _tree_noise(
                self._code, self.tree.balanced, self.noise.kind, self.noise.scale, self._stack, path, self._rng
            )
        )
        return path

    def _next_noise(self) -> FloatArray:
        """Draw the noises of the nodes that the prefix did not carry before; row d adds up the first d of them."""
        following = _next_balanced(self._code) if self.tree.balanced else self._code + 1
        changed = (self._code ^ following).bit_length()
        above = (following >> changed).bit_count()
        for _ in range((following % 2**changed).bit_count()):
            self._stack[above + 1] = self._stack[above] + self.noise.draw(self._rng)
            above += 1
        self._code = following
        return self._stack[above].copy()


def _next_balanced(code: int) -> int:
    """Return the next larger number with as many set bits (Gosper)."""
    lowest = code & -code
    carried = code + lowest
    return carried | (((code ^ carried) // lowest) >> 2)


@compiled(error_model="numpy")
def _next_code(code: int, balanced: bool) -> int:
    """Return the next code of a tree."""
    if not balanced:
        return code + 1
    lowest = code & -code
    carried = code + lowest
    return carried | (((code ^ carried) // lowest) >> 2)


@compiled(error_model="numpy")
def add_noise(rows: FloatArray, above: int, kind: int, scale: float, rng: np.random.Generator) -> None:
    """Write row `above` plus a draw of `VectorNoise` into the next one, by the number of its kind."""
    n, below = rows.shape[1], above + 1
    if kind == 0:
        for i in range(n):
            rows[below, i] = scale * rng.standard_exponential()
        for i in range(n):
            rows[below, i] = rows[above, i] + math.copysign(rows[below, i], rng.random() - 0.5)
    elif kind == 1:
        radius = scale * rng.standard_gamma(n + 1.0)
        for i in range(n):
            rows[below, i] = rows[above, i] + radius * (2 * rng.random() - 1)
    else:
        for i in range(n):
            rows[below, i] = rows[above, i] + scale * rng.standard_normal()


@compiled(error_model="numpy")
def _tree_noise(
    code: int,
    balanced: bool,
    kind: int,
    scale: float,
    stack: FloatArray,
    path: FloatArray,
    rng: np.random.Generator,
) -> int:
    """Write the noise of the releases after the code of the last one; return the code of the new last one."""
    n_rounds, n = path.shape
    for t in range(n_rounds):
        following = _next_code(code, balanced)
        changed, differ, above = 0, code ^ following, 0
        while differ >> changed:
            changed += 1
        rest = following >> changed
        while rest:
            above += rest & 1
            rest >>= 1
        for level in range(changed - 1, -1, -1):
            if following >> level & 1:
                add_noise(stack, above, kind, scale, rng)
                above += 1
        for i in range(n):
            path[t, i] = stack[above, i]
        code = following
    return code


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

    def __init__(
        self, n_actions: int, *, n_rounds: int, epsilon: float, delta: float, rng: np.random.Generator
    ) -> None:
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
