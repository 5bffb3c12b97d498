"""Audits and slips: exact laws against the literal learners, and the routes' own computations."""

import numpy as np
import pytest

from replicate import certify, environments
from replicate.learners import protocol
from replicate.papers import bandits
from replicate.papers.bandits import bounds, instances
from replicate.papers.bandits.algorithms import advice as experts
from replicate.papers.bandits.algorithms import conversion, kernels, tuning
from replicate.papers.bandits.checks import errata
from replicate.papers.bandits.privacy import sampled
from tests.conftest import FALSE_ALARM

MEANS = {1: 1.0, 2: 0.5}


def literal(learner, rng):
    """The literal streaming learner whose law is audited."""
    if learner.experts in ("local", "batched"):
        if learner.experts == "local":
            one = bandits.LocalExp4(2, 2, epsilon=sampled.EPSILON, horizon=10**6, rng=rng)
        else:
            one = bandits.BatchedExp4(2, 2, epsilon=sampled.EPSILON, delta=0.5, horizon=10**9, rng=rng)
        eta, mixing = learner.plan.setting[:2]
        one.tuning = experts.Exp4Tuning(eta, mixing, learner.batch, learner.plan.noise)
        return one
    base = conversion.base_learner(learner.plan, 2, rng=rng)
    private = bandits.PrivateBandit(base, epsilon=sampled.EPSILON, batch_size=learner.batch, rng=rng)
    return bandits.ExpertBandit(private, rng=rng) if learner.experts else private


def first_two(learner, mean, rng):
    """Actions of the first rounds of the first two batches, when the first batch has a mean loss."""
    losses = np.full((2 * learner.batch, 2), mean)
    one = literal(learner, rng)
    if learner.experts:
        advice = sampled._BLURRED if learner.experts == "meta" else np.eye(2)
        actions = bandits.play_experts(one, losses, np.stack([advice] * len(losses))).actions[0]
    else:
        actions = protocol.play(one, losses).actions[0]
    return 2 * actions[0] + actions[learner.batch]


@pytest.mark.parametrize("name", sampled.AUDITED)
def test_audited_law_is_that_of_the_literal_learner(name, rng):
    """Three thousand runs of the streaming learner; the law with a quarter of the noise does not fit."""
    learner = sampled.AUDITED[name]
    mean = MEANS[learner.batch]
    counts = np.bincount([first_two(learner, mean, rng) for _ in range(3000)], minlength=4)
    assert certify.goodness_of_fit(counts, sampled.exact_law(learner, mean)) > FALSE_ALARM
    if name != "batched_exp4":
        assert certify.goodness_of_fit(counts, sampled.exact_law(learner, mean, factor=4.0)) < FALSE_ALARM


@pytest.mark.parametrize("name", sampled.AUDITED)
@pytest.mark.parametrize("divided", [False, True])
def test_samples_follow_the_audited_law(name, divided, rng):
    learner = sampled.AUDITED[name]
    factor = learner.too_little if divided else 1.0
    codes = sampled.sample(learner, MEANS[learner.batch], 300_000, rng, factor=factor)
    law = sampled.exact_law(learner, MEANS[learner.batch], factor=factor)
    assert law.sum() == pytest.approx(1)
    assert certify.goodness_of_fit(np.bincount(codes, minlength=4), law) > FALSE_ALARM


def test_exp3_paths_follow_their_law(rng):
    table = rng.random((5, 2))
    law = sampled.exp3_law(table, learning_rate=0.7, mixing=0.2)
    codes = np.empty(200_000, dtype=np.int64)
    setting = tuning.exp3(learning_rate=0.7, mixing=0.2, n_actions=2).setting
    start = kernels.fresh_state(kernels.EXP3, 2)
    kernels.sample_actions(kernels.EXP3, start, setting, table, 0.0, codes, rng)
    assert certify.goodness_of_fit(np.bincount(codes, minlength=32), law) > FALSE_ALARM


def test_probability_carried_forward_is_that_of_runs(rng):
    """Share of 2,000 runs that play action 2 in rounds 400 to 450, and the expectation on the grid."""
    setting = tuning.exp3(learning_rate=0.2, mixing=0.0002, n_actions=2).setting
    arms, seen = np.empty(450, dtype=np.int16), np.array([[0.5, 1.0]])
    shares = []
    for _ in range(2000):
        state = kernels.fresh_state(kernels.EXP3, 2)
        kernels.PLAY[kernels.EXP3](state, setting, seen, seen, 0, 0.0, arms, rng)
        shares.append(arms[400:].mean())
    ends = [errata.expected_probability(0.2, 0.0002, t) for t in (400, 450)]
    interval = certify.mean_interval(shares, false_alarm=FALSE_ALARM)
    assert interval.low <= 1.05 * max(ends)
    assert interval.high >= 0.95 * min(ends)


def test_a_table_starts_over(rng):
    rows = rng.random((7, 3))
    env, tiled = environments.Repeated(rows), environments.Table(np.tile(rows, (5, 1)))
    start, stop = np.array([0, 3, 13]), np.array([35, 11, 13])
    np.testing.assert_allclose(env.mean_sums(start, stop), tiled.mean_sums(start, stop))
    np.testing.assert_allclose(env.sums(start, stop, rng=rng), tiled.mean_sums(start, stop))
    np.testing.assert_array_equal(env.losses(5, 30, rng=rng), tiled.rows[5:30])
    assert env.n_actions == 3
    with pytest.raises(ValueError, match="losses"):
        environments.Repeated([[0.5, 2.0]])


@pytest.mark.parametrize("epsilon", [1.0, 0.3, 0.13])
def test_one_period_of_batches_is_enough(epsilon):
    """A table that starts over, seen a period of batches at a time, and the same table written out."""
    rows = np.random.default_rng(2).random((30, 3))
    plan = tuning.plan("htinf", n_actions=3, epsilon=epsilon, horizon=1003)
    batches = np.unique([1, 5, 40, -(-1003 // plan.batch)])
    played = [
        conversion.play_plan(env, plan, 1003, batches, np.random.default_rng(0))
        for env in (environments.Repeated(rows), environments.Table(np.tile(rows, (40, 1))[:1003]))
    ]
    np.testing.assert_array_equal(played[0][1], played[1][1])
    np.testing.assert_allclose(played[0][0], played[1][0], atol=1e-9)


@pytest.mark.parametrize("name", [*instances.instances(2, 16, listed=False), *instances.TABLES])
def test_uniform_play_breaks_corollary_2_on_every_instance(name):
    def bound(t):
        return bounds.corollary_2(n_actions=2, epsilon=1.0, horizon=t)

    horizon = int(1.02 * instances.biting_horizon(bound, instances.uniform_rate(2, name)))
    env = instances.instances(2, horizon)[name]
    assert instances.uniform_rate(2, name) > 0.24
    assert instances.uniform_regret(env, horizon) > bound(horizon)


@pytest.mark.parametrize("k", [2, 3, 8])
def test_listed_tables_are_losses(k):
    for table in instances.tables(k, 500).values():
        assert table.shape == (500, k)
        assert table.min() >= 0
        assert table.max() <= 1
        assert np.ptp(table) > 0
