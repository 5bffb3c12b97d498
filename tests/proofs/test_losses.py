"""Exact privacy losses: the laws are those of the mechanisms, the proofs hold and resist."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate

from replicate import mechanisms
from replicate.proofs import losses
from tests.proofs import common
from tests.proofs.common import Case

pytest.importorskip("flint")

TABLE = [
    Case(name, {"spent": spent})
    for name in ("softmax", "permute_and_flip", "randomized_response", "laplace", "above_threshold")
    for spent in (1.01,)
]


@common.cases(TABLE)
def test_the_proof_holds(case):
    common.holds(losses, case)


@common.cases(TABLE)
def test_noise_that_is_a_hundredth_too_small_resists(case):
    common.resists(losses, case)


@common.cases(TABLE)
def test_the_leaves_stand_at_another_precision(case):
    common.leaves_stand(losses, case)


@pytest.mark.parametrize("sums", [(0, 1), (2, 0, 3), (1, 1, 1, 4)])
@pytest.mark.parametrize("z", [Fraction(5, 4), Fraction(3)])
def test_rational_laws_are_those_of_the_mechanisms(sums, z):
    scores = -np.array(sums, dtype=float)
    softmax = mechanisms.softmax_pmf(scores * np.log(float(z)), scale=1.0)
    assert [float(p) for p in losses.softmax_law(sums, z)] == pytest.approx(softmax)
    noisy = mechanisms.report_noisy_max_pmf(scores, noise="exponential", scale=1 / np.log(float(z)))
    assert [float(p) for p in losses.permute_and_flip_law(sums, z)] == pytest.approx(noisy)


def test_laws_add_up_to_one_exactly():
    for law in (losses.softmax_law, losses.permute_and_flip_law):
        assert sum(law((0, 2, 5), Fraction(7, 3))) == 1
    assert sum(losses.randomized_response_law(2, 9, Fraction(7, 3))) == 1


def test_neighbours_are_those_of_enumerated_tables():
    """Sums of all 0/1 tables of two rounds, before and after each of their vectors is replaced."""
    vectors = list(np.ndindex(2, 2))
    found = set()
    for first in vectors:
        for kept in vectors:
            for new in vectors:
                before, after = (tuple(int(v) for v in np.add(kept, one)) for one in (first, new))
                found.add((before, after))
    assert set(losses.neighbours(2, 2)) == {pair for pair in found if pair[0] != pair[1]}


def test_the_law_of_two_actions_with_laplace_noise_by_quadrature():
    """P(Q > Q' + x), Q and Q' Laplace(1), is (1 + x / 2) e^-x / 2: two sums 3 apart, noise of scale 2."""

    def survival(q):
        return np.exp(-q) / 2 if q > 0 else 1 - np.exp(q) / 2

    x = 1.5
    law = mechanisms.report_noisy_max_pmf(np.array([0.0, -3.0]), noise="laplace", scale=2.0)
    tail = integrate.quad(lambda q: np.exp(-abs(q)) / 2 * survival(q + x), -50, 50, points=[-x, 0])[0]
    assert law[1] == pytest.approx((1 + x / 2) * np.exp(-x) / 2)
    assert tail == pytest.approx((1 + x / 2) * np.exp(-x) / 2)


def test_numbers_with_long_fractions_do_not_hang():
    """0.98 written as 1.02 / 1.04 has a denominator of 10^16; rounded up to a hundredth it is 0.99."""
    assert losses.softmax(spent=1.02 / 1.04).holds
    assert losses.randomized_response(spent=1.02 / 1.04).holds
    assert not losses.randomized_response(spent=1.000001).holds
