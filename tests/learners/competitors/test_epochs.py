"""Leaders of epochs: literal against simulated, when they choose, their bound."""

import math

import numpy as np
import pytest
from scipy import integrate

from replicate import environments
from replicate.learners import Setting, registry
from replicate.learners.competitors import epochs
from replicate.learners.competitors.epochs import EpochLeader, epochs_bound
from replicate.streams import stream
from tests import agreement

NAMES = ("weighted_epochs", "random_epochs")


@agreement.compares(*(f"simulator: {name}" for name in NAMES))
@pytest.mark.parametrize("name", NAMES)
def test_a_simulator_has_the_law_of_the_literal_learner(name):
    """Regrets after three and four epochs, on losses drawn together; a twin at a fifth of epsilon."""
    env, rng, entry = environments.antithetic([0.1, 0.5, 0.9]), stream(1, name), registry.entry(name)
    gaps, rounds = env.means - env.means.min(), 15
    setting = Setting(n_actions=3, horizon=rounds, epsilon=5.0)

    def literal():
        actions = agreement.played(entry.build(setting, rng), env.losses(0, rounds, rng=rng))
        return np.cumsum(gaps[actions])[-1]

    def fast(epsilon):
        run = registry.simulate(name, env, epsilon=epsilon, horizon=rounds, replicates=8000, rng=rng)
        return run.final

    slow = np.array([literal() for _ in range(1600)])
    band = 6 * (slow.std() / math.sqrt(1600) + slow.std() / math.sqrt(8000))
    assert abs(slow.mean() - fast(5.0).mean()) < band < abs(slow.mean() - fast(1.0).mean())


def test_regret_is_told_at_the_ends_of_epochs_that_double():
    """After 1, 3, 7, 15 rounds, and after the last one; between them the leader stays."""
    ends, env = [1, 3, 7, 15], environments.Bernoulli([0.5] * 100)
    run = epochs.simulate_epochs(env, epsilon=1.0, horizon=17, replicates=1, rng=stream(3, "ends", 2))
    assert run.rounds.tolist() == [*ends, 17]
    learner, rows = EpochLeader(100, epsilon=1.0, rng=stream(4, "ends", 2)), np.zeros((17, 100))
    actions = agreement.played(learner, rows)  # among a hundred equal actions a new leader is another one
    assert (np.flatnonzero(np.diff(actions)) + 1).tolist() == ends


def test_one_weight_and_doubling_epochs_are_the_learner_of_paper_2():
    """The same law, draw by draw of the losses."""
    env, sizes = environments.Bernoulli([0.3, 0.5, 0.7]), {"epsilon": 0.7, "horizon": 1000, "replicates": 5}
    found = epochs.simulate_epochs(env, **sizes, rng=stream(2, "same"))
    known = registry.simulate("exponential", env, **sizes, rng=stream(2, "same"))
    np.testing.assert_allclose(found.regret, known.regret, rtol=1e-12)
    other = epochs.simulate_epochs(env, **sizes, weights=(0.9, 0.1), rng=stream(2, "same"))
    assert np.abs(other.final - known.final).min() > 1e-6


@pytest.mark.parametrize("weights", [(1.0,), (2 / 3, 1 / 3)])
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 9.0])
@pytest.mark.parametrize("gap", [0.01, 0.6])
def test_the_bound_is_its_formula_and_holds(weights, epsilon, gap):
    """By quadrature; and for losses without chance, whose regret is above a fiftieth of it where noise decides."""
    powers = 2.0 ** -np.arange(len(weights))
    a, b = np.dot(weights, powers), np.dot(np.square(weights), powers)

    def c(x):
        return min(x * x * a * a / b, epsilon / 2 * a * x) / 2

    cross = min(max(epsilon / 2 * b / a, gap), 1.0)
    parts = [integrate.quad(lambda x: 1 / c(x), *ends)[0] for ends in ((gap, cross), (cross, 1.0))]
    total = (1 / powers).sum() + 4 * (math.log(7) + 1) * (gap / c(gap) + sum(parts))
    bound = epochs_bound(n_actions=8, gap=gap, epsilon=epsilon, horizon=1e40, weights=weights)
    assert bound == pytest.approx(total)
    assert epochs_bound(n_actions=8, gap=gap, epsilon=epsilon, horizon=10.0, weights=weights) == min(10.0, bound)
    env = environments.Bernoulli((1 + gap) / 2 - gap * (np.arange(8) == 3))
    run = epochs.simulate_epochs(
        env, epsilon=epsilon, weights=weights, horizon=2**30, replicates=60, rng=stream(3, gap, epsilon)
    )
    assert bound / 50 < run.final.mean() < bound
