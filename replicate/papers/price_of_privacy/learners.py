"""The learner for long games in the register, and what can be asked at sizes of one's own."""

from __future__ import annotations

from typing import Any

import numpy as np

from replicate.claims.asking import Own, Promise, by_blocks
from replicate.environments import Deterministic, Environment
from replicate.learners.entries import K_ADDITIONS, Entry, Setting, simulator_on_sums
from replicate.learners.protocol import Learner, Run
from replicate.papers.price_of_privacy.algorithms import lazy, sticky
from replicate.papers.price_of_privacy.algorithms import own as small
from replicate.papers.price_of_privacy.algorithms.minimax import admitted
from replicate.validation import FloatArray


def _build(setting: Setting, rng: np.random.Generator) -> Learner:
    return sticky.StickyLeader(setting.n_actions, epsilon=setting.epsilon, rng=rng)


def _simulate(env: Environment, setting: Setting, **sizes: Any) -> Run:
    return sticky.simulate(env, epsilon=setting.epsilon, **sizes)


def _exact_regret(means: FloatArray, setting: Setting) -> Run:
    return sticky.exact_regret(means, epsilon=setting.epsilon, horizon=setting.horizon)


LEARNERS = (
    Entry(
        name="sticky_leader",
        label="sticky leader",
        colour="#117733",
        paper="price_of_privacy",
        summary="leader of each block after exponential noise, long first block, a bonus for staying",
        guarantee="none proved; made for losses that favour one action",
        cost=K_ADDITIONS,
        build=_build,
        simulate=simulator_on_sums(_simulate),
        exact_regret=_exact_regret,
    ),
)


def _above_the_limit(learner: str) -> Promise:
    """The limit of a small game, below a learner's worst regret over tables of losses 0 and 1."""

    def play(own: Own, replicates: int, rng: np.random.Generator) -> FloatArray:
        worst = small.worst_regret(learner, n_actions=own.n_actions, horizon=own.horizon, epsilon=own.epsilon)
        return np.full(replicates, worst)

    return Promise(
        claim="MM-UP", subject=learner, relation=">=", exact=True,
        at={"epsilon": 1.0, "n_actions": 2, "horizon": 5}, play=play,
        bound=lambda own: small.limit(own.n_actions, own.horizon, own.epsilon),
        uniform=lambda own: own.horizon * (1 - 1 / own.n_actions),
        losses="every table of losses 0 and 1",
        work=lambda own: admitted(own.n_actions, own.horizon, own.epsilon)[1] / 4,
        quantity="worst-case regret against the best fixed action",
    )  # fmt: skip


def _play_lazy_leader(own: Own, replicates: int, rng: np.random.Generator) -> FloatArray:
    env = Deterministic(np.array([0.0, 1.0]))
    return lazy.simulate(env, epsilon=own.epsilon, horizon=own.horizon, replicates=replicates, rng=rng).final


PROMISES = (
    *map(_above_the_limit, small.EXACT),
    Promise(
        claim="MM-LZb", subject="lazy leader", at={"epsilon": 1.0, "horizon": 2**40}, play=_play_lazy_leader,
        bound=lambda own: lazy.regret_bound(epsilon=own.epsilon, horizon=own.horizon),
        uniform=lambda own: own.horizon / 2, losses="two actions, whose losses are always 0 and always 1",
        work=by_blocks(1000),
    ),
)  # fmt: skip
