"""Channels from a user's label to the symbol that noise is added to: clipping, randomised response, or none.

All three replace the label y by a random symbol: y itself with probability `keep`, otherwise a draw that
does not depend on y. A symbol y stands for `cells` equally likely cells; a hypothesis is judged by the
density that it gives to one cell. The N' cells of the paper's clipping map never appear one by one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from replicate import validation
from replicate.validation import FloatArray

_CEILING_GUARD = 1e-12
"""Relative slack of the ceiling in (3): 100 * 0.07 is 7.000000000000001, and must count 7 cells, not 8."""


@dataclass(frozen=True, eq=False)
class Channel:
    """Law of the symbol that stands for a label.

    Attributes
    ----------
    keep
        Probability that the symbol is the label itself by right, not by chance.
    base
        Shape (A,): probability of each symbol on the other branch, summing to 1 - `keep`.
    cells
        Shape (A,): number of equally likely cells of each symbol. A label without a cell cannot occur.
    """

    keep: float
    base: FloatArray
    cells: FloatArray

    @property
    def n_cells(self) -> float:
        """All cells together: N' of (3) for the clipping map."""
        return float(self.cells.sum())

    def law(self, masses: FloatArray) -> FloatArray:
        """Law of the symbol when labels follow `masses`: shape (..., A) to (..., A), (6) summed over cells."""
        return np.asarray(self.keep * masses + self.base)  # (6)

    def log_density(self, masses: FloatArray) -> FloatArray:
        """Log of the probability of one cell of each symbol, shape (..., A); 0 for labels without a cell."""
        with np.errstate(divide="ignore", invalid="ignore"):
            # the cells of a symbol are equally likely: (6) for one of them
            return np.where(self.cells > 0, np.log(self.law(masses)) - np.log(self.cells), 0.0)

    def sensitivity(self, masses: FloatArray) -> float:
        """Largest spread of one hypothesis' log density over the cells, for masses of shape (K, A)."""
        values = self.log_density(masses)[:, self.cells > 0]
        return float((values.max(axis=1) - values.min(axis=1)).max())


def clipping(distributions: FloatArray, multiplicity: FloatArray, horizon: int) -> Channel:
    """The map h_t of (3) to (5) for one context.

    Parameters
    ----------
    distributions
        Shape (K, A): probability of a single label of each of A groups of alike labels.
    multiplicity
        Shape (A,): number of labels in each group; they sum to M.
    horizon
        T: the cell is drawn uniformly over all N' cells with probability 1/T.
    """
    n_labels = multiplicity.sum()
    largest = n_labels * distributions.max(axis=0)
    cells = multiplicity * np.ceil(largest * (1 - _CEILING_GUARD))  # (3)
    return Channel(1 - 1 / horizon, cells / (horizon * cells.sum()), cells)  # (5)


def randomized_response(multiplicity: FloatArray, epsilon: float) -> Channel:
    """Section 3: the label with probability 1 - eta, otherwise one of the others, eta = 1/(e^epsilon/(M-1) + 1).

    In mixture form: the label with probability c_eta = (e^epsilon - 1)/(e^epsilon + M - 1), otherwise
    uniform over all M labels.
    """
    n_labels = multiplicity.sum()
    kept = math.expm1(epsilon)  # NumPy's differs between processors, and so would samples of 10^12 symbols
    # c_eta of the mixture form
    keep = kept / (kept + n_labels)
    return Channel(float(keep), (1 - keep) * multiplicity / n_labels, multiplicity)


def identity(multiplicity: FloatArray) -> Channel:
    """No privacy: the label itself."""
    return Channel(1.0, np.zeros_like(multiplicity), multiplicity)


def privacy_loss(rows: FloatArray) -> float:
    """Exact privacy loss of a message, from its law about each label: shape (labels, messages).

    Messages that no label sends, such as intervals of no width, tell nothing.
    """
    sent = rows[:, rows.max(axis=0) > 0]
    with np.errstate(divide="ignore"):
        return float(np.log(sent.max(axis=0) / sent.min(axis=0)).max())


def validate_hypotheses(hypotheses: ArrayLike) -> FloatArray:
    """Return hypotheses as an array of shape (X, K, M); a (K, M) array is one context.

    Raises
    ------
    ValueError
        For fewer than two hypotheses, or rows that are not probability vectors.
    """
    array = validation.probabilities("hypotheses", hypotheses, ndim=None)
    if array.ndim not in (2, 3):
        raise ValueError(f"hypotheses must have 2 or 3 axes, got shape {array.shape}")
    if array.shape[-2] < 2:
        raise ValueError(f"hypotheses must hold at least 2 distributions, got shape {array.shape}")
    return array[None] if array.ndim == 2 else array


def merge_labels(hypotheses: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Group the labels that no hypothesis tells apart in any context.

    Parameters
    ----------
    hypotheses
        Shape (X, K, M).

    Returns
    -------
    Probabilities of one label of each group, shape (X, K, A), and the sizes of the groups, shape (A,).
    """
    columns = np.ascontiguousarray(hypotheses.reshape(-1, hypotheses.shape[-1]).T) + 0.0
    keys = columns.view(np.dtype((np.void, columns.itemsize * columns.shape[1]))).ravel()
    _, first, sizes = np.unique(keys, return_index=True, return_counts=True)
    return hypotheses[..., first], sizes.astype(np.float64)
