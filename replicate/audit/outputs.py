"""Outputs of a mechanism as an audit reads them: drawn with care, and made of numbers.

Numbers are rounded to `DECIMALS` decimals before anything else looks at them. In floating point the last bits
of x + noise depend on x, so that an unrounded likelihood ratio tells neighbours apart by arithmetic alone.
That is an error of its own (Mironov, CCS 2012), and not the one under audit.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replicate.validation import FloatArray, IntArray

Sampler = Callable[[int, np.random.Generator], ArrayLike]
"""(n, rng) to n independent outputs of a mechanism on one input: labels or numbers (n,), or rows (n, d)."""

Outputs = NDArray[Any]

DECIMALS = 9
_CHUNK = 2**17
_LARGEST = 1e150
_MOST_CODES = 2**22


def drawn(name: str, sampler: Sampler, n: int, rng: np.random.Generator) -> Outputs:
    """Return n outputs of a sampler as an array, (n,) or (n, ...).

    Raises
    ------
    ValueError
        If the sampler raises, returns another number of outputs, or returns anything but numbers and words.
    """
    try:
        outputs = np.asarray(sampler(n, rng))
    except Exception as error:
        raise ValueError(f"{name} must return {n} outputs, raised {type(error).__name__}: {error}") from error
    if outputs.ndim < 1 or len(outputs) != n or outputs[:1].size == 0:
        raise ValueError(f"{name} must return {n} outputs, got shape {outputs.shape}")
    if outputs.dtype.kind not in "biufUS":
        raise ValueError(f"{name} must return numbers, words or rows of them, got {outputs.flat[0]!r:.200}")
    if outputs.dtype.kind == "f" and np.isnan(outputs).any():
        raise ValueError(f"{name} must return outputs that can be compared, got nan among them")
    return outputs


def chunks(name: str, sampler: Sampler, n: int, rng: np.random.Generator) -> Iterator[Outputs]:
    """Draw n outputs, a few at a time."""
    for start in range(0, n, _CHUNK):
        yield drawn(name, sampler, min(_CHUNK, n - start), rng)


def gathered(name: str, sampler: Sampler, n: int, rng: np.random.Generator) -> Outputs:
    """Draw n outputs chunk by chunk into one array."""
    joined = np.empty(0)
    for start, part in zip(range(0, n, _CHUNK), chunks(name, sampler, n, rng), strict=True):
        if start == 0:
            joined = np.empty((n, *part.shape[1:]), dtype=part.dtype)
        if part.shape[1:] != joined.shape[1:]:
            raise ValueError(f"{name} must return outputs of one shape, got {joined.shape[1:]} and others")
        if (common := np.promote_types(joined.dtype, part.dtype)) != joined.dtype:
            joined = joined.astype(common)
        joined[start : start + len(part)] = part
    return joined


def alike(name: str, outputs: Outputs, before: Outputs) -> Outputs:
    """Return outputs that have the shape of earlier ones and are numbers or words as they are.

    Raises
    ------
    ValueError
        If they are not.
    """
    if outputs.shape[1:] != before.shape[1:] or (outputs.dtype.kind in "US") != (before.dtype.kind in "US"):
        raise ValueError(
            f"{name} must return outputs like those before, got {outputs[:1]!r:.100} after {before[:1]!r:.100}"
        )
    return outputs


def pair_of(
    first: Sampler, second: Sampler, n: int, rng: np.random.Generator, *, before: Outputs | None = None
) -> list[Outputs]:
    """Draw n outputs on either input; they must be of one shape, numbers or words on both, like earlier ones.

    Raises
    ------
    ValueError
        As `drawn` does, or if the second outputs are not like the first, or the first not like those before.
    """
    one, other = gathered("first", first, n, rng), gathered("second", second, n, rng)
    if before is not None:
        alike("first", one, before)
    if one.shape != other.shape or (one.dtype.kind in "US") != (other.dtype.kind in "US"):
        raise ValueError(
            f"second must return outputs like those of first, got {other[:1]!r:.100} and {one[:1]!r:.100}"
        )
    return [one, other]


def outcome_codes(outputs: Outputs) -> IntArray | None:
    """Number outcomes that are rows of small integers, equal ones alike: (n, ...) -> (n,); None for any others."""
    rows = outputs.reshape(len(outputs), -1)
    if rows.dtype.kind not in "iub":
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


def rounded(outputs: Outputs) -> FloatArray:
    """Return numbers as floats with nine decimals, words as numbers of their own: (n, ...) -> (n, d)."""
    rows = outputs.reshape(len(outputs), -1)
    if rows.dtype.kind in "US":
        texts, place = np.unique(rows, return_inverse=True)
        return np.array([zlib.crc32(str(word).encode()) for word in texts], dtype=np.float64)[place].reshape(
            rows.shape
        )
    if rows.dtype.kind != "f":
        return np.asarray(rows, dtype=np.float64)
    scaled = np.clip(rows, -_LARGEST, _LARGEST)
    scaled *= 10.0**DECIMALS
    np.rint(scaled, out=scaled)
    scaled /= 10.0**DECIMALS
    return np.asarray(scaled)
