"""Data behind the table and the figures, against rational values, laws by hand and brute force."""

import math
from itertools import product

import numpy as np
import pytest

from replicate.studies.price_of_privacy.algorithms import own
from replicate.studies.price_of_privacy.experiments import learners, policies, values
from replicate.studies.price_of_privacy.instances import FAMILIES, LEVELS


def test_levels_are_numbers():
    known = [0.1, 0.5, math.log(2), 1.0, math.log(3), 2.0, 4.0, math.inf]
    assert [values.level(epsilon) for epsilon in LEVELS] == pytest.approx(known)
    assert values.level("3/8") == 0.375


@pytest.mark.parametrize("epsilon", ["1/2", "1", "2"])
def test_the_tree_of_the_resting_policy_by_hand(epsilon):
    """Randomised response to the first letter; of the next two only those for the action count: u**n / (1 + u)."""
    u = math.exp(-values.level(epsilon))
    known = {"+": u / (1 + u), "-": 1 / (1 + u)}
    known |= {"".join(word): u ** word[1:].count("+") / (1 + u) for word in product("+-", repeat=3)}
    tree = policies.lazy_tree(epsilon)
    assert dict(zip(tree["letters"], tree["chance"], strict=True)) == pytest.approx(known, abs=1e-7)
    assert [(len(letters) + 1, t) for letters, t in zip(tree["letters"], tree["round"], strict=True)] == (
        [(2, 2)] * 2 + [(4, 4)] * 8
    )


def test_a_resting_policy_keeps_its_action_in_odd_rounds():
    policy = policies.lazy_policy("1")
    for word in product(((0.0, 1.0), (1.0, 0.0)), repeat=5):
        law = policy.law(np.array(word)).reshape((2,) * 5)
        stays = sum(law[a, b, b, c, c] for a, b, c in product((0, 1), repeat=3))
        assert stays == pytest.approx(1, abs=1e-7)


RATIONAL = {"log 2": [1 / 2, 5 / 6, 7 / 6], "log 3": [1 / 2, 3 / 4, 1], "inf": [1 / 2] * 3}
"""Values of two actions on deterministic losses, T = 1, 2, 3: 1/2, then q more a round, q = 1/3, 1/4 and 0."""


def test_the_table_has_every_game_with_its_value():
    data = values.table("quick")
    assert len(data) == sum(t <= 6 for family in FAMILIES.values() for _, t in family.sizes for _ in family.levels)
    assert not data.duplicated(["family", "n_actions", "horizon", "epsilon", "delta"]).any()
    assert ((data["low"] <= data["value"]) & (data["value"] <= data["high"])).all()
    first = data[data["horizon"] == 1]
    assert first["value"].to_numpy() == pytest.approx(1 - 1 / first["n_actions"].to_numpy())
    wide = values.wide("quick", "deterministic")
    for epsilon, known in RATIONAL.items():
        assert wide.loc[values.level(epsilon), [1, 2, 3]].to_numpy() == pytest.approx(known, abs=1e-9)
    words = values.words("quick")
    assert list(words.columns)[3:] == [f"ε = {e.replace('log', 'ln')}" for e in LEVELS]
    rows = words[(words["game"] == "deterministic losses") & (words["K"] == "2")]
    assert rows["ε = ln 2"].to_list()[:3] == ["0.5000000000", "0.8333333333", "1.1666666667"]


def test_printed_bounds_by_hand():
    data = values.printed_bounds("quick").set_index(["form", "level", "horizon"])["bound"]
    for epsilon, t in product(LEVELS[:-1], range(1, 4)):
        e = values.level(epsilon)
        assert data["sum", e, t] == pytest.approx(sum(1 / (math.exp(s * e) + 1) for s in range(t)))
        assert data["integral", e, t] == pytest.approx(math.log(2 * math.exp(t * e) / (math.exp(t * e) + 1)) / e)
        ratio = math.exp(t * e) * (math.exp(e) + 1) / (math.exp((t + 1) * e) + 1)
        assert data["printed", e, t] == pytest.approx(math.log(ratio) / e)


@pytest.mark.parametrize("horizon", [1, 2, 4])
def test_all_tables_of_two_letters(horizon):
    found = learners.tables(horizon)
    assert len({table.tobytes() for table in found}) == len(found) == 2**horizon
    assert (found.sum(axis=2) == 1).all()


def test_exact_learners_stand_beside_the_limit_of_their_game():
    for row in learners.exact_ratios().itertuples():
        if row.horizon < 4:
            game = {"n_actions": 2, "horizon": row.horizon, "epsilon": row.level}
            assert row.regret == row.upper == pytest.approx(own.worst_regret(row.learner, **game))
            assert row.limit == pytest.approx(own.limit(2, row.horizon, row.level), abs=1e-9)
            assert row.ratio == row.regret / row.limit > 1


def test_approximate_learners_are_asked_at_the_level_of_their_program():
    without, with_them = learners.private_learners("1/2"), learners.private_learners("1")
    assert set(without) < set(with_them)
    assert learners.limit("full", "1", 3, approximate=True) < learners.limit("full", "1", 3)
    assert learners.limit("full", "1", 3) - learners.limit("full", "1", 3, approximate=True) < 1e-5
    assert learners.limit("bandit", "2", 3) > learners.limit("full", "2", 3) + 1e-3


@pytest.mark.parametrize(("epsilon", "horizon"), [(1.0, 3), (math.log(2), 4)])
def test_the_optimum_has_the_value_on_its_worst_table(epsilon, horizon):
    assert learners.optimum_regret(epsilon, horizon) == pytest.approx(own.limit(2, horizon, epsilon), abs=1e-9)
