"""Compiled loops of additive scores: bins of features, sums of weights, counts of a logistic regression."""

from __future__ import annotations

import numpy as np

from replicate.compiled import compiled
from replicate.validation import FloatArray, IntArray

_BLOCK = 512
"""Rows at a time: comparing all of them with one edge after the other is quicker than searching for each."""


@compiled()
def bin_codes(x: FloatArray, edges: FloatArray, starts: IntArray, codes: IntArray) -> None:
    """Write the bin of each entry: column c of x (n, c) is cut at edges[starts[c]:starts[c + 1]]."""
    column, counts = np.empty(_BLOCK), np.empty(_BLOCK, dtype=np.int64)
    for top in range(0, x.shape[0], _BLOCK):
        size = min(_BLOCK, x.shape[0] - top)
        for c in range(x.shape[1]):
            for i in range(size):
                column[i] = x[top + i, c]
                counts[i] = 0
            for k in range(starts[c], starts[c + 1]):
                edge = edges[k]
                for i in range(size):
                    counts[i] += column[i] >= edge
            for i in range(size):
                codes[top + i, c] = counts[i]


@compiled()
def add_weights(
    x: FloatArray, edges: FloatArray, starts: IntArray, weights: FloatArray, total: FloatArray
) -> None:
    """Add to total (n,) the weights of each row's bins, column c having one weight more than edges."""
    column, sums = np.empty(_BLOCK), np.empty(_BLOCK)
    for top in range(0, x.shape[0], _BLOCK):
        size = min(_BLOCK, x.shape[0] - top)
        for i in range(size):
            sums[i] = 0.0
        for c in range(x.shape[1]):
            for i in range(size):
                column[i] = x[top + i, c]
                sums[i] += weights[starts[c] + c]
            for k in range(starts[c], starts[c + 1]):
                edge, step = edges[k], weights[k + c + 1] - weights[k + c]
                for i in range(size):
                    sums[i] += step if column[i] >= edge else 0.0
        for i in range(size):
            total[top + i] += sums[i]


@compiled()
def gather(codes: IntArray, offsets: IntArray, weights: FloatArray, total: FloatArray) -> None:
    """Write the summed weights of each row's bins into total (n,): codes (n, c), weights (D,)."""
    for i in range(codes.shape[0]):
        total[i] = 0.0
        for c in range(codes.shape[1]):
            total[i] += weights[offsets[c] + codes[i, c]]


@compiled()
def scatter(codes: IntArray, offsets: IntArray, values: FloatArray, total: FloatArray) -> None:
    """Add each row's value to all of its bins: what X' v is for one-hot X; total (D,)."""
    for i in range(codes.shape[0]):
        for c in range(codes.shape[1]):
            total[offsets[c] + codes[i, c]] += values[i]


@compiled()
def scatter_pairs(codes: IntArray, offsets: IntArray, values: FloatArray, total: FloatArray) -> None:
    """Add each row's value to all pairs of its bins: what X' V X is for one-hot X; total (D, D), symmetric."""
    size = len(total)
    if offsets[-1] == 0:  # all features share bins: they are counted first, whatever the number of features
        times = np.empty(size)
        for i in range(codes.shape[0]):
            times[:] = 0.0
            for c in range(codes.shape[1]):
                times[codes[i, c]] += 1.0
            for a in range(size):
                share = values[i] * times[a]
                for b in range(size if times[a] else 0):
                    total[a, b] += share * times[b]
        return
    for i in range(codes.shape[0]):
        for c in range(codes.shape[1]):
            row = offsets[c] + codes[i, c]
            for d in range(c + 1):  # each feature has bins of its own: every pair comes once below the diagonal
                total[row, offsets[d] + codes[i, d]] += values[i]
    for row in range(size):
        for column in range(row):
            total[column, row] = total[row, column]
