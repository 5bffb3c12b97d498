"""Defaults that decide what a learner promises: corrected calibrations, knobs at one, one delta, one error rate.

A default of another value would be used by everybody who does not ask, and by no test that does. A check with a
looser limit would hold as before, and its control fail for another piece.
"""

import ast

import pytest

from tests.interface import changes, defaults, found, limits, ranges, worst_cases

EXPECTED = {
    "calibration": {"'corrected'"},
    "delta": {"0.0", "'0'", "None", "1e-06", "DELTA"},
    "draw_cost": {"1.0"},
    "epsilon_factor": {"1.0"},
    "false_alarm": {"certify.CLAIM_FALSE_ALARM", "CLAIM_FALSE_ALARM"},
    "local": {"False"},
    "noise_divisor": {"1.0", "1"},
    "noise_factor": {"1.0"},
    "rate_factor": {"1.0", "1"},
}
"""An argument or field to the values that it may have by default."""
OTHERS = {
    ("papers/distribution_learning/experiments/privacy.py", "audit_vector", "delta"): "large enough for samples",
    (
        "papers/noisy_leader/experiments/growth.py",
        "family_slopes",
        "false_alarm",
    ): "shown in a figure, not claimed",
}
"""Places with another default, and why."""


@pytest.mark.parametrize("name", EXPECTED)
def test_a_default_is_the_one_that_is_declared(name):
    given = [(place, owner, name, value) for place, owner, argument, value in found() if argument == name]
    assert given
    wrong = {entry[:3] for entry in given if entry[3] not in EXPECTED[name]}
    assert wrong == {place for place in OTHERS if place[2] == name}


def test_defaults_of_both_kinds_of_arguments_and_of_fields_are_seen():
    text = "def f(a, b=1, *, c, d='x'): ...\nclass C:\n    e: float = 2.0\n    g: int"
    assert list(defaults(ast.parse(text))) == [("f", "b", "1"), ("f", "d", "'x'"), ("C", "e", "2.0")]


def test_ranges_are_seen_without_the_values_that_they_check():
    text = (
        "def f(a):\n    b = validation.count('a', a, low=2, high=g(8))\n    validation.choice('c', b, ('x', 'y'))"
    )
    assert list(ranges(ast.parse(text))) == [
        ("f", "count('a', low=2, high=g(8))"),
        ("f", "choice('c', ('x', 'y'))"),
    ]


def test_limits_are_seen_with_what_they_are_made_of():
    text = (
        "def f(k, c):\n    low, limit = 2, c * g(k)\n    Evidence(measured=low / x, limit=limit, detail='x')\n"
        "    return [Evidence(measured=x, limit=1 - low, relation='>=') for x in k]"
    )
    assert list(limits(ast.parse(text))) == [
        ("f", "'<=' limit / x; limit = c * g(k)"),
        ("f", "'>=' 1 - low; low = 2"),
    ]


def test_largest_and_smallest_are_seen():
    text = "def f(k):\n    worst = max(k) + k.argmin()\n    return Evidence.worst(worst)\ndef g(k): return sum(k)"
    assert list(worst_cases(ast.parse(text))) == [("f", "takes worst, max, argmin")]


def test_defaults_ranges_and_limits_are_changed_on_purpose():
    """``python -m tests.interface --accept`` renews the list once the change was read."""
    assert changes() == []
