"""A remembered result is what its computation gave, whatever was asked before and done with it."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from replicate import budget
from replicate.streams import stream


@dataclass(frozen=True)
class Record:
    values: np.ndarray


class Pair(NamedTuple):
    first: np.ndarray
    second: float


RESULTS = {
    "an array": (lambda: np.arange(3.0), lambda x: x),
    "a table": (lambda: pd.DataFrame({"a": np.arange(3.0)}), lambda x: x["a"].to_numpy(copy=False)),
    "a tuple": (lambda: (1, np.arange(3.0)), lambda x: x[1]),
    "a named tuple": (lambda: Pair(np.arange(3.0), 1.0), lambda x: x.first),
    "a dict in a list": (lambda: [{"a": np.arange(3.0)}], lambda x: x[0]["a"]),
    "a frozen record": (lambda: Record(np.arange(3.0)), lambda x: x.values),
    "a list": (lambda: [0.0, 1.0, 2.0], lambda x: x),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_who_writes_into_a_result_changes_nobody_elses(kind):
    make, part = RESULTS[kind]
    remembered = budget.cache(make)
    for _ in range(3):
        result = remembered()
        assert type(result) is type(make())
        np.testing.assert_array_equal(part(result), [0, 1, 2])
        if isinstance(result, pd.DataFrame):
            result.loc[0, "a"] = 7
            result["b"] = 1
        else:
            part(result)[0] = 7


@pytest.mark.parametrize("order", [(1, 1.0, True), (True, 1.0, 1), (1.0, True, 1)])
def test_the_order_of_calls_changes_no_result(order):
    """Streams tell 1, 1.0 and True apart: what is remembered of one must not be taken for another's."""

    def drawn(level):
        return stream(3, level).random()

    remembered = budget.cache(drawn)
    assert [remembered(level) for level in order] == [drawn(level) for level in order]
    nested = budget.cache(lambda levels: drawn(levels[0]))
    assert [nested((level,)) for level in order] == [drawn(level) for level in order]
