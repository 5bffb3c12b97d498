"""Keyed random streams: a stream depends on the root seed and on what is computed, on nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from replicate import executors, validation
from replicate.validation import Generator

MAX_REPLICATES = 10**6
_T = TypeVar("_T")


def seed_sequence(root: int, *key: object) -> np.random.SeedSequence:
    """Return the seed sequence of `root` spawned at `key`.

    Parameters
    ----------
    root
        Root seed, a non-negative integer.
    *key
        What is computed: strings, numbers, None, tuples and lists of them. Two different keys give independent
        streams; the same key gives the same stream in any order, process or worker. Equal numbers are one key
        whether NumPy's or Python's, and floats count to twelve digits: their last bits differ between machines.

    Raises
    ------
    ValueError
        If a part of the key is anything else, whose text need not tell it from another.
    """
    digest = hashlib.sha256(repr(_canonical(key)).encode()).digest()
    parts = np.frombuffer(digest[:16], dtype="<u4")
    return np.random.SeedSequence(validation.count("seed", root, low=0), spawn_key=tuple(int(w) for w in parts))


def _canonical(part: Any) -> Any:
    """Return a part of a key as plain Python: numbers of NumPy as Python's, floats to twelve digits."""
    value = part.item() if isinstance(part, np.generic) else part
    if isinstance(value, tuple | list):
        return type(value)(map(_canonical, value))
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if value is None or isinstance(value, bool | int | str):
        return value
    raise ValueError(f"key must hold strings, numbers, None, tuples and lists, got {part!r:.200}")


def stream(root: int, *key: object) -> Generator:
    """Return the generator of `root` at `key`; see `seed_sequence`."""
    return np.random.default_rng(seed_sequence(root, *key))


def replicated(
    function: Callable[[Generator], _T], replicates: int, rng: Generator, *, threads: bool = True
) -> list[_T]:
    """Call a function with one spawned stream for each replicate; the result does not depend on threads.

    Parameters
    ----------
    function
        Called with a generator.
    replicates
        1 to 10**6.
    rng
        Whose children the streams are.
    threads
        Whether to use them: they help a function that spends its time in NumPy or in compiled code, which release
        the interpreter's lock, and make any other one wait for it.
    """
    streams = validation.generator(rng).spawn(validation.count("replicates", replicates, high=MAX_REPLICATES))
    return executors.spread(function, streams) if threads else [function(fresh) for fresh in streams]
