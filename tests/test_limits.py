"""The page of limits computes exact probabilities, and finds limits that miss more often than they state.

That limits cover is tested in test_coverage.py, each beside its nearest faulty twin.
"""

import numpy as np
import pytest
from scipy import stats

from replicate import certify
from tests import limits

P, RARE = next((p, law) for p, law in limits.RARE if law.runs == 100)


def test_student_and_an_interval_read_off_the_samples_miss_rare_ones():
    """All of 100 samples are zero with probability 0.98^100, whatever is stated; bets need what they could be."""

    def seen(samples, law, level):
        return certify.betting_upper(samples, low=0, high=samples.max(), false_alarm=level)

    for limit, level in ((limits.student, 1e-9), (seen, 1e-3)):
        assert limits.exact_misses(limit, P, RARE, level).low == pytest.approx(0.98**100)


def test_the_exact_probability_is_that_of_all_counts():
    """The search for the smallest count that reaches the mean forgets none of them."""
    p, law = limits.RARE[0]
    counts = np.arange(law.runs + 1)
    samples = (np.arange(law.runs)[:, None] < counts).astype(float)
    for name, limit in limits.EXACT.items():
        missed = limit(samples, law, 0.01) < p
        expected = stats.binom.pmf(counts[missed], law.runs, p).sum()
        assert limits.exact_misses(limit, p, law, 0.01).low == pytest.approx(expected, abs=1e-15), name
