"""Hedge and the leader on noisy prefix sums: scales of noise, exact laws, literal against simulated, bounds."""

import math

import numpy as np
import pytest
from scipy import integrate, special

from replicate import certify, environments
from replicate.learners import Setting, registry
from replicate.learners.competitors import noisy_sums
from replicate.learners.competitors.noisy_sums import NoisyHedge, hedge_tuning, leader_tuning
from replicate.mechanisms.vector_noise import VectorNoise, gaussian_scale
from replicate.streams import stream
from tests.conftest import FALSE_ALARM
from tests.learners import draws

HEDGES = ("hedge_tree_cube", "hedge_tree_laplace", "hedge_tree_gaussian", "hedge_factorized")
LEADERS = ("leader_tree_cube", "leader_tree_laplace")
NAMES = (*HEDGES, *LEADERS)


def make(name, rng, *, n_actions=3, horizon=20, epsilon=2.0, delta=1e-3):
    return registry.learner(name, n_actions=n_actions, horizon=horizon, epsilon=epsilon, delta=delta, rng=rng)


def laws(learner, rows):
    """Laws of the actions of every round, given the noise."""
    found = []
    for row in rows:
        found.append(learner.probabilities())
        learner.observe(row)
    return np.array(found)


# Scales of the noise at a million rounds, written down from the theory


@pytest.mark.parametrize("epsilon", [0.05, 1.0])
def test_noise_has_the_scale_that_epsilon_asks_for(epsilon):
    """T = 1e6, K = 8: pure noise in trees of depth 5, Gaussian noise in one of depth 8."""
    sigma = gaussian_scale(epsilon=epsilon, delta=1e-6)
    expected = {
        "hedge_tree_cube": 5 / epsilon,
        "hedge_tree_laplace": 8 * 5 / epsilon,
        "hedge_tree_gaussian": sigma * math.sqrt(8 * 8),
    }
    sizes = {"n_actions": 8, "horizon": 10**6, "epsilon": epsilon, "delta": 1e-6}
    for name, scale in expected.items():
        learner = make(name, stream(1, name), **sizes)
        assert learner.sums.noise.scale == pytest.approx(scale, rel=1e-12)
        assert learner.sums.n_rounds == 10**6 - 1
        assert (learner.privacy.epsilon, learner.privacy.delta) == (epsilon, 1e-6 * ("gaussian" in name))
    learner = make("hedge_factorized", stream(1, "f"), **sizes)
    landau = (math.log(10**6 - 1) + np.euler_gamma + 4 * math.log(2)) / math.pi
    assert learner.sums.scale == pytest.approx(sigma * math.sqrt(8 * landau), rel=1e-6)
    for name, moved in (("leader_tree_cube", 1), ("leader_tree_laplace", 8)):
        learner = make(name, stream(1, name), **sizes)
        assert learner.sums.noise.scale == pytest.approx(5 * moved / learner.privacy.epsilon, rel=1e-12)
        assert learner.privacy.epsilon <= epsilon


# Losses act through the noisy sums alone: a neighbour's losses are a shift of few noises


@pytest.mark.parametrize("name", NAMES)
def test_the_last_round_is_not_read_and_none_after_it_is_taken(name):
    rows = stream(6, "rows").random((20, 3))
    first, second = (make(name, stream(7, name)) for _ in range(2))
    laws(first, rows)
    laws(second, [*rows[:19], 1 - rows[19]])
    np.testing.assert_array_equal(first.probabilities(), second.probabilities())
    with pytest.raises(ValueError, match="losses must be of at most 20 rounds"):
        first.observe(rows[0])


# Live plays against exact laws: two rounds, one noise


ROW, LEVEL, GAMES = np.array([1.0, 0.0, 0.4]), 4.0, 2500


def second_actions(name, *, epsilon=LEVEL):
    rng, found = stream(9, name), np.zeros(3)
    for _ in range(GAMES):
        learner = make(name, rng, horizon=2, epsilon=epsilon)
        learner.act()
        learner.observe(ROW)
        found[learner.act()] += 1
    return found


def test_the_leader_plays_the_exact_law_of_report_noisy_max():
    level = make("leader_tree_laplace", stream(1, "x"), horizon=2, epsilon=LEVEL).privacy.epsilon
    seen = second_actions("leader_tree_laplace")
    law, other = (draws.noisy_min_law(ROW, noise="laplace", scale=3 / e) for e in (level, 1.5 * level))
    assert certify.goodness_of_fit(seen, law) > FALSE_ALARM
    assert certify.goodness_of_fit(seen, other) < FALSE_ALARM


@pytest.mark.parametrize("name", ["leader_tree_laplace", "leader_tree_cube"])
def test_two_rounds_cost_no_more_than_is_declared(name):
    """Exact law of the second action on neighbouring first rounds, three actions: an integral over the noise."""
    level = make(name, stream(1, "x"), horizon=2, epsilon=LEVEL).privacy.epsilon
    pair = np.array([1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])

    def loss(e):
        first, second = (selection(name, row, e) for row in pair)
        return np.abs(np.log(first / second)).max()

    assert 0.3 * level < loss(level) <= level
    assert loss(8 * level) > level


def selection(name, row, level):
    """Law of the leader after one release, K = 3: quadrature over the noise."""
    if name == "leader_tree_laplace":
        return draws.noisy_min_law(row, noise="laplace", scale=3 / level)
    points = np.stack(np.meshgrid(*[(np.arange(40) + 0.5) / 20 - 1] * 3, indexing="ij"), axis=-1).reshape(-1, 3)

    def law(radius):
        noisy = row + radius / level * points
        return np.bincount(noisy.argmin(axis=1), minlength=3) / len(points)

    nodes, weights = special.roots_genlaguerre(24, 3)
    return (weights / weights.sum()) @ np.array([law(r) for r in nodes])


def test_hedge_plays_the_law_of_its_noisy_sums():
    """Two actions: their noise's difference is a sum of two Laplace noises, in the mean of a logistic function."""
    epsilon, rate, games = 1.0, 3.0, 4000

    def law(level):
        scale = 2 / level

        def integrand(x):
            return special.expit(-rate * (1 + x)) * (1 + abs(x) / scale) * math.exp(-abs(x) / scale) / (4 * scale)

        return integrate.quad(integrand, -60 * scale, 60 * scale, points=[-1.0, 0.0], limit=400)[0]

    rng, seen = stream(10, "hedge"), 0
    for _ in range(games):
        learner = NoisyHedge(2, horizon=2, epsilon=epsilon, sums="tree_laplace", learning_rate=rate, rng=rng)
        learner.observe([1.0, 0.0])
        seen += learner.act() == 0
    assert law(epsilon) in certify.clopper_pearson(seen, games, false_alarm=FALSE_ALARM)
    assert law(2 * epsilon) not in certify.clopper_pearson(seen, games, false_alarm=FALSE_ALARM)


# Literal against simulated


# Bounds


def by_hand(name, rate, *, k, t, epsilon):
    """The bound of Hedge at a rate; of the cube, moments by integration."""
    moved, (depth, nodes) = 1.0, (5, 24)
    if name == "tree_laplace":
        psi = -nodes * math.log1p(-((rate * k * depth / epsilon) ** 2))
    elif name == "tree_cube":
        a = rate * moved * depth / epsilon
        psi = nodes * math.log(integrate.quad(lambda u: (1 - a * u) ** -(k + 1) / 2, -1, 1)[0])
    elif name == "tree_gaussian":
        psi = 8 * 11 * k * (rate * gaussian_scale(epsilon=epsilon, delta=1e-6)) ** 2 / 2
    else:
        landau = (math.log(t - 1) + np.euler_gamma + 4 * math.log(2)) / math.pi
        psi = k * (rate * gaussian_scale(epsilon=epsilon, delta=1e-6) * landau) ** 2 / 2
    return math.log(k) / rate + rate * t / 8 + psi / rate


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("sums", noisy_sums.SUMS)
def test_the_rate_minimises_the_bound(sums, epsilon):
    sizes = {"k": 8, "t": 10**6, "epsilon": epsilon}
    rate, bound = hedge_tuning(sums, n_actions=8, horizon=10**6, epsilon=epsilon, delta=1e-6)
    assert bound == pytest.approx(by_hand(sums, rate, **sizes), rel=1e-6)
    for factor in (0.8, 0.95, 1.05, 1.2):
        assert by_hand(sums, factor * rate, **sizes) > bound
    free = math.sqrt(10**6 * math.log(8) / 2)
    assert bound > free
    without = hedge_tuning(sums, n_actions=8, horizon=10**6, epsilon=1e9, delta=0.5).bound
    assert without == pytest.approx(free, rel=1e-3)


@pytest.mark.parametrize("sums", noisy_sums.PURE)
def test_the_leader_spends_the_level_at_which_its_bound_is_smallest(sums):
    def by_level(e):
        scale, moved = (5 / e, 1) if sums == "tree_cube" else (40 / e, 8)
        noise = VectorNoise(name=sums.removeprefix("tree_"), n_actions=8, scale=scale)
        rates = np.geomspace(1e-3, 1 - 1e-6, 2000) / scale
        ends = ((math.log(8) + 24 * noise.log_mgf(rates)) / rates).min()
        return 10**6 * math.sqrt(moved / 24) / scale / 2 + ends

    level, bound = leader_tuning(sums, n_actions=8, horizon=10**6, epsilon=1.0)
    assert bound == pytest.approx(by_level(level), rel=1e-3)
    assert min(by_level(0.9 * level), by_level(1.1 * level)) > bound
    assert leader_tuning(sums, n_actions=8, horizon=10**6, epsilon=0.01).parameter == 0.01


@pytest.mark.parametrize("name", NAMES)
def test_regret_on_fixed_tables_stays_below_the_bound(name):
    """Alternating losses, and a leader that falls behind at half time: limits at one in 1e9."""
    horizon, many = 3000, 30
    setting = Setting(n_actions=2, horizon=horizon, epsilon=5.0, delta=1e-3)
    bound = registry.entry(name).bound(setting, 0.0)
    assert bound < horizon / 4, "uniform play on these tables"
    turns = np.arange(horizon) < horizon // 2
    alternating = np.tile([[1.0, 0.0], [0.0, 1.0]], (horizon // 2, 1))
    for table in (alternating, np.column_stack([turns, 0.55 * np.ones(horizon)])):
        run = registry.simulate(
            name, environments.Table(table), epsilon=5.0, delta=1e-3, horizon=horizon, replicates=many,
            rng=stream(13, name),
        )  # fmt: skip
        assert run.final.mean() + 6 * run.final.std() / math.sqrt(many) < bound
