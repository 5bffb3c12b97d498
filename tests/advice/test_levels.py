"""Learners that are advised play at the level that was asked for, on streams of their own."""

import math
from dataclasses import replace

import numpy as np
import pytest

from replicate.advice import Question
from replicate.advice.game import Candidate, Game
from replicate.advice.rows import ranked
from replicate.learners import Setting, registry

SIZES = {"feedback": "full", "n_actions": 4, "rounds": 64}


def finals(name, losses, epsilon, *, looks=1, **sizes):
    """Regrets on every instance, of three replicates a look."""
    game = Game(Question(losses=losses, epsilon=epsilon, **SIZES, **sizes), seed=1)
    measured = Candidate(registry.entry(name))
    assert all(game.run(measured, 3, look=look) for look in range(looks))
    assert [len(regrets) for regrets in measured.regrets] == [3 * looks] * len(game.names)
    return np.array(measured.regrets)


@pytest.mark.parametrize(
    ("losses", "sizes", "private", "free"),
    [
        ("switching", {"n_switches": 3}, "fixed_share_cube", "fixed_share"),
        ("reactive", {}, "exponential", "hedge"),
    ],
)
def test_privacy_that_costs_nothing_is_played_as_asked(losses, sizes, private, free):
    """With the same streams another level gives a private learner other regrets, and changes nothing without."""
    strict, weak = (finals(private, losses, level, **sizes) for level in (0.1, 100.0))
    assert (strict != weak).any()
    assert strict.mean() > weak.mean()
    np.testing.assert_array_equal(*(finals(free, losses, level, **sizes) for level in (0.1, 100.0)))


def test_every_replicate_of_every_look_draws_anew():
    """A private learner at a small level plays at random: no two games against an adversary are alike."""
    regrets = finals("exponential", "reactive", 0.05, looks=2)
    assert len(set(zip(*regrets.tolist(), strict=True))) == 6


ASKED = {"losses": "switching", "epsilon": 0.5, "delta": 1e-6, "n_switches": 3} | SIZES
OTHER = {
    "epsilon": ("gumbel", {"epsilon": 5.0}),
    "share of a person": ("gumbel", {"rounds_per_person": 8}),
    "delta": ("hedge_factorized", {"delta": 1e-3}),
    "switches": ("fixed_share_cube", {"n_switches": 1}),
    "rounds": ("gumbel", {"rounds": 128}),
    "actions": ("gumbel", {"n_actions": 6}),
    "losses": ("gumbel", {"losses": "fixed", "n_switches": 0}),
    "reactive losses": ("gumbel", {"losses": "reactive", "n_switches": 0}),
}
"""What another question asks for, and a learner whose regret it changes."""


@pytest.mark.parametrize("name", OTHER)
def test_games_that_share_what_was_measured_measure_what_they_do_alone(name):
    """Whatever differs between two questions tells their regrets apart."""
    learner, change = OTHER[name]
    questions, kept = [Question(**ASKED), Question(**ASKED | change)], {}

    def regrets(question, **shared):
        game = Game(question, seed=1, **shared)
        return [game.sample(registry.entry(learner), 0, 3, game.rounds).tolist() for _ in range(2)]

    alone = [regrets(question) for question in questions]
    assert alone[0] != alone[1]
    assert [regrets(question, kept=kept) for question in questions] == alone


@pytest.mark.parametrize(("losses", "switches"), [("fixed", 0), ("switching", 3), ("reactive", 0)])
def test_the_worst_instance_is_the_one_of_the_largest_mean(losses, switches):
    """It ranks in all replicates; in each of them another instance may cost more, or the first be the largest."""
    game = Game(Question(losses=losses, epsilon=0.5, n_switches=switches, **SIZES), seed=1)
    found = [np.array([10.0, 0.0, 1.0]), np.array([6.0, 6.0, 5.0]), np.array([0.0, 9.0, 0.0])]
    ranked, place = game.score(Candidate(registry.entry("gumbel"), regrets=found, rounds=64, places=(4, 2, 0)))
    assert (ranked.tolist(), place) == ([6.0, 6.0, 5.0], 2)


def below_one(make):
    """Build or simulate a learner that exists at levels up to 1 alone."""

    def refusing(*given, **sizes):
        setting = next(x for x in given if isinstance(x, Setting))
        assert setting.epsilon < math.inf
        if setting.epsilon > 1:
            raise ValueError("epsilon must be at most 1")
        return make(*given, **sizes)

    return refusing


STRONG = registry.entry("exponential")
CAUTIOUS = replace(
    STRONG, name="cautious", label="cautious", bound=lambda s, gap: 50 / s.epsilon,
    build=below_one(STRONG.build), simulate=below_one(STRONG.simulate),
)  # fmt: skip


@pytest.mark.parametrize(("epsilon", "rounds", "plays_at"), [(0.5, 1, 0.5), (1.0, 1, 1), (4.0, 1, 1), (8.0, 4, 1)])
def test_who_is_made_for_levels_up_to_1_plays_there_and_is_promised_what_holds_there(epsilon, rounds, plays_at):
    """Also where a person of several rounds has a share of epsilon in each, which is above 1."""
    words = {"losses": "iid", "rounds_per_person": rounds} | SIZES
    game, own = Game(Question(epsilon=epsilon, **words), seed=1), Candidate(CAUTIOUS)
    assert game.level(CAUTIOUS) == plays_at
    assert game.run(own, 3)
    same = Game(Question(epsilon=plays_at * rounds, **words), seed=1)
    np.testing.assert_array_equal(own.regrets, [same.sample(STRONG, i, 3, 64) for i in range(len(game.names))])
    (row,) = ranked(game, [own]).to_dict("records")
    assert (row["kind"], row["reason"]) == ("guaranteed", "")
    assert row["bound"] == pytest.approx(50 / plays_at)
