"""Competitors answer hostile arguments with a result or one clear error; their examples run."""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

from replicate.environments import Bernoulli
from replicate.learners import competitors, play
from replicate.learners.competitors import (
    batched_share,
    bit_exp4,
    doubling,
    elimination,
    exp3_share,
    growing,
    kl_ucb,
    lazy_thompson,
    random_bit,
    thompson,
    tsallis,
    uniform,
)
from tests.hostile import attack, misplaced


def rng():
    return np.random.default_rng(1)


CALLS = {
    bit_exp4.BitExp4: lambda: {"n_actions": 3, "n_experts": 3, "epsilon": 0.5, "horizon": 1000, "rng": rng()},
    bit_exp4.regret_bound: lambda: {"n_actions": 3, "n_experts": 5, "epsilon": 0.5, "horizon": 1e5},
    exp3_share.Exp3Share: lambda: {"n_actions": 3, "rate": 0.1, "share": 0.01, "rng": rng()},
    exp3_share.tuning: lambda: {
        "n_actions": 3,
        "horizon": 1000,
        "epsilon": 0.5,
        "n_switches": 2,
        "batch": 3,
        "times": 2.0,
    },
    uniform.UniformPlay: lambda: {"n_actions": 3, "rng": rng()},
    doubling.DoublingBandit: lambda: {"n_actions": 3, "epsilon": 0.5, "index": "ucb", "alpha": 2.0, "rng": rng()},
    doubling.regret_bound: lambda: {"n_actions": 3, "gap": 0.1, "epsilon": 0.5, "horizon": 1e5, "alpha": 4.0},
    elimination.SuccessiveElimination: lambda: {"n_actions": 3, "epsilon": 0.5, "horizon": 1000, "rng": rng()},
    elimination.regret_bound: lambda: {"n_actions": 3, "gap": 0.1, "epsilon": 0.5, "horizon": 1e5},
    growing.GrowingBandit: lambda: {"n_actions": 3, "epsilon": 0.5, "index": "imed", "ratio": 1.5, "rng": rng()},
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


RANGES = {
    doubling.regret_bound: {
        "n_actions": (2, 2**20), "gap": (1e-40, 1.0), "epsilon": (1e-40, 1e40), "horizon": (2.0, 1e40)
    },
    elimination.regret_bound: {
        "n_actions": (2, 2**20), "gap": (1e-12, 1.0), "epsilon": (1e-40, 1e40), "horizon": (1.0, 1e40)
    },
    growing.GrowingBandit: {"ratio": (1 + 1e-6, 1e6)},
    kl_ucb.regret_bound: {"n_actions": (2, 2**20), "gap": (1e-40, 1.0), "horizon": (2.0, 1e40)},
    lazy_thompson.LazyThompson: {"epsilon": (1e-9, 1e9)},
    bit_exp4.regret_bound: {"epsilon": (1e-40, 1e40), "horizon": (1.0, 1e40)},
    random_bit.regret_bound: {"epsilon": (1e-40, 1e40), "horizon": (1.0, 1e40)},
    tsallis.regret_bound: {"n_actions": (2, 2**20), "horizon": (1.0, 1e40)},
}  # fmt: skip
"""Arguments of sizes that make no array, and where they begin and end."""


@pytest.mark.parametrize("function", RANGES, ids=lambda f: f"{f.__module__.rpartition('.')[2]}.{f.__name__}")
def test_sizes_end_where_they_are_said_to(function):
    for name, ends in RANGES[function].items():
        assert misplaced(function, CALLS[function], name, *ends) == []


UNLESS_TOLD = {
    batched_share.BatchedShare: {"noise": ("cube", "laplace"), "n_switches": (0, 9)},
    doubling.DoublingBandit: {"index": ("kl", "ucb"), "alpha": (3.1, 1.1)},
    growing.GrowingBandit: {"index": ("klucb", "imed"), "ratio": (2.0, 4.0)},
    kl_ucb.KLUCB: {"level": ("log t", "proved")},
}
"""What a learner takes unless it is told, and something else."""


@pytest.mark.parametrize("make", UNLESS_TOLD, ids=lambda f: f.__name__)
def test_what_nobody_names_is_as_if_it_were_named(make):
    """The same actions, draw by draw; another value plays otherwise."""
    table = rng().random((2000, 3)) < (0.3, 0.5, 0.7)
    sizes = {} if make is kl_ucb.KLUCB else {"epsilon": 1.0}
    sizes |= {"horizon": 2000} if make is batched_share.BatchedShare else {}

    def actions(**words):
        return play(make(3, **sizes, **words, rng=rng()), table * 1.0).actions.tolist()

    plain = actions()
    for name, (known, other) in UNLESS_TOLD[make].items():
        assert actions(**{name: known}) == plain
        assert actions(**{name: other}) != plain


SHARE = {"n_actions": 3, "horizon": 500, "epsilon": 1.0}
MADE = {
    "state": (lambda **words: kl_ucb.fresh_state(3, **words), {"level": ("log t", "proved")}),
    "tuning": (lambda **words: batched_share.tuning("cube", **SHARE, **words), {"n_switches": (0, 9)}),
    "simulation": (
        lambda **words: (
            batched_share.simulate(
                Bernoulli([0.3, 0.5, 0.7]), epsilon=1.0, horizon=500, replicates=8, rng=rng(), **words
            ).regret
        ),
        {"noise": ("cube", "laplace"), "n_switches": (0, 9)},
    ),
}
"""What makes a learner or its games, and what it takes unless it is told."""


@pytest.mark.parametrize("made", MADE)
def test_what_is_made_unless_told_is_as_if_it_were_named(made):
    make, words = MADE[made]
    plain = make()
    for name, (known, other) in words.items():
        np.testing.assert_equal(make(**{name: known}), plain)
        with pytest.raises(AssertionError):
            np.testing.assert_equal(make(**{name: other}), plain)


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


def test_examples_run():
    for found in pkgutil.iter_modules(competitors.__path__, "replicate.learners.competitors."):
        assert not doctest.testmod(importlib.import_module(found.name)).failed, found.name
