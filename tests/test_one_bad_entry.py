"""What is refused of all entries of an argument is refused of one: no check looks at the best entry, or at a sum.

The valid calls are those of the hostile ones. Each array in them is spoilt whole, and then entry by entry.
"""

import warnings
from importlib import import_module

import numpy as np
import pytest

from tests.hostile import SECONDS, deadline

PAPERS = ("bandits", "distribution_learning", "noisy_leader", "prefix_softmax", "tracking")
PLACES = ("audit", "certify", "environments", "learners", "mechanisms", *(f"papers.{paper}" for paper in PAPERS))
SPOILT = {
    "negative": lambda x: -1.0 - abs(x), "slightly negative": lambda x: -0.01 + 0 * x,
    "larger": lambda x: 100.0 + abs(x), "not a number": lambda x: x * np.nan, "infinite": lambda x: np.inf + 0 * x,
}  # fmt: skip

ON_PURPOSE = {("certify.log_log_slope", "samples", "slightly negative"): "the means of columns must be positive"}
"""Entries of which only many together are wrong, and why."""


def calls():
    """(name, function, valid call) of every public function that is called with hostile arguments."""
    for place in PLACES:
        file = "tests.test_certify_public" if place == "certify" else f"tests.{place}.test_public"
        for name, valid in import_module(file).CALLS.items():
            if valid is not None:
                yield f"{place}.{name}", getattr(import_module(f"replicate.{place}"), name), valid


def arrays(arguments):
    """Names of arguments that are arrays of two numbers or more."""
    for name, value in arguments.items():
        if isinstance(value, list | tuple | np.ndarray):
            try:
                table = np.asarray(value)
            except ValueError:
                continue
            if table.dtype.kind in "iuf" and table.size > 1:
                yield name, table


def refused(function, arguments):
    try:
        with deadline(SECONDS), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(**arguments)
    except (ValueError, TypeError):
        return True
    return False


def let_through(function, valid):
    """Name, kind and place of single bad entries that are accepted where a whole array of them is not."""
    for name, table in arrays(valid()):
        for kind, change in SPOILT.items():
            if refused(function, valid() | {name: change(table.astype(float))}):
                for place in {0, table.size // 2, table.size - 1}:
                    one = table.astype(float)
                    one.flat[place] = change(one.flat[place])
                    if one.flat[place] != table.flat[place] and not refused(function, valid() | {name: one}):
                        yield name, kind, place


CALLS = {name: (function, valid) for name, function, valid in calls() if any(arrays(valid()))}


@pytest.mark.parametrize("name", CALLS)
def test_one_bad_entry_is_refused_where_all_are(name):
    found = list(let_through(*CALLS[name]))
    assert [bad for bad in found if (name, *bad[:2]) not in ON_PURPOSE] == []
