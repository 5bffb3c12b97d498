"""The exact privacy loss of report-noisy-max against closed forms, enumeration, random search and OpenDP."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from replicate import audit
from replicate.mechanisms import NOISES, report_noisy_max_pmf
from replicate.streams import stream


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_exponential_noise_of_scale_one_over_epsilon_costs_two_epsilon(epsilon):
    """The smallest counterexample: two actions, blocks of one and of two rounds."""
    one, two = (
        audit.report_noisy_max_privacy_loss(2, noise="exponential", scale=1 / epsilon, n_rounds=n) for n in (1, 2)
    )
    assert one == pytest.approx(np.log(2 * np.exp(epsilon) - 1), rel=1e-12)
    assert two == pytest.approx(2 * epsilon, rel=1e-12)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("monotone", [False, True])
def test_supremum_is_approached_and_not_passed(noise, monotone):
    supremum = audit.report_noisy_max_privacy_loss(3, noise=noise, scale=2.0, monotone=monotone)
    assert supremum == (0.5 if monotone else 1.0)
    losses = [
        audit.report_noisy_max_privacy_loss(3, noise=noise, scale=2.0, n_rounds=n, monotone=monotone)
        for n in (1, 3, 20, 500)
    ]
    assert (np.diff(losses) >= -1e-9).all()
    assert supremum * 0.98 < losses[-1] <= supremum * (1 + 1e-9)


@given(
    noise=st.sampled_from(NOISES),
    epsilon=st.floats(0.01, 100),
    n_rounds=st.integers(2, 4096),
    n_actions=st.integers(2, 3),
    monotone=st.booleans(),
)
@example(noise="gumbel", epsilon=100.0, n_rounds=4096, n_actions=3, monotone=False)
def test_long_stretches_cost_the_supremum_but_for_an_exponential_and_laplace_noise_on_two_actions_less(
    noise, epsilon, n_rounds, n_actions, monotone
):
    """Far beyond what floats hold; Laplace noise has P(Q - Q' > x) = exp(-x) (2 + x) / 4 at x scales."""
    back, scale = (0, 1 / epsilon) if monotone else (1, 2 / epsilon)
    loss = audit.report_noisy_max_privacy_loss(
        n_actions, noise=noise, scale=scale, n_rounds=n_rounds, monotone=monotone
    )
    far, farther = (n_rounds - 1 - back) / scale, n_rounds / scale
    if (noise, n_actions) == ("laplace", 2):
        assert loss == pytest.approx(epsilon - np.log((2 + farther) / (2 + far)), rel=1e-9)
    else:
        assert epsilon * (1 - 1e-9) - np.exp(-far) <= loss <= epsilon * (1 + 1e-9)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(("n_rounds", "n_actions"), [(1, 2), (2, 2), (3, 2), (1, 3), (1, 4), (2, 3)])
def test_enumeration_of_every_table_finds_the_same_loss(noise, n_rounds, n_actions):
    exact = audit.exhaustive_privacy_loss(
        lambda table: report_noisy_max_pmf(-table.sum(axis=-2), noise=noise, scale=1.3),
        n_rounds=n_rounds,
        n_actions=n_actions,
    )
    claimed = audit.report_noisy_max_privacy_loss(n_actions, noise=noise, scale=1.3, n_rounds=n_rounds)
    assert claimed == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("n_actions", [2, 3, 5, 8])
def test_random_neighbours_never_lose_more(noise, n_actions):
    n_rounds, draws = 4, 20_000
    rng = stream(5, "neighbours", noise, n_actions)
    rest = rng.random((draws, n_actions)) * (n_rounds - 1)
    moves = rng.choice([0.0, 1.0, 0.5], size=(2, draws, n_actions))
    before, after = (report_noisy_max_pmf(-(rest + move), noise=noise, scale=0.8) for move in moves)
    seen = audit.privacy_loss(before, after).max()
    claimed = audit.report_noisy_max_privacy_loss(n_actions, noise=noise, scale=0.8, n_rounds=n_rounds)
    assert 0.5 * claimed < seen <= claimed + 1e-9


def test_a_quarter_of_the_scale_is_seen():
    for noise in NOISES:
        honest, cheat = (
            audit.report_noisy_max_privacy_loss(4, noise=noise, scale=2.0 / c, n_rounds=50) for c in (1, 4)
        )
        assert honest <= 1 + 1e-9
        assert cheat > 3


@pytest.mark.parametrize("monotone", [False, True])
def test_opendp_charges_the_same(monotone):
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int, monotonic=monotone)
    select = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=1.0)
    ours = audit.report_noisy_max_privacy_loss(2, noise="exponential", scale=1.0, monotone=monotone)
    assert select.map(1) == pytest.approx(ours, rel=1e-9)
