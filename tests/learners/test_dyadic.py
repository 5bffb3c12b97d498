"""Learners of blocks against their simulator; the proved tail of a wrong selection against exact laws."""

from itertools import product

import numpy as np
import pytest
from scipy import special

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
    literal = np.empty(1000)
    for i in range(len(literal)):
        learner = dyadic.DyadicLearner(3, selector=select, prefix=half_block, rng=rng)
        actions = agreement.played(learner, env.losses(0, horizon, rng=rng))
        literal[i] = (means[actions] - means.min()).sum()
    assert certify.two_sample(literal, fast.final) > FALSE_ALARM
    assert fast.final.std() < literal.std()


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


# The proved tail of a wrong selection


def exact_law(means, rounds, *, noise, scale):
    """P(k is selected) after `rounds` independent Bernoulli losses, by enumeration of all summed losses."""
    counts = np.arange(rounds + 1)
    binomial = [
        np.array([special.comb(rounds, c) * m**c * (1 - m) ** (rounds - c) for c in counts]) for m in means
    ]
    sums = np.array(list(product(counts, repeat=len(means))), dtype=float)
    weights = np.array([np.prod(p) for p in product(*binomial)])
    return weights @ mechanisms.report_noisy_max_pmf(-sums, noise=noise, scale=scale)


@pytest.mark.parametrize("noise", mechanisms.NOISES)
@pytest.mark.parametrize("scale", [0.05, 1.0, 7.0, 100.0])
def test_it_bounds_the_exact_law(noise, scale):
    for means in ([0.2, 0.6], [0.0, 1.0], [0.5, 0.5], [0.3, 0.4, 0.9], [0.0, 0.1, 0.1]):
        steps = dyadic.difference_law(means[0], means[1:])
        for rounds in (0, 1, 2, 5, 12):
            bound = dyadic.selection_tail(steps, rounds, noise=noise, scale=scale)
            assert (exact_law(means, rounds, noise=noise, scale=scale)[1:] <= bound * (1 + 1e-9)).all()
            assert (bound <= 1).all()


@pytest.mark.parametrize("noise", mechanisms.NOISES)
@pytest.mark.parametrize(
    ("steps", "scale"), [([0.0, 0.0, 1.0], 2.0), ([0.2, 0.1, 0.7], 2.0), ([0.01, 0.29, 0.7], 0.5)]
)
def test_it_is_the_infimum_over_all_rates_of_the_largest_ratio(noise, steps, scale):
    """sup_y exp(u y) P(Z - Z' >= y) times the moment, on grids of u and y; it falls with every round."""
    y, u = np.linspace(-60, 60, 24_001), 1 - np.geomspace(0.5, 1e-9, 600)[:, None]
    log_tail = {
        "gumbel": -np.logaddexp(0, y),
        "exponential": np.where(y >= 0, -y - np.log(2), np.log1p(-np.exp(-abs(y)) / 2)),
        "laplace": np.where(y >= 0, np.log((2 + abs(y)) / 4) - y, np.log1p(-(2 + abs(y)) * np.exp(-abs(y)) / 4)),
    }[noise]
    factor = (u * y + log_tail).max(axis=1)
    moment = np.log(np.exp(-u / scale * [-1, 0, 1]) @ steps)
    rounds = np.array([10, 25, 60])
    found = dyadic.selection_tail(steps, rounds, noise=noise, scale=scale)
    np.testing.assert_allclose(np.log(found), [(factor + n * moment).min() for n in rounds], rtol=1e-3)
    assert (np.diff(found) < 0).all()


def test_below_one_half_it_holds_for_longer_prefixes():
    for noise, scale, gap in product(mechanisms.NOISES, (0.05, 1.0, 40.0), (0.05, 0.3, 1.0)):
        bound = dyadic.selection_tail([(1 - gap) / 2, 0, (1 + gap) / 2], np.arange(400), noise=noise, scale=scale)
        first = int(np.argmax(bound < 0.499)) if (bound < 0.499).any() else len(bound)
        assert (np.diff(bound[first:]) <= 1e-12).all()


def test_other_losses_are_covered():
    """Losses 0, 1/2, 1 of two actions that depend on each other: the two-point step bounds the exact law."""
    halves = np.array([0.1, 0.1, 0.3, 0.3, 0.2])  # difference -1, -1/2, 0, 1/2, 1
    gap = float(halves @ np.linspace(-1, 1, 5))
    law = np.ones(1)
    for rounds in range(1, 40):
        law = np.convolve(law, halves)
        exact = law @ (1 / (1 + np.exp(np.arange(-2 * rounds, 2 * rounds + 1) / 2 / 3.0)))
        assert exact <= dyadic.selection_tail([(1 - gap) / 2, 0, (1 + gap) / 2], rounds, noise="gumbel", scale=3.0)


def test_astronomical_blocks_and_shapes():
    steps = dyadic.difference_law(0.4999, np.array([0.5, 0.75, 1.0]))
    bound = dyadic.selection_tail(steps, 2.0 ** np.arange(59)[:, None], noise="laplace", scale=200.0)
    assert bound.shape == (59, 3)
    assert np.isfinite(bound).all()
    assert bound[-1].max() == 0
    assert dyadic.selection_tail(steps[0], 2**20, noise="laplace", scale=1e50) > 0.3
