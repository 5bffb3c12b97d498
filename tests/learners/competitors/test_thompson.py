"""Thompson sampling: exact laws of actions, and what is counted."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import integrate, stats

from replicate import certify
from replicate.learners.competitors import thompson
from replicate.streams import stream
from tests.conftest import FALSE_ALARM

RUNS = 20_000


def law(ones, zeros):
    """P(a has the smallest mean) under independent Beta posteriors, by integration."""
    posteriors = [stats.beta(a + 1, b + 1) for a, b in zip(ones, zeros, strict=True)]

    def density(x, a):
        return posteriors[a].pdf(x) * np.prod([p.sf(x) for i, p in enumerate(posteriors) if i != a])

    return np.array([integrate.quad(density, 0, 1, args=(a,), limit=200)[0] for a in range(len(ones))])


SHAPES = [(1, 1), (1, 6), (6, 1), (2, 2), (30, 7), (3, 400), (400, 3), (400, 600), (4e5, 6e5)]


@pytest.mark.parametrize(("ones", "zeros"), SHAPES)
def test_angles_have_the_law_of_a_beta_mean(ones, zeros):
    rng, state = stream(3, ones, zeros), thompson.state_of(np.array([ones]), np.array([zeros]))
    means = np.sin([thompson.draw(state, 0, rng) for _ in range(RUNS)]) ** 2
    exact = stats.beta(ones, zeros)
    assert stats.kstest(means, exact.cdf).pvalue > FALSE_ALARM
    assert stats.kstest(means + 0.1 * exact.std(), exact.cdf).pvalue < FALSE_ALARM


@pytest.mark.parametrize(("ones", "zeros"), SHAPES)
def test_the_normal_law_is_above_the_density_and_the_polynomial_below(ones, zeros):
    """On a grid around the mode; the density at the mode is below 0.6 c, as `lower` needs."""
    state = thompson.state_of(np.array([ones]), np.array([zeros]))[:, 0]
    mode, root = state[thompson.MODE], state[thompson.ROOT]
    z = np.linspace(-8, 8, 4001)
    angle = mode + z / root
    z, angle = (x[(angle > 0) & (angle < np.pi / 2)] for x in (z, angle))
    density = stats.beta(ones, zeros).logpdf(np.sin(angle) ** 2) + np.log(np.sin(2 * angle))
    top = stats.beta(ones, zeros).logpdf(np.sin(mode) ** 2) + np.log(np.sin(2 * mode))
    ratio = density - top + z**2 / 2
    slack = 1e-9 * (1 + abs(top)) + 1e-14 * ones * zeros
    assert ratio.max() <= slack
    polynomial = z**2 * (state[thompson.SQUARE] + z * (state[thompson.CUBE] - z * state[thompson.FOURTH]))
    inside = np.abs(z) <= state[thompson.REACH]
    assert (polynomial <= ratio + slack)[inside].all()
    assert np.exp(top) < 0.6 * root
    own = np.array([thompson.log_density(ones, zeros, x) for x in angle])
    np.testing.assert_allclose(own, density, atol=slack)


def test_an_angle_below_a_limit_is_kept_as_often_as_it_is_drawn():
    """Far from the mode, where most rounds of a game are: mass and law below the limit."""
    ones, zeros, low, runs = 60.0, 40.0, 0.78, 200_000
    rng, state = stream(4), thompson.state_of(np.array([ones]), np.array([zeros]))
    apart = (state[thompson.MODE, 0] - low) * state[thompson.ROOT, 0]
    assert apart > 1
    drawn = np.count_nonzero(rng.standard_exponential(runs) > apart**2 / 2)
    angles = np.array([thompson.lower(state, 0, low, apart, rng) for _ in range(drawn)])
    below, exact = angles[angles < low], stats.beta(ones, zeros)
    mass = exact.cdf(np.sin(low) ** 2)
    assert mass in certify.clopper_pearson(len(below), runs, false_alarm=FALSE_ALARM)
    assert 1.3 * mass not in certify.clopper_pearson(len(below), runs, false_alarm=FALSE_ALARM)
    assert stats.kstest(np.sin(below) ** 2, lambda x: exact.cdf(x) / mass).pvalue > FALSE_ALARM


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize(("ones", "zeros"), SHAPES)
def test_no_angle_is_drawn_outside_of_a_right_angle(ones, zeros, side):
    """However low the level: a point beyond either end is refused, and the mode, drawn next, is accepted."""
    state = thompson.state_of(np.array([ones]), np.array([zeros]))
    mode, width = state[thompson.MODE, 0], state[thompson.WIDTH, 0]
    end = np.pi / 2 if side > 0 else 0.0
    normals, levels = iter([(end + 0.01 * side - mode) / width, 0.0]), iter([1e300, 1.0])
    rng = SimpleNamespace(standard_normal=lambda: next(normals), standard_exponential=lambda: next(levels))
    assert thompson.draw.py_func(state, 0, rng) == mode
    assert list(normals) == list(levels) == []
