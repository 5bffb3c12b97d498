"""Hedge and the leader on noisy prefix sums: scales of noise, exact laws, literal against simulated, bounds."""

import math

import numpy as np
import pytest
from scipy import integrate, special

from replicate import certify
from replicate.learners import registry
from replicate.learners.competitors import noisy_sums
from replicate.learners.competitors.batched_share import BatchedShare, Tuning
from replicate.learners.competitors.noisy_sums import NoisyHedge, hedge_tuning, leader_tuning
from replicate.mechanisms.tree_sums import UnboundedSums
from replicate.mechanisms.vector_noise import VectorNoise, gaussian_scale
from replicate.streams import stream
from tests.agreement import laws
from tests.conftest import FALSE_ALARM
from tests.learners import draws

HEDGES = ("hedge_tree_cube", "hedge_tree_laplace", "hedge_tree_gaussian", "hedge_factorized")
LEADERS = ("leader_tree_cube", "leader_tree_laplace")
NAMES = (*HEDGES, *LEADERS)


def make(name, rng, *, n_actions=3, horizon=20, epsilon=2.0, delta=1e-3):
    return registry.learner(name, n_actions=n_actions, horizon=horizon, epsilon=epsilon, delta=delta, rng=rng)


# Losses act through the noisy sums alone: a neighbour's losses are a shift of few noises


@pytest.mark.parametrize("name", NAMES)
def test_the_last_round_is_not_read_and_none_after_it_is_taken(name):
    rows = stream(6, "rows").random((20, 3))
    first, second = (make(name, stream(7, name)) for _ in range(2))
    laws(first, rows)
    laws(second, np.vstack([rows[:19], 1 - rows[19:]]))
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


LIVE = (NoisyHedge, {"sums": "tree_laplace", "learning_rate": 3.0}), (BatchedShare, {"noise": "laplace"})
SHARE = Tuning(batch=1, learning_rate=3.0, share=0.0, bound=math.inf)


@pytest.mark.parametrize(("make", "words"), LIVE)
def test_hedge_plays_the_law_of_its_noisy_sums_and_fixed_share_of_a_batch(make, words):
    """Two actions: their noise's difference is a sum of two Laplace noises, in the mean of a logistic function."""
    epsilon, rate, games = 1.0, 3.0, 4000

    def law(level):
        scale = 2 / level

        def integrand(x):
            return special.expit(-rate * (1 + x)) * (1 + abs(x) / scale) * math.exp(-abs(x) / scale) / (4 * scale)

        return integrate.quad(integrand, -60 * scale, 60 * scale, points=[-1.0, 0.0], limit=400)[0]

    rng, seen = stream(10, "hedge"), 0
    for _ in range(games):
        learner = make(2, horizon=2, epsilon=epsilon, **words, rng=rng)
        if make is BatchedShare:
            learner.tuning = SHARE
        learner.act()
        learner.observe([1.0, 0.0])
        seen += learner.act() == 0
    assert law(epsilon) in certify.clopper_pearson(seen, games, false_alarm=FALSE_ALARM)
    assert law(2 * epsilon) not in certify.clopper_pearson(seen, games, false_alarm=FALSE_ALARM)


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


@pytest.mark.parametrize("horizon", [1, 257, 258, 2000])
@pytest.mark.parametrize("sums", noisy_sums.PURE)
def test_the_bound_where_nobody_knows_T_is_its_formula(sums, horizon):
    """Trees of 256, 512, 1,024 rounds, each with the total before it, at the rate of its first round.

    The sum of the rates is taken from above: no rate is counted for more than the largest of its tree. With the
    noise at the rate of a tree's last round, the control, the formula is less than the bound.
    """
    k, epsilon, c = 5, 0.8, 1.5
    known = UnboundedSums(k, noise=sums.removeprefix("tree_"), epsilon=epsilon, rng=stream(1))

    def by_hand(late):
        start, length, past, variance, before, total = 0, 256, 0.0, 0.0, None, 0.0
        while start < horizon:
            tree, fresh = known.stage(length)
            variance = max(variance, past + tree.tree.nodes * tree.noise.variance)
            rates = c * np.sqrt(
                math.log(k) / (np.arange(start + 1, min(start + length, horizon) + 1) / 4 + variance / 2)
            )
            total += rates.sum() / 8
            if start + 1 < horizon:
                rate = rates[-1 if late else 0]
                total += float(tree.log_mgf(rate) + (before.log_mgf(rate) if before else 0)) / rate
            start, length, past, before = start + length, 2 * length, past + fresh.variance, fresh
        return total + math.log(k) / rates[-1]

    bound = noisy_sums.unending_bound(sums, n_actions=k, horizon=horizon, epsilon=epsilon, times=c)
    assert by_hand(False) <= bound <= by_hand(False) * (1 + 1e-3)
    assert by_hand(True) < by_hand(False) or horizon == 1
