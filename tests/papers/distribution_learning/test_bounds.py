"""The inequalities behind the bounds, their orderings and the ranges of their arguments."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicate.papers.distribution_learning import bounds, instances
from replicate.papers.distribution_learning.algorithms.schemes import divergence, mixture
from replicate.papers.distribution_learning.experiments import regret
from tests.papers.distribution_learning.common import merged


@given(seed=st.integers(0, 10**6), m=st.integers(2, 6), horizon=st.integers(2, 50))
@settings(max_examples=60, deadline=None)
def test_undoing_the_clipping_costs_what_31_says(seed, m, horizon):
    """KL(f, p_hat) <= KL(cells of f, cells of the mixture) + 2 R/T - log(1 - 1/T)."""
    rng = np.random.default_rng(seed)
    g = merged(rng.dirichlet(np.full(m, 0.3), size=3), horizon=horizon)
    w = 3 * rng.normal(size=3)
    left = divergence(g.masses[0, 0], mixture(w, g.predictions[0]))
    clipped = divergence(g.predictions[0, 0], mixture(w, g.predictions[0]))
    assert left <= clipped + 2 * g.tuning.log_range / horizon - np.log1p(-1 / horizon) + 1e-12


@pytest.mark.parametrize("scheme", ["pure", "approximate"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0, 50.0])
@pytest.mark.parametrize("horizon", [10**3, 10**9, 10**15])
def test_theorems_4_and_5_lie_above_the_proved_limits_of_the_risk(scheme, epsilon, horizon):
    """Of two truths of one class, small levels and large ones, short games and long ones."""
    setting = {"epsilon": epsilon, "horizon": horizon, "delta": regret.DELTA}
    bound = bounds.of_scheme(scheme, n_hypotheses=4, n_labels=8, **setting)
    shared = regret.public_scheme(instances.dirichlet(4, 8), scheme, epsilon, horizon)
    for truth in (0, 2):
        limits = regret.bracketed(shared, truth)
        assert 0 <= limits.lower.sum() <= limits.upper.sum() <= bound
        assert limits.variation.sum() <= horizon * np.sqrt(bound / (2 * horizon))


def test_the_class_of_the_lower_bound_exists_from_some_horizon_on():
    setting = {"n_pairs": 4, "epsilon": 0.1}
    first = bounds.hadamard_horizon(**setting)
    assert bounds.hadamard_gap(**setting, horizon=first) <= 1
    with pytest.raises(ValueError, match=r"^horizon must"):
        bounds.hadamard_gap(**setting, horizon=first - 1)


def test_sample_size_is_where_theorem_6_reaches_the_accuracy():
    setting = {"n_hypotheses": 4, "epsilon": 1.0}
    t = bounds.sample_size(**setting, accuracy=0.2)
    assert bounds.theorem_6(**setting, horizon=t) <= 0.2
    assert bounds.theorem_6(**setting, horizon=int(0.999 * t)) > 0.2
    with pytest.raises(ValueError, match=r"^accuracy must"):
        bounds.sample_size(**setting, accuracy=1e-6)


@pytest.mark.parametrize("n_pairs", [1, 2, 3, 4, 7, 8, 31])
def test_hadamard_class_is_the_one_of_16(n_pairs):
    f = instances.hadamard_class(n_pairs, 0.4)
    n = f.shape[1]
    assert n / 2 <= n_pairs <= n - 1
    assert f.shape[0] == 2 * n_pairs
    assert f.min() >= 0
    np.testing.assert_allclose(f.sum(axis=1), 1)
    columns = (f[1::2] - f[::2]) * n / 0.4
    np.testing.assert_allclose(np.abs(columns), 1)
    np.testing.assert_allclose(columns @ columns.T, n * np.eye(n_pairs), atol=1e-9)
    np.testing.assert_allclose(columns.sum(axis=1), 0, atol=1e-9)
