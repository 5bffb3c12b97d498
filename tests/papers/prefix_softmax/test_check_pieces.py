"""Parts of a check that do not lead: each is the number that calculus gives, not only below the limit."""

import math

import pytest

from replicate.papers.prefix_softmax.checks import lemmas, regret


def test_each_part_of_lemma_2_is_its_supremum():
    """(i) at x = 1; (ii), (iii) and (iv) as their arguments vanish; (v) at k = 2."""
    found = [piece.measured for piece in lemmas.lemma_2("quick", 0, largest_x=1.0).pieces]
    suprema = [1 / 2 / (1 - math.exp(-1)), 1.0, 1.0, 1 / 2, math.log(3) / (2 * math.log(2))]
    assert found == pytest.approx(suprema, rel=1e-5)


def test_reading_whole_blocks_is_held_against_log_k_over_eta():
    """Losses 0 and 1 of 4096 actions: eta = eps / 2, so that the scale is 24 log 2 / eps."""
    rows = [row for row in regret._whole_against_prefix()[1] if row.detail.startswith("losses 0 and 1")]
    levels = [0.1 * 2 ** (-power / 8) for power in range(len(rows))]
    assert len(rows) >= 8
    assert sorted(row.limit for row in rows) == pytest.approx([24 * math.log(2) / level for level in levels])
