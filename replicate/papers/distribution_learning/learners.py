"""The paper's schemes in the register: methods of the game on labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from replicate.learners.entries import LabelEntry, Setting
from replicate.learners.protocol import Run
from replicate.papers.distribution_learning.algorithms import labels, simulation
from replicate.papers.distribution_learning.algorithms.simulation import RiskRun


def _scheme(name: str, *, approximate: bool = False, private: bool = True, privacy: str = "ε, local",
            **words: str) -> LabelEntry:  # fmt: skip
    """A scheme; only one with approximate privacy reads delta."""

    def play(hypotheses: ArrayLike, observed: ArrayLike, setting: Setting, rng: np.random.Generator) -> Run:
        return labels.play_labels(
            hypotheses, observed, scheme=name, epsilon=setting.epsilon if private else 1.0,
            delta=setting.delta if approximate else None, rng=rng,
        )  # fmt: skip

    def simulate(
        hypotheses: ArrayLike, setting: Setting, *, replicates: int, rng: np.random.Generator, grid: int = 200
    ) -> RiskRun:
        return simulation.simulate(
            hypotheses, scheme=name, epsilon=setting.epsilon if private else 1.0,
            delta=setting.delta if approximate else None, horizon=setting.horizon, replicates=replicates,
            grid=grid, rng=rng,
        )  # fmt: skip

    return LabelEntry(
        name=name, paper="distribution_learning", private=private, privacy=privacy, play=play, simulate=simulate,
        **words,
    )  # fmt: skip


LEARNERS = (
    _scheme(
        "pure",
        label="Algorithm 2 of paper 5",
        colour="#0072B2",
        summary="Algorithm 2: one noisy log density of each label",
        guarantee="KL risk: (1/ε) √(KT) log KT",
    ),
    _scheme(
        "approximate",
        label="Algorithm 1 of paper 5",
        colour="#D55E00",
        summary="Algorithm 1: all log densities of each label, with noise; reads delta",
        guarantee="KL risk, approximate privacy",
        privacy="(ε, δ), local",
        approximate=True,
    ),
    _scheme(
        "randomized_response",
        label="randomised response",
        colour="#009E73",
        summary="Section 3: the label, or another one",
        guarantee="KL risk: (M/ε) √(T log K)",
    ),
    _scheme(
        "non_private",
        label="no privacy",
        colour="#555555",
        summary="the label itself",
        guarantee="KL risk: log K",
        privacy="none",
        private=False,
    ),
)
