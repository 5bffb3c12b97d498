"""Questions at the corners of their ranges: a value or a refusal in a sentence, in time."""

import math
import time
import warnings
from functools import partial

import numpy as np
import pytest

from replicate.environments import Bernoulli, Deterministic, Table
from replicate.learners import protocol, registry
from replicate.learners.anytime import anytime
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.entries import Setting

ACTIONS = (2, 3, 16, 100, 10**5)
ROUNDS = (1, 2, 17, 1000, 10**6, 10**9)
EPSILONS = (1e-3, 0.05, 0.5, 1.0, 8.0, 50.0)
DELTAS = (0.0, 1e-300, 1e-6, 0.5, 1.0)
FEW = ACTIONS[:-1]
"""Of these a game of a few rounds takes no time."""
SECONDS = 30
"""Processor seconds of a bound, of a few rounds or of a short simulation, by what has compiled."""
ENTRIES = list(registry.register().values())


def one(values, rng):
    return values[rng.integers(len(values))]


def corner(entry, rng, actions=ACTIONS):
    """A corner of what a learner's setting may be, as arguments by name; no rounds where nobody knows T."""
    rounds = one(ROUNDS, rng)
    switches = one([s for s in (0, 1, 3, rounds // 2, rounds - 1, rounds) if s <= rounds], rng)
    epsilon = one(EPSILONS, rng) if entry.private else math.inf
    sizes = {"n_actions": one(actions, rng), "horizon": rounds, "n_switches": switches}
    return sizes | {"epsilon": epsilon, "delta": one(DELTAS, rng)}


def said(question):
    """Answer a question; return the answer, or the sentence in which it is refused, and the seconds."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            answer = question()
        except (ValueError, TypeError) as error:
            answer = str(error)
            assert len(answer.split()) > 3, answer
    return answer, time.process_time() - start


def in_time(question):
    """Answer a question in time, if need be at the second look: the first one may compile."""
    answer, seconds = said(question)
    assert seconds < SECONDS or said(question)[1] < SECONDS
    return answer


def bound(rng):
    """A bound of a learner, or of its form for T unknown."""
    entry = one([entry for entry in ENTRIES if entry.bound], rng)
    entry, given, gap = one([entry, anytime(entry)], rng), corner(entry, rng), one((1e-9, 0.1, 1.0), rng)
    value = in_time(lambda: entry.bound(Setting(**given), gap))
    assert isinstance(value, str) or value >= 0, (entry.name, given, gap, value)


def tables(rounds, n_actions, rng):
    """Losses that are all the same, that tie, or that are those of one good action."""
    shape = (rounds, n_actions)
    tied = np.repeat(rng.random((rounds, 1)), n_actions, axis=1)
    return one([np.zeros(shape), np.ones(shape), np.full(shape, 0.5), tied, rng.random(shape)], rng)


def game(rng, actions=ACTIONS):
    """The first rounds of a game, at most eight, by the learner that is built for all of them."""
    entry = one(ENTRIES, rng)
    given = corner(entry, rng, actions) | {"epsilon": one(EPSILONS, rng) if entry.private else None}
    given["n_switches"] = given["n_switches"] or None
    given["horizon"] = one([given["horizon"], None], rng)
    table = tables(min(given["horizon"] or 8, 8), given["n_actions"], rng)

    def played():
        return protocol.play(registry.learner(entry.name, **given, rng=rng), table).final[0]

    value = in_time(played)
    assert isinstance(value, str) or abs(value) <= len(table), (entry.name, given, value)


def simulation(rng):
    """Two short games, or two of the longest of few actions where sums of losses are drawn and not every round."""
    entry = one([entry for entry in ENTRIES if entry.simulate], rng)
    longest = MAX_HORIZON if entry.max_horizon == MAX_HORIZON else 1000
    k, rounds = one([(2, 1), (2, 2), (3, 17), (100, 1), (100, 17), (2, longest)], rng)
    env = one([Deterministic(np.full(k, 0.5)), Deterministic(np.eye(k)[0]), Bernoulli(np.ones(k))], rng)
    given = corner(entry, rng) | {"horizon": rounds, "n_switches": one([s for s in (0, 1) if s < rounds], rng)}
    given["epsilon"] = one(EPSILONS, rng)
    del given["n_actions"]
    value = in_time(lambda: registry.simulate(entry.name, env, **given, replicates=2, rng=rng).final)
    assert isinstance(value, str) or np.isfinite(value).all(), (entry.name, given, value)


@pytest.mark.parametrize("question", [bound, partial(game, actions=FEW), simulation])
def test_corners_are_answered_or_refused_in_a_sentence(question):
    rng = np.random.default_rng(1)
    for _ in range(40):
        question(rng)


@pytest.mark.long
@pytest.mark.parametrize("question", [bound, game, simulation])
@pytest.mark.parametrize("seed", range(3))
def test_more_corners_are_answered_or_refused_in_a_sentence(question, seed):
    rng = np.random.default_rng(seed)
    for _ in range(300):
        question(rng)


def test_rounds_after_the_last_of_a_game_change_nothing():
    """A table whose other action is better, by far, in what comes after."""
    rows = np.vstack([np.random.default_rng(4).random((24, 2)), np.tile([1.0, 0.0], (60, 1))])
    sizes = {"epsilon": 1.0, "horizon": 24, "replicates": 2}
    for entry in ENTRIES:
        if entry.simulate:
            long, short = (
                registry.simulate(entry.name, Table(table), **sizes, rng=np.random.default_rng(5)).regret
                for table in (rows, rows[:24])
            )
            np.testing.assert_array_equal(long, short, err_msg=entry.name)
