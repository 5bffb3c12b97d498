"""Numbers inside checks and experiments that are known by calculus, by hand or in closed form."""

import math

import numpy as np
import pytest

from replicate.papers.distribution_learning import lemmas
from replicate.papers.distribution_learning.algorithms import bayes
from replicate.papers.distribution_learning.algorithms.simulation import RiskRun
from replicate.papers.distribution_learning.checks import lemmas as lemma_checks
from replicate.papers.distribution_learning.checks import privacy, regret
from replicate.papers.distribution_learning.experiments import bits
from replicate.papers.distribution_learning.experiments import privacy as audits
from replicate.papers.distribution_learning.experiments import regret as experiments
from replicate.streams import stream


def test_the_steps_of_our_lower_bound_are_their_suprema():
    """The variance at the best share, x - log(1 + x) over x**2 at x = -1/2, the divergence's slope at gap 0."""
    found = lemma_checks.information("quick", 0, constant=1.0, factor=1.0).pieces
    variance = [piece.measured for piece in found if piece.detail.startswith("Variance")]
    assert variance == pytest.approx([1.0] * 3, rel=1e-3)
    assert [piece.measured for piece in found[-2:]] == pytest.approx([4 * (math.log(2) - 1 / 2), 1.0], rel=1e-4)


@pytest.mark.parametrize("tests", ["signs", "pairs"])
def test_the_price_of_two_coins_is_one(tests):
    """Their span is one direction: one test decides it, and certificate and ascent meet."""
    found = lemma_checks.price("quick", 0, limit=4.0, tests=tests).pieces
    coins = {piece.detail.split(".")[0]: piece.measured for piece in found if "two coins" in piece.detail}
    assert coins == pytest.approx({"Certificate": 1.0, "Ascent": 1.0})


@pytest.mark.parametrize("radius", [6.0, 9.0])
def test_the_median_trick_may_choose_an_estimate_as_far_as_the_radius_allows(radius):
    """Just over half at 3 alpha, the others at 3 alpha and the radius: in units of 9 alpha."""
    farthest = regret.median_boost("quick", 7, radius=radius).pieces[0]
    assert farthest.measured == pytest.approx((3 + radius) / 9)


@pytest.mark.parametrize(
    ("hypotheses", "cells", "limit"), [("three labels", 2 + 2 + 3, 6), ("one against 49 labels", 50 + 49 * 2, 100)]
)
def test_cells_of_a_class_are_counted_over_k_m_by_hand(hypotheses, cells, limit):
    """A label has M times its largest chance, rounded up: 3 / 2, 3 / 2 and 3; 50, and 50 / 49 of each other."""
    assert privacy.n_cells("quick", 0, hypotheses=hypotheses).measured == pytest.approx(cells / limit)


@pytest.mark.parametrize("level", [1.0, 1.02])
def test_the_loss_of_one_bit_or_of_a_response_is_the_level_that_they_are_made_for(level):
    """Some message is e^epsilon times likelier under one label than under another, and none is more."""
    found = privacy.bits_loss("quick", 0, level=level).pieces
    assert [piece.measured for piece in found] == pytest.approx([level] * len(found))


def test_hard_tables_are_what_their_names_say():
    tables = lemmas.hard_tables(8, 3, 0.5, stream(1, "hard"))
    assert tables["one good action"].tolist() == [[0, 1, 1]] * 8
    assert tables["the best action changes"].tolist() == [[1, 0, 0]] * 4 + [[0, 1, 1]] * 4
    leader = tables["the leader loses"]
    before = np.vstack([np.zeros(3), leader.cumsum(axis=0)[:-1]])
    assert leader.argmax(axis=1).tolist() == before.argmin(axis=1).tolist()
    assert (leader.sum(axis=1) == 1).all()


def test_losses_of_the_uniform_mixture_are_means_over_contexts():
    """In one context the laws are 3/4 and 1/4 of heads, in the other alike: half of what the first costs."""
    f = np.array([[[0.75, 0.25], [0.25, 0.75]], [[0.5, 0.5], [0.5, 0.5]]])
    first = 0.75 * math.log(1.5) + 0.25 * math.log(0.5)
    for classes in (f, f[::-1]):
        assert experiments.uniform_losses(classes, 0) == pytest.approx((first / 2, 0.25 / 2))


def test_the_distance_of_two_coins_in_two_rounds():
    """Gap 1/4 and a bit that is right with probability 5/8: half the distance, then wrong in 3/8 and 5/8."""
    epsilon = 2 * math.atanh(1 / 2)
    second = 5 / 8 * (3 / 8) ** 2 + 3 / 8 * (5 / 8) ** 2
    assert bits.coins_distance(0.25, 2, epsilon) == pytest.approx(0.5**2 * (1 / 4 + second))


COINS = np.array([[0.9, 0.1], [0.2, 0.8]])
"""A bit that is right with probability 3/4 has the laws (0.7, 0.3) and (0.35, 0.65)."""
APART = {"risk": 0.9 * math.log(4.5) - 0.1 * math.log(8), "tv": 0.7}
"""Divergence and total variation of the second law from the first."""


def limit(quantity, costs, replicates):
    """Upper limit of what bits cost on the coins in rounds 1 and 2 to 3, every replicate costing the same."""
    shared = bayes.shared(
        COINS, scheme="sign_bits", epsilon=math.log(3), delta=None, horizon=3, calibration="corrected", merge=True
    )
    sums = np.tile(np.cumsum(costs), (replicates, 1))
    both = (sums, 1e9 + 0 * sums) if quantity == "risk" else (1e9 + 0 * sums, sums)
    run = RiskRun(np.array([1, 3]), *both, times=np.ones_like(sums, dtype=np.int64), truth_weight=0 * sums)
    return bits.upper(run, shared, 0, quantity=quantity, false_alarm=1e-9)


@pytest.mark.parametrize("quantity", APART)
def test_upper_limits_of_bits_are_proved_tails_where_runs_are_few(quantity):
    """Two runs say nothing: half the distance in round 1, times the affinity in rounds 2 and 3, one stratum."""
    affinity = math.sqrt(0.7 * 0.35) + math.sqrt(0.3 * 0.65)
    assert limit(quantity, [0.0, 0.0], 2) == pytest.approx(APART[quantity] / 2 * (1 + 2 * affinity))


@pytest.mark.parametrize("quantity", APART)
def test_upper_limits_of_bits_are_near_the_mean_where_runs_are_many(quantity):
    """Of the quantity that is asked for; a stratum costs at most its length times the distance."""
    largest = APART[quantity]
    assert 0.3 * largest < limit(quantity, [0.1 * largest, 0.2 * largest], 4000) < 0.32 * largest
    assert limit(quantity, [9.0, 9.0], 4000) == pytest.approx(3 * largest, rel=0.01)


def test_only_noise_that_is_too_small_is_rejected_by_its_messages():
    """Of all audits in the table: the printed noise of Algorithm 2, 0.9 of the tight one, and none at all."""
    table = audits.audit_table("quick", 2026).set_index("learner")
    rejected = {"Algorithm 2, printed, M = 50", "Algorithm 1, 0.9 of the tight noise", "no privacy"}
    certified, exact = table["certified by messages"], table["exact"]
    assert set(certified[certified > 1].index) == rejected
    assert not (certified > exact).any()
    known = certified[["Algorithm 2, corrected, M = 50", "Algorithm 2, printed, M = 50", "randomised response"]]
    assert (known > 0.95 * exact[known.index]).all()
    assert certified["Algorithm 1, tight, K = 2"] > 0.85
    assert certified["no privacy"] > 5
    assert certified["Algorithm 1, corrected, K = 2"] < 0.3
