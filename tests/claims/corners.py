"""The corners of a range: points at which the test asks the statement that is claimed for all of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from typing import Any

from replicate.claims.scope import Quantity, Value


def corners(
    scope: Sequence[Quantity], at: Callable[..., Any], *, pairs: bool = False
) -> Iterator[dict[str, float | int | str]]:
    """Yield points of a range, as arguments of `at`, in which each value of each quantity occurs.

    Parameters
    ----------
    scope
        The range; quantities that `at` does not take are left out.
    at
        The statement at a point.
    pairs
        Whether each two values of each two quantities occur together; without it each value occurs.

    Notes
    -----
    Points outside the set, where one quantity bounds another, are left out.
    """
    parameters = inspect.signature(at).parameters
    read = [quantity for quantity in scope if quantity.name in parameters]
    seen = set[Any]()
    for choice in _rows([quantity.values for quantity in read]):
        point: dict[str, float | int | str] = {}
        for quantity, value in zip(read, choice, strict=True):
            point[quantity.name] = quantity.at(value, point)
        inside = all(q.holds(point[q.name], {p.name: point[p.name] for p in read[:i]}) for i, q in enumerate(read))
        parts = set(combinations(point.items(), 2) if pairs and len(point) > 1 else point.items()) or {("", "")}
        if inside and not parts <= seen:
            seen |= parts
            yield point


def _rows(values: Sequence[tuple[Value, ...]]) -> Iterator[tuple[Value, ...]]:
    """Yield choices of one value each: side by side first, then one for each two values of two quantities."""
    for i in range(max(map(len, values), default=1)):
        yield tuple(listed[min(i, len(listed) - 1)] for listed in values)
    for (i, first), (j, second) in combinations(enumerate(values), 2):
        for (a, one), (b, two) in product(enumerate(first), enumerate(second)):
            row = [listed[(a + k * b) % len(listed)] for k, listed in enumerate(values)]
            row[i], row[j] = one, two
            yield tuple(row)
