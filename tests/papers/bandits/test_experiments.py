"""Table 2, its rates and the map of explicit bounds; the learner of Lemma 11 by the laws of its probes."""

import numpy as np
import pytest
from scipy import stats

from replicate import certify
from replicate.papers.bandits import experiments
from tests.claims.quick import SEED
from tests.conftest import FALSE_ALARM


@pytest.mark.parametrize(
    ("experts", "epsilon", "rows", "winner"),
    [
        (3, 0.05, [0], 0), (4, 0.05, [0, 2], 2), (4, 1.0, [0, 1], 1), (40, 0.1, [1, 2], 2),
        (40, 0.11, [1], 1), (8, 0.3, [], 0), (8, 0.5, [1], 1), (3, 1.5, [0], 0),
    ],
)  # fmt: skip
def test_rows_of_table_2_with_four_actions_and_a_hundred_rounds(experts, epsilon, rows, winner):
    """N against K = 4, epsilon against K / N and 1 / sqrt(T) = 0.1; the last row that claims a point has it."""
    point = {"n_actions": 4, "n_experts": experts, "epsilon": epsilon, "horizon": 100}
    assert experiments.paper_row(**point) == rows
    assert experiments.winner_as_printed(**point) == winner


@pytest.mark.parametrize(
    ("experts", "epsilon", "winner"),
    [(16, 0.25, 1), (16, 0.249, 0), (16, 2**-10, 2), (16, 2**-9, 0), (4096, 2**-6, 1), (4096, 2**-6 - 1e-9, 2)],
)
def test_borders_of_the_rates_with_four_actions_and_4096_rounds(experts, epsilon, winner):
    """N = 16: K / N is 1/4 and N^2 / (K^3 T) is 2^-10. N = T: (N T)^(-1/4) = 2^-6 lies between these."""
    point = {"n_actions": 4, "n_experts": experts, "epsilon": epsilon, "horizon": 4096}
    assert experiments.winner_by_rate(**point) == winner


def test_rates_of_table_2_in_powers_of_two():
    """N = 64, K = 4, epsilon = 1/8, T = 512: sqrt(N T / eps), sqrt(K T) / eps and 2 * 2 * 64 * 2 + 64."""
    found = experiments.rates(n_actions=4, n_experts=64, epsilon=1 / 8, horizon=512)
    np.testing.assert_allclose(found, [512, 2 * 512**0.5 * 8, 512 + 64])


@pytest.mark.parametrize("horizon", [3e5, 1e6, 1e12, 1e27, 1e30])
def test_every_cell_of_the_map_has_the_smallest_bound_or_uniform_play_which_costs_half_the_rounds(horizon):
    cells = experiments.explicit_map(horizon)
    sizes = {"n_experts": cells["n_experts"], "epsilon": cells["epsilon"], "horizon": horizon}
    values = experiments.explicit_bounds(n_actions=2, **sizes)
    least = values.min(axis=0)
    np.testing.assert_array_equal(cells["winner"], np.where(least < horizon / 2, values.argmin(axis=0), -1))
    assert ((least >= horizon / 2) & (least < horizon)).any(), "cells that the half decides"


def test_no_bound_wins_before_its_first_horizon():
    for i, first in enumerate(experiments.first_horizons()):
        assert i in set(experiments.explicit_map(first)["winner"])
        assert i not in set(experiments.explicit_map(first / 10**0.25)["winner"])


# The learner of Lemma 11


ROUNDS, EARLY, RATE = 20_000, 100, 1 / 50
"""Without noise it takes turns for 100 rounds, settles on the better action and probes the other one."""


def agrees(count, runs, chance):
    return stats.binomtest(count, runs, chance).pvalue > FALSE_ALARM


def test_probes_of_the_learner_without_noise_are_binomial():
    """On losses 1/2 and 1 a play of action 2 costs a half. Where action 2 falls to 0, the first probe finds it."""
    found, later = experiments.probing_learner(0.00375, "none", "quick", SEED), ROUNDS - EARLY
    assert (found.horizon, found.delay, found.pulls) == (ROUNDS, EARLY, pytest.approx(100))
    plays = certify.mean_interval(found.constant / 0.5, false_alarm=FALSE_ALARM)
    assert EARLY / 2 + RATE * later in plays
    least = int(np.ceil(found.fraction * ROUNDS)) - EARLY // 2
    assert agrees(found.condition_1, found.replicates, stats.binom.sf(least - 1, later, RATE))
    window = int(np.ceil(found.pulls / found.fraction))
    assert agrees(found.condition_2, found.replicates, stats.binom.cdf(100, window, RATE))
    wait = 1 / RATE
    expected = -EARLY / 4 + (wait - 1) / 2 + RATE * (later - wait) / 2
    assert expected in certify.mean_interval(found.switching, false_alarm=FALSE_ALARM)
    assert found.constant_range == (0.0, ROUNDS / 2)
    assert found.switching_range == (-EARLY / 2, ROUNDS / 2 - EARLY / 2)


@pytest.mark.parametrize("epsilon", [1.0, 0.5])
def test_the_private_learner_settles_by_sums_of_fifty_noisy_losses_each(epsilon):
    """Sums differ by 25 and each has 50 variables of scale 1: a deviation of 10 sqrt 2, whatever the level."""
    found = experiments.probing_learner(epsilon, "Laplace", "quick", SEED)
    wrong = int((found.constant > found.horizon / 4).sum())
    assert agrees(wrong, found.replicates, stats.norm.sf(25 / np.sqrt(200)))
    assert found.constant.min() >= found.delay / 4
