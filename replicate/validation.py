"""Argument checks for the public boundary: one ValueError naming argument, value and what is allowed."""

from __future__ import annotations

import difflib
import functools
import math
import sys
from collections.abc import Callable, Mapping, Set
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Generator = np.random.Generator
MAX_ACTIONS = 2**20

_LARGEST_COUNT = 2**63 - 1
_MOST, _LEAST = sys.float_info.max, math.nextafter(2.0**-1024, 1)
"""The largest float, and the smallest whose reciprocal is finite."""
_PLAIN = (np.ndarray, float, int, np.float64)
"""Types that become arrays, and hide no masks."""
_SHOWN, _NEAR = 16, 3
"""Most words that are listed whole; of more, so many that are like the one given."""


def real(name: str, value: Any, *, low: float = -_MOST, high: float = _MOST) -> float:
    """Return a number, or an array of no axes, as a finite float in the closed interval [`low`, `high`]."""
    try:
        single = isinstance(value, float) or not (isinstance(value, str | bytes) or np.ndim(value))
        number = float(value) if single else math.nan
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not low <= number <= high:
        raise ValueError(_not_real(name, value, low, high))
    return number


def positive(name: str, value: SupportsFloat, *, high: float = _MOST) -> float:
    """Return `value` as a finite float in (0, `high`], not so small that its reciprocal overflows."""
    return real(name, value, low=_LEAST, high=high)


def _not_real(name: str, value: Any, low: float, high: float) -> str:
    """Say which numbers are allowed."""
    left, right = {-_MOST: -math.inf, _LEAST: 0.0}.get(low, low), math.inf if high == _MOST else high
    tiny = low == _LEAST and isinstance(value, float) and 0 < value < low
    why = ", whose reciprocal overflows" if tiny else ""
    inside = interval(left, right, open_at=0 if low == _LEAST else None)
    return f"{name} must be a finite number in {inside}, got {value!r:.200}{why}"


def interval(low: float, high: float, *, open_at: float | None = None) -> str:
    """Return the interval as text, with all digits of its ends, open where an end is infinite or is `open_at`.

    Examples
    --------
    >>> interval(0, math.inf, open_at=0), interval(1e-200, 1 - 1e-9)
    ('(0, inf)', '[1e-200, 0.999999999]')
    """
    left = "(" if low in (-math.inf, open_at) else "["
    right = ")" if high in (math.inf, open_at) else "]"
    ends = (f"{end:g}" if float(f"{end:g}") == end else repr(end) for end in (low, high))
    return f"{left}{', '.join(ends)}{right}"


def count(name: str, value: Any, *, low: int = 1, high: int | None = None) -> int:
    """Return `value` as an int in [`low`, `high`]; floats are accepted only when integral (``1e6``).

    Without `high`, the limit is the largest int64, 2**63 - 1.
    """
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    known = isinstance(whole, int | np.integer) and not isinstance(whole, bool)
    if not (known and low <= whole <= (_LARGEST_COUNT if high is None else high)):
        raise ValueError(_not_a_count(name, value, low, high))
    return int(whole)


def _not_a_count(name: str, value: Any, low: int, high: int | None) -> str:
    """Say which integers are allowed."""
    upper = "" if high is None else f" and at most {high}"
    beyond = (
        ", beyond 2**63 - 1" if high is None and isinstance(value, int | float) and value > _LARGEST_COUNT else ""
    )
    return f"{name} must be an integer of at least {low}{upper}, got {value!r:.200}{beyond}"


def choice(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """Return `value` if it is one of the `allowed` words."""
    if not (isinstance(value, str) and value in allowed):
        raise ValueError(f"{name} must be one of {_like(value, allowed)}, got {value!r:.200}")
    return value


def _like(value: Any, allowed: tuple[str, ...]) -> str:
    """List the allowed words, of many only those like the one given."""
    near = difflib.get_close_matches(value, allowed, _NEAR) if isinstance(value, str) else []
    shown = allowed if len(allowed) <= _SHOWN else near or allowed[:_NEAR]
    more = f" and {len(allowed) - len(shown)} others" if len(shown) < len(allowed) else ""
    return f"{', '.join(shown)}{more}"


def instance(name: str, value: Any, kind: Any, what: str) -> Any:
    """Return `value` if it is of that kind."""
    if not isinstance(value, kind):
        raise ValueError(f"{name} must be {what}, got {value!r:.200}")
    return value


text = functools.partial(instance, kind=str, what="text")
function = functools.partial(instance, kind=Callable, what="callable")
generator = functools.partial(instance, "rng", kind=Generator, what="a numpy.random.Generator")
"""Randomness is an argument, never a global."""


def flag(name: str, value: Any) -> bool:
    """Return `value` if it is True or False."""
    return bool(instance(name, value, bool | np.bool_, "True or False"))


def tuple_of(name: str, value: Any, kind: type, what: str) -> Any:
    """Return a tuple of that kind."""
    if not isinstance(value, tuple) or not all(isinstance(part, kind) for part in value):
        raise ValueError(f"{name} must be a tuple of {what}, got {value!r:.200}")
    return value


def _array(name: str, values: Any) -> NDArray[Any]:
    """Return `values` as an array, of objects if it becomes none; masked entries are refused, not read."""
    parts = values if isinstance(values, list | tuple) else (values,)
    if any(isinstance(part, np.ma.MaskedArray) and np.ma.is_masked(part) for part in parts):
        raise ValueError(f"{name} must have no masked entries: fill them, or leave their rows out")
    try:
        return np.asarray(values)
    except (TypeError, ValueError):
        return np.empty(0, dtype=object)


def _described(values: Any, array: NDArray[Any]) -> str:
    """Describe what was given in the place of numbers: its types, never its entries, which may be private."""
    if isinstance(values, str | bytes) or (np.ndim(array) == 0 and not isinstance(values, Mapping | Set)):
        return f"{values!r:.200}"
    kinds = getattr(values, "dtypes", None)  # of a data frame, by column
    if kinds is not None and hasattr(values, "columns"):
        plain = [isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in kinds]
        odd = [f"{column}: {kind}" for (column, kind), fine in zip(kinds.items(), plain, strict=True) if not fine]
        return f"columns of other types ({', '.join(odd)})" if odd else f"dtype {array.dtype}"
    return f"{type(values).__name__} of dtype {getattr(values, 'dtype', array.dtype)}"


def numbers(
    name: str, values: Any, *, ndim: int | None, min_last: int = 1, low: float = -_MOST, high: float = _MOST
) -> FloatArray:
    """Return `values` as a float array of finite numbers in [`low`, `high`].

    It has `ndim` axes (any number for None), none of them empty, the last of length `min_last` or more.
    """
    array = np.asarray(values) if type(values) in _PLAIN else _array(name, values)
    fits = ndim in (None, array.ndim) and array.size and (array.shape or (1,))[-1] >= min_last
    if not fits or array.dtype.kind not in "biuf":
        raise ValueError(_misshapen(name, values, array, ndim, min_last))
    array = array.astype(np.float64, copy=False)
    if not low <= np.minimum.reduce(array, axis=None) <= np.maximum.reduce(array, axis=None) <= high:
        raise ValueError(_outside(name, array, low, high))
    return array


def _misshapen(name: str, values: Any, array: NDArray[Any], ndim: int | None, min_last: int) -> str:
    """Say which kinds and shapes are allowed."""
    if array.dtype.kind not in "biuf":
        return f"{name} must be an array of real numbers, got {_described(values, array)}"
    axes = "" if ndim is None else f"{ndim} axes, "
    return f"{name} must have {axes}none empty, the last of length at least {min_last}; got shape {array.shape}"


def integers(name: str, values: ArrayLike, *, low: int = 0) -> IntArray:
    """Return `values` as an int64 array of any shape, all of them at least `low`."""
    array = _array(name, values)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be integers of at least {low}, got {_described(values, array)}")
    if array.size and not low <= array.min() <= array.max() <= _LARGEST_COUNT:
        given = f"{array.min()} to {array.max()}"
        raise ValueError(f"{name} must be integers of at least {low} and below 2**63, got {given}")
    return array.astype(np.int64, copy=False)


def unit_array(name: str, values: ArrayLike, *, ndim: int | None, min_last: int = 2) -> FloatArray:
    """Return `values` as a float array with `ndim` axes and all entries in [0, 1]."""
    return numbers(name, values, ndim=ndim, min_last=min_last, low=0, high=1)


def _outside(name: str, array: FloatArray, low: float, high: float) -> str:
    """Say which numbers are allowed, and of an array where the first is that is not: it may be private."""
    if not np.isfinite(array).all():
        return f"{name} must be finite, got {array[~np.isfinite(array)][0]} among its values"
    if not array.ndim:
        return f"{name} must be in {interval(low, high)}, got {array}"
    outside = (array < low) | (array > high)
    place = np.argwhere(outside)[0].tolist()
    return (
        f"{name} must lie in {interval(low, high)}, and {outside.sum()} of its values do not, the first at {place}"
    )


def probabilities(name: str, values: ArrayLike, *, ndim: int | None = 1) -> FloatArray:
    """Return `values` as an array whose last axis holds probability vectors (sums within 1e-9 of one)."""
    array = unit_array(name, values, ndim=ndim, min_last=1)
    if np.abs(array.sum(axis=-1) - 1).max() > 1e-9:
        raise ValueError(f"{name} must sum to 1 along the last axis, got sums {array.sum(axis=-1)!r}")
    return array


def interface(name: str, value: Any, needed: tuple[str, ...]) -> Any:
    """Return `value` if it has the `needed` attributes and methods."""
    missing = [attribute for attribute in needed if not hasattr(value, attribute)]
    if missing or isinstance(value, type):
        raise ValueError(f"{name} must be an object with {', '.join(needed)}, got {value!r:.200}")
    return value


def printable(text: str) -> str:
    """Return a text in which what cannot be printed, such as commands of a terminal, is escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
