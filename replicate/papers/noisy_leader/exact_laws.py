"""The law of J_r when losses are Bernoulli: enumeration over every vector of binomial sums."""

from __future__ import annotations

from functools import reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from replicate import boundary
from replicate.mechanisms import report_noisy_max_pmf

__all__ = ["binomial_cdf", "selection_law"]

FloatArray = NDArray[np.float64]
_MOST_VECTORS = 4_000_000
_CHUNK = 200_000


def selection_law(means: ArrayLike, *, rounds: int, noise: str, scale: float) -> FloatArray:
    """Return P(J = j), shape (K,), when J is selected from `rounds` rounds of independent Bernoulli losses.

    Two actions need only the law of the difference of their sums, 2 n + 1 values; K actions need (n + 1)**K,
    of which at most 4 million are allowed.
    """
    mu = boundary.unit_array("means", means, ndim=1)
    n = boundary.count("rounds", rounds)
    sums = np.arange(n + 1)
    weights = [stats.binom.pmf(sums, n, p) for p in mu]
    if len(mu) == 2:
        difference = np.convolve(weights[1], weights[0][::-1])
        lead = np.arange(-n, n + 1)
        law = report_noisy_max_pmf(np.stack([0 * lead, -lead], axis=-1), noise=noise, scale=scale)
        return np.asarray(difference @ law)
    if (n + 1) ** len(mu) > _MOST_VECTORS:
        raise ValueError(f"rounds must keep (rounds + 1)**K below {_MOST_VECTORS}, got {n} with K = {len(mu)}")
    weight = reduce(np.multiply.outer, weights).ravel()
    vectors = np.stack(np.meshgrid(*[sums] * len(mu), indexing="ij"), axis=-1).reshape(-1, len(mu))
    total = np.zeros(len(mu))
    for first in range(0, len(weight), _CHUNK):
        part = slice(first, first + _CHUNK)
        total += weight[part] @ report_noisy_max_pmf(-vectors[part], noise=noise, scale=scale)
    return total


def binomial_cdf(rounds: int, means: ArrayLike) -> FloatArray:
    """Return F(k; n, p) for k = 0, ..., n, by adding up probabilities: shape (P,) -> (P, n + 1)."""
    n = boundary.count("rounds", rounds)
    p = boundary.unit_array("means", means, ndim=1)
    return np.asarray(np.cumsum(stats.binom.pmf(np.arange(n + 1), n, p[:, None]), axis=-1))
