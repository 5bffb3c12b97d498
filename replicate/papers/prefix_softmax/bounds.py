"""Right-hand sides of the paper's statements, constants as printed.

K = n_actions, Delta = gap, the smallest distance of another action's mean loss to the best one's,
eta = min(epsilon / 2, 1/8), F_m = expected gap of the action that softmax selects from m rounds of losses.
Regret is pseudo-regret, counted in units of loss; losses lie in [0, 1]; logarithms are natural.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from replicate import validation
from replicate.validation import FloatArray

__all__ = [
    "equation_4",
    "lemma_1",
    "lemma_4",
    "lemma_5",
    "lemma_5_large_gaps",
    "lemma_5_small_gaps",
    "proposition_1",
    "rate",
    "remainder",
    "theorem_1",
    "theorem_1_rate",
]


def _log_k(n_actions: int) -> float:
    return math.log(validation.count("n_actions", n_actions, low=2))


def _eta(epsilon: float) -> float:
    return min(validation.positive("epsilon", epsilon) / 2, 1 / 8)


def _gap(gap: float) -> float:
    return validation.positive("gap", gap, high=1)


def rate(*, n_actions: int, gap: float, epsilon: float) -> float:
    """Return log K / Delta + log K / epsilon, the rate of Corollary 1.

    Parameters
    ----------
    n_actions
        Number of actions K >= 2.
    gap
        Smallest gap, in (0, 1].
    epsilon
        Privacy level, positive.

    Examples
    --------
    >>> round(rate(n_actions=16, gap=0.1, epsilon=0.5), 2)
    33.27
    """
    return _log_k(n_actions) * (1 / _gap(gap) + 1 / validation.positive("epsilon", epsilon))


def theorem_1(*, n_actions: int, gap: float, epsilon: float) -> float:
    """Return 1 + 800 log K / Delta + 16 log K / eta: Theorem 1, (1), bounds the regret of every horizon by it.

    Parameters
    ----------
    n_actions, gap, epsilon
        As for `rate`.

    Examples
    --------
    >>> round(theorem_1(n_actions=5, gap=0.1, epsilon=0.5))
    13083
    """
    return 1 + _log_k(n_actions) * (800 / _gap(gap) + 16 / _eta(epsilon))


def theorem_1_rate(*, n_actions: int, gap: float, epsilon: float) -> float:
    """Return 1000 (log K / Delta + log K / epsilon): Theorem 1, (2), bounds the regret of every horizon by it.

    Parameters
    ----------
    n_actions, gap, epsilon
        As for `rate`.

    Examples
    --------
    >>> round(theorem_1_rate(n_actions=5, gap=0.1, epsilon=0.5))
    19313
    """
    return 1000 * rate(n_actions=n_actions, gap=gap, epsilon=epsilon)


def proposition_1(*, epsilon: float) -> float:
    """Return 2 eta, at most epsilon: the privacy loss of one selection (Lemma 3) and of all (Proposition 1).

    Parameters
    ----------
    epsilon
        Privacy level, positive.

    Examples
    --------
    >>> proposition_1(epsilon=0.1), proposition_1(epsilon=3)
    (0.1, 0.25)
    """
    return 2 * _eta(epsilon)


def lemma_1(rounds: ArrayLike, mean: ArrayLike) -> FloatArray:
    """Return exp(-m mu^2 / 8): Lemma 1 bounds P(U_1 + ... + U_m <= m mu / 2) by it, U in [-1, 1] with mean mu.

    Parameters
    ----------
    rounds
        Number of rounds m >= 0, any shape.
    mean
        Mean mu in [0, 1], any shape that broadcasts.

    Returns
    -------
    Bounds, the shape of the arguments broadcast.

    Examples
    --------
    >>> lemma_1([8, 80], 0.5).round(4)
    array([0.7788, 0.0821])
    """
    m, mu = _broadcast(rounds, "mean", mean)
    return np.exp(-m * mu**2 / 8)


def lemma_4(error_sum: ArrayLike) -> FloatArray:
    """Return 1 + 4 sum_m F_m: Lemma 4 bounds the regret by it.

    Parameters
    ----------
    error_sum
        sum_m F_m, at least 0, any shape.

    Returns
    -------
    Bounds, the same shape.

    Examples
    --------
    >>> lemma_4([0.0, 2.5])
    array([ 1., 11.])
    """
    total = validation.numbers("error_sum", error_sum, ndim=None)
    if (total < 0).any():
        raise ValueError(f"error_sum must be at least 0, got {total.min()} among its values")
    return np.asarray(1 + 4 * total)


def equation_4(rounds: ArrayLike, gap: ArrayLike) -> FloatArray:
    """Return 2 exp(-m Delta_j^2 / 8): (4) bounds E[P_{m,j}] by it when Delta_j <= 4 eta.

    Parameters
    ----------
    rounds
        Length of the prefix m >= 0, any shape.
    gap
        Delta_j in [0, 1], any shape that broadcasts.

    Returns
    -------
    Bounds, the shape of the arguments broadcast.

    Examples
    --------
    >>> equation_4(80, [0.1, 0.5]).round(4)
    array([1.8097, 0.1642])
    """
    m, delta = _broadcast(rounds, "gap", gap)
    return 2 * np.exp(-m * delta**2 / 8)


def _broadcast(rounds: ArrayLike, name: str, values: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return numbers of rounds and numbers in [0, 1] as arrays that broadcast."""
    m, x = (
        validation.numbers("rounds", rounds, ndim=None),
        validation.unit_array(name, values, ndim=None, min_last=1),
    )
    if (m < 0).any():
        raise ValueError(f"rounds must be at least 0, got {m.min()} among its values")
    try:
        np.broadcast_shapes(m.shape, x.shape)
    except ValueError:
        raise ValueError(f"rounds and {name} must broadcast, got shapes {m.shape} and {x.shape}") from None
    return m, x


def lemma_5_small_gaps(*, n_actions: int, gap: float) -> float:
    """Return 200 log K / Delta: (5) bounds by it what the actions with Delta_j <= 4 eta add to sum_m F_m.

    Parameters
    ----------
    n_actions, gap
        As for `rate`.

    Examples
    --------
    >>> round(lemma_5_small_gaps(n_actions=16, gap=0.1))
    5545
    """
    return 200 * _log_k(n_actions) / _gap(gap)


def lemma_5_large_gaps(*, n_actions: int, epsilon: float) -> float:
    """Return 4 log K / eta: (6) bounds by it what the actions with Delta_j > 4 eta add to sum_m F_m.

    Parameters
    ----------
    n_actions, epsilon
        As for `rate`.

    Examples
    --------
    >>> round(lemma_5_large_gaps(n_actions=16, epsilon=0.1))
    222
    """
    return 4 * _log_k(n_actions) / _eta(epsilon)


def lemma_5(*, n_actions: int, gap: float, epsilon: float) -> float:
    """Return 200 log K / Delta + 4 log K / eta: Lemma 5 bounds sum_m F_m by it.

    Parameters
    ----------
    n_actions, gap, epsilon
        As for `rate`.

    Examples
    --------
    >>> round(lemma_5(n_actions=16, gap=0.1, epsilon=0.1))
    5767
    """
    return lemma_5_small_gaps(n_actions=n_actions, gap=gap) + lemma_5_large_gaps(
        n_actions=n_actions, epsilon=epsilon
    )


def remainder(*, n_actions: int, gap: float, epsilon: float, rounds: int) -> float:
    """Return what the proof leaves for the time after 4 n rounds (derived from Lemmas 2, 4 and 5).

    Lemma 4 charges that time 4 sum_{m > n} F_m. Before the gaps are split, the proof of (4) gives
    E[P_{m,j}] <= exp(-m Delta_j^2 / 8) + exp(-m eta Delta_j / 2) for every action. Lemma 2 (iv) sums the
    tails: 4 Delta (16 / Delta^2) exp(-n Delta^2 / 8) + 4 Delta (4 / (eta Delta)) exp(-n eta Delta / 2), which is
    largest at the smallest gap; there are K - 1 actions.

    Parameters
    ----------
    n_actions, gap, epsilon
        As for `rate`.
    rounds
        n, 0 to 2**63 - 1.

    Examples
    --------
    >>> remainder(n_actions=16, gap=0.1, epsilon=0.1, rounds=2**14) < 1e-3
    True
    """
    k, delta, eta = validation.count("n_actions", n_actions, low=2), _gap(gap), _eta(epsilon)
    n = validation.count("rounds", rounds, low=0)
    statistical = 64 / delta * math.exp(-n * delta**2 / 8)
    private = 16 / eta * math.exp(-n * eta * delta / 2)
    return (k - 1) * (statistical + private)
