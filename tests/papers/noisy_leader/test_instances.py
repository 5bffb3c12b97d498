"""Named instances by hand: where the best action lies, and how far the others are."""

import numpy as np
import pytest

from replicate.papers.noisy_leader import instances

MEANS = {
    "one good arm": [0.4, 0.5, 0.5, 0.5, 0.5],
    "geometric gaps": [0.25, 0.35, 0.45, 0.65, 1.0],
    "linear gaps": [0.25, 0.35, 0.25 + 0.95 / 3, 0.25 + 1.6 / 3, 1.0],
    "one near competitor": [0.25, 0.35, 1.0, 1.0, 1.0],
}
"""Of five actions with gap 0.1: no gap is above 3/4."""


def test_all_names_are_known():
    assert set(instances.INSTANCES) == set(MEANS)


@pytest.mark.parametrize("name", MEANS)
def test_means_of_five_actions(name):
    np.testing.assert_allclose(instances.means_of(name, 5, 0.1), MEANS[name])


@pytest.mark.parametrize("name", MEANS)
@pytest.mark.parametrize(("n_actions", "gap"), [(2, 0.5), (3, 0.01), (4096, 0.1), (4096, 1e-17)])
def test_means_of_many_actions_are_losses_with_that_gap(name, n_actions, gap):
    means = instances.means_of(name, n_actions, gap)
    best = 0.5 - gap if name == "one good arm" else 0.25
    assert means.shape == (n_actions,)
    assert means[0] == best
    assert (means >= 0).all()
    assert (means <= 1).all()
    assert means[1] - best == pytest.approx(gap, rel=1e-9, abs=1e-16)
    assert (np.diff(means[1:]) >= 0).all()


def test_the_first_two_dependent_actions_share_their_good_rounds():
    """Losses of 0 and 1. Chances 0.5, 0.45 and 0.05: the first two lose 0.45 + 0.05, the third 0.5 + 0.05."""
    outcomes, chances = instances.DEPENDENT_OUTCOMES, instances.DEPENDENT_CHANCES
    assert set(outcomes.ravel()) == {0.0, 1.0}
    assert (outcomes[:, 0] == outcomes[:, 1]).all()
    assert chances @ outcomes == pytest.approx([0.5, 0.5, 0.55])
    assert chances.sum() == pytest.approx(1)
