"""The statements at one point of their ranges: exact, in milliseconds."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from replicate.claims import Evidence
from replicate.studies.price_of_privacy import lemmas


def attained(factor: float) -> Evidence:
    """Largest ratio of chances of a sequence on neighbouring tables, times `factor`, e**-epsilon: in fractions."""
    exact, worst = Fraction(factor).limit_denominator(1000), Fraction(1)
    laws = {word: lemmas.resting_policy(word, u=exact) for word in product((0, 1), repeat=6)}
    for word, law in laws.items():
        for i in range(6):
            other = laws[(*word[:i], 1 - word[i], *word[i + 1 :])]
            worst = max(worst, *(chance / other[actions] for actions, chance in law.items()))
    return Evidence(measured=float(worst * exact), limit=1.0)
