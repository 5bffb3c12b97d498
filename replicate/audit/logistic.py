"""Log odds that an output came from the first of two inputs: logistic regression on binned features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from replicate.audit import kernels
from replicate.audit.outputs import Outputs, outcome_codes, rounded
from replicate.validation import FloatArray, IntArray

_FOR_CURVATURE, _FOR_QUANTILES = 2**16, 2**16
_STEPS = 15
_LONG, _SHORT = 0.3, 1e-3
"""Steps beyond the first length call for a new curvature; one below the second is the last."""


@dataclass(frozen=True)
class Tally:
    """Outputs on two inputs, and how often each came.

    Attributes
    ----------
    rows
        Outputs as numbers, shape (n, d).
    first, total
        How often each came from the first input, and from both, shape (n,).
    """

    rows: FloatArray
    first: FloatArray
    total: FloatArray

    def every(self, step: int, start: int = 0) -> Tally:
        """Return every `step`-th row from `start` on, with its counts."""
        part = slice(start, None, step)
        return Tally(np.ascontiguousarray(self.rows[part]), self.first[part], self.total[part])

    def typical(self) -> FloatArray:
        """Return some rows, each about as often as it came."""
        ends = np.cumsum(self.total)
        places = (np.arange(min(_FOR_QUANTILES, int(ends[-1]))) + 0.5) * (ends[-1] / min(_FOR_QUANTILES, ends[-1]))
        return np.asarray(self.rows[np.searchsorted(ends, places)])


def tally(one: Outputs, other: Outputs) -> Tally:
    """Count outputs on two inputs, (n, ...) each; equal rows of small integers stand once."""
    rows = np.concatenate([one, other])
    codes = outcome_codes(rows)
    if codes is None:
        total = np.ones(len(rows))
        return Tally(rounded(rows), np.asarray(np.arange(len(rows)) < len(one), dtype=np.float64), total)
    times = np.bincount(codes)
    seen = np.flatnonzero(times)
    where = np.empty(len(times), dtype=np.int64)
    where[codes] = np.arange(len(codes))
    first = np.bincount(codes[: len(one)], minlength=len(times))
    return Tally(rounded(rows[where[seen]]), first[seen].astype(np.float64), times[seen].astype(np.float64))


def loss(score: FloatArray, counts: Tally) -> float:
    """Mean logistic loss of log odds, shape (n,), on counted outputs: small where they foretell the input."""
    surprise = counts.total * np.logaddexp(0, score) - counts.first * score
    return float(surprise.sum() / counts.total.sum())


def fit(
    codes: NDArray[np.int16], offsets: IntArray, counts: Tally, *, size: int, start: FloatArray | None = None
) -> FloatArray:
    """Return weights (size,) of the bins, feature c of codes (n, c) having its bins from offsets[c] on.

    Newton's steps with the gradient of all samples and the curvature of some of them, spread evenly. The weights
    have a normal prior whose precision the samples choose (MacKay 1992): gamma / |w|^2, where gamma counts the
    directions in which they say more than the prior.

    Parameters
    ----------
    codes, offsets, counts
        Bins of the counted outputs.
    size
        Number of weights.
    start
        Weights to start from.
    """
    weights, step, prior = np.zeros(size) if start is None else start.copy(), np.ones(size), 1.0
    some, score = slice(None, None, max(1, len(codes) // _FOR_CURVATURE)), np.empty(len(codes))
    part = counts.total.sum() / counts.total[some].sum()
    for _ in range(_STEPS):
        kernels.gather(codes, offsets, weights, score)
        chance = expit(score)
        gradient = -prior * weights
        kernels.scatter(codes, offsets, counts.first - counts.total * chance, gradient)
        if np.abs(step).max() > _LONG:
            curvature = np.zeros((size, size))
            spread = counts.total * chance * (1 - chance)
            kernels.scatter_pairs(codes[some], offsets, spread[some], curvature)
            variances, axes = np.linalg.eigh(curvature * part)
            variances = np.maximum(variances, 0)
        step = (axes @ ((gradient @ axes) / (variances + prior))).clip(-4, 4)
        weights += step
        determined = (variances / (variances + prior)).sum()
        before, prior = prior, float(np.clip(determined / (weights @ weights + 1e-12), 1e-2, 1e9))
        if np.abs(step).max() < _SHORT and abs(np.log(prior / before)) < 0.1:
            break
    return weights
