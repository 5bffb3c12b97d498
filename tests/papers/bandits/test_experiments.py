"""Experiments: the borders of Table 2, and games with advice."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from replicate.papers.bandits.experiments import regret, table_2
from replicate.papers.bandits.instances import AdviceSetting


def test_borders_of_table_2_follow_the_rates():
    """Away from the borders, the winner by borders is the winner by rate."""
    rng = np.random.default_rng(1)
    n, t = np.exp(rng.uniform(1, 18, 5000)), np.exp(rng.uniform(10, 35, 5000))
    point = {"n_actions": 4.0, "n_experts": n, "epsilon": t ** -rng.uniform(0, 1, 5000), "horizon": t}
    values = np.sort(table_2.rates(**point), axis=0)
    clear = (values[1] > 1.5 * values[0]) & (values[0] < t)
    winner = table_2.rates(**point).argmin(axis=0)
    np.testing.assert_array_equal(table_2.winner_by_rate(**point)[clear], winner[clear])


@pytest.mark.parametrize("contexts", [1, 2, 5])
@pytest.mark.parametrize("statement", regret.ADVISED)
def test_a_game_with_advice_costs_nothing_at_best_and_every_round_at_worst(statement, contexts, monkeypatch):
    """The good expert names the action of loss 0; of three actions uniform play loses two thirds of the rounds."""
    asked = []

    def simulate(problem, **words):
        asked.append((problem, words))
        return SimpleNamespace(final=np.arange(5.0))

    monkeypatch.setattr(regret.advice, "simulate_experts", simulate)
    row = regret._advised(statement, AdviceSetting(3, 4, 0.5, 5), contexts, 600, 7)
    [(problem, words)] = asked
    words.pop("rng")
    learner, delta = {"Corollary 8": ("htinf", None), "Theorem 9": ("local_exp4", None)}.get(
        statement, ("batched_exp4", 1e-6)
    )
    assert words == {"learner": learner, "epsilon": 0.5, "delta": delta, "horizon": 600, "replicates": 5}
    assert np.shape(problem.advice) == (contexts, 4, 3)
    assert row["range"] == (0.0, 600.0)
    assert row["uniform"] == pytest.approx(400)
    assert row["samples"].tolist() == [0, 1, 2, 3, 4]
    assert (row["n_actions"], row["n_experts"], row["epsilon"], row["horizon"]) == (3, 4, 0.5, 600)


def test_games_with_advice_are_as_long_as_uniform_play_needs_to_break_the_bound_and_3_percent_longer(monkeypatch):
    """A bound of 40 sqrt(T): all but a K-th of the rounds break it from the square of 40 K / (K - 1) on."""
    monkeypatch.setitem(
        regret.ADVISED, "Theorem 9", ("local_exp4", lambda horizon, **_: 40 * math.sqrt(horizon), None)
    )
    monkeypatch.setattr(regret, "_advised", lambda statement, setting, contexts, horizon, seed: {"T": horizon})
    rows = regret.expert_regret.__wrapped__("Theorem 9", "quick", 7)
    sizes = [s.n_actions for s in regret.SIZES["quick"].advice["Theorem 9"] for _ in s.contexts]
    horizons = [math.ceil(1.03 * (40 * k / (k - 1)) ** 2) for k in sizes]
    assert rows["T"].to_list() == pytest.approx(horizons, abs=1)
    assert rows["bound"].to_list() == pytest.approx([40 * math.sqrt(t) for t in rows["T"]])
