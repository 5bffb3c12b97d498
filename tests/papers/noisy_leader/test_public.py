"""Hostile calls of the public names, and the examples in the docstrings."""

import numpy as np
import pytest

from replicate import environments
from replicate.papers import noisy_leader
from replicate.papers.noisy_leader import bounds
from tests.hostile import attack, uncovered

LEVEL = {"n_actions": 16, "epsilon": 0.5}
VARIANT = {"epsilon": 0.5, "noise": "exponential", "calibration": "printed"}


def rng():
    return np.random.default_rng(1)


def simulation():
    env = environments.Grid([0.0, 0.5], [[0.5, 0.5], [0.1, 0.9]])
    return {"env": env, "horizon": 1000, "replicates": 3, "rng": rng(), "resample": True} | VARIANT


CALLS = {
    "NoisyLeader": lambda: {"n_actions": 3, "rng": rng(), "resample": True} | VARIANT,
    "exact_regret": lambda: {"means": [0.1, 0.4, 0.4], "horizon": 1000} | VARIANT,
    "noise_scale": lambda: dict(VARIANT),
    "resampled": lambda: {"env": environments.Table([[0.0, 1.0], [0.5, 0.25]])},
    "simulate": simulation,
}
BOUNDS = {
    "corollary_2": lambda: LEVEL | {"horizon": 1000, "noise": "gumbel"},
    "corollary_3": lambda: LEVEL | {"noise": "gumbel"},
    "equation_7": lambda: {"epoch": [1, 3], "gaps": [0.2, 0.3], "epsilon": 0.5, "noise": "laplace", "c2": 16.0},
    "equation_9": lambda: {"epoch": [1, 3], "gaps": [0.2, 0.3], "epsilon": 0.5, "noise": "laplace"},
    "expected_maximum": lambda: {"n_actions": 16, "noise": "laplace"},
    "lemma_3": lambda: {"integral": [0.5, 2.0]},
    "optimal_rate": lambda: LEVEL | {"gap": 0.1, "noise": "exponential", "losses": "any"},
    "potential": lambda: {"n_actions": 16, "noise": "laplace", "scale": 4.0, "factor": 4},
    "tail_constants": lambda: {"noise": "laplace"},
    "tail_constants_of_any_losses": lambda: {"noise": "laplace"},
    "theorem_1": lambda: LEVEL | {"gap": 0.1, "horizon": 1000},
    "theorem_2": lambda: LEVEL | {"gap": 0.1, "noise": "gumbel"},
    "theorem_3": lambda: LEVEL | {"horizon": 1000},
    "theorem_3_integral": lambda: LEVEL | {"horizon": 1000},
    "theorem_3_limit": lambda: dict(LEVEL),
    "theorem_3_sum": lambda: LEVEL | {"horizon": 1000},
    "theorem_4": lambda: LEVEL | {"factor": 4},
}


@pytest.mark.parametrize(("home", "calls"), [(noisy_leader, CALLS), (bounds, BOUNDS)])
def test_every_public_name_refuses_bad_arguments_by_name(home, calls):
    assert uncovered(home, calls) == []
    assert {name: found for name in calls if (found := attack(getattr(home, name), calls[name]))} == {}


@pytest.mark.parametrize("method", ["losses", "sums", "mean_sums"])
def test_bad_stretches_of_resampled_losses_are_refused_by_name(method):
    env = noisy_leader.resampled(environments.Table([[0.0, 1.0], [0.5, 0.25]]))

    def stretch():
        return {"start": 0, "stop": 2} | ({} if method == "mean_sums" else {"rng": rng()})

    assert attack(getattr(env, method), stretch) == []


def test_bad_feedback_is_refused_by_name():
    learner = noisy_leader.NoisyLeader(2, epsilon=1.0, rng=rng())
    assert attack(learner.observe, lambda: {"losses": [0.0, 1.0]}) == []


def test_epochs_end_with_the_longest_horizon():
    with pytest.raises(ValueError, match="epoch must be at most 60"):
        bounds.equation_7(61, 0.1, epsilon=1.0, noise="gumbel")
    with pytest.raises(ValueError, match="epoch and gaps must broadcast"):
        bounds.equation_9([1, 2, 3], [0.1, 0.2], epsilon=1.0, noise="gumbel")


def test_sums_of_too_many_terms_are_refused():
    with pytest.raises(ValueError, match="epsilon = 1e-09"):
        bounds.theorem_3_sum(n_actions=2, epsilon=1e-9, horizon=2**59)
