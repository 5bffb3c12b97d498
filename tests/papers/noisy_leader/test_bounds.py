"""Bounds are what their docstrings say."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import integrate, stats

from replicate import mechanisms
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


@pytest.mark.parametrize("noise", mechanisms.NOISES)
@pytest.mark.parametrize("k", [1, 2, 7, 300])
def test_expected_maximum_is_its_integral(noise, k):
    cdf = {
        "gumbel": lambda x: np.exp(-np.exp(-x)),
        "exponential": lambda x: -np.expm1(-np.maximum(x, 0)),
        "laplace": lambda x: np.where(x < 0, 0.5 * np.exp(np.minimum(x, 0)), 1 - 0.5 * np.exp(-np.maximum(x, 0))),
    }[noise]
    difference = [
        integrate.quad(lambda x: cdf(x) - cdf(x) ** k, a, b, limit=200)[0]
        for a, b in ((-60, -5), (-5, 0), (0, 10), (10, 60))
    ]
    assert bounds.expected_maximum(k, noise=noise) == pytest.approx(sum(difference), abs=1e-8)


@pytest.mark.parametrize(("n_actions", "epsilon", "horizon"), [(2, 1.0, 2), (16, 0.3, 40), (300, 3.0, 7)])
def test_lower_bounds_are_their_integrals_and_sums(n_actions, epsilon, horizon):
    setting = {"n_actions": n_actions, "epsilon": epsilon, "horizon": horizon}

    def integrand(t):
        return (n_actions - 1) / (np.exp(t * epsilon) + n_actions - 1)

    assert bounds.theorem_3(**setting) == pytest.approx(integrate.quad(integrand, 1, horizon + 1)[0], rel=1e-9)
    assert bounds.theorem_3_integral(**setting) == pytest.approx(
        integrate.quad(integrand, 0, horizon)[0], rel=1e-9
    )
    assert bounds.theorem_3_sum(**setting) == pytest.approx(integrand(np.arange(horizon)).sum(), rel=1e-12)
    assert bounds.theorem_3(**setting) < bounds.theorem_3_integral(**setting) < bounds.theorem_3_sum(**setting)


def test_lower_bounds_at_long_horizons():
    setting = {"n_actions": 64, "epsilon": 0.1, "horizon": 2**59}
    assert bounds.theorem_3_integral(**setting) == pytest.approx(np.log(64) / 0.1, rel=1e-9)
    assert bounds.theorem_3(**setting) >= bounds.theorem_3_limit(n_actions=64, epsilon=0.1)
    assert bounds.theorem_3_limit(n_actions=64, epsilon=5.0) < 0 < bounds.theorem_3(**setting | {"epsilon": 5.0})


@pytest.mark.parametrize("noise", mechanisms.NOISES)
def test_tail_of_the_noise_difference_has_the_derived_constants(noise):
    """P(Q_2 - Q_1 >= x) at scale 1, which is P of the second of two actions that lags by x."""
    x = np.linspace(0, 40, 400)
    tail = mechanisms.report_noisy_max_pmf(np.stack([0 * x, -x], axis=-1), noise=noise, scale=1.0)[:, 1]
    bound = {"gumbel": np.exp(-x), "exponential": np.exp(-x) / 2, "laplace": np.exp(-x / 2) / 2}[noise]
    assert (tail <= bound * (1 + 1e-12)).all()


def test_corollary_2_optimises_theorem_2():
    for noise in mechanisms.NOISES:
        setting = {"n_actions": 16, "epsilon": 0.5, "noise": noise}
        horizon = 2**40
        best = min(horizon * gap + bounds.theorem_2(gap=gap, **setting) for gap in np.geomspace(1e-8, 1, 4000))
        assert bounds.corollary_2(horizon=horizon, **setting) == pytest.approx(best, rel=1e-3)


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


def test_the_tail_of_any_losses_holds_for_opposite_ones():
    for noise, gap, epsilon in product(mechanisms.NOISES, (0.1, 0.5, 1.0), (0.2, 2.0)):
        c1, c2 = bounds.tail_constants_of_any_losses(noise)
        for n in (1, 8, 64):
            ups = np.arange(n + 1)
            lead = 2 * ups - n
            law = mechanisms.report_noisy_max_pmf(np.stack([0 * lead, -lead], -1), noise=noise, scale=2 / epsilon)
            wrong = stats.binom.pmf(ups, n, (1 + gap) / 2) @ law[:, 1]
            assert wrong <= c1 * np.exp(-4 * n * gap * min(gap, epsilon) / c2)


@pytest.mark.parametrize("noise", mechanisms.NOISES)
@pytest.mark.parametrize("n_actions", [2, 16, 1024])
@pytest.mark.parametrize("epsilon", [1e-3, 0.3, 5.0])
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
