import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from replicate import certify


def wealth(samples, mean, high):
    """The average of the products of 1 - b + b (high - x) / (high - mean), the bets evenly spread in log odds."""
    n = len(samples)
    n_bets = 1 + math.ceil(4 * math.log(2 * n))
    total = 0.0
    for i in range(n_bets):
        odds = (2 * n) ** (2 * i / (n_bets - 1) - 1)
        bet = odds / (1 + odds)
        total += math.prod(1 - bet + bet * (high - x) / (high - mean) for x in samples)
    return total / n_bets


@given(st.lists(st.floats(-1, 3), min_size=2, max_size=40), st.sampled_from([0.5, 1e-2, 1e-9]))
def test_bets_end_where_their_wealth_is_one_over_the_false_alarm(samples, false_alarm):
    limit = float(certify.betting_upper(samples, low=-1, high=3, false_alarm=false_alarm))
    assert np.mean(samples) <= limit + 1e-12
    assert limit <= 3
    if limit < 3 - 1e-6:
        assert wealth(samples, limit, 3) == pytest.approx(1 / false_alarm, rel=1e-6)
    if min(samples) == 3:
        assert limit == 3


def test_bets_take_columns_one_by_one(rng):
    samples = rng.random((25, 3, 2))
    samples[:, 0, 0] = 1
    limits = certify.betting_upper(samples, low=0, high=1, false_alarm=1e-6)
    assert limits.shape == (3, 2)
    assert limits[0, 0] == 1
    for place in np.ndindex(3, 2):
        alone = certify.betting_upper(samples[(slice(None), *place)], low=0, high=1, false_alarm=1e-6)
        assert limits[place] == pytest.approx(alone, rel=1e-12)


def test_bets_at_the_ends_of_what_is_allowed():
    """A thousand zeros exclude a mean of log(1/alpha) / R and hardly more; no false alarm is too small."""
    zeros = np.zeros(1000)
    for false_alarm in (0.5, 1e-9, 1e-300):
        least = -np.expm1(np.log(false_alarm) / 1000)
        assert least <= certify.betting_upper(zeros, low=0, high=1, false_alarm=false_alarm) < least + 0.01
    assert certify.betting_upper([0.0, 1e-100], low=0, high=1, false_alarm=0.01) < 1
    assert certify.betting_upper([1e100, -1e100], low=-1e100, high=1e100, false_alarm=0.01) <= 1e100


@given(st.integers(1, 500), st.data())
def test_clopper_pearson_inverts_the_binomial_tail(trials, data):
    successes = data.draw(st.integers(0, trials))
    interval = certify.clopper_pearson(successes, trials, false_alarm=0.02)
    assert successes / trials in interval
    if successes:
        assert stats.binom.sf(successes - 1, trials, interval.low) == pytest.approx(0.01, rel=1e-6)
    if successes < trials:
        assert stats.binom.cdf(successes, trials, interval.high) == pytest.approx(0.01, rel=1e-6)


@given(st.integers(1, 500), st.data())
def test_one_side_of_a_proportion_has_the_whole_probability(trials, data):
    successes = data.draw(st.integers(0, trials))
    interval = certify.clopper_pearson(successes, trials, false_alarm=0.02)
    sides = [
        limit(successes, trials, false_alarm=0.01) for limit in (certify.binomial_lower, certify.binomial_upper)
    ]
    assert sides == [interval.low, interval.high]


def test_a_rare_event_keeps_its_digits():
    assert certify.binomial_lower(1, 10**15, false_alarm=1e-3) == pytest.approx(1.0005e-18, rel=1e-4)


@pytest.mark.parametrize(("runs", "level", "false_alarm"), [(100, 0.9, 0.01), (215, 0.9, 1e-9), (48, 0.6, 1e-9)])
def test_a_quantile_limit_misses_as_often_as_a_count_of_coins(runs, level, false_alarm):
    """The limit is below the quantile if fewer samples than its number reach it: at most as often as stated.

    One sample further down it would be more often.
    """
    falling = np.arange(runs, 0, -1.0)
    number = runs + 1 - int(certify.quantile_upper(falling, level=level, false_alarm=false_alarm))
    assert stats.binom.cdf(number - 1, runs, 1 - level) <= false_alarm < stats.binom.cdf(number, runs, 1 - level)


def test_a_quantile_that_few_samples_reach_has_no_limit():
    assert certify.quantile_upper(np.ones(20), level=0.9, false_alarm=0.05) == np.inf
    assert certify.quantile_lower([1.0, 2.0], level=0.1) == -np.inf


def test_what_a_law_excludes_and_what_does_not_scatter_is_decided():
    assert certify.goodness_of_fit([10, 1], [1.0, 0.0]) == 0
    assert certify.two_sample([2.0, 2.0], [2.0, 2.0]) == 1
    assert certify.two_sample([2.0, 2.0], [2.1, 2.1]) == 0


def test_a_truncated_sum_is_limited_by_bets_and_a_proved_tail(rng):
    """Blocks of 2**r rounds, wrong with probability exp(-2**r / 8): the limit is above the mean, and near it."""
    sizes = 2.0 ** np.arange(40)
    wrong = np.exp(-sizes / 8)
    costs = sizes * (rng.random((2_000, 40)) < wrong)
    upper = certify.truncated_upper(costs, largest=sizes, tails=sizes * wrong, false_alarm=1e-9)
    mean = float(sizes @ wrong)
    assert mean < upper < 2 * mean
    assert certify.truncated_upper(costs, largest=sizes, tails=sizes, false_alarm=1e-9) > 1e9


def test_a_truncated_sum_does_not_choose_its_cut_by_the_samples():
    """Dearer samples move the limit by what they cost, not to another cut."""
    largest, tails = [1.0, 2.0, 1e9], [1.0, 0.01, 1e-9]
    limits = [
        certify.truncated_upper(np.tile([c, 0, 0], (400, 1)), largest=largest, tails=tails, false_alarm=1e-3)
        for c in (0.0, 1.0)
    ]
    assert limits[1] - limits[0] == pytest.approx(1.0, abs=0.02)


def test_lower_limits_are_upper_ones_reflected(rng):
    some = (rng.random((200, 100)) < 0.05).astype(float)
    lower = certify.betting_lower(some, low=0, false_alarm=0.05)
    assert (lower == -certify.betting_upper(-some, low=-1, high=0, false_alarm=0.05)).all()
    assert 0 < lower.mean() < 0.05
    rising = np.arange(1000.0)
    low, high = (limit(rising, level=0.9) for limit in (certify.quantile_lower, certify.quantile_upper))
    assert low < 900 < high
