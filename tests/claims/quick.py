"""The register's results at quick sizes under the notebooks' own seed, computed once in a process."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, wraps
from unittest import mock

import numpy as np

from replicate import claims, streams
from replicate.claims import registry
from replicate.claims.evidence import Check, Comparison, Evidence, Outcome

SEED = 2026
ENTRIES = claims.register()
Opened = Counter[tuple[int, str, str]]
"""How often each stream was opened, by its root seed, the first word of its key, and the key."""


class Verified:
    """The result of a claim or an erratum, and the streams that each run of its checks opened."""

    def __init__(self, name: str) -> None:
        self.opened: list[Opened] = []
        with mock.patch.object(registry, "compare", self._compare):
            self.result = claims.verify(ENTRIES[name], profile="quick", seed=SEED)

    def _compare(self, comparison: Comparison, *, profile: str, seed: int) -> Outcome:
        watched = replace(comparison, check=self._watched(comparison.check))
        return replace(claims.compare(watched, profile=profile, seed=seed), comparison=comparison)

    def _watched(self, check: Check) -> Check:
        @wraps(check)
        def run(profile: str, seed: int, **stated: object) -> Evidence:
            with recorded() as opened:
                self.opened.append(opened)
                return check(profile, seed, **stated)

        return run


@contextmanager
def recorded() -> Iterator[Opened]:
    """Count the streams that are opened, in every thread of this process."""
    opened: Opened = Counter()
    original = streams.seed_sequence

    def seed_sequence(root: int, *key: object) -> np.random.SeedSequence:
        opened[root, str(key[0]) if key else "", repr(streams._canonical(key))] += 1
        return original(root, *key)

    with mock.patch.object(streams, "seed_sequence", seed_sequence):
        yield opened


@cache
def _verified(name: str) -> Verified:
    return Verified(name)


def verified(name: str) -> claims.Result:
    """Return the result of a claim or an erratum."""
    return _verified(name).result


def opened(name: str) -> list[Opened]:
    """Return the streams that each run of a check opened, those of the control among them."""
    return _verified(name).opened
