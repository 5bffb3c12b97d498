"""The limit, and what learners attain, in a small game of the reader's own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement

import numpy as np

from replicate.budget import cache
from replicate.environments import Table
from replicate.learners import registry
from replicate.streams import stream
from replicate.studies.price_of_privacy.algorithms.minimax import minimax
from replicate.validation import FloatArray

EXACT = ("exponential", "prefix_softmax")
"""Learners on blocks, whose expected regret on a table is known exactly; they treat all actions alike."""


@cache
def limit(n_actions: int, horizon: int, epsilon: float) -> float:
    """Return the least worst-case regret of a private learner that sees all losses."""
    return minimax(n_actions, horizon, epsilon).value


def tables(n_actions: int, horizon: int) -> Iterator[FloatArray]:
    """Yield the tables of losses 0 and 1 without rounds of equal losses; exchanged actions give no new table.

    Yields
    ------
    Losses, shape (horizon, n_actions).
    """
    columns = (np.arange(2**horizon)[:, None] >> np.arange(horizon)) & 1
    for chosen in combinations_with_replacement(columns, n_actions):
        losses = np.array(chosen, dtype=float).T
        if (np.ptp(losses, axis=1) > 0).all():
            yield losses


def worst_regret(learner: str, *, n_actions: int, horizon: int, epsilon: float) -> float:
    """Return the largest expected regret of a learner of `EXACT` over `tables`."""
    runs = (
        registry.simulate(
            learner, Table(losses), epsilon=epsilon, horizon=horizon, replicates=1, rng=stream(0, "own game")
        )
        for losses in tables(n_actions, horizon)
    )
    return max(float(run.final[0]) for run in runs)
