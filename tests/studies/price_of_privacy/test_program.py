"""The program against an independent one, and each reduction on its own."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import product

import numpy as np
import pytest

from replicate.studies.price_of_privacy.algorithms.program import Relabellings
from replicate.studies.price_of_privacy.algorithms.solver import certificate, solve
from replicate.studies.price_of_privacy.bounds import Game, upper
from tests.studies.price_of_privacy import naive

LEVELS = ("1/10", "log 2", "3/2", "4")
CLOSE = 1e-9


def game(k, t, epsilon, **rest):
    return Game(n_actions=k, horizon=t, epsilon=epsilon, **rest)


@cache
def value(k, t, epsilon, **rest):
    """Value of a game; tests ask for some of them more than once."""
    return solve(game(k, t, epsilon, **rest)).value


def factor(epsilon):
    return None if epsilon == "inf" else float(game(2, 1, epsilon).exponential[0])


@pytest.mark.parametrize("epsilon", [*LEVELS, "inf"])
@pytest.mark.parametrize(("k", "t"), [(2, 2), (2, 3), (3, 2)])
@pytest.mark.parametrize("feedback", ["full", "bandit"])
def test_value_is_that_of_the_program_without_reductions(k, t, epsilon, feedback):
    plain = naive.value(k, t, factor(epsilon), feedback=feedback)
    assert value(k, t, epsilon, feedback=feedback) == pytest.approx(plain, abs=CLOSE)


@pytest.mark.parametrize("feedback", ["full", "bandit"])
@pytest.mark.parametrize("switches", [1, 2])
def test_value_with_switches_is_that_of_the_program_without_reductions(switches, feedback):
    plain = naive.value(2, 3, 2.0, feedback=feedback, n_switches=switches)
    solved = solve(game(2, 3, "log 2", feedback=feedback, n_switches=switches))
    assert solved.value == pytest.approx(plain, abs=CLOSE)
    assert plain > value(2, 3, "log 2", feedback=feedback) + 0.05


@pytest.mark.parametrize("delta", ["1/100", "1/5"])
def test_value_with_delta_is_that_of_the_program_without_reductions(delta):
    plain = naive.value(2, 3, 2.0, feedback="full", letters=[(0, 1), (1, 0)], delta=float(Fraction(delta)))
    solved = value(2, 3, "log 2", delta=delta)
    assert solved == pytest.approx(plain, abs=CLOSE)
    assert plain < value(2, 3, "log 2") - 1e-3


def test_bits_and_constant_letters_change_nothing_with_delta():
    """Three values a loss, all four bit letters among them, against the two letters 01 and 10."""
    rich = list(product((0, 0.5, 1), repeat=2))
    plain = naive.value(2, 2, 2.0, feedback="full", letters=rich, delta=0.05)
    assert plain == pytest.approx(value(2, 2, "log 2", delta="1/20"), abs=CLOSE)


@dataclass(frozen=True, kw_only=True)
class Rich(Game):
    """Full information with all letters of losses 0, 1/2 and 1."""

    @cached_property
    def letters(self):
        return tuple(product((0, 0.5, 1), repeat=self.n_actions))

    @cached_property
    def laws(self):
        """One vector repeated, for deterministic losses."""
        n = len(self.letters)
        return tuple(tuple(int(i == j) for j in range(n)) for i in range(n)) if self.losses != "any" else ()


@pytest.mark.parametrize("losses", ["any", "deterministic"])
@pytest.mark.parametrize("epsilon", LEVELS)
def test_all_letters_have_the_value_of_a_few(losses, epsilon):
    rich = Rich(n_actions=2, horizon=3, epsilon=epsilon, losses=losses)
    assert solve(rich).value == pytest.approx(value(2, 3, epsilon, losses=losses), abs=CLOSE)


@dataclass(frozen=True, kw_only=True)
class Remembering(Game):
    """The first action is kept private and remembered, as under bandit feedback."""

    @property
    def first(self):
        return 1


@pytest.mark.parametrize("losses", ["any", "deterministic"])
@pytest.mark.parametrize(("k", "t"), [(2, 4), (3, 3)])
def test_the_first_action_may_be_forgotten(losses, k, t):
    for epsilon in LEVELS:
        long = Remembering(n_actions=k, horizon=t, epsilon=epsilon, losses=losses)
        assert solve(long).value == pytest.approx(value(k, t, epsilon, losses=losses), abs=CLOSE)


@pytest.mark.parametrize(
    "rest",
    [
        {}, {"feedback": "bandit"}, {"losses": "deterministic"}, {"losses": "iid", "grid": 5}, {"n_switches": 1},
        {"delta": "1/50"},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize(("k", "t"), [(2, 4), (3, 3)])
def test_relabelled_histories_may_share_a_variable(rest, k, t):
    """Optima with shared variables are proved for the game without them."""
    if k == 3 and "grid" in rest:
        rest = {"losses": "iid", "grid": 2}
    chosen = game(k, t, "3/4", **rest)
    solved = solve(chosen)
    low, high = certificate(chosen, solved).bounds
    assert 0 <= float(high - low) < CLOSE
    assert low - 1e-12 <= solved.value <= high + 1e-12


def test_resting_and_few_switches():
    chosen = game(2, 4, "1", losses="deterministic")
    free, lazy = solve(chosen), solve(chosen, resting=[3], fewest_switches=True)
    assert lazy.value == pytest.approx(free.value, abs=CLOSE)
    round_3 = lazy.sequence[1].reshape(4, -1)
    assert round_3[1].max() == round_3[2].max() == 0  # 01 and 10: a switch at round 3
    assert float(upper(chosen, certificate(chosen, lazy).policy)) == pytest.approx(free.value, abs=1e-8)
    assert solve(chosen, resting=[4]).value > free.value + 0.1


def test_a_relabelling_moves_actions_and_losses_together():
    """The loss of an action's new name is the old one's: for every relabelling, letter and action."""
    group = Relabellings(game(3, 2, "1"))
    letters = np.array(group.game.letters)
    for actions, moved in zip(group.actions, group.letters, strict=True):
        np.testing.assert_array_equal(letters[moved][:, actions], letters)
    images = group.images(1, 1)
    assert images.shape == (6, 18)
    assert all(sorted(row) == list(range(18)) for row in images.tolist())
