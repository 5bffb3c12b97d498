"""No answer depends on which column comes first: of the register's learners, of the ranking, of the choice."""

import numpy as np
import pytest

from replicate import certify
from replicate.advice import Question, instances
from replicate.advice.choosing import choose
from replicate.advice.game import Game
from replicate.environments import Table
from replicate.learners import protocol, registry
from tests.conftest import FALSE_ALARM

ROUNDS, LAST_FIRST = 60, [2, 1, 0]
MEANS = np.array([0.1, 0.5, 0.9])
TABLE = (np.random.default_rng(1).random((ROUNDS, 3)) < MEANS).astype(float)
BY_PLAN = ("dp_imed", "dp_imed_4")
"""Learners that play actions in turn, or break ties."""


def level(name):
    return 1.0 if registry.entry(name).private else None


@pytest.mark.parametrize("name", BY_PLAN)
def test_regret_has_one_mean_whatever_the_order(name):
    """Simulated, and played by the literal learner."""
    finals = [
        registry.simulate(
            name, Table(table), epsilon=level(name), horizon=ROUNDS, replicates=300, rng=np.random.default_rng(2)
        ).final
        for table in (TABLE, TABLE[:, LAST_FIRST])
    ]
    low, high = zip(*((band.low, band.high) for band in map(banded, finals)), strict=True)
    assert max(low) <= min(high)
    played = [
        protocol.play(
            registry.learner(name, n_actions=3, horizon=ROUNDS, epsilon=level(name), rng=np.random.default_rng(r)),
            TABLE,
        ).final[0]
        for r in range(100)
    ]
    both = banded(np.array(played))
    assert both.low <= max(high)
    assert both.high >= min(low)


def banded(regrets):
    return certify.band(regrets, level=1 - FALSE_ALARM)


@pytest.mark.parametrize("name", ["gumbel", "dp_imed", "htinf", "hedge"])
def test_a_ranking_on_a_table_has_the_same_numbers_in_any_order(name):
    question = Question(feedback="full", losses="fixed", n_actions=3, rounds=ROUNDS, epsilon=1.0)
    games = [Game(question, 5, table) for table in (TABLE, TABLE[:, [1, 2, 0]])]
    first, second = (game.sample(registry.entry(name), 0, 5, ROUNDS) for game in games)
    np.testing.assert_array_equal(first, second)
    assert games[0].uniform() == games[1].uniform()


def test_a_choice_is_the_same_in_any_order():
    names = ["gumbel", "dp_imed", "per_round_exp3"]
    first, second = (
        choose(table, names, epsilon=2.0, rng=np.random.default_rng(4)) for table in (TABLE, TABLE[:, LAST_FIRST])
    )
    assert first == second


def test_columns_of_equal_sums_have_one_order():
    table = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    one, other = (instances.in_canonical_order(rows) for rows in (table, table[:, [1, 2, 0]]))
    np.testing.assert_array_equal(one, other)
