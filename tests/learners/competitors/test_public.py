"""Competitors answer hostile arguments with a result or one clear error; their examples run."""

import numpy as np
import pytest

from replicate import environments
from replicate.learners.competitors import (
    adahedge,
    bandit,
    batched_share,
    bit_exp4,
    coordinate_bit,
    epochs,
    few_leaders,
    kl_ucb,
    noisy_sums,
    phases,
    random_bit,
    random_epochs,
    thompson,
    tsallis,
)
from tests.hostile import attack


def rng():
    return np.random.default_rng(1)


SIZES = {"n_actions": 3, "horizon": 100, "epsilon": 0.5}
BOUND = {"n_actions": 3, "gap": 0.1, "epsilon": 0.5, "horizon": 1e5}
PLAYED = {"env": environments.Bernoulli([0.2, 0.5]), "epsilon": 0.5, "horizon": 100, "replicates": 2}
TUNED = {"n_switches": 2, "times": 2.0}
CALLS = {
    adahedge.AdaHedge: lambda: {"n_actions": 3, "rng": rng()},
    adahedge.adahedge_bound: lambda: {"n_actions": 3, "horizon": 100},
    adahedge.adahedge_losses: lambda: {"losses": [[0.5, 1.0], [0.0, 1.0]]},
    batched_share.BatchedShare: lambda: {**SIZES, **TUNED, "rng": rng()},
    batched_share.simulate: lambda: {**PLAYED, **TUNED, "rng": rng()},
    batched_share.tuning: lambda: {**SIZES, **TUNED},
    coordinate_bit.CoordinateLeader: lambda: {"n_actions": 3, "epsilon": 0.5, "rng": rng()},
    coordinate_bit.CoordinateShare: lambda: {**SIZES, **TUNED, "rng": rng()},
    coordinate_bit.simulate: lambda: {**PLAYED, "learner": "share", **TUNED, "rng": rng()},
    coordinate_bit.leader_bound: lambda: {**BOUND},
    coordinate_bit.tuning: lambda: {**SIZES, **TUNED},
    few_leaders.FewLeaders: lambda: {**SIZES, **TUNED, "rng": rng()},
    few_leaders.simulate: lambda: {**PLAYED, **TUNED, "rng": rng()},
    few_leaders.tuning: lambda: {**SIZES, **TUNED},
    epochs.EpochLeader: lambda: {"n_actions": 3, "epsilon": 0.5, "weights": (0.5, 0.5), "rng": rng()},
    epochs.simulate_epochs: lambda: {**PLAYED, "weights": (0.5, 0.5), "rng": rng()},
    epochs.epochs_bound: lambda: {**BOUND, "weights": (0.5, 0.5)},
    noisy_sums.NoisyHedge: lambda: {
        **SIZES, "delta": 0.1, "sums": "factorized_gaussian", "learning_rate": 0.1, "rng": rng(),
    },
    noisy_sums.hedge_tuning: lambda: {"sums": "factorized_gaussian", **SIZES, "delta": 0.1},
    noisy_sums.hedge_losses: lambda: {
        "losses": [[0.5, 1.0], [0.0, 1.0]], "noise": [[0.1, 3.0]], "learning_rate": 0.1,
    },
    bit_exp4.BitExp4: lambda: {**SIZES, "n_experts": 3, "rng": rng()},
    bit_exp4.regret_bound: lambda: {"n_actions": 3, "n_experts": 5, "epsilon": 0.5, "horizon": 1e5},
    bit_exp4.Exp3Share: lambda: {"n_actions": 3, "rate": 0.1, "share": 0.01, "rng": rng()},
    bit_exp4.tuning: lambda: {**SIZES, **TUNED, "batch": 3},
    bandit.UniformPlay: lambda: {"n_actions": 3, "rng": rng()},
    phases.GrowingBandit: lambda: {"n_actions": 3, "epsilon": 0.5, "ratio": 1.5, "rng": rng()},
    kl_ucb.KLUCB: lambda: {"n_actions": 3, "rng": rng()},
    random_bit.RandomBit: lambda: {
        "base": thompson.ThompsonSampling(3, rng=rng()), "epsilon": 0.5, "batch": 2, "rng": rng(),
    },
    random_bit.best_batch: lambda: {**SIZES},
    random_bit.regret_bound: lambda: {"n_actions": 3, "epsilon": 0.5, "horizon": 1e5, "batch": 2},
    random_epochs.RandomEpochLeader: lambda: {"n_actions": 3, "epsilon": 0.5, "rng": rng()},
    random_epochs.simulate: lambda: {**PLAYED, "rng": rng()},
    random_epochs.regret_bound: lambda: {**BOUND, "losses": "steady"},
    thompson.ThompsonSampling: lambda: {"n_actions": 3, "rng": rng()},
    tsallis.TsallisINF: lambda: {"n_actions": 3, "rng": rng()},
    tsallis.regret_bound: lambda: {"n_actions": 3, "horizon": 1e5},
}  # fmt: skip


@pytest.mark.parametrize("function", CALLS, ids=lambda f: f"{f.__module__.rpartition('.')[2]}.{f.__name__}")
def test_a_hostile_argument_is_named(function):
    function(**CALLS[function]())  # compiles what is compiled
    assert attack(function, CALLS[function]) == []


@pytest.mark.parametrize(
    "make", [f for f in CALLS if isinstance(f, type) and f.feedback == "bandit"], ids=lambda f: f.__name__
)
def test_a_hostile_loss_is_named(make):
    def observe(loss):
        learner = make(**CALLS[make]())
        learner.act()
        learner.observe(loss)

    assert attack(observe, lambda: {"loss": 0.5}) == []


@pytest.mark.parametrize("make", [kl_ucb.KLUCB, thompson.ThompsonSampling, tsallis.TsallisINF])
def test_a_loss_belongs_to_an_action(make):
    learner = make(3, rng=rng())
    with pytest.raises(ValueError, match="call act"):
        learner.observe(0.5)
    learner.act()
    learner.observe(0.5)
    with pytest.raises(ValueError, match="call act"):
        learner.observe(0.5)
