"""Hostile calls of the public mechanisms."""

import numpy as np
import pytest

from replicate import mechanisms
from replicate.mechanisms import composition, signed_tree, tree_sums, vector_noise
from replicate.mechanisms.signed_tree import Tree
from tests.hostile import attack, uncovered


def rng():
    return np.random.default_rng(1)


SCORES = [0.0, 1.0, 1.5]
CALLS = {
    "AboveThreshold": lambda: {"epsilon": 1.0, "threshold": 0.0, "sensitivity": 1.0, "rng": rng()},
    "above_threshold_accuracy": lambda: {"n_queries": 10, "failure": 0.1, "epsilon": 1.0},
    "above_threshold_failure": lambda: {"n_queries": 10, "accuracy": 3.0, "epsilon": 1.0},
    "above_threshold_log_law": lambda: {"queries": SCORES, "epsilon": 1.0},
    "report_noisy_max": lambda: {"scores": SCORES, "noise": "gumbel", "scale": 1.0, "rng": rng()},
    "report_noisy_max_pmf": lambda: {"scores": SCORES, "noise": "laplace", "scale": 1.0},
    "sample_pmf": lambda: {"pmf": [0.5, 0.5], "rng": rng()},
    "softmax_pmf": lambda: {"scores": SCORES, "scale": 1.0},
}
COMPOSITION = {
    "laplace_composition": lambda: {"n": 3, "epsilon_each": 0.5, "epsilon": 1.0},
    "laplace_epsilon": lambda: {"n": 3, "epsilon_each": 0.5, "delta": 1e-6},
    "laplace_scale": lambda: {"n": 3, "epsilon": 1.0, "delta": 1e-6},
    "randomized_response_composition": lambda: {"n": 3, "epsilon_each": 0.5, "epsilon": 1.0},
    "randomized_response_epsilon": lambda: {"n": 3, "epsilon_each": 0.5, "delta": 1e-6},
}
VECTORS = {
    "VectorNoise": lambda: {"name": "cube", "n_actions": 3, "scale": 2.0},
    "gaussian_delta": lambda: {"scale": 2.0, "epsilon": 0.5},
    "gaussian_scale": lambda: {"epsilon": 0.5, "delta": 1e-3, "sensitivity": 2.0},
    "private_noise": lambda: {"name": "cube", "n_actions": 3, "epsilon": 0.5, "releases": 4},
}
TREES = {
    "Tree": lambda: {"depth": 2, "nodes": 3},
    "delannoy": lambda: {"a": 2, "b": 3},
    "releases_of": lambda: {"tree": Tree(2, 3)},
    "signed_tree": lambda: {"n_rounds": 9},
}
SUMS = {
    "FactorizedSums": lambda: {"n_actions": 3, "n_rounds": 9, "epsilon": 0.5, "delta": 0.01, "rng": rng()},
    "PrefixSums": dict,
    "TreeSums": lambda: {
        "n_actions": 3, "n_rounds": 9, "noise": "cube", "epsilon": 0.5, "rng": rng(),
    },
    "UnboundedSums": lambda: {"n_actions": 3, "noise": "cube", "epsilon": 0.5, "rng": rng()},
}  # fmt: skip
PROTOCOLS = ("Tree", "releases_of", "PrefixSums")
"""Parts of others, and a protocol."""
HOMES = [(mechanisms, CALLS), (composition, COMPOSITION), (vector_noise, VECTORS), (signed_tree, TREES)]
HOMES += [(tree_sums, SUMS)]


@pytest.mark.parametrize(("home", "calls"), HOMES)
def test_every_public_name_refuses_bad_arguments_by_name(home, calls):
    assert uncovered(home, calls) == []
    attacked = [name for name in calls if name not in PROTOCOLS]
    assert {name: found for name in attacked if (found := attack(getattr(home, name), calls[name]))} == {}


@pytest.mark.parametrize(
    ("method", "valid"), [("above", lambda: {"query": 1.0}), ("any_above", lambda: {"queries": SCORES})]
)
def test_bad_queries_are_refused_by_name(method, valid):
    def ask(**arguments):
        tester = mechanisms.AboveThreshold(epsilon=1.0, threshold=50.0, rng=rng())
        return getattr(tester, method)(**arguments)

    assert attack(ask, valid, names=set(valid())) == []
