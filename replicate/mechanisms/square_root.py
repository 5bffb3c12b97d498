"""The square root of the summing matrix, applied to rows in time proportional to their number.

The lower triangular matrix of ones is B B with B[t, s] = r(t - s), r(k) = (2k choose k) / 4**k: the square of the
power series of (1 - x)**(-1/2) is that of 1 / (1 - x). These coefficients are the moments of the arcsine
distribution,

    r(k) = 2 / pi * integral of cos(u)**(2k) over 0 < u < pi / 2
         = 2 / pi * integral of (1 + x**2)**(-k - 1) over x > 0,

and the trapezoidal rule after x = x0 sinh(v), whose error falls exponentially, turns them into sums of few powers:
r(k) = sum_j w_j (1 - d_j)**k with relative error below 2e-13 for 16 <= k < N, with log N / 0.3 + 12 of them. A
power asks for one number that is carried from row to row; the first 16 coefficients act on the last rows.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from replicate.compiled import compiled
from replicate.validation import FloatArray

NEAR = 16
"""Coefficients that act on the rows themselves."""
_STEP, _START = 0.15, 2.0
"""Step of the trapezoidal rule, and x0 times sqrt(N)."""
_BLOCK = 64
"""Rows that are weighed at once."""
_LANES = 4
"""Sums that are added up side by side; the number of powers is a multiple of it."""
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
    """Write the weighed rows; `rows` has the last rows before them on top."""
    near, n_powers, size = len(first), len(decay), len(weighed)
    parts, total, column = np.empty((_BLOCK, n_powers)), np.empty(_BLOCK), np.empty(len(rows))
    for i in range(weighed.shape[1]):
        sums = carried[i]
        for t in range(len(rows)):
            column[t] = rows[t, i]
        for start in range(0, size, _BLOCK):
            n = min(_BLOCK, size - start)
            for t in range(n):
                for j in range(n_powers):
                    # sum of (1 - d)**(age - 16) over rows at least 16 old; 1 - d itself would lose digits of d
                    sums[j] = sums[j] - decay[j] * sums[j] + column[start + t]
                    parts[t, j] = weight[j] * sums[j]
            for t in range(n):
                p = q = r = s = 0.0
                for j in range(0, n_powers, _LANES):
                    p, q = p + parts[t, j], q + parts[t, j + 1]
                    r, s = r + parts[t, j + 2], s + parts[t, j + 3]
                # four sums side by side, in a fixed order: vectors of any width add alike
                total[t] = (p + q) + (r + s)
            for k in range(near):
                for t in range(n):
                    total[t] += first[k] * column[near + start + t - k]
            for t in range(n):
                weighed[start + t, i] = total[t]


@cache
def powers(n_rounds: int) -> tuple[FloatArray, FloatArray]:
    """Return d_j and w_j (1 - d_j)**16, shape (J,): r(k) is the sum of w_j (1 - d_j)**k for 16 <= k < N."""
    start = _START / math.sqrt(n_rounds)
    # what is left of the integral beyond x falls like x**-33 for r(16), the slowest: below 1e-17
    end = math.asinh(10 ** (17 / (2 * NEAR + 1)) / start)
    # midpoints are a trapezoidal rule shifted by half a step
    v = _STEP * (np.arange(_LANES * math.ceil(end / _STEP / _LANES)) + 0.5)
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
