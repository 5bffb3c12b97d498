"""Coverage of every confidence limit of `replicate.certify`, each beside its nearest faulty twin.

Zeros and ones have exact probabilities of a wrong limit; other laws are drawn. Most twins spend the budget twice:
the same call with twice the false alarm.
"""

import inspect
import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

from replicate import certify
from tests import limits
from tests.coverage import Coverage, counted

TWICE = "budget spent twice"
N, COUNTS = 60, np.arange(61)
X = np.geomspace(1, 1000, 4)


def chance(wrong, p):
    """Return what computes the probability that a limit is wrong for N zeros and ones, by their number."""
    return lambda runs: float(stats.binom.pmf(COUNTS, N, p)[[bool(wrong(int(k))) for k in COUNTS]].sum())


def ones(k):
    return (np.arange(N) < k).astype(float)


def proportion(limit, alarm, p):
    return chance(lambda k: p not in certify.Interval(k / N, *limit(k, alarm)), p)


def lower(k, alarm):
    return certify.binomial_lower(k, N, false_alarm=alarm), 1.0


def upper(k, alarm):
    return 0.0, certify.binomial_upper(k, N, false_alarm=alarm)


def both(k, alarm):
    found = certify.clopper_pearson(k, N, false_alarm=alarm)
    return found.low, found.high


def means(alarm, limit, side):
    """Five normal samples."""
    return lambda runs: int(
        (side * limit(np.random.default_rng(1).normal(size=(5, runs)), false_alarm=alarm) < 0).sum()
    )


def normal_quantile(side):
    def limit(x, *, false_alarm):
        return x.mean(axis=0) + side * stats.norm.isf(false_alarm) * x.std(axis=0, ddof=1) / math.sqrt(len(x))

    return limit


def bernstein(k, alarm):
    return certify.bernstein_upper(ones(k), width=1.0, false_alarm=alarm)


def bernstein_without_range(k, alarm):
    return ones(k).mean() + math.sqrt(2 * ones(k).var(ddof=1) * math.log(2 / alarm) / N)


def bets(k, alarm):
    return certify.betting_upper(ones(k), low=0.0, high=1.0, false_alarm=alarm)


def bets_below(k, alarm):
    return certify.betting_lower(ones(k), low=0.0, false_alarm=alarm)


def misses(limit, p, alarm, side=1):
    return chance(lambda k: side * limit(k, alarm) < side * p, p)


def interval(alarm):
    return counted(lambda rng: 0.0 not in certify.mean_interval(rng.normal(size=5), false_alarm=alarm))


def quantile(limit, level, side, alarm):
    """Of uniform samples."""
    return counted(lambda rng: side * limit(rng.random(101), level=level, false_alarm=alarm) < side * level)


def truncated(rng, tail=0.5):
    """A coin, and a block that costs 1e9 with probability 5e-10: the mean is 1."""
    costs = np.column_stack([rng.integers(2, size=200), np.zeros(200)])
    return certify.truncated_upper(costs, largest=[1.0, 1e9], tails=[1.0, tail], false_alarm=0.2) < 1


def slope(alarm):
    def wrong(rng):
        samples = np.sqrt(X) * (1 + 0.1 * rng.normal(size=(100, len(X))))
        return 0.5 not in certify.log_log_slope(X, samples, false_alarm=alarm)

    return counted(wrong)


def ratio(alarm, paired, told):
    """Two means of 1 and 2 whose samples share what moves them, or not."""

    def wrong(rng):
        one, other = rng.normal(size=(2, 40))
        above, below = 1 + 0.2 * one, 2 + 0.2 * (one if paired else other)
        return certify.ratio_upper(above, below, false_alarm=alarm, paired=told) < 0.5

    return counted(wrong)


def fits(test):
    """Forty counts of twenty cells, each half as likely as the one before."""
    return counted(lambda rng: test(rng.multinomial(40, limits.GEOMETRIC), limits.GEOMETRIC) <= 1e-3)


def same_mean(test):
    """Ten samples that scatter widely, eighty that do not."""
    return counted(lambda rng: test(3 * rng.normal(size=10), rng.normal(size=80)) <= 0.01)


def just(limit, k, alarm, side):
    """The proportion at which a limit begins to miss at k successes."""
    return limit(k, alarm)[side] * (1 + (1e-9 if side else -1e-9))


EDGES = [("binomial_lower", lower, just(lower, 20, 0.05, 0)), ("binomial_upper", upper, just(upper, 20, 0.05, 1)),
         ("clopper_pearson", both, 0.5)]  # fmt: skip
CASES = [
    *(Coverage(name, proportion(f, 0.05, p), TWICE, proportion(f, 0.1, p), 0.05) for name, f, p in EDGES),
    Coverage("bernstein_upper", misses(bernstein, 0.02, 1e-4), "without the term of the range",
             misses(bernstein_without_range, 0.02, 1e-4), 1e-4),
    *(
        Coverage(name, misses(f, p, 1e-4, side), "half the logarithm", misses(f, p, 1e-2, side), 1e-4)
        for name, f, p, side in (("betting_upper", bets, 0.1, 1), ("betting_lower", bets_below, 0.05, -1))
    ),
    Coverage("mean_upper", means(0.05, certify.mean_upper, 1), "normal quantile for Student's",
             means(0.05, normal_quantile(1), 1), 0.05, 20_000),
    Coverage("mean_lower", means(0.05, certify.mean_lower, -1), "normal quantile for Student's",
             means(0.05, normal_quantile(-1), -1), 0.05, 20_000),
    Coverage("mean_interval", interval(0.25), TWICE, interval(0.5), 0.25, 600),
    Coverage("quantile_upper", quantile(certify.quantile_upper, 0.9, 1, 0.25), TWICE,
             quantile(certify.quantile_upper, 0.9, 1, 0.5), 0.25, 900),
    Coverage("quantile_lower", quantile(certify.quantile_lower, 0.1, -1, 0.25), TWICE,
             quantile(certify.quantile_lower, 0.1, -1, 0.5), 0.25, 900),
    Coverage("truncated_upper", counted(truncated), "tails left out",
             counted(partial(truncated, tail=0.0)), 0.2, 60),
    Coverage("log_log_slope", slope(0.2), TWICE, slope(0.4), 0.2, 800),
    Coverage("ratio_upper", ratio(0.2, False, False), TWICE, ratio(0.4, False, False), 0.2, 800),
    Coverage("ratio_upper, paired", ratio(0.2, True, True), TWICE, ratio(0.4, True, True), 0.2, 800),
    Coverage("goodness_of_fit", fits(certify.goodness_of_fit), "rare cells not merged",
             fits(limits.unmerged), 1e-3, 1500),
    Coverage("two_sample", same_mean(certify.two_sample), "variances pooled",
             same_mean(limits.pooled), 0.01, 400),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_limit_is_wrong_as_rarely_as_it_says(case):
    case.check()


def test_every_limit_is_tried():
    functions = {n: getattr(certify, n) for n in certify.__all__ if inspect.isfunction(getattr(certify, n))}
    fallible = {n for n, function in functions.items() if "false_alarm" in inspect.signature(function).parameters}
    assert fallible | {"goodness_of_fit", "two_sample"} == {case.name.split(",")[0] for case in CASES}


def test_student_and_an_interval_read_off_the_samples_miss_rare_ones():
    """All of 100 samples are zero with probability 0.98^100, whatever is stated; bets need what they could be."""
    zeros, chance = np.zeros(100), 0.98**100
    assert certify.mean_upper(zeros, false_alarm=1e-9) == 0
    assert certify.betting_upper(zeros, low=0, high=zeros.max(), false_alarm=1e-3) == 0
    assert certify.betting_upper(zeros, low=0, high=1, false_alarm=chance) > 0.02
