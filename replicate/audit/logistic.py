"""Log odds that an output came from the first of two inputs: logistic regression on binned features."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.special import expit

from replicate.audit import kernels
from replicate.audit.outcomes import Layout, Outputs
from replicate.audit.outputs import joined, outcome_codes
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
    layout
        How outputs became numbers.
    """

    rows: FloatArray
    first: FloatArray
    total: FloatArray
    layout: Layout

    def every(self, step: int, start: int = 0) -> Tally:
        """Return every `step`-th row from `start` on, with its counts."""
        part = slice(start, None, step)
        return Tally(np.ascontiguousarray(self.rows[part]), self.first[part], self.total[part], self.layout)

    def typical(self) -> FloatArray:
        """Return some rows, each about as often as it came."""
        ends = np.cumsum(self.total)
        places = (np.arange(min(_FOR_QUANTILES, int(ends[-1]))) + 0.5) * (ends[-1] / min(_FOR_QUANTILES, ends[-1]))
        return np.asarray(self.rows[np.searchsorted(ends, places)])


def tally(one: Outputs, other: Outputs) -> Tally:
    """Count outputs on two inputs, (n, ...) each; equal rows of small integers stand once."""
    layout = Layout.of(one, other)
    codes = _codes(layout, one, other) if layout.whole else None
    if codes is None:
        rows = _rows(layout, one, other)
        return Tally(rows, (np.arange(len(rows)) < len(one)).astype(np.float64), np.ones(len(rows)), layout)
    times = np.bincount(codes)
    seen = np.flatnonzero(times)
    where = np.empty(len(times), dtype=np.int64)
    # one place of each outcome, whichever comes last
    where[codes] = np.arange(len(codes))
    first = np.bincount(codes[: len(one)], minlength=len(times))
    if "O" in (one.dtype.kind, other.dtype.kind):
        rows = _rows(layout, one, other)[where[seen]]
    else:
        rows = layout.rows(joined([one, other])[where[seen]])
    return Tally(rows, first[seen].astype(float), times[seen].astype(float), layout)


def _rows(layout: Layout, one: Outputs, other: Outputs) -> FloatArray:
    """Return outputs on two inputs as numbers, one after the other."""
    rows = np.empty((len(one) + len(other), layout.width))
    rows[: len(one)], rows[len(one) :] = layout.rows(one), layout.rows(other)
    return rows


def _codes(layout: Layout, one: Outputs, other: Outputs) -> IntArray | None:
    """Number outcomes on two inputs, equal ones alike; None where they are not rows of small integers."""
    outputs = joined([one, other])
    if outputs.dtype.kind == "O":
        rows = _rows(layout, one, other)
        if np.abs(rows).max() > 2.0**53:
            return None
        outputs = rows.astype(np.int64)
    return outcome_codes(outputs)


def loss(score: FloatArray, counts: Tally) -> float:
    """Mean logistic loss of log odds, shape (n,), on counted outputs: small where they foretell the input."""
    surprise = counts.total * np.logaddexp(0, score) - counts.first * score
    return float(surprise.sum() / counts.total.sum())


def fit(
    codes: NDArray[np.int16], offsets: IntArray, counts: Tally, *, size: int, start: FloatArray | None = None
) -> FloatArray:
    """Return weights (size,) of the bins, feature c of codes (n, c) having its bins from offsets[c] on.

    Newton's steps with the gradient of all samples and the curvature of some of them, spread evenly. Weights and
    differences of neighbouring bins' weights have normal priors, so that a bin of few outputs is like the bins
    beside it; the samples choose both precisions (`_evidence`).

    Parameters
    ----------
    codes, offsets, counts
        Bins of the counted outputs.
    size
        Number of weights.
    start
        Weights to start from.
    """
    weights, step = np.zeros(size) if start is None else start.copy(), np.ones(size)
    some, score = slice(None, None, max(1, len(codes) // _FOR_CURVATURE)), np.empty(len(codes))
    part = counts.total.sum() / counts.total[some].sum()
    (rough, bends), prior = _roughness(tuple(offsets.tolist()), size), np.ones(2)
    for _ in range(_STEPS):
        kernels.gather(codes, offsets, weights, score)
        chance = expit(score)
        precision = prior[0] * np.eye(size) + prior[1] * rough
        gradient = -precision @ weights
        kernels.scatter(codes, offsets, counts.first - counts.total * chance, gradient)
        # the curvature changes slowly: it is kept for short steps
        if np.abs(step).max() > _LONG:
            curvature = np.zeros((size, size))
            spread = counts.total * chance * (1 - chance) * part
            # one layout in memory, for which the kernel is compiled
            kernels.scatter_pairs(*map(np.ascontiguousarray, (codes[some], offsets, spread[some])), curvature)
        covariance = _inverse(curvature + precision)
        step = (covariance @ gradient).clip(-4, 4)
        weights += step
        before, prior = prior, _evidence(prior, weights, covariance, rough, bends)
        if np.abs(step).max() < _SHORT and np.abs(np.log(prior / before)).max() < 0.1:
            break
    return weights


def _inverse(matrix: FloatArray) -> FloatArray:
    """Invert a positive definite matrix (D, D) by its Cholesky factor: `np.linalg.inv` takes thrice as long."""
    factor, failed = scipy.linalg.lapack.dpotrf(matrix, lower=1, clean=1)
    if failed:  # by its rounding errors it is not positive definite
        return np.asarray(np.linalg.inv(matrix))
    half, _ = scipy.linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)
    return np.asarray(half + np.tril(half, -1).T)


@functools.lru_cache(maxsize=16)
def _roughness(offsets: tuple[int, ...], size: int) -> tuple[FloatArray, FloatArray]:
    """Return the sum of squared differences of neighbouring weights as a matrix, (size, size); its eigenvalues.

    A bettor fits the same bins again and again.
    """
    steps = np.diff(np.eye(size), axis=0)[~np.isin(np.arange(1, size), offsets)]
    rough = np.asarray(steps.T @ steps)
    return rough, np.asarray(np.linalg.eigvalsh(rough), dtype=np.float64)


def _evidence(
    prior: FloatArray, weights: FloatArray, covariance: FloatArray, rough: FloatArray, bends: FloatArray
) -> FloatArray:
    """Return the precisions of sizes and of differences that explain the weights better (MacKay 1992), shape (2,).

    Each is gamma / |w|^2, where gamma counts the directions in which the samples say more than the prior and
    |w|^2 is the sum of squares that the precision is of. `bends` are the eigenvalues of `rough`.
    """
    loose = 1 / (prior[0] + prior[1] * bends)
    # gamma: for each precision the directions that the samples determine
    gained = np.array([
        prior[0] * (loose.sum() - np.trace(covariance)),
        prior[1] * ((bends * loose).sum() - (covariance * rough).sum()),
    ])  # fmt: skip
    squares = np.array([weights @ weights, weights @ rough @ weights])
    return np.asarray(np.clip(gained / (squares + 1e-12), 1e-2, 1e9))
