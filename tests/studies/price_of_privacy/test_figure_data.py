"""Data behind the table and the figures, against rational values, laws by hand and brute force."""

import math
from itertools import product

import numpy as np
import pytest

from replicate import budget, certify
from replicate.studies.price_of_privacy import experiments
from replicate.studies.price_of_privacy.algorithms import minimax as own


@pytest.mark.parametrize("epsilon", ["1/2", "1", "2"])
def test_the_tree_of_the_resting_policy_by_hand(epsilon):
    """Randomised response to the first letter; of the next two only those for the action count: u**n / (1 + u)."""
    u = math.exp(-experiments.level(epsilon))
    known = {"+": u / (1 + u), "-": 1 / (1 + u)}
    known |= {"".join(word): u ** word[1:].count("+") / (1 + u) for word in product("+-", repeat=3)}
    tree = experiments.lazy_tree(epsilon)
    assert dict(zip(tree["letters"], tree["chance"], strict=True)) == pytest.approx(known, abs=1e-7)
    assert [(len(letters) + 1, t) for letters, t in zip(tree["letters"], tree["round"], strict=True)] == (
        [(2, 2)] * 2 + [(4, 4)] * 8
    )


def test_a_resting_policy_keeps_its_action_in_odd_rounds():
    policy = experiments.lazy_policy("1")
    for word in product(((0.0, 1.0), (1.0, 0.0)), repeat=5):
        law = policy.law(np.array(word)).reshape((2,) * 5)
        stays = sum(law[a, b, b, c, c] for a, b, c in product((0, 1), repeat=3))
        assert stays == pytest.approx(1, abs=1e-7)


def test_exact_learners_stand_beside_the_limit_of_their_game():
    for row in experiments.exact_ratios().itertuples():
        if row.horizon < 4:
            game = {"n_actions": 2, "horizon": row.horizon, "epsilon": row.level}
            assert row.regret == row.upper == pytest.approx(own.worst_regret(row.learner, **game))
            assert row.limit == pytest.approx(own.limit(2, row.horizon, row.level), abs=1e-9)
            assert row.ratio == row.regret / row.limit > 1


@pytest.mark.parametrize(("epsilon", "horizon"), [(1.0, 3), (math.log(2), 4)])
def test_the_optimum_has_the_value_on_its_worst_table(epsilon, horizon):
    assert experiments.optimum_regret(epsilon, horizon) == pytest.approx(own.limit(2, horizon, epsilon), abs=1e-9)


@pytest.mark.parametrize("horizon", [1, 5])
def test_limits_of_learners_allow_for_the_largest_regret_that_a_game_can_have(horizon):
    """Two tables of twenty games alike: others, which pay every round, may have chance 1 - a**(1/20)."""
    samples = np.array([[0.5], [-0.25]]) * horizon * np.ones(20)
    limits, book = budget.noted(experiments.upper_limits, samples, horizon)
    alarm = budget.total(book) / 2
    assert alarm * 10_000 == pytest.approx(certify.CLAIM_FALSE_ALARM)
    assert (limits >= horizon - (horizon - samples[:, 0]) * alarm ** (1 / 20)).all()
    assert (limits <= horizon).all()
