"""The paper's learner in the register."""

from __future__ import annotations

import numpy as np

from replicate.environments import Environment
from replicate.learners.entries import K_ADDITIONS, Entry, Setting
from replicate.learners.protocol import Learner, Run
from replicate.learners.pseudo_regret import against_phases
from replicate.papers.prefix_softmax import algorithms
from replicate.validation import FloatArray


def _build(setting: Setting, rng: np.random.Generator) -> Learner:
    return algorithms.PrefixSoftmax(setting.n_actions, epsilon=setting.epsilon, rng=rng)


def _simulate(env: Environment, setting: Setting, *, replicates: int, rng: np.random.Generator) -> Run:
    run = algorithms.simulate(
        env, epsilon=setting.epsilon, horizon=setting.horizon, replicates=replicates, rng=rng
    )
    return against_phases(run, env, n_switches=setting.n_switches)


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
        simulate=_simulate,
        exact_regret=_exact_regret,
    ),
)
