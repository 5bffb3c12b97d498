"""Shared settings: a headless backend, reproducible property-based tests, one place for false-alarm rates."""

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


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261120)
