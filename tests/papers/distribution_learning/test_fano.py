"""Lower bounds without interaction: numbers by hand, the steps of the proof, the best predictions there are."""

import itertools
import math

import numpy as np
import pytest
from scipy import special

from replicate.papers.distribution_learning import bounds, instances, lemmas
from replicate.papers.distribution_learning.experiments import bits


def test_bounds_by_hand():
    """K = 3, T = 1000, epsilon = 2 log 2: sinh(epsilon/2) = 3/4, e^(epsilon/2) - 1 = 1 and e^epsilon - 1 = 3.

    r = 1 - log 2/log 3 = 0.36907025, 2 r/3 = 0.24604683, K log K = 3.29583687, their product 0.81093021.
    """
    setting = {"n_hypotheses": 3, "horizon": 1000, "epsilon": 2 * math.log(2)}
    # (0.00081093021)**0.5 = 0.028476837; / 0.75 = 0.037969116; * 2/3 = 0.018984558
    # b**2 = 0.00081093021 (1 - b) at b = 0.028074258
    assert bounds.signed_gap(**setting) == pytest.approx(0.037969116, rel=1e-6)
    assert bounds.rare_share(**setting, form="crude") == pytest.approx(0.018984558, rel=1e-6)
    assert bounds.rare_share(**setting) == pytest.approx(0.028074258, rel=1e-6)
    # 0.24604683 * 0.037969116 / 4 = 0.0023355450; 1000 * 0.24604683 * 0.028074258 / 4 = 1.7268955
    assert bounds.fano_tv(**setting) == pytest.approx(0.0023355450, rel=1e-6)
    assert bounds.fano_risk(**setting) == pytest.approx(1.7268955, rel=1e-6)
    # With interaction r = 2/3: (1/4) (30/1000)**0.5 = 0.043301270; / 0.75; b**2 = 0.001875 (1 - b)
    assert bounds.signed_gap(**setting, interaction=True) == pytest.approx(0.057735027, rel=1e-6)
    assert bounds.rare_share(**setting, interaction=True) == pytest.approx(0.042373918, rel=1e-6)
    # 0.057735027/12; 1000 * 0.042373918/12
    assert bounds.interactive_tv(**setting) == pytest.approx(0.0048112522, rel=1e-6)
    assert bounds.interactive_risk(**setting) == pytest.approx(3.5311598, rel=1e-6)


LEAST = {
    # 2 r/3 = 0.42919476, K log K = 13.62137, their product 5.846220; over sinh(epsilon/2)^2 = 1/3
    bounds.signed_gap: 18, bounds.fano_tv: 18,
    # (45/32) (6/7)^2 7 = 7.232143; times 3 and 4 for a gap of 1/2, times 16 for a share of 1/4, the crude one
    bounds.interactive_tv: 87, bounds.interactive_risk: 116,
}  # fmt: skip
"""Shortest games, K = 7, epsilon = log 3."""


@pytest.mark.parametrize(("formula", "least"), LEAST.items())
def test_the_class_must_exist(formula, least):
    """K + 1 is a power of two, and gaps or shares have a largest value."""
    for k in (2, 4, 6, 8, 14):
        with pytest.raises(ValueError, match="n_hypotheses must be"):
            formula(n_hypotheses=k, horizon=10**6, epsilon=math.log(3))
    formula(n_hypotheses=7, horizon=least, epsilon=math.log(3))
    with pytest.raises(ValueError, match=f"horizon must be at least {least} for 7 hypotheses, got {least - 1}"):
        formula(n_hypotheses=7, horizon=least - 1, epsilon=math.log(3))


def test_laws_of_a_signed_class_are_as_far_apart_as_stated():
    for k, gap in ((3, 0.4), (7, 1.0), (15, 0.01)):
        f = instances.signed_class(k, gap)
        assert f.shape == (k, k + 1)
        np.testing.assert_allclose(f.sum(axis=1), 1)
        for p, q in itertools.combinations(f, 2):
            assert np.abs(p - q).sum() / 2 == pytest.approx(gap / 2)
        rare = instances.rare_class(k, gap / 2)
        np.testing.assert_allclose(rare[:, 0], 1 - gap / 2)
        np.testing.assert_allclose(rare[:, 1:], gap / 2 * instances.signed_class(k, 1.0))
        for p, q in itertools.combinations(rare, 2):
            assert ((np.sqrt(p) - np.sqrt(q)) ** 2).sum() == pytest.approx(gap / 2)


def test_released_information_by_hand():
    """K = 1 on two labels, 0.75 and 0.25, through a bit flipped with probability 1/4.

    Released 0.625 and 0.375, the centre 1/2 and 1/2: chi square 2 * 0.125**2/0.5; one law alone says nothing.
    """
    flip = np.array([[0.75, 0.25], [0.25, 0.75]])
    found = lemmas.released_information(np.array([[0.75, 0.25]]), flip)
    assert found == pytest.approx((0.0625, 0.0, -(math.log(1.25) + math.log(0.75)) / 2))
    # A common label of mass 1/2 that releases the first symbol always: 0.5 + 0.5 * (0.625, 0.5) in the place.
    channel = np.vstack([[1.0, 0.0], flip])
    chi_square = lemmas.released_information(np.array([[0.5, 0.375, 0.125]]), channel)[0]
    assert chi_square == pytest.approx(0.0625**2 / 0.75 + 0.0625**2 / 0.25)


def test_information_is_shannons():
    """Three laws of four labels, released as they are: the mean divergence from their mean."""
    f = instances.signed_class(3, 0.5)
    _, information, back = lemmas.released_information(f, np.eye(4))
    assert information == pytest.approx(special.rel_entr(f, f.mean(axis=0)).sum(axis=1).mean())
    assert back == pytest.approx(special.rel_entr(np.full((3, 4), 0.25), f).sum(axis=1).mean())


def _loss(f: np.ndarray, joint: np.ndarray, quantity: str) -> float:
    """Loss of Bayes' rule: least mean risk, at most twice the least mean total variation."""
    predicted = joint @ f / joint.sum()
    apart = np.abs(f - predicted) / 2 if quantity == "tv" else special.rel_entr(f, predicted)
    return float(joint @ apart.sum(axis=1))


def _best(f: np.ndarray, channel: np.ndarray, horizon: int, quantity: str) -> float:
    """Mean loss over all laws and sequences of messages of one channel."""
    total, sent = 0.0, f @ channel
    for t in range(horizon):
        for messages in itertools.product(range(channel.shape[1]), repeat=t):
            total += _loss(f, sent[:, list(messages)].prod(axis=1) / len(f), quantity)
    return total / (horizon if quantity == "tv" else 1)


@pytest.mark.parametrize("epsilon", [1.5, 2.0, 3.0])
@pytest.mark.parametrize("quantity", ["tv", "risk"])
def test_nothing_undercuts_the_bounds_in_short_games(quantity, epsilon):
    """Every sequence of messages of two channels on four or five labels: the best mean loss, without sampling."""
    setting = {"n_hypotheses": 3, "horizon": 5, "epsilon": epsilon}
    if quantity == "tv":
        f, bound = instances.signed_class(3, bounds.signed_gap(**setting)), bounds.fano_tv(**setting)
    else:
        f, bound = instances.rare_class(3, bounds.rare_share(**setting)), bounds.fano_risk(**setting)
    n = f.shape[1]
    response = np.exp(epsilon * np.eye(n))
    halves = np.where(np.arange(n)[:, None] % 2 == [0, 1], math.exp(epsilon), 1.0)
    for channel in (response / response.sum(axis=1, keepdims=True), halves / halves.sum(axis=1, keepdims=True)):
        least = _best(f, channel, 5, quantity) / (2 if quantity == "tv" else 1)
        assert bound < least < 30 * bound


def _asked(f: np.ndarray, rows: np.ndarray, joint: np.ndarray, epsilon: float, left: int, quantity: str) -> float:
    """Sum of the losses from here on, each bit asked for by the row of largest variance under the posterior."""
    if not left:
        return 0.0
    posterior = joint / joint.sum()
    variances = [posterior @ (f @ row) ** 2 - (posterior @ f @ row) ** 2 for row in rows]
    row, likely = rows[int(np.argmax(variances))], math.exp(epsilon) / (1 + math.exp(epsilon))
    channel = np.where(row[:, None] == [1, -1], likely, 1 - likely)
    later = (_asked(f, rows, joint * (f @ channel)[:, y], epsilon, left - 1, quantity) for y in (0, 1))
    return _loss(f, joint, quantity) + sum(later)


@pytest.mark.parametrize("quantity", ["tv", "risk"])
def test_bits_that_are_asked_for_are_played_exactly(quantity):
    """Against a recursion of its own on the classes with interaction, K = 3, T = 10, epsilon = 3."""
    setting = {"n_hypotheses": 3, "horizon": 10, "epsilon": 3.0, "interaction": True}
    rows = np.array([[1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])
    if quantity == "tv":
        f, tests = (1 + bounds.signed_gap(**setting) * rows) / 4, rows
    else:
        share = bounds.rare_share(**setting)
        f = np.column_stack([np.full(3, 1 - share), share * (1 + rows) / 4])
        tests = np.column_stack([np.ones(3), rows])
    total = _asked(f, tests, np.full(3, 1 / 3), 3.0, 10, quantity)
    expected = total / 10 if quantity == "tv" else total
    assert bits.greedy_loss(quantity, 3.0, 10, 3) == pytest.approx(expected)
