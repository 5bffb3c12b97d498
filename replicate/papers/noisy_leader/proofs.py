"""Proofs of the lemmas and tails, for all parameters that they state.

Each function returns the steps that were certified; its docstring shows that they imply the claim. K, a_i, f, J_r,
Delta_j, epsilon, B, c_1 and c_2 are the paper's; L = log 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import comb
from typing import Any

from replicate.proofs import balls, losses, rationals
from replicate.proofs.rationals import Proof, Step
from replicate.proofs.shared import hoeffding, variance


def lemma_2(precision: int = balls.PRECISION, *, factor: rationals.Number = 1) -> Proof:
    """Lemma 2: f'(x) <= factor log 2 f(x), f(x) = sum_i b_i e_i / sum_i e_i, b_i = 2^x a_i, e_i = exp(-b_i).

    1. With s_k = sum_i b_i^k e_i: b_i' = L b_i and e_i' = -L b_i e_i, so s_1' = L (s_1 - s_2), s_0' = -L s_1, and
       f' = (s_1 / s_0)' = L f - L (s_2 s_0 - s_1^2) / s_0^2.
    2. The first step is Lagrange's identity (`variance`): s_2 s_0 - s_1^2 >= 0. That is the lemma, factor 1, for
       any real a_i and any K.
    3. A larger factor asks less where f >= 0, as it is when min a = 0. A smaller one fails at K = 2, b = (0, t):
       (factor L f - f') (1 + e^-t) e^t / (L t) = (factor - 1) (1 + e^-t) + t, the second step on [0, 1].
    """
    c = balls.rational(factor)

    def two_actions(t: Any) -> Any:
        return (c - 1) * (1 + (-t).exp()) + t

    return Proof(
        variance(), balls.tight("K = 2: factor log 2 f ≥ f'", two_actions, 1, order=1, precision=precision)
    )


def lemma_3(precision: int = balls.PRECISION, *, constant: rationals.Number | None = None) -> Proof:
    """Lemma 3, (6): the sum of f(r) over r >= 1 is at most `constant`, or 1 + log 2, times the integral of f.

    Here min a = 0. The proof gives 2 log 2, less than 1 + log 2.

    1. f(x) = y g(y), y = 2^x, where g(y) = sum_i a_i e_i / sum_i e_i >= 0 is the mean of a under the weights
       exp(-y a_i), and g' is minus their variance: g does not increase. The first step is `variance`.
    2. dx = dy / (L y), so the integral of f over [r - 1, r] is that of g(y) / L over [2^(r-1), 2^r], at least
       2^(r-1) g(2^r) / L = f(r) / (2 L). Summed over r >= 1: the sum is at most 2 L times the integral.
    3. The second step: `constant` - 2 log 2 > 0.

    No smaller constant is true for all K. With a = (0, c, ..., c), K - 1 = e^1000, terms up to r = 40 of the
    sum, and the integral log(1 + e^(1000 - c)) / L of NL-S5, the kernel constant times integral less sum is
    negative for c just below 1000 / 2^40.
    """
    library = balls.flint()

    def excess() -> Iterator[Any]:
        yield (library.arb(balls.rational(constant)) if constant is not None else 1 + _log(2)) - 2 * _log(2)

    enough = balls.certified("constant > 2 log 2", excess(), precision=precision)
    if enough.holds or constant is None:
        return Proof(variance(), enough)
    c = balls.rational(constant)

    def kernel(last: Any) -> Any:
        terms = (last / 2**k for k in range(40))
        total = sum((b / (1 + (b - 1000).exp()) for b in terms), library.arb(0))
        first = last / 2**40
        return c * ((first - 1000).exp().log1p() + 1000 - first) / _log(2) - total

    sharp = balls.cover(
        "constant × integral ≥ sum, 2^40 a = b", kernel, balls.box((980, 995)), precision=precision
    )
    return Proof(variance(), enough, sharp)


def _log(value: int) -> Any:
    """Logarithm of an integer, at the precision in force."""
    return balls.flint().arb(value).log()


def lemma_4(precision: int = balls.PRECISION, *, order: str = "increasing") -> Proof:
    """Lemma 4: the distribution function F(k; n, p) of Binomial(n, p) does not increase in p; `order` of the p.

    1. b(i; n, p) = C(n, i) p^i (1 - p)^(n - i) has the derivative n (b(i - 1; n - 1, p) - b(i; n - 1, p)), since
       i C(n, i) = n C(n - 1, i - 1) and (n - i) C(n, i) = n C(n - 1, i), for n!/(i! (n - i)!) either way.
    2. Summed over i = 0, ..., k that telescopes: F' = -n b(k; n - 1, p) <= 0 for every n, k < n and p in [0, 1].
       For k = n, F = 1.
    3. The steps are the identity F' = -n b(k; n - 1, p), as polynomials in p, for each n up to 10 and k < n, and
       the sign of the slope in the stated order.
    """
    identities = [_slope(n, k) for n in range(1, 11) for k in range(n)]
    sign = {"increasing": -1, "decreasing": 1}[order]
    largest = max(sign * n * comb(n - 1, k) for n in range(1, 11) for k in range(n))
    return Proof(*identities, rationals.at_least("slope ≤ 0 in this order", -largest))


def _slope(n: int, k: int) -> Step:
    """The identity F'(k; n, p) = -n b(k; n - 1, p)."""

    def difference(p: Fraction) -> Fraction:
        rise = sum((comb(n, i) * i * p ** (i - 1) * (1 - p) ** (n - i) for i in range(1, k + 1)), Fraction(0))
        fall = sum(((n - i) * comb(n, i) * p**i * (1 - p) ** (n - i - 1) for i in range(k + 1)), Fraction(0))
        return rise - fall + n * comb(n - 1, k) * p**k * (1 - p) ** (n - 1 - k)

    return rationals.identity(f"F' = −{n} b({k}; {n - 1}, p)", difference, (n,))


def equation_9(
    precision: int = balls.PRECISION, *, resample: bool = False, laplace_share: rationals.Number = Fraction(1, 2)
) -> Proof:
    """(9), deterministic losses, B = 0: P(J_r = j) <= c_1 exp(-2^r Delta_j epsilon / c_2).

    For every r, K, epsilon and gaps; (c_1, c_2) = (1, 4) for Gumbel, (1/2, 4) for exponential, (1/2, 4 /
    laplace_share) for Laplace noise.

    1. J_r = j only if action j beats action 1: with noise of scale 2 / epsilon and sums 2^(r-1) Delta_j apart,
       only if Q - Q' >= x, x = 2^r Delta_j epsilon / 4, for two independent draws of scale 1. All ties have
       chance 0 but at x = 0, where the bounds are at least 1/2 = P(Q > Q').
    2. Gumbel: Q - Q' is logistic, 1 / (1 + e^x) <= e^-x, for 1 + e^x - e^x = 1 >= 0.
    3. Exponential: E exp(u (Q - Q')) = 1 / ((1 - u) (1 + u)), half of 1 / (1 - u) + 1 / (1 + u): the density is
       e^-|x| / 2, the tail e^-x / 2.
    4. Laplace: E exp(u (Q - Q')) = 1 / (1 - u^2)^2, a quarter of 1 / (1 - u)^2 + 1 / (1 + u)^2 + 1 / (1 - u) +
       1 / (1 + u): for x > 0 the density is (x + 1) e^-x / 4, the tail (1 + x / 2) e^-x / 2. It is at most
       exp(-share x) / 2 if 1 + x / 2 <= exp((1 - share) x); with t = x / 2 and share 1/2: e^t - 1 - t >= 0. The
       step certifies that on [0, 1], its last coefficient being positive; beyond 1 it increases, for e^t > 1.
    5. With B = 1 the sums are binomial. In epoch 1, two actions of means 1/2 and 3/4: the bits are (1, 0) with
       chance 1/8, and then action 2 is chosen with chance at least 1/2, whatever epsilon. The largest bound is
       exp(-epsilon / 16), so the kernel exp(-epsilon / 16) - 1/16 would have to be positive; it is not for
       epsilon in [64, 128].
    """
    share = rationals.fraction(laplace_share)
    rate = balls.rational(2 * (1 - share))

    def laplace(t: Any) -> Any:
        return (rate * t).exp() - 1 - t

    def two_exponentials(u: Fraction) -> Fraction:
        return 2 - (1 + u) - (1 - u)

    def two_laplaces(u: Fraction) -> Fraction:
        return 4 - (1 + u) ** 2 - (1 - u) ** 2 - (1 - u) * (1 + u) ** 2 - (1 + u) * (1 - u) ** 2

    steps = [
        rationals.at_least("Gumbel: 1 + eˣ − eˣ ≥ 0", 1),
        rationals.identity("exponential: partial fractions", two_exponentials, (1,)),
        rationals.identity("Laplace: partial fractions", two_laplaces, (3,)),
        balls.tight("Laplace: 1 + x/2 ≤ exp((1 − share)x)", laplace, 1, order=2, precision=precision),
    ]
    if resample:
        steps.append(
            balls.cover(
                "B = 1: (9) ≥ a chance that does not depend on ε",
                lambda level: (-level / 16).exp() - balls.rational("1/16"),
                balls.box((64, 128)),
                precision=precision,
            )
        )
    return Proof(*steps)


def gumbel_tail(
    precision: int = balls.PRECISION,
    *,
    rounds: int = 2048,
    gap: rationals.Number = "3/10",
    epsilon: rationals.Number = "1/10",
    divisor: rationals.Number = 2,
) -> Proof:
    """A counterexample to the last display of Appendix D, Gumbel noise of scale 2 / epsilon.

    Two actions of means 1/2 - gap / 2 and 1/2 + gap / 2, n rounds, B = 1. The lead of action 1 is D = G_2 - G_1,
    and D + n is Binomial(2 n, 1/2 + gap / 2): the bits of action 2 and the complements of those of action 1.
    Given D the worse action has the chance 1 / (1 + exp(epsilon D / 2)). The step: the sum of that over D, in
    balls, exceeds exp(-n gap epsilon / divisor) + exp(-n gap^2 / 4).
    """
    p = rationals.fraction(gap) / 2 + Fraction(1, 2)

    def excess() -> Iterator[Any]:
        arb, level, gap_ball = balls.flint().arb, balls.rational(epsilon), balls.rational(gap)
        chance, odds = arb(balls.rational(1 - p)) ** (2 * rounds), arb(balls.rational(p / (1 - p)))
        factor, wrong = (arb(level) / 2).exp(), arb(0)
        weight = factor ** (-rounds)
        for ups in range(2 * rounds + 1):
            wrong += chance / (1 + weight)
            chance, weight = chance * odds * (2 * rounds - ups) / (ups + 1), weight * factor
        bound = (-arb(rounds * gap_ball * level) / balls.rational(divisor)).exp()
        yield wrong / (bound + (-arb(rounds * gap_ball * gap_ball) / 4).exp()) - 1

    return Proof(balls.certified("P(J = 2) exceeds the display", excess(), precision=precision))


def optimal_rate(precision: int = balls.PRECISION, *, excess: rationals.Number = "50422/100000") -> Proof:
    """The scalar steps of the theorem in `theorems`; `excess` is its j.

    1. Hoeffding's lemma, for its steps (b) and for the small gaps.
    2. Laplace noise: (1 + y/2) exp(-y) / 2 <= exp(-0.88 y) for y >= 0. The step is the kernel
       2 exp(0.12 y) - 1 - y/2 > 0 on [0, 40]; beyond, its derivative is positive, for exp(4.8) > 2.1.
    3. Any joint distribution, J(x) = (exp(x) - 1 - x) / x^2: the slope of J at 2, ((e^2 - 1) - (e^2 - 3)) / 4, is
    1/2.
    4. (1 - 4 eta^2) J(eta + 2 eta^2) <= j for eta in (0, 1/2]: for x in [0, 1] the terms of J from x^4 / 720 on
       add up to at most x^4 / 600.
    5. J(3/2) / 2 <= j.
    """
    j = balls.rational(excess)

    def tail(y: Any) -> Any:
        return 2 * (y * balls.rational("12/100")).exp() - 1 - y / 2

    def slope(square: Fraction) -> Fraction:
        return ((square - 1) - (square - 3)) / 4 - Fraction(1, 2)

    def room(eta: Any) -> Any:
        x, series = eta + 2 * eta * eta, 0 * eta
        for divisor in (600, 120, 24, 6, 2):
            series = series * x + balls.rational(Fraction(1, divisor))
        return j - (1 - 4 * eta * eta) * series

    def last() -> Iterator[Any]:
        x = balls.flint().arb(3) / 2
        yield j - (x.exp() - 1 - x) / x**2 / 2

    return Proof(
        hoeffding(),
        balls.cover("Laplace: (1 + y/2)e⁻ʸ/2 ≤ e^(−0.88y)", tail, balls.box((0, 40)), precision=precision),
        rationals.identity("J′(2) = 1/2", slope, (1,)),
        balls.cover("(1 − 4η²)J(η + 2η²) ≤ j", room, balls.box((0, "1/2")), precision=precision),
        balls.certified("J(3/2)/2 ≤ j", last(), precision=precision),
    )


def laplace_density(precision: int = balls.PRECISION, *, form: str = "corrected") -> Proof:
    """The density h(beta) exp(-|x| / beta) integrates to one for every beta > 0 if h = 1 / (2 beta), not beta / 2.

    -beta exp(-x / beta) has the derivative exp(-x / beta), so the integral over the line is 2 beta h(beta). The
    step is the identity 2 beta h(beta) = 1, multiplied by 2 beta.
    """

    def difference(beta: Fraction) -> Fraction:
        height = beta / 2 if form == "printed" else 1 / (2 * beta)
        return (2 * beta * height - 1) * 2 * beta

    return Proof(rationals.identity("2β h(β) = 1", difference, (3,)))


def privacy(precision: int = balls.PRECISION, *, divisor: rationals.Number = 1) -> Proof:
    """Report-noisy-max with Gumbel, exponential or Laplace noise, B = 0 or 1, is epsilon private.

    Scale 2 / epsilon, over `divisor`; any K, losses in [0, 1] and horizon; one whole loss vector is replaced.

    1. The vector lies in one epoch, which one selection reads; so the sequence of actions has the loss of that
       one.
    2. B = 0: each sum moves by at most 1. B = 1: given all uniforms by which losses are resampled, so does each
       sum of bits, and the distribution is a mixture over the uniforms.
    3. Gumbel noise of scale beta selects by softmax of -G / beta: `losses.softmax` with eta = epsilon / 2.
       Exponential and Laplace noise: `losses.permute_and_flip` and `losses.laplace`. The steps are theirs.
    """
    parts = (losses.softmax, losses.permute_and_flip, losses.laplace)
    return Proof(*(step for part in parts for step in part(precision, spent=divisor).steps))
