"""Noise for one release of a vector: scales from the theory, laws of the draws, exact privacy, moments."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, stats

from replicate.mechanisms import vector_noise
from replicate.mechanisms.vector_noise import VectorNoise, gaussian_delta, gaussian_scale, private_noise
from tests.conftest import FALSE_ALARM


@pytest.mark.parametrize(("epsilon", "scale"), [(0.01, 30.0), (0.5, 3.0), (1.0, 1.0), (4.0, 0.6), (30.0, 0.2)])
def test_delta_is_the_hockey_stick_of_two_normal_laws(epsilon, scale):
    def excess(x):
        return stats.norm.pdf(x, 1, scale) - math.exp(epsilon) * stats.norm.pdf(x, 0, scale)

    start = 0.5 + epsilon * scale**2  # where the two densities cross
    exact, _ = integrate.quad(excess, start, start + 40 * scale, epsabs=0, epsrel=1e-11)
    assert gaussian_delta(scale, epsilon=epsilon) == pytest.approx(exact, rel=1e-8)


@pytest.mark.parametrize("scale", [1e4, 7e4, 7.1e4, 1e6, 1e7])
@pytest.mark.parametrize("part", [0.01, 1.0, 5.0])
def test_delta_under_much_noise_is_the_mean_of_what_the_log_ratio_exceeds_epsilon_by(scale, part):
    """1 - exp(epsilon - L) on average where positive, L normal with mean 1 / (2 s**2) and deviation 1 / s.

    From s = 1e5 / sqrt(2) on the difference of two nearly equal tails is a slope times their distance.
    """
    epsilon = part / scale
    start = part - 0.5 / scale

    def excess(z):
        return stats.norm.pdf(z) * -math.expm1((start - z) / scale)

    exact, _ = integrate.quad(excess, start, start + 30, epsabs=0, epsrel=1e-11)
    assert gaussian_delta(scale, epsilon=epsilon) == pytest.approx(exact, rel=3e-10)


@pytest.mark.parametrize("near", [-30.0, -6.0, -5.1, -5.0, -4.9, -4.0])
@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 3.0, 20.0])
def test_little_noise_leaves_no_delta_but_what_the_two_laws_share(epsilon, near):
    """1 - delta is the mass below both N(1, s**2) and e**epsilon N(0, s**2), where epsilon s - 1 / (2 s) = near.

    One formula serves near <= -5, another the rest; the mass falls from 6e-5 to 1e-190.
    """
    s = (near + math.sqrt(near**2 + 2 * epsilon)) / (2 * epsilon)
    crossed = 0.5 + epsilon * s**2

    def least(x):
        return min(stats.norm.pdf(x, 1, s), math.exp(epsilon) * stats.norm.pdf(x, 0, s))

    sides = [(crossed - 10 * s, crossed), (crossed, crossed + 10 * s)]
    mass = sum(integrate.quad(least, *side, epsabs=0, epsrel=1e-10)[0] for side in sides)
    assert gaussian_delta(s, epsilon=epsilon) == pytest.approx(1 - mass, abs=1e-6 * mass + 4e-16)


@pytest.mark.parametrize("epsilon", [1e-9, 1e-5, 1.0, 700.0])
@pytest.mark.parametrize("delta", [1e-200, 1e-50, 1e-6, 0.99])
def test_the_scale_keeps_delta_in_exact_arithmetic(epsilon, delta):
    """By the error function to 450 digits: in floats, its values at 1e-9 and 1e-200 agree to four of them."""
    flint = pytest.importorskip("flint")
    found = gaussian_scale(epsilon=epsilon, delta=delta)
    with flint.ctx.workdps(450):
        for scale, enough in ((found, True), (found * (1 - 1e-3), False)):
            s, level, root = flint.arb(scale), flint.arb(epsilon), flint.arb(2).sqrt()
            near, far = ((level * s + sign / (2 * s)) / root for sign in (-1, 1))
            exact = near.erfc() / 2 - level.exp() * far.erfc() / 2
            assert (exact <= flint.arb(delta)) is enough


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 1.0, 20.0, 1e6])
@pytest.mark.parametrize("delta", [1e-100, 1e-6, 0.3])
def test_the_scale_is_the_smallest_that_keeps_delta(epsilon, delta):
    scale = gaussian_scale(epsilon=epsilon, delta=delta)
    assert gaussian_delta(scale, epsilon=epsilon) <= delta < gaussian_delta(scale * (1 - 1e-4), epsilon=epsilon)
    assert gaussian_scale(epsilon=epsilon, delta=delta, sensitivity=7.0) == pytest.approx(7 * scale, rel=1e-12)
    if epsilon <= 1:  # the classical scale is never smaller
        assert scale < math.sqrt(2 * math.log(1.25 / delta)) / epsilon


@pytest.mark.parametrize("releases", [1, 6, 20])
@pytest.mark.parametrize("n_actions", [1, 2, 8])
def test_scales_are_those_of_the_theory(n_actions, releases):
    sizes = {"n_actions": n_actions, "epsilon": 0.3, "releases": releases}
    expected = {"laplace": n_actions * releases / 0.3, "cube": releases / 0.3}
    for name, scale in expected.items():
        assert private_noise(name, **sizes).scale == pytest.approx(scale, rel=1e-12)


def draws(name, n, k=3, scale=2.5):
    noise, rng = VectorNoise(name=name, n_actions=k, scale=scale), np.random.default_rng(5)
    return np.array([noise.draw(rng) for _ in range(n)])


def test_laplace_noise_has_independent_coordinates_of_their_law():
    found = draws("laplace", 20_000)
    for column in found.T:
        assert stats.kstest(column, stats.laplace(scale=2.5).cdf).pvalue > FALSE_ALARM
        assert stats.kstest(1.2 * column, stats.laplace(scale=2.5).cdf).pvalue < FALSE_ALARM
    assert stats.spearmanr(found[:, 0], found[:, 1]).pvalue > FALSE_ALARM
    assert stats.spearmanr(np.abs(found[:, 0]), np.abs(found[:, 1])).pvalue > FALSE_ALARM


def test_noise_of_the_cube_has_a_gamma_radius_and_is_uniform_on_its_surface():
    """Density exp(-r / b) on surfaces of size r**(K - 1): the radius is Gamma(K), one coordinate is as large."""
    found = draws("cube", 20_000)
    radius, largest = np.abs(found).max(axis=1), np.abs(found).argmax(axis=1)
    assert stats.kstest(radius, stats.gamma(3, scale=2.5).cdf).pvalue > FALSE_ALARM
    assert stats.kstest(1.2 * radius, stats.gamma(3, scale=2.5).cdf).pvalue < FALSE_ALARM
    assert stats.kstest(radius, stats.gamma(4, scale=2.5).cdf).pvalue < FALSE_ALARM
    assert stats.chisquare(np.bincount(largest)).pvalue > FALSE_ALARM
    assert stats.binomtest(int((found[np.arange(20_000), largest] > 0).sum()), 20_000).pvalue > FALSE_ALARM
    others = [(found[np.arange(20_000), (largest + i) % 3] / radius) for i in (1, 2)]
    for other in others:
        assert stats.kstest(other, stats.uniform(-1, 2).cdf).pvalue > FALSE_ALARM
    assert stats.spearmanr(*others).pvalue > FALSE_ALARM
    assert stats.spearmanr(others[0], radius).pvalue > FALSE_ALARM


@pytest.mark.parametrize("k", [1, 2, 8, 100])
def test_moments_of_the_cube_are_exact_at_every_rate(k):
    """((1 - a)**-K - (1 + a)**-K) / (2 a K) in fractions: series serve small a and small K artanh(a)."""
    rates = np.concatenate([np.geomspace(1e-6, 0.2, 61), [0.4, 0.6, 0.8, 0.9]])
    exact = []
    for a in map(Fraction, rates.tolist()):
        excess = ((1 - a) ** -k - (1 + a) ** -k) / (2 * a * k) - 1
        exact.append(math.log1p(float(excess)))
    found = VectorNoise(name="cube", n_actions=k, scale=1.0).log_mgf(rates)
    np.testing.assert_allclose(found, exact, rtol=1e-8, atol=2e-15)


@pytest.mark.parametrize("name", vector_noise.NOISES)
def test_moments_are_those_of_the_variance_at_small_rates_and_end_at_the_largest_one(name):
    noise = VectorNoise(name=name, n_actions=5, scale=3.0)
    assert float(noise.log_mgf(1e-5)) == pytest.approx(1e-10 * noise.variance / 2, rel=1e-6)
    means = np.exp(0.1 * draws(name, 40_000, k=5, scale=3.0)[:, 0])
    assert math.exp(float(noise.log_mgf(0.1))) == pytest.approx(means.mean(), abs=7 * means.std() / 200)
    assert np.isinf(noise.log_mgf([noise.largest_rate, 1.0])).all()
    assert np.isfinite(noise.log_mgf(noise.largest_rate * (1 - 1e-9)))
