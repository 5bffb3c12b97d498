"""Hostile calls of the public audits."""

import numpy as np
import pytest

from replicate import audit, mechanisms
from replicate.learners import baselines
from tests.hostile import attack, uncovered


def selector(sums):
    return mechanisms.softmax_pmf(-np.asarray(sums, dtype=float), scale=2.0)


def law(table):
    return selector(table.sum(axis=0))


def follow(rng):
    return baselines.FollowTheLeader(2, rng=rng)


def draw(n, rng):
    return rng.integers(2, size=n)


TABLE = [[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]
CALLS = {
    "above_threshold_pair": lambda: {"epsilon": 1.0, "sensitivity": 1.0, "down": 0.5, "up": 1.0, "distance": 10.0},
    "above_threshold_pair_loss": lambda: {"first": [0.0, 1.0], "second": [1.0, 0.0], "epsilon": 1.0},
    "above_threshold_privacy_loss": lambda: {"epsilon": 1.0, "sensitivity": 1.0, "down": 0.5, "up": 1.0},
    "block_law": lambda: {"block": TABLE, "selector": selector, "weights": [0.0, 0.5, 0.5]},
    "block_privacy_loss": lambda: {"selector": selector, "n_actions": 2, "weights": [0.5, 0.5], "starts": 8},
    "certified_privacy_loss": lambda: {
        "first": draw, "second": draw, "samples": 100, "rng": np.random.default_rng(1), "delta": 0.0
    },
    "dyadic_sampler": lambda: {"select": lambda sums, rng: sums.argmin(axis=-1), "losses": TABLE},
    "exhaustive_privacy_loss": lambda: {"output_law": law, "n_rounds": 2, "n_actions": 2},
    "hockey_stick": lambda: {"p": [0.5, 0.5], "q": [0.3, 0.7], "epsilon": 0.1},
    "laplace_delta": lambda: {"shift": [1.0, 0.5], "scale": 1.0, "epsilon": 0.5},
    "laplace_privacy_loss": lambda: {"shift": [1.0, 0.5], "scale": 1.0},
    "learner_sampler": lambda: {"make_learner": follow, "losses": TABLE},
    "privacy_loss": lambda: {"p": [0.5, 0.5], "q": [0.3, 0.7]},
    "report_noisy_max_privacy_loss": lambda: {"n_actions": 3, "noise": "gumbel", "scale": 2.0, "n_rounds": 4},
    "selection_privacy_loss": lambda: {"selector": selector, "n_actions": 2, "n_rounds": 3, "starts": 8},
    "sequence_law": lambda: {"table": TABLE, "selector": selector},
    "sequence_privacy_loss": lambda: {"block_loss": lambda r: 0.5, "horizon": 10},
    "softmax_block_privacy_loss": lambda: {"n_actions": 3, "scale": 2.0, "weights": [0.5, 0.5]},
    "whole_block_weights": lambda: {"r": 3},
}  # fmt: skip
TYPES = {"PrefixWeights", "Sampler"}


def test_every_public_name_is_called():
    assert set(uncovered(audit, CALLS)) <= TYPES


@pytest.mark.parametrize("name", CALLS)
def test_bad_arguments_are_refused_by_name(name):
    assert attack(getattr(audit, name), CALLS[name]) == []
