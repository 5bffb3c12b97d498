"""AboveThreshold: the sampler against the exact law, the law against brute force, accuracy and privacy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from replicate import certify, mechanisms
from replicate.streams import stream


def halting_law_by_adaptive_quadrature(queries, epsilon):
    def integrand(rho, k):
        quiet = np.prod(stats.laplace.cdf(rho - queries[:k], scale=4 / epsilon))
        loud = stats.laplace.sf(rho - queries[k], scale=4 / epsilon) if k < len(queries) else 1.0
        return stats.laplace.pdf(rho, scale=2 / epsilon) * quiet * loud

    points = sorted({0.0, *queries})
    span = 120 / epsilon
    return [
        integrate.quad(integrand, -span, span, args=(k,), points=points, limit=400, epsabs=1e-13)[0]
        for k in range(len(queries) + 1)
    ]


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_exact_law_against_adaptive_quadrature(epsilon):
    queries = np.array([-3.0, 1.5, -0.2, 4.0])
    law = np.exp(mechanisms.above_threshold_log_law(queries, epsilon=epsilon))
    assert law.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(law, halting_law_by_adaptive_quadrature(queries, epsilon), atol=1e-10)


@pytest.mark.parametrize(("threshold", "sensitivity"), [(0.0, 1.0), (1.7, 1.0), (-0.9, 2.0)])
def test_sampler_has_the_exact_law(threshold, sensitivity):
    """The law knows queries less threshold, in units of the sensitivity."""
    queries, counts, words = np.array([-2.0, 0.0, 3.0]), np.zeros(4), {"epsilon": 1.5, "sensitivity": sensitivity}
    rng = stream(1, "svt")
    for _ in range(10_000):
        svt = mechanisms.AboveThreshold(**words, threshold=threshold, rng=rng)
        counts[next((k for k, q in enumerate(queries) if svt.above(q)), 3)] += 1
    law = np.exp(mechanisms.above_threshold_log_law((queries - threshold) / sensitivity, epsilon=1.5))
    assert certify.goodness_of_fit(counts, law) > 1e-6
    assert certify.goodness_of_fit(counts, law[[1, 0, 2, 3]]) < 1e-6


def test_halted_mechanism_refuses_queries():
    svt = mechanisms.AboveThreshold(epsilon=1.0, threshold=-1e6, rng=stream(2, "svt"))
    assert svt.above(0.0)
    with pytest.raises(RuntimeError, match="halted"):
        svt.above(0.0)


@given(
    base=st.lists(st.floats(-30, 30), min_size=1, max_size=5),
    low=st.floats(0, 2),
    shape=st.lists(st.floats(0, 1), min_size=5, max_size=5),
    epsilon=st.floats(0.1, 2),
)
@settings(max_examples=60, deadline=None)
def test_privacy_cost_of_queries_that_move_within_an_interval(base, low, shape, epsilon):
    """All queries move by amounts in [-a, b] with a + b = 2: the cost is at most (b / 2 + 1 / 2) epsilon."""
    q = np.array(base)
    moved = q - low + 2 * np.array(shape)[: len(q)]
    p = mechanisms.above_threshold_log_law(q, epsilon=epsilon)
    r = mechanisms.above_threshold_log_law(moved, epsilon=epsilon)
    assert (p - r).max() <= ((2 - low) / 2 + 1 / 2) * epsilon + 1e-8
    assert (r - p).max() <= (low / 2 + 1 / 2) * epsilon + 1e-8


@pytest.mark.parametrize("n", [1, 10, 10**3, 10**6])
@pytest.mark.parametrize("failure", [0.5, 0.05, 1e-6])
def test_accuracy_holds_on_the_hardest_stream(n, failure):
    alpha = mechanisms.above_threshold_accuracy(n, failure=failure, epsilon=0.7)
    assert mechanisms.above_threshold_failure(n, accuracy=alpha, epsilon=0.7) <= failure
    if n > 1:
        assert mechanisms.above_threshold_failure(n, accuracy=alpha / 4, epsilon=0.7) > failure


@pytest.mark.parametrize("n", [1, 2, 5])
def test_failure_is_to_halt_anywhere_but_at_the_last_query(n):
    law = mechanisms.above_threshold_log_law([-1.5] * (n - 1) + [1.5], epsilon=1.0)
    failure = mechanisms.above_threshold_failure(n, accuracy=1.5, epsilon=1.0)
    assert failure == pytest.approx(1 - np.exp(law[n - 1]), rel=1e-9)


def test_every_query_of_many_at_once_has_fresh_noise():
    """With one noise for all of them, that some query is above would be as likely as that one is."""
    law = mechanisms.above_threshold_log_law([-8.0] * 50, epsilon=1.0)
    halted = sum(
        mechanisms.AboveThreshold(epsilon=1.0, rng=fresh).any_above([-8.0] * 50) for fresh in stream(7).spawn(4000)
    )
    assert stats.binomtest(halted, 4000, 1 - np.exp(law[-1])).pvalue > 1e-9
    assert stats.binomtest(halted, 4000, float(np.exp(law[0]))).pvalue < 1e-9
