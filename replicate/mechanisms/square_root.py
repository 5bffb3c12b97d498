"""The square root of the summing matrix, applied to rows in time proportional to their number.

The lower triangular matrix of ones is B B with B[t, s] = r(t - s), r(k) = (2k choose k) / 4**k: the square of the
power series of (1 - x)**(-1/2) is that of 1 / (1 - x). These coefficients are the moments of the arcsine law,

    r(k) = 2 / pi * integral of cos(u)**(2k) over 0 < u < pi / 2
         = 2 / pi * integral of (1 + x**2)**(-k - 1) over x > 0,

and the trapezoidal rule after x = x0 sinh(v), whose error falls exponentially, turns them into sums of few powers:
r(k) = sum_j w_j (1 - d_j)**k with relative error below 1e-13 for 8 <= k < N, with log N / 0.28 + 17 of them. A
power asks for one number that is carried from row to row; the first 8 coefficients act on the last rows.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from replicate.compiled import compiled
from replicate.validation import FloatArray

NEAR = 8
"""Coefficients that act on the rows themselves."""
_STEP, _START = 0.14, 2.0
"""Step of the trapezoidal rule, and x0 times sqrt(N)."""
_SUMMED = 2**20
"""Squares of coefficients that are added up one by one."""


class SquareRoot:
    """Weighs rows, shape (n, K), with B, in pieces: the rows before are carried along in some powers of them.

    Parameters
    ----------
    n_rounds
        Number of rows N in all, at least 1.
    n_actions
        K.
    """

    def __init__(self, n_rounds: int, n_actions: int) -> None:
        self._decay, self._weight = powers(n_rounds)
        self._first = coefficients(NEAR)
        self._last = np.zeros((NEAR, n_actions))
        self._carried = np.zeros((n_actions, len(self._decay)))

    def weigh(self, rows: FloatArray) -> FloatArray:
        """Return the next n rows of B times all rows so far, shape (n, K)."""
        known = np.concatenate([self._last, rows])
        weighed = np.empty_like(rows)
        _weigh(known, self._first, self._decay, self._weight, self._carried, weighed)
        self._last = known[len(rows) :]
        return weighed


@compiled(error_model="numpy")
def _weigh(
    rows: FloatArray,
    first: FloatArray,
    decay: FloatArray,
    weight: FloatArray,
    carried: FloatArray,
    weighed: FloatArray,
) -> None:
    """Write the weighed rows; `rows` has the last rows before them on top; sums are folded, several at once."""
    near, n_powers = len(first), len(decay)
    parts = np.empty(n_powers)
    for i in range(weighed.shape[1]):
        sums = carried[i]
        for t in range(len(weighed)):
            row = rows[t, i]
            for j in range(n_powers):
                sums[j] = sums[j] - decay[j] * sums[j] + row
                parts[j] = weight[j] * sums[j]
            size = n_powers
            while size > 1:
                half = (size + 1) // 2
                for j in range(size - half):
                    parts[j] += parts[half + j]
                size = half
            total = parts[0]
            for k in range(near):
                total += first[k] * rows[near + t - k, i]
            weighed[t, i] = total


@cache
def powers(n_rounds: int) -> tuple[FloatArray, FloatArray]:
    """Return d_j and w_j (1 - d_j)**8, shape (J,): r(k) is the sum of w_j (1 - d_j)**k for 8 <= k < N."""
    start = _START / math.sqrt(n_rounds)
    end = math.asinh(10 ** (17 / (2 * NEAR + 1)) / start)
    v = _STEP * (np.arange(math.ceil(end / _STEP)) + 0.5)
    squares = np.square(start * np.sinh(v))
    weight = 2 / math.pi * _STEP * start * np.cosh(v) * (1 + squares) ** -(NEAR + 1.0)
    return squares / (1 + squares), weight


def coefficients(n: int) -> FloatArray:
    """Return r(0), ..., r(n - 1), the coefficients of (1 - x)**(-1/2): r(k) = (1 - 1 / (2 k)) r(k - 1)."""
    k = np.arange(1, n)
    return np.cumprod(np.concatenate([np.ones(min(n, 1)), 1 - 0.5 / k]))


@cache
def squared_column(n: int) -> float:
    """Return the sum of r(k)**2 over k < n from above: exact up to 2**20 but for roundings, with 1e-9 for these.

    r(k)**2 <= 1 / (pi (k + 1/4)) (Watson 1959), and a convex function is at most its mean over an interval around:
    the terms from m to n - 1 are at most log((n - 1/4) / (m - 1/4)) / pi.
    """
    exact = float(np.square(coefficients(min(n, _SUMMED))).sum()) * (1 + 1e-9)
    return exact + (math.log((n - 0.25) / (_SUMMED - 0.25)) / math.pi if n > _SUMMED else 0.0)
