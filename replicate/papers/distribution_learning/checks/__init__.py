"""Checks of the paper's claims and errata, each a function of profile, seed and named arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import ParamSpec

from replicate.claims import Evidence

P = ParamSpec("P")


def worst(cases: Callable[P, Iterator[Evidence]]) -> Callable[P, Evidence]:
    """Make a check of a function that yields the evidence of one case after the other: the worst of it counts."""

    @wraps(cases)
    def tightest(*args: P.args, **options: P.kwargs) -> Evidence:
        return Evidence.worst(cases(*args, **options))

    return tightest
