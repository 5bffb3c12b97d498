"""Hostile calls of the public statistics."""

import pytest

from replicate import certify
from tests.hostile import attack, misplaced, uncovered

X = [1.0, 2.0, 4.0]
ROWS = [[1.0, 2.0, 3.0], [1.1, 2.1, 3.2]]
CALLS = {
    "Interval": None,
    "band": lambda: {"samples": X, "level": 0.9},
    "bernstein_upper": lambda: {"samples": X, "width": 5.0, "false_alarm": 0.01},
    "betting_lower": lambda: {"samples": X, "low": 0.0, "false_alarm": 0.01},
    "betting_upper": lambda: {"samples": X, "low": 0.0, "high": 5.0, "false_alarm": 0.01},
    "binomial_lower": lambda: {"successes": 3, "trials": 10, "false_alarm": 0.01},
    "binomial_upper": lambda: {"successes": 3, "trials": 10, "false_alarm": 0.01},
    "clopper_pearson": lambda: {"successes": 3, "trials": 10, "false_alarm": 0.01},
    "goodness_of_fit": lambda: {"counts": [30.0, 20.0, 50.0], "pmf": [0.3, 0.2, 0.5]},
    "log_log_slope": lambda: {"x": X, "samples": ROWS, "false_alarm": 0.01},
    "mean_interval": lambda: {"samples": X, "false_alarm": 0.01},
    "mean_lower": lambda: {"samples": X, "false_alarm": 0.01},
    "mean_upper": lambda: {"samples": X, "false_alarm": 0.01},
    "quantile_lower": lambda: {"samples": X, "level": 0.5, "false_alarm": 0.2},
    "quantile_upper": lambda: {"samples": X, "level": 0.5, "false_alarm": 0.2},
    "ratio_upper": lambda: {"above": X, "below": [2.0, 3.0, 5.5], "false_alarm": 0.01},
    "share": lambda: {"comparisons": 3, "total": 1e-9},
    "truncated_upper": lambda: {"costs": ROWS, "largest": [4.0] * 3, "tails": [3.0] * 3, "false_alarm": 0.01},
    "two_sample": lambda: {"a": X, "b": [2.0, 3.0, 5.5]},
}


def test_every_public_name_is_called():
    assert uncovered(certify, CALLS) == []


@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if call])
def test_bad_arguments_are_refused_by_name(name):
    assert attack(getattr(certify, name), CALLS[name]) == []


@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if call and "false_alarm" in call()])
def test_a_limit_may_err_with_a_probability_from_1e_300_to_a_half(name):
    """An interval has two limits, which share it."""
    least = 2e-300 if name in ("clopper_pearson", "mean_interval") else 1e-300
    assert misplaced(getattr(certify, name), CALLS[name], "false_alarm", least, 0.5) == []
