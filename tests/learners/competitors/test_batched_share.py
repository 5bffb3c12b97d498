"""Fixed Share on noisy batches: its regret against phases, its bounds and where its batches end."""

import math

import numpy as np
import pytest
from scipy import integrate

from replicate import environments
from replicate.learners import Setting, anytime, protocol, registry
from replicate.learners.competitors import batched_share
from replicate.learners.competitors.batched_share import BatchedShare, Tuning, tuning
from replicate.mechanisms.vector_noise import private_noise
from replicate.streams import stream
from tests.agreement import laws

PLAN = Tuning(batch=4, learning_rate=0.7, share=0.1, bound=math.inf)
"""Batches of four rounds; 18 rounds make four of them, and a last one of two."""


def make(rng):
    learner = BatchedShare(3, horizon=18, epsilon=2.0, n_switches=2, rng=rng)
    learner.tuning = PLAN
    return learner


def test_regret_against_phases_is_that_of_the_best_action_of_each():
    means = np.array([[0.2, 0.8], [0.9, 0.3]])
    env = environments.Shifting([(120, environments.Deterministic(m)) for m in means])
    run = registry.simulate(
        "fixed_share_cube", env, epsilon=9.0, horizon=240, n_switches=1, replicates=2, rng=stream(14, "phases")
    )
    setting = Setting(n_actions=2, horizon=240, epsilon=9.0, n_switches=1)
    table = np.repeat(means, 120, axis=0)
    for found, rng in zip(run.final, stream(14, "phases").spawn(2), strict=True):
        law = laws(registry.entry("fixed_share_cube").build(setting, rng), table)
        assert found == pytest.approx(((law * table).sum(axis=1) - table.min(axis=1)).sum())
    assert run.regret_kind == protocol.PHASES


def by_hand(batch, rate, *, switches, k=8, t=10**6, epsilon=1.0):
    """The bound at a batch size and a rate; of the cube, moments by integration."""
    n = math.ceil(t / batch)
    psi = math.log(integrate.quad(lambda u: (1 - rate / epsilon * u) ** -(k + 1) / 2, -1, 1)[0])
    code = math.log(k)
    if switches:
        alpha = switches / (n - 1)
        code += switches * math.log((k - 1) / alpha) - (n - 1 - switches) * math.log(1 - alpha)
    return code / rate + n * (rate * batch**2 / 8 + psi / rate) + switches * batch / 2


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("switches", [0, 3])
def test_batch_and_rate_minimise_the_bound(switches, epsilon):
    sizes = {"switches": switches, "epsilon": epsilon}
    found = tuning(n_actions=8, horizon=10**6, epsilon=epsilon, n_switches=switches)
    assert found.bound == pytest.approx(by_hand(found.batch, found.learning_rate, **sizes), rel=1e-6)
    for batch, rate in ((0.8, 1), (1.25, 1), (1, 0.8), (1, 1.25)):
        changed = by_hand(round(batch * found.batch), rate * found.learning_rate, **sizes)
        assert changed > found.bound
    assert found.share == pytest.approx(switches / (math.ceil(10**6 / found.batch) - 1))


def test_the_share_ends_where_all_actions_are_as_likely():
    found = tuning(n_actions=4, horizon=20, epsilon=50.0, n_switches=19)
    assert found.share == pytest.approx(3 / 4)


def test_the_bound_where_nobody_knows_T_is_its_formula():
    """Of T = 300: batches tuned for 512 rounds until 256 have passed, then those for 1,024."""
    sizes = {"n_actions": 3, "epsilon": 1.0, "n_switches": 2}
    law, total, dearest, start, first = private_noise("cube", n_actions=3, epsilon=1.0), 0.0, 0.0, 0, math.log(3)
    for until, pace in ((256, 512), (300, 1024)):
        batch, rate, share, _ = tuning(**sizes, horizon=pace)
        many = math.ceil((until - start) / batch)
        total += (first - many * math.log(1 - share)) / rate
        total += many * (rate * batch**2 / 8 + float(law.log_mgf(rate)) / rate)
        start, first = start + many * batch, math.log(2 / share)
        dearest = max(dearest, first / rate)
    bound = batched_share.paced_bound(**sizes, horizon=300)
    assert bound == pytest.approx(total + 2 * dearest + 2 * batch / 2)


@pytest.mark.parametrize("horizon", [1, 300, 2000])
def test_the_bound_holds_where_the_first_stretches_are_one_batch(horizon):
    """At K = 100 and epsilon 1/2 a batch is as long as a stretch, and there is nothing to share."""
    assert tuning(n_actions=100, epsilon=0.5, n_switches=1, horizon=512).share == 0
    bound = batched_share.paced_bound(n_actions=100, epsilon=0.5, horizon=horizon)
    losses = np.where(np.arange(100) == 0, 0.0, np.ones((horizon, 1)))
    learner = BatchedShare(100, horizon=None, epsilon=0.5, rng=np.random.default_rng(1))
    assert protocol.play(learner, losses).final[0] <= bound < math.inf
    assert batched_share.paced_bound(n_actions=100, epsilon=0.5, horizon=10**6) < 10**6 / 3


def test_the_last_batch_is_not_read_and_no_round_after_the_horizon_is_taken():
    learner = make(stream(18, "end"))
    laws(learner, np.zeros((18, 3)))
    with pytest.raises(ValueError, match="losses must be of at most 18 rounds"):
        learner.observe([0.0, 0.0, 0.0])


def test_where_nobody_knows_T_batches_end_where_the_pace_says():
    def size(rounds):
        return batched_share.tuning(n_actions=2, horizon=rounds, epsilon=0.3, n_switches=1).batch

    learner = batched_share.BatchedShare(2, horizon=None, epsilon=0.3, rng=np.random.default_rng(0))
    ends, before = [], learner.probabilities()
    for t in range(1, 3001):
        learner.observe([0.2, 0.8])
        if not np.array_equal(learner.probabilities(), before):
            ends.append(t)
        before = learner.probabilities()
    stretches = list(anytime.paced(3000, size))
    assert len(stretches) > 2
    expected = [start + (i + 1) * size(rounds) for start, many, rounds in stretches for i in range(many)]
    assert ends == [end for end in expected if end <= 3000]
