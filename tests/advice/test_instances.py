"""The losses on which learners are compared."""

import numpy as np
import pytest

from replicate.advice import Question
from replicate.advice.instances import instances
from replicate.advice.reactive import Chaser, adversaries, regret
from replicate.learners.comparator import best_sequence


def question(losses, **changes):
    moving = {"n_switches": 3} if losses in ("shifting", "switching") else {}
    return Question(
        **{"feedback": "full", "losses": losses, "n_actions": 4, "rounds": 240, "epsilon": 1.0} | moving | changes
    )


@pytest.mark.parametrize("losses", ["iid", "shifting", "fixed", "switching"])
def test_uniform_play_is_measured_against_the_questions_comparator(losses):
    """Close to the best sequence on the mean losses, by dynamic programming: that may switch a round earlier."""
    asked = question(losses)
    for instance in instances(asked):
        t = np.arange(asked.rounds)
        means = instance.env.mean_sums(t, t + 1)
        best = best_sequence(means, n_switches=asked.n_switches)[0]
        tolerance = 0.25 * asked.n_switches + 1e-9
        assert instance.uniform == pytest.approx(means.mean(axis=1).sum() - best, abs=tolerance), instance.name


def test_no_best_action_is_the_first():
    """A learner that breaks ties by number gains nothing on iid losses and on tables whose leader is fixed."""
    for losses in ("iid", "fixed"):
        asked = question(losses)
        for instance in instances(asked):
            total = instance.env.mean_sums(0, asked.rounds)
            assert total.argmin() or instance.name in {"late leader", "alternating", "doubling trap"}


class Still:
    """Plays one action for ever."""

    n_actions, feedback = 3, "full"

    def act(self):
        return 1

    def __init__(self):
        self.rows = []

    @property
    def seen(self):
        return self.rows[-1]

    def observe(self, losses):
        self.rows.append(losses)


def test_the_chaser_punishes_staying():
    """The learner may keep the rows that it is given: no later round changes them."""
    learner = Still()
    assert regret(learner, Chaser(3), rounds=10) == 9
    assert [list(row) for row in learner.rows] == [[0, 0, 0]] + 9 * [[0, 1, 0]]


def test_a_chaser_with_a_good_action_punishes_uniform_play():
    chaser = Chaser(3, best=1)
    assert list(chaser.losses()) == [0.5, 0, 0.5]
    chaser.see(0)
    assert list(chaser.losses()) == [1, 0, 0.5]
    chaser.see(1)
    assert list(chaser.losses()) == [0.5, 0.5, 0.5]


def test_an_action_without_a_partner_always_loses(rng):
    asked = question("reactive", n_actions=3)
    pairs = adversaries(asked, 64)["pairs"](rng)
    learner = Still()
    value = regret(learner, pairs, rounds=64)
    assert learner.seen[2] == 1
    assert 0 <= value <= 64
