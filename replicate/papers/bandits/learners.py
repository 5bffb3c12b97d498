"""Entries of the catalogue of learners, and advice turned into a game on a table of losses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from replicate import boundary
from replicate.catalogue import Entry, Game
from replicate.papers.bandits.algorithms import floor_learner, private_learner
from replicate.papers.bandits.expert_learners import BatchedExp4, LocalExp4
from replicate.protocol import NOT_PRIVATE, Learner

__all__ = ["LEARNERS", "Advised"]


class Advised:
    """A learner with expert advice, as a bandit learner for `protocol.play`.

    Parameters
    ----------
    learner
        `ExpertBandit`, `LocalExp4` or `BatchedExp4`.
    advice
        Probabilities over actions, shape (T, N, K), or (N, K) for the same advice in every round.
    """

    feedback = "bandit"

    def __init__(self, learner: Any, advice: ArrayLike) -> None:
        told = np.asarray(advice, dtype=np.float64)
        self._fixed = told.ndim == 2
        self._advice = boundary.probabilities("advice", told[None] if self._fixed else told, ndim=3)
        self.n_actions = self._advice.shape[2]
        self.privacy = getattr(learner, "privacy", NOT_PRIVATE)
        self._learner, self._round = learner, 0

    def act(self) -> int:
        """Show the learner this round's advice."""
        if not self._fixed and self._round == len(self._advice):
            raise ValueError(f"advice must go on for as long as the game, got {self._round} rounds of it")
        return int(self._learner.act(self._advice[0 if self._fixed else self._round]))

    def observe(self, loss: float) -> None:
        """Pass on the loss of the action played."""
        self._learner.observe(loss)
        self._round += 1


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
