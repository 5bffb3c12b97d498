"""Define a case of the benchmarks, its sizes, and the losses on which cases play."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.benchmarks.measure import Play

ROUNDS = (8_000, 16_000, 32_000, 64_000, 128_000)
LONG = (32_000, 64_000, 128_000, 256_000)
BLOCKS = (10, 20, 30, 40, 50)
FEW = (8, 16, 32, 64, 128)
MANY = (16, 32, 64, 128, 256, 512)
THREADED = (2, 4, 8, 16)
STREAMED = (500, 1_000, 2_000, 4_000, 8_000)


@dataclass(frozen=True)
class Case:
    """Something to time.

    Attributes
    ----------
    name, paper
        What it is, and the key of its paper; "" for the ground floor.
    covers
        The functions that it times, inside ``replicate``.
    base
        Reference sizes by symbol.
    axes
        Symbol to (sizes, exponent that a count of operations gives, None where the count is no power).
    per
        Symbols whose product is the number of units of work: ("T",) means that the cost is per round.
    build
        Called with the sizes as keywords; returns what is timed.
    needs
        Random numbers and bytes that one unit cannot do without at the reference sizes (`floors.floor`).
    """

    name: str
    paper: str
    covers: tuple[str, ...]
    base: Mapping[str, int]
    axes: Mapping[str, tuple[tuple[int, ...], float | None]]
    per: tuple[str, ...]
    build: Callable[..., Play]
    needs: Mapping[str, float] = field(default_factory=dict)

    def sizes(self, axis: str) -> list[dict[str, int]]:
        """Return the reference sizes with one symbol running through its axis."""
        return [dict(self.base) | {axis: size} for size in self.axes[axis][0]]

    def work(self, sizes: Mapping[str, int]) -> int:
        """Return the number of units of work."""
        return math.prod(sizes[symbol] for symbol in self.per)


def generator() -> np.random.Generator:
    """Return the same stream for every case."""
    return np.random.default_rng(0)


def one_good(n: int) -> np.ndarray[Any, Any]:
    """Means 0.4, 0.5, ..., 0.5, shape (n,)."""
    return np.where(np.arange(n) == 0, 0.4, 0.5)


def table(rounds: int, n: int) -> np.ndarray[Any, Any]:
    """Losses 0 or 1, shape (rounds, n)."""
    return (generator().random((rounds, n)) < one_good(n)).astype(np.float64)
