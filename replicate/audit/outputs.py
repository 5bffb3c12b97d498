"""Outputs of a mechanism, drawn with care and converted by nothing that loses anything."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from replicate.audit.outcomes import Outputs
from replicate.validation import Generator, IntArray

Sampler = Callable[[int, Generator], Any]
"""(n, rng) to n independent outputs of a mechanism on one input: an array (n, ...), or n values of any kind."""

_CHUNK, _ROOM = 2**17, 2**25
_MOST_CODES = 2**22


def drawn(name: str, sampler: Sampler, n: int, rng: Generator) -> Outputs:
    """Return n outputs of a sampler: numbers (n, ...) in their own type, or an array of n objects.

    Raises
    ------
    ValueError
        If the sampler raises, or returns another number of outputs.
    """
    try:
        values = sampler(n, rng)
    except Exception as error:
        raise ValueError(
            f"{name} must return {n} outputs, raised {type(error).__name__}: {error} "
            "(`one_by_one` makes exceptions of single runs outcomes)"
        ) from error
    if isinstance(values, str | bytes | dict | set | frozenset) or not hasattr(values, "__iter__"):
        raise ValueError(f"{name} must return {n} outputs, got {values!r:.200}")
    if hasattr(values, "to_numpy") and list(getattr(values, "index", range(n))) != list(range(n)):
        raise ValueError(f"{name} must return {n} outputs without labels, got the index {values.index!r:.200}")
    if hasattr(values, "__array__"):
        values = values if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
        if values.ndim < 1 or len(values) != n:
            raise ValueError(f"{name} must return {n} outputs, got shape {values.shape}")
        return values if _are_numbers(values) else _objects(values)
    values = list(values)
    if len(values) != n:
        raise ValueError(f"{name} must return {n} outputs, got {len(values)}")
    return stacked(values)


def _are_numbers(values: NDArray[Any]) -> bool:
    """Return True if an array holds numbers that are read as they are."""
    if isinstance(values, np.ma.MaskedArray):  # its mask is an outcome too
        return False
    return values.dtype.kind in "biu" or (values.dtype.kind == "f" and values.dtype.itemsize <= 8)


def stacked(values: list[Any]) -> Outputs:
    """Stack numbers, or rows of numbers, of one type and length; keep anything else as objects."""
    parts = values
    if all(isinstance(value, list | tuple) for value in values) and len(set(map(len, values))) == 1:
        parts = list(itertools.chain.from_iterable(values))
    kinds = set(map(type, parts))
    if kinds == {np.ndarray}:
        like = {(part.shape, part.dtype) for part in parts}
        if parts is values and len(like) == 1 and _are_numbers(parts[0]):
            return np.stack(parts)
    elif len(kinds) == 1 and issubclass(kind := kinds.pop(), bool | int | float | np.number | np.bool_):
        try:
            stacked = np.array(values, dtype=np.int64 if kind is int else None)
        except OverflowError:
            return _objects(values)
        if _are_numbers(stacked):
            return stacked
    return _objects(values)


def _objects(values: Sequence[Any] | NDArray[Any]) -> Outputs:
    """Return values as an array of objects, (n,)."""
    held = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        held[i] = value
    return held


def joined(parts: Sequence[Outputs]) -> Outputs:
    """Return outputs one after the other, as numbers if they are numbers of one shape and kind."""
    if len({(part.shape[1:], part.dtype.kind) for part in parts}) == 1:
        return np.concatenate(parts)
    return np.concatenate([part if part.dtype.kind == "O" else _objects(part) for part in parts])


def room(width: int) -> int:
    """Outputs of so many numbers that are held at a time, at most: a quarter of a gigabyte."""
    return max(_ROOM // width, 1)


def chunks(name: str, sampler: Sampler, n: int, rng: Generator, width: int = 1) -> Iterator[Outputs]:
    """Draw n outputs, a few at a time, of so many numbers each."""
    size = max(1, min(_CHUNK, room(width) // 4))
    for start in range(0, n, size):
        yield drawn(name, sampler, min(size, n - start), rng)


def gathered(name: str, sampler: Sampler, n: int, rng: Generator, width: int = 1) -> Outputs:
    """Draw n outputs chunk by chunk into one array."""
    whole: Outputs = np.empty(0)
    start, parts = 0, chunks(name, sampler, n, rng, width)
    for part in parts:
        if start == 0:
            whole = np.empty((n, *part.shape[1:]), dtype=part.dtype)
        if part.shape[1:] != whole.shape[1:] or part.dtype != whole.dtype:
            return joined([whole[:start], part, *parts])
        whole[start : start + len(part)] = part
        start += len(part)
    return whole


def pair_of(first: Sampler, second: Sampler, n: int, rng: Generator, width: int = 1) -> list[Outputs]:
    """Draw n outputs on either input."""
    return [gathered("first", first, n, rng, width), gathered("second", second, n, rng, width)]


def outcome_codes(outputs: Outputs) -> IntArray | None:
    """Number outcomes that are rows of small integers, equal ones alike: (n, ...) -> (n,); None for any others."""
    rows = outputs.reshape(len(outputs), -1)
    if rows.dtype.kind not in "iub" or not rows.size:
        return None
    low, high = ([int(end) for end in ends] for ends in (rows.min(axis=0), rows.max(axis=0)))
    sizes = [last - first + 1 for first, last in zip(low, high, strict=True)]
    if math.prod(sizes) > _MOST_CODES or max(map(abs, low + high)) > 2**62:
        return None
    codes = np.zeros(len(rows), dtype=np.int64)
    for column, first, size in zip(rows.T, low, sizes, strict=True):
        codes *= size
        codes += column.astype(np.int64) - first
    return codes
