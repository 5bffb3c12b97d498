"""The paper's learner in the register."""

from __future__ import annotations

from typing import Any

import numpy as np

from replicate.environments import Environment
from replicate.learners.entries import K_ADDITIONS, Entry, Setting, simulator_on_sums
from replicate.learners.protocol import Learner, Run
from replicate.papers.prefix_softmax import algorithms, bounds
from replicate.validation import FloatArray


def _build(setting: Setting, rng: np.random.Generator) -> Learner:
    return algorithms.PrefixSoftmax(setting.n_actions, epsilon=setting.epsilon, rng=rng)


def _simulate(env: Environment, setting: Setting, **sizes: Any) -> Run:
    return algorithms.simulate(env, epsilon=setting.epsilon, **sizes)


def _exact_regret(means: FloatArray, setting: Setting) -> Run:
    return algorithms.exact_regret(means, epsilon=setting.epsilon, horizon=setting.horizon)


LEARNERS = (
    Entry(
        name="prefix_softmax",
        label="prefix softmax",
        colour="#0072B2",
        paper="prefix_softmax",
        summary="softmax of the losses of a random prefix of each block",
        guarantee="iid losses: log K/Δ + log K/ε",
        cost=K_ADDITIONS,
        build=_build,
        simulate=simulator_on_sums(_simulate),
        proved_for=("iid",),
        bound=lambda s, gap: bounds.theorem_1(n_actions=s.n_actions, gap=gap, epsilon=s.epsilon),
        exact_regret=_exact_regret,
    ),
)
