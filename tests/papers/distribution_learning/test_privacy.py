"""Exact privacy losses against densities and quadrature; vectorised messages against those of users."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from replicate.papers.distribution_learning import User, instances, privacy
from replicate.papers.distribution_learning.algorithms import schemes
from replicate.streams import stream
from tests.papers.distribution_learning.common import DELTAS, merged, scheme_of


def densities(g, scale, z):
    """Density of Algorithm 2's noisy log density at z, for every hypothesis and label, cell by cell."""
    channel, values = g.channels[0], g.values[0]
    kernel = np.diag(np.full(len(channel.cells), channel.keep)) + channel.base
    laplace = np.exp(-np.abs(z[:, None, None] - values) / scale) / (2 * scale)
    return np.einsum("zjc,yc->jyz", laplace, kernel)


CLASSES = {"largest": instances.THREE_LABELS, "smallest": [[0.5, 0.5, 0, 0, 0], [0.9, 0.04, 0.03, 0.02, 0.01]]}
"""Named by the atom at which the loss is attained."""


@pytest.mark.parametrize("calibration", ["printed", "corrected"])
@pytest.mark.parametrize("horizon", [10, 100, 10**4])
@pytest.mark.parametrize("name", CLASSES)
def test_exact_loss_is_the_supremum_of_the_density_ratio(name, calibration, horizon):
    """The finite maximum over atoms against a fine grid of outputs: the second route to the slip of Lemma 6."""
    g = merged(CLASSES[name], horizon=horizon, calibration=calibration)
    loss = privacy.one_coordinate_loss(g.channels[0], g.masses[0], g.tuning.scale)
    grid = np.linspace(-40, 10, 20001)
    log = np.log(densities(g, g.tuning.scale, np.concatenate([grid, g.values[0].ravel()])))
    assert (log.max(axis=1) - log.min(axis=1)).max() == pytest.approx(loss, rel=1e-9)
    assert name == "smallest" or (loss > 1) == (calibration == "printed" and horizon >= 100)


@given(seed=st.integers(0, 10**6), k=st.integers(2, 5), m=st.integers(2, 9), halve=st.booleans())
@settings(max_examples=40, deadline=None)
def test_exact_loss_never_exceeds_sensitivity_over_scale(seed, k, m, halve):
    f = np.random.default_rng(seed).dirichlet(np.full(m, 0.2), size=k)
    channel = schemes.clipping(f, np.ones(m), 1000)
    scale = channel.sensitivity(f) / (2 if halve else 1) + 1e-12
    assert privacy.one_coordinate_loss(channel, f, scale) <= channel.sensitivity(f) / scale + 1e-9


@pytest.mark.parametrize("scheme", ["pure", "approximate"])
def test_messages_are_the_users(scheme):
    """8,000 messages each way: every coordinate, and how often it is shown; one label in three is drawn."""
    f, options = instances.THREE_LABELS, {"scheme": scheme, "epsilon": 20.0, "horizon": 3}
    first = [[0.98, 0.01, 0.01], [0.97, 0.02, 0.01]]  # a context with other cells, in which no message is released
    user = User([first, f], **options, delta=DELTAS.get(scheme), rng=stream(1, "user", scheme))
    shared = scheme_of(f, scheme, horizon=3, epsilon=20.0)
    many = privacy.messages(shared, 0, 8000, stream(2, "many", scheme))
    one = np.array([user.release(0, 1) for _ in range(8000)])
    for j in range(2):
        shown = ~np.isnan(many[:, j])
        mine, theirs = many[shown, j], one[one[:, j] != 0, j]
        assert stats.ks_2samp(mine, theirs).pvalue > 1e-7
        assert abs(len(mine) - len(theirs)) < 6 * np.sqrt(8000)
        own = shared.tuning.message(shared.values[0][j, 0], stream(3, "own").laplace(size=8000))
        assert stats.ks_2samp(theirs, own).pvalue < 1e-7
    if scheme == "approximate":
        assert stats.ks_2samp(many[:, 0] - many[:, 1], one[:, 0] - one[:, 1]).pvalue > 1e-7


@pytest.mark.parametrize("scheme", ["pure", "approximate"])
def test_log_density_is_a_log_density(scheme):
    """Messages are as dense as stated: the ratio of two labels, by reweighting."""
    shared = merged(instances.THREE_LABELS, scheme, horizon=20)
    released = privacy.messages(shared, 0, 200_000, stream(3, "density", scheme))
    ratio = np.exp(privacy.log_density(shared, 1, released) - privacy.log_density(shared, 0, released))
    assert ratio.mean() == pytest.approx(1, abs=6 * ratio.std() / np.sqrt(200_000))
    assert ratio.std() > 0.05
