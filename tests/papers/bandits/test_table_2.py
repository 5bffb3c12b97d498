"""Table 2: rates, their borders, its rows as printed, and the map of explicit bounds."""

import numpy as np
import pytest

from replicate.papers.bandits import experiments


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


@pytest.mark.parametrize("horizon", [1e6, 1e30])
def test_the_map_names_the_smallest_bound_or_uniform_play(horizon):
    for row in experiments.explicit_map(horizon).iloc[::397].itertuples():
        values = experiments.explicit_bounds(
            n_actions=2, n_experts=row.n_experts, epsilon=row.epsilon, horizon=horizon
        )
        assert row.winner == (-1 if values.min() >= horizon / 2 else values.argmin())


def test_no_bound_wins_before_its_first_horizon():
    for i, first in enumerate(experiments.first_horizons()):
        assert i in set(experiments.explicit_map(first)["winner"])
        assert i not in set(experiments.explicit_map(first / 10**0.25)["winner"])
