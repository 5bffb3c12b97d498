"""Confidence limits and p-values of the package, each from the display that states it."""

import math

import numpy as np
import pytest
from scipy import special, stats

from replicate import certify

X = np.array([0.1, 0.9, 0.4, 0.4, 0.7, 0.2, 0.05])
MEAN, SPREAD = 2.75 / 7, math.sqrt((1.6725 - 2.75**2 / 7) / 6)
"""Sum 2.75, sum of squares 1.6725."""


def test_student_limits():
    """With two degrees of freedom the quantile of p is (2 p - 1) / sqrt(2 p (1 - p))."""
    x = np.array([1.0, 2.0, 6.0])
    half = 0.98 / math.sqrt(2 * 0.99 * 0.01) * math.sqrt(7 / 3)
    assert float(certify.mean_upper(x, false_alarm=0.01)) == pytest.approx(3 + half)
    assert float(certify.mean_lower(x, false_alarm=0.01)) == pytest.approx(3 - half)
    for interval in (certify.mean_interval(x, false_alarm=0.02), certify.band(x, level=0.98)):
        assert (interval.estimate, interval.low, interval.high) == pytest.approx((3, 3 - half, 3 + half))


def test_maurer_and_pontils_theorem_4():
    """Mean, sqrt(2 V log(2 / delta) / n), and 7 log(2 / delta) / (3 (n - 1)) times the width."""
    log = math.log(2 / 0.05)
    known = MEAN + SPREAD * math.sqrt(2 * log / 7) + 3 * 7 * log / 18
    assert float(certify.bernstein_upper(X, width=3, false_alarm=0.05)) == pytest.approx(known)


def test_the_budget_of_a_suite_and_of_a_claim():
    assert certify.SUITE_FALSE_ALARM == 1e-6
    assert pytest.approx(1000) == certify.SUITE_FALSE_ALARM / certify.CLAIM_FALSE_ALARM
    assert certify.share(4) == pytest.approx(2.5e-10)
    assert certify.share(4, total=0.1) == 0.025
    defaults = [
        certify.mean_upper(X),
        certify.bernstein_upper(X, width=1),
        certify.betting_upper(X, low=0, high=1),
    ]
    stated = [
        certify.mean_upper(X, false_alarm=1e-9),
        certify.bernstein_upper(X, width=1, false_alarm=1e-9),
        certify.betting_upper(X, low=0, high=1, false_alarm=1e-9),
    ]
    assert np.array(defaults) == pytest.approx(np.array(stated), rel=1e-12)
    assert certify.binomial_lower(3, 9) == pytest.approx(certify.binomial_lower(3, 9, false_alarm=1e-9))
    assert certify.binomial_upper(3, 9) == pytest.approx(certify.binomial_upper(3, 9, false_alarm=1e-9))


def test_a_slope_with_three_points_weighs_them_by_their_logarithms():
    """At 1, e, e^3, less their mean 4/3: weights -4/3, -1/3, 5/3 over 14/3."""
    y = np.array([[1.0, 2.0, 9.0], [1.5, 3.0, 11.0]])
    means = y.mean(axis=0)
    weights = np.array([-4, -1, 5]) / 14
    slope = float(weights @ np.log(means))
    errors = np.abs(y[1] - y[0]) / 2 / means
    half = stats.norm.isf(0.005) * math.sqrt((weights**2 * errors**2).sum())
    found = certify.log_log_slope([1, math.e, math.e**3], y, false_alarm=0.01)
    assert (found.estimate, found.low, found.high) == pytest.approx((slope, slope - half, slope + half))


def test_pearsons_statistic_with_rare_cells_as_one():
    """Cells that expect 60, 32, 4 and 4: the last two are one of 8. With two degrees of freedom: e^(-x / 2)."""
    statistic = 5**2 / 60 + 3**2 / 32 + 2**2 / 8
    found = certify.goodness_of_fit([55, 35, 7, 3], [0.6, 0.32, 0.04, 0.04])
    assert found == pytest.approx(math.exp(-statistic / 2))
    assert certify.goodness_of_fit([55, 35, 7, 3], [60, 32, 4, 4]) == found


def test_a_cell_of_five_stands_for_itself():
    """50, 45 and 5 are three cells; where 3 and 1 are expected there is one, which fits."""
    statistic = 4 / 50 + 1 / 45 + 9 / 5
    assert certify.goodness_of_fit([48, 44, 8], [0.5, 0.45, 0.05]) == pytest.approx(math.exp(-statistic / 2))
    assert certify.goodness_of_fit([3, 1], [0.75, 0.25]) == 1
    statistic = 0.5**2 / 5.5 * 2 + 1 / 89
    apart = certify.goodness_of_fit([6, 6, 88], [0.055, 0.055, 0.89])
    assert apart == pytest.approx(math.exp(-statistic / 2))


def test_welchs_test():
    a, b = X, X[:5] * 3 + 0.2
    errors = [a.var(ddof=1) / 7, b.var(ddof=1) / 5]
    t = (a.mean() - b.mean()) / math.sqrt(sum(errors))
    freedom = sum(errors) ** 2 / (errors[0] ** 2 / 6 + errors[1] ** 2 / 4)
    p = special.betainc(freedom / 2, 0.5, freedom / (freedom + t**2))
    assert certify.two_sample(a, b) == pytest.approx(p)


def test_a_truncated_sum_is_cut_where_it_is_least_at_no_costs():
    """Ten runs without costs bet to 1 - 0.01^(1/10) of the range at best: 0.369, of 1, 3 or 11, and the tails."""
    share, largest, zeros = 1 - 0.01**0.1, [1.0, 2.0, 8.0], np.zeros((10, 3))
    bets = float(certify.betting_upper(zeros[:, 0], low=0, high=1, false_alarm=0.01))
    for cut, tails in ((1, [0.9, 0.5, 0.1]), (2, [0.9, 0.9, 0.1]), (0, [0.1, 0.1, 0.1])):
        forms = [sum(largest[:i]) * share + sum(tails[i:]) for i in range(4)]
        assert forms.index(min(forms)) == cut
        found = certify.truncated_upper(zeros, largest=largest, tails=tails, false_alarm=0.01)
        assert found == pytest.approx(sum(largest[:cut]) * bets + sum(tails[cut:]))


@pytest.mark.parametrize("n", [2, 7, 59])
def test_costs_that_are_all_the_largest_have_their_sum_as_limit(n):
    """Whatever the rounding of a sum in another order."""
    most = np.random.default_rng(n).random(n)
    limit = certify.truncated_upper(np.tile(most, (50, 1)), largest=most, tails=most, false_alarm=0.01)
    assert limit <= most.sum() * (1 + 1e-9)
