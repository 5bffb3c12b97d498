"""The leader of the last batch: literal against simulated, the law of its choice, its bound."""

import math

import numpy as np
import pytest

from replicate import certify, environments
from replicate.learners import Setting, registry
from replicate.learners.anytime import paced
from replicate.learners.competitors import last_batch
from replicate.learners.competitors.last_batch import LastBatchLeader, tuning
from replicate.streams import stream
from tests import agreement
from tests.conftest import FALSE_ALARM
from tests.hostile import attack
from tests.learners import draws

NAMES = [name for name in registry.register() if name.startswith("last_batch")]
TABLE = stream(1, "table").random((251, 3)) * [0.95, 1.0, 1.0]


@agreement.compares(*(f"simulator: {name}" for name in NAMES))
@pytest.mark.parametrize("switches", [0, 2])
@pytest.mark.parametrize("name", NAMES)
def test_a_simulator_plays_the_actions_of_the_literal_learner_on_one_stream(name, switches):
    """Of which a fourth stream plays others; the last batch is short."""
    setting = Setting(n_actions=3, horizon=251, epsilon=1.0, n_switches=switches)
    sizes = {"epsilon": 1.0, "horizon": 251, "n_switches": switches, "replicates": 3}
    run = registry.simulate(name, environments.Table(TABLE), **sizes, rng=stream(2, name))
    best, finals = TABLE.sum(axis=0).min(), []
    for rng in stream(2, name).spawn(4):
        learner = registry.entry(name).build(setting, rng)
        assert 251 % learner.tuning.batch
        finals.append(TABLE[np.arange(251), agreement.played(learner, TABLE)].sum() - best)
    np.testing.assert_allclose(run.final, finals[:3], atol=1e-9)
    assert np.abs(run.final - finals[3]).min() > 1e-4


def test_sums_of_drawn_losses_are_those_of_their_rounds():
    """Losses of one round belong together; a twin at a tenth of epsilon."""
    env, rng, sizes = environments.antithetic([0.2, 0.5, 0.8]), stream(3), {"n_switches": 0, "horizon": 30}
    gaps = env.means - env.means.min()

    def fast(epsilon):
        return {"regret": last_batch.simulate(env, epsilon=epsilon, replicates=2000, rng=rng, **sizes).final}

    slow = []
    for _ in range(1000):
        learner = LastBatchLeader(3, epsilon=4.0, rng=rng, **sizes)
        slow.append(gaps[agreement.played(learner, env.losses(0, 30, rng=rng))].sum())
    assert agreement.apart({"regret": np.array(slow)}, fast(4.0)) > FALSE_ALARM
    assert agreement.apart({"regret": np.array(slow)}, fast(0.4)) < FALSE_ALARM


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


CALLS = {
    LastBatchLeader: lambda: {
        "n_actions": 3, "horizon": 100, "epsilon": 0.5, "n_switches": 2, "times": 2.0,
        "rng": np.random.default_rng(1),
    },
    last_batch.simulate: lambda: {
        "env": environments.Bernoulli([0.2, 0.5]), "epsilon": 0.5, "n_switches": 2, "times": 2.0, "horizon": 100,
        "replicates": 2, "rng": np.random.default_rng(1),
    },
    tuning: lambda: {"n_actions": 3, "horizon": 100, "epsilon": 0.5, "n_switches": 2, "times": 2.0},
}  # fmt: skip


@pytest.mark.parametrize("function", CALLS, ids=lambda f: f.__name__)
def test_bad_arguments_are_refused_by_name(function):
    assert attack(function, CALLS[function]) == []


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
