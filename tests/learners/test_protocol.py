import math

import numpy as np
import pandas as pd
import pytest

from replicate.learners import protocol


class Cycle:
    """Plays 0, 1, 0, 1, ... and keeps what it sees."""

    n_actions = 2

    def __init__(self, feedback):
        self.feedback, self.seen = feedback, []

    def act(self):
        return len(self.seen) % 2

    def observe(self, losses):
        self.seen.append(losses)


LOSSES = np.array([[1.0, 0.0], [0.25, 0.5], [0.0, 1.0]])


def test_regret_in_hindsight_by_hand():
    run = protocol.play(Cycle("full"), LOSSES)
    np.testing.assert_array_equal(run.actions, [[0, 1, 0]])
    np.testing.assert_allclose(run.regret, [[1.0, 1.5 - 0.5, 1.5 - 1.25]])
    np.testing.assert_array_equal(run.rounds, [1, 2, 3])
    assert run.final == pytest.approx(0.25)
    assert run.regret_kind == protocol.HINDSIGHT
    np.testing.assert_array_equal(run.comparator.actions, [0, 0, 0])
    assert run.comparator.loss == 1.25
    assert run.comparator.uniform == pytest.approx(0.5 + 0.375 + 0.5)


def test_dynamic_regret_by_hand():
    run = protocol.play(Cycle("bandit"), LOSSES, n_switches=1)
    np.testing.assert_array_equal(run.comparator.actions, [1, 0, 0])
    np.testing.assert_allclose(run.regret, [[1.0, 1.5 - 0.25, 1.5 - 0.25]])
    assert run.comparator.loss == 0.25
    assert run.comparator.segments == [(1, "1"), (2, "0")]
    assert run.regret_kind == protocol.DYNAMIC


@pytest.mark.parametrize("experts", [7, 8, 9, 20, 300])
def test_the_best_sequence_goes_through_any_of_many_experts(experts):
    """The last S + 1 experts have one stretch each in which they lose least; columns may stand in any order."""
    rng, switches = np.random.default_rng(experts), 4
    best = np.repeat(experts - 1 - np.arange(switches + 1), 6)
    table = rng.uniform(0.5, 1, size=(len(best), experts))
    table[np.arange(len(best)), best] = rng.uniform(0, 0.5, size=len(best))
    for order in (np.arange(experts), rng.permutation(experts)):
        loss, sequence = protocol.best_sequence(table[:, order], n_switches=switches)
        assert order[sequence].tolist() == best.tolist()
        assert loss == pytest.approx(table.min(axis=1).sum())


def test_dynamic_regret_agrees_with_a_search_over_all_sequences():
    rng = np.random.default_rng(5)
    table = rng.random((7, 2))
    sequences = np.array(np.meshgrid(*[[0, 1]] * 7)).reshape(7, -1).T
    totals = table[np.arange(7), sequences].sum(axis=1)
    for switches in range(1, 6):
        allowed = (np.diff(sequences, axis=1) != 0).sum(axis=1) <= switches
        run = protocol.play(Cycle("full"), table, n_switches=switches)
        lost = table[np.arange(7), np.arange(7) % 2].sum()
        assert run.final[0] == pytest.approx(lost - totals[allowed].min())


def test_feedback_decides_what_a_learner_sees():
    full, bandit = Cycle("full"), Cycle("bandit")
    protocol.play(full, LOSSES)
    protocol.play(bandit, LOSSES)
    np.testing.assert_array_equal(full.seen, LOSSES)
    assert bandit.seen == [1.0, 0.5, 0.0]


@pytest.mark.parametrize("action", [-1, 2])
@pytest.mark.parametrize("feedback", ["full", "bandit"])
def test_an_action_that_does_not_exist_is_refused(action, feedback):
    learner = Cycle(feedback)
    learner.act = lambda: action
    with pytest.raises(ValueError, match=f"^learner must play an action from 0 to 1, got {action}$"):
        protocol.play(learner, LOSSES)


def test_a_printed_run_tells_loss_comparator_regret_and_privacy():
    learner = Cycle("full")
    learner.privacy = protocol.Privacy(epsilon=0.5, delta=1e-6, source="XY-1")
    text = str(protocol.play(learner, pd.DataFrame(LOSSES, columns=["sun", "rain"]), n_switches=1))
    assert text.splitlines() == [
        "loss        1.5 in 3 rounds",
        "comparator  best sequence with at most 1 switch: rain from round 1, sun from round 2; loss 0.25",
        "regret      1.25, 0.4167 per round; uniform play: 1.125",
        "privacy     epsilon = 0.5, delta = 1e-06, event level: the sequence of actions may be seen and "
        "one round's whole loss vector stays private (XY-1)",
    ]
    assert "the learner makes no statement" in str(protocol.play(Cycle("full"), LOSSES))
    simulated = protocol.Run(np.array([2, 4]), np.array([[1.0, 2.0], [1.0, 4.0]]), protocol.PSEUDO)
    assert str(simulated).startswith("regret      3 ± 1 in 2 games after 4 rounds, pseudo-regret")


@pytest.mark.parametrize("rounds", [[0, 4], [4, 4], [4, 2]])
def test_regret_is_stated_after_more_and_more_rounds(rounds):
    with pytest.raises(ValueError, match="rounds must increase from 1 on"):
        protocol.Run(np.array(rounds), np.zeros((1, 2)), protocol.PSEUDO)


def test_privacy_says_what_it_promises():
    assert "none" in str(protocol.Privacy(epsilon=math.inf))


def test_losses_on_another_scale_are_told_how_to_scale():
    with pytest.raises(ValueError, match=r"row 1, column 0 .*2 more.*np\.clip\(\(losses - low\)"):
        protocol.play(Cycle("full"), [[0.1, 0.2], [30, 0.1], [-1, 7]])


def test_sequences_that_do_not_fit_into_memory_are_refused():
    with pytest.raises(ValueError, match="n_switches must be at most 1430 for 1000000 rounds, got 999999"):
        protocol.best_sequence(np.zeros((10**6, 2)), n_switches=10**9)
    with pytest.raises(ValueError, match="losses must have at most 32767 columns, got 40000"):
        protocol.best_sequence(np.zeros((2, 40_000)), n_switches=1)
