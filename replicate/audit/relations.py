"""Neighbouring relations as objects: which data sets differ in what one person decides, and pairs to try.

A data set is a list, a tuple or an array of records; of rows, where a cell is replaced.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from replicate import validation
from replicate.validation import Generator

_MOST_STEPS, _MOST_TRIES = 8, 16


@dataclass(frozen=True)
class Relation(ABC):
    """Which data sets are neighbours of a data set.

    Attributes
    ----------
    values
        What a record, or a cell, may be: at least one value.
    """

    values: Sequence[Any]

    def __post_init__(self) -> None:
        try:
            some = len(self.values) > 0 and not isinstance(self.values, str | bytes | dict)
        except TypeError:
            some = False
        if not some:
            raise ValueError(f"values must be a sequence of at least one value, got {self.values!r:.200}")

    @abstractmethod
    def size(self, data: Any) -> int:
        """Number of neighbours of a data set, equal ones counted apart."""

    @abstractmethod
    def neighbour(self, data: Any, number: int) -> Any:
        """Return a neighbour by its number."""

    def neighbours(self, data: Any) -> Iterator[Any]:
        """Yield all neighbours."""
        return (self.neighbour(data, i) for i in range(self.size(_records(data))))

    def pairs(self, data: Any, *, count: int, rng: Generator) -> list[tuple[Any, Any]]:
        """Return pairs of neighbours around a data set.

        In turn of the data set itself, of data sets of one value only, and of what a few random steps lead to.

        Parameters
        ----------
        data
            Where to begin.
        count
            Number of pairs.
        rng
            Source of randomness.
        """
        start, rng = _records(data), validation.generator(rng)
        if not self.size(start):
            raise ValueError(f"data must have neighbours, and {len(start)} records have none")
        chosen = []
        for i in range(validation.count("count", count)):
            base = start
            if i % 3 == 1:
                base = self.constant(start, self.values[(i // 3) % len(self.values)])
            elif i % 3 == 2:
                for _ in range(rng.integers(1, _MOST_STEPS, endpoint=True)):
                    base = self._step(base, rng)
            chosen.append((base, self._step(base, rng)))
        return chosen

    def constant(self, data: Any, value: Any) -> Any:
        """Return a data set of as many records that are all equal."""
        return _like(data, [value] * len(data))

    def _step(self, data: Any, rng: Generator) -> Any:
        """Return a random neighbour, a different one where a few tries find it."""
        size, other = self.size(data), data
        for _ in range(min(size, _MOST_TRIES)):
            other = self.neighbour(data, int(rng.integers(size)))
            if repr(other) != repr(data):
                break
        return other


class ReplaceOne(Relation):
    """One record is another one."""

    def size(self, data: Any) -> int:
        """Number of records times number of values."""
        return len(data) * len(self.values)

    def neighbour(self, data: Any, number: int) -> Any:
        """Replace one record by one value."""
        place, value = divmod(number, len(self.values))
        return _like(data, [self.values[value] if i == place else record for i, record in enumerate(data)])


class AddOrRemoveOne(Relation):
    """One record more, or one less."""

    def size(self, data: Any) -> int:
        """Number of records plus number of values."""
        return len(data) + len(self.values)

    def neighbour(self, data: Any, number: int) -> Any:
        """Remove a record, or append a value."""
        records = list(data)
        if number < len(records):
            return _like(data, records[:number] + records[number + 1 :])
        return _like(data, [*records, self.values[number - len(records)]])


class OneCell(Relation):
    """One cell of one row is another one."""

    def size(self, data: Any) -> int:
        """Number of cells times number of values."""
        return sum(len(row) for row in data) * len(self.values)

    def neighbour(self, data: Any, number: int) -> Any:
        """Replace one cell by one value."""
        place, value = divmod(number, len(self.values))
        rows = [list(row) for row in data]
        for row in rows:
            if place < len(row):
                row[place] = self.values[value]
                break
            place -= len(row)
        return _like(data, [_like(old, row) for old, row in zip(data, rows, strict=True)])

    def constant(self, data: Any, value: Any) -> Any:
        """Return a data set of as many cells that are all equal."""
        return _like(data, [_like(row, [value] * len(row)) for row in data])


def _records(data: Any) -> Any:
    """Check that a data set is a list, a tuple or an array of records."""
    if not isinstance(data, list | tuple | np.ndarray) or (isinstance(data, np.ndarray) and data.ndim < 1):
        raise ValueError(f"data must be a list, a tuple or an array of records, got {type(data).__name__}")
    return data


def _like(data: Any, records: list[Any]) -> Any:
    """Return records as a data set of the same type."""
    if isinstance(data, np.ndarray):
        return np.array(records).reshape(-1, *data.shape[1:]) if records else data[:0]
    return type(data)(records)
