"""Argument checks for the public boundary: one ValueError naming argument, value and what is allowed."""

from __future__ import annotations

import math
import operator
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

__all__ = [
    "FloatArray",
    "IntArray",
    "choice",
    "count",
    "generator",
    "numbers",
    "positive",
    "probabilities",
    "real",
    "unit_array",
]


def real(name: str, value: SupportsFloat, *, low: float = -math.inf, high: float = math.inf) -> float:
    """Return `value` as a finite float in the closed interval [`low`, `high`]."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not (math.isfinite(number) and low <= number <= high):
        raise ValueError(f"{name} must be a finite number in [{low:g}, {high:g}], got {value!r}")
    return number


def positive(name: str, value: SupportsFloat, *, high: float = math.inf) -> float:
    """Return `value` as a finite float in (0, `high`]."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not (math.isfinite(number) and 0 < number <= high):
        raise ValueError(f"{name} must be a finite number in (0, {high:g}], got {value!r}")
    return number


def count(name: str, value: Any, *, low: int = 1, high: int | None = None) -> int:
    """Return `value` as an int in [`low`, `high`]; floats are accepted only when integral (``1e6``)."""
    upper = "" if high is None else f" and at most {high}"
    message = f"{name} must be an integer of at least {low}{upper}, got {value!r}"
    if isinstance(value, bool | np.bool_):
        raise ValueError(message)
    try:
        whole = int(value) if isinstance(value, float) and value.is_integer() else operator.index(value)
    except TypeError:
        raise ValueError(message) from None
    if whole < low or (high is not None and whole > high):
        raise ValueError(message)
    return whole


def choice(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """Return `value` if it is one of the `allowed` words."""
    if not (isinstance(value, str) and value in allowed):
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")
    return value


def generator(rng: Any) -> np.random.Generator:
    """Return `rng` if it is a numpy Generator: randomness is an argument, never a global."""
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator, got {type(rng).__name__}")
    return rng


def numbers(name: str, values: ArrayLike, *, ndim: int, min_last: int = 1) -> NDArray[np.float64]:
    """Return `values` as a float array of finite numbers with `ndim` axes, the last of length >= `min_last`."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be an array of numbers, got {values!r}") from None
    if array.ndim != ndim or array.shape[-1] < min_last or array.size == 0:
        raise ValueError(
            f"{name} must have {ndim} axes, none empty, the last of length at least {min_last}; "
            f"got shape {array.shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {array[~np.isfinite(array)][0]} among its values")
    return array


def unit_array(name: str, values: ArrayLike, *, ndim: int, min_last: int = 2) -> NDArray[np.float64]:
    """Return `values` as a float array with `ndim` axes and all entries in [0, 1]."""
    array = numbers(name, values, ndim=ndim, min_last=min_last)
    outside = (array < 0) | (array > 1)
    if outside.any():
        raise ValueError(f"{name} must lie in [0, 1], got {array[outside][0]} among its values")
    return array


def probabilities(name: str, values: ArrayLike, *, ndim: int = 1) -> NDArray[np.float64]:
    """Return `values` as an array whose last axis holds probability vectors (sums within 1e-9 of one)."""
    array = unit_array(name, values, ndim=ndim, min_last=1)
    total = array.sum(axis=-1)
    if np.abs(total - 1).max() > 1e-9:
        raise ValueError(f"{name} must sum to 1 along the last axis, got sums {total!r}")
    return array
