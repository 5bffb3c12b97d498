"""Parts of a check that do not lead: each is the number that calculus gives, not only below the limit."""

import math
import re

import numpy as np
import pytest
from scipy import special

from replicate.papers.prefix_softmax import lemmas as quantities
from replicate.papers.prefix_softmax.checks import lemmas, regret


def test_each_part_of_lemma_2_is_its_supremum():
    """(i) at x = 1; (ii), (iii) and (iv) as their arguments vanish; (v) at k = 2."""
    found = [piece.measured for piece in lemmas.lemma_2("quick", 0, largest_x=1.0).pieces]
    suprema = [1 / 2 / (1 - math.exp(-1)), 1.0, 1.0, 1 / 2, math.log(3) / (2 * math.log(2))]
    assert found == pytest.approx(suprema, rel=1e-5)


@pytest.fixture(scope="module")
def pieces():
    """Comparisons of whole blocks with prefixes, and of whole blocks with log K / eta."""
    return regret._whole_against_prefix()


def test_reading_whole_blocks_is_held_against_log_k_over_eta(pieces):
    """Losses 0 and 1 of 4096 actions: eta = eps / 2, so that the scale is 24 log 2 / eps."""
    rows = [row for row in pieces[1] if row.detail.startswith("losses 0 and 1")]
    levels = [0.1 * 2 ** (-power / 8) for power in range(len(rows))]
    assert len(rows) >= 8
    assert sorted(row.limit for row in rows) == pytest.approx([24 * math.log(2) / level for level in levels])


def blocks_of_losses_0_and_1(eta):
    """Costs of a round, whole and with prefixes, after 1, 2, 4, ... rounds: F_m = 4095 / (4095 + exp(eta m))."""
    lengths = 2 ** np.arange(14)
    errors = special.expit(math.log(4095) - eta * np.arange(1, lengths[-1] + 1))
    return errors[lengths - 1], np.array([errors[n // 2 : n].mean() for n in lengths]), lengths


@pytest.mark.parametrize("power", range(8))
def test_whole_blocks_are_held_against_prefixes_at_three_horizons_and_in_the_closest_block(pieces, power):
    """The first round costs 4095/4096, and the block after n rounds that are read has 2 n, or what is left."""
    whole, read, lengths = blocks_of_losses_0_and_1(0.05 * 2 ** (-power / 8))
    known = []
    for horizon in (1000, 3000, 2**59):
        rounds = np.clip(horizon - (2 * lengths - 1), 0, 2 * lengths)
        known.append([4095 / 4096 + float(rounds @ costs) for costs in (whole, read)])
    *own, closest = [row for row in pieces[0] if row.detail.startswith("losses 0 and 1")][
        4 * power : 4 * power + 4
    ]
    assert [[row.measured, row.limit] for row in own] == [pytest.approx(pair, rel=1e-8) for pair in known]
    block = int(re.search(r"block (\d+) of", closest.detail)[1]) - 1
    assert whole[block] / read[block] == pytest.approx((whole / read).max(), rel=1e-8)
    sums = [2 * lengths[block] * costs[block] for costs in (whole, read)]
    assert [closest.measured, closest.limit] == pytest.approx(sums, rel=1e-8)


def test_a_prefix_has_more_than_half_of_the_block_and_at_most_all_of_it():
    """Regret of whole blocks over that of prefixes, three actions, six blocks: every length has its own error."""
    whole = prefix = dict.fromkeys(("opposite", "equal"), 2 / 3)
    for rounds in (1, 2, 4, 8, 16):
        errors = quantities.rivals_error(np.arange(rounds // 2 + 1, rounds + 1), 0.05, eta=1 / 8)
        whole = {name: total + 2 * rounds * errors[name][-1] for name, total in whole.items()}
        prefix = {name: total + 2 * rounds * errors[name].mean() for name, total in prefix.items()}
    ratios = {name: whole[name] / prefix[name] for name in whole}
    assert regret._whole_over_prefix(0.05, 6) == pytest.approx(ratios, rel=1e-12)
