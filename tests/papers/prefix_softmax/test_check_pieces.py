"""Parts of a check that do not lead: each is the number that calculus gives, not only below the limit."""

import math

import pytest

from replicate.papers.prefix_softmax.checks import lemmas


def test_each_part_of_lemma_2_is_its_supremum():
    """(i) at x = 1; (ii), (iii) and (iv) as their arguments vanish; (v) at k = 2."""
    found = [piece.measured for piece in lemmas.lemma_2("quick", 0, largest_x=1.0).pieces]
    suprema = [1 / 2 / (1 - math.exp(-1)), 1.0, 1.0, 1 / 2, math.log(3) / (2 * math.log(2))]
    assert found == pytest.approx(suprema, rel=1e-5)
