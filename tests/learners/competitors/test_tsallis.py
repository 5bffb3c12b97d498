"""Tsallis-INF: its law against a general optimiser, its estimator, and the steps of the proof of its bound."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from replicate.learners.competitors import tsallis
from replicate.streams import stream


def law(score, t):
    state = tsallis.fresh_state(len(score))
    state[tsallis.SCORE], state[tsallis.NUMBER, tsallis.ROUND] = score, t - 1
    tsallis.act(state, stream(1))
    return state[tsallis.LAW]


def law_by_bisection(score, t):
    """The minimiser has score_i - sqrt(t) / (2 sqrt(w_i)) equal for all actions, and sums to 1."""
    score = np.asarray(score, dtype=float)

    def weights(x):
        return (math.sqrt(t) / (2 * (score - score.min() + x))) ** 2

    x = optimize.brentq(
        lambda x: weights(x).sum() - 1, 1e-12, 10 * math.sqrt(t * len(score)), xtol=1e-15, rtol=1e-15
    )
    return weights(x)


@given(
    score=st.lists(st.floats(-1e4, 1e4), min_size=2, max_size=12),
    t=st.sampled_from([1, 2, 17, 1000, 10**6, 10**9]),
)
def test_the_law_is_the_minimiser(score, t):
    np.testing.assert_allclose(law(score, t), law_by_bisection(score, t), rtol=1e-6, atol=1e-12)
    assert law(score, t).sum() == pytest.approx(1)


@pytest.mark.parametrize("t", [1, 15, 16, 40, 400, 10**5])
def test_estimates_are_unbiased_and_centred_where_actions_are_likely(t):
    losses, state = np.array([0.9, 0.2, 0.6]), tsallis.fresh_state(3)
    score = np.array([0.0, 2.0, 9.0])
    state[tsallis.SCORE], state[tsallis.NUMBER, tsallis.ROUND] = score, t - 1
    tsallis.act(state, stream(1))
    w, mean = state[tsallis.LAW].copy(), np.zeros(3)
    likely = w >= 16 / t
    for arm in range(3):
        after = state.copy()
        tsallis.observe(after, arm, losses[arm])
        moved = after[tsallis.SCORE] - score
        np.testing.assert_allclose(np.delete(moved, arm), 0.5 * np.delete(likely, arm), atol=1e-12)
        mean += w[arm] * moved
    np.testing.assert_allclose(mean, losses)
    assert likely.any() == (t > 16)


def test_parts_of_the_bound_add_up():
    k, t = 5, 10**5
    s = np.sqrt(np.arange(t + 1)) / 2
    price = 2 * (np.diff(s) * (math.sqrt(k) - 1)).sum()
    quarters = (math.sqrt(k) / (4 * s[1:])).sum()
    rest = ((6 * k + 8 / 3) / np.arange(1, t + 1)).sum()
    bound = tsallis.regret_bound(n_actions=k, horizon=t)
    assert price + quarters + rest <= bound
    assert price + quarters + rest > 0.95 * bound
