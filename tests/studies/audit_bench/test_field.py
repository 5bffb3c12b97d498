"""The field's mechanisms have the laws that their descriptions say, run by run; another scale has not."""

from functools import partial

import numpy as np
import pytest
from scipy import integrate, stats

from replicate import certify, mechanisms
from replicate.studies.audit_bench import algorithms as field
from tests.conftest import FALSE_ALARM

N = 100_000


def uniformity(values, distribution):
    """P-value of values that are uniform once their distribution function is applied."""
    return stats.kstest(distribution(values), "uniform").pvalue


def numbers():
    """Mechanisms of single Laplace noises: samples, and the distribution function that they should have."""
    x = np.array([3.0, -1.0])
    for scale in (0.1, 10.0):
        yield f"histogram {scale}", partial(field.histogram, scale=scale), x, scale, lambda out: out[:, 1] + 1
        yield f"laplace {scale}", partial(field.laplace, scale=scale), x, scale, lambda out: out - 3
    yield "prefix sums", field.prefix_sums, x, 10.0, lambda out: out[:, 1] - out[:, 0] + 1
    yield "parallel", field.parallel_laplace, x[:1], 200.0, lambda out: out[:, 7] - 3


@pytest.mark.parametrize("case", list(numbers()), ids=lambda case: case[0])
def test_numbers_have_laplace_noise_of_their_scale(case, rng):
    _, mechanism, x, scale, noise = case
    found = noise(mechanism(x, N, rng))
    assert uniformity(found, stats.laplace(scale=scale).cdf) > FALSE_ALARM
    assert uniformity(found, stats.laplace(scale=1.1 * scale).cdf) < FALSE_ALARM


@pytest.mark.parametrize(
    ("name", "size"), [("LaplaceParallel", 1), ("NoisyHist1", 5), ("Rappor", 1), ("OneTimeRappor", 1)]
)
def test_copies_entries_and_bits_are_drawn_independently(name, size, rng):
    rows = field.MECHANISMS[name](np.ones(size), N, rng)
    correlations = np.corrcoef(rows.T)[np.triu_indices(rows.shape[1], 1)]
    assert np.abs(correlations).max() < 7 / np.sqrt(N)


def test_counts_are_clamped_two_sided_geometric(rng):
    counts = np.bincount(field.MECHANISMS["TruncatedGeometric"](np.array([1.0]), N, rng), minlength=6)

    def law(ratio):
        k = np.arange(-2000, 2001)
        weights = ratio ** np.abs(k)
        return np.bincount(np.clip(1 + k, 0, 5), weights=weights / weights.sum(), minlength=6)

    assert certify.goodness_of_fit(counts, law(8 / 9)) > FALSE_ALARM
    assert certify.goodness_of_fit(counts, law(7 / 8)) < FALSE_ALARM


@pytest.mark.parametrize(("name", "noise"), [("RNM1", "laplace"), ("RNM2", "exponential")])
def test_noisy_max_selects_with_noise_of_scale_20(name, noise, rng):
    x = np.array([0.0, 2.0, 12.0, -30.0, 2.0])
    counts = np.bincount(field.MECHANISMS[name](x, N, rng), minlength=5)
    laws = [mechanisms.report_noisy_max_pmf(x, noise=noise, scale=scale) for scale in (20.0, 22.0)]
    assert certify.goodness_of_fit(counts, laws[0]) > FALSE_ALARM
    assert certify.goodness_of_fit(counts, laws[1]) < FALSE_ALARM


@pytest.mark.parametrize(("name", "noise"), [("RNM3", stats.laplace), ("RNM4", stats.expon)])
def test_the_largest_value_is_the_largest_of_independent_ones(name, noise, rng):
    x = np.array([0.0, 2.0, 12.0])
    values = field.MECHANISMS[name](x, N, rng)
    assert uniformity(values, lambda v: noise(scale=20).cdf(v[:, None] - x).prod(axis=1)) > FALSE_ALARM
    assert uniformity(values, lambda v: noise(scale=20).cdf(v[:, None] - x[1:]).prod(axis=1)) < FALSE_ALARM


def pattern(x, threshold, level, query):
    """Probability that the first query is below and the second above, integrated over the threshold's noise."""

    rho = np.linspace(-40 * level, 40 * level, 80_001)
    below = stats.laplace(scale=query).cdf(threshold + rho - x[:, None])
    return integrate.trapezoid(below[0] * (1 - below[1]) * stats.laplace(scale=level).pdf(rho), rho)


@pytest.mark.parametrize(
    ("name", "threshold", "level", "query"),
    [
        ("SVT1", 0.5, 20, 40), ("SVT2", 1, 20, 40), ("SVT3", 1, 20, 20), ("SVT4", 1, 40, 1 / 0.075),
        ("SVT5", 1, 20, 1e-9), ("SVT6", 1, 20, 20), ("NumericalSVT", 1, 30, 120),
        ("SVT34Parallel, third", 1, 20, 40), ("SVT34Parallel, fourth", 1, 40, 1 / 0.075),
    ],
)  # fmt: skip
def test_queries_are_held_against_one_noisy_threshold(name, threshold, level, query, rng):
    """On queries that show the scales of noise, and on queries that show where the threshold stands."""
    name, _, half = name.partition(", ")

    def hits(x):
        rows = field.MECHANISMS[name](x, N, rng)
        rows = {"": rows, "third": rows[:, :2], "fourth": rows[:, 2:]}[half]
        low = -1000 if name == "SVT3" or half == "third" else 0  # also `field.FALSE`
        return int(((rows[:, 0] == low) & (rows[:, 1] != low)).sum())

    far, near = (np.array(x) for x in ([-15.0, 25.0], [-2000.0, 2.0]))
    for x, twins in ((far, ((1.0, 0.0), (1.25, 0.0))), (near, ((1.0, 0.0), (1.0, 4.0)))):
        found = hits(x)
        for scale, shift in twins:
            chance = pattern(x, threshold + shift, scale * level, scale * query)
            agrees = (scale, shift) == (1.0, 0.0)
            assert (stats.binomtest(found, N, chance).pvalue > FALSE_ALARM) == agrees


SETTINGS = {
    "SVT1": (0.5, 1), "SVT2": (1, 1), "SVT3": (1, 1), "SVT4": (1, 1), "SVT5": (1, 10), "SVT6": (1, 10),
    "NumericalSVT": (1, 2), "SVT34Parallel": (1, 2),
}  # fmt: skip
"""Of every sparse vector: threshold, and queries above it at most."""
VALUES = {"SVT3": 20.0, "NumericalSVT": 60.0, "SVT34Parallel": 40.0}
"""Scale of the noise in the values that are released."""
FAR = 1e5


@pytest.mark.parametrize("name", SETTINGS)
def test_far_from_the_threshold_every_answer_is_known(name, rng):
    """Two queries below the threshold, four above it, then two below; values have noise of their own."""
    threshold, most = SETTINGS[name]
    x = threshold + FAR * np.array([-1, -2, 1, 2, 3, 4, -1, -2])
    rows = field.MECHANISMS[name](x, 5_000, rng)
    above = x >= threshold
    over = np.arange(8) >= 2 + most if most < 4 else np.zeros(8, bool)
    codes = np.where(over, field.ABORTED, np.where(above, field.TRUE, field.FALSE))
    if name in VALUES:
        silent, end = (0.0, -1000.0) if name == "NumericalSVT" else (-1000.0, -2000.0)
        values, told, rows = rows[:, :8], above & ~over, rows[:, 8:]
        assert (values[:, ~told] == np.where(over, end, silent)[~told]).all()
        noise = (values - x)[:, told].T
        for scale, agrees in ((1.0, True), (1.5, False)):
            law = stats.laplace(scale=scale * VALUES[name]).cdf
            assert all((uniformity(column, law) > FALSE_ALARM) == agrees for column in noise)
        assert len(noise) < 2 or abs(np.corrcoef(noise)[0, 1]) < 7 / np.sqrt(5_000)
    assert (rows == codes[: rows.shape[1]]).all()


@pytest.mark.parametrize(("name", "loss"), [("Rappor", 0.30006), ("OneTimeRappor", 0.6005)])
def test_rappors_bits_have_the_benchmarks_loss(name, loss, rng):
    """Bits are independent: the worst log ratio is a sum over bits; sampled bits have these chances."""
    settings = field.MECHANISMS[name].keywords
    one, other = (field.bit_chances(value, **settings) for value in (1, 0))
    ratios = np.maximum(np.log(one / other), np.log((1 - one) / (1 - other)))
    assert ratios.sum() == pytest.approx(loss, rel=2e-4)
    ones = field.MECHANISMS[name](np.array([1.0]), N, rng).sum(axis=0)
    pvalues = [stats.binomtest(int(k), N, p).pvalue for k, p in zip(ones, one, strict=True)]
    assert min(pvalues) > FALSE_ALARM / 20
