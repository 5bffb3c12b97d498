"""Instances: each has the property that it is described by, and where bounds on it are informative."""

import math
from functools import partial

import numpy as np
import pytest

from replicate import certify
from replicate.papers.bandits import bounds, instances
from replicate.papers.bandits.instances import one_good_expert
from tests.conftest import FALSE_ALARM


def rounds(name, k, horizon):
    """Losses of single rounds of an instance, shape (T, K)."""
    return instances.instance(name, k, horizon).losses(0, horizon, rng=np.random.default_rng(3))


def one_action_never_loses(rows):
    assert (rows == (np.arange(rows.shape[1]) > 0)).all()


def losses_are_independent_with_means_2_and_98_percent(rows):
    assert set(np.unique(rows)) == {0, 1}
    for column, mean in zip(rows.T, [0.02, *[0.98] * (rows.shape[1] - 1)], strict=True):
        assert mean in certify.mean_interval(column, false_alarm=FALSE_ALARM)
        assert abs(np.corrcoef(column[1:], column[:-1])[0, 1]) < 6 / math.sqrt(len(rows))
    away = np.abs(np.corrcoef(rows.T) - np.eye(rows.shape[1]))
    assert away.max() < 6 / math.sqrt(len(rows))


def the_best_arm_changes_at_a_sixteenth(rows):
    best, cut = rows.argmin(axis=1), len(rows) // 16
    assert set(best[:cut]) == {1}
    assert set(best[cut:]) == {0}
    assert (rows.sum(axis=1) == rows.shape[1] - 1).all()


def the_good_action_loses_in_every_second_round(rows):
    assert (rows[:, 1:] == 1).all()
    assert (rows[1:, 0] == 1 - rows[:-1, 0]).all()


def losses_are_sines_of_period_125_around_a_quarter_and_three_quarters(rows):
    np.testing.assert_allclose(rows[125:], rows[:-125], atol=1e-12)
    np.testing.assert_allclose(rows[:125].mean(axis=0), [0.25, *[0.75] * (rows.shape[1] - 1)], atol=1e-12)
    np.testing.assert_allclose(np.ptp(rows[:125], axis=0), 0.5, atol=1e-3)


def one_action_loses_in_every_round_the_good_one_every_eleventh(rows):
    assert (np.sort(rows, axis=1)[:, -2:] == [0, 1]).all()
    assert rows[:, 0].mean() == pytest.approx(1 / 11, abs=0.002)
    np.testing.assert_allclose(rows[:, 1:].mean(axis=0), 10 / 11 / (rows.shape[1] - 1), atol=0.01)


def real_losses_go_together_from_round_to_round_the_best_forecaster_first(rows):
    whole = np.asarray(instances.instance(instances.TABLES[-1], rows.shape[1], 10).rows)
    assert whole.mean(axis=0).argmin() == 0
    assert len({column.tobytes() for column in whole.T}) == rows.shape[1]
    for column in rows.T:
        assert np.corrcoef(column[1:], column[:-1])[0, 1] > 0.05


DESCRIBED = dict(zip(instances.ALL, (
    one_action_never_loses,
    losses_are_independent_with_means_2_and_98_percent,
    the_best_arm_changes_at_a_sixteenth,
    the_good_action_loses_in_every_second_round,
    losses_are_sines_of_period_125_around_a_quarter_and_three_quarters,
    one_action_loses_in_every_round_the_good_one_every_eleventh,
    real_losses_go_together_from_round_to_round_the_best_forecaster_first,
), strict=True))  # fmt: skip


@pytest.mark.parametrize("k", [2, 3, 8])
@pytest.mark.parametrize("name", DESCRIBED)
def test_an_instance_is_what_it_is_called(name, k):
    rows = rounds(name, k, 11_000)
    assert rows.shape == (11_000, k)
    assert rows.min() >= 0
    assert rows.max() <= 1
    assert rows.mean(axis=0).argmin() == 0
    DESCRIBED[name](rows)


@pytest.mark.parametrize("k", [2, 3, 8])
def test_tables_switch_after_a_third(k):
    """Action 1 loses a fifth until then and 1 afterwards, the others the other way round."""
    assert instances.tables(k, 500).keys() > set(instances.TABLES)
    table = instances.tables(k, 600)["switching"]
    np.testing.assert_array_equal(np.unique(table), [0.2, 1.0])
    early, late = table[:200], table[200:]
    assert (early == early[0]).all()
    assert (late == late[0]).all()
    np.testing.assert_allclose(early[0] + late[0], 1.2)
    assert (early[0] != early[0, 1]).sum() == k - 1


@pytest.mark.parametrize(("n", "k", "contexts"), [(4, 3, 1), (500, 3, 1), (500, 2, 2), (500, 3, 5)])
def test_one_expert_is_good_and_the_others_ignore_the_losses(n, k, contexts):
    """Expert 0 never loses. In one context the others never name the good action; in several all lose alike."""
    problem = one_good_expert(n, k, contexts=contexts)
    assert problem.advice.shape == (contexts, n, k)
    assert (np.sort(problem.losses, axis=1) == [0, *[1] * (k - 1)]).all()
    assert len({row.tobytes() for row in problem.losses}) == min(k, contexts)
    good, *others = problem.expert_means.T
    assert (good == 0).all()
    if contexts == 1:
        np.testing.assert_allclose(others, 1)
    else:
        assert np.mean(others) == pytest.approx(1 - 1 / k, abs=6 / math.sqrt(n))


def test_informative_horizon_is_where_uniform_play_breaks_the_bound():
    bound = partial(bounds.corollary_2, n_actions=2, epsilon=1.0)
    t = instances.informative_horizon(bound, 0.5)
    assert t == pytest.approx(346_112, rel=1e-3)
    assert bound(horizon=0.99 * t) > 0.5 * 0.99 * t
    assert instances.informative_horizon(lambda horizon: 2 * horizon, 0.5) == math.inf


@pytest.mark.parametrize("name", instances.ALL)
def test_the_range_of_regret_is_attained_by_the_worst_and_the_best_actions(name):
    """Summed round by round: the worst action of every round, and the best one, against the best fixed one."""
    horizon = 3000
    env = instances.instance(name, 3, horizon)
    edges = np.arange(horizon)
    rows = env.mean_sums(edges, edges + 1)
    best = rows.sum(axis=0).min()
    found = instances.regret_range(env, horizon)
    np.testing.assert_allclose(found, [rows.min(axis=1).sum() - best, rows.max(axis=1).sum() - best], atol=1e-6)
    assert found[0] <= instances.uniform_regret(env, horizon) <= found[1]
