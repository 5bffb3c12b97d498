"""Exact privacy loss of Algorithm 2's message, and certified losses from messages of Algorithms 1 and 2.

Neighbours are two labels of one user (local privacy).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from replicate import audit, certify, validation
from replicate.papers.distribution_learning.algorithms.schemes import Channel, Scheme
from replicate.validation import FloatArray, IntArray

_BLOCK = 10**5
_DIGITS = 12
"""Decimals of a log ratio: far from all values it is the same for many messages, which rounding must not part."""


# Exact


def privacy_loss(
    hypotheses: ArrayLike,
    *,
    epsilon: float,
    horizon: int,
    calibration: str = "corrected",
    noise_factor: float = 1.0,
) -> float:
    """Exact privacy loss of Algorithm 2's message about one label, the worst over labels and contexts.

    Parameters
    ----------
    hypotheses
        Shape (K, M), or (X, K, M) for X contexts.
    epsilon
        Privacy that the scheme is tuned to, in [1e-6, 50].
    horizon
        T, from 2 to 2**59.
    calibration
        ``"printed"``, ``"corrected"`` or ``"tight"``; see `tune`.
    noise_factor
        What the Laplace noise is multiplied by, in [0.1, 10]: 1 for the algorithm.

    Raises
    ------
    ValueError
        For arguments outside these ranges.

    Examples
    --------
    As printed, the noise is too small for three labels:

    >>> three = [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
    >>> round(privacy_loss(three, epsilon=1.0, horizon=100, calibration="printed"), 3)
    1.017
    >>> round(privacy_loss(three, epsilon=1.0, horizon=100), 3)
    0.945
    """
    factor = validation.real("noise_factor", noise_factor, low=0.1, high=10)
    shared = Scheme.validated(hypotheses, scheme="pure", epsilon=epsilon, horizon=horizon, calibration=calibration)
    scale = shared.tuning.scale * factor
    return max(one_coordinate_loss(*pair, scale) for pair in zip(shared.channels, shared.masses, strict=True))


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
    # sums of base * exp(-|s - s'|) over atoms on either side: two passes in place of all pairs
    below = np.cumsum(base * up, axis=1) * down
    above = (np.cumsum((base * down)[:, ::-1], axis=1)[:, ::-1] - base * down) * up
    blurred = below + above
    # the label whose atom is farthest away is the least likely at this value
    farthest = np.maximum(s, s[:, -1:] - s)
    ratio = (blurred + channel.keep) / (blurred + channel.keep * np.exp(-farthest))
    return float(np.log(ratio).max())


# Sampled


def _single_context(scheme: Scheme) -> Channel:
    """Return the channel of a scheme on one context: what is released elsewhere has another distribution."""
    if len(scheme.channels) > 1:
        raise ValueError(f"scheme must have one context, got {len(scheme.channels)}")
    return scheme.channels[0]


def messages(
    scheme: Scheme, label: int, n: int, rng: np.random.Generator, *, noise_factor: float = 1.0
) -> FloatArray:
    """Release n messages about one (group of) label(s), as `User.release` does one by one: shape (n, K).

    Of the scheme's only context. Coordinates that Algorithm 2 does not release are NaN. `noise_factor` multiplies
    the Laplace noise.
    """
    channel, k = _single_context(scheme), scheme.hypotheses.shape[1]
    law = channel.base / channel.base.sum()
    symbols = np.where(rng.random(n) < channel.keep, label, rng.choice(len(law), size=n, p=law))
    if scheme.name == "pure":
        shown = rng.integers(k, size=n)
        released = np.full((n, k), np.nan)
        values = scheme.tuning.message(scheme.values[0][shown, symbols], noise_factor * rng.laplace(size=n))
        released[np.arange(n), shown] = values
        return released
    return scheme.tuning.message(scheme.values[0].T[symbols], noise_factor * rng.laplace(size=(n, k)))


def log_density(
    scheme: Scheme, label: int | IntArray, released: FloatArray, *, noise_factor: float = 1.0
) -> FloatArray:
    """Log density of messages about a label, up to a term that no label changes: shape (n, K) to (n,).

    Labels of shape (L,) give shape (L, n).
    """
    channel = _single_context(scheme)
    laws = channel.base + channel.keep * (np.arange(len(channel.base)) == np.asarray(label)[..., None])
    atoms = scheme.tuning.message(scheme.values[0], 0.0)
    width = noise_factor * scheme.tuning.factor * scheme.tuning.scale
    distance = np.zeros((atoms.shape[1], len(released)))
    for shown, centres in zip(released.T, atoms, strict=True):
        distance += np.fmax(np.abs(shown - centres[:, None]), 0.0)  # 0 where the coordinate is not released
    return np.asarray(np.log(laws @ np.exp(-distance / width)))


def certified_loss(
    scheme: Scheme,
    *,
    delta: float,
    samples: int,
    rng: np.random.Generator,
    noise_factor: float = 1.0,
    false_alarm: float = certify.CLAIM_FALSE_ALARM,
) -> float:
    """Certified privacy loss of a noisy scheme, for the first label against the last, over epsilon."""
    pair = (0, scheme.hypotheses.shape[2] - 1)

    def evidence(label: int, n: int, rng: np.random.Generator) -> FloatArray:
        released = messages(scheme, label, n, rng, noise_factor=noise_factor)
        first, last = log_density(scheme, np.array(pair), released, noise_factor=noise_factor)
        return np.round(first - last, _DIGITS)

    def sampler(label: int) -> audit.Sampler:
        return lambda n, rng: np.concatenate(
            [evidence(label, min(_BLOCK, n - i), rng) for i in range(0, n, _BLOCK)]
        )

    loss = audit.certified_privacy_loss(
        *map(sampler, pair), samples=samples, delta=delta, false_alarm=false_alarm, rng=rng
    )
    return loss / scheme.epsilon
