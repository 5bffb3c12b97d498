"""Hostile calls of the public mechanisms."""

import numpy as np
import pytest

from replicate import mechanisms
from replicate.mechanisms import composition
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


@pytest.mark.parametrize(("home", "calls"), [(mechanisms, CALLS), (composition, COMPOSITION)])
def test_every_public_name_refuses_bad_arguments_by_name(home, calls):
    assert uncovered(home, calls) == []
    assert {name: found for name in calls if (found := attack(getattr(home, name), calls[name]))} == {}


@pytest.mark.parametrize(
    ("method", "valid"), [("above", lambda: {"query": 1.0}), ("any_above", lambda: {"queries": SCORES})]
)
def test_bad_queries_are_refused_by_name(method, valid):
    def ask(**arguments):
        tester = mechanisms.AboveThreshold(epsilon=1.0, threshold=50.0, rng=rng())
        return getattr(tester, method)(**arguments)

    assert attack(ask, valid, names=set(valid())) == []
