"""L2P's compiled play against its exact law on the list of sequences, at a rate at which every factor shows."""

import numpy as np
import pytest

from replicate import certify
from replicate.papers.tracking.algorithms.lazy import Lazy
from replicate.papers.tracking.privacy import played
from replicate.papers.tracking.privacy.plays import lazy_plays
from replicate.streams import stream
from tests.agreement import compares
from tests.conftest import FALSE_ALARM

RUNS = 60_000
TABLES = {
    # horizon, experts, switches, batch; losses that tell the experts apart in every round
    "one round a batch": (np.array([[0, 1], [0, 1], [1, 0], [0.5, 0]]), 1, 1),
    "two rounds a batch": (np.array([[0, 1], [0.5, 1], [1, 0], [1, 0], [0, 1.0]]), 1, 2),
    "three experts": (np.array([[0, 1, 0.5], [1, 0, 0.5], [0.5, 0, 1.0]]), 2, 1),
}


RATE, REDRAW = 0.1, 0.1


def p_value(table, n_switches, batch, **changes):
    """P-value of the compiled plays under the literal law of these parameters, or of changed ones."""
    literal = Lazy(**{"learning_rate": RATE, "redraw": REDRAW, "batch": batch} | changes)
    law = played.literal_lazy_law(table, n_switches=n_switches, lazy=literal)
    horizon, n = table.shape
    place, rng = n ** np.arange(horizon - 1, -1, -1), stream(1, "lazy", horizon, n)
    plays = lazy_plays(table, n_switches, RATE, REDRAW, batch, RUNS, rng) @ place
    return certify.goodness_of_fit(np.bincount(plays, minlength=n**horizon), law)


@compares("law: l2p")
@pytest.mark.parametrize("name", TABLES)
def test_plays_have_the_literal_law(name):
    """Twins: another rate, another probability of fresh draws, batches of another length."""
    table, n_switches, batch = TABLES[name]
    assert p_value(table, n_switches, batch) > FALSE_ALARM
    for wrong in ({"learning_rate": 0.05}, {"redraw": 0.2}, {"batch": batch + 1}):
        assert p_value(table, n_switches, batch, **wrong) < FALSE_ALARM, wrong
