"""Total leaks in outputs of every kind, and their twins, which are 1-private."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from replicate.validation import Generator

Run = Callable[[int, Generator], Any]
"""(input 0 or 1, rng) to one output of any kind."""


def _fails(x: int, rng: Generator) -> float:
    """Raise in half of the runs on input 1."""
    if x and rng.random() < 0.5:
        raise ArithmeticError
    return float(rng.random())


LEAKS: Mapping[str, Run] = {
    "mixed rows": lambda x, rng: ("a", 10 * x + rng.random()),
    "integers beyond 2^53": lambda x, rng: 2**60 + 2 * int(rng.integers(5)) + x,
    "integers beyond 2^64": lambda x, rng: 2**90 + 2 * int(rng.integers(5)) + x,
    "below 1e-9": lambda x, rng: 1e-12 * (x + rng.random()),
    "rows below 1e-9": lambda x, rng: (rng.random(), 1e-12 * (x + rng.random())),
    "perfect event": lambda x, rng: 2 * int(rng.integers(3)) + x,
    "no number": lambda x, rng: np.nan if x and rng.random() < 0.5 else rng.random(),
    "no number in a row": lambda x, rng: (rng.random(), np.nan if x and rng.random() < 0.5 else rng.random()),
    "infinity": lambda x, rng: np.inf if x and rng.random() < 0.5 else rng.random(),
    "exception": _fails,
    "none": lambda x, rng: None if x and rng.random() < 0.5 else rng.random(),
    "keys": lambda x, rng: {"a": rng.random(), **({"b": 1} if x else {})},
    "values of a dict": lambda x, rng: {"a": rng.random(), "b": [x, rng.random()]},
    "sets": lambda x, rng: {int(rng.integers(3)), 5 + x},
    "ragged tuples": lambda x, rng: tuple(rng.random(int(rng.integers(3)) + 4 * x)),
    "one of two forms": lambda x, rng: ("p", x) if rng.random() < 0.5 else (1 - x,),
    "text": lambda x, rng: f"the answer is {5 * x + rng.random():.6f}",
    "bytes": lambda x, rng: bytes([int(rng.integers(65, 70)) + 10 * x]),
    "words": lambda x, rng: ["yes", "no"][x] + "!" * int(rng.integers(3)),
    "array of objects": lambda x, rng: np.array([rng.random(), "w", x], dtype=object),
}
"""Outputs by which two inputs, 0 and 1, are told apart at once, at least in half of the runs."""


def private(wrong: Run) -> Run:
    """Return the same mechanism on a coin that is 1-private."""
    return lambda x, rng: wrong(x if rng.random() < np.e / (1 + np.e) else 1 - x, rng)
