"""Exact worst-case privacy loss of AboveThreshold, whose queries a neighbour moves within an interval.

Let the threshold noise have scale b1 and the noise of each query scale b2, and let a neighbour move every query by
an amount in [-a, b], a, b >= 0. The mechanism says "below" to the queries q[1], ..., q[k-1] and "above" to q[k]
with probability E[prod_{i<k} F(rho - q[i]) (1 - F(rho - q[k]))], rho the noisy threshold and F the
distribution function of the noise of a query.

No pair costs more than max(a, b) / b1 + (a + b) / b2: shift rho by b along with the queries that rise by at
most b. No silent query becomes less likely to stay silent, the density of rho loses a factor exp(b / b1) at
most, and q[k] lags behind rho by at most a + b more than before. With the inputs exchanged a takes the place of
b.

Nothing less will do. Four silent queries far above zero make every rho below them unlikely: together they
decay faster than the density of rho and the last factor grow, for b2 = 2 b1. Then rho sits in its exponential
tail and the last query in its own; the four move by b, the last by -a, and each tail pays in full.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from replicate import mechanisms, validation
from replicate.validation import FloatArray


def above_threshold_pair(
    *,
    epsilon: float,
    sensitivity: float = 1.0,
    down: float | None = None,
    up: float | None = None,
    distance: float = 30.0,
) -> tuple[FloatArray, FloatArray]:
    """Return neighbouring sequences of five queries whose loss tends to the worst as `distance` grows.

    Parameters
    ----------
    epsilon, sensitivity
        Calibration of the mechanism, positive: b1 = 2 sensitivity / epsilon, b2 = 2 b1.
    down, up
        Ends of the interval, a and b, at least 0; `sensitivity` where None.
    distance
        Of the four silent queries from the threshold and the last query, in scales of a query's noise.
    """
    scale = _scale(epsilon, sensitivity)
    a, b = _interval(sensitivity, down, up)
    first = np.append(np.full(4, 4 * scale * validation.positive("distance", distance, high=1e9)), 0.0)
    # the silent queries take the larger move, the last one the other way
    move = np.append(np.full(4, b), -a) if b >= a else np.append(np.full(4, -a), b)
    return first, first + move


def above_threshold_pair_loss(
    first: ArrayLike, second: ArrayLike, *, epsilon: float, sensitivity: float = 1.0
) -> float:
    """Exact privacy loss of AboveThreshold on two sequences of queries, shape (n,), threshold zero.

    The largest log ratio over the moments at which the mechanism may halt, and over its never halting.
    """
    level = 1 / _scale(epsilon, sensitivity)
    one, two = (validation.numbers(name, x, ndim=1) for name, x in (("first", first), ("second", second)))
    if one.shape != two.shape:
        raise ValueError(f"second must have as many queries as first, {len(one)}, got {len(two)}")
    p, q = (mechanisms.above_threshold_log_law(queries, epsilon=level) for queries in (one, two))
    return float(np.abs(p - q).max())


def _scale(epsilon: float, sensitivity: float) -> float:
    """Return sensitivity / epsilon, the unit of the mechanism's noise, both from 1e-9 to 1e9."""
    return validation.real("sensitivity", sensitivity, low=1e-9, high=1e9) / validation.real(
        "epsilon", epsilon, low=1e-9, high=1e9
    )


def _interval(sensitivity: float, down: float | None, up: float | None) -> tuple[float, float]:
    a = sensitivity if down is None else validation.real("down", down, low=0, high=1e9)
    b = sensitivity if up is None else validation.real("up", up, low=0, high=1e9)
    return a, b
