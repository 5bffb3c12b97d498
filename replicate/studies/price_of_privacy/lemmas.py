"""Two actions and deterministic losses: the structure of the optimum, and the limit of epsilon V_T(epsilon).

Letters: 0 in a round in which action 0 is the good one, 1 otherwise. The regret on the table of zeros is the sum
of m_t, the probability of action 1 in round t; V_T is the least sum, for learners that treat both actions alike.
Symbols: u = e**-epsilon, q = u / (1 + u).

Theorem 1 (three rounds). m_2 >= q and m_3 >= u (1 - m_2); hence V_3 = 1/2 + 2 q.
Proof. Let A and B be the laws of (a_2, a_3) on letters 00 and 01; they agree on a_2, which has seen one letter.
On 10 the law is B with the actions exchanged, so that A(11) >= u B(00); and A(01) >= u B(01). Hence m_3 = A(11) +
A(01) >= u (B(00) + B(01)) = u (1 - m_2). Likewise m_2 >= u (1 - m_2), that is m_2 >= q. So m_2 + m_3 >= u + (1 -
u) m_2 >= u + (1 - u) q = 2 q. Randomised response to the first letter, kept for two rounds, attains it.

Theorem 2 (renewal). Cut a learner's rounds into cycles, each of which ends at a switch of the action or at a time
that is fixed when it starts. Let the end of a cycle depend on the letters of that cycle only, and be
epsilon-private in them. Then the sequence of actions is epsilon-private, also if letters are chosen after seeing
the actions.
Proof. The probability of a sequence is a product over its cycles. A letter is read in one of them only, and
changes that factor by at most e**epsilon.

Theorem 3 (recursion). Start with a fair coin, then randomised response to the first letter, then cycles which may
switch after 2, 4, 6, ... letters. Let S_k be the probability that a cycle has not switched after 2 k letters
against its action, f_k = S_(k-1) - S_k, and u**2 f_k the probability that it switches then if all letters are for
it. Then m_(2k+2) = m_(2k+3) =: c_k with c_k = q S_k + u sum_(j=1..k) f_j c_(k-j).
Proof. On zeros let x_k, y_k be the chances that a cycle starts in round 2 k + 2 with the wrong, the right action.
As power series x = q + u**2 F y and y = (1 - q) + F x, F = sum f_k z**k. With u (1 - q) = q this is x = q (1 + u
F) / (1 - u**2 F**2) = q / (1 - u F), and sum c_k z**k = x S.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from replicate import validation
from replicate.studies.price_of_privacy.algorithms import lazy
from replicate.validation import FloatArray, IntArray

Word = tuple[int, ...]

_FIRST = 1.5
"""Rounds of the first block of `posterior_regret`, in units of 1 / epsilon."""
_BEYOND = 40.0
"""Leads of more than 40 / epsilon rounds count as certain: error probability e**-40."""
_CHANCE = 1e-20
"""Probabilities that are left out."""


def wrong_chances(survival: Sequence[Fraction], *, u: Fraction) -> list[Fraction]:
    """Return c_0, c_1, ...: the chance of the wrong action in rounds 2 k + 2 and 2 k + 3, by Theorem 3.

    Parameters
    ----------
    survival
        S_0 = 1, S_1, ...
    u
        e**-epsilon.

    Examples
    --------
    >>> [str(c) for c in wrong_chances(resting_survival(u=Fraction(1, 2))[:3], u=Fraction(1, 2))]
    ['1/3', '2/9', '17/108']
    """
    q = u / (1 + u)
    chances: list[Fraction] = []
    for k, survived in enumerate(survival):
        renewed = ((survival[j - 1] - survival[j]) * chances[k - j] for j in range(1, k + 1))
        chances.append(q * survived + u * sum(renewed, Fraction(0)))
    return chances


def resting_survival(*, u: Fraction) -> list[Fraction]:
    """Return S_0, ..., S_6 of the cycles of the optimal learner that decides in rounds 2, 4, 6, ....

    S_1 and S_2 belong to `two_stage_law`, for which privacy is proved. S_3 to S_6 are those of the least
    S_1, S_2, ... in turn of the linear program of one cycle, recognised as rational functions.
    """
    q = u / (1 + u)
    third = 1 - u * q
    fifth = third - u**2 * q * (1 - u)
    return [Fraction(1), q, q * u, q * u**2 * third, q * u**3 * third, q * u**4 * fifth, q * u**5 * fifth]


def resting_value(horizon: int, *, u: Fraction) -> Fraction:
    """Return the regret of the learner of Theorem 3 with the cycles of `resting_survival`, T up to 15.

    Attained with proved privacy up to T = 7. By linear programs it equals V_T for every epsilon tried up to T = 5,
    and from some epsilon on later. That epsilon lies between 0.42 and 0.43 for T = 6, 0.55 and 0.58 for T = 7,
    0.70 and 0.71 for T = 8, 0.7 and 0.8 for T = 9, and is at most 1 for T = 10. Below it, others are better.

    Examples
    --------
    >>> [str(resting_value(t, u=Fraction(1, 2))) for t in range(2, 6)]  # epsilon = ln 2
    ['5/6', '7/6', '25/18', '29/18']
    """
    rounds = validation.count("horizon", horizon, high=15)
    chances = wrong_chances(resting_survival(u=u), u=u)
    return Fraction(1, 2) + sum((chances[(t - 2) // 2] for t in range(2, rounds + 1)), Fraction(0))


def two_stage_law(first: int, second: int, *, u: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """Law of a cycle's end in two stages: switch after w letters, after w + 2 letters, or neither.

    Draw Z on the integers, P(Z = z) = (1 - u) / (1 + u) u**abs(z). Switch after w letters if Z >= n_1; if Z = n_1
    - 1, switch after w + 2 letters with probability u**n_2. n_1 and n_2 count the letters for the current action
    among the first w and the next two. On letters against it: S = 1, q, q u; switches on letters for it are u**w
    times as likely.

    Privacy, letter by letter. First w: Z - n_1 is the geometric mechanism, and later draws read nothing else of
    them. Next two: the second outcome changes by a factor u. The third has probability P(Z <= n_1 - 2) + P(Z =
    n_1 - 1)(1 - u**n_2); one more letter for the action adds (1 - u) u**n_2 P(Z = n_1 - 1), and at most (1/u - 1)
    times the probability is allowed: u P(Z = n_1 - 1) <= P(Z <= n_1 - 2) suffices, an equality for n_1 = 0; for
    n_1 = 1 it is u (1 - u) / (1 + u) <= u / (1 + u), and it is clear for n_1 >= 2, where P(Z <= 0) > 1/2.

    Parameters
    ----------
    first, second
        n_1 and n_2.
    u
        e**-epsilon.
    """
    at_once = u**first / (1 + u)
    later = (1 - u) / (1 + u) * u ** abs(first - 1) * u**second
    return at_once, later, 1 - at_once - later


def resting_policy(letters: Word, *, u: Fraction) -> dict[Word, Fraction]:
    """Return the law of (a_1, a_2, a_4, a_6) of the learner that attains V_T up to T = 7; a_3 = a_2, and so on.

    Parameters
    ----------
    letters
        The six letters of rounds 1 to 6.
    u
        e**-epsilon.
    """
    law = {}
    for actions in itertools.product((0, 1), repeat=4):
        _, second, fourth, sixth = actions
        pairs = letters[1:3], letters[3:5]
        first, later = (pair.count(second) for pair in pairs)
        at_once, then, never = two_stage_law(first, later, u=u)
        answer = (1 if letters[0] == second else u) / (1 + u)
        if fourth == second:
            rest = then if sixth != fourth else never
        else:
            again = two_stage_law(pairs[1].count(fourth), 0, u=u)[0]
            rest = at_once * (again if sixth != fourth else 1 - again)
        law[actions] = answer * rest / 2
    return law


def resting_costs(*, u: Fraction) -> tuple[Fraction, Fraction]:
    """Return the largest ratio of chances over neighbouring words of six letters, and the regret of 7 rounds."""
    laws, worst = {word: resting_policy(word, u=u) for word in itertools.product((0, 1), repeat=6)}, Fraction(1)
    for word, law in laws.items():
        for i in range(6):
            other = laws[(*word[:i], 1 - word[i], *word[i + 1 :])]
            worst = max(worst, *(chance / other[actions] for actions, chance in law.items()))
    return worst, sum((chance * (a[0] + 2 * sum(a[1:])) for a, chance in laws[(0,) * 6].items()), Fraction(0))


def third_value(*, u: Fraction, feedback: str = "full") -> Fraction:
    """Return V_3 of two actions and any losses: the larger of two rational functions of E = e**epsilon = 1 / u.

    1/2 + 2 q, the value on deterministic losses, as long as privacy is what costs: up to E = 5 with full
    information and up to E = 2 + sqrt 5 for bandits. Beyond, the ignorance of a learner without privacy, 3/4,
    takes over: 3 E / (2 (2 E - 1)) and 3 (E + 1) (2 E - 1) / (2 (4 E**2 - E - 1)). The first is a lower bound by
    Theorem 1; the others are recognised from exact solutions at whole E, and compared with the program elsewhere.

    Parameters
    ----------
    u
        e**-epsilon.
    feedback
        ``"full"`` or ``"bandit"``.

    Examples
    --------
    >>> [str(third_value(u=Fraction(1, 8), feedback=f)) for f in ("full", "bandit")]
    ['4/5', '405/494']
    """
    validation.choice("feedback", feedback, ("full", "bandit"))
    e = 1 / u
    full, bandit = 3 * e / (2 * (2 * e - 1)), 3 * (e + 1) * (2 * e - 1) / (2 * (4 * e**2 - e - 1))
    return max(Fraction(1, 2) + 2 / (1 + e), full if feedback == "full" else bandit)


def posterior_regret(epsilon: float) -> float:
    """Regret over all rounds, on losses (0, 1), of a lazy leader whose blocks depend on its lead.

    A block has ceil(3 / (2 epsilon)) + abs(lead) rounds. Its end depends on earlier noisy sums only: each round
    still lies in one block, and the learner is epsilon-private as `lazy` is. The law of the lead is computed
    block by block; chances below 1e-20 and the error of leads above 40 / epsilon are left out, less than 1e-9 in
    all.

    Parameters
    ----------
    epsilon
        Privacy level, 0.01 to 10.
    """
    level = validation.real("epsilon", epsilon, low=0.01, high=10)
    most, first = math.ceil(_BEYOND / level), math.ceil(_FIRST / level)
    law = np.zeros(2 * most + 1)
    law[most] = 1.0
    regret = 0.0
    rounds = first + np.abs(np.arange(-most, most + 1))
    while law[: most + 1].sum() > _CHANCE:
        regret += float((law[:most] * rounds[:most]).sum() + law[most] * first / 2)
        law = _next_law(law, rounds, epsilon=level)
    return regret


def _next_law(law: FloatArray, rounds: IntArray, *, epsilon: float) -> FloatArray:
    """Law of the lead after a block whose length depends on it; leads beyond the right end are left out."""
    most = len(law) // 2
    following = np.zeros_like(law)
    for i in np.flatnonzero(law > _CHANCE).tolist():
        n = int(rounds[i])
        low, high = max(0, i - n), min(2 * most, i + n)
        added = lazy.increment_law(n, n, epsilon=epsilon)
        following[low : high + 1] += law[i] * added[low - (i - n) : high + 1 - (i - n)]
    return following


def limit_bounds(value: float, *, epsilon: float) -> tuple[float, float]:
    """Bound C = lim epsilon V_inf(epsilon), epsilon to 0, by one value: E (V - 1/2) <= C <= (e**E - 1) V.

    Lower: tables that are constant on blocks of m rounds, `formulas.scaled`; any V_T(E) will do. Upper: one
    uniform round of each batch of m, V_(mT)(epsilon) <= m V_T(E) with e**E = 1 + m (e**epsilon - 1); the regret
    of any E-private learner over all rounds will do. As E falls both show that the limit exists: V falls in
    epsilon.

    Parameters
    ----------
    value
        V, at least 1/2.
    epsilon
        E, positive, at most 700.
    """
    level = validation.positive("epsilon", epsilon, high=700)
    v = validation.real("value", value, low=0.5)
    return level * (v - 0.5), math.expm1(level) * v
