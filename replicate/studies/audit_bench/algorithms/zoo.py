"""Mechanisms with real errors, each rewritten from its public description; settings make the corrected twins.

Every function returns the outputs of n runs on one input. What is wrong, and how it is put right, is said in
`instances.zoo`. Variants of the sparse vector technique are `field.sparse_vector` with other settings. Where a
mechanism is a learner of a paper, that learner plays, as printed or as corrected.
"""

from __future__ import annotations

import numpy as np

from replicate import audit, mechanisms
from replicate.papers.bandits.algorithms import kernels, tuning
from replicate.papers.noisy_leader.algorithms import NoisyLeader
from replicate.papers.tracking.algorithms import mirror_descent
from replicate.validation import FloatArray, Generator, IntArray


def sum_of_squares(
    x: FloatArray, n: int, rng: Generator, *, bounds: tuple[float, float], ends: tuple[int, int]
) -> FloatArray:
    """Sum of the squares of numbers between bounds, with noise scaled to the larger square of two bounds.

    Parameters
    ----------
    x, n, rng
        Numbers, shape (d,), number of runs, source of randomness.
    bounds
        What the numbers lie between.
    ends
        Which bounds are squared: (0, 1) is right, (0, 0) reads the lower one twice (diffprivlib, issue 105).
    """
    sensitivity = max(bounds[end] ** 2 for end in ends)
    return np.asarray((x**2).sum() + rng.laplace(scale=sensitivity, size=n))


def selection(x: FloatArray, n: int, rng: Generator, *, noise: str) -> IntArray:
    """Position of the largest of d numbers with noise of scale 2: (d,) -> (n,)."""
    return np.asarray(mechanisms.report_noisy_max(np.tile(x, (n, 1)), noise=noise, scale=2.0, rng=rng))


def leader(table: FloatArray, n: int, rng: Generator, *, calibration: str) -> IntArray:
    """Actions of paper 2's learner with exponential noise, run by run: losses (T, K) -> (n, T)."""

    def learner(coins: Generator) -> NoisyLeader:
        return NoisyLeader(table.shape[1], epsilon=1.0, rng=coins, noise="exponential", calibration=calibration)

    return np.asarray(audit.learner_sampler(learner, table)(n, rng))


def plays_in_half(table: FloatArray, n: int, rng: Generator, *, calibration: str, n_switches: int) -> IntArray:
    """Plays of the first half of experts by paper 3's Algorithm 3 after round 1: losses (T, N) -> numbers (n,)."""
    rounds, n_experts = table.shape
    rate, noise = mirror_descent.parameters(
        n_actions=n_experts, horizon=rounds, n_switches=n_switches, epsilon=1.0, calibration=calibration
    )
    floor = n_switches / (n_experts * rounds)
    runs = (mirror_descent.play(table, rate, noise, floor, rng)[0] for _ in range(n))
    return np.array([np.count_nonzero(plays[1:] < n_experts // 2) for plays in runs])


def exp3(table: FloatArray, n: int, rng: Generator, *, noise: float) -> IntArray:
    """Actions of EXP3 (rate 1/2, mixing 1/10) with Laplace noise on every loss, as one number a run.

    Losses of two actions, (T, 2), to the number whose binary digits are the actions, (n,); noise 0 is plain EXP3.
    """
    codes = np.empty(n, dtype=np.int64)
    plan = tuning.exp3(learning_rate=0.5, mixing=0.1, n_actions=2)
    kernels.sample_actions(
        kernels.EXP3, kernels.fresh_state(kernels.EXP3, 2), plan.setting, table, noise, codes, rng
    )
    return codes
