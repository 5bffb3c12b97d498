"""Private selection and noise: samplers and exact output laws.

These samplers are for research. They are not hardened against floating-point attacks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replicate import boundary

__all__ = ["sample_pmf", "softmax_pmf"]

FloatArray = NDArray[np.float64]


def softmax_pmf(scores: ArrayLike, *, scale: float) -> FloatArray:
    """Law of the exponential mechanism: P[j] proportional to exp(scores[j] / scale).

    The same law as arg max_j scores[j] + Gumbel(scale), noise drawn independently for each j.

    Parameters
    ----------
    scores
        Shape (..., K). Integer scores are compared as integers, so that 2**58 and 2**58 + 1 differ.
    scale
        Positive. With scores that move by at most 1, each in its own direction, the selection is
        (2 / scale)-differentially private.

    Returns
    -------
    Probabilities, shape (..., K).
    """
    values = np.asarray(scores)
    if values.ndim < 1 or values.shape[-1] < 2:
        raise ValueError(f"scores must have shape (..., K) with K >= 2, got {values.shape}")
    scale = boundary.positive("scale", scale)
    below = (values - values.max(axis=-1, keepdims=True)).astype(np.float64)
    if np.isnan(below).any():
        raise ValueError("scores must be finite, got NaN or infinite values")
    below /= scale
    weights = np.exp(below, out=below)
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights


def sample_pmf(pmf: ArrayLike, *, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw one index from each row of probabilities: shape (..., K) -> (...)."""
    cumulative = np.cumsum(pmf, axis=-1)
    uniform = rng.random(cumulative.shape[:-1]) * cumulative[..., -1]
    return np.asarray((uniform[..., None] >= cumulative[..., :-1]).sum(axis=-1))
