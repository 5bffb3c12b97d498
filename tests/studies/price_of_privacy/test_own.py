"""The reader's own small game: every table once, the worst regret over all of them, the limit below it."""

import math
from itertools import product

import numpy as np
import pytest

from replicate.environments import Table
from replicate.learners import registry
from replicate.studies.price_of_privacy.algorithms import own
from replicate.studies.price_of_privacy.experiments import learners

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
    assert own.limit(2, 5, 1.0) == pytest.approx(learners.limit("full", "1", 5), abs=1e-9)
    assert own.limit(2, 2, math.log(2)) == pytest.approx(5 / 6, abs=1e-9)
