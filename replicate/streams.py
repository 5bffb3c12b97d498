"""Keyed random streams: a stream depends on the root seed and on what is computed, on nothing else."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from replicate.validation import Generator, count


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
    return np.random.SeedSequence(count("seed", root, low=0), spawn_key=tuple(int(w) for w in parts))


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
