"""Figure 1 of the paper: EXP3's probabilities on two neighbouring loss sequences (Appendix G.1)."""

from __future__ import annotations

import math

import numpy as np

from replicate import validation
from replicate.papers.bandits.algorithms.kernels import kernel
from replicate.validation import FloatArray

_FAR = 600.0
"""Log ratio of the weights beyond which the smaller one is nothing."""


def exp3_leakage(*, learning_rate: float, mixing: float, horizon: int) -> tuple[FloatArray, FloatArray]:
    """Return EXP3's P_t(2) on two neighbouring loss sequences, the actions played held equal (Figure 1).

    All losses are 1, except that on the first sequence action 2 loses nothing in round 1. Action 2 is forced
    in odd rounds, action 1 in even rounds.

    Parameters
    ----------
    learning_rate
        eta, positive.
    mixing
        gamma, in (0, 1].
    horizon
        Number of rounds T, at most 10**8.

    Returns
    -------
    P_t(2) for t = 1, ..., T on the first sequence and on its neighbour, shape (T,) each.

    Examples
    --------
    >>> first, neighbour = exp3_leakage(learning_rate=1e-3, mixing=1e-3, horizon=100_000)
    >>> round(float(first[-1]), 4), round(float(neighbour[-1]), 4)
    (0.9995, 0.0005)
    """
    eta = validation.positive("learning_rate", learning_rate)
    gamma = validation.positive("mixing", mixing, high=1.0)
    rounds = validation.count("horizon", horizon, high=10**8)
    first, second = np.empty(rounds), np.empty(rounds)
    leakage(eta, gamma, 0.0, first)
    leakage(eta, gamma, 1.0, second)
    return first, second


@kernel
def leakage(eta: float, gamma: float, first_loss: float, probabilities: FloatArray) -> None:
    """Write EXP3's P_t(2) when actions 2, 1, 2, 1, ... are forced and every loss is 1 but the first.

    In log space: w_t(2) / w_t(1) = exp(d_t).
    """
    d = 0.0
    for t in range(len(probabilities)):
        p = (1.0 - gamma) / (1.0 + math.exp(-d)) + gamma / 2.0  # Algorithm 3, line 4, for two actions
        probabilities[t] = p
        if t % 2 == 0:
            d -= eta * (first_loss if t == 0 else 1.0) / p  # lines 6-7
        else:
            d += eta / (1.0 - p)  # lines 6-7, of the other action
        d = min(max(d, -_FAR), _FAR)
