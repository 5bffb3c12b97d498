"""Exact worst-case privacy loss of randomised-prefix softmax.

The output law for a block with prefix sums L(m) is the average over m of softmax(-eta L(m)). Fix an
action j. Its probability depends on the other actions through sum_i exp(eta (L_j - L_i)) only, and a
vector changes that sum by a factor between exp(-2 eta) and exp(2 eta) in all; other actions with equal
losses reach every such value, so they are equal in a worst case. With w_m the amount by which j trails
them in the m - 1 common rounds, |w_m| <= m - 1, the loss is that of

    sum_m p(w_m - 1) / sum_m p(w_m + 1),    p(w) = 1 / (1 + (K - 1) exp(eta w)).

To maximise a ratio of sums is to find the lambda at which max_w sum_m [p(w_m - 1) - lambda p(w_m + 1)] = 0
(Dinkelbach). Each summand has one stationary point w*, a maximum, in closed form; so the worst path is
w_m = min(m - 1, w*), which single rounds with losses in [0, 1] can produce.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from replicate import boundary
from replicate.papers.prefix_softmax.algorithms import selector

__all__ = ["block_privacy_loss", "neighbouring_pair", "sequence_law"]

FloatArray = NDArray[np.float64]


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
    n_actions, eta = boundary.count("n_actions", n_actions, low=2), boundary.positive("eta", eta)
    n = 2 ** boundary.count("block", block, low=0, high=24)
    common = np.arange(n // 2 + 1, n + 1) - 1.0
    loss = 0.0
    while True:
        path = np.minimum(common, _stationary(n_actions, eta, loss))
        improved = float(logsumexp(_log_p(path - 1, n_actions, eta)) - logsumexp(_log_p(path + 1, n_actions, eta)))
        if improved <= loss + 1e-14:
            return loss
        loss = improved


def _log_p(w: FloatArray, n_actions: int, eta: float) -> FloatArray:
    """Log probability of an action that trails all others by w."""
    return np.asarray(-np.logaddexp(0, np.log(n_actions - 1) + eta * w))


def _stationary(n_actions: int, eta: float, loss: float) -> float:
    """The w at which p(w - 1) - exp(loss) p(w + 1) is largest; infinite when it grows for ever."""
    if loss >= 2 * eta:
        return np.inf
    odds = np.expm1(loss / 2 + eta) / (np.exp(eta) - np.exp(loss / 2))
    return float(np.log(odds / (n_actions - 1))) / eta


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

    Parameters
    ----------
    table
        Losses, shape (2**s - 1, K).
    eta
        Learning rate.
    readers
        How many selections read a block. The paper's learner has 1. With 2, a selection reads the block
        before last as well: a mutant that breaks the privacy proof.

    Returns
    -------
    Probabilities, shape (K**s,), the last action running fastest.
    """
    joint = np.ones(1)
    for law in _selection_laws(table, eta, readers):
        joint = np.multiply.outer(joint, law).ravel()
    return joint


def _selection_laws(table: FloatArray, eta: float, readers: int) -> Iterator[FloatArray]:
    """Law of each selection, shape (K,): the softmax laws of all prefixes that may be read, averaged."""
    select = selector(eta)
    for r in range((len(table) + 1).bit_length() - 1):
        n = 2**r
        prefix_sums = np.cumsum(table[n - 1 : 2 * n - 1], axis=0)[n // 2 :]
        if readers == 2 and r > 0:
            prefix_sums = prefix_sums + table[n // 2 - 1 : n - 1].sum(axis=0)
        yield select(prefix_sums).mean(axis=0)
