"""Privacy losses of selections, exactly: softmax, permute-and-flip, randomised response, Laplace.

A selection has one number for every action, a sum of losses; replacing a loss vector moves each of them by at
most 1, up or down. Probabilities are compared as they are: P <= z^2 P', z = e^eta for softmax, z = e^(epsilon /
2) else. Where z is rational, so are the distributions, and every comparison is exact.

Each function takes `spent`: the noise is divided by it, so that the distributions are those of z^spent, and the
limit stays z^2. A proof holds for spent = 1, and for no larger value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import product
from math import ceil, factorial, prod
from typing import Any

from replicate.proofs import balls, rationals
from replicate.proofs.rationals import Proof, Step

Law = Callable[..., list[Fraction]]
"""Probabilities of the actions from integer sums of losses and z."""

_LARGEST = 100
BASES = (Fraction(11, 10), Fraction(3, 2), Fraction(4))


def softmax_law(sums: Sequence[int], z: Fraction) -> list[Fraction]:
    """Return the probabilities z^-L_j / sum_i z^-L_i.

    Examples
    --------
    >>> softmax_law([0, 1], Fraction(2))
    [Fraction(2, 3), Fraction(1, 3)]
    """
    weights = [z ** -(loss - min(sums)) for loss in sums]
    total = sum(weights, Fraction(0))
    return [weight / total for weight in weights]


def permute_and_flip_law(sums: Sequence[int], z: Fraction) -> list[Fraction]:
    """Return the distribution of permute-and-flip, which is that of report-noisy-max with exponential noise.

    In random order each action is accepted with its chance p_j = z^-(L_j - min L), until one is. Action j at
    random place k + 1 follows a set of k others: P(j) = p_j sum over sets S of prod_S (1 - p_i) |S|! (K - 1 -
    |S|)! / K!.

    Examples
    --------
    >>> permute_and_flip_law([0, 1], Fraction(2))
    [Fraction(3, 4), Fraction(1, 4)]
    """
    chances = [z ** -(loss - min(sums)) for loss in sums]
    k = len(sums)
    law = []
    for j in range(k):
        total = Fraction(0)
        for chosen in product((False, True), repeat=k - 1):
            others = [p for i, p in enumerate(chances) if i != j]
            refused = prod((1 - p for p, taken in zip(others, chosen, strict=True) if taken), start=Fraction(1))
            size = sum(chosen)
            total += refused * Fraction(factorial(size) * factorial(k - 1 - size), factorial(k))
        law.append(chances[j] * total)
    return law


def randomized_response_law(label: int, n_labels: int, z: Fraction) -> list[Fraction]:
    """Return the distribution of a released label: the true one is z^2 times as likely as each other.

    Examples
    --------
    >>> randomized_response_law(0, 3, Fraction(2))
    [Fraction(2, 3), Fraction(1, 6), Fraction(1, 6)]
    """
    return [(z**2 if label == released else Fraction(1)) / (z**2 + n_labels - 1) for released in range(n_labels)]


def neighbours(n_actions: int, rounds: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield every pair of sums that 0/1 tables of these rounds have before and after a vector is replaced."""
    for sums in product(range(rounds + 1), repeat=n_actions):
        for moves in product((-1, 0, 1), repeat=n_actions):
            moved = tuple(s + d for s, d in zip(sums, moves, strict=True))
            if min(moved) >= 0 and max(moved) <= rounds and any(moves):
                yield sums, moved


def _largest(law: Law, z: Fraction, sizes: Iterable[tuple[int, int]]) -> Fraction:
    """Return the largest ratio of an action's probabilities over all neighbours of these sizes."""
    known = cache(partial(law, z=z))
    pairs = (pair for size in sizes for pair in neighbours(*size))
    return max(p / q for before, after in pairs for p, q in zip(known(before), known(after), strict=True))


def _exponents(spent: rationals.Number) -> tuple[int, int]:
    """Return the exponents of a base in the distributions' z and in the limit's, in the ratio `spent`.

    Where its denominator is large, the ratio is rounded up to a hundredth: less noise, a larger loss.
    """
    exact = rationals.fraction(spent)
    if exact.denominator > _LARGEST:
        exact = Fraction(ceil(exact * _LARGEST), _LARGEST)
    return exact.numerator, exact.denominator


def _tables(name: str, law: Law, spent: rationals.Number) -> Step:
    """Compare all neighbouring 0/1 tables of 2 actions and 3 rounds, 3 actions and 2 rounds, at three bases."""
    up, down = _exponents(spent)
    excess = [base ** (2 * down) / _largest(law, base**up, ((2, 3), (3, 2))) - 1 for base in BASES]
    return rationals.at_least(f"{name}: 0/1 tables", min(excess))


def _enough(spent: rationals.Number) -> Step:
    """The noise is not smaller than stated: spent <= 1."""
    return rationals.at_least("spent ≤ 1", 1 - rationals.fraction(spent))


def softmax(precision: int = balls.PRECISION, *, spent: rationals.Number = 1) -> Proof:
    """Softmax of -eta L: P(J = j) <= e^(2 eta spent) P'(J = j), any K, sums and moves of at most 1; attained.

    1. P(j) = 1 / (1 + y), y = sum over i != j of z^(L_j - L_i) > 0, z = e^(eta spent). A move changes each
       exponent by at most 2: y' <= z^2 y.
    2. z^2 P'(j) >= z^2 / (1 + z^2 y) and P(j) = 1 / (1 + y). Exchange the two tables: it is enough that z^2 / (1
       + y) - 1 / (1 + y / z^2) >= 0, and (1 + y / z^2) z^2 - (1 + y) = z^2 - 1, the first step, an identity.
    3. The ratio (1 + y) / (1 + y / z^2) tends to z^2 as y grows, as it does with the length of a block: 2 eta
       spent is attained in the limit, so that spent <= 1, the second step, is needed too.
    4. A mixture over prefix lengths that do not depend on the data keeps the inequality; a selection from a block
       that the vector is not in does not change.
    5. The third step: in rationals, all neighbouring 0/1 tables of small sizes.
    """

    def difference(y: Fraction, square: Fraction) -> Fraction:
        return (square + y) - (1 + y) - (square - 1)

    return Proof(
        rationals.identity("(1 + y/z²)z² − (1 + y) = z² − 1", difference, (1, 1)),
        _enough(spent),
        _tables("softmax", softmax_law, spent),
    )


def permute_and_flip(precision: int = balls.PRECISION, *, spent: rationals.Number = 1) -> Proof:
    """Report-noisy-max with Exp(2 / (epsilon spent)) noise is epsilon spent private, any K and sums; attained.

    1. Given the noise of the others, j is selected if its own exceeds some t, with chance e^-(t / beta), or 1
       where t <= 0. A move shifts t by at most 2: the chance changes by a factor of at most e^(2 / beta) = z^2 at
       z = e^(epsilon spent / 2), whatever the noise of the others, so P does too.
    2. K = 2, sums (0, m) and (1, m - 1): P(2) = z^-m / 2 and z^-(m - 2) / 2, for m >= 2: the factor is attained,
       so that spent <= 1, the first step, is needed.
    3. The second step: in rationals, all neighbouring 0/1 tables of small sizes, by the distribution of
    permute-and-flip.
    """
    return Proof(_enough(spent), _tables("permute-and-flip", permute_and_flip_law, spent))


def randomized_response(precision: int = balls.PRECISION, *, spent: rationals.Number = 1) -> Proof:
    """Randomised response among M labels: P(y | label) <= z^2 P(y | other), with equality at y = label.

    The distribution is z^(2 spent) / (z^(2 spent) + M - 1) at the true label and 1 / (...) elsewhere, so ratios
    are z^(2 spent), 1 and z^(-2 spent), for every M. The step: in rationals, M = 2, 3 and 10, at three bases.
    """
    up, down = _exponents(spent)
    excess = []
    for base, m in product(BASES, (2, 3, 10)):
        laws = [randomized_response_law(label, m, base**up) for label in range(m)]
        worst = max(p / q for one in laws for two in laws for p, q in zip(one, two, strict=True))
        excess.append(base ** (2 * down) / worst - 1)
    return Proof(rationals.at_least("randomised response: ratios", min(excess)))


def laplace(precision: int = balls.PRECISION, *, spent: rationals.Number = 1) -> Proof:
    """Report-noisy-max with Laplace(2 / (epsilon spent)) noise is epsilon spent private, any K and sums.

    1. Given the noise of the others, j is selected if its own exceeds some t; a move shifts t by at most 2. With
       the survival function G of Laplace(1), G(x) <= e^s G(x + s) for s >= 0: log G has the slope minus the
       hazard rate, at least -1 (Lemma 18 of the bandits paper). In units of beta, s = 2 / beta = epsilon spent.
    2. The factor is attained as t grows, where G(x) = e^-x / 2, so that spent <= 1, the first step, is needed.
    3. Two actions, in balls: P(2) = T(x), T(x) = (1 + x / 2) e^-x / 2 for x >= 0 and 1 - T(-x) else, x the lead
       of action 1 over beta. The other steps: e^(2 u) T(x + 2 u spent) - T(x) > 0, divided by T(x + 2 u spent),
       for x in [-8, 8] and 2 u = epsilon = 1/2, 1 and 2.
    """
    arb = balls.flint().arb
    exact = rationals.fraction(spent)

    def tail(x: Any) -> Any:
        return (1 + x / 2) * (-x).exp() / 2

    def at(x: Any) -> Any:
        return tail(x) if x >= 0 else 1 - tail(-x)

    def chance(x: Any) -> Any:  # it falls with x
        return at(x.lower()).union(at(x.upper()))

    def cover(level: Fraction) -> Step:
        shift, factor = balls.rational(level * exact), balls.rational(level)

        def kernel(x: Any) -> Any:
            return arb(factor).exp() - chance(x) / chance(x + shift)

        domain = balls.box((-8, 8))
        return balls.cover(f"two actions, ε = {level}", kernel, domain, precision=precision)

    levels = (Fraction(1, 2), Fraction(1), Fraction(2))
    return Proof(_enough(spent), *(cover(level) for level in levels))
