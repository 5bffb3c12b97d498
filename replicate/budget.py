"""The budget of false alarms: what confidence limits spend, written down where they are computed.

A limit misses what it limits with a stated probability. While a book is open, `spend` enters each limit that is
computed, under a number of its own. A result that `cache` remembers enters its limits again under the same
numbers: what several claims share counts once.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")

_NUMBERS = itertools.count()
_BOOKS: ContextVar[tuple[dict[int, float] | None, ...]] = ContextVar("books", default=())
"""The open books, innermost last; None forbids to compute limits."""


@contextmanager
def opened() -> Iterator[dict[int, float]]:
    """Open a book: limits computed inside enter it, each number with its probability of being wrong."""
    book: dict[int, float] = {}
    token = _BOOKS.set((*_BOOKS.get(), book))
    try:
        yield book
    finally:
        _BOOKS.reset(token)


@contextmanager
def closed() -> Iterator[None]:
    """Forbid limits inside: what is computed here is kept or sent elsewhere, and no book would hear of it."""
    token = _BOOKS.set((None,))
    try:
        yield
    finally:
        _BOOKS.reset(token)


def spend(false_alarm: float, *, limits: int = 1) -> None:
    """Enter limits that are computed now into every open book.

    Parameters
    ----------
    false_alarm
        Probability that one of them is wrong.
    limits
        How many they are.

    Raises
    ------
    RuntimeError
        If limits are forbidden here, see `closed`.
    """
    if _BOOKS.get():
        enter({next(_NUMBERS): limits * false_alarm})


def enter(spent: Mapping[int, float]) -> None:
    """Enter what a book holds into every open one."""
    for book in _BOOKS.get():
        if book is None:
            raise RuntimeError("limits must be computed outside the cells of a sweep, where a book may be open")
        book.update(spent)


def total(*spent: Mapping[int, float]) -> float:
    """Return what limits spend together, a limit that stands in several books counted once."""
    return sum({number: rate for book in spent for number, rate in book.items()}.values())


def cache(function: Callable[P, T]) -> Callable[P, T]:
    """Remember results as `functools.cache` does; each use of a result spends what its computation spent.

    Calls that give an argument by place, by name or by its default are one call.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def computed(*args: P.args, **kwargs: P.kwargs) -> tuple[T, Mapping[int, float]]:
        with opened() as spent:
            result = function(*args, **kwargs)
        return result, spent

    kept = cast("Callable[..., tuple[T, Mapping[int, float]]]", functools.cache(computed))

    @functools.wraps(function)
    def remembered(*args: P.args, **kwargs: P.kwargs) -> T:
        call = signature.bind(*args, **kwargs)
        call.apply_defaults()
        result, spent = kept(*call.args, **call.kwargs)
        enter(spent)
        return result

    return remembered
