"""Losses that react: who is listed for them keeps its bound, and who is proved for fixed tables alone does not."""

import numpy as np
import pytest

from replicate.learners import registry
from replicate.learners.entries import Setting
from replicate.streams import stream

ENTRIES = registry.register()
LISTED = [name for name, entry in ENTRIES.items() if "reactive" in entry.proved_for and entry.bound]
GAMES = {"n_actions": 2, "delta": 1e-6, "n_switches": 1}


def regret_where_the_last_action_loses(name, *, epsilon, rounds):
    """The action played last loses 1 and the other 0; mean of two games against the better one of the two."""
    sizes, paid = GAMES | {"horizon": rounds, "epsilon": epsilon if ENTRIES[name].private else None}, np.zeros(2)
    for rng in stream(1, "reactive", name).spawn(2):
        learner, last = registry.learner(name, **sizes, rng=rng), 0
        for _ in range(rounds):
            action, row = learner.act(), np.eye(2)[last]
            learner.observe(row if learner.feedback == "full" else float(row[action]))
            paid, last = paid + row[action] - row, action
    return paid.max() / 2


def bound(name, *, epsilon, rounds):
    return ENTRIES[name].bound(Setting(**GAMES, epsilon=epsilon, horizon=rounds), 0.5)


@pytest.mark.parametrize("name", LISTED)
def test_who_is_listed_for_reactive_losses_keeps_its_bound(name):
    game = {"epsilon": 4.0, "rounds": 1500}
    assert regret_where_the_last_action_loses(name, **game) <= bound(name, **game)


@pytest.mark.parametrize(
    ("name", "epsilon", "rounds"),
    [("few_leaders", 4.0, 1500), ("batch_bit_tsallis_inf_half", 4.0, 3000), ("batch_bit_exp3_s", 0.5, 12_000)],
)
def test_an_action_that_is_kept_for_a_batch_is_found_out(name, epsilon, rounds):
    """Losses know it from the second round on: the bound for fixed tables does not hold, and is not listed."""
    game = {"epsilon": epsilon, "rounds": rounds}
    assert regret_where_the_last_action_loses(name, **game) > 1.5 * bound(name, **game)
    assert name not in LISTED


def test_the_bounds_that_are_kept_say_something():
    """Of most learners less than half of what uniform play loses in the worst case."""
    assert sum(bound(name, epsilon=4.0, rounds=1500) < 1500 / 4 for name in LISTED) > len(LISTED) / 2
