"""The budget of false alarms: what confidence limits spend, written down where they are computed.

A limit misses what it limits with a stated probability. While a book is open, `spend` enters each limit that is
computed, under a number of its own. A result that `cache` remembers enters its limits again under the same
numbers: what several claims share counts once.
"""

from __future__ import annotations

import copy
import functools
import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_NUMBERS = itertools.count()
_BOOKS: ContextVar[tuple[dict[int, float] | None, ...]] = ContextVar("books", default=())
"""The open books, innermost last; None forbids to compute limits."""


def noted(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> tuple[T, dict[int, float]]:
    """Call a function with a new book open; return its result and the book, the rates of its limits by number."""
    book: dict[int, float] = {}
    context = copy_context()
    context.run(_BOOKS.set, (*_BOOKS.get(), book))
    return context.run(function, *args, **kwargs), book


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
    enter({next(_NUMBERS): limits * false_alarm})


def enter(spent: Mapping[int, float]) -> None:
    """Enter what a book holds into every open one."""
    for book in _BOOKS.get():
        if book is None:
            raise RuntimeError("limits must be computed outside the cells of a sweep, where a book may be open")
        book.update(spent)


def together(*spent: Mapping[int, float]) -> tuple[int, float]:
    """Return how many limits stand in books, and what they spend, one that stands in several counted once."""
    every = {number: rate for book in spent for number, rate in book.items()}
    return len(every), sum(every.values())


def total(*spent: Mapping[int, float]) -> float:
    """Return what limits spend `together`."""
    return together(*spent)[1]


def cache(function: Callable[P, T]) -> Callable[P, T]:
    """Remember results; each use of a result spends what its computation spent, and gets a copy to write into.

    Calls that give an argument by place, by name or by its default are one call; 1, 1.0 and True, which may draw
    from different streams, are three.
    """
    signature = inspect.signature(function)
    kept: dict[object, tuple[T, Mapping[int, float]]] = {}

    @functools.wraps(function)
    def remembered(*args: P.args, **kwargs: P.kwargs) -> T:
        call = signature.bind(*args, **kwargs)
        call.apply_defaults()
        key = _typed((call.args, *call.kwargs.items()))
        result, spent = kept.get(key) or kept.setdefault(key, noted(function, *call.args, **call.kwargs))
        enter(spent)
        return copy.deepcopy(result)

    return remembered


def _typed(value: Any) -> object:
    """Return a value with its type, parts of a tuple with theirs."""
    return tuple(map(_typed, value)) if isinstance(value, tuple) else (type(value), value)
