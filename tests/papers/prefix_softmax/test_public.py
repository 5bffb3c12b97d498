"""Hostile calls of the public names, and the examples in the docstrings."""

import numpy as np
import pytest

from replicate import environments
from replicate.papers import prefix_softmax
from replicate.papers.prefix_softmax import bounds
from tests.hostile import attack, uncovered

LOSSES = [[0.0, 1.0], [0.3, 0.2], [1.0, 0.0]]
SETTING = {"n_actions": 16, "gap": 0.1, "epsilon": 0.5}


def rng():
    return np.random.default_rng(1)


CALLS = {
    "PrefixSoftmax": lambda: {"n_actions": 3, "epsilon": 0.5, "rng": rng()},
    "block_privacy_loss": lambda: {"n_actions": 3, "eta": 0.1, "block": 3},
    "exact_regret": lambda: {"means": [0.1, 0.4, 0.4], "epsilon": 0.5, "horizon": 1000},
    "learning_rate": lambda: {"epsilon": 0.5},
    "sequence_law": lambda: {"table": LOSSES, "eta": 0.1, "readers": 1},
    "simulate": lambda: {
        "env": environments.Bernoulli([0.1, 0.4]), "epsilon": 0.5, "horizon": 1000, "replicates": 3, "rng": rng()
    },
    "softmax_error": lambda: {"gaps": [0.0, 0.3], "eta": 0.1, "rounds": [1, 5]},
    "softmax_error_sum": lambda: {"gaps": [0.0, 0.3], "eta": 0.1, "start": [0, 3], "stop": 2000},
}  # fmt: skip
BOUNDS = {
    "equation_4": lambda: {"rounds": [1, 10], "gap": 0.1},
    "lemma_1": lambda: {"rounds": [1, 10], "mean": 0.1},
    "lemma_4": lambda: {"error_sum": [0.5, 100.0]},
    "lemma_5": lambda: dict(SETTING),
    "lemma_5_large_gaps": lambda: {"n_actions": 16, "epsilon": 0.5},
    "lemma_5_small_gaps": lambda: {"n_actions": 16, "gap": 0.1},
    "lower_bound": lambda: {"n_actions": 16, "gap": 0.1},
    "lower_bound_privacy": lambda: {"n_actions": 16, "epsilon": 0.5},
    "proposition_1": lambda: {"epsilon": 0.5},
    "rate": lambda: dict(SETTING),
    "remainder": lambda: SETTING | {"rounds": 1000},
    "sharper_drift": lambda: {"split": 4},
    "sharper_lemma_5": lambda: {"n_actions": 16, "gap": 0.1, "eta": 0.1, "split": 1.0},
    "sharper_theorem_1": lambda: {"n_actions": 16, "gap": 0.1, "eta": 0.1, "split": 1.0},
    "theorem_1": lambda: dict(SETTING),
    "theorem_1_rate": lambda: dict(SETTING),
}


@pytest.mark.parametrize(("home", "calls"), [(prefix_softmax, CALLS), (bounds, BOUNDS)])
def test_every_public_name_refuses_bad_arguments_by_name(home, calls):
    assert uncovered(home, calls) == []
    assert {name: found for name in calls if (found := attack(getattr(home, name), calls[name]))} == {}
