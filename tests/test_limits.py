"""Limits miss at most as often as they state, and twins that state too much are found."""

import numpy as np
import pytest
from scipy import stats

from replicate import certify
from replicate.streams import stream
from tests import limits
from tests.conftest import FALSE_ALARM

LEVELS = (*limits.LEVELS, *limits.SMALL_LEVELS)
WILD = 1
"""Paper 1's law at gap 0.01, the most skewed one."""


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", [name for name in limits.EXACT if name != "Student"])
def test_limits_cover_the_mean_of_zeros_and_ones(name, level):
    """Exactly, at every level; of any limit, a count of R never misses."""
    for p, law in limits.RARE:
        if law.runs < 10_000 or name != "bets":
            assert limits.exact_misses(limits.EXACT[name], p, law, level).covers(level)


def test_student_misses_rare_ones():
    p, law = next((p, law) for p, law in limits.RARE if law.runs == 100)
    assert limits.exact_misses(limits.student, p, law, 1e-9).low == pytest.approx(0.98**100)


def test_the_exact_probability_is_that_of_all_counts(rng):
    """The search for the smallest count that reaches the mean forgets none of them."""
    p, law = limits.RARE[0]
    counts = np.arange(law.runs + 1)
    samples = (np.arange(law.runs)[:, None] < counts).astype(float)
    for name, limit in limits.EXACT.items():
        missed = limit(samples, law, 0.01) < p
        expected = stats.binom.pmf(counts[missed], law.runs, p).sum()
        assert limits.exact_misses(limit, p, law, 0.01).low == pytest.approx(expected, abs=1e-15), name


def test_an_interval_read_off_the_samples_is_not_one():
    """Bets need what the samples could be: with the largest of them for `high` rare ones are missed."""
    p, law = next((p, law) for p, law in limits.RARE if law.runs == 100)

    def seen(samples, law, level):
        return certify.betting_upper(samples, low=0, high=samples.max(), false_alarm=level)

    assert limits.exact_misses(seen, p, law, 1e-3).low == pytest.approx(0.98**100)


@pytest.mark.parametrize("law", [0, WILD])
def test_on_regrets_limits_without_normality_cover_and_student_does_not(law):
    law = limits.laws("small")[law]
    rng = stream(0, "limits/small", law.name)
    for limit in (*limits.FREE.values(), limits.bets_lower):
        found = limits.sampled_misses(limit, law, 0.01, sets=1500, rng=rng, doubt=1e-3)
        assert found.covers(0.01)
    for level in limits.LEVELS:
        found = limits.sampled_misses(limits.student, law, level, sets=20_000, rng=rng, doubt=FALSE_ALARM)
        assert found.refuted(1.5 * level)
    below = limits.sampled_misses(limits.student_lower, law, 0.01, sets=20_000, rng=rng, doubt=FALSE_ALARM)
    assert below.covers(0.01)


@pytest.mark.parametrize("law", [0, WILD])
def test_intervals_of_slopes(law):
    """The delta method is nominal: on skewed laws wrong up to three times as often as stated."""
    missed = limits.slopes_missed(limits.laws("small")[law], 0.01, sets=1500)
    assert not limits.rate(missed, doubt=FALSE_ALARM).refuted(0.03)
