"""Exact privacy of the paper's messages: one noisy log density, K of them, or randomised response.

Neighbours are two labels of one user (local privacy). Noise scales are in units of the sensitivity where
that is said; a Laplace mechanism with sensitivity 1 and scale b is (1/b)-differentially private.
"""

from __future__ import annotations

import numpy as np

from replicate.papers.distribution_learning.channels import Channel, FloatArray

__all__ = ["advanced_unit_scale", "one_coordinate_loss", "printed_unit_scale"]


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


def printed_unit_scale(n: int, epsilon: float, delta: float) -> float:
    """Scale of the K = n Laplace noises of (8), in units of the sensitivity."""
    return float((2 * np.sqrt(2 * n * np.log(1 / delta)) + np.sqrt(n * epsilon)) / epsilon)


def advanced_unit_scale(n: int, epsilon: float, delta: float) -> float:
    """Smallest scale that Lemma 2 (advanced composition) allows, in units of the sensitivity."""
    half = np.sqrt(2 * n * np.log(1 / delta))
    return float(n / (np.sqrt(half**2 + 2 * n * epsilon) - half))
