"""The learner for long games in the register."""

from __future__ import annotations

from typing import Any

import numpy as np

from replicate.environments import Environment
from replicate.learners.entries import K_ADDITIONS, Entry, Setting, simulator_on_sums
from replicate.learners.protocol import Learner, Run
from replicate.studies.price_of_privacy.algorithms import sticky
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
