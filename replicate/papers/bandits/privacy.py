"""Privacy of the Laplace steps, exactly: worst losses, output laws of tiny instances, and composition."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.signal import fftconvolve

from replicate import boundary

__all__ = [
    "advanced_composition",
    "advised_switch_law",
    "composed_delta",
    "laplace_loss",
    "laplace_tail",
    "switch_law",
]

FloatArray = NDArray[np.float64]


def laplace_loss(shift: ArrayLike, scale: ArrayLike) -> FloatArray:
    """Exact privacy loss of Laplace(scale) noise on a number that moves by `shift`: shift / scale."""
    return np.asarray(np.asarray(shift, dtype=np.float64) / np.asarray(scale, dtype=np.float64))


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


def composed_delta(*, n: int, single: float, epsilon: float, cells: int = 2000) -> tuple[float, float]:
    """Certified interval of the smallest delta at which n Laplace mechanisms are (epsilon, delta)-DP together.

    One mechanism's privacy loss, when its number moves by `single` times the noise's scale, is `single` with
    probability 1/2, -`single` with probability e^-single / 2, and has density e^((x - single) / 2) / 4 between.
    It is put on a grid of 2 `cells` steps, every value rounded up for the upper end and down for the lower
    end; n-fold sums are exact convolutions, and delta = E[(1 - e^(epsilon - sum))_+].

    Parameters
    ----------
    n
        Number of mechanisms composed.
    single
        Epsilon of one of them, positive.
    epsilon
        Epsilon of the composition, at least 0.
    cells
        Half the number of grid steps.
    """
    n, cells = boundary.count("n", n), boundary.count("cells", cells)
    step = boundary.positive("single", single) / cells
    edges = step * np.arange(-cells, cells + 1)
    between = 0.5 * np.diff(np.exp((edges - single) / 2))
    ends = []
    for lowest in (0, 1):
        mass = np.zeros(2 * cells + 1)
        mass[lowest : lowest + 2 * cells] = between
        mass[0] += 0.5 * np.exp(-single)
        mass[-1] += 0.5
        total = np.maximum(_power(mass, n), 0)
        sums = step * (np.arange(len(total)) - n * cells)
        ends.append(float(total @ np.maximum(-np.expm1(np.minimum(epsilon - sums, 0)), 0)))
    return ends[0], min(1.0, ends[1])


def _power(mass: FloatArray, n: int) -> FloatArray:
    """n-fold convolution by repeated squaring."""
    result = np.ones(1)
    while n:
        if n & 1:
            result = fftconvolve(result, mass)
        n >>= 1
        if n:
            mass = fftconvolve(mass, mass)
    return np.asarray(result)
