"""Keyed random streams: a stream depends on the root seed and on what is computed, on nothing else."""

from __future__ import annotations

import hashlib

import numpy as np

from replicate.validation import count


def seed_sequence(root: int, *key: object) -> np.random.SeedSequence:
    """Return the seed sequence of `root` spawned at `key`.

    Parameters
    ----------
    root
        Root seed, a non-negative integer.
    *key
        What is computed: strings, numbers, tuples. Two different keys give independent streams;
        the same key gives the same stream in any order, process or worker.
    """
    digest = hashlib.sha256(repr(key).encode()).digest()
    words = np.frombuffer(digest[:16], dtype="<u4")
    return np.random.SeedSequence(count("seed", root, low=0), spawn_key=tuple(int(w) for w in words))


def stream(root: int, *key: object) -> np.random.Generator:
    """Return the generator of `root` at `key`; see `seed_sequence`."""
    return np.random.default_rng(seed_sequence(root, *key))
