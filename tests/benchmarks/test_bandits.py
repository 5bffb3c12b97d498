"""Speed of paper 4, one thread, in nanoseconds a round of one replicate. Run with ``make bench``."""

import numpy as np
import pytest

from replicate.papers.bandits import instances
from replicate.papers.bandits.algorithms import advice, advice_kernels, kernels, simulation, tuning
from tests.benchmarks import cases, peers

ROUNDS = 400_000
TARGETS = {"exp3": 40, "htinf": 60, "ftpl": 170}


def step(learner, n_actions, noise=0.0):
    """Return a function that plays ROUNDS rounds of a learner tuned for them, on losses 0.3 and 0.5."""
    plan = tuning.plan(learner, n_actions=n_actions, epsilon=1.0, horizon=ROUNDS)
    seen = np.where(np.arange(n_actions) == 0, 0.3, 0.5)[None]
    arms = np.empty(ROUNDS, dtype=np.int16)

    def play():
        state, rng = kernels.fresh_state(plan.kind, n_actions), np.random.default_rng(0)
        kernels.PLAY[plan.kind](state, plan.setting, seen, seen, 0, noise, arms, np.array([ROUNDS]), rng)
        return state

    return play


@pytest.mark.benchmark(group="bandits, 400,000 rounds")
@pytest.mark.parametrize("learner", list(TARGETS))
def test_learners(benchmark, learner):
    play = step(learner, 10)
    play()
    score = benchmark.pedantic(play, rounds=5)
    benchmark.extra_info["ns a round"] = benchmark.stats["min"] / ROUNDS * 1e9
    benchmark.extra_info["target"] = TARGETS[learner]
    assert np.isfinite(score).all()


@pytest.mark.benchmark(group="bandits, 170,000 batches")
def test_batched_exp4(benchmark):
    game = instances.one_good_expert(10, 2, drawn=True)
    horizon = 14 * 10**9
    tuned = advice.batched_exp4_tuning(n_actions=2, n_experts=10, epsilon=1.0, delta=1e-6, horizon=horizon)

    def play():
        advice_kernels.play_all_batched(
            score := np.zeros(10),
            game.advice,
            game.losses,
            True,
            tuned.learning_rate,
            tuned.mixing,
            tuned.noise,
            0,
            0,
            horizon,
            tuned.batch,
            np.random.default_rng(0),
        )
        return score

    play()
    score = benchmark.pedantic(play, rounds=5)
    benchmark.extra_info["ns a batch"] = benchmark.stats["min"] / (horizon / tuned.batch) * 1e9
    assert np.isfinite(score).all()


@pytest.mark.benchmark(group="EXP3, 5,000 rounds, K = 10: our kernel, with SMPyBandits' policy beside it")
def test_exp3_and_its_peer(benchmark):
    """The peer needs scipy < 1.14: it times itself under the interpreter that PEER_PYTHON names (`make peers`)."""
    peer = peers.smpybandits()
    if peer is None:
        pytest.skip(f"{peers.VARIABLE} names no interpreter with SMPyBandits")
    play = cases.bandit("exp3")(T=peers.ROUNDS, K=10)
    play()
    benchmark.pedantic(play, rounds=20)
    theirs = peer["learners"]["10"]
    benchmark.extra_info["SMPyBandits, ns a round"] = theirs["ns a round"]
    if benchmark.stats:
        benchmark.extra_info["ours, ns a round"] = benchmark.stats["min"] / peers.ROUNDS * 1e9
    assert np.argmax(theirs["trusts"]) == 0  # the peer played, and learnt the better arm
    assert sum(theirs["trusts"]) == pytest.approx(1)


@pytest.mark.benchmark(group="bandits, horizon 1e14 at epsilon T**-0.6")
def test_long_horizon(benchmark):
    def play():
        return simulation.simulate(
            instances.gap_one(2),
            learner="htinf",
            epsilon=1e14**-0.6,
            horizon=10**14,
            replicates=2,
            rng=np.random.default_rng(0),
        )

    play()
    run = benchmark.pedantic(play, rounds=3)
    assert run.rounds[-1] == 10**14
