"""Exact losses of calls of released libraries, from what their sources draw, and of what would be right.

The calls are those of reports/libraries.md; `tests.libraries` audits the libraries as they are installed.
"""

from __future__ import annotations

import itertools
import math


def subset_loss(k: int, epsilon: float, *, ordered: bool) -> float:
    """Loss of subset selection: the true value, if it is in the subset, stands first, or anywhere."""
    size = max(1, round(k / (math.exp(epsilon) + 1)))
    kept = size * math.exp(epsilon) / (size * math.exp(epsilon) + k - size)
    if ordered:  # the true value first: it is kept; another first: it is not kept, and that one is drawn first
        return math.log(kept / ((1 - kept) / (k - 1)))
    # a set with x and without x': kept and x' not drawn, against dropped and x drawn
    one = kept * (1 - (size - 1) / (k - 1)) / math.comb(k - 2, size - 1)
    other = (1 - kept) * size / (k - 1) / math.comb(k - 2, size - 1)
    return math.log(one / other)


def fake_data_loss(k: int, d: int, epsilon: float, *, differ: int) -> float:
    """Loss of random sampling plus fake data between two tuples that differ in some places, by enumeration.

    One of d values, chosen at random, is reported by randomized response at log(d (e^epsilon - 1) + 1), the others
    are uniform.
    """
    level = math.log(d * (math.exp(epsilon) - 1) + 1)
    keep = math.exp(level) / (math.exp(level) + k - 1)
    flip = (1 - keep) / (k - 1)

    def law(x: tuple[int, ...], y: tuple[int, ...]) -> float:
        return sum(keep if a == b else flip for a, b in zip(x, y, strict=True)) / d / k ** (d - 1)

    one, other = (1,) * d, (2,) * differ + (1,) * (d - differ)
    return max(math.log(law(one, y) / law(other, y)) for y in itertools.product(range(k), repeat=d))


def rappor_loss(bits: int, f: float, *, clears: bool) -> float:
    """Loss of RAPPOR with one hash function, which clears a set bit with probability f / 2, or never."""
    kept = 1 - 0.5 * f if clears else 1.0
    one, other = ([kept if j == i else 0.5 * f for j in range(bits)] for i in (1, 2))

    def law(chances: list[float], y: tuple[int, ...]) -> float:
        return math.prod(c if bit else 1 - c for c, bit in zip(chances, y, strict=True))

    outputs = list(itertools.product((0, 1), repeat=bits))
    pairs = [(law(one, y), law(other, y)) for y in outputs if law(one, y) > 0]
    return max(math.inf if q == 0 else math.log(p / q) for p, q in pairs)


def nan_mean_loss(records: int, numbers: int, *, counts_nan: bool) -> float:
    """Loss of a mean of numbers in [0, 1] among NaN, one of them 0 or 1, with Laplace noise that is cut to [0, 1].

    The mean moves by 1 / numbers, and the noise has scale 1 / records, or 1 / numbers where NaN are not counted.
    What is cut off falls on the ends: the event that 0 is released has the loss of the noise, move over scale.
    """
    return records / numbers if counts_nan else 1.0
