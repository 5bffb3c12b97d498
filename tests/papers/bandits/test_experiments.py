"""Experiments: the borders of Table 2."""

import numpy as np

from replicate.papers.bandits.experiments import table_2


def test_borders_of_table_2_follow_the_rates():
    """Away from the borders, the winner by borders is the winner by rate."""
    rng = np.random.default_rng(1)
    n, t = np.exp(rng.uniform(1, 18, 5000)), np.exp(rng.uniform(10, 35, 5000))
    point = {"n_actions": 4.0, "n_experts": n, "epsilon": t ** -rng.uniform(0, 1, 5000), "horizon": t}
    values = np.sort(table_2.rates(**point), axis=0)
    clear = (values[1] > 1.5 * values[0]) & (values[0] < t)
    winner = table_2.rates(**point).argmin(axis=0)
    np.testing.assert_array_equal(table_2.winner_by_rate(**point)[clear], winner[clear])
