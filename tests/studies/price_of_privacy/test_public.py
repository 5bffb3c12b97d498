"""Hostile calls of the public names, and the examples in the docstrings."""

import numpy as np
import pytest

import replicate
from replicate.studies import price_of_privacy
from replicate.studies.price_of_privacy import lemmas
from replicate.studies.price_of_privacy.algorithms.minimax import minimax
from tests.hostile import attack, taken

POLICY = minimax(2, 2, 1.0).policy


def rng():
    return np.random.default_rng(1)


def test_public_names_are_there():
    names = {"Certificate", "Game", "OptimalLearner", "Optimum", "Policy", "minimax"}
    assert set(price_of_privacy.__all__) == names
    assert all(getattr(price_of_privacy, name) is not None for name in names)
    with pytest.raises(AttributeError, match="maximin"):
        price_of_privacy.maximin  # noqa: B018


LEMMAS = {
    "limit_bounds": {"value": 1.5, "epsilon": 0.5},
    "posterior_regret": {"epsilon": 0.5},
    "scaled": {"value": 1.5, "rounds": 3},
}


@pytest.mark.parametrize("name", LEMMAS)
def test_bad_arguments_of_lemmas_are_refused_by_name(name):
    assert attack(getattr(lemmas, name), lambda: dict(LEMMAS[name])) == []
    assert taken(getattr(lemmas, name), lambda: dict(LEMMAS[name])) == []


@pytest.mark.parametrize("feedback", ["full", "bandit"])
def test_bad_arguments_of_minimax_are_refused_by_name(feedback):
    calls = {"n_actions": 2, "horizon": 2, "epsilon": 1.0, "feedback": feedback, "delta": 0.0}
    assert attack(replicate.minimax, lambda: dict(calls)) == []


def test_bad_arguments_of_learners_are_refused_by_name():
    assert attack(POLICY.learner, lambda: {"rng": rng(), "batch": 2}) == []
    assert attack(POLICY.learner(rng=rng()).observe, lambda: {"losses": [0.0, 1.0]}) == []
    bandit = minimax(2, 2, 1.0, "bandit").learner(rng=rng())
    assert attack(bandit.observe, lambda: {"losses": 0.5}) == []


@pytest.mark.parametrize("name", ["law", "marginals"])
def test_bad_tables_are_refused_by_name(name):
    assert attack(getattr(POLICY, name), lambda: {"losses": [[0.0, 1.0], [0.5, 0.5]]}) == []
