"""Limits of the mean regret: tails that are proved, and exact means between the limits."""

from __future__ import annotations

import numpy as np
import pytest

from replicate import certify, environments, mechanisms
from replicate.learners import dyadic
from replicate.papers.noisy_leader import algorithms, lemmas
from replicate.papers.noisy_leader.experiments import limits

MEANS = np.array([0.6, 0.3])
HORIZON = 2**12 - 1


def setting(noise, scale=4.0, horizon=HORIZON):
    return limits.Setting(means=MEANS, noise=noise, scale=scale, horizon=horizon)


def exact_costs(noise, scale=4.0):
    """Mean cost of each of the twelve epochs."""
    late = [
        2 ** (r + 1) * 0.3 * lemmas.selection_law(MEANS, rounds=2**r, noise=noise, scale=scale)[0]
        for r in range(11)
    ]
    return np.array([0.15, *late])


@pytest.mark.parametrize("noise", mechanisms.NOISES)
def test_tails_are_above_the_exact_costs_and_near_them(noise):
    tails, exact = setting(noise).tails(), exact_costs(noise)
    assert (exact <= tails * (1 + 1e-12)).all()
    assert (tails <= setting(noise).largest).all()
    assert (tails[1:9] < 12 * exact[1:9]).all()


@pytest.mark.parametrize("noise", mechanisms.NOISES)
def test_a_ladder_is_limited_on_both_sides(noise):
    """With a cut that leaves late epochs to the tails, where the limits are narrow, and without one."""
    exact = exact_costs(noise).sum()
    for cut, most in ((40.0, 2 * exact), (np.inf, np.inf)):
        ladder = limits.ladder(setting(noise), cut=cut, replicates=4000, rng=np.random.default_rng(6))
        low, high = ladder.limits(false_alarm=1e-6)
        assert low < exact < high < most
        assert ladder.costs.max() <= ladder.most


def test_epochs_add_up_to_the_regret():
    run = algorithms.simulate(
        environments.Bernoulli(MEANS), epsilon=0.5, horizon=100, replicates=5, rng=np.random.default_rng(1)
    )
    costs = limits.of_epochs(run)
    np.testing.assert_allclose(costs.sum(axis=1), run.final)
    assert costs.shape[1] == len(dyadic.blocks(100)[0])


# By hand, from costs that are given


def test_an_epoch_costs_at_most_its_rounds_times_the_largest_gap():
    """Epochs of 1, 2, 4 and 8 rounds; the first is uniform play, whose mean is known: 0.4 / 3."""
    known = limits.Setting(means=np.array([0.3, 0.6, 0.4]), noise="gumbel", scale=4.0, horizon=15)
    assert known.largest.tolist() == pytest.approx([0.4 / 3, 0.6, 1.2, 2.4])


def test_tails_add_up_all_actions_that_have_one_gap():
    """Two actions at 0.3 and one at 0.1, each as likely as its proved tail; never more than the largest."""
    known = limits.Setting(means=np.array([0.3, 0.6, 0.4, 0.6]), noise="gumbel", scale=4.0, horizon=2**10 - 1)
    far, near = known.wrong(np.array([0.6, 0.4])).T
    late = 2 ** np.arange(1, 10) * (2 * 0.3 * far + 0.1 * near)
    assert known.tails() == pytest.approx(np.minimum(known.largest, np.append(0.175, late)), rel=1e-12)
    assert (late < known.largest[1:]).any()


def test_an_upper_limit_adds_the_tails_of_what_is_not_played():
    """Four epochs are played; costs are cut at the most that is possible, which rounding may exceed."""
    costs = np.random.default_rng(1).random((50, 4))
    played, longer = (setting("gumbel", horizon=horizon) for horizon in (15, HORIZON))
    early = limits.upper(played, costs, false_alarm=0.1)
    assert limits.upper(longer, costs, false_alarm=0.1) == pytest.approx(early + longer.tails()[4:].sum())
    most = np.tile(played.largest, (50, 1))
    assert limits.upper(played, most + 1, false_alarm=0.1) == limits.upper(played, most, false_alarm=0.1)


def test_a_lower_limit_chooses_its_epochs_on_the_first_half():
    """Epochs of range 1, 1 and 100: the third costs more than it tells, in the half that does not choose."""
    first, second = np.tile([1.0, 1.0, 0.0], (10, 1)), np.tile([0.5, 1.0, 90.0], (10, 1))
    found = limits.lower(np.vstack([first, second]), largest=np.array([1.0, 1, 100]), false_alarm=0.01)
    known = 2 - float(certify.betting_upper(np.full(10, 0.5), low=0, high=2, false_alarm=0.01))
    assert found == pytest.approx(known)
    assert limits.lower(np.zeros((4, 2)), largest=np.ones(2), false_alarm=0.01) == 0


def test_a_ladder_s_limits_are_of_all_costs_together():
    """Two epochs: twice the limits of one mean; what is left out counts above only."""
    costs = np.array([[1.0, 2], [3, 1], [2, 2]])
    low, high = limits.Ladder(costs=costs, most=4.0, rest=5.0).limits(false_alarm=0.05)
    top, bottom = (
        float(certify.betting_upper(x, low=0, high=4, false_alarm=0.05))
        for x in (costs.ravel(), 4 - costs.ravel())
    )
    assert (low, high) == pytest.approx((max(0, 2 * (4 - bottom)), 2 * top + 5))


@pytest.mark.parametrize("noise", mechanisms.NOISES)
def test_a_ladder_leaves_out_what_could_cost_more_than_the_cut(noise, rng):
    """Gaps 0.1 and 0.4, epochs of 2 and 4 rounds: of weights 0.2, 0.8, 0.4 and 1.6 the second and the last."""
    known = limits.Setting(means=np.array([0.6, 0.5, 0.9]), noise=noise, scale=4.0, horizon=7)
    found = limits.ladder(known, cut=0.5, replicates=4000, rng=rng)
    proved = known.wrong(known.means)[:, 2] @ [0.8, 1.6]
    assert (found.most, found.rest) == pytest.approx((0.4, 0.5 / 3 + proved))
    for column, (rounds, weight) in zip(found.costs.T, ((1, 0.2), (2, 0.4)), strict=True):
        law = lemmas.selection_law(known.means, rounds=rounds, noise=noise, scale=4.0)
        assert weight * law[0] in certify.mean_interval(column, false_alarm=1e-6)
