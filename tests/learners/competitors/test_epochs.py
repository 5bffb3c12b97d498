"""Leaders of epochs, of fixed and of random length: literal against simulated, when they choose, their bounds."""

import math
from functools import partial

import numpy as np
import pytest
from scipy import integrate

from replicate import environments
from replicate.learners import Setting, registry
from replicate.learners.competitors import epochs, random_epochs
from replicate.learners.competitors.epochs import EpochLeader, epochs_bound
from replicate.learners.competitors.random_epochs import RandomEpochLeader
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


def test_the_first_weight_is_that_of_the_last_epoch():
    """Without noise: epochs of 1, 2 and 4 rounds, in which action 0 is behind by 0, by 2 and ahead by 3."""
    rows = np.array([[0, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1], [0, 0]], dtype=float)
    for weights, best in (((0.7, 0.3), 0), ((0.3, 0.7), 1)):
        learner = EpochLeader(2, epsilon=1e9, weights=weights, rng=stream(5, "weights"))
        for row in rows:
            learner.observe(row)
        assert learner.act() == best


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


# The leader of random epochs


def test_random_epochs_have_ratio_e_and_a_uniform_start():
    """Lengths ceil(e**(r + U)), the first of which is 2 where e**U <= 2; the leader stays through each of them."""
    learners = [RandomEpochLeader(2, epsilon=1.0, rng=np.random.default_rng(seed)) for seed in range(2000)]
    lengths = np.array([[learner.length(r) for r in range(4)] for learner in learners])
    assert (lengths[:, 0] == 1).all()
    assert (lengths[:, 1:] == np.ceil(np.exp(np.arange(3) + np.array([[x.shift] for x in learners])))).all()
    assert np.mean(lengths[:, 1] == 2) == pytest.approx(math.log(2), abs=0.06)  # e**U <= 2
    learner = RandomEpochLeader(100, epsilon=1.0, rng=stream(5, "stays"))
    ends = np.cumsum([learner.length(r) for r in range(5)])
    actions = agreement.played(learner, np.zeros((ends[-1] + 2, 100)))
    assert (np.flatnonzero(np.diff(actions)) + 1).tolist() == ends.tolist()


def test_regret_of_random_epochs_is_told_in_the_midst_of_epochs():
    """After 7 rounds, from the law of the action in each of the first three epochs, averaged over U."""
    gap, epsilon = 0.5, 2.0
    means = [0.0, gap]

    def wrong(n):  # two exponential variables differ by a Laplace variable
        return 0.5 * math.exp(-n * gap * epsilon / 2)

    def regret(u):
        first, second = (math.ceil(math.exp(r + u)) for r in (0, 1))
        lengths = [1, first, min(second, 6 - first), 6 - first - min(second, 6 - first)]
        return gap * sum(n * p for n, p in zip(lengths, (0.5, wrong(1), wrong(first), wrong(second)), strict=True))

    run = random_epochs.simulate(
        environments.Deterministic(means), epsilon=epsilon, horizon=7, replicates=50_000, rng=stream(7, "midst")
    )
    exact = np.mean([regret((i + 0.5) / 4000) for i in range(4000)])
    assert run.rounds.tolist() == [1, 3, 7]
    assert run.final.mean() == pytest.approx(exact, abs=2e-3)


def test_the_bound_of_random_epochs_by_hand():
    """K = 4, m = 13/12: 2 e = 5.43656366; log(1 / 0.38) = 0.967584, over 0.36789: 2.630091, times it 14.29866."""
    sizes = {"n_actions": 4, "gap": 0.25, "horizon": 1e40}
    close, noise = partial(pytest.approx, rel=1e-5), 14.29866 * 13 / 12 / 0.2
    assert random_epochs.regret_bound(**sizes, epsilon=0.2) == pytest.approx(
        1 + noise + math.log(1 + noise), rel=1e-5
    )
    small = 14.29866 * 13 / 12 / 0.5 + 5.43656366 / 0.375 * (math.log(3) + 1) / 0.25
    assert random_epochs.regret_bound(**sizes, epsilon=0.5) == pytest.approx(
        1 + small + math.log(1 + small), rel=1e-5
    )
    steady = 5.43656366 * 13 / 12 / 0.5
    found = random_epochs.regret_bound(**sizes, epsilon=0.5, losses="steady")
    assert found == close(1 + steady + math.log(1 + steady))
