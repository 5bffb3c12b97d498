import tracemalloc

import numpy as np
import pytest

from replicate import certify, environments, mechanisms
from replicate.learners import dyadic, registry
from replicate.streams import stream
from tests import agreement
from tests.conftest import FALSE_ALARM


def select(sums):
    return mechanisms.softmax_pmf(-sums, scale=3.0)


def half_block(r, replicates, rng):
    return rng.integers(2**r // 2 + 1, 2**r, size=replicates, endpoint=True)


@pytest.mark.parametrize("horizon", [1, 2, 3, 4, 7, 8, 1000, 2**59])
def test_blocks_partition_the_rounds(horizon):
    starts, stops = dyadic.blocks(horizon)
    assert starts[0] == 0
    assert stops[-1] == horizon
    np.testing.assert_array_equal(starts[1:], stops[:-1])
    np.testing.assert_array_equal((stops - starts)[:-1], 2 ** np.arange(len(starts) - 1))


def literal_regrets(losses, runs, rng):
    """Regrets of many games on one table, whose blocks repeat their sums."""
    remembering, found = agreement.remembered(select, {}), []
    for _ in range(runs):
        learner = dyadic.DyadicLearner(losses.shape[1], selector=remembering, prefix=half_block, rng=rng)
        found.append(losses[np.arange(len(losses)), agreement.played(learner, losses)].sum())
    return np.array(found) - losses.sum(axis=0).min()


@pytest.mark.parametrize("horizon", [5, 31])
def test_the_simulator_has_the_law_of_the_literal_learner(horizon, rng):
    """On a fixed table: the mean regret of the streaming learner is that of the block simulator."""
    losses = rng.random((31, 3))
    literal = literal_regrets(losses[:horizon], 600, rng)
    env = environments.Table(losses)
    fast = dyadic.simulate(env, selector=select, prefix=half_block, horizon=horizon, replicates=4000, rng=rng)
    assert certify.two_sample(literal, fast.final) > FALSE_ALARM
    if horizon == 31:  # a learner that reads whole blocks is another learner
        whole = dyadic.simulate(env, selector=lambda s: select(4 * s), horizon=31, replicates=4000, rng=rng)
        assert certify.two_sample(literal, whole.final) < FALSE_ALARM


def test_conditional_expectation_has_the_mean_of_sampled_actions(rng):
    """On random losses: Rao-Blackwellised regret against the gaps of actions sampled from the same laws."""
    means, horizon = np.array([0.3, 0.5, 0.8]), 63
    env = environments.Bernoulli(means)
    fast = dyadic.simulate(env, selector=select, prefix=half_block, horizon=horizon, replicates=20_000, rng=rng)
    literal = np.empty(400)
    for i in range(len(literal)):
        learner = dyadic.DyadicLearner(3, selector=select, prefix=half_block, rng=rng)
        actions = agreement.played(learner, env.losses(0, horizon, rng=rng))
        literal[i] = (means[actions] - means.min()).sum()
    assert certify.two_sample(literal, fast.final) > FALSE_ALARM
    assert fast.final.std() < literal.std()


def test_cut_horizons_agree_with_longer_runs(rng):
    env = environments.Deterministic([0.2, 0.6])
    long = dyadic.simulate(env, selector=select, horizon=1023, replicates=1, rng=rng)
    short = dyadic.simulate(env, selector=select, horizon=700, replicates=1, rng=rng)
    np.testing.assert_allclose(short.regret[0, :-1], long.regret[0, :-1])
    share = (700 - 511) / 512
    step = long.regret[0, -1] - long.regret[0, -2]
    assert short.final[0] == pytest.approx(long.regret[0, -2] + share * step)


def test_memory_does_not_grow_with_the_horizon(rng):
    env, peaks = environments.Bernoulli(np.linspace(0, 1, 64)), []
    for horizon in (2**20, 2**59):
        tracemalloc.start()
        dyadic.simulate(env, selector=select, horizon=horizon, replicates=200, rng=rng)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


@pytest.mark.parametrize("name", [f"{noise}_resampled" for noise in mechanisms.NOISES])
def test_resampled_bits_are_fresh_and_independent(name):
    """Losses (1/2, 1/2, 0) and hardly any noise: action 2 leads, but for ties with actions whose bits are all 0.

    It is played with probability E[1 / (1 + N)], N of two actions having a sum of bits 0, with probability 1/2
    after the block of one round and 1/4 after that of two: 7/12 and 37/48. One bit for both actions would give
    2/3 and 5/6, one bit for both rounds 7/12 twice.
    """
    games, rng, played = 2000, stream(1, name), np.empty((2000, 2), dtype=int)
    for row in played:
        learner = registry.learner(name, n_actions=3, horizon=7, epsilon=1e6, rng=rng)
        row[:] = agreement.played(learner, np.tile([0.5, 0.5, 0.0], (4, 1)))[[1, 3]]
    counts = np.bincount(2 * (played[:, 0] != 2) + (played[:, 1] != 2), minlength=4)
    for known, likely in (((7 / 12, 37 / 48), True), ((2 / 3, 5 / 6), False), ((7 / 12, 7 / 12), False)):
        law = np.outer(*([p, 1 - p] for p in known)).ravel()
        assert (certify.goodness_of_fit(counts, law) > FALSE_ALARM) is likely
    assert abs((played == 0).sum() - (played == 1).sum()) < 6 * np.sqrt(games)
