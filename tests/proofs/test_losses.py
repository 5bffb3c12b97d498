"""Exact privacy losses: the laws are those of the mechanisms, the proofs hold and resist."""

from fractions import Fraction

import numpy as np
import pytest

from replicate import mechanisms
from replicate.proofs import losses

pytest.importorskip("flint")


@pytest.mark.parametrize("sums", [(0, 1), (2, 0, 3), (1, 1, 1, 4)])
@pytest.mark.parametrize("z", [Fraction(5, 4), Fraction(3)])
def test_rational_laws_are_those_of_the_mechanisms(sums, z):
    scores = -np.array(sums, dtype=float)
    softmax = mechanisms.softmax_pmf(scores * np.log(float(z)), scale=1.0)
    assert [float(p) for p in losses.softmax_law(sums, z)] == pytest.approx(softmax)
    noisy = mechanisms.report_noisy_max_pmf(scores, noise="exponential", scale=1 / np.log(float(z)))
    assert [float(p) for p in losses.permute_and_flip_law(sums, z)] == pytest.approx(noisy)


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


def test_numbers_with_long_fractions_do_not_hang():
    """0.98 written as 1.02 / 1.04 has a denominator of 10^16; rounded up to a hundredth it is 0.99."""
    assert losses.softmax(spent=1.02 / 1.04).holds
    assert losses.randomized_response(spent=1.02 / 1.04).holds
    assert not losses.randomized_response(spent=1.000001).holds
