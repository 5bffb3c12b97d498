"""Compute by hand what checks measure, and its limits: of claims and errata, and of their controls."""

from itertools import product
from math import exp, expm1, log, sqrt, tanh

import pytest

from tests.claims.by_hand import assert_numbers, assert_pieces, pieces
from tests.transcriptions import distribution_learning as second

CEILING = 1 + 1e-9


def first_round(epsilon):
    """log 2 over 12 sqrt(K T log^5 KT) / epsilon at K T = 200."""
    return log(2) * epsilon / (12 * sqrt(200 * log(200) ** 5))


def change():
    """A symbol's probability falls from (1 - c) / 8 + c / 4 by c / 16, c = (e - 1) / (e + 7)."""
    c = (exp(1) - 1) / (exp(1) + 7)
    return c / 16 / ((1 - c) / 8 + c / 4)


def share(one, other, n_cells, horizon):
    """Uniform cell's part of (31): cells of two kinds, of a law uniform on the many labels and of a lone label."""
    logs = [log(1 + n_cells * (horizon - 1) / cells) for cells in (one, other)]
    return (one * logs[0] - other * logs[1]) / (horizon * n_cells)


def last_term(denominator):
    """49 labels of two cells each, a lone one of 50; K = 2, T = 100."""
    return (98 * log(1 + 99 * 148 / 98) - 50 * log(1 + 99 * 148 / 50)) / (100 * 148) * denominator / log(200)


def last_term_small(power):
    """The lone label's 20 cells, the others' 11; over log(KT) / denominator."""
    return power * (20 * log(1 + 31 * 99 / 20) - 11 * log(1 + 31 * 99 / 11)) / (31 * log(200))


def one_bit(epsilon, gap):
    """KL divergence of a noisy bit that tells a pair's halves apart."""
    keep = exp(epsilon) / (1 + exp(epsilon))
    moved = keep + (1 - 2 * keep) * gap / 2
    return keep * log(keep / moved) + (1 - keep) * log((1 - keep) / (1 - moved))


def one_for_all(epsilon):
    return one_bit(epsilon, 0.3) * 62 / (0.09 * min(expm1(epsilon) ** 2, 1) * exp(epsilon))


def spread(epsilon, n):
    """2 Var over mean square of a symbol e^epsilon likelier under i of n labels, the largest."""
    sums = [(i * exp(epsilon) + n - i, i * exp(2 * epsilon) + n - i) for i in range(1, n)]
    return max(2 * (1 - total**2 / n / squares) for total, squares in sums)


BIT, NOISE = 2 * (1 / 12) ** 2, (1 / 12) ** 2 * (12 / 7 + 12 / 5) / 31
"""A pair's bit at gap 1/2 and probabilities 2/3 and 1/3, which moves by 1/12: 2 TV^2, and chi^2 in one of 31."""
LIMIT = 0.25 * 2 / 62
CLOSE = {
    "DL-SLIP-2/0": ((first_round(1e5), 1), (first_round(15_500), 1)),
    "DL-SLIP-2/1": ((first_round(1e5), 1), (first_round(15_500), 1)),
    "DL-SLIP-3/0": ((2, CEILING), (1, CEILING)),
    "DL-SLIP-3/1": ((2, CEILING), (2 / 3, CEILING)),
    "DL-SLIP-4/0": ((change(), 1e-9), (change(), 0.077 + 1e-9)),
    "DL-SLIP-4/1": ((1 / 6, 1e-9), (1 / 6, 0.17 + 1e-9)),
    "DL-SLIP-5/0": ((spread(3, 32), CEILING), (spread(3, 32), 2 * tanh(1.5) ** 2 * CEILING)),
    "DL-SLIP-5/1": ((2 * (1 - (40 / 21) ** 2 / 20), CEILING), (1 - (40 / 21) ** 2 / 20, CEILING)),
    "DL-SLIP-6/1": ((7 / 6, CEILING), (1, CEILING)),
    "DL-SLIP-8/0": ((last_term(10_000), CEILING), (last_term(100), CEILING)),
    "DL-SLIP-8/1": ((last_term_small(22), CEILING), (last_term_small(1), CEILING)),
    "DL-SLIP-11/0": ((one_for_all(0.5), CEILING), (one_for_all(0.5) / 31, CEILING)),
    "DL-SLIP-11/1": ((BIT / LIMIT, CEILING), (NOISE / LIMIT, CEILING)),
    "DL-SLIP-12/0": ((14 / 10, CEILING), (1, CEILING)),
    "DL-SLIP-12/1": ((2, CEILING), (1, CEILING)),
}
"""By comparison: the measured number and its limit, and those of the control."""


@pytest.mark.parametrize("key", CLOSE)
def test_numbers_by_hand(key):
    assert_numbers(key, *CLOSE[key], rel=1e-8)


def test_pieces_by_hand():
    assert_pieces(pieces("DL-SLIP-11/0"), [(one_for_all(0.1), CEILING), (one_for_all(0.5), CEILING)])
    assert_pieces(pieces("DL-SLIP-3/0"), [(2, CEILING)] * 2)


def test_schemes_that_change_with_time_reveal_what_their_bits_do():
    """Each of 31 pairs in one round: the sum is one bit's divergence; ours is 0.8 (e^(epsilon / 2) - 1)^2 a^2."""
    settings = ((0.1, 0.3), (0.5, 0.3), (1.0, 0.05), (3.0, 0.05))
    assert_pieces(pieces("DL-T3v/0"), [(one_bit(e, gap), 0.8 * (gap * expm1(e / 2)) ** 2) for e, gap in settings])


def test_lemma_2_on_the_noise_of_8():
    """k e^2 + 2 e sqrt(2 k l) over epsilon, e = epsilon / (2 sqrt(r k l) + sqrt(k epsilon)), l = log 1/delta."""

    def largest(under_root):
        ratios = []
        for k, epsilon, delta in product((2, 64, 2**20), (1e-6, 0.1, 1.0, 50.0), (0.5, 1e-2, 1e-6, 1e-100)):
            x, y = sqrt(2 * k * log(1 / delta)), sqrt(k * epsilon)
            below = 2 * x * sqrt(under_root / 2) + y
            ratios.append((y**2 + 2 * x * below) / below**2)
        return max(ratios)

    assert_numbers("DL-S6/0", (largest(2), CEILING), (largest(1.95), CEILING), rel=1e-11)


def test_printed_forms_by_a_second_transcription():
    """The largest ratio of a bound with all its constants to what it prints inside O( )."""
    grid = list(product((2, 3, 16, 2**20), (2, 3, 100, 10**6, 2**58), (1e-6, 1e-2, 1.0, 50.0)))
    pure, approximate = [], []
    for k, t, e in grid:
        sizes = {"n_hypotheses": k, "horizon": t, "epsilon": e}
        pure.append(second.theorem_5(**sizes) / second.theorem_5_rate(**sizes))
        approximate += [
            second.theorem_4(**sizes, delta=d) / second.theorem_4_rate(**sizes, delta=d)
            for d in (1e-100, 1e-6, 0.5)
        ]
    assert_numbers("DL-T5o/0", (max(pure), 5.2), (max(pure), 4.2))
    assert_numbers("DL-T4o/0", (max(approximate), 14.7), (max(approximate), 11.0))


def test_rates_by_a_second_transcription():
    grid = [(2**a, 2**b, e) for a in range(1, 31, 3) for b in range(1, 60, 3) for e in (1.0, 0.1, 0.01)]

    def largest(power):
        return max(
            second.theorem_2_constant(n_hypotheses=k, horizon=t, epsilon=e, power=power) for k, t, e in grid
        )

    assert_numbers("DL-T12/0", (largest(5.0), 12), (largest(4.25), 12))
