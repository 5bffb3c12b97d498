"""Limits of the mean regret: tails that are proved, bets on early epochs, exact means between them."""

from __future__ import annotations

import numpy as np
import pytest

from replicate import environments, mechanisms
from replicate.learners import dyadic
from replicate.papers.noisy_leader import algorithms, lemmas
from replicate.papers.noisy_leader.experiments import limits

MEANS = np.array([0.3, 0.6])
HORIZON = 2**12 - 1


def setting(noise, scale=4.0, horizon=HORIZON):
    return limits.Setting(means=MEANS, noise=noise, scale=scale, horizon=horizon)


def exact_costs(noise, scale=4.0):
    """Mean cost of each of the twelve epochs."""
    late = [
        2 ** (r + 1) * 0.3 * lemmas.selection_law(MEANS, rounds=2**r, noise=noise, scale=scale)[1]
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
def test_the_exact_regret_lies_between_the_limits(noise):
    known, rng = setting(noise), np.random.default_rng(3)
    costs = limits.costs(known, epsilon=0.5, replicates=2000, rng=rng)
    assert known.settled() == costs.shape[1] < 12
    assert known.tails()[known.settled() :].sum() <= limits.NEGLIGIBLE
    exact = exact_costs(noise).sum()
    low = limits.lower(costs, largest=known.largest, false_alarm=1e-6)
    assert 0.5 * exact < low < exact < limits.upper(known, costs, false_alarm=1e-6) < 1.5 * exact


def test_limits_cover_a_skewed_regret_as_often_as_they_say(monkeypatch):
    """Many small samples, rate 0.05: an upper and a lower limit miss in at most 5 % of them, up to chance."""
    known, rng = setting("gumbel"), np.random.default_rng(4)
    tails = known.tails()  # the same for every sample
    monkeypatch.setattr(limits.Setting, "tails", lambda self: tails)
    exact, costs = exact_costs("gumbel").sum(), limits.costs(known, epsilon=0.5, replicates=8000, rng=rng)
    missed = [
        (limits.upper(known, part, false_alarm=0.05) < exact)
        + 1j * (limits.lower(part, largest=known.largest, false_alarm=0.05) > exact)
        for part in np.split(costs, 400)
    ]
    assert max(np.real(missed).sum(), np.imag(missed).sum()) <= 40


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


def test_tails_add_up_all_actions_that_have_one_gap(monkeypatch):
    """Wrong with probability 1/100 and 1/50 an action: two actions at 0.3 and one at 0.1, at most the largest."""
    known = limits.Setting(means=np.array([0.3, 0.6, 0.4, 0.6]), noise="gumbel", scale=4.0, horizon=7)
    chances = np.array([[0.01, 0.02], [1.0, 1.0]])
    monkeypatch.setattr(limits.Setting, "wrong", lambda self, means: chances)
    assert known.tails().tolist() == pytest.approx([0.175, 2 * (0.01 * 0.1 + 0.02 * 0.6), 1.2])


@pytest.mark.parametrize(
    ("tails", "settled"), [([1, 5e-4, 4e-4], 1), ([1, 7e-4, 4e-4], 2), ([1, 1, 1], 3), ([0, 0, 0], 0)]
)
def test_epochs_are_settled_where_all_others_cost_a_thousandth(tails, settled, monkeypatch):
    monkeypatch.setattr(limits.Setting, "tails", lambda self: np.array(tails, dtype=float))
    assert setting("gumbel").settled() == settled


@pytest.mark.parametrize(("settled", "horizon", "played"), [(3, 4095, 7), (20, 4095, 4095)])
def test_what_is_settled_is_not_played(settled, horizon, played, monkeypatch, rng):
    asked = []

    class Run:
        regret = np.array([[1.0, 3.0, 2.5]])

    monkeypatch.setattr(limits.Setting, "settled", lambda self: settled)
    monkeypatch.setattr(
        limits.algorithms, "simulate", lambda env, **words: asked.append((env.means, words)) or Run
    )
    found = limits.costs(setting("gumbel", horizon=horizon), replicates=7, rng=rng, resample=True)
    [(means, words)] = asked
    assert means.tolist() == MEANS.tolist()
    assert words == {"horizon": played, "replicates": 7, "rng": rng, "noise": "gumbel", "resample": True}
    assert found.tolist() == [[1, 2, 0]]


def test_an_upper_limit_adds_the_tails_of_what_is_not_played(monkeypatch):
    """Costs are cut at the most that is possible, which rounding may exceed."""
    asked = []
    monkeypatch.setattr(limits.Setting, "largest", np.array([1.0, 2, 4, 8]))
    monkeypatch.setattr(limits.Setting, "tails", lambda self: np.array([0.1, 0.2, 0.4, 0.8]))
    monkeypatch.setattr(
        limits.certify, "truncated_upper", lambda *words, **named: asked.append((words, named)) or 10.0
    )
    assert limits.upper(setting("gumbel"), np.array([[1.5, 1.5]]), false_alarm=0.1) == pytest.approx(11.2)
    [((costs,), words)] = asked
    assert costs.tolist() == [[1, 1.5]]
    assert (words["largest"].tolist(), words["tails"].tolist()) == ([1, 2], [0.1, 0.2])
    assert words["false_alarm"] == 0.1


def test_a_lower_limit_chooses_its_epochs_on_the_first_half():
    """Epochs of range 1, 1 and 100: the third costs more than it tells, in the half that does not choose."""
    first, second = np.tile([1.0, 1.0, 0.0], (10, 1)), np.tile([0.5, 1.0, 90.0], (10, 1))
    found = limits.lower(np.vstack([first, second]), largest=np.array([1.0, 1, 100]), false_alarm=0.01)
    known = 2 - float(limits.certify.betting_upper(np.full(10, 0.5), low=0, high=2, false_alarm=0.01))
    assert found == pytest.approx(known)
    assert limits.lower(np.zeros((4, 2)), largest=np.ones(2), false_alarm=0.01) == 0


def test_epochs_are_chosen_by_what_one_replicate_costs_in_the_mean():
    """1 of 1 is worth more than 1.5 of 11, of which ten runs show all but 4.1; ten times 1.5 would be more."""
    first, second = np.tile([1.0, 0.5], (10, 1)), np.tile([0.5, 10.0], (10, 1))
    found = limits.lower(np.vstack([first, second]), largest=np.array([1.0, 10]), false_alarm=0.01)
    assert found == pytest.approx(
        1 - float(limits.certify.betting_upper(second[:, 0], low=0, high=1, false_alarm=0.01))
    )


def test_a_ladder_s_limits_are_of_all_costs_together():
    """Two epochs: twice the limits of one mean; what is left out counts above only."""
    costs = np.array([[1.0, 2], [3, 1], [2, 2]])
    low, high = limits.Ladder(costs=costs, most=4.0, rest=5.0).limits(false_alarm=0.05)
    top, bottom = (
        float(limits.certify.betting_upper(x, low=0, high=4, false_alarm=0.05))
        for x in (costs.ravel(), 4 - costs.ravel())
    )
    assert (low, high) == pytest.approx((max(0, 2 * (4 - bottom)), 2 * top + 5))


def test_a_ladder_leaves_out_what_could_cost_more_than_the_cut(monkeypatch, rng):
    """Gaps 0.1 and 0.4, epochs of 2 and 4 rounds: of weights 0.2, 0.8, 0.4 and 1.6 the second and the last."""
    known = limits.Setting(means=np.array([0.5, 0.6, 0.9]), noise="laplace", scale=4.0, horizon=7)
    asked = []

    def law(sums, *, noise, scale):
        asked.append((sums.shape, noise, scale))
        return np.tile([0.5, 0.25, 0.25], (len(sums), 1))

    monkeypatch.setattr(limits, "report_noisy_max_pmf", law)
    monkeypatch.setattr(limits.Setting, "wrong", lambda self, means: np.full((2, 3), 0.01))
    found = limits.ladder(known, cut=0.5, replicates=6, rng=rng)
    assert asked == [((6, 3), "laplace", 4.0)] * 2
    np.testing.assert_allclose(found.costs, np.tile([0.05, 0.1], (6, 1)))
    assert (found.most, found.rest) == pytest.approx((0.4, 0.5 / 3 + 0.01 * 2.4))
