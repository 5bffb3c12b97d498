"""Shared settings: a headless backend, reproducible property-based tests, one place for false-alarm rates.

Tests of one paper share experiments, which are computed once in a process: run in parallel, they form one group,
with the tests of the register that are about the paper. Every other module is a group of its own.
"""

from pathlib import Path

import matplotlib
import numpy as np
import pytest
from hypothesis import HealthCheck, settings

matplotlib.use("agg")
settings.register_profile(
    "suite", derandomize=True, deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")

FALSE_ALARM = 1e-9
"""Of one statistical comparison: with fewer than 1,000 of them the suite errs with probability below 1e-6."""
TESTS = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests that share work into one group of pytest-xdist."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group(group(item)))


def group(item: pytest.Item) -> str:
    """Return the paper that a test is about, or its module."""
    place = item.path.relative_to(TESTS)
    if place.parts[0] == "papers":
        return place.parts[1]
    if place.parts[0] == "claims" and hasattr(item, "callspec"):
        from replicate.claims import register

        papers = {name: entry.paper for name, entry in register().items()}
        for value in item.callspec.params.values():
            name = str(getattr(value, "id", value)).partition(" ")[0].partition("/")[0]
            if name in papers:
                return papers[name]
    return place.with_suffix("").as_posix()


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261120)
