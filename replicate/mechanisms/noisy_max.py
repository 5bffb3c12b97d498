"""Private selection and noise: samplers and exact output distributions.

These samplers are for research. They are not hardened against floating-point attacks.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replicate import validation
from replicate.mechanisms import max_laws
from replicate.validation import FloatArray, Generator, IntArray

NOISES = ("gumbel", "exponential", "laplace")
"""The noises of report-noisy-max."""

_ROWS = 2**15  # numbers that one pass of the softmax works on
_FAR = 2**62
"""From this difference on integers may overflow, and are subtracted as floats."""
_FARTHEST = 1e300
"""Scales below the best from which on nothing is selected: differences stay finite."""
_FEW = 64  # weights of one distribution from which Python draws faster than NumPy


def softmax_pmf(scores: ArrayLike, *, scale: float) -> FloatArray:
    """Distribution of the exponential mechanism: P[j] proportional to exp(scores[j] / scale).

    The same distribution as arg max_j scores[j] + Gumbel(scale), noise drawn independently for each j.

    Parameters
    ----------
    scores
        Shape (..., K). Integer scores are compared as integers, so that 2**58 and 2**58 + 1 differ.
        A score of minus infinity is never selected.
    scale
        Positive. With scores that move by at most 1, each in its own direction, the selection is
        (2 / scale)-differentially private.

    Returns
    -------
    Probabilities, shape (..., K).
    """
    law = softmax(*_checked(scores, scale))
    if np.isnan(law[..., 0]).any():
        raise ValueError("scores must be finite, got NaN or infinite values")
    return law


def softmax(scores: NDArray[Any], scale: float) -> FloatArray:
    """Compute `softmax_pmf` of scores that are known to be good, float64 or int64."""
    rows = scores.reshape(-1, scores.shape[-1])
    law = np.empty(rows.shape)
    step = max(1, _ROWS // rows.shape[-1])
    for first in range(0, len(rows), step):  # a few rows at a time stay in the processor's cache
        weights = law[first : first + step]
        np.exp(_less_best(rows[first : first + step], scale), out=weights)
        weights /= weights.sum(axis=-1, keepdims=True)
    return law.reshape(scores.shape)


def _checked(scores: ArrayLike, scale: float) -> tuple[NDArray[Any], float]:
    """Return scores as an array of int64 or float64, and the scale."""
    try:
        values = np.asarray(scores)
    except ValueError:
        raise ValueError(f"scores must be an array of one shape, got {scores!r:.200}") from None
    if values.ndim < 1 or values.shape[-1] < 2 or not values.size:
        raise ValueError(f"scores must have shape (..., K) with K >= 2, none empty, got {values.shape}")
    if values.dtype.kind not in "iuf":
        raise ValueError(f"scores must be real numbers, got an array of {values.dtype}")
    if values.dtype == np.uint64:  # only differences count: less 2**63, which is exact
        values = (values ^ np.uint64(2**63)).view(np.int64)
    kind = np.float64 if values.dtype.kind == "f" else np.int64
    return values.astype(kind, copy=False), validation.positive("scale", scale)


def _less_best(rows: NDArray[Any], scale: float) -> FloatArray:
    """Rows of scores less the best of each, in units of `scale`; integers are subtracted as such, exactly."""
    best = rows.max(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", over="ignore"):
        below = np.asarray(rows - best, dtype=np.float64)
        if rows.dtype.kind == "i" and int(best.max()) - int(rows.min()) >= _FAR:
            far = rows.astype(np.float64) - best
            below = np.where(far <= -_FAR, far, below)
        elif np.isneginf(below).any():
            return np.asarray(np.where(np.isneginf(below), rows / scale - best / scale, below / scale))
        below /= scale
    return below


def _below_best(scores: ArrayLike, scale: float) -> FloatArray:
    """Scores less the best of their row, in units of `scale`: shape (..., K), at most 0."""
    values, scale = _checked(scores, scale)
    if not np.isfinite(values).all():
        raise ValueError("scores must be finite, got NaN or infinite values")
    return np.maximum(_less_best(values, scale), -_FARTHEST)


def report_noisy_max(scores: ArrayLike, *, noise: str, scale: float, rng: Generator) -> IntArray:
    """Draw arg max_j scores[j] + Q[j], the Q[j] independent draws of `noise`: shape (..., K) -> (...).

    The parameters are those of `report_noisy_max_pmf`, which is its distribution.
    """
    validation.choice("noise", noise, NOISES)
    validation.generator(rng)
    noisy = _below_best(scores, scale)
    noisy += getattr(rng, noise)(size=noisy.shape)  # one draw an entry, in their order
    return np.asarray(noisy.argmax(axis=-1))


def report_noisy_max_pmf(
    scores: ArrayLike, *, noise: str, scale: float, multiplicity: ArrayLike | None = None
) -> FloatArray:
    """Distribution of report-noisy-max: P[j] = P(j is the arg max of scores[i] + Q[i]), the Q[i] independent.

    - ``"gumbel"`` is the exponential mechanism, `softmax_pmf`.
    - ``"exponential"`` is permute-and-flip: with p[i] = exp((scores[i] - max) / scale),
      P[j] = p[j] * integral over u in [0, 1] of the product over i != j of 1 - u p[i].
    - ``"laplace"``: a closed form below the lowest score, the permute-and-flip integral with p / 2 above
      the highest, and Gauss-Legendre nodes between neighbouring scores, where the integrand has its kinks; see
      `max_laws`.

    Every term is positive: probabilities are accurate to about 1e-12 of their own size (1e-10 for K in the
    thousands), however small. Scores more than 600 scales below the best are treated as lying there.

    Parameters
    ----------
    scores
        Shape (..., K). Integer scores are compared as integers, so that 2**58 and 2**58 + 1 differ.
    noise
        ``"gumbel"``, ``"exponential"`` or ``"laplace"``, with density exp(-x - exp(-x)), exp(-x) on x >= 0,
        or exp(-abs(x)) / 2, all stretched by `scale`.
    scale
        Positive. With scores that move by at most 1, each in its own direction, the selection is
        (2 / scale)-differentially private, whatever the noise.
    multiplicity
        Positive integers, shape (K,): entry k of `scores` stands for that many actions of one score, and
        P[k] is the probability of each of them. None for one each.

    Returns
    -------
    Probabilities, shape (..., K).
    """
    validation.choice("noise", noise, NOISES)
    below = _below_best(scores, scale)
    counts = _multiplicity(multiplicity, below.shape[-1])
    if noise == "gumbel":
        weights = np.exp(below)
        return np.asarray(weights / (weights @ counts)[..., None])
    # exp of what lies farther below would be 0
    rows = np.maximum(below, -max_laws.FARTHEST).reshape(-1, below.shape[-1])
    if noise == "exponential":
        return _by_rank(max_laws.fill_exponential, np.exp(rows), counts).reshape(below.shape)
    return _by_rank(max_laws.fill_laplace, rows, counts).reshape(below.shape)


def _multiplicity(multiplicity: ArrayLike | None, n_scores: int) -> FloatArray:
    """Check `multiplicity`, shape (K,)."""
    if multiplicity is None:
        return np.ones(n_scores)
    counts = validation.numbers("multiplicity", multiplicity, ndim=1)
    if counts.shape != (n_scores,) or (counts < 1).any() or (counts % 1).any():
        raise ValueError(f"multiplicity must be {n_scores} positive integers, got {multiplicity!r:.200}")
    return counts


def _by_rank(fill: Callable[..., None], rows: FloatArray, counts: FloatArray) -> FloatArray:
    """Let a compiled law fill rows in falling order, shape (rows, K), and put its entries back in their places."""
    order = np.argsort(-rows, axis=-1)
    law, ranked = np.empty(rows.shape), np.empty(rows.shape)
    fill(np.take_along_axis(rows, order, axis=-1), counts[order], max_laws.rules(int(counts.sum())), ranked)
    np.put_along_axis(law, order, ranked, axis=-1)
    return law


def sample_pmf(pmf: ArrayLike, *, rng: Generator) -> IntArray:
    """Draw one index from each row of probabilities: shape (..., K) -> (...).

    Raises
    ------
    ValueError
        If an entry is negative or not finite, or a row has no mass; rows need not sum to one.
    """
    if type(pmf) is np.ndarray and pmf.ndim == 1 and pmf.dtype == np.float64 and 0 < len(pmf) <= _FEW:
        sums = list(accumulate(weights := pmf.tolist()))
        if min(weights) >= 0 and 0 < sums[-1] < math.inf:  # false for what is no number: refused below
            uniform = validation.generator(rng).random() * sums[-1]
            return np.asarray(bisect_right(sums, uniform, hi=len(sums) - 1))
    weights = validation.numbers("pmf", pmf, ndim=None)
    if not weights.ndim:
        raise ValueError(f"pmf must have at least one axis, got {pmf!r}")
    cumulative = np.cumsum(weights, axis=-1)
    if weights.min() < 0 or cumulative[..., -1].min() <= 0:
        raise ValueError("pmf must hold probabilities, got a negative entry or a row without mass")
    uniform = validation.generator(rng).random(cumulative.shape[:-1]) * cumulative[..., -1]
    return np.asarray((uniform[..., None] >= cumulative[..., :-1]).sum(axis=-1))
