"""L2P's compiled play against its exact law on the list of sequences."""

import numpy as np
import pytest

from replicate import certify
from replicate.papers.tracking.algorithms.lazy import Lazy
from replicate.papers.tracking.privacy import exact
from replicate.papers.tracking.privacy.sampled import lazy_plays
from replicate.streams import stream
from tests import agreement
from tests.conftest import FALSE_ALARM

BITS = stream(4, "bits").integers(0, 3, (9, 2))[:6] / 2
THREE = np.array([[0, 1, 0.5], [1, 0, 0.5], [0.5, 0, 1.0]])
RATE, REDRAW = 0.1, 0.1


@agreement.compares("law: l2p")
@pytest.mark.parametrize(
    ("table", "switches", "batch"), [(BITS, 1, 1), (BITS, 2, 2), (BITS, 0, 3), (THREE, 2, 1)], ids=range(4)
)
def test_plays_have_the_law_of_the_list_of_sequences(table, switches, batch):
    """Every path; twins in the longer games: half the rate, more fresh draws, batches of another length."""
    (horizon, n), rng = table.shape, stream(6, "l2p", switches, batch)

    def law(**changes):
        other = Lazy(**{"learning_rate": RATE, "redraw": REDRAW, "batch": batch} | changes)
        return exact.literal_lazy_law(table, n_switches=switches, lazy=other)

    plays = lazy_plays(table, switches, RATE, REDRAW, batch, 60_000 // batch, rng)
    seen = np.bincount(agreement.codes(plays, n), minlength=n**horizon)
    assert certify.goodness_of_fit(seen, law()) > FALSE_ALARM
    if horizon > 3:
        for twin in ({"learning_rate": RATE / 2}, {"redraw": 2 * REDRAW}, {"batch": batch + 1}):
            assert certify.goodness_of_fit(seen, law(**twin)) < FALSE_ALARM, twin
