"""Named classes of hypotheses and the sizes of the profiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy

from replicate import validation
from replicate.papers.distribution_learning import bounds
from replicate.profiles import grown
from replicate.streams import stream
from replicate.validation import FloatArray


@dataclass(frozen=True)
class Sizes:
    """Sizes of the experiments of a profile."""

    replicates: int
    figure_replicates: int
    classes: int
    horizons: tuple[int, ...]
    settings: tuple[tuple[float, int], ...]
    n_hypotheses: tuple[int, ...]
    n_labels: tuple[int, ...]
    noise_arrays: int
    lemma_horizon: int


FULL = Sizes(
    replicates=120,
    figure_replicates=40,
    classes=25,
    horizons=tuple(10**p for p in range(4, 13)),
    settings=((2.0, 10**10), (1.0, 10**10), (1.0, 10**12), (0.3, 10**12), (0.1, 10**14), (1.0, 10**16)),
    n_hypotheses=(2, 4, 8, 16, 32, 64),
    n_labels=tuple(2**p for p in range(3, 18, 2)),
    noise_arrays=12,
    lemma_horizon=4000,
)
SIZES: Mapping[str, Sizes] = {
    "quick": Sizes(
        replicates=40,
        figure_replicates=10,
        classes=3,
        horizons=(10**4, 10**8, 10**12),
        settings=((1.0, 10**10), (1.0, 10**12)),
        n_hypotheses=(2, 8),
        n_labels=(8, 2**15),
        noise_arrays=3,
        lemma_horizon=400,
    ),
    "full": FULL,
    "huge": grown(
        FULL,
        "replicates",
        "figure_replicates",
        "noise_arrays",
        classes=50,
        horizons=tuple(10**p for p in range(4, 17)),
    ),
}
"""`settings` are the (epsilon, horizon) at which Theorems 4 to 6 are tested: where they rule out uniform play.

`figure_replicates` is for games that are drawn, and decide nothing or little.
"""
GRID, FIGURE_GRID = 200, 100
"""Strata of a simulated game, and of one that is drawn."""


THREE_LABELS = np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
"""The smallest class on which (7) fails: N' = 2 + 2 + 3 cells, not at most 6."""


def dirichlet(n_hypotheses: int, n_labels: int, *, concentration: float = 0.3, index: int = 0) -> FloatArray:
    """A class drawn from a Dirichlet law, shape (K, M); `index` numbers the draws, whatever the run's seed."""
    rng = stream(0, "dirichlet", n_hypotheses, n_labels, concentration, index)
    return rng.dirichlet(np.full(n_labels, concentration), size=n_hypotheses)


def one_against_many(n_labels: int) -> FloatArray:
    """One law uniform on all labels but the last, one on the last alone: zeros, and many cells: shape (2, M)."""
    laws = np.zeros((2, n_labels))
    laws[0, :-1], laws[1, -1] = 1 / (n_labels - 1), 1.0
    return laws


def close_pair(gap: float) -> FloatArray:
    """Two coins, heads with probability 1/2 + gap and 1/2 - gap: shape (2, 2)."""
    return np.array([[0.5 + gap, 0.5 - gap], [0.5 - gap, 0.5 + gap]])


def paired_blocks(n_pairs: int, gap: float) -> FloatArray:
    """Pairs of coins on labels of their own: shape (2 n, 2 n). Hypotheses i and i + n share the block i.

    They are heads with probability 1/2 + gap and 1/2 - gap; no other hypothesis has mass there, so that the set
    {f_i > f_j} of another pair does not cut the block.
    """
    return np.concatenate([np.kron(np.eye(n_pairs), [[0.5 + sign * gap, 0.5 - sign * gap]]) for sign in (1, -1)])


def hardest_gap(horizon: int, epsilon: float) -> float:
    """Gap of the coins that Algorithm 2 just fails to tell apart within the horizon: (4 c sqrt(T))^(-1/2)."""
    width = bounds.log_range(2, horizon, "corrected")
    factor = bounds.message_factor(width, bounds.noise_limit(width / epsilon, 2, horizon))
    return float(0.5 / np.sqrt(factor * np.sqrt(horizon)))


def split_labels(hypotheses: FloatArray, n_labels: int) -> FloatArray:
    """A class written with more labels: each of the M labels replaced by n_labels/M alike ones."""
    times = n_labels // hypotheses.shape[-1]
    return np.repeat(hypotheses / times, times, axis=-1)


def clipped() -> Mapping[str, FloatArray]:
    """Classes on which the clipping map is examined: (7) fails on two of them. Shapes (2, 50), (2, 3), (4, 8)."""
    return {
        "one against 49 labels": one_against_many(50),
        "three labels": THREE_LABELS,
        "Dirichlet(0.3), K=4, M=8": dirichlet(4, 8),
    }


def named() -> Mapping[str, tuple[FloatArray, str]]:
    """Classes of at least four hypotheses, shapes (K, M) or (X, K, M), with how their contexts come."""
    blocks = np.kron(np.eye(4), [0.5, 0.5])
    overlapping = np.append(0.9 * blocks, np.full((4, 1), 0.1), axis=1)
    base = dirichlet(4, 8)
    tied = base[[0, 0, 1, 2]]
    changing = np.stack([dirichlet(4, 6, index=1), dirichlet(4, 6, concentration=1.0), base[:, :6]])
    changing /= changing.sum(axis=-1, keepdims=True)
    return {
        "Dirichlet(0.3)": (base, "iid"),
        "Dirichlet(1)": (dirichlet(4, 8, concentration=1.0), "iid"),
        "disjoint supports": (blocks, "iid"),
        "nearly disjoint supports": (overlapping, "iid"),
        "tied hypotheses": (tied, "iid"),
        "three contexts, i.i.d.": (changing, "iid"),
        "three contexts, periodic": (changing, "periodic"),
        "Dirichlet(0.3), K=16, M=64": (dirichlet(16, 64), "iid"),
    }


def hadamard_class(n_pairs: int, gap: float) -> FloatArray:
    """The 2K distributions of (16) over N labels, N the power of two with N/2 <= K <= N - 1.

    Parameters
    ----------
    n_pairs
        K, from 1 to 4095.
    gap
        a of (16), in (0, 1]; `bounds.hadamard_gap` gives the one of Theorem 3.

    Returns
    -------
    Shape (2K, N): p_{1,1}, p_{1,2}, p_{2,1}, ... . p_{i,1} is uniform on the labels where column i + 1 of
    the Hadamard matrix is -1; p_{i,2} moves a mass of gap/2 to the other half.

    Examples
    --------
    >>> hadamard_class(1, 0.5)
    array([[0.  , 1.  ],
           [0.25, 0.75]])
    """
    n_pairs = validation.count("n_pairs", n_pairs, high=4095)
    gap = validation.positive("gap", gap, high=1)
    n_labels = 2 ** n_pairs.bit_length()
    columns = scipy.linalg.hadamard(n_labels)[:, 1 : n_pairs + 1].T.astype(np.float64)
    first = np.where(columns < 0, 2 / n_labels, 0.0)
    second = first + gap * columns / n_labels
    return np.stack([first, second], axis=1).reshape(2 * n_pairs, n_labels)


def signed_class(n_hypotheses: int, gap: float) -> FloatArray:
    """The laws (1 + gap H_j)/N, H_j the rows of the Hadamard matrix but the constant one: shape (K, N), N = K + 1.

    Any two are gap/2 apart in total variation. K + 1 is a power of two up to 4096, `gap` in (0, 1].
    """
    rows = scipy.linalg.hadamard(validation.count("n_hypotheses", n_hypotheses, low=3, high=4095) + 1)[1:]
    return np.asarray((1 + validation.positive("gap", gap, high=1) * rows) / len(rows.T))


def rare_class(n_hypotheses: int, share: float) -> FloatArray:
    """A common label of mass 1 - share before those of `signed_class` with gap 1: shape (K, K + 2)."""
    rare = validation.positive("share", share, high=1) * signed_class(n_hypotheses, 1.0)
    return np.column_stack([np.full(n_hypotheses, 1 - share), rare])


def bit_channels(n_pairs: int, epsilon: float) -> FloatArray:
    """For each pair of the Hadamard class the channel that releases its bit, the half of the labels, with noise.

    Shape (K, N, 2): randomised response on the sign of column i + 1.
    """
    n_labels, likely = 2 ** n_pairs.bit_length(), np.exp(epsilon) / (1 + np.exp(epsilon))
    columns = scipy.linalg.hadamard(n_labels)[:, 1 : n_pairs + 1].T
    first = np.where(columns < 0, likely, 1 - likely)
    return np.stack([first, 1 - first], axis=2)


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
