"""Kernels of bandits with expert advice draw Laplace noise of the scale given, afresh where privacy asks for it.

Laws of what they draw, against the exact ones; a twin with 1.2 times the scale must be rejected. Kolmogorov's and
Smirnov's test on n values rejects at 3.27 / sqrt(n) (level 1e-9), and the two laws are 0.0335 apart: with 25,000
values four standard deviations are left.
"""

import numpy as np
import pytest

from replicate.papers.bandits.algorithms import advice_kernels
from replicate.streams import stream
from tests.conftest import FALSE_ALARM
from tests.learners.draws import check_columns, correlated, fits, sum_law

MANY = 25_000


@pytest.mark.parametrize("rounds", [5, 3])
def test_the_kernel_of_algorithm_2_draws_noise_for_every_expert(rounds):
    """Zero losses, one batch, or a shorter one: the score is the noise, times minus the learning rate."""
    rng, scale, zeros = stream(13, "experts", rounds), 2.5, np.zeros((1, 2))
    given = np.full((1, 4, 2), 0.5)
    noise = np.zeros((MANY // 4, 4))
    for score in noise:
        game = advice_kernels.Game(given, zeros, False, 0.5, 0.3, scale, 0)
        advice_kernels.play_all_batched(score, game, 0, rounds, 5, rng)
    check_columns(noise / (-0.5 * scale))


def test_the_kernel_of_algorithm_2_draws_noise_for_every_batch():
    """The score after two batches, the second a short one, has the law of two independent draws."""
    rng, scale, zeros, given = stream(14, "batches"), 2.5, np.zeros((1, 2)), np.full((1, 4, 2), 0.5)
    noise = np.zeros((MANY // 4, 4))
    for score in noise:
        game = advice_kernels.Game(given, zeros, False, -1.0, 0.3, scale, 0)
        advice_kernels.play_all_batched(score, game, 0, 8, 5, rng)
    assert fits(noise.ravel() / scale, sum_law(2))
    assert not fits(1.2 * noise.ravel() / scale, sum_law(2))
    assert not fits(2 * rng.laplace(size=MANY), sum_law(2))


def test_the_kernel_of_algorithm_6_draws_noise_for_every_round():
    """Experts that name an action each, and hardly any learning: the score of an action is its noise times K."""
    rng, scale, k = stream(15, "rounds"), 2.5, 60
    given, zeros, values, pairs = np.eye(k)[None], np.zeros((1, k)), [], []
    for _ in range(MANY):
        score = np.zeros(k)
        game = advice_kernels.Game(given, zeros, False, 1e-9, 0.3, scale, 0)
        advice_kernels.play_local(score, game, 0, 2, rng)
        drawn = score[score != 0] / (-1e-9 * k * scale)
        if len(drawn) == 2:
            values.append(drawn[0])
            pairs.append(drawn)
    values, pairs = np.array(values), np.array(pairs)
    assert fits(values, sum_law(1))
    assert not fits(1.2 * values, sum_law(1))
    assert fits(pairs[:, 1] - pairs[:, 0], sum_law(2))
    assert correlated(*pairs.T) > FALSE_ALARM
    assert correlated(*np.abs(pairs.T)) > FALSE_ALARM
    shared = np.repeat(pairs[:, :1], 2, axis=1)
    assert not fits(shared[:, 1] - shared[:, 0], sum_law(2))
    assert correlated(*shared.T) < FALSE_ALARM
