"""Proofs of the lemmas on Laplace noise, weights and tunings, for all parameters that they state.

Each function returns the steps that were certified; its docstring shows that they imply the claim.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from replicate.proofs import balls, rationals
from replicate.proofs.rationals import Proof
from replicate.proofs.shared import laplace_norms, sinh


def lemma_18(precision: int = balls.PRECISION, *, noise: str = "Laplace") -> Proof:
    """Lemma 18: the hazard rate of Laplace(lambda) does not decrease and is at most 1 / lambda.

    In units of lambda. For z >= 0 the rate is (e^-z / 2) / (e^-z / 2) = 1. For z <= 0 it is q(t) = t / (2 - t),
    t = e^z in (0, 1]: 1 - q(t) = 2 (1 - t) / (2 - t) >= 0, and q(t) - q(s) = 2 (t - s) / ((2 - t) (2 - s)) >= 0
    for s <= t. The two identities, multiplied by their denominators, are the steps.

    ``"Gaussian"`` noise adds a kernel that would have to be positive, 1 less the Gaussian rate on [1, 4].
    """
    steps = [
        rationals.identity("(2 − t) − t = 2(1 − t)", lambda t: (2 - t) - t - 2 * (1 - t), (1,)),
        rationals.identity(
            "t(2 − s) − s(2 − t) = 2(t − s)", lambda t, s: t * (2 - s) - s * (2 - t) - 2 * (t - s), (1, 1)
        ),
    ]
    if noise == "Gaussian":
        steps.append(balls.cover("Gaussian rate ≤ 1", _gaussian_gap, balls.box((1, 4)), precision=precision))
    return Proof(*steps)


def _gaussian_gap(z: Any) -> Any:
    """1 less the hazard rate of a standard Gaussian."""
    arb = balls.flint().arb
    root = arb(2).sqrt()
    return 1 - (-z * z / 2).exp() * root / arb.pi().sqrt() / (z / root).erfc()


def lemma_19(precision: int = balls.PRECISION, *, lowest: rationals.Number = 0) -> Proof:
    """Lemma 19: E[X 1{|X| > M}] >= 0 for X = loss + Laplace(lambda), every M >= 0 and every loss >= `lowest` = 0.

    In units of lambda, l the loss; any l >= 0, not only up to 1.

    1. M >= l: the mean is (M + 1) (e^-(M - l) - e^-(M + l)) / 2 = (M + 1) e^-M sinh l. First step: sinh l >= 0,
       for it vanishes at 0 and its derivative is positive on [0, 1], hence, as cosh increases, beyond.
    2. M <= l: the mean is l - e^-l (M cosh M - sinh M). The bracket has the derivative M sinh M >= 0 (the first
       step again), so the mean is least at M = l.
    3. There it is l - e^-l (l cosh l - sinh l) = (l + 1) (1 - v) / 2 with v = e^-2l: the second step, an identity.
       It is at least 0, for v <= 1.

    With a loss below 0, sinh is negative: then the first step resists.
    """
    least = rationals.fraction(lowest)

    def difference(loss: Fraction, v: Fraction) -> Fraction:
        return 2 * loss - (loss * (1 + v) - (1 - v)) - (loss + 1) * (1 - v)

    if least < 0:
        sign = balls.cover("sinh l ≥ 0", sinh, balls.box((least, 1)), precision=precision)
    else:
        sign = balls.tight("sinh l ≥ 0", sinh, 1, order=1, precision=precision)
    return Proof(sign, rationals.identity("mean at M = l", difference, (1, 1)))


def lemma_20(precision: int = balls.PRECISION, *, factor: rationals.Number = 10) -> Proof:
    """Lemma 20: some |Z_t|^2 >= factor lambda^2 log^2(N T) with probability at most 1 / T: `laplace_norms`.

    For every N, T >= 1. The smallest factor for which it is true is 4.
    """
    return Proof(*laplace_norms(precision, factor))


def lemma_26(precision: int = balls.PRECISION, *, eta_times_loss: rationals.Number = 1) -> Proof:
    """Lemma 26: multiplicative weights, -eta l_t(j) <= `eta_times_loss`: any N, T, eta and losses.

    1. With x = eta l_t(j) >= -eta_times_loss: e^-x <= 1 - x + x^2. Steps: g(x) = 1 - x + x^2 - e^-x has g(0) =
       g'(0) = 0 and a positive second derivative on [0, 2], and on [-1/2, 0]; g > 0 on [-eta_times_loss, -1/2];
       for x >= 2, 1 - x + x^2 >= 1 >= e^-x, as x (x - 1) >= 2 there.
    2. W_t = sum_j exp(-eta (l_1(j) + ... + l_(t-1)(j))). log(W_(t+1) / W_t) = log sum_j P_t(j) e^-x_j, at most
       -eta sum_j P_t(j) l_t(j) + eta^2 sum_j P_t(j) l_t(j)^2 by 1 and log(1 + y) <= y.
    3. log(W_(T+1) / W_1) >= -eta sum_t l_t(j) - log N for every j. Summed over t, divided by eta: the lemma.

    The step on the negative side fails from 1.794 on: then the lemma is not proved this way.
    """

    def g(x: Any) -> Any:
        return 1 - x + x * x - (-x).exp()

    def mirrored(y: Any) -> Any:
        return 1 + y + y * y - y.exp()

    return Proof(
        balls.tight("e⁻ˣ ≤ 1 − x + x² on [0, 2]", g, 2, order=2, precision=precision),
        balls.tight("on [−1/2, 0]", mirrored, "1/2", order=2, precision=precision),
        balls.cover("down to −eta_times_loss", mirrored, balls.box(("1/2", eta_times_loss)), precision=precision),
        rationals.at_least("x(x − 1) ≥ 0 from 2 on", 2),
    )


def second_moment(precision: int = balls.PRECISION, *, coefficient: rationals.Number = 2) -> Proof:
    """E (l + Z)^2 <= 1 + coefficient lambda^2 for every l in [0, 1] and lambda, Z Laplace(lambda).

    E Z = 0 and E Z^2 = 2 lambda^2, for z^2 e^-z integrates to 2 over z > 0. So 1 + c lambda^2 - E (l + Z)^2 is
    (1 - l) (1 + l) + (c - 2) lambda^2, the first step; the first product is at least 0, and so is the second if
    c >= 2, the other step. At l = 1 any smaller c fails.
    """
    c = rationals.fraction(coefficient)

    def difference(loss: Fraction, scale: Fraction) -> Fraction:
        return 1 + c * scale**2 - (loss**2 + 2 * scale**2) - (1 - loss) * (1 + loss) - (c - 2) * scale**2

    return Proof(
        rationals.identity("difference of the two sides", difference, (2, 2)),
        rationals.at_least("coefficient ≥ 2", c, 2),
    )


def mixing_range(precision: int = balls.PRECISION, *, margin: rationals.Number = Fraction(1, 2)) -> Proof:
    """Corollary 22's gamma exceeds 1 where epsilon T = margin (16 / 22) K log K, margin < 1: a counterexample.

    gamma = 4 K G sqrt(log K / (22 K R G^2)), R = epsilon T, G = log(K R) > 0. First step, an identity: gamma^2
    times 22 R is 16 K log K, so gamma^2 = 1 / margin, for every K. Second step: 1 / margin >= 1. Where K R <= 1,
    the logarithm is not positive, and eta is undefined.
    """
    exact = rationals.fraction(margin)

    def difference(k: Fraction, rounds: Fraction, log_k: Fraction, log: Fraction) -> Fraction:
        return (4 * k * log) ** 2 * log_k * 22 * rounds - 16 * k * log_k * (22 * k * rounds * log**2)

    return Proof(
        rationals.identity("22 R γ² = 16 K log K", difference, (2, 1, 1, 2)),
        rationals.at_least("γ² = 1 / margin ≥ 1", 1 / exact, 1),
    )
