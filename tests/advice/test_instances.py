"""The losses on which learners are compared: what each instance asks."""

import numpy as np
import pytest

from replicate.advice import Question
from replicate.advice.instances import LEARNT, hidden_gap, instances
from replicate.advice.reactive import Chaser, Opponent, opponents, regret
from replicate.learners.protocol import best_sequence


def question(losses, **changes):
    moving = {"n_switches": 3} if losses in ("shifting", "switching") else {}
    return Question(
        **{"feedback": "full", "losses": losses, "n_actions": 4, "rounds": 240, "epsilon": 1.0} | moving | changes
    )


@pytest.mark.parametrize("losses", ["iid", "shifting", "fixed", "switching"])
def test_uniform_play_is_measured_against_the_questions_comparator(losses, rng):
    """Close to the best sequence on the mean losses, by dynamic programming: that may switch a round earlier."""
    asked = question(losses)
    for instance in instances(asked):
        t = np.arange(asked.rounds)
        means = instance.draw(rng).mean_sums(t, t + 1)
        best = best_sequence(means, n_switches=asked.n_switches)[0]
        tolerance = 0.5 * asked.n_switches + 1e-9
        assert instance.uniform == pytest.approx(means.mean(axis=1).sum() - best, abs=tolerance), instance.name


@pytest.mark.parametrize("losses", ["iid", "shifting", "fixed", "switching"])
def test_columns_stand_in_random_order(losses, rng):
    """In each replicate: every action is the best one of some, unless all are alike."""
    asked = question(losses)
    for instance in instances(asked):
        sums = np.array([instance.draw(rng).mean_sums(0, asked.rounds) for _ in range(60)])
        best = set(sums.argmin(axis=1).tolist())
        assert best == set(range(4)) or instance.name in ("alternating", "turning leaders"), instance.name


@pytest.mark.parametrize("losses", ["shifting", "switching"])
def test_laws_change_at_random_rounds(losses, rng):
    """Four phases, each of at least a twentieth of the rounds."""
    for instance in instances(question(losses, rounds=10_000)):
        starts = np.array([instance.draw(rng).starts for _ in range(20)])
        assert starts.shape == (20, 4)
        assert np.diff(starts, append=10_000, axis=1).min() >= 10_000 / 4 / 10 - 1
        assert len(set(starts[:, 1])) > 10, instance.name


def test_what_is_hidden_is_not_asked(rng):
    """Coins are three times what is hidden apart; of iid gaps, one that is hidden weighs less."""
    for asked in (question("fixed", rounds=10**4), question("fixed", feedback="bandit", rounds=10**4, local=True)):
        coins = next(i for i in instances(asked) if i.name == "coins").draw(rng).mean_sums(0, 1)
        assert np.ptp(coins) == pytest.approx(min(LEARNT * hidden_gap(asked), 1))
    found = {i.gap: i.weight for i in instances(question("iid", rounds=10**4, feedback="bandit"))}
    assert found[0.5] == 1
    assert found[0.02] == pytest.approx(0.02 / (3 * hidden_gap(question("iid", rounds=10**4, feedback="bandit"))))


class Still:
    """Plays one action for ever."""

    n_actions, feedback = 3, "full"

    def act(self):
        return 1

    def __init__(self):
        self.rows = []

    def observe(self, losses):
        self.rows.append(losses)


def test_the_chaser_punishes_staying():
    """The learner may keep the rows that it is given: no later round changes them."""
    learner, order = Still(), np.arange(3)
    assert regret(learner, Opponent(Chaser(3), 0), rounds=10, order=order) == 9
    assert [list(row) for row in learner.rows] == [[0, 0, 0]] + 9 * [[0, 1, 0]]
    assert regret(Still(), Opponent(Chaser(3), 1), rounds=10, order=order) == 0, "compared with what it plays"
    assert regret(Still(), Opponent(Chaser(3), 1), rounds=10, order=np.array([1, 2, 0])) == 9, "columns reordered"


def test_a_bandit_learner_is_shown_the_loss_of_the_action_that_it_plays_under_its_own_number():
    learner = Still()
    learner.feedback = "bandit"
    lost = regret(learner, Opponent(Chaser(3, best=2), 0), rounds=3, order=np.array([0, 2, 1]))
    assert learner.rows == [0, 0.5, 0.5], "its action 1 is the good action 2, punished for being played"
    assert lost == sum(learner.rows) - 3 * 0.5


def test_a_chaser_with_a_good_action_punishes_uniform_play():
    chaser = Chaser(3, best=1)
    assert list(chaser.losses()) == [0.5, 0, 0.5]
    chaser.see(0)
    assert list(chaser.losses()) == [1, 0, 0.5]
    chaser.see(1)
    assert list(chaser.losses()) == [0.5, 0.5, 0.5]


def test_a_chaser_with_a_memory_forgets_the_oldest_round():
    """An action loses its share of the last three rounds, whatever was played before."""
    chaser, played = Chaser(3, memory=3), [0, 0, 1, 2, 2, 0, 1, 1, 1, 1]
    for t, action in enumerate(played):
        shares = [played[max(t - 3, 0) : t].count(i) / 3 for i in range(3)]
        assert chaser.losses() == pytest.approx(shares)
        chaser.see(action)


def test_the_comparator_against_pairs_is_chosen_before_the_game(rng):
    """It would lose least if nobody played; an action without a partner always loses."""
    asked = question("reactive", n_actions=5)
    for _ in range(20):
        opponent = opponents(asked, 64)["pairs"](rng)
        total = np.zeros(4)
        for _ in range(8):
            total += opponent.adversary.losses()
            for _ in range(8):
                opponent.adversary.see(0)
        assert opponent.comparator < 4
        assert total[opponent.comparator] == total[2:].min() or opponent.comparator < 2
    learner = Still()
    learner.n_actions = 5
    regret(learner, opponents(asked, 64)["pairs"](rng), rounds=64, order=np.arange(5))
    assert learner.rows[-1][4] == 1


def test_the_gap_that_hides_is_that_of_one_phase():
    asked = {"feedback": "full", "n_actions": 8, "epsilon": 1}
    phases = Question(losses="shifting", n_switches=3, rounds=4 * 4096, **asked)
    assert hidden_gap(phases) == pytest.approx(hidden_gap(Question(losses="iid", rounds=4096, **asked)))
