"""Entries of the catalogue of learners, and advice turned into a game on a table of losses."""

from __future__ import annotations

import numpy as np

from replicate.learners.protocol import Learner
from replicate.learners.registry import Entry, Game
from replicate.papers.bandits.algorithms.advice_learners import Advised, BatchedExp4, LocalExp4
from replicate.papers.bandits.algorithms.conversion import floor_learner, private_learner

__all__ = ["LEARNERS"]


def _private(name: str, summary: str) -> Entry:
    def build(game: Game) -> Learner:
        return private_learner(name, game.n_actions, epsilon=game.epsilon, horizon=game.horizon, rng=game.rng)

    return Entry(name=name, paper="bandits", summary=summary, build=build)


def _floor(name: str, summary: str) -> Entry:
    def build(game: Game) -> Learner:
        return floor_learner(name, game.n_actions, horizon=game.horizon, rng=game.rng)

    return Entry(name=name, paper="bandits", summary=summary, build=build, private=False)


def _local_exp4(game: Game) -> Learner:
    k = game.n_actions
    return Advised(LocalExp4(k, k, epsilon=game.epsilon, horizon=game.horizon, rng=game.rng), np.eye(k))


def _batched_exp4(game: Game) -> Learner:
    k = game.n_actions
    base = BatchedExp4(k, k, epsilon=game.epsilon, delta=game.delta, horizon=game.horizon, rng=game.rng)
    return Advised(base, np.eye(k))


LEARNERS = (
    _private("htinf", "Algorithm 1 over HTINF: batches of 1 / epsilon rounds, noisy means"),
    _private("exp3", "Algorithm 1 over EXP3"),
    _private("ftpl", "Algorithm 1 over follow the perturbed leader"),
    _private("per_round_exp3", "EXP3 with noise on every loss: prior work"),
    Entry(
        name="local_exp4",
        paper="bandits",
        summary="Algorithm 6, each action its own expert: noise on every loss",
        build=_local_exp4,
    ),
    Entry(
        name="batched_exp4",
        paper="bandits",
        summary="Algorithm 2, each action its own expert: noisy batch means; reads delta",
        build=_batched_exp4,
    ),
    _floor("tsallis_inf", "Tsallis-INF"),
    _floor("plain_exp3", "EXP3"),
)
