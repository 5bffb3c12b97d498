"""The functions of Lemmas 2 and 3, and how the expected gap of the selected action moves with the data."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import integrate

from replicate.papers.noisy_leader.exact_laws import selection_law

__all__ = ["expected_gaps", "lemma_integral", "lemma_sum", "smooth_sum"]

FloatArray = NDArray[np.float64]


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
