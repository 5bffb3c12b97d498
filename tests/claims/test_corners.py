"""Every statement of the register is asked at the corners of the range that it is claimed for.

`Claim.scope` says for which sets a statement is claimed, `Claim.at` is the statement at one point. The walk tries
every end, border and further value of every quantity, and where that is fast each two of them together: a bound
that was tried at one gap, one epsilon or two actions cannot stand as one for all.
"""

import inspect
import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from types import SimpleNamespace
from typing import Any

import pytest

from replicate.claims import Evidence
from replicate.claims.scope import Border, Quantity, Value, for_all, in_words, measured, named, validate
from replicate.papers.distribution_learning.checks.regret import distance_lower_at
from tests.claims.quick import ENTRIES, by_paper

ASKED = [name for name, entry in ENTRIES.items() if entry.at is not None]
CONTROLLED = [
    name
    for name in ASKED
    if {*getattr(ENTRIES[name], "control", ())}
    & ({*inspect.signature(ENTRIES[name].at).parameters} - {quantity.name for quantity in ENTRIES[name].scope})
]
QUANTIFIERS = re.compile(r"\b(always|any|every|never|whatever)\b", re.IGNORECASE)


def failing(entry, *, pairs=True, **changed):
    """Return the corners at which a statement does not hold, with their evidence."""
    points = list(corners(entry.scope, entry.at, pairs=pairs))
    assert points, "no point of the range is tried"
    asked = ((point, entry.at(**point, **changed)) for point in points)
    return [f"{point}: {evidence}" for point, evidence in asked if not evidence.holds]


@by_paper(ASKED)
def test_a_statement_holds_at_the_corners_of_its_range(names):
    for name in names:
        wrong = failing(ENTRIES[name])
        assert not wrong, f"{name} is false at {len(wrong)} points of its range: {wrong[:3]}"


@by_paper(CONTROLLED)
def test_the_control_fails_at_a_corner(names):
    for name in names:
        entry = ENTRIES[name]
        assert failing(entry, **entry.control), f"{name}: {entry.control} holds everywhere"


@pytest.mark.parametrize(("largest", "false"), [(1.0, False), (50.0, True)])
def test_the_walk_sees_what_is_false_in_one_corner(largest, false):
    """DL-R1l is within a factor of order root of log K of DL-R1c for epsilon up to 1; at 50 it is not by far."""
    pairs, _, horizon = ENTRIES["DL-R1l"].scope
    scope = (pairs, for_all("epsilon", 0, largest, tried=[1e-3]), horizon)
    entry = SimpleNamespace(scope=scope, at=distance_lower_at)
    assert bool(failing(entry, pairs=False)) is false


def statement(n_actions, epsilon, losses="iid", *, constant=1.0):
    return Evidence(measured=epsilon, limit=constant * n_actions)


SCOPE = (
    for_all("n_actions", 2, tried=[4096]),
    for_all("epsilon", 0, Border(r"\log K", lambda n_actions: math.log(n_actions)), tried=[1e-3], inside=[1]),
    named("losses", "iid", "fixed in advance"),
    measured("delta", 0.01, 1e-6),
)


def test_a_border_of_what_is_counted_is_the_next_whole_number():
    border = Border("1 / epsilon", lambda epsilon: 1 / epsilon)
    whole = [for_all(name, border, 10**6, tried=(100,)) for name in ("n_actions", "horizon")]
    assert [quantity.at(border, {"epsilon": 0.3}) for quantity in whole] == [4, 4]
    assert whole[0].at(border, {"epsilon": 0.25}) == 4
    assert for_all("gap", border, 10**6, tried=(100,)).at(border, {"epsilon": 0.3}) == 1 / 0.3


def test_a_range_is_read_in_words():
    assert in_words(SCOPE) == (
        r"for all $K\ge2$, $0<\varepsilon\le\log K$; losses: iid, fixed in advance; "
        r"measured only at $\delta$ = $0.01$, $10^{-6}$"
    )
    assert in_words(()) == ""
    assert in_words((measured("games", "that of Figure 1"),)) == "measured only at games: that of Figure 1"


@pytest.mark.parametrize("pairs", [False, True])
def test_corners_have_every_value_and_stay_inside(pairs):
    points = list(corners(SCOPE, statement, pairs=pairs))
    assert all(0 < point["epsilon"] <= math.log(point["n_actions"]) for point in points)
    assert {point["n_actions"] for point in points} == {2, 4096}
    assert {point["losses"] for point in points} == {"iid", "fixed in advance"}
    assert {1e-3, 1, math.log(4096)} <= {point["epsilon"] for point in points}
    together = {(point["n_actions"], point["epsilon"]) for point in points}
    assert {(2, 1e-3), (4096, 1), (4096, 1e-3), (2, math.log(2))} <= together or not pairs
    assert len(points) <= (10 if pairs else 5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: for_all("epsilon", 0, tried=[1]), "epsilon must be tried near each open end"),
        (lambda: named("losses"), "losses must have a value to try"),
        (lambda: validate("X", (SCOPE[0], SCOPE[0]), None), "scope of X must name each quantity once"),
        (lambda: validate("X", SCOPE[:1], statement), "at of X must take quantities of its scope, got epsilon"),
        (
            lambda: validate("X", (*SCOPE, for_all("gap", 0, 1, tried=[0.1])), statement),
            "at of X must take what is claimed for all, got none for gap",
        ),
    ],
)
def test_bad_ranges_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_statement_says_no_more_than_its_range():
    """Words that quantify stand for what the range says; what it says for all numbers can be asked at one."""
    for name, entry in ENTRIES.items():
        assert entry.scope, f"{name}: write scope=, the range of its statement (replicate/claims/scope.py)"
        claimed = [quantity for quantity in entry.scope if quantity.kind == "for all"]
        said = QUANTIFIERS.findall(getattr(entry, "statement", None) or entry.true)
        quoted = entry.verdict == "fails as printed"  # the words are the paper's
        assert claimed or quoted or not said, f"{name}: {said} in a statement that is only measured"
        numbers = [quantity.name for quantity in claimed if not quantity.words]
        assert entry.at or not numbers, f"{name}: write at=, its statement at one {', '.join(numbers)}"


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
