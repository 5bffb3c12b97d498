"""L2P's compiled play against its exact law on the list of sequences, at a rate at which every factor shows."""

from types import SimpleNamespace

import numpy as np
import pytest

from replicate import certify
from replicate.papers.tracking.privacy import played
from replicate.papers.tracking.privacy.plays import lazy_plays
from replicate.streams import stream
from tests.conftest import FALSE_ALARM

RUNS = 20_000
TABLES = {
    # horizon, experts, switches, batch; losses that tell the experts apart in every round
    "one round a batch": (np.array([[0, 1], [0, 1], [1, 0], [0.5, 0]]), 1, 1),
    "two rounds a batch": (np.array([[0, 1], [0.5, 1], [1, 0], [1, 0], [0, 1.0]]), 1, 2),
    "three experts": (np.array([[0, 1, 0.5], [1, 0, 0.5], [0.5, 0, 1.0]]), 2, 1),
}


def agreement(table, n_switches, batch, *, rate=0.4, redraw=0.3, literal_rate=0.4, literal_redraw=0.3):
    """P-value of the compiled plays under the literal law."""
    literal = SimpleNamespace(learning_rate=literal_rate, redraw=literal_redraw, batch=batch)
    law = played.literal_lazy_law(table, n_switches=n_switches, lazy=literal)
    horizon, n = table.shape
    place, rng = n ** np.arange(horizon - 1, -1, -1), stream(1, "lazy", horizon, n)
    plays = lazy_plays(table, n_switches, rate, redraw, batch, RUNS, rng) @ place
    return certify.goodness_of_fit(np.bincount(plays, minlength=n**horizon), law)


@pytest.mark.parametrize("name", TABLES)
def test_plays_have_the_literal_law(name):
    assert agreement(*TABLES[name]) > FALSE_ALARM


@pytest.mark.parametrize("wrong", [{"literal_rate": 0.25}, {"literal_redraw": 0.6}])
def test_plays_of_another_rate_have_not(wrong):
    assert agreement(*TABLES["one round a batch"], **wrong) < FALSE_ALARM
