"""Compute by calculus what checks measure: claims, errata and their controls, suprema, sums of coins."""

from itertools import product
from math import ceil, exp, log, log2

import numpy as np
import pytest
from scipy import special, stats

from replicate.papers.noisy_leader.checks import errata, lemmas, regret
from tests.claims.by_hand import asked, assert_numbers
from tests.claims.quick import SEED
from tests.transcriptions import noisy_leader as second

CEILING = 1 + 1e-9

# Errata


def wrong_horizons():
    """Printed, ceil(log2(T - 1)) + 1 epochs end before T = 2^r; for other T they are those that T needs."""
    horizons = range(2, 4097)
    return sum((t - 2).bit_length() + 1 != t.bit_length() for t in horizons)


def wrong_loops():
    """The same up to 64, and T = 1, for which log2(0) is undefined."""
    epochs = {t: ceil(log2(t - 1)) + 1 for t in range(2, 65)}
    return 1 + sum(not 2 ** (epoch - 1) <= t < 2**epoch for t, epoch in epochs.items())


def steps(form):
    """Logarithm of 2^(tau + 2) D over 8 c2 ln H / D; corrected, tau has a base-2 logarithm, the sum one less."""
    logs = []
    for size, gap in ((2, 0.5), (16, 0.1), (256, 0.01)):
        needed = 16 * log(size) / gap**2
        first = ceil(needed) + 2 if form == "printed" else ceil(log2(needed)) + 1
        logs.append(first + log2(gap) - log2(8 * 16 * log(size) / gap))
    return max(logs)


def wrong_by_gumbel(rounds, gap, epsilon):
    """P(worse of two): the logistic of epsilon / 2 times a difference of binomial sums, means 1/2 +- gap/2."""
    worse, better = (stats.binom.pmf(np.arange(rounds + 1), rounds, (1 + sign * gap) / 2) for sign in (1, -1))
    law = np.convolve(worse, better[::-1])
    return float(law @ special.expit(-epsilon / 2 * np.arange(-rounds, rounds + 1)))


def tail(epoch, gap, epsilon):
    """Over the last display of Appendix D."""
    chance, displays = (
        wrong_by_gumbel(2 ** (epoch - 1), gap, epsilon),
        {"epoch": epoch, "gap": gap, "epsilon": epsilon},
    )
    limits = second.appendix_d_gumbel_printed(**displays), second.appendix_d_gumbel_corrected(**displays)
    return tuple((chance / limit, 1) for limit in limits)


def first_round(form):
    """The first round costs 1 - 1 / K and no other anything; ln K / epsilon is 1 / (4 C)."""
    return min(
        (1 - 1 / k) / (c * (1 / (4 * c) + (form == "corrected"))) for k, c in product((2, 16), (1, 10, 1000))
    )


def theorem_3_limit():
    """Of the integral from 1 on at epsilon = 2 ln K: log(1 + (K - 1) e^-epsilon) / epsilon is below 1/2."""
    return 1 - (log(16) / (2 * log(16)) - 1), 1 - log(16) / (2 * log(16))


def better_by_a_logarithm():
    cells = product(range(1, 21), (0.001, 0.1, 1.0), (0.001, 0.1, 1.0))
    rates = ((1 / gap, power * log(2) / epsilon) for power, gap, epsilon in cells)
    return max((fixed + private) / (fixed + 0.98 * private) for fixed, private in rates)


CLOSE = {
    "NL-SLIP-1/0": ((1 + wrong_horizons(), 2), (1, 2)),
    "NL-SLIP-1/1": ((wrong_loops(), 1), (0, 1)),
    "NL-SLIP-3/0": ((1 / (1 + exp(1.5)) - 1 / (1 + exp(3)), 1e-8), (2**-52, 1e-8)),
    "NL-SLIP-5/0": (((1 - 1 / 8) * 8 / 4, CEILING), ((1 - 1 / 4) * 4 / 4, CEILING)),
    "NL-SLIP-7/1": ((log(4) / log(1.5), CEILING), (1, CEILING)),
    "NL-SLIP-9/0": ((2, CEILING), (1, CEILING)),
    "NL-SLIP-9/1": ((steps("printed"), 1e-9), (steps("corrected"), 1e-9)),
    "NL-SLIP-10/0": tail(13, 0.1, 0.03),
    "NL-SLIP-11/2": tuple((value, 1) for value in theorem_3_limit()),
    "NL-SLIP-12/0": ((exp(3), CEILING), (1, CEILING)),
    "NL-SLIP-13/0": ((2, CEILING), (min(2 / ceil(2 / c) for c in (1, 0.1, 0.001)), CEILING)),
    "NL-SLIP-14/0": ((first_round("printed"), CEILING), (first_round("corrected"), CEILING)),
    "NL-TK/0": ((1, CEILING), (better_by_a_logarithm(), CEILING)),
}
"""By comparison: the measured number and its limit, and those of the control."""


@pytest.mark.parametrize("key", CLOSE)
def test_numbers_by_hand(key):
    assert_numbers(key, *CLOSE[key], rel=1e-7)


def test_softmax_without_the_factor_of_a_half_costs_twice_epsilon():
    """Two actions: the loss comes close to that of 16 rounds at odds of e^16; a search stays below it."""
    assert_numbers("NL-SLIP-3/2", (2, CEILING), (1, CEILING), rel=1e-3)


def test_a_printed_density_integrates_to_four():
    check, control = asked("NL-SLIP-2/0")
    assert (check.measured, check.limit) == (pytest.approx(3), 1e-9)
    assert control.measured < 1e-12


def test_regret_in_the_first_round_is_all_but_one_sixteenth():
    check, _ = asked("NL-SLIP-13/1")
    assert (check.measured, check.limit) == pytest.approx((2 / (15 / 16), 1))


def test_a_distance_in_units_of_what_an_interval_allows():
    """90 of 100: to 1 it is a tenth, and the interval reaches above by less; downwards likewise."""
    sides = {stated: errata.outside_interval(90, 100, stated, "here").measured for stated in (1.0, 0.5)}
    high, low = stats.beta.isf(0.5e-9, 91, 10), stats.beta.ppf(0.5e-9, 90, 11)
    assert sides == pytest.approx({1.0: 0.1 / (high - 0.9), 0.5: 0.4 / (0.9 - low)})


def regret_of_gumbel_noise(k, epsilon, horizon):
    """One action has loss 0, the others 1: selected after n rounds with odds (K - 1) e^(-eps n / 2)."""
    total = 1 - 1 / k
    for n in 2.0 ** np.arange(int(horizon).bit_length() - 1):
        total += min(2 * n, horizon - 2 * n + 1) * special.expit(log(k - 1) - epsilon / 2 * n)
    return total


@pytest.mark.parametrize(("factor", "largest"), [("K", 99), ("1", 0)])
def test_an_integral_that_is_k_times_too_large_is_furthest_off_at_a_hundred_actions(factor, largest):
    assert errata.integrand("quick", 0, factor=factor).measured == pytest.approx(largest, abs=1e-8)


@pytest.mark.parametrize("factor", ["K", "1"])
def test_a_learner_s_regret_is_held_against_the_integral_of_256_actions(factor):
    """From 1 on, of (K - 1) / (e^(t eps) + K - 1): log(1 + (K - 1) e^-eps) / eps."""
    ratios = []
    for k, epsilon in ((16, 0.1), (256, 1.0)):
        integral = log(1 + (k - 1) * exp(-epsilon)) / epsilon
        ratios.append((k if factor == "K" else 1) * integral / regret_of_gumbel_noise(k, epsilon, 2**30))
    found = errata.integrand_against_a_learner("quick", 0, factor=factor)
    assert found.measured == pytest.approx(max(ratios), rel=1e-7)


def test_the_least_horizon_costs_a_learner_most_at_the_smallest_constant():
    """K = 16 and epsilon = c ln K / 2: 5, 20 and 2,000 rounds; 2 over the largest regret."""
    regrets = [regret_of_gumbel_noise(16, c * log(16) / 2, ceil(2 / c)) for c in (0.4, 0.1, 0.001)]
    found = errata.theorem_3_of_a_learner("quick", 0, horizon="least")
    assert found.measured == pytest.approx(2 / max(regrets), rel=1e-9)


@pytest.mark.parametrize(("calibration", "scale"), [("printed", 1), ("corrected", 2)])
def test_exponential_noise_spends_two_over_its_scale(calibration, scale):
    found = lemmas.exponential_loss("quick", 0, calibration=calibration)
    assert found.measured == pytest.approx(2 / scale, rel=1e-9)


@pytest.mark.parametrize(("learner", "scale"), [("exponential as printed", 1), ("exponential", 2)])
def test_two_rounds_of_exponential_noise_against_the_sum(learner, scale):
    """One half, and e^(-1 / scale) / 2 for a leader that is one behind; every learner: 1/2 and 1 / (1 + e)."""
    found = regret.below_the_sum("quick", 0, learner=learner)
    ratio = (1 / 2 + 1 / (1 + exp(1))) / (1 / 2 + exp(-1 / scale) / 2)
    assert found.measured == pytest.approx(ratio, rel=1e-9)


# Lemmas


def test_the_slope_of_lemma_2_is_at_most_log_2_and_comes_close():
    """With all 2^x a small f is proportional to 2^x; a single exponential would have less."""
    assert lemmas.lemma_2("quick", SEED, constant=1.0).measured == pytest.approx(log(2), rel=1e-5)


def test_the_sum_of_lemma_3_is_closest_to_its_integral_for_many_actions_with_nearly_one_gap():
    """4,095 actions at c log(4096) / 32: f is z / (1 + e^z / 4095) at z = 2^x times that."""
    ratios = []
    for gap in (c * log(4096) / 32 for c in (0.7, 0.8, 0.9)):
        z = 2.0 ** np.arange(1, 14) * gap
        ratios.append((z * special.expit(log(4095) - z)).sum() / log2(1 + 4095 * exp(-gap)))
    found = lemmas.lemma_3("quick", SEED, constant=1.0).pieces[0].measured
    assert found == pytest.approx(max(ratios), rel=1e-7)
    assert found < 2 * log(2) < 1 + log(2)


@pytest.mark.parametrize("form", ["printed", "corrected"])
def test_the_integral_of_lemma_3_is_a_logarithm(form):
    """Printed, it is furthest off where 4,096 actions have nearly one gap, 0.9 log(4096) / 32."""
    found = lemmas.lemma_3_integral("quick", SEED, form=form).measured
    known = 24 - log2(1 + 4095 * 4096 ** (-0.9 / 32)) if form == "printed" else 0
    assert found == pytest.approx(known, rel=1e-7, abs=1e-6)


@pytest.mark.parametrize(("order", "rise"), [("increasing", 0.0), ("decreasing", 1 - 0.99**500)])
def test_binomial_laws_rise_most_from_one_hundredth_to_zero(order, rise):
    """Of 500 coins none shows a loss with probability 0.99^500, or 1; the other way nothing rises."""
    assert lemmas.lemma_4("quick", 0, order=order).measured == pytest.approx(rise, rel=1e-12, abs=1e-13)


def test_equation_7_by_sums_of_coins():
    grid = product((0.1, 0.5, 2.0), (0.1, 0.3, 0.6, 1.0), range(1, 11))
    known = []
    for epsilon, gap, epoch in grid:
        limit = second.equation_7(epoch=epoch, gap=gap, epsilon=epsilon, noise="gumbel")
        if limit >= 1e-200:
            known.append(wrong_by_gumbel(2 ** (epoch - 1), gap, epsilon) / limit)
    found = lemmas.equation_7("quick", SEED, noises=("gumbel",), c2="derived")
    assert sorted(piece.measured for piece in found.pieces) == pytest.approx(sorted(known), rel=1e-6)


@pytest.mark.parametrize("losses", ["opposite", "one loss vector"])
def test_tails_of_dependent_losses_by_sums_of_coins(losses):
    """Gumbel noise, constants 1 and 32/3: over exp(-(3/8) n gap min(gap, epsilon)), n = 1, 2, 4 to 256 rounds."""
    known = []
    for epsilon, gap, n in product((0.1, 0.5, 2.0), (0.05, 0.3, 0.6, 1.0), 2 ** np.arange(9)):
        drawn = n if losses == "opposite" else 1
        behind = np.arange(-drawn, drawn + 1, 2) * (n // drawn)
        chance = stats.binom.pmf(np.arange(drawn + 1), drawn, (1 + gap) / 2) @ special.expit(-epsilon / 2 * behind)
        limit = exp(-0.375 * n * gap * min(gap, epsilon))
        if limit >= 1e-200:
            known.append(chance / limit)
    found = lemmas.tail_of_any_losses("quick", 0, losses=losses)
    measured = [piece.measured for piece in found.pieces if "gumbel" in piece.detail]
    assert sorted(measured) == pytest.approx(sorted(known), rel=1e-6)


def test_exponential_noise_against_gumbel_noise_on_two_actions():
    """The deficit x has the probability e^-x / 2, or 1 / (1 + e^x)."""
    found = [piece.measured for piece in lemmas.dominance("quick", SEED, scale=1.0).pieces]
    for x in (0.01, 1.0, 10.0, 40.0):
        assert any(value == pytest.approx(exp(-x) / 2 * (1 + exp(x))) for value in found)
