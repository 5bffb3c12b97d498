"""Every public name of `replicate.learners` answers hostile arguments with a result or one clear error."""

import numpy as np
import pytest

from replicate import environments, learners
from replicate.papers import bandits
from tests.hostile import attack, uncovered

TABLE = [[0.0, 1.0], [0.5, 0.25], [1.0, 0.0]]


def rng():
    return np.random.default_rng(1)


def method():
    return {
        "name": "mine", "label": "mine", "colour": "#123456", "paper": "baseline", "summary": "a",
        "guarantee": "b", "privacy": "ε", "private": True, "cost": "K",
    }  # fmt: skip


CALLS = {
    "BlockLeader": lambda: {"n_actions": 2, "rng": rng()},
    "Comparator": lambda: {
        "name": "best fixed action", "actions": np.zeros(3, dtype=int), "loss": 1.0, "uniform": 1.5,
        "labels": ("a", "b"),
    },
    "Entry": lambda: {
        **method(), "feedback": "full", "build": print, "simulate": print, "max_horizon": 10, "exact_regret": None,
        "simulate_with_advice": None,
    },
    "FixedShare": lambda: {"n_actions": 2, "learning_rate": 0.1, "share": 0.1, "rng": rng()},
    "FollowTheLeader": lambda: {"n_actions": 2, "restarts": (5,), "rng": rng()},
    "Hedge": lambda: {"n_actions": 2, "learning_rate": 0.1, "rng": rng()},
    "LabelEntry": lambda: {**method(), "play": print, "simulate": print},
    "Privacy": lambda: {"epsilon": 1.0, "delta": 0.1},
    "Run": lambda: {
        "rounds": np.array([1, 2]), "regret": np.array([[0.5, 1.0]]), "regret_kind": "pseudo-regret",
        "actions": np.array([[0, 1]]),
    },
    "Setting": lambda: {"n_actions": 2, "horizon": 100, "epsilon": 1.0, "delta": 0.1, "n_switches": 2},
    "best_sequence": lambda: {"losses": TABLE, "n_switches": 1},
    "comparator_losses": lambda: {"losses": TABLE, "n_switches": 1},
    "entry": lambda: {"name": "gumbel"},
    "exact_regret": lambda: {"name": "gumbel", "means": [0.0, 0.5], "epsilon": 1.0, "horizon": 100},
    "loss_table": lambda: {"losses": TABLE, "n_actions": 2},
    "play": lambda: {"learner": learners.Hedge(2, learning_rate=0.1, rng=rng()), "losses": TABLE, "n_switches": 1},
    "register": dict,
    "schemes": dict,
    "simulate_with_advice": lambda: {
        "name": "htinf", "problem": bandits.ExpertProblem(advice=[[[0.9, 0.1], [0.1, 0.9]]], losses=[[0.2, 0.8]]),
        "epsilon": 0.5, "horizon": 100, "replicates": 2, "rng": rng(), "delta": 1e-6,
    },
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_a_hostile_argument_is_named(name):
    getattr(learners, name)(**CALLS[name]())  # compiles what is compiled
    assert attack(getattr(learners, name), CALLS[name]) == []


@pytest.mark.parametrize("name", learners.register())
def test_no_learner_is_built_on_hostile_arguments(name):
    def valid():
        epsilon = 0.5 if learners.entry(name).private else None
        return {
            "name": name, "n_actions": 3, "horizon": 10**7, "epsilon": epsilon, "delta": 1e-3, "n_switches": 2,
            "rng": rng(),
        }  # fmt: skip

    assert attack(learners.learner, valid) == []


@pytest.mark.parametrize("name", [name for name, entry in learners.register().items() if entry.simulate])
def test_no_learner_is_simulated_on_hostile_arguments(name):
    def valid():
        return {
            "name": name, "env": environments.Bernoulli([0.2, 0.5, 0.5]), "epsilon": 0.5, "horizon": 1000,
            "replicates": 2, "rng": rng(), "delta": 1e-3, "n_switches": 1,
        }  # fmt: skip

    assert attack(learners.simulate, valid) == []


def test_every_public_name_is_attacked():
    """`learner` and `simulate` above, for every name; `Learner` is a protocol, which no one calls."""
    assert set(uncovered(learners, CALLS)) == {"Learner", "learner", "simulate"}


def test_sequences_that_do_not_fit_into_memory_are_refused():
    with pytest.raises(ValueError, match="n_switches must be at most 1430 for 1000000 rounds, got 999999"):
        learners.best_sequence(np.zeros((10**6, 2)), n_switches=10**9)
    with pytest.raises(ValueError, match="losses must have at most 32767 columns, got 40000"):
        learners.best_sequence(np.zeros((2, 40_000)), n_switches=1)
