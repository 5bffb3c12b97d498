"""The statements at one point of their ranges: exact, in milliseconds."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from replicate import certify
from replicate.claims import EXACT, Evidence
from replicate.environments import Bernoulli
from replicate.streams import stream
from replicate.studies.price_of_privacy import lemmas
from replicate.studies.price_of_privacy.algorithms import lazy

ROUNDS = 2**17
"""Rounds of the games whose regret is exact."""


def attained(factor: float) -> Evidence:
    """Largest ratio of chances of a sequence on neighbouring tables, times `factor`, e**-epsilon: in fractions.

    And the regret on the table of zeros over the closed form, which must be the same fraction.
    """
    exact = Fraction(factor).limit_denominator(1000)
    worst, regret = lemmas.resting_costs(u=exact)
    closed = lemmas.resting_value(7, u=exact)
    return Evidence(measured=float(max(worst * exact, regret / closed, closed / regret)), limit=1.0)


def long_game(epsilon: float, gap: float, forget: bool = True) -> Evidence:
    """Epsilon times the exact regret of the lazy leader on fixed losses."""
    run = lazy.exact_regret([0.0, gap], epsilon=epsilon, horizon=ROUNDS, forget=forget)
    return Evidence(measured=epsilon * float(run.final[0]), limit=3.0)


def every_gap(epsilon: float, gap: float, losses: str, divisor: float = 1) -> Evidence:
    """Regret of the lazy leader for epsilon / divisor over its bound: exact, or an upper limit on iid coins."""
    level, bound = epsilon / divisor, lazy.gap_bound(epsilon=epsilon, gap=gap, losses=losses)
    if losses == "fixed":
        exact = lazy.exact_regret([0.0, gap], epsilon=level, horizon=ROUNDS)
        return Evidence(measured=float(exact.final[0]), limit=bound)
    coins, rng = Bernoulli(np.array([0.5 - gap / 2, 0.5 + gap / 2])), stream(0, "mm", "corners", epsilon, gap)
    run = lazy.simulate(coins, epsilon=level, horizon=2**50, replicates=1000, rng=rng)
    return Evidence(measured=float(certify.mean_upper(run.final)), limit=bound)


def block_privacy(epsilon: float, rounds: int, level: float = 1.0) -> Evidence:
    """Largest log ratio of the laws of a block's lead, G moved by 1 or 1/2; noise for `level` times epsilon."""
    laws = [lazy.increment_law(rounds, good, epsilon=level * epsilon) for good in np.arange(0, rounds + 0.1, 0.25)]
    worst = 0.0
    for one, other in (pair for step in (2, 4) for pair in zip(laws, laws[step:], strict=False)):
        possible = one > 0
        if not np.array_equal(possible, other > 0):
            return Evidence(measured=math.inf, limit=epsilon)
        worst = max(worst, float(np.abs(np.log(one[possible] / other[possible])).max()))
    return Evidence(measured=worst, limit=epsilon * (1 + EXACT))
