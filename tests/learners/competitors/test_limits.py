"""Private divergences and limits against grids and bisection."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import optimize, special

from replicate.learners.competitors import kl_ucb

UNIT = st.floats(0.001, 0.999)
LEVEL = st.floats(-3, 1.5).map(lambda x: 10**x)


def by_grid(x, y, epsilon):
    z = np.linspace(y, x, 20_001)
    return (special.rel_entr(z, y) + special.rel_entr(1 - z, 1 - y) + epsilon * (x - z)).min()


@given(x=UNIT, share=UNIT, epsilon=LEVEL)
def test_the_private_divergence_is_the_infimum(x, share, epsilon):
    y = x * share
    assert kl_ucb.private_divergence(x, y, epsilon) == pytest.approx(by_grid(x, y, epsilon), rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("x", [0.0, 0.3, 1.0])
def test_edges(x):
    assert kl_ucb.private_divergence(x, 0.0, 0.7) == pytest.approx(0.7 * x)
    assert kl_ucb.private_divergence(x, x, 0.7) == 0
    assert kl_ucb.divergence(x, x) == 0
    assert kl_ucb.divergence(0.5, 0.0) == math.inf
    assert kl_ucb.divergence(0.5, 1.0) == math.inf
    assert kl_ucb.private_limit(0.0, 3, 1.0, 0.5) == 0
    assert kl_ucb.private_divergence(x, x / 2, 1e300) == kl_ucb.divergence(x, x / 2)
    assert kl_ucb.private_limit(x, 50, 1.0, 1e300) == kl_ucb.kl_limit(x, 50, 1.0)
    assert kl_ucb.private_limit(x, 50, 1.0, 1e-300) == 0


def test_privacy_interpolates_between_divergence_and_distance():
    x, y = 0.6, 0.5
    assert kl_ucb.private_divergence(x, y, 5.0) == pytest.approx(kl_ucb.divergence(x, y))
    assert kl_ucb.private_divergence(x, y, 1e-4) == pytest.approx(1e-4 * (x - y), rel=1e-3)


@given(x=UNIT, count=st.floats(0, 5).map(lambda p: 10**p), level=st.floats(0.5, 20), epsilon=LEVEL)
@example(x=0.05, count=10**0.5, level=0.5, epsilon=10**0.5)  # the limit is where 0 begins to be refused
def test_the_private_limit_is_the_smallest_mean_within_the_level(x, count, level, epsilon):
    found = kl_ucb.private_limit(x, count, level, epsilon)

    def excess(q):
        return count * kl_ucb.private_divergence(x, q, epsilon) - level

    expected = optimize.brentq(excess, 1e-15, x, xtol=1e-16) if excess(1e-15) > 0 else 0.0
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert found <= kl_ucb.kl_limit(x, count, level) + 1e-12
