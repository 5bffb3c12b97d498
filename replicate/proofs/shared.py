"""Steps that proofs of several papers share."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from replicate.proofs import balls, rationals
from replicate.proofs.rationals import Step


def cosh(x: Any) -> Any:
    """Hyperbolic cosine of a ball or a series."""
    return (x.exp() + (-x).exp()) / 2


def sinh(x: Any) -> Any:
    """Hyperbolic sine of a ball or a series."""
    return (x.exp() - (-x).exp()) / 2


def two_points(x: Any, mean: Any) -> Any:
    """Return cosh x - mean sinh x: E exp(-x U) of a variable U on -1 and 1 with this mean.

    It is the largest over all U in [-1, 1] with the mean, for exp(-x u) lies below its chord, which has the height
    cosh x - u sinh x at u.
    """
    return cosh(x) - mean * sinh(x)


def hoeffding() -> Step:
    """Hoeffding's lemma: log E exp(-x V) <= -x E V + x^2 / 8 for V in [0, 1] and every x.

    Convexity of the exponential: E exp(-x V) <= D(x) = 1 - p + p e^-x, p = E V. Let h(x) = log D(x) + x p. Then
    h(0) = h'(0) = 0 and h'' = (D'' D - D'^2) / D^2 = p E (1 - p) / D^2 with E = e^-x. The step is the identity
    D^2 - 4 p E (1 - p) = (D - 2 p E)^2, so h'' <= 1/4, and Taylor's formula gives h(x) <= x^2 / 8.
    """

    def difference(p: Fraction, e: Fraction) -> Fraction:
        d = 1 - p + p * e
        return d**2 - 4 * p * e * (1 - p) - (d - 2 * p * e) ** 2

    return rationals.identity("D² − 4pE(1 − p) = (D − 2pE)²", difference, (2, 2))


def variance() -> Step:
    """Lagrange's identity: s_2 s_0 - s_1^2 is the sum of e_i e_j (b_i - b_j)^2 over i < j, s_k = sum_i b_i^k e_i.

    Both sides are sums over pairs (i, j) of a polynomial in b_i, b_j times e_i e_j, so two indices prove it for
    any number.
    """

    def difference(b: Fraction, c: Fraction, d: Fraction, e: Fraction) -> Fraction:
        return (b * b * d + c * c * e) * (d + e) - (b * d + c * e) ** 2 - d * e * (b - c) ** 2

    return rationals.identity("s₂s₀ − s₁² = Σ eᵢeⱼ(bᵢ − bⱼ)²", difference, (2, 2, 2, 2))


def laplace_norms(precision: int, factor: rationals.Number) -> tuple[Step, ...]:
    """Among N T draws of Laplace(s), some Z^2 >= factor s^2 log^2(N T) with probability at most 1 / T.

    With n = N T and r = sqrt(factor) one draw is as large with probability n^-r, some of n with at most n^(1-r),
    by the union bound. For r >= 2, that is at most n^-1 <= 1 / T, since n >= T >= 1. So factor >= 4 is all that
    is needed, and is the step.

    Where factor < 4 the statement itself fails: with N = 1 the probability is at least n a - n^2 a^2 / 2,
    a = T^-r, by Bonferroni, hence T times it is at least T^(2-r) - T^(3-2r) / 2, and the kernel is 1 less that,
    in x = log T.
    """
    exact = rationals.fraction(factor)
    enough = rationals.at_least("factor ≥ 4", exact, 4)
    if enough.holds:
        return (enough,)
    root = balls.rational(exact)

    def kernel(x: Any) -> Any:
        r = balls.flint().arb(root).sqrt()
        return 1 - ((2 - r) * x).exp() + ((3 - 2 * r) * x).exp() / 2

    return (enough, balls.cover("T P(N = 1) ≤ 1, x = log T", kernel, balls.box((1, 2000)), precision=precision))
