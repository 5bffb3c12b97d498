"""Learners that are advised play at the level that was asked for, on streams of their own."""

from types import SimpleNamespace

import numpy as np
import pytest

from replicate.advice import Question, game
from replicate.learners import registry

SIZES = {"n_actions": 4, "rounds": 64, "epsilon": 0.5}


class Still:
    """Plays the first action for ever."""

    n_actions, feedback = 4, "full"

    def act(self):
        return 0

    def observe(self, losses):
        pass


@pytest.fixture
def asked(monkeypatch):
    """What the register was asked for; nothing is played."""
    calls = []

    def simulate(name, env, **sizes):
        calls.append(sizes | {"name": name, "env": env})
        return SimpleNamespace(final=np.zeros(sizes["replicates"]))

    def learner(name, **sizes):
        calls.append(sizes | {"name": name})
        return Still()

    monkeypatch.setattr(registry, "simulate", simulate)
    monkeypatch.setattr(registry, "learner", learner)
    return calls


def candidate(name):
    return game.Candidate(registry.entry(name))


@pytest.mark.parametrize(("name", "level"), [("restarts", 0.5), ("fixed_share", None)])
def test_simulated_learners_are_given_the_question(name, level, asked):
    question = Question(feedback="full", losses="switching", n_switches=3, delta=1e-6, **SIZES)
    measured = candidate(name)
    played = game.Game(question, seed=1)
    assert played.run(measured, 2)
    assert len(asked) == len(played.names) == len(measured.regrets)
    for call in asked:
        assert (call["epsilon"], call["delta"], call["n_switches"]) == (level, 1e-6, 3)
        assert (call["horizon"], call["replicates"]) == (64, 2)
    draws = [call["rng"].integers(2**63) for call in asked]
    assert len(set(draws)) == len(draws)


@pytest.mark.parametrize(("name", "level"), [("exponential", 0.5), ("hedge", None)])
def test_learners_that_meet_an_adversary_are_given_the_question(name, level, asked):
    """Every replicate of every adversary, and every look, draws from a stream of its own."""
    question = Question(feedback="full", losses="reactive", **SIZES)
    measured, played = candidate(name), game.Game(question, seed=1)
    for look in (0, 1):
        assert played.run(measured, 3, look=look)
    assert len(asked) == 2 * 3 * len(played.names)
    assert {(call["epsilon"], call["n_actions"], call["horizon"]) for call in asked} == {(level, 4, 64)}
    draws = [call["rng"].integers(2**63) for call in asked]
    assert len(set(draws)) == len(draws)
    assert [len(regrets) for regrets in measured.regrets] == [6] * len(played.names)
