"""Duels with the adversary of Theorem 5.1: every learner is tuned for the game that it plays."""

import math
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from replicate.papers.tracking.experiments import adaptive
from tests.transcriptions import tracking as second

N, ROUNDS, SWITCHES, EPSILON = 3, 5, 2, 0.3
"""A game whose actions, rounds and switches are three different numbers."""


def fixed_share():
    """Rate and share: the code length of a sequence with two switches in four steps is balanced with T / 8."""
    share = SWITCHES / (ROUNDS - 1)
    length = math.log(N) - math.log((share / (N - 1)) ** 2 * (1 - share) ** 2)
    return math.sqrt(8 * length / ROUNDS), share


@pytest.fixture
def contestants(monkeypatch):
    """The learners of one game by name, and what the dartboard was tuned for."""
    asked, tune = [], adaptive.dartboard.tune_dartboard
    monkeypatch.setattr(adaptive.dartboard, "tune_dartboard", lambda **words: asked.append(words) or tune(**words))
    found = adaptive._contestants(N, ROUNDS, SWITCHES, EPSILON, np.random.default_rng(1))
    assert {learner.n_actions for learner in found.values()} == {N}
    return found, asked


def test_contestants_without_privacy_have_the_best_tuning_or_no_noise(contestants):
    learners, _ = contestants
    shared = learners["Fixed Share, not private"]
    assert (shared.learning_rate, shared.share) == pytest.approx(fixed_share())
    assert learners["Algorithm 1, no noise"].privacy.epsilon == 1e6


def test_private_contestants_spend_the_epsilon_of_the_game(contestants):
    """The dartboard counts all sequences with at most two switches, here one by one; delta is ((S + 1) / T)^3."""
    learners, asked = contestants
    sequences = sum(np.count_nonzero(np.diff(s)) <= SWITCHES for s in product(range(N), repeat=ROUNDS))
    log_d = pytest.approx(math.log(sequences))
    assert asked == [{"epsilon": EPSILON, "delta": pytest.approx(0.6**3), "horizon": ROUNDS, "log_d": log_d}]
    experts = learners["meta-experts"]
    assert (experts.n_actions, experts.horizon) == (N, ROUNDS)
    assert len(experts._filter[0]) == SWITCHES + 1
    assert learners["Algorithm 1"].privacy.epsilon == EPSILON
    mirror, words = learners["Algorithm 3"], {"n_actions": N, "horizon": ROUNDS, "n_switches": SWITCHES}
    assert mirror.floor == pytest.approx(SWITCHES / (N * ROUNDS))
    assert (mirror.learning_rate, mirror.noise) == pytest.approx(second.parameters(**words, epsilon=EPSILON))


@pytest.mark.parametrize("rounds", [7, 64])
def test_who_is_blind_to_plays_is_tuned_for_one_switch(rounds):
    shared = adaptive._contestant("Fixed Share", rounds, np.random.default_rng(1))
    length = math.log(rounds) + math.log((rounds - 1) ** 2) - (rounds - 2) * math.log1p(-1 / (rounds - 1))
    assert (shared.n_actions, shared.share) == (rounds, pytest.approx(1 / (rounds - 1)))
    assert shared.learning_rate == pytest.approx(math.sqrt(8 * length / rounds))
    private = adaptive._contestant("Algorithm 1", rounds, np.random.default_rng(1))
    assert (private.n_actions, private.privacy.epsilon) == (rounds, pytest.approx(rounds**-0.5))


@pytest.mark.parametrize(
    ("play", "words", "copies"),
    [("adversarial", (), 2), ("one_copy", (), 1), ("blind", ("Algorithm 1",), 2), ("blind", ("Fixed Share",), 2)],
)
def test_a_duel_has_a_pair_for_every_round_of_a_copy(play, words, copies, monkeypatch):
    """The comparator has a switch less than there are copies; replays are of that game, by a fresh learner."""
    games, replayed = [], []

    def duel(learner, foe, *, horizon, n_switches):
        games.append((learner, foe))
        assert foe._copy_rounds * copies == horizon
        assert learner.n_actions == foe.n_actions == 2 * foe._copy_rounds
        assert n_switches == copies - 1
        return SimpleNamespace(regret=1.0, table=len(games))

    def replay(learner, table, *, n_switches):
        other = games[table - 1][0]
        assert learner is not other
        assert (type(learner), learner.n_actions, n_switches) == (type(other), other.n_actions, copies - 1)
        replayed.append(table)
        return SimpleNamespace(regret=0.0)

    monkeypatch.setattr(adaptive.adversary, "duel", duel)
    monkeypatch.setattr(adaptive.adversary, "replay", replay)
    data = getattr(adaptive, play).__wrapped__("quick", 3, *words)
    assert len({id(learner) for learner, _ in games}) == len({id(foe) for _, foe in games}) == len(games) > 50
    assert (data["regret"] == 1.0).sum() == len(games)
    assert len(data) == len(games) + len(replayed)
    assert replayed == (list(range(1, len(games) + 1)) if play == "adversarial" else [])


@pytest.mark.parametrize(("profile", "rounds"), [("quick", 128), ("full", 256), ("huge", 1024)])
def test_one_copy_has_half_of_the_rounds(profile, rounds, monkeypatch):
    played = []

    def duel(learner, foe, *, horizon, n_switches):
        played.append(horizon)
        return SimpleNamespace(regret=2.0)

    monkeypatch.setattr(adaptive.adversary, "duel", duel)
    monkeypatch.setattr(adaptive, "_contestants", lambda *_: {"any": None})
    data = adaptive.one_copy.__wrapped__(profile, 3)
    assert set(played) == set(data["horizon"]) == {rounds}
    assert len(data) == len(played) == adaptive.SIZES[profile].adversarial[1]
