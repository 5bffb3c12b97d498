"""Simulators of bandit competitors are given the level that the setting asks for, as the literal learners are."""

import math

import numpy as np
import pytest

from replicate.environments import Bernoulli
from replicate.learners.competitors import (
    doubling,
    elimination,
    entries_bandit,
    growing,
    lazy_thompson,
    phases,
    player,
)
from replicate.learners.entries import Setting
from replicate.learners.protocol import Run
from replicate.streams import stream

ENTRIES = {entry.name: entry for entry in entries_bandit.LEARNERS}
ENV = Bernoulli([0.2, 0.5, 0.6])
KNOWN = {
    "adap_ucb": {"index": "ucb", "alpha": 3.1},
    "adap_ucb_customary": {"index": "ucb", "alpha": 1.0},
    "adap_klucb": {"index": "kl", "alpha": 3.1},
    "adap_klucb_customary": {"index": "kl", "alpha": 1.0},
    "dp_klucb": {"index": "klucb", "ratio": 2.0},
    "dp_imed": {"index": "imed", "ratio": 2.0},
    "dp_klucb_4": {"index": "klucb", "ratio": 4.0},
    "dp_imed_4": {"index": "imed", "ratio": 4.0},
    "dp_se": {"failure": 1 / 5000},
}
"""What learners in phases are, besides their level."""


def given(name, epsilon, monkeypatch):
    """What an entry's simulator gives to the loop that plays it."""
    calls = []

    def simulate(*args, horizon, replicates, rng, **words):
        calls.append((args, words))
        return Run(np.array([horizon]), np.zeros((replicates, 1)), "")

    monkeypatch.setattr(player, "simulate", simulate)
    monkeypatch.setattr(phases, "simulate", simulate)
    setting = Setting(n_actions=3, horizon=5000, epsilon=epsilon)
    ENTRIES[name].simulate(ENV, setting, replicates=2, rng=stream(1))
    ((args, words),) = calls
    return setting, args, words


@pytest.mark.parametrize("epsilon", [0.1, 3.0])
@pytest.mark.parametrize("name", KNOWN)
def test_learners_in_phases(name, epsilon, monkeypatch):
    setting, (make, env), _ = given(name, epsilon, monkeypatch)
    assert env is ENV
    for learner in (make(stream(2)), ENTRIES[name].build(setting, stream(2))):
        assert learner.epsilon == learner.privacy.epsilon == epsilon
        assert {key: getattr(learner, key) for key in KNOWN[name]} == KNOWN[name]
        assert learner.n_actions == 3


@pytest.mark.parametrize("epsilon", [0.1, 3.0])
def test_the_lazy_learner(epsilon, monkeypatch):
    setting, _, words = given("lazy_dp_ts", epsilon, monkeypatch)
    state = words["fresh"](3)
    assert state[lazy_thompson.NUMBER, lazy_thompson.EPSILON] == epsilon
    assert ENTRIES["lazy_dp_ts"].build(setting, stream(2)).epsilon == epsilon
    assert words.get("response") is None


@pytest.mark.parametrize("epsilon", [0.1, 3.0])
@pytest.mark.parametrize("name", sorted(set(ENTRIES) - set(KNOWN) - {"lazy_dp_ts"}))
def test_learners_in_rounds(name, epsilon, monkeypatch):
    """A private one sees bits of response tanh(epsilon / 2); Thompson sampling those of response 1."""
    _, _, words = given(name, epsilon, monkeypatch)
    expected = math.tanh(epsilon / 2) if ENTRIES[name].private else 1.0 if name == "thompson" else None
    assert words["response"] == (expected if expected is None else pytest.approx(expected, rel=1e-12))
    assert words["fresh"](3).shape[1] == 3


def test_every_learner_in_phases_is_known():
    kinds = (doubling.DoublingBandit, growing.GrowingBandit, elimination.SuccessiveElimination)
    setting = Setting(n_actions=2, horizon=10, epsilon=1.0)
    made = {name for name, entry in ENTRIES.items() if isinstance(entry.build(setting, stream(2)), kinds)}
    assert made == set(KNOWN)
