"""Doubts about a table: lines that may be names, columns that may number the rounds, rewards, logged decisions.

Each function looks for one kind of doubt, which `replicate.environments.readers` refuses with the options for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from replicate.validation import FloatArray

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity)|nan", re.IGNORECASE | re.ASCII)
_MARKED = re.compile(r"[+-]?\d[\d.]*([,' \u00a0\u202f][\d.]+)+")
_MISSING = {"", "-", "--", ".", "?", "na", "n/a", "#n/a", "nan", "nil", "none", "null", "missing"}
_GAINS = {
    "reward", "rewards", "payoff", "payoffs", "profit", "profits", "gain", "gains", "revenue", "return", "returns",
    "utility", "accuracy", "success", "click", "clicks", "conversion", "conversions",
}  # fmt: skip
_DECISIONS = {"arm", "action", "decision", "chosen", "treatment", "variant"}
_PROPENSITIES = {"propensity", "propensities", "pscore"}
_OUTCOMES = _GAINS | {"loss", "cost", "outcome"}
_MANY = 8
"""Rounds in which a column that rises all the way does so hardly by chance."""
_NAMED, _FINER = 3, 2
"""Most decimals of numbers that are names, and how many more every line of losses below has."""


def is_number(field: str) -> bool:
    """Return True if a field is written as a number, with a point for the decimals."""
    return _NUMBER.fullmatch(field) is not None


def is_marked_number(field: str) -> bool:
    """Return True if a field is a number with a decimal comma, or with marks between its thousands."""
    return _MARKED.fullmatch(field) is not None


def is_named_row(fields: Sequence[str]) -> bool:
    """Return True if a word stands before nothing but numbers."""
    word = fields[0] and not is_number(fields[0]) and not is_marked_number(fields[0])
    return bool(word) and all(map(is_number, fields[1:]))


def may_be_names(fields: Sequence[str], below: Sequence[Sequence[str]]) -> str:
    """Return why a first line may hold names or may hold losses; empty if there is no doubt.

    Parameters
    ----------
    fields
        Of the first line.
    below
        Fields of lines below, of the same width.

    Examples
    --------
    >>> may_be_names(["0.1", "0.5", "0.9"], [["0", "1", "0"]])
    'may hold names or losses'
    >>> may_be_names(["0.4", "0.5", "0.2"], [["0", "1", "0"]])
    ''
    """
    numbers = [is_number(field) for field in fields]
    if not any(numbers):
        words = all(field.lower() in _MISSING for field in fields)
        return "holds no value: it may be names, or a round without values" if words else ""
    if not all(numbers):
        follow = below[0] if below else fields
        mixed = any(is_number(other) for field, other in zip(fields, follow, strict=False) if not is_number(field))
        return "holds numbers and other words" if mixed or not below else ""
    counted = [str(i) for i in range(len(fields))]
    if fields in (counted, [fields[0], *counted[:-1]]) and len(fields) > 1 + (fields != counted):
        return "may hold names or losses"
    ordered = [_is_ordered(line) for line in below if all(map(is_number, line))]
    most = _decimals(fields)
    finer = bool(below) and most <= _NAMED and min(map(_decimals, below)) >= most + _FINER
    regular = _is_regular(fields) and sum(ordered) <= len(ordered) / 2 and list(fields) not in map(list, below)
    distinct = len(set(fields)) == len(fields)
    return "may hold names or losses" if (finer and distinct) or (regular and _is_ordered(fields)) else ""


def _is_ordered(fields: Sequence[str]) -> bool:
    """Return True if numbers rise or fall all the way."""
    steps = np.diff([float(field) for field in fields])
    return bool((steps > 0).all() or (steps < 0).all())


def _decimals(fields: Iterable[str]) -> int:
    """Return the most decimals of a number in a line."""
    return max(len(re.split("[eE]", field)[0].partition(".")[2]) for field in fields)


def _is_regular(fields: Sequence[str]) -> bool:
    """Return True if three numbers or more, not from 0 to 1, lie symmetrically or their logarithms do."""
    values = np.array([float(field) for field in fields])
    if len(values) < 3 or not np.isfinite(values).all() or {0.0, 1.0} <= {*values}:
        return False
    sides = [values, np.log(values)] if (values > 0).all() else [values]
    return any(bool(np.ptp(side + side[::-1]) < 1e-9 * (1 + np.abs(side).max())) for side in sides)


def numbering(values: FloatArray) -> int | None:
    """Return which column of a table, from 0, seems to number the rounds; None if no column does.

    Parameters
    ----------
    values
        Shape (T, K).
    """
    if _numbers_rows(values[:, 0]):
        return 0
    if len(values) < _MANY:
        return None
    steps = np.diff(values, axis=0)
    one_way = (steps > 0).all(axis=0) | (steps < 0).all(axis=0)
    if one_way.any() and not one_way.all():
        return int(one_way.argmax())
    return 0 if _starts_over(values[:, 0]) and not _starts_over(values[:, -1]) else None


def _numbers_rows(column: FloatArray) -> bool:
    """Return True for whole numbers that rise, weakly or in another order, and for four equal steps or more."""
    steps, whole = np.diff(column), bool((column % 1 == 0).all())
    if len(column) < 3 or not steps.any():
        return False
    if whole and (steps > 0).all():
        return True
    if len(column) > 3 and float(np.ptp(steps)) <= 1e-6 * np.abs(steps).max():
        return True
    if not whole or len(column) < _MANY:
        return False
    grouped = bool((steps >= 0).all()) and int(np.count_nonzero(steps)) > 1
    return grouped or bool((np.diff(np.sort(column)) == 1).all())


def _starts_over(column: FloatArray) -> bool:
    """Return True if a column rises, over four rounds or more on average, and falls back to its first value."""
    falls = np.flatnonzero(np.diff(column) <= 0) + 1
    return 0 < len(falls) <= len(column) / 4 and bool((column[falls] == column[0]).all())


def names_of_rewards(names: Iterable[object]) -> list[str]:
    """Return the names that say that large values are good."""
    return [str(name) for name in names if _words(name) & _GAINS]


def is_logged(names: Iterable[object]) -> bool:
    """Return True if columns are named as those of logged decisions: who chose what, and what came of it."""
    words = [_words(name) for name in names]
    sorts = [any(found & kind for found in words) for kind in (_PROPENSITIES, _DECISIONS, _OUTCOMES)]
    return sum(sorts) > 1


def _words(name: object) -> set[str]:
    return set(re.split(r"[^a-z]+", str(name).lower()))
