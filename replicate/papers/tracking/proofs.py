"""Proofs of the accuracy of AboveThreshold, of concentration, of a count and of noise, for all stated parameters.

Each function returns the steps that were certified; its docstring shows that they imply the claim. N, T, S, beta
and epsilon are the paper's.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import factorial
from typing import Any

from replicate.proofs import balls, losses, rationals
from replicate.proofs.rationals import Proof
from replicate.proofs.shared import hoeffding, laplace_norms


def lemma_2_2(precision: int = balls.PRECISION, *, noise_epsilon: rationals.Number = 1) -> Proof:
    """Lemma 2.2: Laplace(1 / epsilon) noise on a number of sensitivity 1 is epsilon private.

    The log ratio of the densities at x, a distance s <= 1 apart, is epsilon noise_epsilon (|x - s| - |x|), at most
    epsilon noise_epsilon s by the triangle inequality, with equality for x <= 0. The step: noise_epsilon <= 1.
    """
    return Proof(rationals.at_least("noise_epsilon ≤ 1", 1 - rationals.fraction(noise_epsilon)))


def lemma_2_3(precision: int = balls.PRECISION, *, noise_epsilon: rationals.Number = 1) -> Proof:
    """Lemma 2.3: report-noisy-max with Laplace(2 / epsilon) noise is epsilon private, any N: `losses.laplace`.

    The noise is Laplace(2 / (epsilon noise_epsilon)).
    """
    return losses.laplace(precision, spent=noise_epsilon)


def lemma_2_4(precision: int = balls.PRECISION, *, constant: rationals.Number = 8) -> Proof:
    """Lemma 2.4: AboveThreshold errs by alpha = constant (log T + log(2 / beta)) / epsilon with chance <= beta.

    For every T >= 1, beta in (0, 1], epsilon and stream of queries. The proof needs only constant >= 4, and no
    smaller one is true for all T.

    1. Take epsilon = 1. Query i is wrong if it is at most -alpha and answered "above", or at least alpha and
       passed over: then |nu_i - rho| >= alpha. With p = P(nu - rho >= alpha), nu Laplace(4), rho Laplace(2), any
       error has at most the chance 2 T p, even where queries depend on earlier answers.
    2. E exp(i s (nu - rho)) = 1 / ((1 + a^2 y) (1 + b^2 y)), y = s^2, a = 4, b = 2, which is a^2 / (1 + a^2 y)
       less b^2 / (1 + b^2 y), over a^2 - b^2: the first step. So p = (16 e^(-alpha/4) - 4 e^(-alpha/2)) / 24, at
       most (2/3) e^(-alpha/4).
    3. e^(-alpha/4) = w^(constant/4) with w = beta / (2 T) <= 1/2. So 2 T p / beta <= (2/3) w^(constant/4 - 1), and
       with w = e^-v the second step is 1 - (2/3) exp(v (1 - constant / 4)) > 0 for v in [0, 200]; for
       constant >= 4, the third step, it grows with v.
    """
    c = rationals.fraction(constant)
    rate = balls.rational(1 - c / 4)

    def difference(a: Fraction, b: Fraction, y: Fraction) -> Fraction:
        return a**2 * (1 + b**2 * y) - b**2 * (1 + a**2 * y) - (a**2 - b**2)

    return Proof(
        rationals.identity("partial fractions", difference, (2, 2, 1)),
        balls.cover("2 T p ≤ β", lambda v: 1 - (v * rate).exp() * 2 / 3, balls.box((0, 200)), precision=precision),
        rationals.at_least("constant ≥ 4", c, 4),
    )


def lemma_3_2(precision: int = balls.PRECISION, *, under_root: rationals.Number = 2) -> Proof:
    """Lemma 3.2: all losses over all windows are within sqrt(under_root w log(T N / beta)) of their means.

    With probability 1 - beta, for every N, T, beta in (0, 1]; a window of w + 1 rounds, w >= 1, against w + 1
    means.

    1. Hoeffding's lemma, the first step: E exp(-x (V - E V)) <= e^(x^2 / 8) for V in [0, 1]. By Markov's
       inequality with x = 4 d / n, a sum of n = w + 1 of them is d away from its mean with chance at most 2
       exp(-2 d^2 / n).
    2. With d^2 = r w log(1 / x), r = under_root, x = beta / (N T): at most 2 x^(2 r w / (w + 1)) <= 2 x^r, for
       2 w - (w + 1) = w - 1 >= 0, the second step.
    3. N experts have T (T - 1) / 2 windows each: the third step is the induction, (T + 1) T / 2 - T (T - 1) / 2
       = T. Altogether the chance is at most N T (T - 1) x^r <= N T^2 x^2 = beta^2 / N <= beta if r >= 2, the
       last step.

    For smaller r the bound of 3 exceeds 1 for large T: the kernel 1 - T (T - 1) T^-r, N = beta = 1, at T = e^v.
    """
    r = rationals.fraction(under_root)
    excess = balls.rational(2 - r)

    def induction(t: Fraction) -> Fraction:
        return (t + 1) * t / 2 - t * (t - 1) / 2 - t

    steps = [
        hoeffding(),
        rationals.identity("2w − (w + 1) = w − 1", lambda w: 2 * w - (w + 1) - (w - 1), (1,)),
        rationals.identity("number of windows", induction, (2,)),
        rationals.at_least("under_root ≥ 2", r, 2),
    ]
    if r < 2:
        kernel = "T(T − 1)T⁻ʳ ≤ 1"
        steps.append(balls.cover(kernel, lambda v: 1 - (excess * v).exp() * (1 - (-v).exp()), balls.box((20, 400)),
                                 precision=precision))  # fmt: skip
    return Proof(*steps)


def log_moments(precision: int = balls.PRECISION, *, limit: rationals.Number = "6321/10000") -> Proof:
    """TR-T31v: log(E exp(theta U) E exp(-theta U)) <= limit at theta = 0.49; the proof stands in `theorems`.

    1. f / F >= -log F for Laplace noise at x >= 0: with t = exp(-x) / 2 in [0, 1/2] the step is
       t + (1 - t) log(1 - t) >= 0.
    2. The right-hand side for the variable W there: (exp(-1) / (1 + theta) + g(1 - theta)) (exp(-1) / (1 - theta)
       + g(1 + theta)), g(s) the integral of y^(s-1) exp(-y) over [0, 1], a sum of (-1)^k / (k! (k + s)), whose
       terms fall: the first 20 bound it from above with the modulus of the next one.
    """
    theta, most = [Fraction(49, 100)], balls.rational(limit)
    return Proof(
        balls.tight("f/F ≥ −log F", lambda t: t + (1 - t) * (1 - t).log(), "1/2", order=2, precision=precision),
        balls.certified("E exp(θW) E exp(−θW)", (most - _log_pair(t) for t in theta), precision=precision),
    )


def _log_pair(theta: Fraction) -> Any:
    """Bound log(E exp(theta W) E exp(-theta W)) from above as `log_moments` says."""

    def g(s: Fraction) -> Any:
        terms = (Fraction((-1) ** k, factorial(k)) / (k + s) for k in range(20))
        return balls.rational(sum(terms, Fraction(0)) + Fraction(1, factorial(20)))

    least = (balls.flint().arb(-1)).exp()
    up = least / balls.rational(1 + theta) + g(1 - theta)
    down = least / balls.rational(1 - theta) + g(1 + theta)
    return (up * down).log()


def theorem_3_1(precision: int = balls.PRECISION, *, root: rationals.Number = "17/2") -> Proof:
    """The scalar steps of Theorem 3.1 in `theorems`, with `root` for its 8.5.

    1. Hoeffding's lemma.
    2. A window of k rounds, 2 <= k < 498, has regret at most k <= root sqrt((k - 1) log(2 k)): the kernel is the
       difference of the squares.
    3. At T = 498: log2 T is at most T / 40, as it is from there on. Noise costs at most first L / epsilon at N = 2
       and beta = 1: with factor = first 3 theta / 16, factor log(2 T) + 2 log(1 - theta) + 2 log(1 - theta^2)
       - c (log2 T - 2) + log 0.574 > 0; first = 10.9 at theta = 0.49 and T = 498, first = 32/3 at theta = 1/2 and
       T = 66,000. Both grow with T, with log N and with log(1 / beta), as factor is at least c / log 2, 2 theta
       and 1.
    4. Chance: 1 + c sqrt(k L) <= root sqrt((k - 1) L) at k = 498 and L = log(2 k), and so beyond, where
       c = (16/3) (1 + sqrt 2) / 2 + 2.
    5. The events fail with probability at most (0.574 + 1/20 + 499/996 (1/N^2 + 1/N)) beta <= beta.
    """
    r = balls.rational(root)

    def trivial(k: Any) -> Any:
        return r * r * (k - 1) * (2 * k).log() - k * k

    def numbers() -> Iterator[Any]:
        arb = balls.flint().arb
        k = arb(498)
        log, two = k.log(), arb(2).log()
        yield k / 40 - log / two
        yield from _noise(Fraction(49, 100), Fraction(109, 10), k)
        yield from _noise(Fraction(1, 2), Fraction(32, 3), arb(66_000))
        c = (1 + arb(2).sqrt()) * 8 / 3 + 2
        level = (2 * k).log().sqrt()
        yield (r * (k - 1).sqrt() - c * k.sqrt()) * level - 1

    return Proof(
        hoeffding(),
        balls.cover("short windows", trivial, balls.box((2, 497)), precision=precision),
        balls.certified("T = 498", numbers(), precision=precision),
        rationals.at_least("failures", 1 - (Fraction(624, 1000) + Fraction(499, 996) * Fraction(3, 4))),
    )


def _noise(theta: Fraction, first: Fraction, horizon: Any) -> Iterator[Any]:
    """What is positive in step 3 of `theorem_3_1`, if the constant `first` is large enough from `horizon` on."""
    arb, rational, factor = balls.flint().arb, balls.rational, first * 3 * theta / 16
    log, two, c = horizon.log(), arb(2).log(), _log_pair(theta)
    rest = arb(rational((1 - theta) * (1 - theta**2))).log()
    share = arb(rational("574/1000")).log()
    yield rational(factor) * (log + two) - (c * (log / two - 2) - 2 * rest - share)
    yield rational(factor) * two - c
    yield arb(factor >= max(Fraction(1), 2 * theta))


def theorem_4_1(precision: int = balls.PRECISION, *, exponent: rationals.Number = 2) -> Proof:
    """Theorem 4.1: N sum over k <= S of C(T - 1, k) (N - 1)^k <= (N T)^(exponent S), for every N, T, S >= 1.

    1. C(T - 1, k) <= (T - 1)^k / k! and 1 / k! <= C(S, k), as S! / (S - k)! >= 1: so the sum is at most
       (1 + (T - 1) (N - 1))^S.
    2. N T - 1 - (T - 1) (N - 1) = (T - 1) + (N - 1) >= 0, the first step: the count is at most N (N T)^S, at most
       (N T)^(S + 1).
    3. S + 1 <= exponent S for every S >= 1: with y = 1 - 1 / S in [0, 1], exponent - 2 + y >= 0, the second step.

    For S = 1 and T = 2 the count is N^2, and (2 N)^exponent is less for large N where exponent < 2.
    """
    e = balls.rational(exponent)

    def difference(t: Fraction, n: Fraction) -> Fraction:
        return (1 + t) * (1 + n) - 1 - t * n - (t + n)

    def kernel(y: Any) -> Any:
        return e - 2 + y

    return Proof(
        rationals.identity("NT − 1 − (T − 1)(N − 1) = (T − 1) + (N − 1)", difference, (1, 1)),
        balls.tight("exponent S ≥ S + 1", kernel, 1, order=1, precision=precision),
    )


def lemma_b3(precision: int = balls.PRECISION, *, factor: rationals.Number = 10) -> Proof:
    """Lemma B.3: some |Z_t|^2 >= factor lambda^2 log^2(N T) with probability at most 1 / T: `laplace_norms`.

    For every N, T >= 1. The smallest factor for which it is true is 4.
    """
    return Proof(*laplace_norms(precision, factor))
