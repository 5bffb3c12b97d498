"""Search for the worst pair of inputs: the largest value of a function over a box."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy

from replicate.validation import FloatArray

_STEP = 1e-6


def starting_points(low: FloatArray, high: FloatArray, *, count: int) -> FloatArray:
    """Return points of a box, the first half spread over its inside and the others at corners: (count, d)."""
    halton = scipy.stats.qmc.Halton(d=len(low), scramble=False)
    inside = halton.random(count + 1)[1:]  # the first point is the origin
    inside[count // 2 :] = inside[count // 2 :].round()
    return np.asarray(low + inside * (high - low))


def largest(
    function: Callable[[FloatArray], FloatArray],
    low: FloatArray,
    high: FloatArray,
    starts: FloatArray,
    *,
    keep: int,
) -> float:
    """Return the largest value found from the best `keep` of the starting points, by bounded quasi-Newton steps.

    A lower limit of the maximum, equal to it when one of the starting points lies on its hill.

    Parameters
    ----------
    function
        (..., d) -> (...).
    low, high
        The box, shape (d,).
    starts
        Shape (n, d).
    keep
        Number of starting points to climb from.
    """
    values = function(starts)
    step = _STEP * (high - low)

    def climb(x: FloatArray) -> tuple[float, FloatArray]:
        """Minus the value and minus the gradient, by differences that stay in the box."""
        # at the upper end differences are taken backwards
        sign = np.where(x + step > high, -1.0, 1.0)
        around = function(np.vstack([x, x + np.diag(sign * step)]))
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.where(step > 0, (around[1:] - around[0]) / (sign * step), 0.0)
        return -float(around[0]), -slope

    best = starts[np.argsort(values)[-keep:]]
    bounds = list(zip(low, high, strict=True))
    results = [scipy.optimize.minimize(climb, start, jac=True, method="L-BFGS-B", bounds=bounds) for start in best]
    return float(max(values.max(), *(-result.fun for result in results)))
