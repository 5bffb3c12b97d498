"""Hostile calls of the paper's public names, and the examples in their docstrings."""

from functools import partial

import numpy as np
import pytest

from replicate import environments
from replicate.papers import bandits
from replicate.papers.bandits import bounds
from tests.hostile import attack, uncovered

ADVICE = [[[0.9, 0.1], [0.1, 0.9], [0.5, 0.5]]]


def rng():
    return np.random.default_rng(1)


def expert_learner():
    return bandits.LocalExp4(2, 3, epsilon=1.0, horizon=32_000, rng=rng())


CALLS = {
    "EXP3": lambda: {"n_actions": 3, "learning_rate": 0.1, "mixing": 0.1, "rng": rng()},
    "FTPL": lambda: {
        "n_actions": 3, "learning_rate": 0.1, "resamples": 20, "calibration": "printed", "rng": rng(),
    },
    "HTINF": lambda: {"n_actions": 3, "sigma": 2.0, "rng": rng()},
    "BatchedExp4": lambda: {
        "n_actions": 2, "n_experts": 3, "epsilon": 1.0, "delta": 1e-6, "horizon": 10**7,
        "calibration": "corrected", "rng": rng(),
    },
    "ExpertBandit": lambda: {"base": bandits.HTINF(3, rng=rng()), "rng": rng()},
    "ExpertProblem": lambda: {"advice": ADVICE, "losses": [[0.2, 0.8]], "drawn": True},
    "LocalExp4": lambda: {"n_actions": 2, "n_experts": 3, "epsilon": 1.0, "horizon": 32_000, "rng": rng()},
    "PrivateBandit": lambda: {
        "base": bandits.HTINF(3, rng=rng()), "epsilon": 0.5, "batch_size": 3, "rng": rng(),
    },
    "exp3_leakage": lambda: {"learning_rate": 0.1, "mixing": 0.1, "horizon": 1000},
    "play_experts": lambda: {
        "learner": expert_learner(), "losses": np.tile([0.2, 0.8], (10, 1)), "advice": np.tile(ADVICE, (10, 1, 1)),
    },
    "private_learner": lambda: {
        "learner": "exp3", "n_actions": 2, "epsilon": 0.5, "horizon": 1000, "rng": rng(),
    },
    "simulate": lambda: {
        "env": environments.Bernoulli([0.3, 0.5]), "learner": "ftpl", "epsilon": 0.5, "horizon": 1000,
        "replicates": 2, "rng": rng(), "calibration": "corrected",
    },
    "simulate_experts": lambda: {
        "problem": bandits.ExpertProblem(ADVICE, [[0.2, 0.8]]), "learner": "batched_exp4", "epsilon": 1.0,
        "delta": 0.5, "horizon": 10_000, "replicates": 2, "rng": rng(), "calibration": "corrected",
    },
}  # fmt: skip

PRIVATE = {"n_actions": 3, "epsilon": 0.5, "horizon": 1000}
NOISY = {"n_actions": 3, "noise_scale": 0.5, "horizon": 1000}
EXPERTS = {"n_actions": 3, "n_experts": 4, "epsilon": 0.5, "horizon": 1000}
APPROXIMATE = {**EXPERTS, "delta": 1e-6}
SECOND_ORDER = {"losses": [[0.2, 0.8], [0.5, -1.0]], "learning_rate": 0.1}
BOUNDS = {
    "corollary_2": PRIVATE,
    "corollary_8": {"n_experts": 3, "epsilon": 0.5, "horizon": 1000},
    "corollary_22": PRIVATE,
    "corollary_24": PRIVATE,
    "corollary_24_chain": PRIVATE,
    "lemma_11": {"fraction": 0.01, "delay": 10, "pulls": 0.5, "epsilon": 1.0, "horizon": 1000},
    "lemma_20": {"size": 3, "horizon": 10, "factor": 10},
    "lemma_23": {**SECOND_ORDER, "mixing": 0.1},
    "lemma_23_mixing": {**SECOND_ORDER, "mixing": 0.1},
    "lemma_25": NOISY,
    "lemma_25_chain": NOISY,
    "lemma_26": {**SECOND_ORDER, "laws": [[0.5, 0.5], [0.2, 0.8]]},
    "noisy_exp3": NOISY,
    "noisy_htinf": NOISY,
    "per_round_exp3": PRIVATE,
    "theorem_1": {"base_regret": 10.0, "batch_size": 3},
    "theorem_9": EXPERTS,
    "theorem_10": APPROXIMATE,
    "theorem_10_chain": {**APPROXIMATE, "learning_rate": 0.1, "mixing": 0.1, "batch": 10},
    "theorem_10_printed": APPROXIMATE,
    "theorem_10_terms": APPROXIMATE,
    "theorem_21": {"n_actions": 3, "sigma": 1.0, "horizon": 1000},
}

BOUNDS = {name: partial(dict, valid) for name, valid in BOUNDS.items()}

PLAYED = {
    "HTINF": lambda: bandits.HTINF(3, rng=rng()),
    "EXP3": lambda: bandits.EXP3(3, learning_rate=1e6, mixing=0.0, rng=rng()),
    "FTPL": lambda: bandits.FTPL(3, learning_rate=0.1, resamples=5, rng=rng()),
    "PrivateBandit": lambda: bandits.PrivateBandit(bandits.HTINF(3, rng=rng()), epsilon=1.0, rng=rng()),
}


@pytest.mark.parametrize(("home", "calls"), [(bandits, CALLS), (bounds, BOUNDS)])
def test_every_public_name_refuses_bad_arguments_by_name(home, calls):
    assert uncovered(home, calls) == []
    assert {name: found for name in calls if (found := attack(getattr(home, name), calls[name]))} == {}


@pytest.mark.parametrize("learner", ["htinf", "exp3", "per_round_exp3", "tsallis_inf", "plain_exp3"])
def test_bad_arguments_of_every_simulated_learner_are_refused_by_name(learner):
    epsilon = None if learner in ("tsallis_inf", "plain_exp3") else 0.5
    call = {**CALLS["simulate"](), "learner": learner, "epsilon": epsilon}
    assert attack(bandits.simulate, lambda: {**call, "rng": rng()}) == []


@pytest.mark.parametrize("learner", ["htinf", "local_exp4"])
def test_bad_arguments_of_every_advised_learner_are_refused_by_name(learner):
    call = {**CALLS["simulate_experts"](), "learner": learner, "delta": None}
    assert attack(bandits.simulate_experts, lambda: {**call, "rng": rng()}) == []


@pytest.mark.parametrize("name", PLAYED)
def test_bad_losses_are_refused_by_name(name):
    def observe(loss):
        learner = PLAYED[name]()
        learner.act()
        learner.observe(loss)
        return learner.act()

    assert attack(observe, lambda: {"loss": 0.5}) == []


@pytest.mark.parametrize(
    "make", [expert_learner, lambda: bandits.ExpertBandit(bandits.HTINF(3, rng=rng()), rng=rng())]
)
def test_bad_advice_is_refused_by_name(make):
    assert attack(lambda advice: make().act(advice), lambda: {"advice": ADVICE[0]}) == []
