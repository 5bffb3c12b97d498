"""Bounds are what their docstrings say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from replicate import mechanisms
from replicate.learners import Setting, registry
from replicate.papers.noisy_leader import algorithms, bounds

gap_vectors = hnp.arrays(np.float64, st.integers(1, 12), elements=st.floats(1e-6, 1)).map(
    lambda tail: np.append(0.0, tail)
)


@given(gap_vectors, st.sampled_from(mechanisms.NOISES), st.floats(0.05, 20))
def test_expected_gap_never_increases_and_obeys_the_potential_bound(gaps, noise, scale):
    rounds = np.geomspace(1e-2, 1e4, 30)[:, None]
    phi = mechanisms.report_noisy_max_pmf(-rounds * gaps, noise=noise, scale=scale) @ gaps
    assert (np.diff(phi) <= 1e-12).all()
    _, regret = algorithms.grouped_regret(
        gaps, np.ones(len(gaps), dtype=int), noise=noise, scale=scale, horizon=2**50
    )
    assert regret[-1] <= bounds.potential(n_actions=len(gaps), noise=noise, scale=scale)


def test_every_constant_of_the_optimal_rate_is_at_most_the_one_that_is_written():
    """The table of the theorem: a from the terms in the gap, c from a gap that is not below epsilon."""
    table = {("independent", "gumbel"): (18.3, 32 / 3), ("independent", "exponential"): (18.3, 32 / 3)}
    table |= {("independent", "laplace"): (20.5, 32 / 3), ("any", "gumbel"): (21.4, 16)}
    table |= {("any", "exponential"): (21.4, 16.1), ("any", "laplace"): (23.4, 16.1)}
    for (losses, noise), (a, c) in table.items():
        setting = {"n_actions": 8, "epsilon": 0.5, "noise": noise, "losses": losses}
        wide, narrow = (bounds.optimal_rate(gap=gap, **setting) for gap in (0.5, 0.25))
        assert 0.99 * a < (narrow - wide) * 0.25 / (np.log(7) + 1) <= a
        assert wide - 1 == pytest.approx(c * bounds.expected_maximum(8, noise=noise) / 0.5)


@pytest.mark.parametrize("noise", mechanisms.NOISES)
@pytest.mark.parametrize("n_actions", [2, 16, 1024])
@pytest.mark.parametrize("epsilon", [1e-3, 0.3, 5.0, 40.0])
def test_exact_regrets_lie_between_the_bounds(noise, n_actions, epsilon):
    """Deterministic losses, equal gaps and linear ones; where all gaps are 1 no private learner has less."""
    setting = {"n_actions": n_actions, "epsilon": epsilon}
    for gap in (1e-2, 0.2, 1.0):
        for gaps in (np.full(n_actions - 1, gap), np.linspace(gap, 1, n_actions - 1)):
            means = np.append(gaps, 0.0)
            regret = algorithms.exact_regret(means, epsilon=epsilon, horizon=2**50, noise=noise).final[0]
            assert regret <= bounds.corollary_3(**setting, noise=noise)
            assert regret <= bounds.optimal_rate(**setting, gap=gap, noise=noise)
            assert noise == "laplace" or regret <= bounds.theorem_4(**setting)
            if gap == 1:
                assert regret >= bounds.theorem_3_sum(**setting, horizon=2**26)


def test_epochs_end_with_the_longest_horizon():
    with pytest.raises(ValueError, match="epoch must be at most 60"):
        bounds.equation_7(61, 0.1, epsilon=1.0, noise="gumbel")
    with pytest.raises(ValueError, match="epoch and gaps must broadcast"):
        bounds.equation_9([1, 2, 3], [0.1, 0.2], epsilon=1.0, noise="gumbel")


def test_sums_of_too_many_terms_are_refused():
    with pytest.raises(ValueError, match="epsilon = 1e-09"):
        bounds.theorem_3_sum(n_actions=2, epsilon=1e-9, horizon=2**59)


@pytest.mark.parametrize("noise", mechanisms.NOISES)
@pytest.mark.parametrize("epsilon", [0.05, 1.0])
def test_what_is_registered_is_bounded_for_losses_that_depend_on_each_other_within_a_round(noise, epsilon):
    sizes = {"n_actions": 16, "epsilon": epsilon}
    any_joint, independent = (
        bounds.optimal_rate(**sizes, gap=0.1, noise=noise, losses=losses) for losses in ("any", "independent")
    )
    assert any_joint > 1.1 * independent
    for name in (noise, f"{noise}_resampled"):
        assert registry.entry(name).bound(Setting(**sizes, horizon=10**6), 0.1) == any_joint
