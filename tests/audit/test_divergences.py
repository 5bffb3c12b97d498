"""Renyi, zero-concentrated and trade-off limits against exact laws."""

import numpy as np
import pytest
from scipy import stats

from replicate import audit, mechanisms

PAIR = np.array([[0.5, 0.5], [1 - np.exp(-2) / 2, np.exp(-2) / 2]])
"""Permute-and-flip on scores (0, 0) and (1, -1), scale 1."""


def draw(law):
    return lambda n, rng: rng.choice(len(law), size=n, p=law)


def gaussian(x):
    return lambda n, rng: x + rng.normal(size=n)


def test_renyi_divergences_by_hand():
    p, q = np.array([0.5, 0.5]), np.array([0.25, 0.75])
    assert audit.renyi_divergence(p, q, order=2) == pytest.approx(np.log(0.25 / 0.25 + 0.25 / 0.75))
    assert audit.renyi_divergence(p, q, order=np.inf) == pytest.approx(np.log(2))
    assert audit.renyi_divergence(p, q, order=1 + 1e-9) == pytest.approx((p * np.log(p / q)).sum(), abs=1e-6)
    assert audit.renyi_divergence([1.0, 0.0], [0.5, 0.5], order=3) == pytest.approx(np.log(2))
    assert audit.renyi_divergence([0.5, 0.5], [1.0, 0.0], order=3) == np.inf


def test_permute_and_flip_is_not_as_concentrated_as_the_exponential_mechanism():
    """At epsilon = 2 the exponential mechanism is 1/2-zCDP; permute-and-flip has 0.7275."""
    assert audit.zcdp_loss(*PAIR) == pytest.approx(0.7275, abs=1e-4)
    laws = [mechanisms.report_noisy_max_pmf(s, noise="exponential", scale=1.0) for s in ([0.0, 0], [1.0, -1])]
    assert laws == [pytest.approx(law) for law in PAIR]
    gumbel = [mechanisms.softmax_pmf(s, scale=1.0) for s in ([0.0, 0], [1.0, -1])]
    assert audit.zcdp_loss(*gumbel) <= 0.5


def test_samples_certify_most_of_the_exact_divergence_and_never_more(rng):
    for order in (1.5, 2.0, 8.0, np.inf):
        exact = max(audit.renyi_divergence(*PAIR, order=order), audit.renyi_divergence(*PAIR[::-1], order=order))
        limit = audit.certified_renyi(draw(PAIR[0]), draw(PAIR[1]), order=order, samples=200_000, rng=rng)
        assert 0.85 * exact < limit <= exact
    limit = audit.certified_zcdp(draw(PAIR[0]), draw(PAIR[1]), samples=200_000, rng=rng)
    assert 0.65 < limit <= 0.7275
    assert audit.certified_zcdp(draw(PAIR[0]), draw(PAIR[0]), samples=50_000, rng=rng) == 0


def test_a_gaussian_certifies_part_of_its_half(rng):
    """N(0, 1) and N(1, 1): D_a = a / 2. One event never shows all of it."""
    limit = audit.certified_zcdp(gaussian(0.0), gaussian(1.0), samples=200_000, rng=rng)
    assert 0.25 < limit < 0.5
    by_sign = audit.certified_renyi(
        gaussian(0.0), gaussian(1.0), order=2, samples=200_000, rng=rng, score=lambda x: np.sign(x)
    )
    assert 0 < by_sign < 1


def sampled(certified, **options):
    return lambda p, q: certified(draw(p), draw(q), samples=20_000, rng=np.random.default_rng(3), **options)


UNORDERED = {
    "privacy_loss": lambda p, q: float(audit.privacy_loss(p, q)),
    "zcdp_loss": audit.zcdp_loss,
    "above_threshold_pair_loss": lambda p, q: audit.above_threshold_pair_loss(9 * p, 9 * q, epsilon=1.0),
    "certified_privacy_loss": sampled(audit.certified_privacy_loss),
    "certified_renyi": sampled(audit.certified_renyi, order=4),
    "certified_zcdp": sampled(audit.certified_zcdp),
}


@pytest.mark.parametrize("name", UNORDERED)
def test_the_loss_of_two_neighbours_does_not_depend_on_which_comes_first(name):
    """Neighbours have no order, and (1/2, 1/2) tells more apart from (0.98, 0.02) than the other way round.

    In one direction the losses differ by a factor of 1.5 at least. Sampled ones rest on 140 rare outcomes or more:
    their logarithms of ratios, near 3, err by 0.09, and 30% of them are seven standard deviations of a difference.
    """
    p, q = np.array([0.5, 0.5]), np.array([0.98, 0.02])
    one, other = UNORDERED[name](p, q), UNORDERED[name](q, p)
    assert one > 0
    assert one == pytest.approx(other, rel=0.3 if name.startswith("certified") else 1e-12)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_band_does_not_ask_on_which_side_a_score_is_large(sign):
    """Scores that are large, or small, where the first input is likely: the same events, but for ties."""
    rng = np.random.default_rng(5)
    band = audit.trade_off_band(
        gaussian(1.5), gaussian(0.0), samples=20_000, rng=rng, score=lambda x: sign * x, false_alarm=0.01
    )
    levels = np.linspace(0.05, 0.95, 10)
    above = np.interp(levels, band[:, 0], band[:, 1])
    curve = stats.norm.cdf(stats.norm.isf(levels) - 1.5)
    assert (above >= curve).all()
    assert (above - curve).max() < 0.06


def test_the_band_lies_above_the_trade_off_curve_of_a_gaussian_and_close_to_it(rng):
    band = audit.trade_off_band(gaussian(0.0), gaussian(1.0), samples=200_000, rng=rng)
    levels = np.linspace(0.05, 0.95, 19)
    above = np.interp(levels, band[:, 0], band[:, 1])
    curve = stats.norm.cdf(stats.norm.isf(levels) - 1)
    assert (above >= curve).all()
    assert (above - curve).max() < 0.04
    assert (above < 1 - levels).all()
    assert (np.diff(band[:, 0]) > 0).all()
    assert (np.diff(band[:, 1]) < 0).all()
    blind = audit.trade_off_band(gaussian(0.0), gaussian(0.0), samples=50_000, rng=rng)
    assert np.allclose(np.interp(levels, blind[:, 0], blind[:, 1]), 1 - levels, atol=1e-12)
