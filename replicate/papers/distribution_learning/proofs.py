"""Proofs of the lemmas on weighted majority, and two counterexamples, for all parameters that they state.

Each function returns the steps that were certified; its docstring shows that they imply the claim.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from replicate.proofs import balls, rationals
from replicate.proofs.rationals import Proof
from replicate.proofs.shared import hoeffding
from replicate.validation import FloatArray


def lemma_1(precision: int = balls.PRECISION, *, rate_factor: rationals.Number = 1) -> Proof:
    """Lemma 1: weighted majority on losses in [0, 1] has regret <= sqrt(2 T log K).

    For every K >= 2, T and table, at eta = rate_factor sqrt(2 log K / T).

    1. W_t = sum_j w_t(j). log(W_(t+1) / W_t) = log E exp(-eta v_t), v_t drawn by the weights, is at most
       -eta E v_t + eta^2 / 8: Hoeffding's lemma, the first step.
    2. log(W_(T+1) / W_1) >= -eta sum_t v_(t,i) - log K for every i. Summed over t and divided by eta: the regret
       is at most log K / eta + eta T / 8 = sqrt(2 T log K) (1 / (2 c) + c / 8), c = rate_factor.
    3. That is at most sqrt(2 T log K) if 8 - 4 / c - c >= 0, the second step: for c from 0.536 to 7.46. At c = 1
       the regret is at most 5/8 of the lemma's bound.
    """
    c = rationals.fraction(rate_factor)
    return Proof(hoeffding(), rationals.at_least("8 ≥ 4/c + c", 8 - 4 / c - c))


def lemma_4(precision: int = balls.PRECISION, *, rate_factor: rationals.Number = 1) -> Proof:
    """Lemma 4: `lemma_1` for messages in [0, 1] in the place of losses, whatever they are made of.

    For every K >= 2 and T; T > log K is not needed.
    """
    return lemma_1(precision, rate_factor=rate_factor)


def second_order(precision: int = balls.PRECISION, *, losses: str = "positive") -> Proof:
    """Inside Lemma 7: regret <= log K / eta + (eta / 2) sum w v^2, losses >= 0: every K, T, eta and table.

    1. x = eta v >= 0: e^-x <= 1 - x + x^2 / 2. Steps: the difference vanishes at 0 with its first two derivatives,
       and the third, e^-x, is positive on [0, 2]; for x >= 2, 1 - x + x^2 / 2 >= 1 >= e^-x, as x (x - 2) >= 0.
    2. log(W_(t+1) / W_t) = log sum_j w(j) e^-x_j <= -eta sum w v + (eta^2 / 2) sum w v^2, for log(1 + y) <= y.
    3. log(W_(T+1) / W_1) >= -eta sum_t v_(t,i) - log K for every i. Summed over t, divided by eta: the claim.

    For ``"negative"`` losses the inequality of 1 is turned round.
    """
    sign = {"positive": 1, "negative": -1}[losses]

    def g(y: Any) -> Any:
        x = sign * y
        return 1 - x + x * x / 2 - (-x).exp()

    order = 3 if sign > 0 else 4
    return Proof(
        balls.tight("e⁻ˣ ≤ 1 − x + x²/2, |x| ≤ 2", g, 2, order=order, precision=precision),
        rationals.at_least("x(x − 2) ≥ 0 from 2 on", 0),
    )


def step_c(precision: int = balls.PRECISION, *, epsilon: rationals.Number = 3) -> Proof:
    """A counterexample to step (c) of (23), and the factor that is right.

    1. A symbol that k of N labels make z = e^epsilon times likelier, q = z or 1, has spread 2 (E q^2 - (E q)^2)
       / E q^2 over the labels; N = 32, k the integer nearest to N / (1 + z). The second step: that exceeds
       min{(e^epsilon - 1)^2, 1}, in balls.
    2. The right factor is 2 tanh^2(epsilon / 2) = 2 ((z - 1) / (z + 1))^2. For q in [1, z] up to scale, (q - 1)
       (z - q) >= 0, so S = E q^2 <= (1 + z) m - z =: s, m = E q. And 1 - m^2 / S <= 1 - m^2 / s, which is at
       most ((z - 1) / (z + 1))^2: multiplied by s (1 + z)^2 the difference is ((1 + z) m - 2 z)^2 >= 0, the
       first step, an identity. So where 2 tanh^2(epsilon / 2) < min{...} no column is a counterexample, whatever
       N.
    """

    def difference(z: Fraction, m: Fraction) -> Fraction:
        s = (1 + z) * m - z
        return (z - 1) ** 2 * s - (s - m * m) * (1 + z) ** 2 - ((1 + z) * m - 2 * z) ** 2

    share = round(32 / (1 + math.exp(float(rationals.fraction(epsilon)))))
    k = balls.rational(Fraction(max(share, 1), 32))

    def excess() -> Iterator[Any]:
        z = balls.flint().arb(balls.rational(epsilon)).exp()
        mean, square = k * z + (1 - k), k * z * z + (1 - k)
        yield 2 * (1 - mean * mean / square) - ((z - 1) ** 2).min(balls.flint().arb(1))

    return Proof(
        rationals.identity("right factor", difference, (3, 2)),
        balls.certified("spread exceeds min{(e^ε − 1)², 1}", excess(), precision=precision),
    )


def n_cells(precision: int = balls.PRECISION, *, hypotheses: FloatArray) -> Proof:
    """A counterexample to N' <= K M: N' is the sum over labels y of ceil(M max_j f_j(y)), in fractions.

    The doubles of `hypotheses`, shape (K, M), are taken for the rationals that they are. The step: N' - K M >= 1.
    """
    k, m = hypotheses.shape
    cells = sum(math.ceil(m * max(Fraction(float(p)) for p in column)) for column in hypotheses.T)
    return Proof(rationals.at_least(f"N' = {cells} exceeds K M = {k * m}", cells, k * m + 1))
