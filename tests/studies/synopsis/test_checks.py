"""The confidence limit of a ratio of means, on which the rows of the decision table rest."""

import math

import numpy as np
import pytest
from scipy import stats

from replicate import budget, certify


def student(above, below, ratio, *, paired):
    """Student's statistic of mean(above) - ratio mean(below), and its degrees of freedom."""
    n = min(len(above), len(below))
    if paired:
        differences = above[:n] - ratio * below[:n]
        return differences.mean() / differences.std(ddof=1) * math.sqrt(n), n - 1
    spread = above.var(ddof=1) / len(above) + ratio**2 * below.var(ddof=1) / len(below)
    return (above.mean() - ratio * below.mean()) / math.sqrt(spread), n - 1


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("alarm", [1e-9, 0.05])
def test_the_limit_of_a_ratio_is_where_student_s_test_begins_to_reject(paired, alarm, rng):
    """Fieller: beyond it the mean of the difference is below 0."""
    below = rng.gamma(4.0, size=50)
    above = 1.5 * below + rng.normal(size=50) if paired else rng.gamma(5.0, size=80)
    limit, book = budget.noted(certify.ratio_upper, above, below, false_alarm=alarm, paired=paired)
    statistic, freedom = student(above, below, limit, paired=paired)
    assert budget.total(book) == alarm
    assert stats.t.sf(-statistic, freedom) == pytest.approx(alarm, rel=1e-3)
    assert limit > above.mean() / below.mean()


def test_a_ratio_over_what_may_be_zero_has_no_limit(rng):
    assert certify.ratio_upper(np.ones(20), rng.normal(size=20), false_alarm=1e-9) == math.inf
