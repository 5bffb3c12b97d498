"""Private selection and noise: samplers and exact output laws.

These samplers are for research. They are not hardened against floating-point attacks.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from replicate import validation
from replicate.validation import FloatArray

NOISES = ("gumbel", "exponential", "laplace")
"""The noises of report-noisy-max."""

_NEGLIGIBLE = 45.0  # exp(-45) = 3e-20: what is dropped, relative to what is kept
_FARTHEST = 600.0  # scores are cut at this many scales below the best, where exp(-600) = 3e-261
_BLOCK = 2**20  # most numbers held by one temporary array
_ROWS = 2**15  # numbers that one pass of the softmax works on


def softmax_pmf(scores: ArrayLike, *, scale: float) -> FloatArray:
    """Law of the exponential mechanism: P[j] proportional to exp(scores[j] / scale).

    The same law as arg max_j scores[j] + Gumbel(scale), noise drawn independently for each j.

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
    values, scale = _checked(scores, scale)
    rows = values.reshape(-1, values.shape[-1])
    law = np.empty(rows.shape)
    step = max(1, _ROWS // rows.shape[-1])
    for first in range(0, len(rows), step):  # a few rows at a time stay in the processor's cache
        part, weights = rows[first : first + step], law[first : first + step]
        with np.errstate(invalid="ignore"):
            weights[...] = part - part.max(axis=-1, keepdims=True)
        weights /= scale
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=-1, keepdims=True)
    if np.isnan(law[:, 0]).any():
        raise ValueError("scores must be finite, got NaN or infinite values")
    return law.reshape(values.shape)


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
    kind = np.float64 if values.dtype.kind == "f" else np.int64
    return values.astype(kind, copy=False), validation.positive("scale", scale)


def _below_best(scores: ArrayLike, scale: float) -> FloatArray:
    """Scores less the best of their row, in units of `scale`: shape (..., K), at most 0."""
    values, scale = _checked(scores, scale)
    with np.errstate(invalid="ignore"):
        below = (values - values.max(axis=-1, keepdims=True)).astype(np.float64)
    if not np.isfinite(below).all():
        raise ValueError("scores must be finite, got NaN or infinite values")
    below /= scale
    return below


def report_noisy_max(
    scores: ArrayLike, *, noise: str, scale: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw arg max_j scores[j] + Q[j], the Q[j] independent draws of `noise`: shape (..., K) -> (...).

    The parameters are those of `report_noisy_max_pmf`, which is its law.
    """
    validation.choice("noise", noise, NOISES)
    validation.generator(rng)
    noisy = _below_best(scores, scale)
    noisy += getattr(rng, noise)(size=noisy.shape)
    return np.asarray(noisy.argmax(axis=-1))


def report_noisy_max_pmf(
    scores: ArrayLike, *, noise: str, scale: float, multiplicity: ArrayLike | None = None
) -> FloatArray:
    """Law of report-noisy-max: P[j] = P(j is the arg max of scores[i] + Q[i]), the Q[i] independent.

    - ``"gumbel"`` is the exponential mechanism, `softmax_pmf`.
    - ``"exponential"`` is permute-and-flip: with p[i] = exp((scores[i] - max) / scale),
      P[j] = p[j] * integral over u in [0, 1] of the product over i != j of 1 - u p[i].
    - ``"laplace"``: a closed form below the lowest score, the permute-and-flip integral with p / 2 above
      the highest, and panels of Gauss-Legendre nodes between neighbouring scores, where the integrand has
      its kinks.

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
    rows = np.maximum(below, -_FARTHEST).reshape(-1, below.shape[-1])
    law = _leave_one_out(np.exp(rows), counts) if noise == "exponential" else _laplace_pmf(rows, counts)
    return law.reshape(below.shape)


def _multiplicity(multiplicity: ArrayLike | None, n_scores: int) -> FloatArray:
    """Check `multiplicity`, shape (K,)."""
    if multiplicity is None:
        return np.ones(n_scores)
    counts = validation.numbers("multiplicity", multiplicity, ndim=1)
    if counts.shape != (n_scores,) or (counts < 1).any() or (counts % 1).any():
        raise ValueError(f"multiplicity must be {n_scores} positive integers, got {multiplicity!r:.200}")
    return counts


@cache
def _gauss_legendre(n: int, panels: int = 1) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights on [0, 1]: `panels` equal panels of `n` nodes each."""
    nodes, weights = special.roots_legendre(n)
    starts = np.arange(panels)[:, None]
    return ((starts + (nodes + 1) / 2) / panels).ravel(), np.tile(weights / (2 * panels), panels)


def _nodes_needed(total: float, n_actions: int) -> int:
    """Gauss-Legendre nodes for `_leave_one_out`, where no sum of p exceeds `total`.

    n >= K / 2 nodes are exact, for the integrand is a polynomial of degree K - 1. Fewer are exact to
    rounding when K is large. Put u = (1 + x) / 2: 1 - u p = E[(-x)**B] with B ~ Bernoulli(p / 2), and
    x**N = E[T_|W|(x)] for a simple random walk W of N steps. So the integrand is a mixture of Chebyshev
    polynomials T_k, k = |W|, where W adds independent steps, +1 and -1 with probability p / 4 each:
    E[exp(t W)] <= exp(total (cosh t - 1) / 2). The rule is exact for k < 2 n and off by at most 2 beyond:
    the error is at most 4 exp(total (cosh t - 1) / 2 - 2 n t), here at sinh t = 4 n / total. The integral is
    at least 1 / (1 + total), since 1 - u p >= (1 - u)**p. We ask for a relative error below 1e-16.
    """
    exact = (n_actions + 1) // 2
    n = np.arange(8, exact + 8, 8)
    t = np.arcsinh(4 * n / total)
    log_error = np.log(4 * (1 + total)) + total * (np.cosh(t) - 1) / 2 - 2 * n * t
    good = n[log_error < np.log(1e-16)]
    return min(exact, int(good[0])) if len(good) else exact


def _leave_one_out(p: FloatArray, counts: FloatArray) -> FloatArray:
    """Return p[j] * integral over u in [0, 1] of prod_{i != j} (1 - u p[i]): shape (rows, K), p in [0, 1]."""
    nodes, weights = _gauss_legendre(_nodes_needed(float((p @ counts).max()), int(counts.sum())))
    block = max(1, _BLOCK // p.size)
    result = np.zeros_like(p)
    for first in range(0, len(nodes), block):
        u, w = nodes[first : first + block], weights[first : first + block]
        factors = 1 - u[:, None] * p[:, None, :]
        product = w * _product(factors, counts)
        result += np.einsum("rn,rnk->rk", product, np.divide(1, factors, out=factors))
    return result * p


def _product(factors: FloatArray, counts: FloatArray) -> FloatArray:
    """Product over the last axis of factors ** counts."""
    if (counts == 1).all():
        return np.asarray(factors.prod(axis=-1))
    return np.asarray(np.exp(np.log(factors) @ counts))


def _laplace_pmf(below: FloatArray, counts: FloatArray) -> FloatArray:
    """Law of the arg max of `below` plus standard Laplace noise, shape (rows, K), best score 0.

    With F the distribution function and f the density, P[j] is the integral of f(x - s[j]) prod_{i != j}
    F(x - s[i]). Where m scores lie above x, the product grows like exp(m x), and even divided by exp(x),
    which is how slowly the density of a low score falls, it never decreases in x: rows are dropped where
    that quotient falls below exp(-45).
    """
    p = np.exp(below)
    order = np.argsort(-below, axis=-1)
    ordered = np.take_along_axis(below, order, axis=-1)
    above = np.cumsum(counts[order], axis=-1)
    law = _leave_one_out(p / 2, counts)
    alive = np.arange(len(below))
    for k in range(below.shape[-1]):
        top = ordered[alive, k]
        product = _product(_win_factors(np.exp(-top)[:, None] * p[alive]), counts)
        keep = np.log(np.maximum(product, 1e-300)) - top > -_NEGLIGIBLE
        alive, top, product = alive[keep], top[keep], product[keep]
        if not len(alive):
            break
        if k == below.shape[-1] - 1:
            law[alive] += product[:, None] / above[alive, k, None]
            break
        length = top - ordered[alive, k + 1]
        kinked = length > 0
        if kinked.any():
            rows = alive[kinked]
            law[rows] += _between(p[rows], counts, top[kinked], length[kinked], above[rows, k])
    return law


def _between(p: FloatArray, counts: FloatArray, top: FloatArray, length: FloatArray, m: FloatArray) -> FloatArray:
    """Add up the Laplace integrals from `length` below the score `top` up to it; m scores are at least `top`."""
    result = np.zeros_like(p)
    spread = np.log1p(np.maximum(p @ counts - 1, 0) * np.exp(length))
    far = (m == 1) & (length > spread + _NEGLIGIBLE)
    if far.any():
        result[far] = _alone(p[far], counts, length[far])
    near = ~far
    if near.any():
        used = np.minimum(length, np.where(m == 1, length, _NEGLIGIBLE / np.maximum(m - 1, 1)))[near]
        result[near] = _panels(p[near], counts, top[near] - used, used, np.minimum(2.0, 12 / m[near]))
    return result


def _alone(p: FloatArray, counts: FloatArray, length: FloatArray) -> FloatArray:
    """`_between` for a best score that is alone, so far above that it wins there with its full half.

    With q[i] = p[i] exp(length) and R[j](u) the product of 1 - u q[i] / 2 over the low actions i but j, a low
    action gets p[j] / 4 times the integral of R[j] / u over [exp(-length), 1]. That is `length` less the integral
    of (1 - R[j]) / u over [0, 1], a polynomial of degree K - 3.
    """
    rest = np.where(p == 1, 0, p * np.exp(length)[:, None])
    rest[length >= _FARTHEST] = 0
    nodes, weights = _gauss_legendre(_nodes_needed(float((rest @ counts).max()) / 2 + 1, int(counts.sum())))
    missed = np.zeros_like(p)
    for u, w in zip(nodes, weights, strict=True):
        factors = 1 - u * rest / 2
        missed += w / u * (1 - _product(factors, counts)[:, None] / factors)
    return np.where(p == 1, 0.5, p / 4 * (length[:, None] - missed))


def _panels(
    p: FloatArray, counts: FloatArray, start: FloatArray, length: FloatArray, longest: FloatArray
) -> FloatArray:
    """Integrate over [start, start + length], shape (rows,), in panels no longer than `longest`."""
    nodes, weights = _gauss_legendre(20, int(np.ceil((length / longest).max())))
    block = max(1, _BLOCK // p.size)
    result = np.zeros_like(p)
    for first in range(0, len(nodes), block):
        x = start[:, None] + length[:, None] * nodes[first : first + block]
        ratio = np.exp(-x)[..., None] * p[:, None, :]
        product = length[:, None] * weights[first : first + block] * _product(_win_factors(ratio), counts)
        hazard = np.minimum(ratio, 1, out=ratio)  # density over distribution function, from the same ratio
        hazard /= 2 - hazard
        result += np.einsum("rn,rnk->rk", product, hazard)
    return result


def _win_factors(ratio: FloatArray) -> FloatArray:
    """Laplace distribution function at x - s, from exp(s - x)."""
    factors = np.minimum(ratio, 1)
    factors *= -0.5
    factors += 1
    factors /= np.maximum(ratio, 1)
    return factors


def sample_pmf(pmf: ArrayLike, *, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw one index from each row of probabilities: shape (..., K) -> (...).

    Raises
    ------
    ValueError
        If an entry is negative or not finite, or a row has no mass; rows need not sum to one.
    """
    weights = validation.numbers("pmf", pmf, ndim=None)
    if not weights.ndim:
        raise ValueError(f"pmf must have at least one axis, got {pmf!r}")
    cumulative = np.cumsum(weights, axis=-1)
    if weights.min() < 0 or cumulative[..., -1].min() <= 0:
        raise ValueError("pmf must hold probabilities, got a negative entry or a row without mass")
    uniform = validation.generator(rng).random(cumulative.shape[:-1]) * cumulative[..., -1]
    return np.asarray((uniform[..., None] >= cumulative[..., :-1]).sum(axis=-1))
