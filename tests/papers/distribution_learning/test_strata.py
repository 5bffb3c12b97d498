"""The strata of a horizon by decimal arithmetic: the same rounds on every processor."""

from decimal import Decimal

import numpy as np
import pytest

from replicate.papers.distribution_learning.algorithms.simulation import strata


@pytest.mark.parametrize(
    ("horizon", "grid"), [(2, 100), (10**6, 100), (10**12, 400), (10**16, 100), (2**59, 1000)]
)
def test_strata_grow_geometrically_to_the_horizon(horizon, grid):
    powers = [Decimal(horizon) ** (Decimal(i) / (grid - 1)) for i in range(grid - 1)]
    ends = {min(round(float(f"{power:.12g}")), horizon) for power in powers} | {horizon}
    assert strata(horizon, grid).tolist() == sorted(ends)
    assert np.diff(strata(horizon, grid), prepend=0).min() >= 1
