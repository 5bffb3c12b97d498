"""Families of means against what they are called."""

import numpy as np
import pytest

from replicate.environments import families

MEANS = {
    "one good arm": [0.4, 0.5, 0.5, 0.5, 0.5],
    "geometric gaps": [0.25, 0.35, 0.45, 0.65, 1.0],
    "linear gaps": [0.25, 0.35, 0.25 + 0.95 / 3, 0.25 + 1.6 / 3, 1.0],
    "one near competitor": [0.25, 0.35, 1.0, 1.0, 1.0],
}
"""Of five actions with gap 0.1: no gap is above 3/4."""


@pytest.mark.parametrize("name", families.FAMILIES)
@pytest.mark.parametrize(("n_actions", "gap"), [(2, 0.5), (3, 0.01), (4096, 0.1), (4096, 1e-17)])
def test_means_are_losses_with_their_shape_and_gap(name, n_actions, gap):
    np.testing.assert_allclose(families.means_of(name, 5, 0.1), MEANS[name])
    means = families.means_of(name, n_actions, gap)
    best = 0.5 - gap if name == "one good arm" else 0.25
    assert means.shape == (n_actions,)
    assert means[0] == best
    assert (means >= 0).all()
    assert (means <= 1).all()
    assert means[1] - best == pytest.approx(gap, rel=1e-9, abs=1e-16)
    assert (np.diff(means[1:]) >= 0).all()
