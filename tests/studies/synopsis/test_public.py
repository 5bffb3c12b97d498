"""Every public name of the synopsis answers hostile arguments with a result or one clear error."""

import pytest

from replicate.studies import synopsis
from tests.hostile import attack, uncovered

CALLS = {
    "clock_trap": lambda: {"n_actions": 2, "horizon": 100},
    "good_arm": lambda: {"n_actions": 3, "gap": 0.5, "best": 1},
    "restart_trap": lambda: {"n_actions": 2, "horizon": 200, "epsilon": 1.0},
    "shifting": lambda: {"n_actions": 3, "gap": 0.5, "n_switches": 2, "horizon": 100},
}


@pytest.mark.parametrize("name", CALLS)
def test_a_hostile_argument_is_named(name):
    getattr(synopsis, name)(**CALLS[name]())  # compiles what is compiled
    assert attack(getattr(synopsis, name), CALLS[name]) == []


def test_every_public_name_is_attacked():
    assert uncovered(synopsis, CALLS) == []
