"""Bounds on regret that a reader can ask at sizes of their own."""

from __future__ import annotations

import numpy as np

from replicate.claims.asking import Own, Promise, by_blocks, formula
from replicate.environments import Deterministic
from replicate.studies.price_of_privacy.algorithms import lazy
from replicate.studies.price_of_privacy.algorithms import minimax as small
from replicate.validation import FloatArray, Generator


def _above_the_limit(learner: str) -> Promise:
    """The limit of a small game, below a learner's worst regret over tables of losses 0 and 1."""

    def play(own: Own, replicates: int, rng: Generator) -> FloatArray:
        worst = small.worst_regret(learner, n_actions=own.n_actions, horizon=own.horizon, epsilon=own.epsilon)
        return np.full(replicates, worst)

    return Promise(
        claim="MM-UP", subject=learner, relation=">=", exact=True,
        at={"epsilon": 1.0, "n_actions": 2, "horizon": 5}, play=play,
        bound=lambda own: small.limit(own.n_actions, own.horizon, own.epsilon),
        uniform=lambda own: own.horizon * (1 - 1 / own.n_actions),
        losses="every table of losses 0 and 1",
        work=lambda own: small.admitted(own.n_actions, own.horizon, own.epsilon)[1] / 4,
        quantity="worst-case regret against the best fixed action",
    )  # fmt: skip


def _play_lazy_leader(own: Own, replicates: int, rng: Generator) -> FloatArray:
    env = Deterministic(np.array([0.0, own.gap]))
    return lazy.simulate(env, epsilon=own.epsilon, horizon=own.horizon, replicates=replicates, rng=rng).final


def _uniform_regret(own: Own) -> float:
    return own.horizon * own.gap / 2


def seen(epsilon: float) -> float:
    """Return MM-LZ's limit, which is measured and not proved."""
    return 3 / epsilon


def where_seen(own: Own) -> str:
    """MM-LZ was measured on a range."""
    inside = 0.1 <= own.epsilon <= 1.17 and own.gap >= 2**-8
    return "" if inside else "MM-LZ was measured for ε from 0.1 to 1.17 and gaps of at least 1/256"


PROMISES = (
    *map(_above_the_limit, small.EXACT),
    Promise(
        claim="MM-LZt", subject="lazy leader", at={"epsilon": 1.0, "horizon": 2**40, "gap": 0.1},
        play=_play_lazy_leader, bound=formula(lazy.gap_bound, "epsilon", "gap"), uniform=_uniform_regret,
        losses="two actions, the gap apart in every round", work=by_blocks(1000),
    ),
    Promise(
        claim="MM-LZ", subject="lazy leader", at={"epsilon": 1.0, "horizon": 2**17, "gap": 0.1},
        play=_play_lazy_leader, bound=formula(seen, "epsilon"), uniform=_uniform_regret, scope=where_seen,
        losses="two actions, the gap apart in every round", work=by_blocks(1000),
    ),
)  # fmt: skip
