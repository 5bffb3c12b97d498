"""Exact privacy of the paper's messages: one noisy log density, K of them, or randomised response.

Neighbours are two labels of one user (local privacy). Noise scales are in units of the sensitivity where
that is said; a Laplace mechanism with sensitivity 1 and scale b is (1/b)-differentially private.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy import optimize, stats
from scipy.fft import irfft, next_fast_len, rfft

from replicate import boundary
from replicate.papers.distribution_learning.channels import Channel, FloatArray

__all__ = [
    "advanced_unit_scale",
    "exact_unit_scale",
    "laplace_composition",
    "one_coordinate_loss",
    "printed_unit_scale",
    "randomized_response_composition",
]


def one_coordinate_loss(channel: Channel, masses: FloatArray, scale: float) -> float:
    """Exact privacy loss of Algorithm 2's message about one label.

    Parameters
    ----------
    channel
        The clipping map.
    masses
        Shape (K, A): probability of each (group of) label(s) under each hypothesis.
    scale
        Scale b of the Laplace noise, in nats.

    Notes
    -----
    The message about hypothesis j is a Laplace variable around one of the atoms s_j(c), c a symbol, and
    label y reaches c with probability keep 1{c = y} + base_c. Between two neighbouring atoms the density of
    every label is A e^(z/b) + B e^(-z/b), so the ratio of two of them is monotone there, and constant
    beyond the outermost atoms: the supremum over z is attained at an atom, where
    density(y) = base part + keep e^(-|s(y) - s(atom)|/b).
    """
    atoms = channel.log_density(masses)[:, channel.cells > 0] / scale
    order = np.argsort(atoms, axis=1)
    s = np.take_along_axis(atoms, order, axis=1)
    s -= s[:, :1]
    base = channel.base[channel.cells > 0][order]
    up, down = np.exp(s), np.exp(-s)
    below = np.cumsum(base * up, axis=1) * down
    above = (np.cumsum((base * down)[:, ::-1], axis=1)[:, ::-1] - base * down) * up
    blurred = below + above
    farthest = np.maximum(s, s[:, -1:] - s)
    ratio = (blurred + channel.keep) / (blurred + channel.keep * np.exp(-farthest))
    return float(np.log(ratio).max())


def laplace_composition(n: int, epsilon_each: float, epsilon: float) -> tuple[float, float]:
    """Smallest delta at which n Laplace mechanisms together are (epsilon, delta)-private: (low, high).

    Parameters
    ----------
    n
        Number of independent Laplace mechanisms on the same label, each epsilon_each-private.

    Returns
    -------
    Lower and upper limits of E[(1 - e^(epsilon - L))_+], L the total privacy loss.

    Notes
    -----
    One loss has atoms e and -e (e = epsilon_each) of mass 1/2 and e^-e/2, and density e^((l - e)/2)/4
    between. Tilted by e^(-l/2) it becomes symmetric: atoms of 1/(2 + e) and a uniform part; and delta becomes
    the expectation of the convex function 2 sinh((s - epsilon)/2)_+ of the tilted sum. Spreading each bin
    of the uniform part to its two ends can only raise such an expectation, collapsing it to its middle can
    only lower it (convex order): two convolutions on grids bracket the exact value, O(bin^2) apart.
    """
    n = boundary.count("n", n)
    e = boundary.positive("epsilon_each", epsilon_each, high=50)
    epsilon = boundary.real("epsilon", epsilon, low=0)
    bins = _bins(n)
    middles = np.zeros(2 * bins + 1)
    middles[1::2] = e / (2 + e) / bins
    middles[[0, -1]] = 1 / (2 + e)
    return _delta_of_sum(middles, n, e, epsilon), _composition_upper(n, e, epsilon)


def _bins(n: int) -> int:
    """Number of bins of one loss: fewer when more losses are added, for their spreads average out."""
    return int(np.clip(2**15 // n, 64, 1024))


def _composition_upper(n: int, e: float, epsilon: float) -> float:
    """Upper limit of `laplace_composition`."""
    bins = _bins(n)
    ends = np.full(bins + 1, e / (2 + e) / bins)
    ends[[0, -1]] = e / (2 + e) / bins / 2 + 1 / (2 + e)
    return _delta_of_sum(ends, n, e, epsilon)


def _delta_of_sum(tilted: FloatArray, n: int, e: float, epsilon: float) -> float:
    """Return delta of the n-fold sum of a tilted loss law on an even grid over [-e, e]."""
    loss = np.linspace(-e, e, len(tilted))
    law = tilted * np.exp((loss - e) / 2) * (1 + e / 2)
    length = n * (len(law) - 1) + 1
    padded = next_fast_len(length, real=True)
    total = irfft(rfft(law, padded) ** n, padded)[:length]
    exceeds = np.linspace(-n * e, n * e, length) - epsilon
    return float(max(total[exceeds > 0] @ -np.expm1(-exceeds[exceeds > 0]), 0.0))


def randomized_response_composition(n: int, epsilon_each: float, epsilon: float) -> float:
    """Smallest delta of n binary randomised responses, each epsilon_each-private: closed form.

    No n mechanisms of that privacy compose worse (Kairouz, Oh & Viswanath 2015).
    """
    heads = np.arange(n + 1)
    exceeds = (2 * heads - n) * epsilon_each - epsilon
    law = stats.binom.pmf(heads, n, 1 / (1 + np.exp(-epsilon_each)))
    return float(law[exceeds > 0] @ -np.expm1(-exceeds[exceeds > 0]))


def printed_unit_scale(n: int, epsilon: float, delta: float) -> float:
    """Scale of the K = n Laplace noises of (8), in units of the sensitivity."""
    return float((2 * np.sqrt(2 * n * np.log(1 / delta)) + np.sqrt(n * epsilon)) / epsilon)


def advanced_unit_scale(n: int, epsilon: float, delta: float) -> float:
    """Smallest scale that Lemma 2 (advanced composition) allows, in units of the sensitivity."""
    half = np.sqrt(2 * n * np.log(1 / delta))
    return float(n / (np.sqrt(half**2 + 2 * n * epsilon) - half))


@cache
def exact_unit_scale(n: int, epsilon: float, delta: float) -> float:
    """Smallest scale at which n Laplace mechanisms of sensitivity 1 are (epsilon, delta)-private.

    To six digits, from above: at the value returned the upper limit of `laplace_composition` respects delta
    (to 1e-12, the rounding of the convolution). One mechanism alone needs 1/(epsilon + 2 log(1/(1 - delta))),
    any number n of them at most n/epsilon and at most what Lemma 2 asks for.
    """

    def excess(log_scale: float) -> float:
        return _composition_upper(n, float(np.exp(-log_scale)), epsilon) - delta

    lowest = -np.log(epsilon + 2 * np.log(1 / (1 - delta)))
    highest = np.log(min(n / epsilon, advanced_unit_scale(n, epsilon, delta)))
    root = float(optimize.brentq(excess, lowest, highest, xtol=1e-7)) if excess(lowest) > 0 else lowest
    while excess(root) > 1e-12:
        root += 1e-7
    return float(np.exp(root))
