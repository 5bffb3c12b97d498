"""Entries of the catalogue of learners: the six variants."""

from __future__ import annotations

from replicate.learners.protocol import Learner
from replicate.learners.registry import Entry, Game
from replicate.papers.noisy_leader.algorithms import NOISES, NoisyLeader

__all__ = ["LEARNERS"]


def _entry(noise: str, resample: bool) -> Entry:
    def build(game: Game) -> Learner:
        return NoisyLeader(game.n_actions, epsilon=game.epsilon, noise=noise, resample=resample, rng=game.rng)

    return Entry(
        name=f"noisy_leader_{noise}" + ("_resampled" if resample else ""),
        paper="noisy_leader",
        summary=f"leader of each epoch after {noise} noise" + (", losses resampled as bits" if resample else ""),
        build=build,
    )


LEARNERS = tuple(_entry(noise, resample) for resample in (False, True) for noise in NOISES)
