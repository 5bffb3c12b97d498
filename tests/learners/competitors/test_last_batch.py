"""The leader of the last batch: literal against simulated, the law of its choice, its bound."""

import math

import numpy as np
import pytest
from scipy import integrate

from replicate import certify, environments
from replicate.learners import Setting, registry
from replicate.learners.anytime import paced
from replicate.learners.competitors import last_batch
from replicate.learners.competitors.last_batch import EpochLeader, LastBatchLeader, epochs_bound, tuning
from replicate.streams import stream
from tests import agreement
from tests.conftest import FALSE_ALARM
from tests.learners import draws


def test_live_choices_have_the_law_of_permute_and_flip():
    rng, epsilon = stream(4, "live"), 2.0
    sizes = {"horizon": 100, "epsilon": epsilon, "n_switches": 0}
    batch = tuning(n_actions=3, **sizes).batch
    rows, seen = np.tile([0.0, 1 / batch, 2 / batch], (batch, 1)), np.zeros(3)
    for _ in range(4000):
        learner = LastBatchLeader(3, **sizes, rng=rng)
        for row in rows:
            learner.observe(row)
        seen[learner.act()] += 1

    def law(level):
        return draws.noisy_min_law(rows.sum(axis=0), noise="exponential", scale=2 / level)

    assert certify.goodness_of_fit(seen, law(epsilon)) > FALSE_ALARM
    assert certify.goodness_of_fit(seen, law(2 * epsilon)) < FALSE_ALARM


def by_hand(batch, *, switches, k=8, t=10**5, epsilon=1.0):
    batches, lost = math.ceil(t / batch), 2 * switches + 1
    return (batches - lost) * (math.sqrt(batch * math.log(k) / 2) + 2 * math.log(k) / epsilon) + lost * batch


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("switches", [0, 3])
def test_the_batch_minimises_the_bound(switches, epsilon):
    found = tuning(n_actions=8, horizon=10**5, epsilon=epsilon, n_switches=switches)
    assert found.bound == pytest.approx(by_hand(found.batch, switches=switches, epsilon=epsilon))
    for factor in (0.8, 1.25):
        assert by_hand(round(factor * found.batch), switches=switches, epsilon=epsilon) > found.bound


def test_the_bound_where_nobody_knows_T_is_its_formula():
    """Of T = 300: batches tuned for 512 rounds until 256 have passed, then for 1,024; a switch spoils two."""
    sizes = {"n_actions": 3, "epsilon": 2.0, "n_switches": 2}
    short, long = (tuning(**sizes, horizon=rounds).batch for rounds in (512, 1024))
    first = math.ceil(256 / short)
    second = math.ceil((300 - first * short) / long)
    cost = [min(b, math.sqrt(b * math.log(3) / 2) + math.log(3)) for b in (short, long)]
    total = first * cost[0] + short + second * cost[1] + long + 2 * 2 * long
    assert last_batch.paced_bound(**sizes, horizon=300) == pytest.approx(total)
    assert short < long < 300 - first * short


def test_where_nobody_knows_T_the_leader_is_that_of_the_batch_before():
    """The actions lose in turn, batch by batch; at this epsilon noise decides nothing."""

    def size(rounds):
        return tuning(n_actions=2, horizon=rounds, epsilon=100.0, n_switches=1).batch

    words = {"epsilon": 100.0, "n_switches": 1}
    learner, rows = LastBatchLeader(2, horizon=None, **words, rng=stream(9)), []
    lengths = [size(rounds) for _, many, rounds in paced(3000, size) for _ in range(many)]
    for batch, length in enumerate(lengths):
        for _ in range(length):
            assert batch == 0 or learner.act() == batch % 2
            learner.observe(np.eye(2)[batch % 2])
            rows.append(np.eye(2)[batch % 2])
    assert len({*lengths}) > 2
    run = last_batch.simulate(
        environments.Table(rows), **words, unending=True, horizon=len(rows), replicates=40, rng=stream(10)
    )
    # every leader but the first, which is drawn, loses all of its batch
    paid = len(rows) - np.sum(rows, axis=0).min()
    assert {*run.final.round(6)} == {paid - lengths[0], paid}


@pytest.mark.parametrize("horizon", [2, 6, 20])
@pytest.mark.parametrize("switches", [0, 1, 5, 19])
@pytest.mark.parametrize("epsilon", [1.0, 1e3])
def test_the_bound_is_never_more_than_all_rounds(horizon, switches, epsilon):
    assert tuning(n_actions=2, horizon=horizon, epsilon=epsilon, n_switches=switches).bound <= horizon + 1e-9


NAMES = ("weighted_epochs", "tripled_epochs", "random_epochs")


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
        run = registry.simulate(name, env, epsilon=epsilon, horizon=rounds, replicates=20_000, rng=rng)
        return run.final

    slow = np.array([literal() for _ in range(4000)])
    band = 6 * (slow.std() / math.sqrt(4000) + slow.std() / math.sqrt(20_000))
    assert abs(slow.mean() - fast(5.0).mean()) < band < abs(slow.mean() - fast(1.0).mean())


@pytest.mark.parametrize("growth", [2, 3])
def test_regret_is_told_at_the_ends_of_epochs_that_grow_by_the_ratio(growth):
    """After 1, 1 + g, 1 + g + g**2, ... rounds, and after the last one; between them the leader stays."""
    ends = [sum(growth**r for r in range(n)) for n in range(1, 5)]
    env, sizes = environments.Bernoulli([0.5] * 100), {"epsilon": 1.0, "growth": growth}
    run = last_batch.simulate_epochs(
        env, **sizes, horizon=ends[-1] + 2, replicates=1, rng=stream(3, "ends", growth)
    )
    assert run.rounds.tolist() == [*ends, ends[-1] + 2]
    learner, rows = EpochLeader(100, **sizes, rng=stream(4, "ends", growth)), np.zeros((ends[-1] + 2, 100))
    actions = agreement.played(learner, rows)  # among a hundred equal actions a new leader is another one
    assert (np.flatnonzero(np.diff(actions)) + 1).tolist() == ends


def test_one_weight_and_doubling_epochs_are_the_learner_of_paper_2():
    """The same law, draw by draw of the losses."""
    env, sizes = environments.Bernoulli([0.3, 0.5, 0.7]), {"epsilon": 0.7, "horizon": 1000, "replicates": 5}
    found = last_batch.simulate_epochs(env, **sizes, rng=stream(2, "same"))
    known = registry.simulate("exponential", env, **sizes, rng=stream(2, "same"))
    np.testing.assert_allclose(found.regret, known.regret, rtol=1e-12)
    other = last_batch.simulate_epochs(env, **sizes, weights=(0.9, 0.1), rng=stream(2, "same"))
    assert np.abs(other.final - known.final).min() > 1e-6


@pytest.mark.parametrize(("growth", "weights"), [(2, (1.0,)), (2, (2 / 3, 1 / 3)), (3, (1.0,))])
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 9.0])
@pytest.mark.parametrize("gap", [0.01, 0.6])
def test_the_bound_is_its_formula_and_holds(growth, weights, epsilon, gap):
    """By quadrature; and for losses without chance, whose regret is above a fiftieth of it where noise decides."""
    powers = float(growth) ** -np.arange(len(weights))
    a, b = np.dot(weights, powers), np.dot(np.square(weights), powers)

    def c(x):
        return min(x * x * a * a / b, epsilon / 2 * a * x) / 2

    cross = min(max(epsilon / 2 * b / a, gap), 1.0)
    parts = [integrate.quad(lambda x: 1 / c(x), *ends)[0] for ends in ((gap, cross), (cross, 1.0))]
    total = (1 / powers).sum() + growth**2 / (growth - 1) * (math.log(7) + 1) * (gap / c(gap) + sum(parts))
    words = {"growth": growth, "weights": weights}
    bound = epochs_bound(n_actions=8, gap=gap, epsilon=epsilon, horizon=1e40, **words)
    assert bound == pytest.approx(total)
    assert epochs_bound(n_actions=8, gap=gap, epsilon=epsilon, horizon=10.0, **words) == min(10.0, bound)
    env = environments.Bernoulli((1 + gap) / 2 - gap * (np.arange(8) == 3))
    run = last_batch.simulate_epochs(
        env, epsilon=epsilon, **words, horizon=2**30, replicates=60, rng=stream(3, gap, epsilon)
    )
    assert bound / 50 < run.final.mean() < bound
