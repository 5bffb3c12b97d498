"""Compiled loops of additive scores: bins of features, sums of weights, counts of a logistic regression."""

from __future__ import annotations

import numpy as np

from replicate.compiled import compiled
from replicate.validation import FloatArray, IntArray


@compiled()
def bin_codes(x: FloatArray, edges: FloatArray, starts: IntArray, codes: IntArray) -> None:
    """Write the bin of each entry: column c of x (n, c) is cut at edges[starts[c]:starts[c + 1]]."""
    for c in range(x.shape[1]):
        cuts = edges[starts[c] : starts[c + 1]]
        for i in range(x.shape[0]):
            codes[i, c] = np.searchsorted(cuts, x[i, c], side="right")


@compiled()
def add_weights(
    x: FloatArray, edges: FloatArray, starts: IntArray, weights: FloatArray, total: FloatArray
) -> None:
    """Add to total (n,) the weights of each row's bins, column c having one weight more than edges."""
    for i in range(x.shape[0]):
        for c in range(x.shape[1]):
            low, high = starts[c], starts[c + 1]
            while low < high:
                middle = (low + high) // 2
                if x[i, c] < edges[middle]:
                    high = middle
                else:
                    low = middle + 1
            total[i] += weights[low + c]


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
    """Add each row's value to all pairs of its bins: what X' V X is for one-hot X; total (D, D)."""
    for i in range(codes.shape[0]):
        for c in range(codes.shape[1]):
            row = offsets[c] + codes[i, c]
            for d in range(codes.shape[1]):
                total[row, offsets[d] + codes[i, d]] += values[i]
