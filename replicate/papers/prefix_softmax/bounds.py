"""The right-hand sides of the paper's statements, constants as printed.

K = n_actions, gap = smallest gap, eta = min(epsilon / 2, 1/8). Arguments broadcast.
"""

from __future__ import annotations

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
    "rate",
    "remainder",
    "theorem_1",
    "theorem_1_rate",
]


def _log_k(n_actions: int) -> float:
    return float(np.log(validation.count("n_actions", n_actions, low=2)))


def _eta(epsilon: float) -> float:
    return min(validation.positive("epsilon", epsilon) / 2, 1 / 8)


def _gap(gap: float) -> float:
    return validation.positive("gap", gap, high=1)


def rate(*, n_actions: int, gap: float, epsilon: float) -> float:
    """Return log K / gap + log K / epsilon, the rate of Corollary 1."""
    return _log_k(n_actions) * (1 / _gap(gap) + 1 / validation.positive("epsilon", epsilon))


def theorem_1(*, n_actions: int, gap: float, epsilon: float) -> float:
    """Theorem 1, (1): Reg_T <= 1 + 800 log K / gap + 16 log K / eta, for every T."""
    return 1 + _log_k(n_actions) * (800 / _gap(gap) + 16 / _eta(epsilon))


def theorem_1_rate(*, n_actions: int, gap: float, epsilon: float) -> float:
    """Theorem 1, (2): Reg_T <= 1000 (log K / gap + log K / epsilon), for every T."""
    return 1000 * rate(n_actions=n_actions, gap=gap, epsilon=epsilon)


def lemma_1(rounds: ArrayLike, mean: ArrayLike) -> FloatArray:
    """Lemma 1: P(U_1 + ... + U_m <= m mu / 2) <= exp(-m mu^2 / 8), U in [-1, 1] with mean mu > 0."""
    return np.exp(-np.asarray(rounds) * np.asarray(mean) ** 2 / 8)


def lemma_4(error_sum: ArrayLike) -> FloatArray:
    """Lemma 4: Reg_T <= 1 + 4 sum_m F_m."""
    return 1 + 4 * np.asarray(error_sum, dtype=np.float64)


def equation_4(rounds: ArrayLike, gap: ArrayLike) -> FloatArray:
    """Inequality (4): E[P_{m,j}] <= 2 exp(-m Delta_j^2 / 8) when Delta_j <= 4 eta."""
    return 2 * np.exp(-np.asarray(rounds) * np.asarray(gap) ** 2 / 8)


def lemma_5_small_gaps(*, n_actions: int, gap: float) -> float:
    """Inequality (5): the actions with Delta_j <= 4 eta contribute at most 200 log K / gap to sum_m F_m."""
    return 200 * _log_k(n_actions) / _gap(gap)


def lemma_5_large_gaps(*, n_actions: int, epsilon: float) -> float:
    """Inequality (6): the actions with Delta_j > 4 eta contribute at most 4 log K / eta to sum_m F_m."""
    return 4 * _log_k(n_actions) / _eta(epsilon)


def lemma_5(*, n_actions: int, gap: float, epsilon: float) -> float:
    """Lemma 5: sum_m F_m <= 200 log K / gap + 4 log K / eta."""
    return lemma_5_small_gaps(n_actions=n_actions, gap=gap) + lemma_5_large_gaps(
        n_actions=n_actions, epsilon=epsilon
    )


def remainder(*, n_actions: int, gap: float, epsilon: float, rounds: int) -> float:
    """What the proof leaves for the time after 4 * `rounds` rounds (derived from Lemmas 2, 4 and 5).

    Lemma 4 charges that time 4 sum_{m > n} F_m, n = `rounds`. Before the gaps are split, the proof of (4)
    gives E[P_{m,j}] <= exp(-m Delta_j^2 / 8) + exp(-m eta Delta_j / 2) for every action. Lemma 2 (iv) sums the
    tails: 4 Delta (16 / Delta^2) exp(-n Delta^2 / 8) + 4 Delta (4 / (eta Delta)) exp(-n eta Delta / 2), which is
    largest at the smallest gap; there are K - 1 actions.
    """
    delta, eta = _gap(gap), _eta(epsilon)
    statistical = 64 / delta * np.exp(-rounds * delta**2 / 8)
    private = 16 / eta * np.exp(-rounds * eta * delta / 2)
    return float((validation.count("n_actions", n_actions, low=2) - 1) * (statistical + private))
