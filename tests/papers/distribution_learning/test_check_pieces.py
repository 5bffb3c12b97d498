"""Parts of a check that do not lead: each is the number that calculus gives, not only below the limit."""

import math

import pytest

from replicate.papers.distribution_learning.checks import lemmas, regret


def test_the_steps_of_our_lower_bound_are_their_suprema():
    """The variance at the best share, x - log(1 + x) over x**2 at x = -1/2, the divergence's slope at gap 0."""
    found = regret.information("quick", 0, constant=1.0, factor=1.0).pieces
    variance = [piece.measured for piece in found if piece.detail.startswith("Variance")]
    assert variance == pytest.approx([1.0] * 3, rel=1e-3)
    assert [piece.measured for piece in found[-2:]] == pytest.approx([4 * (math.log(2) - 1 / 2), 1.0], rel=1e-4)


@pytest.mark.parametrize("tests", ["signs", "pairs"])
def test_the_price_of_two_coins_is_one(tests):
    """Their span is one direction: one test decides it, and certificate and ascent meet."""
    found = lemmas.price("quick", 0, limit=4.0, tests=tests).pieces
    coins = {piece.detail.split(".")[0]: piece.measured for piece in found if "two coins" in piece.detail}
    assert coins == pytest.approx({"Certificate": 1.0, "Ascent": 1.0})
