"""Hostile calls of the public audits."""

from inspect import signature

import numpy as np
import pytest

from replicate import audit, mechanisms
from replicate.learners import baselines
from tests.hostile import attack, misplaced, taken, uncovered


def selector(sums):
    return mechanisms.softmax_pmf(-np.asarray(sums, dtype=float), scale=2.0)


def law(table):
    return selector(table.sum(axis=0))


def follow(rng):
    return baselines.FollowTheLeader(2, rng=rng)


def draw(n, rng):
    return rng.integers(2, size=n)


def release(x):
    return lambda n, rng: x + rng.laplace(size=n)


def samples(n=200, **more):
    return {"first": draw, "second": draw, "samples": n, "rng": np.random.default_rng(1), "score": None} | more


TABLE = [[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]
CALLS = {
    "above_threshold_pair": lambda: {"epsilon": 1.0, "sensitivity": 1.0, "down": 0.5, "up": 1.0, "distance": 10.0},
    "above_threshold_pair_loss": lambda: {"first": [0.0, 1.0], "second": [1.0, 0.0], "epsilon": 1.0},
    "assert_private": lambda: {
        "make": release, "neighbours": (0.0, 0.0), "epsilon": 1.0, "delta": 0.0, "runs": 200,
        "score": None, "likelihood": None, "relation": None, "false_alarm": 1e-9, "seed": 1,
    },
    "bits": lambda: {
        "first": draw, "second": draw, "samples": 100, "delta": 0.0, "rng": np.random.default_rng(1),
    },
    "certified_privacy_loss": lambda: samples(100, delta=0.0, score="fitted"),
    "certified_renyi": lambda: samples(order=2.0),
    "certified_zcdp": lambda: samples(),
    "dyadic_sampler": lambda: {"select": lambda sums, rng: sums.argmin(axis=-1), "losses": TABLE},
    "examine": lambda: {
        "make": release, "neighbours": [0.0, 1.0], "epsilon": 1.0, "delta": 0.0, "runs": 200, "score": None,
        "likelihood": None, "relation": None, "false_alarm": 1e-9, "seed": 1,
    },
    "exhaustive_privacy_loss": lambda: {"output_law": law, "n_rounds": 2, "n_actions": 2},
    "hockey_stick": lambda: {"p": [0.5, 0.5], "q": [0.3, 0.7], "epsilon": 0.1},
    "learner_sampler": lambda: {"make_learner": follow, "losses": TABLE},
    "one_by_one": lambda: {"run": lambda rng: 0},
    "refute": lambda: {
        "first": draw, "second": draw, "epsilon": 1.0, "delta": 0.0, "most_runs": 200,
        "rng": np.random.default_rng(1), "event": None,
    },
    "replay": lambda: {
        "function": lambda x, rng: None, "data": 0, "neighbour": 0, "epsilon": 1.0, "rho": 1.0, "seed": 1,
        "primitives": (),
    },
    "renyi_divergence": lambda: {"p": [0.5, 0.5], "q": [0.3, 0.7], "order": 2.0},
    "privacy_loss": lambda: {"p": [0.5, 0.5], "q": [0.3, 0.7]},
    "report_noisy_max_privacy_loss": lambda: {"n_actions": 3, "noise": "gumbel", "scale": 2.0, "n_rounds": 4},
    "selection_privacy_loss": lambda: {"selector": selector, "n_actions": 2, "n_rounds": 3, "starts": 8},
    "sequence_law": lambda: {"table": TABLE, "selector": selector},
    "softmax_block_privacy_loss": lambda: {"n_actions": 3, "scale": 2.0, "weights": [0.5, 0.5]},
    "trade_off_band": lambda: samples(),
    "zcdp_loss": lambda: {"p": [0.5, 0.5], "q": [0.3, 0.7]},
    "worst_pair": lambda: {
        "make": release, "pairs": [(0.0, 0.5), (0.0, 1.0)], "samples": 200, "rng": np.random.default_rng(1)
    },
    "whole_block_weights": lambda: {"r": 3},
}  # fmt: skip
INPUTS = (
    "assert_private(neighbours=[nan, 0.5]): AssertionError",
    "examine(neighbours=[nan, 0.5]): NaN",
    "worst_pair(pairs=array([[nan, nan]",
)
"""Inputs of a mechanism are nobody's business: NaN may be one, and tells itself apart from numbers."""
TYPES = {
    "AddOrRemoveOne",
    "Finding",
    "Primitive",
    "Replay",
    "OneCell",
    "Raised",
    "Relation",
    "ReplaceOne",
    "Verdict",
    "PrefixWeights",
    "Refutation",
    "Sampler",
    "Score",
}


def test_every_public_name_is_called():
    assert set(uncovered(audit, CALLS)) <= TYPES


@pytest.mark.parametrize("name", CALLS)
def test_bad_arguments_are_refused_by_name(name):
    found = attack(getattr(audit, name), CALLS[name])
    assert [line for line in found if not line.startswith(INPUTS)] == []


@pytest.mark.parametrize("name", CALLS)
def test_a_bare_object_is_refused_at_once(name):
    anything = ["data", "neighbour"] if name == "replay" else []
    assert taken(getattr(audit, name), CALLS[name]) == anything


FALLIBLE = [name for name in CALLS if "false_alarm" in signature(getattr(audit, name)).parameters]


SHARED = {"bits": 2, "certified_renyi": 2, "certified_zcdp": 2, "trade_off_band": 2}
"""How many limits share the probability to err of an audit, where they are more than one."""


@pytest.mark.parametrize("name", sorted(FALLIBLE))
def test_an_audit_may_err_with_a_probability_from_1e_300_to_a_half(name):
    least = SHARED.get(name, 1) * 1e-300
    assert misplaced(getattr(audit, name), CALLS[name], "false_alarm", least, 0.5) == []
