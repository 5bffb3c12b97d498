"""The paper's six variants in the registry: three noises, with and without resampled losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from replicate.environments import Environment
from replicate.learners.entries import K_ADDITIONS, Entry, Setting, simulator_on_sums
from replicate.learners.protocol import Learner, Run
from replicate.papers.noisy_leader import algorithms, bounds
from replicate.validation import FloatArray

_COLOURS = {"gumbel": "#D55E00", "exponential": "#009E73", "laplace": "#CC79A7"}


def _variant(noise: str, *, resample: bool) -> Entry:
    """One noise, with or without resampling."""

    def build(setting: Setting, rng: np.random.Generator) -> Learner:
        return algorithms.NoisyLeader(
            setting.n_actions, epsilon=setting.epsilon, noise=noise, resample=resample, rng=rng
        )

    def simulate(env: Environment, setting: Setting, **sizes: Any) -> Run:
        return algorithms.simulate(env, epsilon=setting.epsilon, noise=noise, resample=resample, **sizes)

    def exact_regret(means: FloatArray, setting: Setting) -> Run:
        return algorithms.exact_regret(means, epsilon=setting.epsilon, horizon=setting.horizon, noise=noise)

    def bound(setting: Setting, gap: float) -> float:
        size: dict[str, Any] = {"n_actions": setting.n_actions, "epsilon": setting.epsilon}
        return bounds.optimal_rate(gap=gap, noise=noise, losses="any", **size)

    return Entry(
        name=f"{noise}_resampled" if resample else noise,
        label=noise.replace("gumbel", "Gumbel").replace("laplace", "Laplace")
        + (" noise, losses resampled" if resample else " noise"),
        colour=_COLOURS[noise],
        paper="noisy_leader",
        summary=f"leader of each epoch after {noise} noise" + (", losses resampled as bits" if resample else ""),
        guarantee="i.i.d. losses: log K/Δ + log K/ε",
        cost=K_ADDITIONS,
        build=build,
        simulate=simulator_on_sums(simulate),
        exact_regret=None if resample else exact_regret,
        proved_for=("iid",),
        anytime=True,
        bound=bound,
    )


LEARNERS = tuple(_variant(noise, resample=resample) for resample in (False, True) for noise in _COLOURS)
