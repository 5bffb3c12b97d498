"""The joint privacy of several releases: exact composition for pure and approximate privacy.

The neighbouring relation is that of `audit`. Every release here touches the datum that differs.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import scipy

from replicate import validation
from replicate.validation import FloatArray

__all__ = [
    "laplace_composition",
    "laplace_epsilon",
    "laplace_scale",
    "randomized_response_composition",
    "randomized_response_epsilon",
]

_MOST = 2**20
"""Releases that are composed at most: convolutions take memory in proportion."""


def laplace_composition(n: int, *, epsilon_each: float, epsilon: float) -> tuple[float, float]:
    """Bracket the smallest delta at which n Laplace releases together are (epsilon, delta)-private.

    One release, its number moving by e scales, has privacy loss e with probability 1/2, -e with probability
    exp(-e) / 2, and density exp((l - e) / 2) / 4 between. Tilted by exp(-l / 2) the distribution is symmetric:
    atoms of 1 / (2 + e) at both ends and a uniform part. Under the tilt, delta = E[(1 - exp(epsilon - L))_+], L
    the summed loss, is the expectation of a convex function of the sum: spreading each bin of the uniform part to
    its two ends can only raise it, collapsing the bin to its middle can only lower it. Two convolutions on a grid
    bracket the exact value, the square of a bin's width apart.

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


def laplace_epsilon(n: int, *, epsilon_each: float, delta: float) -> float:
    """Return the smallest epsilon >= 0 at which n Laplace releases are (epsilon, delta)-private.

    To eight digits, by the upper limit of `laplace_composition`, which takes one convolution for all epsilon.

    Parameters
    ----------
    n
        Number of releases, at most 2**20.
    epsilon_each
        Privacy of one of them, in (0, 50].
    delta
        In [1e-6, 1): a smaller one would feel the rounding of the transform.
    """
    n = validation.count("n", n, high=_MOST)
    e = validation.positive("epsilon_each", epsilon_each, high=50)
    return _smallest(*_tail_of_sum(_ends(n, e), n, e, above=0.0, mean=-e), delta)


def laplace_scale(n: int, *, epsilon: float, delta: float) -> float:
    """Return the smallest scale at which n Laplace releases of sensitivity 1 are (epsilon, delta)-private.

    To ten digits and from above: at the value returned, the upper limit of `laplace_composition` respects
    delta. A single release needs 1 / (epsilon + 2 log(1 / (1 - delta))), n of them never more than n / epsilon.

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
    """`laplace_scale` on arguments that are checked; n / epsilon, where delta is 0, is passed by a rounding."""

    def excess(log_scale: float) -> float:
        return float(np.log(max(_upper(n, float(np.exp(-log_scale)), epsilon) / delta, 1e-30)))

    lowest, highest = -np.log(epsilon + 2 * np.log(1 / (1 - delta))), np.log(n / epsilon) + 1e-12
    root = float(scipy.optimize.brentq(excess, lowest, highest, xtol=1e-12)) if excess(lowest) > 0 else lowest
    scale = float(np.exp(root))
    # the root may be below by its tolerance: the scale must be from above
    while _upper(n, 1 / scale, epsilon) > delta:
        scale *= 1 + 1e-11
    return scale


def _bins(n: int) -> int:
    """Number of bins of one loss: fewer when more losses are added, for their spreads average out."""
    return int(np.clip(2**15 // n, 64, 1024))


def _ends(n: int, e: float) -> FloatArray:
    """The tilted distribution of one loss, each bin of its uniform part spread to its two ends."""
    bins = _bins(n)
    ends = np.full(bins + 1, e / (2 + e) / bins)
    # half a bin, and the atom
    ends[[0, -1]] = e / (2 + e) / bins / 2 + 1 / (2 + e)
    return ends


def _upper(n: int, e: float, epsilon: float) -> float:
    """Upper limit of `laplace_composition`."""
    return _delta_of_sum(_ends(n, e), n, e, epsilon)


def _delta_of_sum(tilted: FloatArray, n: int, e: float, epsilon: float) -> float:
    """Delta of the n-fold sum of a tilted loss distribution on an even grid over [-e, e].

    Tilted so that the sum's mean is epsilon, the distribution is largest where delta is decided, and the smallest
    delta has as many digits as a large one.
    """
    if epsilon >= n * e:
        return 0.0
    return _delta(*_tail_of_sum(tilted, n, e, above=epsilon, mean=epsilon / n), epsilon)


def _delta(losses: FloatArray, law: FloatArray, epsilon: float) -> float:
    """Smallest delta of a law of privacy losses, increasing ones, of which those below epsilon do not matter."""
    first = int(np.searchsorted(losses, epsilon, side="right"))
    return max(float(law[first:] @ -np.expm1(epsilon - losses[first:])), 0.0)


def _smallest(losses: FloatArray, law: FloatArray, delta: float) -> float:
    """Smallest epsilon >= 0 at which `_delta` is at most delta."""
    delta = validation.real("delta", delta, low=1e-6, high=1 - 1e-12)
    if not len(losses) or _delta(losses, law, 0.0) <= delta:
        return 0.0
    return float(scipy.optimize.brentq(lambda at: _delta(losses, law, at) - delta, 0, losses[-1], rtol=1e-9))


def _tail_of_sum(
    tilted: FloatArray, n: int, e: float, *, above: float, mean: float
) -> tuple[FloatArray, FloatArray]:
    """The n-fold sum of a tilted loss law on an even grid over [-e, e]: its values above a number, and their law.

    A Fourier transform errs by its largest value's rounding: the convolution tilts each loss to this mean, unless
    its own is larger.
    """
    loss = np.linspace(-e, e, len(tilted))
    # the tilt by exp(-l / 2) is undone: the distribution of the loss on the first table
    law = tilted * np.exp((loss - e) / 2) * (1 + e / 2)
    theta = _tilt(law, loss, mean)
    law = law * np.exp(theta * (loss - e))
    mass = float(law.sum())
    length = n * (len(law) - 1) + 1
    padded = scipy.fft.next_fast_len(length, real=True)
    # the n-fold convolution, padded so that nothing wraps around
    total = scipy.fft.irfft(scipy.fft.rfft(law / mass, padded) ** n, padded)[:length]
    sums = np.linspace(-n * e, n * e, length)
    first = int(np.searchsorted(sums, above, side="right"))
    # mass and tilt undone together: each alone may overflow
    return sums[first:], total[first:] * np.exp(n * np.log(mass) - theta * (sums[first:] - n * e))


def _tilt(law: FloatArray, loss: FloatArray, mean: float) -> float:
    """Return theta >= 0 under which exp(theta * loss) times a law has this mean; 0 if its own is larger."""

    def short(theta: float) -> float:
        weights = law * np.exp(theta * (loss - loss[-1]))
        return float(mean - weights @ loss / weights.sum())

    highest = 1.0
    while short(highest) > 0:
        highest *= 2
    return float(scipy.optimize.brentq(short, 0, highest, rtol=0.01)) if short(0.0) > 0 else 0.0


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
    epsilon = validation.real("epsilon", epsilon, low=0)
    return _delta(*_responses(n, epsilon_each), epsilon)


def randomized_response_epsilon(n: int, *, epsilon_each: float, delta: float) -> float:
    """Return the smallest epsilon >= 0 at which n binary randomised responses are (epsilon, delta)-private.

    Parameters
    ----------
    n, epsilon_each
        As for `randomized_response_composition`.
    delta
        In [1e-6, 1).
    """
    return _smallest(*_responses(n, epsilon_each), delta)


def _responses(n: int, epsilon_each: float) -> tuple[FloatArray, FloatArray]:
    """Privacy losses of n binary randomised responses, increasing, and their distribution."""
    n = validation.count("n", n, high=_MOST)
    each = validation.positive("epsilon_each", epsilon_each)
    heads = np.arange(n + 1, dtype=np.float64)
    return (2 * heads - n) * each, np.asarray(scipy.stats.binom.pmf(heads, n, 1 / (1 + np.exp(-each))))
