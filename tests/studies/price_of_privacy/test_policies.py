"""The optimal learner: its law, live plays, privacy, batches; and what `minimax` refuses."""

from __future__ import annotations

import math
from copy import copy
from itertools import product

import numpy as np
import pytest

from replicate import audit, certify
from replicate.streams import stream
from replicate.studies.price_of_privacy import instances
from replicate.studies.price_of_privacy.algorithms.minimax import minimax
from replicate.studies.price_of_privacy.algorithms.policies import (
    Policy,
    exact_loss,
    law_on_batches,
    signal_chances,
)
from replicate.studies.price_of_privacy.bounds import Game
from replicate.studies.price_of_privacy.instances import FAMILIES
from tests import agreement

HALVES = [np.array(t, dtype=float) for t in product(product((0, 0.5, 1), repeat=2), repeat=3)]


def worst(policy):
    return max((policy.marginals(t) * t).sum() - t.sum(axis=0).min() for t in HALVES)


@pytest.mark.parametrize("feedback", ["full", "bandit"])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_regret_on_real_losses_is_the_value(feedback, epsilon):
    optimum = minimax(2, 3, epsilon, feedback)
    assert worst(optimum.policy) == pytest.approx(optimum.value, abs=1e-9)
    assert optimum.gap < 1e-9
    assert optimum.bounds[0] <= optimum.value <= optimum.bounds[1]


@pytest.mark.parametrize("feedback", ["full", "bandit"])
def test_privacy_loss_on_real_losses_is_the_level(feedback):
    loss = exact_loss(minimax(2, 3, 0.8, feedback).policy)
    assert loss == pytest.approx(0.8, abs=1e-6)
    assert loss <= 0.8


def test_delta_on_real_losses_is_kept():
    policy = minimax(2, 3, 0.8, delta=0.05).policy
    laws = {tuple(map(tuple, t.tolist())): policy.law(t) for t in HALVES}
    deltas = []
    for table, law in laws.items():
        for place, row in product(range(3), product((0.0, 0.5, 1.0), repeat=2)):
            other = (*table[:place], row, *table[place + 1 :])
            deltas.append(float(audit.hockey_stick(law, laws[other], epsilon=0.8)))
    assert max(deltas) == pytest.approx(0.05, abs=1e-9)
    assert max(deltas) <= 0.05 + 1e-12
    assert worst(policy) == pytest.approx(minimax(2, 3, 0.8, delta=0.05).value, abs=1e-9)
    assert worst(policy) < minimax(2, 3, 0.8).value - 0.01


@pytest.mark.parametrize(
    ("k", "rest"),
    [
        (2, {}), (3, {}), (2, {"feedback": "bandit"}), (3, {"feedback": "bandit"}),
        (3, {"losses": "deterministic"}),
    ],
    ids=str,
)  # fmt: skip
def test_live_plays_follow_the_law(k, rest):
    """Many games on a table with losses between 0 and 1, constant rows among them."""
    name = {"": "full", "bandit": "bandit", "deterministic": "deterministic"}[next(iter(rest.values()), "")]
    game = FAMILIES[name].game(k, 3, "1")
    policy = Policy(game, tuple(instances.read(name, k, 3)[game].policy))
    table = np.array([[0.2, 0.9, 0.6], [0.7, 0.7, 0.7], [1.0, 0.0, 0.3]])[:, :k]
    rng = stream(5, "optimal", k, name)
    counts = np.bincount(agreement.codes(play_often(policy, table, rng), k), minlength=k**3)
    law = policy.law(table)
    assert law.sum() == pytest.approx(1)
    assert certify.goodness_of_fit(counts, law) > 1e-6
    assert certify.goodness_of_fit(counts, np.full(k**3, k**-3.0)) < 1e-6


def play_often(policy, table, rng, *, batch=1, games=2_000):
    new = policy.learner(rng=rng, batch=batch)
    return np.array([agreement.played(copy(new), table) for _ in range(games)])


@pytest.mark.parametrize("feedback", ["full", "bandit"])
def test_batches_follow_their_law_and_keep_their_promise(feedback):
    policy = minimax(2, 2, 1.5, feedback).policy
    table = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    played = play_often(policy, table, stream(6, "batches", feedback), batch=2)
    assert (played[:, 0] == played[:, 1]).all()
    assert (played[:, 2] == played[:, 3]).all()
    law, counts = law_on_batches(policy, 2), np.bincount(2 * played[:, 0] + played[:, 2], minlength=4)
    assert certify.goodness_of_fit(counts, law(table)) > 1e-6
    assert certify.goodness_of_fit(counts, law(table[[0, 0, 2, 2]])) < 1e-6  # as if the first round were drawn
    level = math.log1p(math.expm1(1.5) / 2)
    assert policy.learner(rng=stream(1), batch=2).privacy.epsilon == pytest.approx(level)
    assert exact_loss(policy, levels=(0.0, 1.0), batch=2) == pytest.approx(level, abs=1e-6)


@pytest.mark.parametrize("batch", [1, 2])
def test_batches_keep_their_promise_with_delta(batch):
    """A replaced round is seen with chance 1 / m: delta / m at the level of a batch, exactly, and no less."""
    policy, epsilon, delta = minimax(2, 2, 0.8, delta=0.06).policy, 0.8, 0.06
    promise, law = policy.learner(rng=stream(1), batch=batch).privacy, law_on_batches(policy, batch)
    assert promise.epsilon == pytest.approx(math.log1p(math.expm1(epsilon) / batch))
    assert promise.delta == pytest.approx(delta / batch)
    letters = np.eye(2)
    spent = []
    for word in product((0, 1), repeat=2 * batch):
        for place in range(2 * batch):
            other = [bit ^ (i == place) for i, bit in enumerate(word)]
            laws = (law(letters[list(bits)]) for bits in (word, other))
            spent.append(float(audit.hockey_stick(*laws, epsilon=promise.epsilon)))
    assert max(spent) == pytest.approx(promise.delta, rel=1e-6)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_signals_have_the_mean_of_the_losses(k):
    losses = np.linspace(0.1, 0.7, k)
    full = signal_chances(Game(n_actions=k, horizon=1, epsilon="1"), losses)
    letters = np.array(Game(n_actions=k, horizon=1, epsilon="1").letters)
    shifted = full[0] @ letters - losses
    assert np.ptp(shifted) < 1e-12
    assert full.sum(axis=1) == pytest.approx(1)
    one = Game(n_actions=k, horizon=1, epsilon="1", losses="deterministic")
    chosen = np.array(one.letters)[signal_chances(one, losses)[0].argmax()]
    assert chosen.tolist() == [0] + [1] * (k - 1)


def test_a_game_ends():
    learner = minimax(2, 2, 1.0).learner(rng=stream(1), batch=3)
    assert learner.horizon == 6
    for _ in range(6):
        assert learner.act() in (0, 1)
        learner.observe([0.0, 1.0])
    with pytest.raises(ValueError, match="horizon of 6 rounds"):
        learner.act()


def test_a_learner_of_no_private_game_promises_nothing():
    learner = minimax(2, 3, math.inf).learner(rng=stream(1))
    assert math.isinf(learner.privacy.epsilon)
    assert minimax(2, 5, math.inf).value == pytest.approx(15 / 16, abs=1e-9)


@pytest.mark.parametrize(
    ("k", "t", "feedback"), [(2, 8, "full"), (3, 5, "full"), (5, 3, "full"), (2, 7, "bandit"), (16, 64, "full")]
)
def test_games_that_take_long_are_refused_with_an_estimate(k, t, feedback):
    with pytest.raises(ValueError, match=r"n_actions = .* horizon = .* needs some .* seconds"):
        minimax(k, t, 1.0, feedback)
