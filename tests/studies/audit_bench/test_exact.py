"""Exact losses of the field's mechanisms, against closed forms, enumeration and samples."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import integrate, stats

from replicate import mechanisms
from replicate.studies.audit_bench import privacy as exact
from replicate.studies.audit_bench.instances import CASES

A = np.ones(10), np.array([2.0] * 5 + [0.0] * 5)


PRINTED = {
    "Laplace": 0.1, "TruncatedGeometric": math.log(9 / 8), "NoisyHist1": 0.1, "NoisyHist2": 10.0, "RNM1": 0.0946,
    "RNM2": 0.1, "RNM3": 0.25, "RNM4": math.inf, "SVT1": 0.0885, "SVT2": 0.0882, "SVT4": 0.1725, "SVT5": math.inf,
    "SVT6": 0.42, "PrefixSum": 1.0, "LaplaceParallel": 0.1, "Rappor": 0.30006, "OneTimeRappor": 0.6005,
}  # fmt: skip
"""Losses by hand, or known from elsewhere to the digits that are given."""


@pytest.mark.parametrize("name", PRINTED)
def test_losses_are_those_known(name):
    assert CASES[name].exact == pytest.approx(PRINTED[name], rel=2e-3)


def test_a_loss_is_of_the_settings_and_of_the_pair():
    assert exact.sparse_vector(*A, threshold=0.5, threshold_scale=20.0, query_scale=41.0, most=1) < 0.0885
    assert exact.noisy_max(np.ones(5), np.ones(5), noise="laplace", value=True) == 0
    assert exact.laplace(np.zeros(2), np.array([1.0, -2.0]), scale=3.0) == 1.0


@pytest.mark.parametrize(
    ("one", "other", "loss"),
    [
        ((1, 2), (1, 2), 0.0), ((1, 2), (1, 3), math.inf), ((1, 3), (1, 2), math.inf), ((2, 1), (0, 1), math.inf),
        ((1, 3), (2, 3), math.nan), ((3, 0), (3, 1), math.nan),
    ],
)  # fmt: skip
@pytest.mark.parametrize("scale", [1.0, 20.0])
def test_the_largest_number_with_exponential_noise_starts_at_the_largest_one(one, other, loss, scale):
    """No value below the largest number is ever released; where both start alike the loss is not computed."""
    found = exact.noisy_max(*map(np.array, (one, other)), noise="exponential", value=True, scale=scale)
    assert found == pytest.approx(loss, nan_ok=True)


def test_halting_times_are_those_of_above_threshold():
    """One query above: the same law as that of the mechanism with threshold 0 at epsilon = 1."""
    x, y = np.array([0.0, 1.0, 0.5, -2.0]), np.array([1.0, 0.0, 1.5, -1.0])
    laws = [mechanisms.above_threshold_log_law(queries, epsilon=1.0) for queries in (x, y)]
    settings = {"threshold": 0.0, "threshold_scale": 2.0, "query_scale": 4.0, "most": 1}
    ratios = (laws[0] - laws[1]).max(), (laws[1] - laws[0]).max()
    assert abs(ratios[0] - ratios[1]) > 0.01
    assert exact.sparse_vector_ratios(x, y, **settings) == pytest.approx(ratios, rel=1e-8)
    assert exact.sparse_vector(x, y, **settings) == pytest.approx(max(ratios), rel=1e-8)


@pytest.mark.parametrize(("x", "y"), [(1.0, 0.0), (0.0, 1.0), (1.0, 2.5), (-1.0, 0.75), (3.0, -0.5)])
def test_released_values_by_quadrature(x, y):
    """One query with its value: the density at v is f(v - x) P(threshold <= v). Either direction by itself."""
    scale = 2.0
    v = np.linspace(-60, 60, 4801)

    def density(query):
        below = stats.laplace.cdf((v - 0.5) / scale)
        return stats.laplace.logpdf((v - query) / scale) + np.log(below)

    silent = [
        integrate.quad(
            lambda r, q=q: stats.laplace.pdf(r / scale) / scale * stats.laplace.cdf((r + 0.5 - q) / scale),
            -80, 80, points=[0, q - 0.5], limit=400,
        )[0]
        for q in (x, y)
    ]  # fmt: skip
    spoken, quiet = density(x) - density(y), math.log(silent[0] / silent[1])
    expected = max(spoken.max(), quiet), max((-spoken).max(), -quiet)
    settings = {"threshold": 0.5, "threshold_scale": scale, "query_scale": scale, "most": 1, "numbers": True}
    one, other = np.array([x]), np.array([y])
    assert exact.sparse_vector_ratios(one, other, **settings) == pytest.approx(expected, rel=1e-6)
    assert exact.sparse_vector(one, other, **settings) == pytest.approx(max(expected), rel=1e-6)


@pytest.mark.parametrize("most", [None, 1, 2])
def test_several_released_values_by_search(most):
    """Three queries: the largest log ratio of every pattern over a grid of values, the threshold below them all.

    Queries of the pattern add (|v - y| - |v - x|) / 3 each, others up to the last answer their chance to be below.
    """
    grid = np.linspace(-60, 60, 24_001)
    threshold = stats.laplace.pdf(grid, 0.5, 2.0)

    def largest(x, y, places):
        end = places[-1] + 1 if len(places) == most else 3
        silent = [i for i in range(end) if i not in places]
        below = [stats.laplace.cdf(grid[:, None], q[silent], 3.0).prod(axis=1) for q in (x, y)]
        inner = np.log(np.cumsum(threshold * below[0]) / np.cumsum(threshold * below[1]))[::20]
        moved = [(np.abs(grid[::20] - y[i]) - np.abs(grid[::20] - x[i])) / 3.0 for i in places]
        if len(places) < 2:
            return (inner + moved[0]).max() if places else inner[-1]
        if not silent:
            return sum(values.max() for values in moved)
        lowest = np.minimum.outer(np.arange(len(inner)), np.arange(len(inner)))
        return (inner[lowest] + moved[0][:, None] + moved[1]).max()

    x, y = np.array([0.0, 1.5, -1.0]), np.array([1.0, -0.5, 0.5])
    patterns = [places for n in range(1 + (most or 3)) for places in combinations(range(3), n)]
    expected = [max(largest(*pair, places) for places in patterns) for pair in ((x, y), (y, x))]
    settings = {"threshold": 0.5, "threshold_scale": 2.0, "query_scale": 3.0, "numbers": True}
    assert exact.sparse_vector_ratios(x, y, **settings, most=most) == pytest.approx(expected, rel=3e-4)


def test_fresh_noise_on_values_adds_to_the_loss_of_the_pattern():
    """Two queries, at most one above: three patterns, by quadrature; a value above adds |x - y| / value_scale."""
    settings = {"threshold": 0.5, "threshold_scale": 2.0, "query_scale": 3.0}

    def chances(x):
        def below(i, r):
            return stats.laplace.cdf(r, x[i], 3)

        laws = (
            lambda r: below(0, r) * below(1, r),
            lambda r: 1 - below(0, r),
            lambda r: below(0, r) * (1 - below(1, r)),
        )

        def chance(law):
            points = [0.5, *x]
            return integrate.quad(
                lambda r: stats.laplace.pdf(r, 0.5, 2) * law(r), -90, 90, points=points, limit=400
            )[0]

        return np.array([chance(law) for law in laws])

    x, y = np.array([0.0, 1.5]), np.array([1.0, -0.5])
    assert chances(x).sum() == pytest.approx(1)
    moved = np.array([0.0, 1.0, 2.0]) / 5.0
    expected = (np.abs(np.log(chances(x) / chances(y))) + moved).max()
    found = exact.numerical_sparse_vector(x, y, **settings, value_scale=5.0, most=1)
    assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("answered", "loss"), [(1, 6), (2, 9), (3, 12)])
def test_every_answer_in_numbers_adds_its_log_ratio(answered, loss):
    """Three queries far above the threshold rise by 1: 4 for each that is answered, 1 for each that is not."""
    x, settings = np.full(3, 20.0), {"threshold": 0.0, "threshold_scale": 0.1, "query_scale": 1.0}
    found = exact.numerical_sparse_vector(x, x + 1, value_scale=0.25, most=answered, **settings)
    assert found == pytest.approx(loss, rel=1e-4)


def test_two_algorithms_side_by_side_have_the_settings_of_the_paper():
    """At epsilon = 1/10, c = 2, Algorithm 3 spends half on the threshold; 4 a quarter, and the rest is not over c.

    The ratios of one direction add up.
    """
    epsilon, most = 0.1, 2
    third = {"threshold_scale": 2 / epsilon, "query_scale": 2 * most / epsilon, "numbers": True}
    fourth = {"threshold_scale": 4 / epsilon, "query_scale": 4 / (3 * epsilon)}
    apart = np.array([0.0, 2, 2, 0, 1]), np.array([1.0, 2, 1, 1, 2])  # one's ratio is largest, and the other's
    for one, other in (A, A[::-1], apart):
        ratios = [exact.sparse_vector_ratios(one, other, threshold=1.0, most=most, **s) for s in (third, fourth)]
        assert exact.both_sparse_vectors(one, other) == pytest.approx(np.sum(ratios, axis=0).max())


def test_losses_of_values_have_the_settings_of_their_mechanisms():
    """Those with which the samplers are tested: threshold 1, scales of threshold, queries and values."""
    third = {"threshold": 1.0, "threshold_scale": 20.0, "query_scale": 20.0, "most": 1, "numbers": True}
    values = {"threshold": 1.0, "threshold_scale": 30.0, "query_scale": 120.0, "value_scale": 60.0, "most": 2}
    for name, loss, settings in (
        ("SVT3", exact.sparse_vector, third), ("NumericalSVT", exact.numerical_sparse_vector, values)
    ):  # fmt: skip
        assert CASES[name].exact == pytest.approx(loss(*map(np.array, CASES[name].pair), **settings))


def test_without_noise_on_queries_answers_tell_apart():
    x, y = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    settings = {"threshold": 0.0, "threshold_scale": 2.0, "query_scale": 0.0}
    assert exact.sparse_vector(x, y, **settings) == math.inf
    moved = exact.sparse_vector(x, x + 1, **settings)
    assert moved == pytest.approx(0.5)


def test_the_largest_number_with_laplace_noise_by_its_density():
    """Five zeros or ones: below both, the log ratio is 5 / scale. Else by slopes of the distribution function."""
    assert exact.noisy_max(np.zeros(5), np.ones(5), noise="laplace", value=True, scale=2.0) == pytest.approx(2.5)
    pair, points = (np.array([0.0, 0.5]), np.array([0.75, -0.5])), np.linspace(-12, 12, 240_001)
    below = [stats.laplace.cdf((points[:, None] - x) / 2).prod(axis=1) for x in pair]
    densities = [np.gradient(share, points) for share in below]
    largest = np.abs(np.log(densities[0] / densities[1])).max()
    assert exact.noisy_max(*pair, noise="laplace", value=True, scale=2.0) == pytest.approx(largest, rel=1e-3)
