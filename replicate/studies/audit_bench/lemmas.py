"""One limit for the ratio of two probabilities: its exact chance of error, and the runs that it saves."""

from __future__ import annotations

import math

import numpy as np
import scipy

from replicate.audit.certificates import ratio_limit


def chance_of_error(first: float, second: float, *, alpha: float) -> float:
    """Exact probability that `ratio_limit` exceeds log(first / second), the counts having these means.

    Given x + y = n the limit grows with x: it errs from some x on, and x is binomial. One more run moves this x by
    at most one.
    """
    truth, total, chance, least = math.log(first / second), first + second, 0.0, 0
    most = int(total + 12 * math.sqrt(total)) + 12  # beyond, every n counts as an error
    for n in range(1, most + 1):
        while least <= n and ratio_limit(least, n - least, false_alarm=alpha) <= truth:
            least += 1
        chance += scipy.stats.poisson.pmf(n, total) * scipy.stats.binom.sf(least - 1, n, first / total)
    return float(chance + scipy.stats.poisson.sf(most, total))


def trade_off(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Corners of the exact trade-off curve of two laws on finitely many outcomes: (C,) twice -> (C + 1, 2).

    Outcomes are given up in the order of their likelihood ratios (Neyman and Pearson): errors of the first kind,
    rising, and of the second kind.
    """
    with np.errstate(divide="ignore"):
        order = np.argsort(-np.log(second) + np.log(first))
    wrong = np.append(0.0, np.cumsum(first[order]))
    missed = 1 - np.append(0.0, np.cumsum(second[order]))
    return np.column_stack([wrong, missed])
