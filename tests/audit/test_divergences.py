"""Renyi and zero-concentrated limits against exact laws."""

import numpy as np
import pytest

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
