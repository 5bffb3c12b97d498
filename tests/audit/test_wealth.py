"""Bets against a claim: their level at the boundary of the null, the runs they need, and what they refuse."""

from functools import cache

import numpy as np
import pytest

from replicate import audit, certify, mechanisms
from replicate.audit.wealth import STAKES, log_factors
from replicate.streams import stream
from tests.conftest import FALSE_ALARM


def selection(sums, scale):
    """Report-noisy-max with exponential noise: of scale 1 it is 2-private, not 1-private."""
    scores = -np.array(sums, dtype=float)
    return lambda n, rng: mechanisms.report_noisy_max(
        np.tile(scores, (n, 1)), noise="exponential", scale=scale, rng=rng
    )


def coin(p):
    return lambda n, rng: (rng.random(n) < p).astype(np.int64)


def first_action(outputs):
    return (outputs == 0).astype(float)


@cache
def highest(p, q, *, epsilon, delta, runs=4_000, rounds=400):
    """Largest log wealth of each of many bets on one event, of probability p and q."""
    rng = stream(1, "bets", p, q, epsilon, delta)
    x, y = rng.random((runs, rounds)) < p, rng.random((runs, rounds)) < q
    factors = np.exp(log_factors([0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0], epsilon=epsilon, delta=delta))
    wealth, outcome = np.zeros((runs, rounds)), 2 * x + y
    for stake in factors:
        wealth += np.cumprod(stake[outcome], axis=1)
    return np.log(wealth.max(axis=1) / len(STAKES))


def crossings(p, q, *, epsilon, delta, alpha):
    """Count the bets that ever reach 1 / alpha."""
    return int((highest(p, q, epsilon=epsilon, delta=delta) >= -np.log(alpha)).sum())


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.001])
@pytest.mark.parametrize(("q", "delta"), [(0.2, 0.0), (0.02, 0.0), (0.1, 0.1)])
def test_at_the_boundary_of_the_claim_the_level_is_kept(alpha, q, delta):
    """P(S) = e Q(S) + delta exactly. The control: a claim of epsilon 1/4 is refuted more often."""
    p = np.e * q + delta
    wrong = crossings(p, q, epsilon=1.0, delta=delta, alpha=alpha)
    assert certify.clopper_pearson(wrong, 4_000, false_alarm=FALSE_ALARM).low <= alpha
    refuted = crossings(p, q, epsilon=0.25, delta=delta, alpha=alpha)
    assert certify.clopper_pearson(refuted, 4_000, false_alarm=FALSE_ALARM).low > alpha


def test_factors_are_never_negative_and_their_mean_is_at_most_one():
    """Stated in the proof: checked on the corners of [0, 1]^2 and at the boundary of the claim."""
    corners = np.array([[0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]])
    for epsilon, delta in ((0.0, 0.0), (1.0, 0.0), (1.0, 0.3), (5.0, 0.01)):
        factors = np.exp(log_factors(*corners, epsilon=epsilon, delta=delta))
        assert factors.min() >= 0
        q = 0.5 * (1 - delta) / np.exp(epsilon)
        p = np.exp(epsilon) * q + delta
        chances = np.array([(1 - p) * (1 - q), (1 - p) * q, p * (1 - q), p * q])
        assert factors @ chances == pytest.approx(1)


def test_exponential_noise_of_half_the_scale_is_refuted_in_a_thousand_runs():
    """Sums (1, 1) and (2, 0), false alarm 1e-9: median over 20 seeds, the event given and learned."""
    pair = selection([1, 1], 1.0), selection([2, 0], 1.0)
    for event, most in ((first_action, 1_000), (None, 1_200)):
        found = [
            audit.refute(*pair, epsilon=1.0, rng=np.random.default_rng(seed), event=event) for seed in range(20)
        ]
        assert all(bet.refuted and bet.log_wealth >= np.log(1e9) for bet in found)
        assert np.median([bet.runs for bet in found]) <= most


def test_the_right_scale_is_not_refuted_nor_the_true_epsilon():
    for scale, epsilon in ((2.0, 1.0), (1.0, 2.0)):
        pair, rng = (selection([1, 1], scale), selection([2, 0], scale)), np.random.default_rng(0)
        bet = audit.refute(*pair, epsilon=epsilon, false_alarm=1e-3, most_runs=20_000, rng=rng)
        assert not bet.refuted
        assert bet.runs == 20_000


def test_a_claim_that_is_nearly_true_is_refuted_too(rng):
    """Randomized response at epsilon 0.1: the best stake against 0.05 is a twentieth of the largest one."""
    p = np.exp(0.1) / (1 + np.exp(0.1))
    pair, words = (coin(p), coin(1 - p)), {"most_runs": 200_000, "rng": rng, "event": lambda x: x * 1.0}
    assert audit.refute(*pair, epsilon=0.05, **words).refuted
    assert not audit.refute(*pair, epsilon=0.1, **words).refuted


def test_a_delta_is_part_of_the_claim(rng):
    """Total variation 0.2: (0, 0.2)-private, and refuted at delta 0.1."""
    pair = coin(0.6), coin(0.4)
    assert audit.refute(*pair, epsilon=0.0, delta=0.1, rng=rng).refuted
    assert not audit.refute(*pair, epsilon=0.0, delta=0.2, false_alarm=1e-3, most_runs=20_000, rng=rng).refuted


def test_rows_of_floats_are_bet_on(rng):
    def release(x):
        return lambda n, rng: x + rng.laplace(size=(n, 2))

    pair = release(0.0), release(1.0)
    assert audit.refute(*pair, epsilon=0.25, most_runs=1_000, rng=rng).refuted
    assert not audit.refute(*pair, epsilon=2.0, most_runs=500, rng=rng).refuted


def test_the_round_that_decides_is_counted_by_hand():
    """Every round multiplies the stakes' wealths by known factors: the first at which their mean suffices."""
    most = 1 / np.e
    for alpha in (0.4, 1e-3, 1e-9):
        wealth = np.cumprod(np.tile(1 + STAKES * most, (200, 1)), axis=0).mean(axis=1)
        first = int((wealth >= 1 / alpha).argmax()) + 1
        rng = np.random.default_rng(1)
        found = audit.refute(
            coin(1.0), coin(0.0), epsilon=1.0, false_alarm=alpha, rng=rng, event=lambda x: x * 1.0
        )
        assert (found.refuted, found.runs) == (True, 2 * first)
        assert found.log_wealth == pytest.approx(np.log(wealth[first - 1]))


@pytest.mark.parametrize("event", [None, lambda outputs: np.zeros(len(outputs))])
def test_who_has_staked_nothing_has_the_wealth_it_began_with(event):
    """Before any event is learned, and on an event that never happens: all averages of ones are one."""
    coin = lambda n, rng: rng.integers(0, 2, n)  # noqa: E731
    found = audit.refute(coin, coin, epsilon=1.0, most_runs=32, rng=np.random.default_rng(1), event=event)
    assert found.log_wealth == pytest.approx(0, abs=1e-12)
