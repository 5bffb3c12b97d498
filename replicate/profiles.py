"""Sizes of experiments: ``"quick"`` for a look, ``"full"`` for what we quote, ``"huge"`` for a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

T = TypeVar("T")

PROFILES = ("quick", "full", "huge")
MORE = 10
"""Replicates, samples and seeds of ``"huge"`` for each one of ``"full"``."""


def with_more(sizes: Mapping[str, int]) -> dict[str, int]:
    """Return numbers of replicates or samples by profile, from those of ``"quick"`` and ``"full"``.

    >>> with_more({"quick": 100, "full": 300})
    {'quick': 100, 'full': 300, 'huge': 3000}
    """
    return {**sizes, "huge": MORE * sizes["full"]}


def grown(full: T, *counts: str, **changed: Any) -> T:
    """Return the sizes of ``"huge"``: a dataclass of those of ``"full"`` with more in some fields.

    Parameters
    ----------
    full
        A dataclass.
    *counts
        Its fields that are numbers of replicates or samples: `MORE` times as many.
    **changed
        Other fields, with their values.
    """
    fields = {name: MORE * getattr(full, name) for name in counts}
    sizes: Any = full
    return replace(sizes, **fields, **changed)
