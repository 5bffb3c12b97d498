"""AdaHedge: the listing's weights by hand, literal against compiled, its bound, easy and hard tables."""

import math

import numpy as np

from replicate.learners import baselines
from replicate.learners.competitors.adahedge import AdaHedge, adahedge_bound, adahedge_losses
from replicate.streams import stream
from tests.agreement import laws

ALTERNATING = np.tile([[1.0, 0.0], [0.0, 1.0]], (5000, 1))


def test_weights_are_those_of_the_listing():
    """The mixed loss from the definition, -log(w . exp(-eta l)) / eta; the first rounds follow the leader."""
    rows, gaps, sums = stream(2, "rows").random((40, 3)), 0.0, np.zeros(3)
    for row, law in zip(rows, laws(AdaHedge(3, rng=stream(1, "laws")), rows), strict=True):
        if gaps:
            eta = math.log(3) / gaps
            weights = np.exp(-eta * sums)
            weights /= weights.sum()
            mixed = -math.log(weights @ np.exp(-eta * row)) / eta
        else:
            weights = (sums == sums.min()) / (sums == sums.min()).sum()
            mixed = (sums + row).min() - sums.min()
        np.testing.assert_allclose(law, weights, rtol=1e-9)
        gaps, sums = gaps + weights @ row - mixed, sums + row


def regret(table):
    return adahedge_losses(table).sum() - table.sum(axis=0).min()


def test_regret_is_constant_on_easy_losses_and_below_the_bound_on_hard_ones():
    easy = np.tile([0.0, 1.0, 1.0], (10_000, 1))
    assert regret(easy) < 2
    for table in (ALTERNATING, (stream(5, "coins").random((10_000, 8)) < 0.5).astype(float)):
        assert regret(table) <= adahedge_bound(table.shape[1], 10_000)
    leader = baselines.leader_losses(ALTERNATING).sum() - ALTERNATING.sum(axis=0).min()
    assert leader > 10 * adahedge_bound(2, 10_000)
