"""Refuse one bad entry of an argument like many: no check looks at the best entry, or at a sum.

The valid calls are those of `tests.calls`. Each array in them is spoilt whole, and then entry by entry; so is
each number in the place of which an array is allowed.
"""

import re
import warnings

import numpy as np
import pytest

from tests.calls import CALLS
from tests.hostile import SECONDS, deadline

SPOILT = {
    "negative": lambda x: -1.0 - abs(x), "slightly negative": lambda x: -0.01 + 0 * x,
    "larger": lambda x: 100.0 + abs(x), "not a number": lambda x: x * np.nan, "infinite": lambda x: np.inf + 0 * x,
}  # fmt: skip
FAR = SPOILT | {
    "far smaller": lambda x: 1e-9 * x, "far larger": lambda x: 1e50 + 0 * x, "none": lambda x: 0 * x,
    "between whole numbers": lambda x: x + 0.25,
}  # fmt: skip
"""What entries are changed to, and what numbers are: where each may be so, products of two may not."""

ON_PURPOSE = {("certify.log_log_slope", "samples", "slightly negative"): "the means of columns must be positive"}
"""Entries of which only many together are wrong, and why."""


def arrays(function, valid):
    """Names of arguments that are arrays of two numbers or more."""
    for name, value in valid().items():
        if isinstance(value, list | tuple | np.ndarray):
            try:
                table = np.asarray(value)
            except ValueError:
                continue
            if table.dtype.kind in "iuf" and table.size > 1:
                yield name, table


def refused(function, arguments):
    """Why a call is refused, without the values that it was given; nothing if it is not."""
    try:
        with deadline(SECONDS), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(**arguments)
    except (ValueError, TypeError) as error:
        return re.split(", got|: |, and (?:that|[0-9]+ of)", str(error))[0] or "refused"
    return ""


def broadcast(function, valid):
    """Names of numbers, and arrays of three that are accepted in their place."""
    for name, value in valid().items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            table = np.full(3, float(value))
            if not refused(function, valid() | {name: table}):
                yield name, table


def let_through(function, valid, arrays_of, spoilt):
    """Name, kind and place of single bad entries that are not refused for what a whole array of them is."""
    for name, table in arrays_of(function, valid):
        for kind, change in spoilt.items():
            if why := refused(function, valid() | {name: change(table.astype(float))}):
                for place in {0, table.size // 2, table.size - 1}:
                    one = table.astype(float)
                    one.flat[place] = change(one.flat[place])
                    if one.flat[place] != table.flat[place] and refused(function, valid() | {name: one}) != why:
                        yield name, kind, place


@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if any(arrays(*call))])
def test_one_bad_entry_is_refused_where_all_are(name):
    found = list(let_through(*CALLS[name], arrays, SPOILT))
    assert [bad for bad in found if (name, *bad[:2]) not in ON_PURPOSE] == []


@pytest.mark.parametrize("name", CALLS)
def test_one_bad_number_of_three_is_refused_where_all_are(name):
    assert list(let_through(*CALLS[name], broadcast, FAR)) == []


def test_bounds_take_arrays_in_the_place_of_numbers():
    assert sum(any(broadcast(*call)) for name, call in CALLS.items() if ".bounds." in name) > 15
