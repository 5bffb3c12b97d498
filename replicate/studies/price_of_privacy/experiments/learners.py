"""Worst-case regret of every learner of the register over all tables of a small game, beside the limit."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from replicate import certify
from replicate.budget import cache
from replicate.environments import Table
from replicate.learners import registry
from replicate.streams import stream
from replicate.studies.price_of_privacy.algorithms.minimax import minimax
from replicate.studies.price_of_privacy.experiments import values
from replicate.studies.price_of_privacy.instances import FAMILIES, SIZES, stored
from replicate.validation import FloatArray

LETTERS = ((0.0, 1.0), (1.0, 0.0))
DELTA = 1e-6
"""Of the learners with approximate privacy, and of the program that they are held against."""
HORIZONS = (2, 3, 4, 5, 6)
LEVELS = ("1/10", "1/2", "1", "2")
EXACT = ("prefix_softmax", "gumbel", "exponential", "laplace")
"""Learners on blocks, whose laws of actions are known on every table."""


def tables(horizon: int) -> FloatArray:
    """Return all tables of the letters 01 and 10, shape (2**T, T, 2)."""
    return np.array(list(product(LETTERS, repeat=horizon)))


def limit(feedback: str, epsilon: str, horizon: int, *, approximate: bool = False) -> float:
    """Return the least worst-case regret of two actions."""
    family, delta = ("approximate", "1/1000000") if approximate else (feedback, "0")
    return stored.value(family, FAMILIES[family].game(2, horizon, epsilon, delta))


def private_learners(epsilon: str) -> list[str]:
    """Return the private learners that can be simulated; approximate privacy only at the level of its program."""
    return [
        name
        for name, entry in registry.register().items()
        if entry.private and entry.simulate is not None and (entry.privacy.startswith("ε") or epsilon == "1")
    ]


def regrets(learner: str, *, epsilon: float, horizon: int, replicates: int, seed: int) -> FloatArray:
    """Return regrets on every table, shape (2**T, replicates): exact for learners whose laws are known.

    Parameters
    ----------
    learner
        Name in the register.
    epsilon, horizon
        Privacy level and T.
    replicates
        Simulated games a table.
    seed
        Root seed.
    """
    final = []
    for number, losses in enumerate(tables(horizon)):
        rng = stream(seed, "price_of_privacy/learners", learner, epsilon, horizon, number)
        run = registry.simulate(
            learner, Table(losses), epsilon=epsilon, horizon=horizon, replicates=replicates, rng=rng, delta=DELTA
        )
        final.append(run.final)
    return np.array(final)


@cache
def against_the_limit(profile: str, seed: int) -> pd.DataFrame:
    """Return the worst regret of every learner on the tables of 01 and 10, and the limit at its level.

    Learners whose tuning does not exist in so short a game are left out. Those that are simulated play the shorter
    games only: every table takes as many runs as any other.

    Returns
    -------
    Columns learner, epsilon, level, horizon, regret (of the table with the largest mean), upper (largest
    confidence limit; equal to `regret` where that is exact), limit, ratio (of regret and limit).
    """
    horizons = HORIZONS[1::2] if profile == "quick" else HORIZONS[:-1]
    levels, longest = (("1",), 2) if profile == "quick" else (("1/2", "1"), 3)
    rows = [
        _row(learner, epsilon, horizon, SIZES[profile].replicates, seed)
        for epsilon, horizon in product(levels, horizons)
        for learner in private_learners(epsilon)
        if (learner in EXACT or horizon <= longest) and _is_tuned(learner, values.level(epsilon), horizon)
    ]
    return pd.DataFrame(rows).assign(ratio=lambda data: data["regret"] / data["limit"])


def _is_tuned(learner: str, epsilon: float, horizon: int) -> bool:
    """Return if the learner's tuning exists in so short a game."""
    try:
        registry.learner(learner, n_actions=2, horizon=horizon, epsilon=epsilon, rng=stream(0))
    except ValueError:
        return False
    return True


@cache
def exact_ratios() -> pd.DataFrame:
    """Return the same for the learners whose regret is exact, at all levels and horizons."""
    rows = [_row(name, epsilon, t, 2, 0) for epsilon, t in product(LEVELS, HORIZONS) for name in EXACT]
    return pd.DataFrame(rows).assign(ratio=lambda data: data["regret"] / data["limit"])


def _row(learner: str, epsilon: str, horizon: int, replicates: int, seed: int) -> dict[str, object]:
    """One learner at one privacy level and horizon."""
    entry, level = registry.entry(learner), values.level(epsilon)
    samples = regrets(learner, epsilon=level, horizon=horizon, replicates=replicates, seed=seed)
    upper = samples.max(axis=1)
    if learner not in EXACT:
        ends = {"low": -float(horizon), "high": float(horizon)}  # of the regret, losses being 0 and 1
        upper = certify.betting_upper(samples.T, **ends, false_alarm=certify.share(10_000))
    approximate = not entry.privacy.startswith("ε")
    return {
        "learner": learner, "epsilon": epsilon, "level": level, "horizon": horizon,
        "regret": float(samples.mean(axis=1).max()), "upper": float(upper.max()),
        "limit": limit(entry.feedback, epsilon, horizon, approximate=approximate),
    }  # fmt: skip


@cache
def optimum_regret(epsilon: float, horizon: int) -> float:
    """Return the worst regret of the optimal learner of a level, recomputed from its laws of actions."""
    policy = minimax(2, horizon, epsilon).policy
    return max(
        float((policy.marginals(losses) * losses).sum() - losses.sum(axis=0).min()) for losses in tables(horizon)
    )
