import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from replicate import certify
from tests.conftest import FALSE_ALARM


def test_the_mean_limit_is_wrong_as_often_as_stated(rng):
    """Coverage at a false-alarm rate of 5 %: the count of misses is binomial."""
    samples = rng.normal(3.0, 2.0, size=(20, 40_000))
    missed = int((certify.mean_upper(samples, false_alarm=0.05) < 3.0).sum())
    assert 0.05 in certify.clopper_pearson(missed, 40_000, false_alarm=FALSE_ALARM)
    missed = int((certify.mean_lower(samples, false_alarm=0.05) > 3.0).sum())
    assert 0.05 in certify.clopper_pearson(missed, 40_000, false_alarm=FALSE_ALARM)


def test_bernstein_is_valid_where_student_is_not(rng):
    """Rare large values: Student's limit misses far more often than stated, Bernstein's does not."""
    samples = (rng.random((30, 20_000)) < 0.02).astype(float)
    student = (certify.mean_upper(samples, false_alarm=0.01) < 0.02).mean()
    bernstein = int((certify.bernstein_upper(samples, width=1.0, false_alarm=0.01) < 0.02).sum())
    assert student > 0.1
    assert certify.clopper_pearson(bernstein, 20_000).low <= 0.01


@given(st.integers(1, 500), st.data())
def test_clopper_pearson_inverts_the_binomial_tail(trials, data):
    successes = data.draw(st.integers(0, trials))
    interval = certify.clopper_pearson(successes, trials, false_alarm=0.02)
    assert successes / trials in interval
    if successes:
        assert stats.binom.sf(successes - 1, trials, interval.low) == pytest.approx(0.01, rel=1e-6)
    if successes < trials:
        assert stats.binom.cdf(successes, trials, interval.high) == pytest.approx(0.01, rel=1e-6)


def test_slope_of_a_power_law_and_its_coverage(rng):
    x = np.geomspace(1, 1000, 6)
    missed = 0
    for _ in range(400):
        samples = x**0.5 * (1 + 0.3 * rng.standard_normal((200, 6)))
        missed += 0.5 not in certify.log_log_slope(x, samples, false_alarm=0.05)
    assert certify.clopper_pearson(missed, 400).low < 0.05
    exact = certify.log_log_slope(x, np.tile(x**1.5, (2, 1)))
    assert exact.estimate == pytest.approx(1.5)
    assert exact.high - exact.low < 1e-9


def test_goodness_of_fit_accepts_the_law_and_rejects_another(rng):
    law = np.array([0.7, 0.2, 0.0999, 0.0001])
    counts = rng.multinomial(20_000, law)
    assert certify.goodness_of_fit(counts, law) > FALSE_ALARM
    assert certify.goodness_of_fit(counts, [0.6, 0.3, 0.0999, 0.0001]) < FALSE_ALARM
    assert certify.goodness_of_fit([10, 1], [1.0, 0.0]) == 0


def test_two_samples(rng):
    a, b = rng.normal(0, 1, 5000), rng.normal(0, 3, 5000)
    assert certify.two_sample(a, b) > FALSE_ALARM
    assert certify.two_sample(a, b + 0.5) < FALSE_ALARM
    assert certify.two_sample([2.0, 2.0], [2.0, 2.0]) == 1
    assert certify.two_sample([2.0, 2.0], [2.1, 2.1]) == 0


def test_shares_add_up_and_bad_input_is_refused():
    assert certify.share(10) * 10 == pytest.approx(certify.CLAIM_FALSE_ALARM)
    with pytest.raises(ValueError, match="comparisons must be"):
        certify.share(0)
    with pytest.raises(ValueError, match="at least 2 replicates"):
        certify.mean_upper([1.0])
    with pytest.raises(ValueError, match="successes must be"):
        certify.clopper_pearson(5, 4)
    assert str(certify.Interval(1.0, 0.5, 2.0)) == "1 [0.5, 2]"
