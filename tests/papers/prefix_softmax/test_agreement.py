"""The listing of Section 4, transcribed, against the simulator; the learner; exact regrets and sums of errors.

The simulator shows what a block costs in the mean, given what was read of the block before. The law of the
learner's actions is read in test_privacy.py.
"""

import numpy as np
import pytest

from replicate import certify, environments
from replicate.learners import dyadic
from replicate.learners.entries import Setting
from replicate.papers import prefix_softmax
from replicate.papers.prefix_softmax import algorithms, learners
from replicate.streams import stream
from tests import agreement
from tests.conftest import FALSE_ALARM

MEANS, HORIZON = np.array([0.4, 0.1, 0.8]), 45
ENV = environments.Bernoulli(MEANS)
STARTS, _ = dyadic.blocks(HORIZON)


def listed(tables, epsilon, rng):
    """Laws of the actions of all blocks given what was read of tables: (runs, T, K) to (runs, blocks, K)."""
    runs, _, k = tables.shape
    eta, laws = min(epsilon / 2, 1 / 8), [np.full((runs, k), 1 / k)]
    for r in range(len(STARTS) - 1):
        block = tables[:, 2**r - 1 : 2 ** (r + 1) - 1]  # rounds 2^r to 2^(r+1) - 1, counted from 1
        m = np.ones(runs, dtype=int) if r == 0 else rng.integers(2 ** (r - 1) + 1, 2**r + 1, size=runs)
        weights = np.exp(-eta * block.cumsum(axis=1)[np.arange(runs), m - 1])
        laws.append(weights / weights.sum(axis=1, keepdims=True))
    return np.stack(laws, axis=1)


def drawn_tables(env, runs, rng):
    return env.losses(0, HORIZON * runs, rng=rng).reshape(runs, HORIZON, 3)


def costs(run):
    """Mean cost of a round of every block but the first, which is known."""
    return {"costs": np.diff(run.regret, axis=1) / np.diff(run.rounds)}


@agreement.compares("simulator: prefix_softmax")
@pytest.mark.parametrize("runs", [4000, pytest.param(20_000, marks=pytest.mark.long)])
def test_the_simulator_costs_what_the_listing_does(runs):
    """Twins: a fifth of the privacy loss, whole blocks, dependent losses of the same means."""
    rng = stream(1, "listing")
    laws = listed(drawn_tables(ENV, runs, rng), 0.25, rng)
    known = {"costs": laws[:, 1:] @ (MEANS - MEANS.min())}
    words = {"epsilon": 0.25, "horizon": HORIZON, "replicates": 2 * runs, "rng": rng}
    found = costs(prefix_softmax.simulate(ENV, **words))
    assert agreement.apart(known, found) > FALSE_ALARM
    whole = {"selector": algorithms.selector(1 / 8), "prefix": dyadic.whole_block}
    twins = {
        "privacy": prefix_softmax.simulate(ENV, **words | {"epsilon": 0.05}),
        "dependence": prefix_softmax.simulate(environments.comonotone(MEANS), **words),
        "whole blocks": dyadic.simulate(ENV, **{n: w for n, w in words.items() if n != "epsilon"}, **whole),
    }
    for name, twin in twins.items():
        assert agreement.apart(known, costs(twin)) < FALSE_ALARM, name


def test_an_action_lasts_for_a_block_and_is_not_told_before_its_losses(rng):
    """Rounds 1, 2 and 3, 4 to 7, ...: the action changes only where a block begins."""
    learner = prefix_softmax.PrefixSoftmax(50, epsilon=0.25, rng=rng)
    actions = agreement.played(learner, rng.random((127, 50)))
    changes = {int(t) for t in np.flatnonzero(np.diff(actions)) + 2}
    assert changes <= {2, 4, 8, 16, 32, 64}
    assert len(changes) > 3


@pytest.mark.parametrize("epsilon", [0.1, 0.2, 3.0])
def test_what_is_registered_is_the_learner_of_the_paper(epsilon):
    """Which has a cap on its learning rate: above 1/4 it keeps 1/4."""
    [entry] = learners.LEARNERS
    setting = Setting(n_actions=3, horizon=1000, epsilon=epsilon)
    env, words = environments.Bernoulli(MEANS), {"epsilon": epsilon, "horizon": 1000}
    run = entry.simulate(env, setting, replicates=5, rng=stream(3))
    again = prefix_softmax.simulate(env, **words, replicates=5, rng=stream(3))
    np.testing.assert_array_equal(run.regret, again.regret)
    exact = prefix_softmax.exact_regret(MEANS, **words).final
    assert entry.exact_regret(MEANS, setting).final == exact <= entry.bound(setting, 0.3)
    assert entry.build(setting, stream(4)).privacy.epsilon == min(epsilon, 0.25)


# Prefixes


@pytest.mark.parametrize("r", [0, 1, 2, 5])
def test_the_prefix_is_uniform_on_the_second_half_of_the_block(r, rng):
    drawn = algorithms.random_prefix(r, 50_000, rng)
    allowed = np.arange(2**r // 2 + 1, 2**r + 1)
    assert set(drawn) <= set(allowed)
    counts = np.bincount(drawn, minlength=2**r + 1)[allowed]
    assert certify.goodness_of_fit(counts, np.full(len(allowed), 1 / len(allowed))) > FALSE_ALARM


@pytest.mark.parametrize("epsilon", [1e-8, 1e-16, 1e-20, 1e-60])
def test_exact_regret_with_hardly_any_signal(epsilon, rng):
    """Uniform play for ever at epsilon = 1e-60, where differences of log Z have no digits left."""
    means, horizon = [0.1, 0.6, 0.9], 2**20
    exact = prefix_softmax.exact_regret(means, epsilon=epsilon, horizon=horizon).final[0]
    env = environments.Deterministic(means)
    run = prefix_softmax.simulate(env, epsilon=epsilon, horizon=horizon, replicates=400, rng=rng)
    slack = 1e-12 * horizon
    assert abs(run.final.mean() - exact) <= 7 * run.final.std() / 20 + slack
    if epsilon < 1e-12:
        assert exact == pytest.approx(horizon * np.mean(means) - 0.1 * horizon, rel=1e-6)


def test_an_infinite_sum_is_the_limit_of_finite_ones():
    gaps = [0.0, 0.3, 1.0]
    sums = prefix_softmax.softmax_error_sum(gaps, eta=0.1, start=[0, 10], stop=2**60)
    endless = prefix_softmax.softmax_error_sum(gaps, eta=0.1, start=[0, 10], stop=np.inf)
    np.testing.assert_allclose(sums, endless, rtol=1e-14)
