"""Exact privacy loss of learners that read each block of rounds for one selection.

Block r holds 2**r rounds; the action played on block r + 1 is selected from the summed losses of a prefix of block
r whose length does not depend on the losses. A neighbouring table touches one block. Given the table, the actions
of the blocks are independent, so all factors of the joint distribution but one are the same for two neighbours:
the worst privacy loss of the whole sequence of actions is that of the worst block.

One block, read by a softmax. The distribution of the selection is the average over prefix lengths m of
softmax(-L(m) / scale). Fix an action j. Its probability depends on the others only through sum_i exp((L_j - L_i) /
scale), and a vector changes that sum by a factor between exp(-2 / scale) and exp(2 / scale) in all; other actions
with equal losses reach every such value, so they are equal in a worst case. A vector that comes first is in every
prefix, which is worst. With w_m the amount by which j trails the others in the m - 1 common rounds, at most m - 1,
the loss is that of

    sum_m weight_m p(w_m - 1) / sum_m weight_m p(w_m + 1),    p(w) = 1 / (1 + (K - 1) exp(w / scale)).

To maximise a ratio of sums is to find the lambda at which max_w sum_m weight_m [p(w_m - 1) - lambda p(w_m + 1)]
is 0 (Dinkelbach). Each summand has one stationary point w*, a maximum, in closed form; so the worst path is
w_m = min(m - 1, w*), which single rounds with losses in [0, 1] can produce.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from replicate import validation
from replicate.learners.dyadic import Selector
from replicate.validation import FloatArray

PrefixWeights = Callable[[int], FloatArray]
"""Block r to the probabilities of reading its first 1, 2, ..., 2**r rounds, shape (2**r,)."""


def whole_block_weights(r: int) -> FloatArray:
    """Return the law of a prefix that is the whole block: zeros and a last one, shape (2**r,), r from 0 to 30."""
    n = 2 ** validation.count("r", r, low=0, high=30)
    return np.asarray((np.arange(n) == n - 1).astype(np.float64))


def _block_law(block: FloatArray, selector: Selector, weights: FloatArray, earlier: ArrayLike = 0.0) -> FloatArray:
    """Distribution of the action selected from a block (..., n, K), with `earlier` added to every prefix sum."""
    read = weights > 0
    sums = np.cumsum(block, axis=-2)[..., read, :] + np.asarray(earlier)
    return np.asarray(weights[read] @ selector(sums))


def sequence_law(
    table: ArrayLike, *, selector: Selector, weights: PrefixWeights = whole_block_weights, readers: int = 1
) -> FloatArray:
    """Exact joint distribution of the actions that s whole blocks of losses determine.

    Parameters
    ----------
    table
        Losses in [0, 1], shape (..., 2**s - 1, K); K**s at most 2**24.
    selector, weights
        The learner: summed losses to the distribution of an action, and the distribution of the prefix of each
        block.
    readers
        How many selections read a block. With 2, a selection reads the block before last as well: a mutant
        that breaks the factorisation, for negative controls.

    Returns
    -------
    Probabilities, shape (..., K**s), the last action running fastest.
    """
    losses = validation.unit_array("table", table, ndim=None)
    readers = validation.count("readers", readers, high=2)
    validation.function("selector", selector)
    validation.function("weights", weights)
    if losses.ndim < 2 or _complete(losses) * np.log2(losses.shape[-1]) > 24:
        raise ValueError(
            f"table must have rounds, actions and at most 2**24 sequences of these, got shape {losses.shape}"
        )
    joint = np.ones((*losses.shape[:-2], 1))
    for law in _selection_laws(losses, selector, weights, readers):
        # given the table, selections are independent: no block is read by two of them
        joint = (joint[..., :, None] * law[..., None, :]).reshape(*losses.shape[:-2], -1)
    return joint


def _complete(table: FloatArray) -> int:
    """Number of whole blocks of a table, shape (..., T, K)."""
    return (table.shape[-2] + 1).bit_length() - 1


def _selection_laws(
    table: FloatArray, selector: Selector, weights: PrefixWeights, readers: int
) -> Iterator[FloatArray]:
    """Distribution of each selection, shape (..., K)."""
    for r in range(_complete(table)):
        n = 2**r
        read_before = slice(n // 2 - 1, n - 1) if readers == 2 and r > 0 else slice(0)
        earlier = table[..., read_before, :].sum(axis=-2, keepdims=True)
        yield _block_law(table[..., n - 1 : 2 * n - 1, :], selector, weights(r), earlier)


def softmax_block_privacy_loss(*, n_actions: int, scale: float, weights: ArrayLike) -> float:
    """Exact worst privacy loss of a selection by softmax(-L(m) / scale), m the random length of a prefix.

    Parameters
    ----------
    n_actions
        K >= 2.
    scale
        Temperature, from 0.01 to 1e9.
    weights
        Probabilities of the prefix lengths 1, ..., n, shape (n,).

    Returns
    -------
    The largest log ratio over all neighbouring blocks of losses in [0, 1] and all actions; at most 2 / scale.
    """
    n_actions = validation.count("n_actions", n_actions, low=2)
    eta = 1 / validation.real("scale", scale, low=0.01, high=1e9)
    law = validation.probabilities("weights", weights)
    common = np.flatnonzero(law).astype(np.float64)
    law, loss = law[law > 0], 0.0
    while True:
        # the worst path for this lambda = exp(loss)
        path = np.minimum(common, _stationary(n_actions, eta, loss))
        # Dinkelbach's step: the ratio there is the next lambda
        before, after = (
            logsumexp(-np.logaddexp(0, np.log(n_actions - 1) + eta * (path + step)), b=law) for step in (-1, 1)
        )
        improved = float(before - after)
        if improved <= loss + 1e-14:
            return loss
        loss = improved


def _stationary(n_actions: int, eta: float, loss: float) -> float:
    """The w at which p(w - 1) - exp(loss) p(w + 1) is largest; infinite when it grows for ever."""
    if loss >= 2 * eta:
        return np.inf
    odds = np.expm1(loss / 2 + eta) / (np.exp(eta) - np.exp(loss / 2))
    return float(np.log(odds / (n_actions - 1))) / eta
