"""Every game has a learner whose guarantee says something: nobody is left with uniform play.

A game is what is seen, what losses may do, and who is trusted; the entries of the register say what they cover.
"""

from itertools import product

import pytest

from replicate.learners import Setting, registry
from replicate.learners.entries import LOSSES

CELLS = tuple(product(("full", "bandit"), LOSSES, (False, True)))
ROUNDS = 10**9
SWITCHING = ("shifting", "switching")


def guaranteed(feedback, losses, local):
    """Names of the private learners for a game whose bound at a billion rounds is below a hundredth of them."""
    setting = Setting(
        n_actions=8, horizon=ROUNDS, epsilon=1.0, delta=0.0, n_switches=3 if losses in SWITCHING else 0
    )
    return [
        entry.name
        for entry in registry.register().values()
        if entry.private and not entry.approximate and entry.covers(losses) and entry.bound is not None
        if entry.feedback in ("bandit", feedback) and entry.local >= local
        if entry.bound(setting, 0.1) < ROUNDS / 100
    ]


@pytest.mark.parametrize(("feedback", "losses", "local"), CELLS)
def test_every_game_has_a_learner_with_a_bound_below_uniform_play(feedback, losses, local):
    found = guaranteed(feedback, losses, local)
    assert found
    assert "uniform" not in found


def test_without_learners_on_random_bits_games_are_left_over():
    """Of the own loss where the best action changes, and wherever nobody is trusted and losses react."""
    bits = ("bit_", "batch_bit_", "coordinate_")
    empty = {cell for cell in CELLS if all(name.startswith(bits) for name in guaranteed(*cell))}
    assert ("bandit", "switching", False) in empty
    assert ("bandit", "reactive", True) in empty
    assert ("full", "iid", False) not in empty


def test_the_game_on_labels_has_a_scheme_with_a_bound():
    laws = [[0.6, 0.3, 0.1], [0.2, 0.2, 0.6]]
    found = [s for s in registry.schemes().values() if s.private and s.local and not s.approximate and s.bound]
    assert any(s.bound(laws, epsilon=1.0, delta=0.0, horizon=10**6) < 10**6 / 100 for s in found)
