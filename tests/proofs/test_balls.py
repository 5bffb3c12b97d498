"""Covers prove what is true and refuse what is false; a wrong leaf, kernel or precision is found out."""

import math
from fractions import Fraction

import numpy as np
import pytest

from replicate.proofs import balls, rationals, shared
from replicate.proofs.rationals import Proof

flint = pytest.importorskip("flint")

UNIT = balls.box((0, 1))
SQUARE = balls.box((-1, 1), ("-1/2", 2))


def bump(x, y):
    """At least 1/10 everywhere, with its minimum at (1/3, 1)."""
    return (x - balls.rational("1/3")) ** 2 + (y - 1) ** 2 + balls.rational("1/10")


def dip(x, y):
    """The same with a minimum of -1/50."""
    return bump(x, y) - balls.rational("12/100")


def logistic(x):
    return 1 / (1 + (-x).exp())


def test_a_true_inequality_is_covered_and_its_margin_is_below_the_minimum():
    step = balls.cover("bump > 0", bump, SQUARE)
    assert step.holds
    assert 0 < step.margin <= 0.1
    assert len(step.leaves) > 4
    assert 0 < balls.recheck(step.leaves, bump, SQUARE, precision=200) <= 0.1


def test_a_false_inequality_is_refuted_on_a_part_where_it_is_false_everywhere():
    step = balls.cover("dip > 0", dip, SQUARE)
    assert not step.holds
    assert -0.02 <= step.margin < 0
    (a, b), (c, d) = balls.part(SQUARE, step.resists)
    rng = np.random.default_rng(0)
    points = rng.uniform([float(a), float(c)], [float(b), float(d)], size=(200, 2))
    assert all((x - 1 / 3) ** 2 + (y - 1) ** 2 - 0.02 <= step.margin + 1e-12 for x, y in points)


def test_what_touches_zero_is_left_undecided_by_a_cover_and_certified_by_its_derivatives():
    def function(x):
        return 1 - x + x * x / 2 - (-x).exp()

    assert balls.cover("plain", function, UNIT, most=500).margin == -np.inf
    step = balls.tight("by the third derivative", function, 1, order=3)
    assert step.holds
    assert step.margin <= np.exp(-1) / 6 + 1e-12
    assert balls.recheck(step.leaves, step.kernel, step.domain, precision=40) > 0


@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_function_that_falls_at_zero_is_refuted(order):
    step = balls.tight("e^x <= 1 + x", lambda x: 1 + x - x.exp(), 1, order=order)
    assert not step.holds
    if order == 3:  # the second coefficient, -1/2, is seen
        assert step.resists is not None


def test_taylor_coefficients_are_exact():
    exact, coefficient = balls.taylor(lambda x: (1 - x / 3).log(), 4)
    assert exact == [0, Fraction(-1, 3), Fraction(-1, 18), Fraction(-1, 81)]
    assert coefficient(flint.arb(0)).overlaps(flint.arb(-1) / 324)


@pytest.mark.parametrize(
    ("leaves", "message"),
    [
        (("0",), "fill the box, got 1/2"),
        (("0", "1", "10"), "one inside another"),
        (("0", "0", "1"), "one inside another"),
        (("", "1"), "one inside another"),
        (("0", "10", "110"), "fill the box, got 7/8"),
        (("0", "2"), "bits 0 and 1"),
        ((), "fill the box, got 0"),
    ],
)
def test_leaves_that_do_not_fill_the_box_are_refused(leaves, message):
    with pytest.raises(ValueError, match=message):
        balls.recheck(leaves, logistic, UNIT, precision=64)


def test_a_kernel_that_is_not_positive_on_a_leaf_is_refused():
    """A kernel that lies, on a narrow part only, or a precision that is too small, is found out by the recheck."""
    step = balls.cover("logistic > 0", logistic, UNIT)
    with pytest.raises(ValueError, match="positive on every leaf"):
        balls.recheck(step.leaves, lambda x: logistic(x) - balls.rational("3/4"), UNIT, precision=64)
    narrow = balls.cover(
        "1 + 2^-100 - x > 0", lambda x: 1 + balls.rational(Fraction(1, 2**100)) - x, UNIT, precision=300
    )
    assert narrow.holds
    with pytest.raises(ValueError, match="at 20 bits"):
        balls.recheck(narrow.leaves, narrow.kernel, UNIT, precision=20)


def test_a_kernel_without_a_finite_value_is_not_certified():
    step = balls.cover("log x", lambda x: x.log() * 0 + 1, UNIT, most=200)
    assert not step.holds
    assert step.margin == -np.inf


def test_numbers_are_the_rationals_that_they_are_written_as():
    assert rationals.fraction(0.1) == Fraction(1, 10)
    assert rationals.fraction("2/3") == Fraction(2, 3)


def test_an_identity_needs_every_variable_of_its_degree():
    """A polynomial that vanishes on a coarser grid is not taken for zero."""

    def wrong(x, y):
        return (x - Fraction(1, 2)) * (x - 2) * y

    assert rationals.identity("too few points", wrong, (1, 1)).holds  # degree 2 in x, called 1
    assert not rationals.identity("enough", wrong, (2, 1)).holds


def test_a_value_is_compared_exactly():
    assert rationals.at_least("equal", Fraction(1, 3), Fraction(1, 3)).holds
    step = rationals.at_least("less", Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30))
    assert not step.holds
    assert step.margin < 0


def test_balls_that_are_not_all_positive_are_refused():
    assert balls.certified("one", [flint.arb(1), flint.arb("0.5")]).holds
    step = balls.certified("one is not", [flint.arb(1), flint.arb("-0.5")])
    assert not step.holds
    assert -0.51 < step.margin < -0.49
    assert balls.certified("one is open", [flint.arb(0, 1)]).margin == -np.inf


def test_a_proof_holds_when_every_step_does():
    true, false = balls.cover("true", bump, SQUARE), balls.cover("false", dip, SQUARE)
    doubt = balls.cover("doubt", lambda x: x, UNIT, most=20)
    assert Proof(true).holds
    assert not Proof(true, false).holds
    assert not Proof().holds
    assert Proof(true, false, doubt).margin == false.margin
    assert Proof(true, false, doubt).refuted == (false,)
    assert Proof(true, shared.hoeffding()).margin == true.margin


def test_shared_identities_hold():
    assert shared.hoeffding().holds
    assert shared.variance().holds


@pytest.mark.parametrize("factor", [3.9, 3.5, 2])
def test_smaller_factors_of_laplace_norms_are_refuted(factor):
    steps = shared.laplace_norms(64, factor)
    assert [step.holds for step in steps] == [False, False]
    assert steps[1].resists is not None
    assert shared.laplace_norms(64, 4)[0].holds


def test_a_negative_coefficient_among_larger_ones_is_not_overlooked():
    """x - x^2 + x^3 / 100 has a positive third coefficient everywhere, and is negative at 3/2."""
    step = balls.tight("false beyond 1", lambda x: x - x * x + x * x * x / 100, 2, order=3)
    assert not step.holds
    assert step.resists is not None


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_a_polynomial_that_vanishes_on_all_points_but_one_is_not_zero(degree):
    points = [Fraction(3 * i + 1, 2) for i in range(-(degree // 2), degree - degree // 2)]
    assert not rationals.identity("one point short", lambda x: math.prod(x - p for p in points), (degree,)).holds
