"""Privacy of the Laplace steps: exact output laws of tiny instances, and Lemma 15."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from replicate.validation import FloatArray

__all__ = [
    "advanced_composition",
    "advised_switch_law",
    "laplace_tail",
    "switch_law",
]


def laplace_tail(x: ArrayLike, scale: float) -> FloatArray:
    """P(Z > x) for Z Laplace(scale)."""
    y = np.asarray(x, dtype=np.float64) / scale
    return np.where(y > 0, 0.5 * np.exp(-np.abs(y)), 1 - 0.5 * np.exp(-np.abs(y)))


def switch_law(losses: ArrayLike, *, batch: int, scale: float, threshold: float) -> FloatArray:
    """Law of Algorithm 1's actions over a base learner that tells as much as it can.

    The base learner starts with action 0 and changes it whenever the noisy batch mean exceeds `threshold`.
    A threshold above every mean makes each switch e^epsilon times as likely after a batch of losses 1 as
    after one whose mean is 1 / tau less.

    Parameters
    ----------
    losses
        Shape (T, 2), T a multiple of `batch`.
    batch, scale, threshold
        tau, the noise's scale, the base learner's threshold.

    Returns
    -------
    Probabilities of the 2^(T / tau) sequences of switches; they determine the actions, and include the
    decision that the last batch leads to.
    """
    means = np.asarray(losses, dtype=np.float64).reshape(-1, batch, 2).mean(axis=1)
    law = []
    for switches in product((False, True), repeat=len(means)):
        action, probability = 0, 1.0
        for mean, switch in zip(means, switches, strict=True):
            moved = float(laplace_tail(threshold - mean[action], scale))
            probability *= moved if switch else 1 - moved
            action ^= switch
        law.append(probability)
    return np.array(law)


def advised_switch_law(losses: ArrayLike, advice: ArrayLike, *, scale: float, threshold: float) -> FloatArray:
    """Law of Algorithm 5's actions, batch size 1, over the base learner of `switch_law` with two experts.

    Parameters
    ----------
    losses, advice
        Shapes (T, 2) and (T + 1, 2, 2): the advice of round T + 1 turns the last decision into an action.

    Returns
    -------
    Probabilities of the 2^(T + 1) sequences of actions.
    """
    table, told = np.asarray(losses, dtype=np.float64), np.asarray(advice, dtype=np.float64)
    moved = laplace_tail(threshold - table, scale)
    law = []
    for actions in product((0, 1), repeat=len(table) + 1):
        state = np.array([1.0, 0.0])
        for t, action in enumerate(actions):
            state = state * told[t, :, action]
            if t < len(table):
                stay = 1 - moved[t, action]
                state = stay * state + (1 - stay) * state[::-1]
        law.append(state.sum())
    return np.array(law)


def advanced_composition(*, n: ArrayLike, epsilon: ArrayLike, delta: ArrayLike) -> FloatArray:
    """Lemma 15 for n equal mechanisms: 3/2 n epsilon^2 + sqrt(6 n epsilon^2 log(1 / delta))."""
    square = np.asarray(n, dtype=np.float64) * np.asarray(epsilon, dtype=np.float64) ** 2
    return np.asarray(1.5 * square + np.sqrt(6 * square * np.log(1 / np.asarray(delta, dtype=np.float64))))
