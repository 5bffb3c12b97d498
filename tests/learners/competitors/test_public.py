"""Competitors answer hostile arguments with a result or one clear error; their examples run."""

import numpy as np
import pytest

from replicate.learners.competitors import (
    bandit,
    bit_exp4,
    kl_ucb,
    lazy_thompson,
    phases,
    random_bit,
    thompson,
    tsallis,
)
from tests.hostile import attack


def rng():
    return np.random.default_rng(1)


CALLS = {
    bit_exp4.BitExp4: lambda: {"n_actions": 3, "n_experts": 3, "epsilon": 0.5, "horizon": 1000, "rng": rng()},
    bit_exp4.regret_bound: lambda: {"n_actions": 3, "n_experts": 5, "epsilon": 0.5, "horizon": 1e5},
    bit_exp4.Exp3Share: lambda: {"n_actions": 3, "rate": 0.1, "share": 0.01, "rng": rng()},
    bit_exp4.tuning: lambda: {
        "n_actions": 3,
        "horizon": 1000,
        "epsilon": 0.5,
        "n_switches": 2,
        "batch": 3,
        "times": 2.0,
    },
    bandit.UniformPlay: lambda: {"n_actions": 3, "rng": rng()},
    phases.DoublingBandit: lambda: {"n_actions": 3, "epsilon": 0.5, "index": "ucb", "alpha": 2.0, "rng": rng()},
    phases.doubling_bound: lambda: {"n_actions": 3, "gap": 0.1, "epsilon": 0.5, "horizon": 1e5, "alpha": 4.0},
    phases.SuccessiveElimination: lambda: {"n_actions": 3, "epsilon": 0.5, "horizon": 1000, "rng": rng()},
    phases.elimination_bound: lambda: {"n_actions": 3, "gap": 0.1, "epsilon": 0.5, "horizon": 1e5},
    phases.GrowingBandit: lambda: {"n_actions": 3, "epsilon": 0.5, "index": "imed", "ratio": 1.5, "rng": rng()},
    kl_ucb.KLUCB: lambda: {"n_actions": 3, "level": "proved", "rng": rng()},
    kl_ucb.regret_bound: lambda: {"n_actions": 3, "gap": 0.1, "horizon": 1e5},
    lazy_thompson.LazyThompson: lambda: {"n_actions": 3, "epsilon": 0.5, "rng": rng()},
    random_bit.RandomBit: lambda: {
        "base": thompson.ThompsonSampling(3, rng=rng()),
        "epsilon": 0.5,
        "batch": 2,
        "rng": rng(),
    },
    random_bit.best_batch: lambda: {"n_actions": 3, "epsilon": 0.5, "horizon": 1000},
    random_bit.regret_bound: lambda: {"n_actions": 3, "epsilon": 0.5, "horizon": 1e5, "batch": 2},
    thompson.ThompsonSampling: lambda: {"n_actions": 3, "rng": rng()},
    tsallis.TsallisINF: lambda: {"n_actions": 3, "rng": rng()},
    tsallis.regret_bound: lambda: {"n_actions": 3, "horizon": 1e5},
}


@pytest.mark.parametrize("function", CALLS, ids=lambda f: f"{f.__module__.rpartition('.')[2]}.{f.__name__}")
def test_a_hostile_argument_is_named(function):
    assert attack(function, CALLS[function]) == []


SHARE = {"n_actions": 3, "horizon": 500, "epsilon": 1.0}


@pytest.mark.parametrize("make", [f for f in CALLS if isinstance(f, type)], ids=lambda f: f.__name__)
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
