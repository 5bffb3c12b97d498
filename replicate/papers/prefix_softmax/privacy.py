"""Randomised-prefix softmax in the terms of `replicate.audit.blocks`: prefix law and worst pairs of tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from replicate import audit, boundary
from replicate.papers.prefix_softmax.algorithms import selector

__all__ = ["block_privacy_loss", "neighbouring_pair", "prefix_weights", "sequence_law"]

FloatArray = NDArray[np.float64]


def prefix_weights(r: int) -> FloatArray:
    """Return the law of M_r: uniform on 2**(r-1) + 1, ..., 2**r; one for r = 0 (Section 4)."""
    lengths = np.arange(1, 2**r + 1)
    return np.asarray((lengths > 2**r // 2) / (2**r - 2**r // 2))


def block_privacy_loss(*, n_actions: int, eta: float, block: int) -> float:
    """Exact worst privacy loss of the selection that reads block `block` (of 2**block rounds).

    Parameters
    ----------
    n_actions
        K >= 2.
    eta
        Learning rate, positive.
    block
        r, 0 to 24.

    Returns
    -------
    The largest log ratio over all neighbouring blocks of losses in [0, 1] and all actions. Lemma 3: at most 2 eta.
    """
    weights = prefix_weights(boundary.count("block", block, low=0, high=24))
    return audit.softmax_block_privacy_loss(
        n_actions=n_actions, scale=1 / boundary.positive("eta", eta), weights=weights
    )


def neighbouring_pair(*, blocks: int, changed: int) -> tuple[FloatArray, FloatArray]:
    """Neighbouring tables of two actions whose losses in the first round of block `changed` are exchanged.

    Everywhere else action 0 loses and action 1 does not, so that action 0 becomes unlikely.

    Returns
    -------
    Two tables of shape (2**blocks - 1, 2), entries 0 and 1.
    """
    table = np.tile([1.0, 0.0], (2**blocks - 1, 1))
    other = table.copy()
    other[2**changed - 1] = [0.0, 1.0]
    return table, other


def sequence_law(table: FloatArray, *, eta: float, readers: int = 1) -> FloatArray:
    """Exact joint law of the actions A_1, ..., A_s that s whole blocks of losses determine.

    Losses have shape (2**s - 1, K), probabilities (K**s,). With 2 readers, see `audit.sequence_law`.
    """
    return audit.sequence_law(table, selector=selector(eta), weights=prefix_weights, readers=readers)
