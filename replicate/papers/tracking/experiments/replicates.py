"""Independent repetitions in threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from replicate import executors

Row = TypeVar("Row")


def replicated(play: Callable[[np.random.Generator], Row], rng: np.random.Generator, n: int) -> list[Row]:
    """Run `play` on n independent streams, in threads: the kernels release the interpreter's lock."""
    with executors.threads() as pool:
        return list(pool.map(play, rng.spawn(n)))
