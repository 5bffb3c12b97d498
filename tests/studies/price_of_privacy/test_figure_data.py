"""Data behind the table and the figures, against rational values, laws by hand and brute force."""

import math
from itertools import product

import numpy as np
import pytest

from replicate import certify
from replicate.studies.price_of_privacy.algorithms import own
from replicate.studies.price_of_privacy.experiments import learners, policies, values
from replicate.studies.price_of_privacy.instances import APPROXIMATE, FAMILIES, LEVELS, SIZES, Sizes


@pytest.fixture
def tiny(monkeypatch):
    """A profile of short games."""
    monkeypatch.setitem(SIZES, "tiny", Sizes(verified=3, solved=2, levels=("log 2",), replicates=3))
    return "tiny"


def test_levels_are_numbers():
    known = [0.1, 0.5, math.log(2), 1.0, math.log(3), 2.0, 4.0, math.inf]
    assert [values.level(epsilon) for epsilon in LEVELS] == pytest.approx(known)
    assert values.fraction("3/8") == 0.375
    assert values.fraction("0") == 0


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


def test_the_table_has_every_game_with_its_value(tiny):
    data = values.table(tiny)
    sizes = [t for family in FAMILIES.values() for _, t in family.sizes for _ in family.levels]
    assert len(data) == sum(t <= 3 for t in sizes)
    assert not data.duplicated(["family", "n_actions", "horizon", "epsilon", "delta"]).any()
    assert ((data["low"] <= data["value"]) & (data["value"] <= data["high"])).all()
    assert data["value"].to_numpy() == pytest.approx((data["low"] + data["high"]).to_numpy() / 2)
    first = data[data["horizon"] == 1]
    assert first["value"].to_numpy() == pytest.approx(1 - 1 / first["n_actions"].to_numpy())
    wide = values.wide(tiny, "deterministic")
    assert list(wide.columns) == [1, 2, 3]
    for epsilon, known in RATIONAL.items():
        assert wide.loc[values.level(epsilon)].to_numpy() == pytest.approx(known, abs=1e-9)
    third = values.family(tiny, "deterministic", 3)
    assert set(third["n_actions"]) == {3}
    found = {(row.epsilon, row.delta) for row in values.family(tiny, "approximate").itertuples()}
    assert found == {(epsilon, values.fraction(delta)) for epsilon, delta in APPROXIMATE}


def test_the_table_in_words_has_a_column_a_level_and_ten_digits(tiny):
    words = values.words(tiny)
    assert list(words.columns)[3:] == [f"ε = {e.replace('log', 'ln')}" for e in LEVELS]
    assert FAMILIES["approximate"].title not in set(words["game"])
    rows = words[(words["game"] == "deterministic losses") & (words["K"] == "2")].set_index("T")
    for epsilon, known in RATIONAL.items():
        column = rows[f"ε = {epsilon.replace('log', 'ln')}"]
        assert column.to_list() == [f"{value:.10f}" for value in known]
        assert column.index.to_list() == ["1", "2", "3"]


def test_printed_bounds_by_hand(tiny):
    data = values.printed_bounds(tiny).set_index(["form", "level", "horizon"])["bound"]
    assert len(data) == 3 * 7 * 3
    for epsilon, t in product(LEVELS[:-1], range(1, 4)):
        e = values.level(epsilon)
        assert data["sum", e, t] == pytest.approx(sum(1 / (math.exp(s * e) + 1) for s in range(t)))
        assert data["integral", e, t] == pytest.approx(math.log(2 * math.exp(t * e) / (math.exp(t * e) + 1)) / e)
        ratio = math.exp(t * e) * (math.exp(e) + 1) / (math.exp((t + 1) * e) + 1)
        assert data["printed", e, t] == pytest.approx(math.log(ratio) / e)


def test_programs_are_solved_anew_within_their_bounds(tiny):
    data = values.solved_anew(tiny, "sequence")
    assert len(data) == sum(
        epsilon == "log 2" or delta != "0"
        for family in FAMILIES.values() for _, t in family.sizes for epsilon, delta in family.levels if t <= 2
    )  # fmt: skip
    assert (data["value"] > data["low"] - 1e-9).all()
    assert (data["value"] < data["high"] + 1e-9).all()
    group = values.solved_anew(tiny, "group")
    assert set(group["family"]) == {"deterministic"}
    known = [sum((g.n_actions - 1) / (2**s + g.n_actions - 1) for s in range(g.horizon)) for g in group["game"]]
    assert group["value"].to_numpy() == pytest.approx(known, abs=1e-9)


@pytest.mark.parametrize("horizon", [1, 2, 4])
def test_all_tables_of_two_letters(horizon):
    found = learners.tables(horizon)
    assert len({table.tobytes() for table in found}) == len(found) == 2**horizon
    assert (found.sum(axis=2) == 1).all()


@pytest.mark.parametrize("learner", learners.EXACT)
def test_exact_learners_stand_beside_the_limit_of_their_game(learner):
    row = learners._row(learner, "1", 3, 2, 0)
    worst = own.worst_regret(learner, n_actions=2, horizon=3, epsilon=1.0)
    assert row["regret"] == row["upper"] == pytest.approx(worst)
    assert row["limit"] == pytest.approx(own.limit(2, 3, 1.0), abs=1e-9)
    assert (row["epsilon"], row["level"], row["horizon"]) == ("1", 1.0, 3)


def test_sampled_learners_have_a_limit_for_the_worst_table(monkeypatch):
    """The largest mean and the largest limit may be of two tables."""
    samples = np.array([[0.5, 0.5, 0.5, 0.5], [-2.0, -2.0, 2.0, 2.0], [0.0, 0.0, 0.0, 0.0]])
    monkeypatch.setattr(learners, "regrets", lambda *_, **__: samples)
    row = learners._row("htinf", "2", 3, 4, 0)
    limits = [certify.betting_upper(s, low=-3, high=3, false_alarm=1e-13) for s in samples]
    assert row["regret"] == 0.5
    assert row["upper"] == pytest.approx(max(map(float, limits)))
    assert row["limit"] == learners.limit("bandit", "2", 3) > learners.limit("full", "2", 3) + 1e-3


def test_approximate_learners_are_asked_at_the_level_of_their_program():
    without, with_them = learners.private_learners("1/2"), learners.private_learners("1")
    assert set(without) < set(with_them)
    assert learners.limit("full", "1", 3, approximate=True) < learners.limit("full", "1", 3)
    assert learners.limit("full", "1", 3) - learners.limit("full", "1", 3, approximate=True) < 1e-5


@pytest.mark.parametrize("profile", ["quick", "full"])
def test_who_has_no_tuning_in_so_short_a_game_is_left_out(profile, monkeypatch):
    """Exp3 has none at 1/2 in two rounds; who is simulated plays at most three rounds, or four, others five."""

    def row(learner, epsilon, horizon, replicates, seed):
        assert (replicates, seed) == ({"quick": 60, "full": 200}[profile], 5)
        return {"learner": learner, "epsilon": epsilon, "horizon": horizon, "regret": 3.0, "limit": 2.0}

    monkeypatch.setattr(learners, "_row", row)
    monkeypatch.setattr(learners, "private_learners", lambda epsilon: ("gumbel", "htinf", "exp3"))
    assert [learners._is_tuned("exp3", 0.5, t) for t in (2, 3)] == [False, True]
    data = learners.against_the_limit.__wrapped__(profile, 5)
    games = list(product(["1"], (3, 5)) if profile == "quick" else product(["1/2", "1"], (2, 3, 4, 5)))
    longest = {"gumbel": 5, "htinf": 3 if profile == "quick" else 4}
    longest["exp3"] = longest["htinf"]
    known = [
        (name, e, t) for e, t in games for name in longest
        if t <= longest[name] and (name, e, t) != ("exp3", "1/2", 2)
    ]  # fmt: skip
    assert list(data[["learner", "epsilon", "horizon"]].itertuples(index=False, name=None)) == known
    assert set(data["ratio"]) == {1.5}


def test_exact_regrets_are_those_of_every_learner_level_and_horizon(monkeypatch):
    """Four learners with exact regrets, four levels, T from 2 to 6, each row at its own."""

    def row(learner, epsilon, horizon, replicates, seed):
        return {"learner": learner, "epsilon": epsilon, "horizon": horizon, "regret": 3.0 * horizon, "limit": 2.0}

    monkeypatch.setattr(learners, "_row", row)
    data = learners.exact_ratios.__wrapped__()
    known = product(
        ("1/10", "1/2", "1", "2"), (2, 3, 4, 5, 6), ("prefix_softmax", "gumbel", "exponential", "laplace")
    )
    found = data[["epsilon", "horizon", "learner", "ratio"]].itertuples(index=False, name=None)
    assert list(found) == [(e, t, name, 1.5 * t) for e, t, name in known]


@pytest.mark.parametrize(("epsilon", "horizon"), [(1.0, 3), (math.log(2), 4)])
def test_the_optimum_has_the_value_on_its_worst_table(epsilon, horizon):
    assert learners.optimum_regret(epsilon, horizon) == pytest.approx(own.limit(2, horizon, epsilon), abs=1e-9)
