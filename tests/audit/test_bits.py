"""The grid of floating-point outputs."""

import numpy as np

from replicate import audit
from replicate.audit.bits import grid


def release(x, *, step=None, scale=1.0):
    def draw(n, rng):
        values = x + rng.laplace(scale=scale, size=n)
        return values if step is None else np.rint(values / step) * step

    return draw


def test_highest_and_lowest_bits_by_hand():
    values = np.array([1.0, 3.0, -0.75, 2.0**-60, 1 + 2.0**-52, 5e-324, 0.0, np.nan, np.inf])
    known = [[0, 0], [1, 0], [-1, -2], [-60, -60], [0, -52], [-1074, -1074], [1100] * 2, [1100] * 2, [1100] * 2]
    assert grid(values).tolist() == known
    assert grid(values[:2].reshape(1, 2)).tolist() == [[0, 1, 0, 0]]


def test_naive_noise_is_caught_and_noise_on_a_fixed_grid_is_not(rng):
    naive = audit.bits(release(0.0), release(1.0), samples=50_000, rng=rng)
    assert naive > 3
    snapped = audit.bits(release(0.0, step=2.0**-20), release(1.0, step=2.0**-20), samples=50_000, rng=rng)
    assert snapped <= 1
    assert audit.certified_privacy_loss(release(0.0), release(1.0), samples=50_000, rng=rng, score="fitted") <= 1


def test_other_scales_and_rows_are_seen(rng):
    """Numbers that move from 0 to 1000 in units of 1000; a row whose second number moves."""
    wide = [release(x, scale=1000.0) for x in (0.0, 1000.0)]
    assert audit.bits(*wide, samples=50_000, rng=rng) > 3

    def rows(x):
        return lambda n, rng: np.stack([rng.laplace(size=n), release(x)(n, rng)], axis=1)

    assert audit.bits(rows(0.0), rows(1.0), samples=200_000, rng=rng) > 1


def test_a_low_bit_that_is_as_rare_as_delta_certifies_nothing(rng):
    """One input sets the lowest bit in a tenth of its runs, the other never."""

    def one(chance):
        return lambda n, rng: 1.0 + 2.0**-52 * (rng.random(n) < chance)

    pure, allowed = (audit.bits(one(0.0), one(0.1), samples=4000, delta=d, rng=rng) for d in (0.0, 0.2))
    assert pure > 1
    assert allowed == 0
