"""Every public name answers hostile arguments with a result or with one error that names the argument."""

from functools import partial

import numpy as np
import pytest

from replicate.papers import distribution_learning as dl
from replicate.papers.distribution_learning import bounds
from tests.hostile import attack, uncovered

COINS = ((0.7, 0.3), (0.2, 0.8))
K, T, LEVEL, DELTA = {"n_hypotheses": 4}, {"horizon": 10**6}, {"epsilon": 0.5}, {"delta": 0.01}


def rng():
    return {"rng": np.random.default_rng(1)}


CALLS = {
    "Predictor": lambda: {"hypotheses": COINS, "horizon": 100},
    "User": lambda: {"hypotheses": COINS, "horizon": 100, **rng()},
    "hadamard_class": lambda: {"n_pairs": 3, "gap": 0.3},
    "play_labels": lambda: {"hypotheses": COINS, "labels": [0, 1, 1, 0], **rng()},
    "privacy_loss": lambda: {"hypotheses": COINS, "epsilon": 1.0, "horizon": 100},
    "simulate": lambda: {"hypotheses": COINS, "horizon": 1000, "grid": 100, **rng()},
    "tune": lambda: {"scheme": "pure", "n_labels": 8, **K, **T, **LEVEL},
}
SCHEMES = {
    "simulate, Algorithm 1": ("simulate", {"scheme": "approximate", "delta": 0.01, "calibration": "tight"}),
    "simulate, periodic contexts": ("simulate", {"hypotheses": (COINS, COINS[::-1]), "contexts": "periodic"}),
    "simulate, a law of contexts": ("simulate", {"hypotheses": (COINS, COINS[::-1]), "context_law": [0.9, 0.1]}),
    "labels, contexts": ("play_labels", {"hypotheses": (COINS, COINS[::-1]), "contexts": [0, 1, 1, 0]}),
    "labels, randomised response": ("play_labels", {"scheme": "randomized_response"}),
    **{f"simulate, {name}": ("simulate", {"scheme": name}) for name in dl.BAYES_SCHEMES},
    **{f"labels, {name}": ("play_labels", {"scheme": name}) for name in dl.BAYES_SCHEMES},
    "tune, Algorithm 1, tight": (
        "tune",
        {"scheme": "approximate", "delta": 0.01, "calibration": "tight", "log_range": 9.0, "sensitivity": 8.0},
    ),
}
"""Further valid calls: names of what they are to a public name and what changes."""

BOUNDS = {
    name: partial(dict, sizes)
    for sizes, names in (
        ({"n_actions": 4, **T}, "exp3_regret wma_regret"),
        ({"n_pairs": 4, **T, **LEVEL}, "hadamard_gap theorem_3 tv_lower_bound budgeted_gap budgeted_lower_bound"),
        ({"n_pairs": 4, **LEVEL}, "hadamard_horizon"),
        ({**K}, "non_private"),
        ({**K, **LEVEL, **DELTA}, "printed_unit_scale"),
        ({**K, "n_labels": 8, **T, **LEVEL}, "randomized_response randomized_response_tv"),
        ({**K, **LEVEL, "accuracy": 0.2}, "sample_size"),
        ({**LEVEL}, "theorem_1_constant"),
        ({**K, **T, **LEVEL}, "theorem_2_constant theorem_5 theorem_6 theorem_5_form"),
        ({**K, **T, **LEVEL, **DELTA}, "theorem_4 theorem_4_form"),
        ({**K, **T, **LEVEL, "price": 4.0}, "bits_risk bits_tv"),
        ({**K, **LEVEL, "accuracy": 0.1}, "bits_sample_size"),
        ({"n_hypotheses": 7, **T, **LEVEL}, "fano_risk fano_tv interactive_risk"),
        ({"n_hypotheses": 7, **T, **LEVEL}, "interactive_tv rare_share signed_gap"),
        (LEVEL, "information"),
        ({"batches": 9}, "median_failure"),
        ({**T, **LEVEL}, "quantised_risk"),
    )
    for name in names.split()
}


@pytest.mark.parametrize("name", SCHEMES)
def test_schemes_refuse_hostile_arguments(name):
    public, changes = SCHEMES[name]
    assert attack(getattr(dl, public), lambda: CALLS[public]() | changes) == []


@pytest.mark.parametrize("scheme", [*dl.SCHEMES, *dl.BAYES_SCHEMES])
def test_methods_refuse_hostile_arguments(scheme):
    options = {"scheme": scheme, "delta": 0.01 if scheme == "approximate" else None, "horizon": 100}
    user, predictor = dl.User(COINS, **options, **rng()), dl.Predictor(COINS, **options)
    message = user.release(0)
    assert attack(user.release, lambda: {"label": 0}) == []
    assert attack(predictor.predict, dict) == []
    assert attack(predictor.observe, lambda: {"message": message}) == []


def test_a_message_that_rules_out_every_hypothesis_is_refused():
    predictor = dl.Predictor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], scheme="non_private", horizon=100)
    predictor.observe(0)
    for label in (1, 2):
        with pytest.raises(ValueError, match=r"^message must leave a hypothesis possible"):
            predictor.observe(label)
    assert predictor.predict().tolist() == [1.0, 0.0, 0.0]


PARTS = [*(f"checked_{name}" for name in ("delta", "epsilon", "horizon", "hypotheses")), "log_range"]
PARTS += ["message_factor", "noise_limit", "of_scheme"]
"""Of other bounds, and a choice among them."""


@pytest.mark.parametrize(("home", "calls", "parts"), [(dl, CALLS, []), (bounds, BOUNDS, PARTS)])
def test_every_public_name_refuses_hostile_arguments(home, calls, parts):
    assert uncovered(home, calls) == parts
    assert {name: found for name in calls if (found := attack(getattr(home, name), calls[name]))} == {}
