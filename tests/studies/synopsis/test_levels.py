"""Every learner of an experiment plays at the level that its row states, by what the register is asked.

A learner that is given more than it is compared at would pay less, and only a pinned number would say so.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from replicate.learners import registry
from replicate.studies.synopsis.experiments import competitors, other_games, regret

SCHEMES = tuple(registry.schemes())
SEED = 987_654_321
"""A root of its own: what is remembered here serves no other test."""


@pytest.fixture
def asked(monkeypatch):
    """What the register was asked for, one record a call; nothing is played."""
    calls = []

    def simulate(name, env, **sizes):
        calls.append(sizes | {"name": name})
        samples = np.full(sizes["replicates"], 0.5)
        return SimpleNamespace(final=samples, rounds=np.array([sizes["horizon"]]), regret=samples[:, None])

    monkeypatch.setattr(registry, "simulate", simulate)
    monkeypatch.setattr(registry, "simulate_with_advice", simulate)
    return calls


@pytest.mark.parametrize(
    ("experiment", "switches"),
    [
        (lambda: regret.over_time("quick", SEED), None),
        (lambda: regret.calm("quick", SEED, "restarts"), None),
        (lambda: regret._moving("restarts", 3, 4096, 8, SEED), 3),
        (lambda: regret._moving("fixed_share_cube", 1, 4096, 8, SEED), 1),
        (lambda: regret.trapped("quick", SEED, "exponential", "clock"), None),
        (lambda: regret.against_arms("quick", SEED, "htinf"), None),
        (lambda: other_games.advised("quick", SEED), None),
    ],
)
def test_learners_are_compared_at_epsilon_one(experiment, switches, asked):
    experiment()
    assert {call["epsilon"] for call in asked} == {1.0}
    assert {call.get("n_switches") for call in asked} == {switches}


@pytest.mark.parametrize("learner", competitors.GAMES)
def test_a_bound_is_tried_at_its_own_setting(learner, asked):
    """The learner, its bound and the game have one setting; those without privacy are given no level."""
    found, game = competitors.against_bound("quick", SEED, learner, 1), competitors.GAMES[learner]
    (call,) = asked
    private = registry.entry(learner).private
    assert call["epsilon"] == (1.0 if private else None)
    assert (call["horizon"], call["n_switches"], call["replicates"]) == (
        game.horizon, game.n_switches, game.replicates
    )  # fmt: skip
    level = {"epsilon": 1.0} if private else {}
    setting = competitors.Setting(n_actions=2, horizon=game.horizon, n_switches=game.n_switches, **level)
    assert found.bound == registry.entry(learner).bound(setting, game.gap)
    assert found.mean == 0.5
    assert found.uniform == game.uniform


@pytest.mark.parametrize("epsilon", [1.0, 0.1])
def test_a_cell_of_the_grid_is_played_at_its_level_on_the_same_losses(epsilon, asked):
    found = regret._grid_cell(2, 0.5, epsilon, 3, np.random.default_rng(1))
    assert list(found) == [call["name"] for call in asked] == list(regret.BLOCK)
    assert {call["epsilon"] for call in asked} == {epsilon}
    assert len({call["rng"].integers(2**63) for call in asked}) == 1


def test_regret_as_epsilon_vanishes_is_multiplied_by_its_own_epsilon(monkeypatch):
    levels = []

    def exact_regret(name, means, *, epsilon, horizon):
        levels.append(epsilon)
        assert (list(means), horizon) == ([0, 1, 1], 2**50)
        return SimpleNamespace(final=np.array([7.0 / epsilon]))

    monkeypatch.setattr(registry, "exact_regret", exact_regret)
    assert regret.small_epsilon(3, "gumbel") == pytest.approx(7)
    assert levels == pytest.approx(list(2.0 ** (-17 + np.arange(16) / 16)))


@pytest.mark.parametrize("profile", ["quick", "full"])
def test_labels_are_hidden_at_level_1_unless_their_name_says_otherwise(profile):
    named = {"few labels, ε = 0.1": 0.1, "few labels, ε = 0.01": 0.01} if profile == "full" else {}
    levels = {place: epsilon for place, (_, epsilon, _) in other_games.label_classes(profile).items()}
    assert levels == dict.fromkeys(levels, 1.0) | named


def test_labels_are_hidden_at_the_level_of_their_row(monkeypatch):
    """Each scheme, its bound and its limits are of the level that the class states."""
    levels = []

    def simulate(laws, *, epsilon, horizon, replicates, rng, grid):
        levels.append(epsilon)
        return SimpleNamespace(final=np.full(replicates, 0.5))

    scheme = SimpleNamespace(simulate=simulate, bound=lambda laws, *, epsilon, horizon: 1000 * epsilon)

    def limits(run, laws, name, epsilon, alarm):
        return 0.0, 100 * epsilon

    laws = np.array([[0.5, 0.5], [0.1, 0.9]])
    monkeypatch.setattr(registry, "schemes", lambda: dict.fromkeys(SCHEMES, scheme))
    monkeypatch.setattr(other_games, "_limits", limits)
    monkeypatch.setattr(
        other_games, "label_classes", lambda profile: {"copies": (laws, 0.5, 3), "few labels": (laws, 0.1, 2)}
    )
    data = other_games.labelled("quick", SEED)
    assert levels == list(data["epsilon"]) == [0.5] * 7 + [0.1] * 6
    assert list(data["bound"]) == [1000 * e for e in levels]
    assert list(data["upper"]) == [100 * e for e in levels]
