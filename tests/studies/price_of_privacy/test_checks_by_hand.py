"""Compute by hand what checks measure: closed forms, and how far one letter or one round moves a law."""

import math

import pytest

from replicate.studies.price_of_privacy.checks import lemmas
from replicate.studies.price_of_privacy.instances import LEVELS

SEED = 1
NUMBERS = dict(zip(LEVELS[:-1], (0.1, 0.5, math.log(2), 1.0, math.log(3), 2.0, 4.0), strict=True))
"""Privacy levels as numbers."""


@pytest.mark.parametrize("third", [1, 0])
def test_a_longer_third_stage_shows_in_the_eighth_round(third):
    """With S_3 longer by q u**3 q the chance of round 8 is larger by q (1 - u) as much; nothing changes before."""
    known = []
    for level in NUMBERS.values():
        u = math.exp(-level)
        q = u / (1 + u)
        known += [(1 - third) * (t == 8) * q**3 * u**3 * (1 - u) for t in range(2, 6 if level < 0.6 else 9)]
    found = lemmas.closed_form("quick", SEED, third=third).pieces
    assert [piece.measured for piece in found] == pytest.approx(known, abs=1e-9)
    assert {piece.limit for piece in found} == {1e-9}


@pytest.mark.parametrize(("u", "worst"), [("1/2", 2.0), ("49/100", 100 / 49), ("3/4", 4 / 3)])
def test_a_letter_moves_the_resting_policy_by_exactly_its_level(u, worst):
    """Randomised response to the first letter moves by 1 / u; the regret of seven rounds at ln 2 is 104 / 54."""
    ratio, distance = lemmas.attained("quick", SEED, u=u).pieces
    assert (ratio.measured, ratio.limit) == (pytest.approx(worst, rel=1e-12), 2)
    assert (f"{104 / 54:.6f}" in ratio.detail) == distance.holds == (u == "1/2")


@pytest.mark.parametrize("level", [1.0, 1.03, 0.4])
def test_a_round_moves_the_law_of_a_block_by_exactly_the_level(level):
    """G is 0, 1/2, 1, ... or n, the number of rounds: 2 n - 1 pairs differ by one; the last chance moves most."""
    found = lemmas.block_privacy("quick", SEED, level=level)
    assert [piece.measured for piece in found.pieces] == pytest.approx([level] * (3 + 9 + 27))
    assert found.limit == 1 + 1e-9
