"""Stored games: which they are, and that solving one anew finds its stored value."""

import pytest

from replicate.studies.price_of_privacy.algorithms.solver import solve
from replicate.studies.price_of_privacy.instances import FAMILIES, stored


@pytest.mark.parametrize("longest", [0, 1, 3, 8])
def test_games_up_to_a_horizon(longest):
    found = list(stored.games(longest))
    assert len(found) == len(set(found))
    known = {
        (name, family.game(k, t, epsilon, delta))
        for name, family in FAMILIES.items() for k, t in family.sizes for epsilon, delta in family.levels
    }  # fmt: skip
    assert set(found) == {(name, game) for name, game in known if game.horizon <= longest}


@pytest.mark.parametrize(("name", "game"), list(stored.games(3))[::7], ids=str)
def test_a_program_solved_anew_has_the_stored_value(name, game):
    low, high = stored.bounds(name, game)
    assert low <= stored.value(name, game) <= high <= low + 1e-9
    assert solve(game).value == pytest.approx(stored.value(name, game), abs=1e-9)
