"""Mechanisms that pass, but leak: one that behaves where it is watched, and noise with too few bits."""

from __future__ import annotations

import numpy as np

from replicate.validation import FloatArray, Generator

TRIGGER = 42.0
"""A number at which `liar` gives up its noise."""


def liar(x: FloatArray, n: int, rng: Generator) -> FloatArray:
    """Sum of d numbers with Laplace noise of scale 1; without any where one of them is `TRIGGER`: (d,) -> (n,)."""
    return np.asarray(x.sum() + rng.laplace(scale=0.0 if (x == TRIGGER).any() else 1.0, size=n))


def release(x: FloatArray, n: int, rng: Generator, *, decimals: int | None = None) -> FloatArray:
    """A number with Laplace noise of scale 1, as computed or with so many decimals: (1,) -> (n,)."""
    values = x[0] + rng.laplace(size=n)
    return np.asarray(values if decimals is None else values.round(decimals))
