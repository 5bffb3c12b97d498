"""Instances of the synopsis: each is what it is called."""

import numpy as np
import pytest

from replicate.learners import registry
from replicate.streams import stream
from replicate.studies.synopsis import instances
from replicate.studies.synopsis.experiments import decisions, regret


@pytest.mark.parametrize("k", [2, 3])
def test_clock_trap_turns_with_every_block(k):
    """The leader of the block before loses in every round; the best action in a third of them."""
    rows = instances.clock_trap(k, 127).losses(0, 127, rng=stream(6, "t"))
    block = np.floor(np.log2(np.arange(1, 128))).astype(int)
    assert (rows.argmin(axis=1) == block % 2).all()
    assert (np.sort(rows, axis=1) == [0, *[1] * (k - 1)]).all()
    sums = np.array([rows[block == b].sum(axis=0) for b in range(7)])
    leaders = sums.argmin(axis=1)[:-1]
    assert sums[np.arange(1, 7), leaders].sum() == 126
    assert sums.sum(axis=0).min() == pytest.approx(127 / 3, abs=1)


def test_restart_trap_is_a_fixed_table_that_begins_anew():
    horizon = 2**15 - 1
    trap = instances.restart_trap(2, horizon, epsilon=1.0).rows
    plain = instances.clock_trap(2, horizon).losses(0, horizon, rng=stream(7, "u"))
    differs = np.flatnonzero((trap != plain).any(axis=1))
    assert trap.shape == plain.shape
    assert len(differs)
    again = trap[differs[0] - 1 :]
    begun = next(k for k in range(200) if (again[k : k + 4000] == plain[:4000]).all())
    assert begun < 200


@pytest.mark.parametrize("best", [0, 1, 2])
def test_one_arm_is_good_by_the_gap(best):
    means = instances.good_arm(3, 0.5, best=best).means
    np.testing.assert_array_equal(means, np.where(np.arange(3) == best, 0.25, 0.75))


def test_every_phase_has_a_new_good_action():
    env = instances.shifting(3, 0.5, n_switches=3, horizon=1000)
    assert [phase.means.argmin() for phase in env.environments] == [0, 1, 2, 0]
    assert env.starts.tolist() == [0, 250, 500, 750]


@pytest.mark.parametrize("trap", ["clock", "restart"])
def test_traps_are_such_that_uniform_play_is_half_a_round_from_the_best(trap):
    """In every round one of both actions loses 1."""
    samples, uniform, least = regret.trapped("quick", 2026, "prefix_softmax", trap)
    horizon = instances.SIZES["quick"].adversarial_horizon
    assert uniform == horizon / 2 + least
    assert samples.min() >= least
    assert -least < 0.6 * horizon


@pytest.mark.parametrize("profile", ["quick", "full"])
def test_labels_are_copies_of_eight_or_cannot_be_merged(profile):
    """Labels with the same likelihood ratios are one."""
    for name, (laws, _) in decisions.label_classes(profile).items():
        np.testing.assert_allclose(laws.sum(axis=1), 1)
        kinds = np.unique((laws / laws.sum(axis=0)).round(9), axis=1).shape[1]
        assert kinds == (8 if name == "copies" else laws.shape[1])
    assert set(decisions.LABEL_SCHEMES) < set(registry.schemes())
