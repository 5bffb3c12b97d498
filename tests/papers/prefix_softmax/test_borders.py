"""Arguments are accepted up to the ends of the ranges that the docstrings state, and refused beyond."""

import numpy as np
import pytest

from replicate.papers.prefix_softmax import algorithms

ENDS = {
    "eta": ([0.0, 1.0], {"eta": 1e-100}, {"eta": 0.999e-100}),
    "eta above": ([0.0, 1.0], {"eta": 1000.0}, {"eta": 1000.1}),
    "gaps": ([0.0, 1e-100], {"eta": 1.0}, None),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_ends_of_a_range(name):
    gaps, inside, outside = ENDS[name]
    assert np.isfinite(algorithms.softmax_error(np.array(gaps), rounds=3, **inside))
    with pytest.raises(ValueError, match="gaps" if outside is None else "eta"):
        algorithms.softmax_error(np.array(gaps) * (1 if outside else 0.999), rounds=3, **(outside or inside))
