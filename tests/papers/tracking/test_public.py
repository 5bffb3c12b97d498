"""Hostile calls of the public names, and the examples in the docstrings."""

import numpy as np
import pytest

from replicate import environments
from replicate.learners import baselines
from replicate.papers import tracking
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import simulation
from tests.hostile import attack, uncovered

SIZES = {"n_actions": 4, "horizon": 1000}
GAME = SIZES | {"n_switches": 2}


def rng():
    return np.random.default_rng(1)


def board():
    return tracking.Dartboard(learning_rate=0.1, redraw=0.2)


CALLS = {
    "Dartboard": lambda: {"learning_rate": 0.1, "redraw": 0.2, "batch": 2},
    "LimitedUpdates": lambda: {"n_actions": 3, "epsilon": 0.5, "calibration": "printed", "rng": rng()},
    "MetaExperts": lambda: {
        "n_actions": 3, "n_switches": 1, "horizon": 50, "dartboard": board(), "delta": 1e-6, "rng": rng()
    },
    "MirrorDescent": lambda: {
        "n_actions": 3, "horizon": 50, "n_switches": 1, "epsilon": 0.5, "learning_rate": 0.1,
        "calibration": "printed", "rng": rng(),
    },
    "PairAdversary": lambda: {"n_pairs": 3, "copy_rounds": 5, "rng": rng()},
    "Restarts": lambda: {
        "n_actions": 3, "epsilon": 0.5, "horizon": 50, "failure": 0.1, "calibration": "corrected",
        "windows": "dyadic", "rng": rng(),
    },
    "best_sequence": lambda: {"losses": [[0.0, 1.0], [0.3, 0.2], [1.0, 0.0]], "n_switches": 1},
    "duel": lambda: {
        "learner": baselines.Hedge(6, learning_rate=0.5, rng=rng()),
        "adversary": tracking.PairAdversary(3, copy_rounds=5, rng=rng()), "horizon": 10, "n_switches": 1,
    },
    "log_count_sequences": lambda: {"horizon": 100, "n_actions": 4, "n_switches": 3},
    "project": lambda: {"weights": [0.1, 0.4, 0.5], "floor": 0.2},
    "simulate": lambda: {
        "env": environments.Bernoulli([0.1, 0.4]), "method": "restarts", "epsilon": 0.5, "horizon": 100,
        "n_switches": 1, "replicates": 2, "rng": rng(), "keep_actions": True,
    },
    "tune_dartboard": lambda: {"epsilon": 0.5, "delta": 1e-6, "horizon": 1000, "log_d": 10.0, "batches": (1, 2)},
}  # fmt: skip
RULE = {"epsilon": 0.5, "accuracy": 3.0, "constant": 5.0, "root": 2.0, "windows": "dyadic"}
OPTIONS = {"failure": 0.1, "calibration": "corrected", "windows": "dyadic"}
BOUNDS = {
    "RestartRule": lambda: dict(RULE),
    "adaptive_lower_rate": lambda: {"horizon": 1000, "n_switches": 2, "epsilon": 0.5},
    "adaptive_regret": lambda: SIZES | {"epsilon": 0.5, "failure": 0.1},
    "inequality_1": lambda: {"rule": bounds.RestartRule(**RULE), "switches": 2, "length": 100},
    "lemma_3_2": lambda: SIZES | {"failure": 0.1},
    "lemma_3_3": lambda: SIZES | {"epsilon": 0.5, "failure": 0.1},
    "mirror_descent_rate": lambda: GAME | {"epsilon": 0.5},
    "proved_regret": lambda: SIZES | {"epsilon": 0.5, "failure": 0.1, "noise": "gumbel"},
    "restart_rule": lambda: SIZES | OPTIONS | {"epsilon": 0.5},
    "restarted_hedge": lambda: GAME | {"epsilon": 0.5, "delta": 1e-6},
    "shifting_lower": lambda: {"n_actions": 8, "n_phases": 2, "epsilon": 0.5, "phase": 100},
    "theorem_3_6": lambda: GAME | OPTIONS | {"epsilon": 0.5},
    "theorem_b2": lambda: GAME | {"noise": 2.0, "learning_rate": 0.1},
    "tracking_regret": lambda: GAME | {"noise": 2.0, "learning_rate": 0.1},
    "watched_regret": lambda: GAME | {"noise": 2.0, "learning_rate": 0.1, "log_d": 20.0},
}


def simulate_restarts(*, calibration, windows, failure):
    options = {"calibration": calibration, "windows": windows, "failure": failure}
    return tracking.simulate(**CALLS["simulate"]() | {"method": "restarts"}, **options)


def simulate_meta_experts(*, delta, dartboard):
    return tracking.simulate(**CALLS["simulate"]() | {"method": "meta_experts"}, delta=delta, dartboard=dartboard)


def simulate_mirror_descent(*, calibration):
    return tracking.simulate(**CALLS["simulate"]() | {"method": "mirror_descent"}, calibration=calibration)


OPTION_CALLS = (
    (simulate_restarts, lambda: dict(OPTIONS)),
    (simulate_meta_experts, lambda: {"delta": 1e-6, "dartboard": board()}),
    (simulate_mirror_descent, lambda: {"calibration": "printed"}),
)


@pytest.mark.parametrize(("home", "calls"), [(tracking, CALLS), (bounds, BOUNDS)])
def test_every_public_name_refuses_bad_arguments_by_name(home, calls):
    assert uncovered(home, calls) == []
    assert {name: found for name in calls if (found := attack(getattr(home, name), calls[name]))} == {}


@pytest.mark.parametrize(("function", "valid"), OPTION_CALLS, ids=lambda x: getattr(x, "__name__", ""))
def test_bad_options_of_simulate_are_refused_by_name(function, valid):
    assert attack(function, valid) == []


@pytest.mark.parametrize("epsilon", [1e-9, 1e9])
@pytest.mark.parametrize("method", simulation.METHODS)
def test_every_method_plays_at_the_ends_of_its_range(method, epsilon):
    run = tracking.simulate(**CALLS["simulate"]() | {"method": method, "epsilon": epsilon})
    assert np.isfinite(run.regret).all()
