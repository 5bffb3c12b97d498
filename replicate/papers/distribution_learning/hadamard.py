"""The hard class of Theorem 3, and the steps of its proof as numbers."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from replicate import boundary
from replicate.papers.distribution_learning.channels import FloatArray

__all__ = ["extremal_channel", "hadamard_class", "released_divergences", "spread_ratio", "subset_channel"]


def hadamard_class(n_pairs: int, gap: float) -> FloatArray:
    """The 2K distributions of (16) over N labels, N the power of two with N/2 <= K <= N - 1.

    Returns
    -------
    Shape (2K, N): p_{1,1}, p_{1,2}, p_{2,1}, ... . p_{i,1} is uniform on the labels where column i + 1 of
    the Hadamard matrix is -1; p_{i,2} moves a mass of gap/2 to the other half.
    """
    n_pairs = boundary.count("n_pairs", n_pairs, high=4095)
    gap = boundary.positive("gap", gap, high=1)
    n_labels = 2 ** n_pairs.bit_length()
    columns = linalg.hadamard(n_labels)[:, 1 : n_pairs + 1].T.astype(np.float64)
    first = np.where(columns < 0, 2 / n_labels, 0.0)
    second = first + gap * columns / n_labels
    return np.stack([first, second], axis=1).reshape(2 * n_pairs, n_labels)


def released_divergences(hypotheses: FloatArray, channel: FloatArray) -> FloatArray:
    """KL between what a channel releases under the two members of each pair, as bounded in (22).

    Parameters
    ----------
    hypotheses
        Shape (2K, N), from `hadamard_class`.
    channel
        Shape (N, O): law of the released symbol for each label.

    Returns
    -------
    Shape (K,), in nats.
    """
    released = hypotheses @ channel
    first, second = released[::2], released[1::2]
    return np.asarray((first * np.log(first / second)).sum(axis=1))


def spread_ratio(columns: FloatArray) -> float:
    """Left side of (23), step (c), over sum_i q(y|i)^2/(2N): what the paper bounds by min{(e^eps - 1)^2, 1}.

    Parameters
    ----------
    columns
        Shape (..., N): q(y|1), ..., q(y|N) for some symbols y; the largest ratio is returned.
    """
    square = (columns**2).mean(axis=-1)
    return float((2 * (square - columns.mean(axis=-1) ** 2) / square).max())


def subset_channel(n_labels: int, size: int, epsilon: float) -> FloatArray:
    """Subset selection: release a random set of `size` labels, e^epsilon times likelier if the label is in it.

    Shape (N, number of subsets).
    """
    masks = np.arange(2**n_labels)[:, None] >> np.arange(n_labels) & 1
    chosen = masks[masks.sum(axis=1) == size]
    weights = np.exp(epsilon * chosen.T)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def extremal_channel(n_labels: int, epsilon: float, *, symbols: int, rng: np.random.Generator) -> FloatArray:
    """A random channel whose columns take two values in the ratio e^epsilon, up to normalising rows.

    Shape (N, symbols). Each column comes with its mirror image, so that all rows have the same sum and the
    channel is epsilon-LDP exactly.
    """
    masks = rng.random((n_labels, symbols // 2)) < rng.uniform(0.1, 0.9, size=symbols // 2)
    weights = np.exp(epsilon * np.concatenate([masks, ~masks], axis=1))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
