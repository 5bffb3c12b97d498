"""Noise for one release of a vector whose coordinates all lie in an interval of length 1.

A neighbour replaces one person's vector, so that the sum moves by d, |d_j| <= 1 for every j, each coordinate in
its own direction: by 1 in the largest coordinate, by K in the sum of all, by sqrt(K) in Euclid's norm.

These samplers are for research. They are not hardened against floating-point attacks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import SupportsFloat

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy import special

from replicate import validation
from replicate.validation import FloatArray, Generator

__all__ = ["NOISES", "VectorNoise", "gaussian_delta", "gaussian_scale", "private_noise"]

NOISES = ("laplace", "cube")
"""The noises; both give pure privacy."""

_MOST_ACTIONS = 2**20
_MOST_RELEASES = 2**20
_LEVELS = (1e-9, 1e9)
"""Privacy levels for which scales are computed."""


def gaussian_delta(scale: float, *, epsilon: float) -> float:
    """Return the smallest delta at which N(0, scale**2) on a number that moves by 1 is (epsilon, delta)-private.

    It is Phi(1 / (2 s) - epsilon s) - e**epsilon Phi(-1 / (2 s) - epsilon s), s = scale: Balle and Wang (2018),
    Theorem 8. In several coordinates, s is the scale over Euclid's norm of the move.

    Parameters
    ----------
    scale
        In [1e-9, 1e12].
    epsilon
        In [1e-9, 1e9].

    Examples
    --------
    >>> round(gaussian_delta(1.0, epsilon=1.0), 6)
    0.126937
    """
    s = validation.real("scale", scale, low=1e-9, high=1e12)
    level = checked_level(epsilon)
    near, far = level * s - 0.5 / s, level * s + 0.5 / s
    if near > -5:  # far**2 / 2 - near**2 / 2 = epsilon: the exponentials cancel
        return float(np.exp(-(near**2) / 2)) * _fall(near / math.sqrt(2), 1 / s / math.sqrt(2)) / 2
    return float(special.ndtr(-near) - np.exp(level + special.log_ndtr(-far)))


def _fall(start: float, width: float) -> float:
    """Return erfcx(start) - erfcx(start + width), narrow widths by the slope in the middle: no digits cancel."""
    if width > 1e-5:
        tails = special.erfcx([start, start + width])
        return float(tails[0] - tails[1])
    middle = start + width / 2
    return max(width * float(2 / math.sqrt(math.pi) - 2 * middle * special.erfcx(middle)), 0.0)


def gaussian_scale(*, epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """Return the smallest standard deviation that is (epsilon, delta)-private (Balle and Wang 2018, Algorithm 1).

    From above: the root of `gaussian_delta` = (1 - 1e-6) delta, times the sensitivity.

    Parameters
    ----------
    epsilon
        In [1e-9, 1e9].
    delta
        In [1e-200, 1 - 1e-9].
    sensitivity
        Euclid's norm of the largest move, positive.

    Examples
    --------
    >>> round(gaussian_scale(epsilon=1.0, delta=1e-6), 4)
    4.2247
    """
    level = checked_level(epsilon)
    allowed = validation.real("delta", delta, low=1e-200, high=1 - 1e-9)
    return validation.positive("sensitivity", sensitivity, high=1e100) * _unit_gaussian(level, allowed)


@cache
def _unit_gaussian(epsilon: float, delta: float) -> float:
    """Root of `gaussian_delta` = delta, from above."""

    def excess(log_scale: float) -> float:
        return gaussian_delta(math.exp(log_scale), epsilon=epsilon) - (1 - 1e-6) * delta

    low, high = math.log(1e-8), math.log(1e11)
    return math.exp(float(scipy.optimize.brentq(excess, low, high, xtol=1e-12)) if excess(low) > 0 else low)


def checked_level(epsilon: SupportsFloat) -> float:
    """Return a privacy level as a float, in the range for which scales are computed."""
    return validation.real("epsilon", epsilon, low=_LEVELS[0], high=_LEVELS[1])


def checked_rates(rate: ArrayLike) -> FloatArray:
    """Return the arguments of a moment generating function as floats, in [-1e100, 1e100]."""
    rates = validation.numbers("rate", rate, ndim=None)
    if np.abs(rates).max() > 1e100:
        raise ValueError(f"rate must lie in [-1e100, 1e100], got {rates!r:.200}")
    return rates


@dataclass(frozen=True, kw_only=True)
class VectorNoise:
    """A distribution of noise in K dimensions, symmetric, with every coordinate alike.

    ``"laplace"``: independent coordinates, density proportional to exp(-sum_j |z_j| / scale).
    ``"cube"``: density proportional to exp(-max_j |z_j| / scale), the K-norm mechanism of the cube (Hardt and
    Talwar 2010). A draw is a Gamma(K + 1) radius times a uniform point of [-scale, scale]**K: the density is a
    mixture of uniform ones on the cubes of radius r, whose weights are proportional to (2 r)**K exp(-r / scale).

    Attributes
    ----------
    name
        One of `NOISES`.
    n_actions
        K, 1 to 2**20.
    scale
        Positive.
    """

    name: str
    n_actions: int
    scale: float

    def __post_init__(self) -> None:
        validation.choice("name", self.name, NOISES)
        vars(self)["n_actions"] = validation.count("n_actions", self.n_actions, high=_MOST_ACTIONS)
        vars(self)["scale"] = validation.positive("scale", self.scale, high=1e40)

    @property
    def kind(self) -> int:
        """Number of the noise in compiled code: its place in `NOISES`."""
        return NOISES.index(self.name)

    @property
    def variance(self) -> float:
        """Of one coordinate: 2 b**2, or b**2 (K + 1) (K + 2) / 3 for the cube, where b is the scale."""
        k = self.n_actions
        return self.scale**2 * (2.0 if self.name == "laplace" else (k + 1) * (k + 2) / 3)

    @property
    def largest_rate(self) -> float:
        """Rate below which `log_mgf` is finite."""
        return 1 / self.scale

    def draw(self, rng: Generator) -> FloatArray:
        """Draw a vector, shape (K,)."""
        source = validation.generator(rng)
        if self.name == "laplace":
            sizes = self.scale * source.standard_exponential(self.n_actions)
            return np.copysign(sizes, source.random(self.n_actions) - 0.5)
        radius = self.scale * source.standard_gamma(self.n_actions + 1.0)
        return radius * (2 * source.random(self.n_actions) - 1)

    def log_mgf(self, rate: ArrayLike) -> FloatArray:
        """Return log E exp(rate * z_j) of a coordinate, infinite from `largest_rate` on: any shape.

        With a = rate * scale: -log(1 - a**2) for Laplace noise. For the cube, the
        logarithm of the mean of (1 - a u)**-(K + 1) over u in [-1, 1], which is ((1 - a)**-K - (1 + a)**-K) /
        (2 a K), or with y = K artanh(a): (1 - a**2)**(-K / 2) (sinh(y) / y) (artanh(a) / a).
        """
        a = np.abs(checked_rates(rate)) * self.scale
        inside = np.where(a < 1, a, 0.5)
        if self.name == "laplace":
            return np.where(a < 1, -np.log1p(-(inside**2)), np.inf)
        k, slope = self.n_actions, np.arctanh(inside)
        far = np.maximum(inside, 1e-4)
        ratio = np.where(inside < 1e-4, inside**2 / 3, np.log(np.arctanh(far) / far))
        log_mean = -k / 2 * np.log1p(-(inside**2)) + _log_sinhc(k * slope) + ratio
        return np.where(a < 1, log_mean, np.inf)


def _log_sinhc(y: FloatArray) -> FloatArray:
    """Return log(sinh(y) / y) for y >= 0."""
    large = np.maximum(y, 1e-2)
    far = large + np.log1p(-np.exp(-2 * large)) - np.log(2 * large)
    near = np.minimum(y, 1e-2) ** 2
    return np.where(y < 1e-2, near / 6 - near**2 / 180 + near**3 / 2835, far)


def private_noise(name: str, *, n_actions: int, epsilon: float, releases: int = 1) -> VectorNoise:
    """Return the noise that keeps vectors private when each is part of `releases` sums, with fresh noise on each.

    The scale is K m / epsilon for Laplace noise and m / epsilon for the cube, m = releases.

    Proof. Replacing one vector moves m of the sums by one d, |d_j| <= 1. *Laplace*: the log density of a sum moves
    by at most sum_j |d_j| / scale <= K / scale. *Cube*: by max_j |d_j| / scale <= 1 / scale, by the triangle
    inequality. The m sums have independent noise, so their log density moves by at most m times that, epsilon.
    Later vectors may depend on what was released before: the noise of later sums is fresh, so that the log density
    ratio is still a sum with one term for each of the m sums, each as above.

    Parameters
    ----------
    name
        One of `NOISES`.
    n_actions
        K, 1 to 2**20.
    epsilon
        In [1e-9, 1e9].
    releases
        m, 1 to 2**20.

    Examples
    --------
    >>> [private_noise(name, n_actions=8, epsilon=0.5, releases=3).scale for name in ("laplace", "cube")]
    [48.0, 6.0]
    """
    validation.choice("name", name, NOISES)
    k = validation.count("n_actions", n_actions, high=_MOST_ACTIONS)
    m, level = validation.count("releases", releases, high=_MOST_RELEASES), checked_level(epsilon)
    return VectorNoise(name=name, n_actions=k, scale=(k if name == "laplace" else 1) * m / level)
