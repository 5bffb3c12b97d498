"""Numbers inside checks and experiments that are known by calculus, by hand or in closed form."""

import math
from itertools import product
from math import exp, expm1, log, sqrt, tanh

import numpy as np
import pytest

from replicate.mechanisms import composition
from replicate.papers.distribution_learning import lemmas
from replicate.papers.distribution_learning.algorithms import bayes
from replicate.papers.distribution_learning.algorithms.simulation import RiskRun
from replicate.papers.distribution_learning.checks import lemmas as lemma_checks
from replicate.papers.distribution_learning.checks import privacy, regret
from replicate.papers.distribution_learning.experiments import bits
from replicate.papers.distribution_learning.experiments import privacy as audits
from replicate.papers.distribution_learning.experiments import regret as experiments
from replicate.streams import stream
from tests.claims.by_hand import assert_numbers, assert_pieces, pieces
from tests.transcriptions import distribution_learning as second


def test_the_steps_of_our_lower_bound_are_their_suprema():
    """The variance at the best share, x - log(1 + x) over x**2 at x = -1/2, the divergence's slope at gap 0."""
    found = lemma_checks.information("quick", 0, constant=1.0, factor=1.0).pieces
    variance = [piece.measured for piece in found if piece.detail.startswith("Variance")]
    assert variance == pytest.approx([1.0] * 3, rel=1e-3)
    assert [piece.measured for piece in found[-2:]] == pytest.approx([4 * (math.log(2) - 1 / 2), 1.0], rel=1e-4)


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


CEILING = 1 + 1e-9


def first_round(epsilon):
    """log 2 over 12 sqrt(K T log^5 KT) / epsilon at K T = 200."""
    return log(2) * epsilon / (12 * sqrt(200 * log(200) ** 5))


def change():
    """A symbol's probability falls from (1 - c) / 8 + c / 4 by c / 16, c = (e - 1) / (e + 7)."""
    c = (exp(1) - 1) / (exp(1) + 7)
    return c / 16 / ((1 - c) / 8 + c / 4)


def last_term(denominator):
    """49 labels of two cells each, a lone one of 50; K = 2, T = 100."""
    return (98 * log(1 + 99 * 148 / 98) - 50 * log(1 + 99 * 148 / 50)) / (100 * 148) * denominator / log(200)


def last_term_small(power):
    """The lone label's 20 cells, the others' 11; over log(KT) / denominator."""
    return power * (20 * log(1 + 31 * 99 / 20) - 11 * log(1 + 31 * 99 / 11)) / (31 * log(200))


def one_bit(epsilon, gap):
    """KL divergence of a noisy bit that tells a pair's halves apart."""
    keep = exp(epsilon) / (1 + exp(epsilon))
    moved = keep + (1 - 2 * keep) * gap / 2
    return keep * log(keep / moved) + (1 - keep) * log((1 - keep) / (1 - moved))


def one_for_all(epsilon):
    return one_bit(epsilon, 0.3) * 62 / (0.09 * min(expm1(epsilon) ** 2, 1) * exp(epsilon))


def spread(epsilon, n):
    """2 Var over mean square of a symbol e^epsilon likelier under i of n labels, the largest."""
    sums = [(i * exp(epsilon) + n - i, i * exp(2 * epsilon) + n - i) for i in range(1, n)]
    return max(2 * (1 - total**2 / n / squares) for total, squares in sums)


BIT, NOISE = 2 * (1 / 12) ** 2, (1 / 12) ** 2 * (12 / 7 + 12 / 5) / 31
"""A pair's bit at gap 1/2 and probabilities 2/3 and 1/3, which moves by 1/12: 2 TV^2, and chi^2 in one of 31."""
LIMIT = 0.25 * 2 / 62
CLOSE = {
    "DL-SLIP-2/0": ((first_round(1e5), 1), (first_round(15_500), 1)),
    "DL-SLIP-2/1": ((first_round(1e5), 1), (first_round(15_500), 1)),
    "DL-SLIP-3/0": ((2, CEILING), (1, CEILING)),
    "DL-SLIP-3/1": ((2, CEILING), (2 / 3, CEILING)),
    "DL-SLIP-4/0": ((change(), 1e-9), (change(), 0.077 + 1e-9)),
    "DL-SLIP-4/1": ((1 / 6, 1e-9), (1 / 6, 0.17 + 1e-9)),
    "DL-SLIP-5/0": ((spread(3, 32), CEILING), (spread(3, 32), 2 * tanh(1.5) ** 2 * CEILING)),
    "DL-SLIP-5/1": ((2 * (1 - (40 / 21) ** 2 / 20), CEILING), (1 - (40 / 21) ** 2 / 20, CEILING)),
    "DL-SLIP-6/1": ((7 / 6, CEILING), (1, CEILING)),
    "DL-SLIP-8/0": ((last_term(10_000), CEILING), (last_term(100), CEILING)),
    "DL-SLIP-8/1": ((last_term_small(22), CEILING), (last_term_small(1), CEILING)),
    "DL-SLIP-11/0": ((one_for_all(0.5), CEILING), (one_for_all(0.5) / 31, CEILING)),
    "DL-SLIP-11/1": ((BIT / LIMIT, CEILING), (NOISE / LIMIT, CEILING)),
    "DL-SLIP-12/0": ((14 / 10, CEILING), (1, CEILING)),
    "DL-SLIP-12/1": ((2, CEILING), (1, CEILING)),
}
"""By comparison: the measured number and its limit, and those of the control."""


@pytest.mark.parametrize("key", CLOSE)
def test_numbers_by_hand(key):
    assert_numbers(key, *CLOSE[key], rel=1e-8)


def test_pieces_by_hand():
    assert_pieces(pieces("DL-SLIP-11/0"), [(one_for_all(0.1), CEILING), (one_for_all(0.5), CEILING)])
    assert_pieces(pieces("DL-SLIP-3/0"), [(2, CEILING)] * 2)


def test_schemes_that_change_with_time_reveal_what_their_bits_do():
    """Each of 31 pairs in one round: the sum is one bit's divergence; ours is 0.8 (e^(epsilon / 2) - 1)^2 a^2."""
    settings = ((0.1, 0.3), (0.5, 0.3), (1.0, 0.05), (3.0, 0.05))
    assert_pieces(pieces("DL-T3v/0"), [(one_bit(e, gap), 0.8 * (gap * expm1(e / 2)) ** 2) for e, gap in settings])


def test_lemma_2_on_the_noise_of_8():
    """k e^2 + 2 e sqrt(2 k l) over epsilon, e = epsilon / (2 sqrt(r k l) + sqrt(k epsilon)), l = log 1/delta."""

    def largest(under_root):
        ratios = []
        for k, epsilon, delta in product((2, 64, 2**20), (1e-6, 0.1, 1.0, 50.0), (0.5, 1e-2, 1e-6, 1e-100)):
            x, y = sqrt(2 * k * log(1 / delta)), sqrt(k * epsilon)
            below = 2 * x * sqrt(under_root / 2) + y
            ratios.append((y**2 + 2 * x * below) / below**2)
        return max(ratios)

    assert_numbers("DL-S6/0", (largest(2), CEILING), (largest(1.95), CEILING), rel=1e-11)


def test_printed_forms_by_a_second_transcription():
    """The largest ratio of a bound with all its constants to what it prints inside O( )."""
    grid = list(product((2, 3, 16, 2**20), (2, 3, 100, 10**6, 2**58), (1e-6, 1e-2, 1.0, 50.0)))
    pure, approximate = [], []
    for k, t, e in grid:
        sizes = {"n_hypotheses": k, "horizon": t, "epsilon": e}
        pure.append(second.theorem_5(**sizes) / second.theorem_5_rate(**sizes))
        approximate += [
            second.theorem_4(**sizes, delta=d) / second.theorem_4_rate(**sizes, delta=d)
            for d in (1e-100, 1e-6, 0.5)
        ]
    assert_numbers("DL-T5o/0", (max(pure), 5.2), (max(pure), 4.2))
    assert_numbers("DL-T4o/0", (max(approximate), 14.7), (max(approximate), 11.0))


def test_rates_by_a_second_transcription():
    grid = [(2**a, 2**b, e) for a in range(1, 31, 3) for b in range(1, 60, 3) for e in (1.0, 0.1, 0.01)]

    def largest(power):
        return max(
            second.theorem_2_constant(n_hypotheses=k, horizon=t, epsilon=e, power=power) for k, t, e in grid
        )

    assert_numbers("DL-T12/0", (largest(5.0), 12), (largest(4.25), 12))


@pytest.mark.parametrize("sizes", [(2, 1.0, 1e-6, 100), (16, 0.1, 1e-2, 10**6)])
def test_the_noise_that_algorithm_1_needs_is_for_log_densities_of_k_plus_1_times_t(sizes):
    k, epsilon, delta, horizon = sizes
    level = {"n_hypotheses": k, "epsilon": epsilon, "delta": delta, "horizon": horizon}
    unit = composition.laplace_scale(k, epsilon=epsilon, delta=delta)
    found, printed = privacy.all_coordinates_at(*sizes), second.approximate_scale(**level, calibration="printed")
    assert (found.measured, found.limit) == pytest.approx((unit * log((k + 1) * horizon), printed))
