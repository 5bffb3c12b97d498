import numpy as np
import pytest

from replicate import audit


def randomised_response(epsilon, coins=1):
    """Release whether the first loss is 1, flipped with probability 1 / (1 + e^epsilon), `coins` times."""

    def law(table):
        keep = 1 / (1 + np.exp(-epsilon))
        one = keep if table[0, 0] == 1 else 1 - keep
        joint = np.ones(1)
        for _ in range(coins):
            joint = np.multiply.outer(joint, [one, 1 - one]).ravel()
        return joint

    return law


def test_enumeration_finds_the_loss_of_randomised_response():
    loss = audit.exhaustive_privacy_loss(randomised_response(0.7), n_rounds=2, n_actions=2)
    assert loss == pytest.approx(0.7)
    twice = audit.exhaustive_privacy_loss(randomised_response(0.7, coins=2), n_rounds=1, n_actions=2)
    assert twice == pytest.approx(1.4)


def test_enumeration_compares_neighbours_only():
    """A mechanism that tells tables apart only when two rows differ together is perfectly private."""

    def law(table):
        shifted = np.array_equal(table[0], table[1])
        return np.array([0.5, 0.5]) if not shifted else np.array([0.4, 0.6])

    assert audit.exhaustive_privacy_loss(law, n_rounds=2, n_actions=2) == pytest.approx(np.log(0.5 / 0.4))
    constant = audit.exhaustive_privacy_loss(lambda t: np.array([0.3, 0.7]), n_rounds=2, n_actions=2)
    assert constant == 0


def test_privacy_loss_of_impossible_outcomes():
    assert audit.privacy_loss([0.5, 0.5, 0.0], [0.25, 0.75, 0.0]) == pytest.approx(np.log(2))
    assert audit.privacy_loss([1.0, 0.0], [0.9, 0.1]) == np.inf
    with pytest.raises(ValueError, match="probabilities"):
        audit.privacy_loss([-0.1, 1.1], [0.5, 0.5])


@pytest.mark.parametrize("sizes", [{"n_rounds": 0, "n_actions": 2}, {"n_rounds": 1, "n_actions": 1}])
def test_bad_sizes_are_refused(sizes):
    with pytest.raises(ValueError, match="must be an integer"):
        audit.exhaustive_privacy_loss(lambda t: np.ones(1), **sizes)
