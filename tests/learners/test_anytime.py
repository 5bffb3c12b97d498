"""Where nobody knows T: who plays alike whatever it is, and what restarts on longer horizons keep."""

import math

import numpy as np
import pytest

from replicate.learners import registry
from replicate.learners.anytime import anytime
from replicate.learners.entries import Setting

ENTRIES = registry.register()
ROUNDS = 600
TABLES = {
    "drawn": np.random.default_rng(5).random((ROUNDS, 3)),
    "turning": np.repeat([[0.0, 1, 1], [1, 0, 1]], [ROUNDS // 3, ROUNDS - ROUNDS // 3], axis=0),
}


def setting(entry, **changes):
    level = 0.3 if entry.private else math.inf
    return Setting(**{"n_actions": 3, "horizon": ROUNDS, "epsilon": level, "n_switches": 2} | changes)


def played(entry, table, **changes):
    """Actions under one seed; none where there is no tuning."""
    actions = []
    try:
        learner = entry.build(setting(entry, **changes), np.random.default_rng(1))
    except ValueError:
        return actions
    for row in table:
        actions.append(learner.act())
        learner.observe(row if learner.feedback == "full" else row[actions[-1]])
    return actions


@pytest.mark.parametrize("name", ENTRIES)
def test_who_is_said_to_need_no_horizon_plays_alike_at_T_and_at_2T(name):
    """And so does everybody in the form that is played where nobody knows T."""
    for entry in {ENTRIES[name], anytime(ENTRIES[name])}:
        if entry.anytime:
            for table in TABLES.values():
                first = played(entry, table)
                assert all(played(entry, table, horizon=longer) == first for longer in (2 * ROUNDS, 2**40))
    assert anytime(ENTRIES[name]).anytime


READ_LATE = {"dp_se"}
"""Their horizon decides when an action is dropped, which takes longer than this game."""


@pytest.mark.parametrize("name", [name for name, entry in ENTRIES.items() if not entry.anytime])
def test_who_is_said_to_read_the_horizon_does(name):
    first = [played(ENTRIES[name], table) for table in TABLES.values()]
    longer = [[played(ENTRIES[name], t, horizon=n) for t in TABLES.values()] for n in (2 * ROUNDS, 2**40)]
    assert (longer == [first, first]) is (name in READ_LATE)
