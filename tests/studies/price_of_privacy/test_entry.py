"""The register plays, simulates and computes the learner for long games at the level that is asked for."""

import math
from itertools import product

import numpy as np
import pytest

from replicate.environments import Deterministic, Table
from replicate.learners import registry
from replicate.streams import stream
from replicate.studies.price_of_privacy import experiments, theorems
from replicate.studies.price_of_privacy.algorithms import lazy
from replicate.studies.price_of_privacy.algorithms import minimax as own
from replicate.studies.price_of_privacy.algorithms.minimax import admitted


def test_the_lazy_leader_is_asked_at_the_readers_level():
    (promise,) = (p for p in theorems.PROMISES if p.claim == "MM-LZt")
    own_setting, env = promise.own({"epsilon": 0.3, "horizon": 64, "gap": 0.5}), Deterministic([0.0, 0.5])
    known = lazy.simulate(env, epsilon=0.3, horizon=64, replicates=5, rng=stream(1)).final
    np.testing.assert_array_equal(promise.play(own_setting, 5, stream(1)), known)
    assert promise.bound(own_setting) == lazy.gap_bound(epsilon=0.3, gap=0.5)


@pytest.mark.parametrize("n_actions", [2, 5, 8])
def test_nothing_is_learnt_in_one_round(n_actions):
    """A uniform action is best: it loses 1 - 1/K on the table with one good action."""
    optimum = own.minimax(n_actions, 1, 1.0)
    assert optimum.value == pytest.approx(1 - 1 / n_actions, rel=1e-9)
    assert optimum.value != pytest.approx(1 - 1 / (n_actions + 1), rel=1e-9)


@pytest.mark.parametrize(("n_actions", "horizon"), [(7, 2), (8, 2), (9, 1), (16, 1)])
def test_a_game_with_too_many_relabellings_is_refused_at_once(n_actions, horizon):
    """Its images under K! relabellings would fill the memory."""
    said = f"n_actions = {n_actions} and horizon = {horizon} make a game too large to solve"
    with pytest.raises(ValueError, match=said):
        admitted(n_actions, horizon, 1.0)
    assert admitted(6, 2, 1.0)[1] < 10


@pytest.mark.parametrize("name", own.EXACT)
def test_in_small_games_no_draw_matters(name):
    """Up to 7 rounds, the most that are admitted; in 8 a random prefix does."""
    tables = stream(4).integers(2, size=(20, 7, 2)).astype(float)
    for losses in tables:
        runs = [
            registry.simulate(name, Table(losses), epsilon=1.0, horizon=7, replicates=1, rng=stream(5, seed)).final
            for seed in range(4)
        ]
        assert np.ptp(runs) == 0
    with pytest.raises(ValueError, match="too large to solve"):
        admitted(2, 8, 1.0)


@pytest.mark.parametrize("feedback", ["full", "bandit"])
def test_a_game_is_one_of_pure_privacy_unless_told(feedback):
    """A delta adds constraints, so that solving takes longer: the time of a reader's own game is without."""
    game, seconds = admitted(2, 3, 1.0, feedback)
    assert (float(game.epsilon), float(game.delta)) == (1.0, 0.0)
    assert seconds == admitted(2, 3, 1.0, feedback, delta=0.0)[1]
    assert seconds < admitted(2, 3, 1.0, delta=0.5)[1]


SIZES = [(2, 3), (2, 4), (3, 2), (3, 3)]


def all_tables(n_actions, horizon):
    letters = [row for row in product((0.0, 1.0), repeat=n_actions) if 0 < sum(row) < n_actions]
    return [np.array(rows) for rows in product(letters, repeat=horizon)]


@pytest.mark.parametrize(("n_actions", "horizon"), SIZES)
def test_every_table_is_there_once(n_actions, horizon):
    def named(table):
        return tuple(sorted(map(tuple, table.T)))

    found = [named(table) for table in own.tables(n_actions, horizon)]
    assert len(set(found)) == len(found)
    assert set(found) == {named(table) for table in all_tables(n_actions, horizon)}


@pytest.mark.parametrize("learner", own.EXACT)
@pytest.mark.parametrize(("n_actions", "horizon"), SIZES)
def test_the_worst_regret_is_that_over_all_tables(learner, n_actions, horizon):
    def regret(table):
        rng = np.random.default_rng(1)
        run = registry.simulate(learner, Table(table), epsilon=0.7, horizon=horizon, replicates=2, rng=rng)
        assert run.final[0] == run.final[1], "an expectation"
        return run.final[0]

    worst = own.worst_regret(learner, n_actions=n_actions, horizon=horizon, epsilon=0.7)
    assert worst == pytest.approx(max(map(regret, all_tables(n_actions, horizon))), rel=1e-12)
    assert own.limit(n_actions, horizon, 0.7) <= worst < horizon * (1 - 1 / n_actions) + 1e-12
    assert own.limit(n_actions, horizon, 3.0) < worst / 1.05, "less privacy, a lower limit"


def test_the_limit_is_the_stored_one():
    assert own.limit(2, 5, 1.0) == pytest.approx(experiments.limit("full", "1", 5), abs=1e-9)
    assert own.limit(2, 2, math.log(2)) == pytest.approx(5 / 6, abs=1e-9)


def test_a_long_game_at_a_small_level_is_foretold_to_take_minutes():
    slow, quick = (admitted(2, 7, epsilon)[1] for epsilon in (0.001, 0.1))
    assert slow > 60 > 20 > quick
    assert admitted(2, 6, 0.001)[1] < 1
