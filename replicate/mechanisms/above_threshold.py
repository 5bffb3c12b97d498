"""AboveThreshold (the sparse vector technique for one hit): mechanism, accuracy, exact distribution."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from replicate import validation
from replicate.validation import FloatArray, Generator

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)


class AboveThreshold:
    """AboveThreshold (Dwork and Roth 2014, Algorithm 1): halt at the first query that looks large.

    The threshold gets Laplace(2 sensitivity / epsilon) noise once, every query fresh Laplace(4 sensitivity /
    epsilon) noise. The answers, all False up to a last True, are epsilon-private when a neighbour moves
    every query by at most `sensitivity`. When a neighbour moves all queries by amounts between -a and b,
    a, b >= 0, they cost (b / 2 + (a + b) / 4) epsilon / sensitivity.

    Parameters
    ----------
    epsilon
        Privacy level, positive.
    threshold
        Queries are compared with this.
    sensitivity
        Positive.
    rng
        Source of randomness.
    """

    def __init__(
        self, *, epsilon: float, threshold: float = 0.0, sensitivity: float = 1.0, rng: Generator
    ) -> None:
        scale = validation.positive("sensitivity", sensitivity) / validation.positive("epsilon", epsilon)
        self._rng, self._query_scale = validation.generator(rng), 4 * scale
        # drawn once, before any query is known
        self._threshold = validation.real("threshold", threshold) + self._rng.laplace(scale=2 * scale)
        self.halted = False

    def above(self, query: float) -> bool:
        """Test one query; after the first True no query is accepted.

        Raises
        ------
        RuntimeError
            If the mechanism has halted.
        """
        return self.any_above([validation.real("query", query)])

    def any_above(self, queries: ArrayLike) -> bool:
        """Test queries one after the other, shape (n,), up to the first that is above: whether there is one."""
        if self.halted:
            raise RuntimeError("AboveThreshold has halted: it accepts no more queries")
        exact = validation.numbers("queries", queries, ndim=1)
        # later queries get noise too, which tells nothing: only that one was above is released
        noisy = exact + self._rng.laplace(scale=self._query_scale, size=len(exact))
        self.halted = bool((noisy >= self._threshold).any())
        return self.halted


def above_threshold_accuracy(n_queries: int, *, failure: float, epsilon: float) -> float:
    """Return alpha = 8 (log n + log(2 / failure)) / epsilon (Dwork and Roth 2014, Theorem 3.24; sensitivity 1).

    But for probability `failure`, no query above threshold + alpha is passed over and none below
    threshold - alpha halts the mechanism.
    """
    n, beta = validation.count("n_queries", n_queries), validation.positive("failure", failure, high=1)
    return 8 * (math.log(n) + math.log(2 / beta)) / validation.positive("epsilon", epsilon)  # Theorem 3.24


def above_threshold_failure(n_queries: int, *, accuracy: float, epsilon: float) -> float:
    """Exact probability that AboveThreshold is wrong by `accuracy` on the hardest stream of `n_queries`.

    All queries but the last lie `accuracy` below the threshold, the last `accuracy` above it; the
    mechanism is wrong when it does not halt exactly at the last.
    """
    n, gap = validation.count("n_queries", n_queries), validation.positive("accuracy", accuracy)
    nodes, log_weights = _threshold_nodes(np.array([-gap, gap]), 2 / validation.positive("epsilon", epsilon))
    scale = 4 / epsilon
    # given the threshold's noise the answers are independent
    early = -np.expm1((n - 1) * _log_laplace_sides((nodes + gap) / scale)[0])
    missed = np.exp(_log_laplace_sides((nodes - gap) / scale)[0])
    return float(np.exp(log_weights) @ (early + (1 - early) * missed))


def above_threshold_log_law(queries: ArrayLike, *, epsilon: float) -> FloatArray:
    """Exact log probabilities of when AboveThreshold halts: queries (n,) -> (n + 1,), the last for never.

    Threshold zero, sensitivity 1. Gauss-Legendre quadrature over the threshold noise, panels cut where
    the integrand is not smooth; relative error below 1e-10 in every entry, however small.
    """
    q = validation.numbers("queries", queries, ndim=1)
    nodes, log_weights = _threshold_nodes(q, 2 / validation.positive("epsilon", epsilon))
    gap = (nodes[:, None] - q) * epsilon / 4
    low, high = _log_laplace_sides(gap)
    # halts at i: below at all before it, above there; never: below at all
    silent = np.hstack([np.zeros((len(nodes), 1)), np.cumsum(low, axis=1)])
    halts = np.hstack([high, np.zeros((len(nodes), 1))])
    return np.asarray(special.logsumexp(log_weights[:, None] + silent + halts, axis=0))


def _log_laplace_sides(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Log probabilities that Laplace(1) noise is below x and above x."""
    tail = -np.abs(x)
    less, more = tail - math.log(2), np.log1p(-np.exp(tail) / 2)
    # the smaller tail as itself, the larger as one less it: neither loses digits
    return np.where(x < 0, less, more), np.where(x > 0, less, more)


def _threshold_nodes(queries: FloatArray, scale: float) -> tuple[FloatArray, FloatArray]:
    """Nodes of the threshold noise and their log weights (quadrature times Laplace(scale) density)."""
    kinks = np.unique(np.append(queries, 0.0))
    edges = np.unique(np.add.outer(kinks, scale * np.linspace(-60, 60, 121)))
    # panels of no width, where two kinks nearly meet, would only add roundings
    edges = edges[np.append(True, np.diff(edges) > 1e-12 * np.abs(edges).max())]
    half = np.diff(edges)[:, None] / 2
    nodes = (edges[:-1, None] + half * (1 + _NODES)).ravel()
    return nodes, np.log((half * _WEIGHTS).ravel()) - np.abs(nodes) / scale - math.log(2 * scale)
