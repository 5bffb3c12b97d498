"""Proofs of the lemmas and of the inequalities inside the proof, for all parameters that they state.

Each function returns the steps that were certified; its docstring shows that they imply the claim. K, eta,
Delta_j, D_{m,j}, P_{m,j}, Z_m, V_m and F_m are the paper's.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

from replicate.proofs import balls, losses, rationals
from replicate.proofs.rationals import Proof
from replicate.proofs.shared import cosh, sinh, two_points


def lemma_1(precision: int = balls.PRECISION, *, divisor: rationals.Number = 8) -> Proof:
    """Lemma 1: P(U_1 + ... + U_m <= m mu / 2) <= exp(-m mu^2 / divisor), U_s independent in [-1, 1], mean mu > 0.

    1. Markov's inequality for exp(-x sum U), x > 0: the probability is at most the product over s of
       E exp(-x U_s) times exp(x m mu / 2).
    2. E exp(-x U_s) <= cosh x - mu sinh x (`two_points`).
    3. Take x = mu / 2. With f(mu) = -mu^2 / divisor - mu^2 / 4 - log(cosh(mu / 2) - mu sinh(mu / 2)), the
       probability is at most exp(-m mu^2 / divisor - m f(mu)).
    4. The step: f >= 0 on [0, 1], where every mean of U in [-1, 1] lies. With divisor 8 its Taylor coefficients
       c_0 to c_3 vanish, and c_4 is positive on the interval.
    """
    d = balls.rational(divisor)

    def f(mu: Any) -> Any:
        return -(mu * mu) / d - mu * mu / 4 - two_points(mu / 2, mu).log()

    return Proof(balls.tight("f(μ) ≥ 0 on [0, 1]", f, 1, order=4, precision=precision))


def lemma_2(precision: int = balls.PRECISION, *, largest_x: rationals.Number = 1) -> Proof:
    """Lemma 2, (i) to (v); (i) and (ii), which are one inequality, for x from 0 to `largest_x`.

    (i), (ii): g(x) = 1 - e^-x - x / 2 >= 0. Steps 1 and 2: g(0) = 0 and g' > 0 on [0, 1/2]; g > 0 beyond.
    (iii): h(u) = -u - log(1 - u) >= 0 on [0, 1). Step 3: h(0) = h'(0) = 0 and h'' > 0 on [0, 7/8]. Step 4: from
    7/8 on, -log(1 - u) >= log 8 > 1 > u.
    (iv): sum over m > n of e^-mx = e^-nx e^-x / (1 - e^-x), at most 2 e^-nx / x if and only if
    2 (1 - e^-x) - x e^-x >= 0. Step 5: that vanishes at 0 and increases on [0, 1].
    (v): log(K + 1) <= 2 log K if and only if K^2 - K - 1 >= 0. Step 6: with K = 2 + j this is j^2 + 3 j + 1, whose
    coefficients are positive.
    """

    def g(x: Any) -> Any:
        return 1 - (-x).exp() - x / 2

    def h(u: Any) -> Any:
        return -u - (1 - u).log()

    def tail(x: Any) -> Any:
        return 2 * (1 - (-x).exp()) - x * (-x).exp()

    def polynomial(j: Fraction) -> Fraction:
        return (2 + j) ** 2 - (2 + j) - 1 - (j**2 + 3 * j + 1)

    return Proof(
        balls.tight("(i), (ii): 1 − e⁻ˣ ≥ x/2 on [0, 1/2]", g, "1/2", order=1, precision=precision),
        balls.cover("(i), (ii) beyond 1/2", g, balls.box(("1/2", largest_x)), precision=precision),
        balls.tight("(iii): −log(1 − u) ≥ u on [0, 7/8]", h, "7/8", order=2, precision=precision),
        balls.certified("(iii): log 8 > 1", (balls.flint().arb(n).log() - 1 for n in (8,)), precision=precision),
        balls.tight("(iv): 2(1 − e⁻ˣ) ≥ x e⁻ˣ on [0, 1]", tail, 1, order=1, precision=precision),
        rationals.identity("(v): K² − K − 1 = j² + 3j + 1, K = 2 + j", polynomial, (2,)),
    )


def lemma_3(precision: int = balls.PRECISION, *, noise_divisor: rationals.Number = 1) -> Proof:
    """Lemma 3: softmax of a data-independent prefix is 2 eta private, and long blocks attain 2 eta.

    `losses.softmax`, for every K, eta, block of losses in [0, 1], prefix distribution and replaced vector, which
    moves each sum by at most 1.
    """
    return losses.softmax(precision, spent=noise_divisor)


def proposition_1(precision: int = balls.PRECISION, *, readers: int = 1) -> Proof:
    """Proposition 1: the sequence of actions is 2 eta private at event level.

    A replaced vector lies in one block, which `readers` = 1 selection reads; the others have the same distribution
    given the data, and are independent of it. So the chance of any sequence of selections changes by the factor of
    one softmax, and the actions are a function of the selections. `losses.softmax`, the noise of all readers
    together.
    """
    return losses.softmax(precision, spent=readers)


def lemma_4(precision: int = balls.PRECISION, *, factor: rationals.Number = 4) -> Proof:
    """Lemma 4: Reg_T <= 1 + factor sum_m F_m, for every T and any F_m >= 0.

    1. Round 1 costs at most 1, the largest gap.
    2. The action of block r + 1, r >= 0, costs E F_M in each of its rounds, M the random length of the prefix that
       selected it: the prefix is as good as the first M rounds of all, for they are identically distributed. Of
       its 2^(r+1) rounds some may lie beyond T; F >= 0, so to count all is to count too much.
    3. r = 0: M = 1, two rounds, 2 F_1 <= factor F_1 if factor >= 2.
    4. r >= 1: with y = 2^(r-1), M is uniform on the y lengths from y + 1 to 2 y, and the block has 4 y rounds.
       So each F_m of that half costs 4 y / (2 y - y) F_m: the identity 4 y = 4 (2 y - y) and factor >= 4 are the
       steps.
    5. The halves (y, 2 y], y = 1, 2, 4, ..., are disjoint and hold every m >= 2, so no F_m is charged twice. The
       third step counts for T = 1023, round by round, how often each F_m is charged: nowhere more than `factor`.
    """
    exact = rationals.fraction(factor)
    return Proof(
        rationals.identity("4y = 4(2y − y)", lambda y: 4 * y - 4 * (2 * y - y), (1,)),
        rationals.at_least("factor ≥ 4", exact, 4),
        rationals.at_least("T = 1023: each F_m counts at most factor times", exact, max(_charges(1023).values())),
    )


def _charges(horizon: int) -> dict[int, Fraction]:
    """Return how often each F_m is charged in rounds 2 to T, by the blocks and prefixes of Section 4."""
    rounds, lengths = Counter[int](), dict[int, int]()
    for t in range(2, horizon + 1):
        length = 2 ** (t.bit_length() - 2)
        prefixes = range(length // 2 + 1, length + 1)
        rounds.update(prefixes)
        lengths |= dict.fromkeys(prefixes, len(prefixes))
    return {m: Fraction(count, lengths[m]) for m, count in rounds.items()}


def equation_4(precision: int = balls.PRECISION, *, divisor: rationals.Number = 8) -> Proof:
    """(4): E P_{m,j} <= 2 exp(-m Delta_j^2 / divisor) where Delta_j <= 4 eta; the factor 2 is not needed.

    1. P_{m,j} <= min(1, exp(-eta D)), D = D_{m,j}, a sum of m independent variables in [-1, 1] of mean
       Delta = Delta_j.
    2. x = Delta / 4 <= eta, so min(1, exp(-eta D)) <= exp(-x D), whatever the sign of D.
    3. E exp(-x D) <= (cosh x - Delta sinh x)^m (`two_points`).
    4. The step: f(Delta) = -Delta^2 / divisor - log(cosh(Delta / 4) - Delta sinh(Delta / 4)) >= 0 on [0, 1]. It
       holds for every divisor above 32/7 = 4.57: so (4) holds with 1 for 2 and 5 for 8.
    """
    d = balls.rational(divisor)

    def f(delta: Any) -> Any:
        return -(delta * delta) / d - two_points(delta / 4, delta).log()

    return Proof(balls.tight("f(Δ) ≥ 0 on [0, 1]", f, 1, order=2, precision=precision))


def drift(precision: int = balls.PRECISION, *, constant: rationals.Number = Fraction(1, 4)) -> Proof:
    """Inside Lemma 5: E[log Z_{m+1} - log Z_m | F_m] <= -constant eta V_m where all gaps exceed 4 eta, eta <= 1/8.

    1. By Jensen's inequality the left side is at most log of 1 - sum_j Q_j (1 - E exp(-eta Y_j)), Q_j >= 0 the
       weights, Y_j in [-1, 1] of mean Delta_j.
    2. 1 - E exp(-eta Y_j) >= 1 - cosh eta + Delta_j sinh eta (`two_points`).
    3. Divided by eta Delta_j that increases with Delta_j, for 1 - cosh eta <= 0; so at Delta_j >= 4 eta it is at
       least its value at 4 eta. The step: 1 - cosh eta + 4 eta sinh eta - 4 constant eta^2 >= 0 on [0, 1/8].
    4. Hence the left side is at most log(1 - constant eta V_m) <= -constant eta V_m, by Lemma 2 (iii).

    The step holds for every constant up to 7/8, three and a half times the paper's: (6) holds with 8/7 for 4.
    """
    c = balls.rational(constant)

    def f(eta: Any) -> Any:
        return 1 - cosh(eta) + 4 * eta * sinh(eta) - 4 * c * eta * eta

    return Proof(balls.tight("1 − cosh η + 4η sinh η ≥ 4cη² on [0, 1/8]", f, "1/8", order=2, precision=precision))
