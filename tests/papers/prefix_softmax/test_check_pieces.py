"""Parts of a check that do not lead: each is the number that calculus gives, not only below the limit."""

import math

import numpy as np
import pytest

from replicate.papers.prefix_softmax import lemmas as quantities
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


def test_a_prefix_has_more_than_half_of_the_block_and_at_most_all_of_it():
    """Regret of whole blocks over that of prefixes, three actions, six blocks: every length has its own error."""
    whole = prefix = dict.fromkeys(("opposite", "equal"), 2 / 3)
    for rounds in (1, 2, 4, 8, 16):
        errors = quantities.rivals_error(np.arange(rounds // 2 + 1, rounds + 1), 0.05, eta=1 / 8)
        whole = {name: total + 2 * rounds * errors[name][-1] for name, total in whole.items()}
        prefix = {name: total + 2 * rounds * errors[name].mean() for name, total in prefix.items()}
    ratios = {name: whole[name] / prefix[name] for name in whole}
    assert regret._whole_over_prefix(0.05, 6) == pytest.approx(ratios, rel=1e-12)
