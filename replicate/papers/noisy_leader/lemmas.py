"""Exact quantities inside the proofs: the functions of Lemmas 2 and 3, binomial laws, and laws of a selection."""

from __future__ import annotations

from functools import reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import integrate, stats

from replicate import validation
from replicate.mechanisms import report_noisy_max_pmf
from replicate.validation import FloatArray

_MOST_VECTORS = 4_000_000
_CHUNK = 200_000


def smooth_sum(x: ArrayLike, a: FloatArray) -> NDArray[np.inexact]:
    """Return f(x) = sum_i 2**x a_i exp(-2**x a_i) / sum_i exp(-2**x a_i): x (...) -> (...), a (K,), min(a) = 0.

    Complex x gives the analytic continuation, so that Im f(x + ih) / h is the derivative to rounding.
    """
    scaled = np.exp2(np.asarray(x))[..., None] * a
    weights = np.exp(-scaled)
    return np.asarray((scaled * weights).sum(axis=-1) / weights.sum(axis=-1))


def lemma_sum(a: FloatArray) -> float:
    """Return the sum of f(r) over r >= 1, to where the terms vanish."""
    return float(smooth_sum(np.arange(1, max(2, _last(a))), a).sum())


def lemma_integral(a: FloatArray) -> float:
    """Return the integral of f over [0, inf) by adaptive quadrature, in unit pieces."""
    pieces = [integrate.quad(lambda x: float(smooth_sum(x, a)), r, r + 1)[0] for r in range(max(1, _last(a)))]
    return float(np.sum(pieces))


def _last(a: FloatArray) -> int:
    """First integer x where 2**x a_i > 700 for every positive entry: f has vanished."""
    return int(np.ceil(np.log2(700 / a[a > 0].min())))


def expected_gaps(means: FloatArray, *, most_rounds: int, noise: str, scales: FloatArray) -> FloatArray:
    """Return F_n = E[gap of the action selected from n rounds] for n = 1, ..., most_rounds, Bernoulli losses."""
    delta = means - means.min()
    laws = [
        selection_law(means, rounds=n, noise=noise, scale=float(scales[n - 1])) for n in range(1, most_rounds + 1)
    ]
    return np.asarray(np.stack(laws) @ delta)


def selection_law(means: ArrayLike, *, rounds: int, noise: str, scale: float) -> FloatArray:
    """Return P(J = j), shape (K,), when J is selected from `rounds` rounds of independent Bernoulli losses.

    Two actions need only the law of the difference of their sums, 2 n + 1 values; K actions need (n + 1)**K,
    of which at most 4 million are allowed.
    """
    mu = validation.unit_array("means", means, ndim=1)
    n = validation.count("rounds", rounds)
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
    n = validation.count("rounds", rounds)
    p = validation.unit_array("means", means, ndim=1)
    return np.asarray(np.cumsum(stats.binom.pmf(np.arange(n + 1), n, p[:, None]), axis=-1))
