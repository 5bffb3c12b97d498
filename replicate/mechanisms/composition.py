"""What several private releases cost together: exact composition for pure and approximate privacy.

The neighbouring relation is that of `audit`. Every release here touches the datum that differs.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy import optimize, stats
from scipy.fft import irfft, next_fast_len, rfft

from replicate import validation
from replicate.validation import FloatArray

__all__ = ["laplace_composition", "laplace_scale", "randomized_response_composition"]

_MOST = 2**20
"""Releases that are composed at most: convolutions take memory in proportion."""


def laplace_composition(n: int, *, epsilon_each: float, epsilon: float) -> tuple[float, float]:
    """Bracket the smallest delta at which n Laplace releases together are (epsilon, delta)-private.

    One release, its number moving by e scales, has privacy loss e with probability 1/2, -e with probability
    exp(-e) / 2, and density exp((l - e) / 2) / 4 between. Tilted by exp(-l / 2) the law is symmetric: atoms of
    1 / (2 + e) at both ends and a uniform part. Under the tilt, delta = E[(1 - exp(epsilon - L))_+], L the
    summed loss, is the expectation of a convex function of the sum: spreading each bin of the uniform part
    to its two ends can only raise it, collapsing the bin to its middle can only lower it. Two convolutions on
    a grid bracket the exact value, the square of a bin's width apart.

    Parameters
    ----------
    n
        Number of releases, at most 2**20.
    epsilon_each
        Privacy of one of them, in (0, 50].
    epsilon
        Privacy level of all of them together, at least 0.

    Returns
    -------
    Lower and upper limit of delta.
    """
    n = validation.count("n", n, high=_MOST)
    e = validation.positive("epsilon_each", epsilon_each, high=50)
    epsilon = validation.real("epsilon", epsilon, low=0)
    bins = _bins(n)
    middles = np.zeros(2 * bins + 1)
    middles[1::2] = e / (2 + e) / bins
    middles[[0, -1]] = 1 / (2 + e)
    return _delta_of_sum(middles, n, e, epsilon), _upper(n, e, epsilon)


def laplace_scale(n: int, *, epsilon: float, delta: float) -> float:
    """Return the smallest scale at which n Laplace releases of sensitivity 1 are (epsilon, delta)-private.

    To six digits and from above: at the value returned, the upper limit of `laplace_composition` respects
    delta to the rounding of a convolution. A single release needs 1 / (epsilon + 2 log(1 / (1 - delta))),
    n of them never more than n / epsilon.

    Parameters
    ----------
    n
        Number of releases, at most 2**20.
    epsilon
        In (0, 500].
    delta
        In [1e-300, 1).
    """
    delta = validation.real("delta", delta, low=1e-300, high=1 - 1e-12)
    return _scale(validation.count("n", n, high=_MOST), validation.positive("epsilon", epsilon, high=500), delta)


@cache
def _scale(n: int, epsilon: float, delta: float) -> float:
    def excess(log_scale: float) -> float:
        return _upper(n, float(np.exp(-log_scale)), epsilon) - delta

    lowest, highest = -np.log(epsilon + 2 * np.log(1 / (1 - delta))), np.log(n / epsilon)
    root = float(optimize.brentq(excess, lowest, highest, xtol=1e-7)) if excess(lowest) > 0 else lowest
    while excess(root) > 1e-12:
        root += 1e-7
    return float(np.exp(root))


def _bins(n: int) -> int:
    """Number of bins of one loss: fewer when more losses are added, for their spreads average out."""
    return int(np.clip(2**15 // n, 64, 1024))


def _upper(n: int, e: float, epsilon: float) -> float:
    """Upper limit of `laplace_composition`."""
    bins = _bins(n)
    ends = np.full(bins + 1, e / (2 + e) / bins)
    ends[[0, -1]] = e / (2 + e) / bins / 2 + 1 / (2 + e)
    return _delta_of_sum(ends, n, e, epsilon)


def _delta_of_sum(tilted: FloatArray, n: int, e: float, epsilon: float) -> float:
    """Delta of the n-fold sum of a tilted loss law on an even grid over [-e, e]."""
    loss = np.linspace(-e, e, len(tilted))
    law = tilted * np.exp((loss - e) / 2) * (1 + e / 2)
    length = n * (len(law) - 1) + 1
    padded = next_fast_len(length, real=True)
    total = irfft(rfft(law, padded) ** n, padded)[:length]
    exceeds = np.linspace(-n * e, n * e, length) - epsilon
    return float(max(total[exceeds > 0] @ -np.expm1(-exceeds[exceeds > 0]), 0.0))


def randomized_response_composition(n: int, *, epsilon_each: float, epsilon: float) -> float:
    """Smallest delta at which n binary randomised responses together are (epsilon, delta)-private.

    No n mechanisms of that privacy compose worse (Kairouz, Oh & Viswanath 2015).

    Parameters
    ----------
    n
        Number of responses, at most 2**20.
    epsilon_each
        Privacy of one of them, positive.
    epsilon
        Privacy level of all of them together, at least 0.
    """
    n = validation.count("n", n, high=_MOST)
    each = validation.positive("epsilon_each", epsilon_each)
    heads = np.arange(n + 1)
    exceeds = (2 * heads - n) * each - validation.real("epsilon", epsilon, low=0)
    law = stats.binom.pmf(heads, n, 1 / (1 + np.exp(-each)))
    return float(law[exceeds > 0] @ -np.expm1(-exceeds[exceeds > 0]))
