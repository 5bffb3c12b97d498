import numpy as np
import pytest

from replicate import protocol


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


def test_feedback_decides_what_a_learner_sees():
    full, bandit = Cycle("full"), Cycle("bandit")
    protocol.play(full, LOSSES)
    protocol.play(bandit, LOSSES)
    np.testing.assert_array_equal(full.seen, LOSSES)
    assert bandit.seen == [1.0, 0.5, 0.0]


@pytest.mark.parametrize(
    "losses", [[[0.1, 1.1]], [[0.1, np.nan]], [[0.1, 0.2, 0.3]], [0.1, 0.2], np.zeros((0, 2))]
)
def test_bad_losses_are_refused(losses):
    with pytest.raises(ValueError, match="losses must"):
        protocol.play(Cycle("full"), losses)
