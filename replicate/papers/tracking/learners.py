"""Entries of the catalogue of learners."""

from __future__ import annotations

from replicate.learners.protocol import Learner
from replicate.learners.registry import Entry, Game
from replicate.papers.tracking.algorithms.dartboard import tune_dartboard
from replicate.papers.tracking.algorithms.limited_updates import LimitedUpdates
from replicate.papers.tracking.algorithms.meta_experts import MetaExperts
from replicate.papers.tracking.algorithms.mirror_descent import MirrorDescent
from replicate.papers.tracking.algorithms.restarts import Restarts
from replicate.papers.tracking.algorithms.switching import log_count_sequences

__all__ = ["LEARNERS"]


def _limited_updates(game: Game) -> Learner:
    return LimitedUpdates(game.n_actions, epsilon=game.epsilon, rng=game.rng)


def _restarts(game: Game) -> Learner:
    return Restarts(game.n_actions, epsilon=game.epsilon, horizon=game.horizon, rng=game.rng)


def _dyadic_restarts(game: Game) -> Learner:
    return Restarts(game.n_actions, epsilon=game.epsilon, horizon=game.horizon, windows="dyadic", rng=game.rng)


def _meta_experts(game: Game) -> Learner:
    log_d = log_count_sequences(game.horizon, game.n_actions, game.n_switches)
    board = tune_dartboard(epsilon=game.epsilon, delta=game.delta, horizon=game.horizon, log_d=log_d)
    return MetaExperts(
        game.n_actions,
        n_switches=game.n_switches,
        horizon=game.horizon,
        dartboard=board,
        delta=game.delta,
        rng=game.rng,
    )


def _mirror_descent(game: Game) -> Learner:
    return MirrorDescent(
        game.n_actions,
        horizon=game.horizon,
        n_switches=game.n_switches,
        epsilon=game.epsilon,
        rng=game.rng,
    )


LEARNERS = (
    Entry(
        name="limited_updates",
        paper="tracking",
        summary="Algorithm 1: noisy leader of each dyadic block",
        build=_limited_updates,
    ),
    Entry(
        name="restarts",
        paper="tracking",
        summary="Algorithm 2: Algorithm 1, restarted when a window's regret is large; work T^2",
        build=_restarts,
    ),
    Entry(
        name="restarts_dyadic",
        paper="tracking",
        summary="Algorithm 2 on windows of 1, 2, 4, ... rounds: for long tables",
        build=_dyadic_restarts,
    ),
    Entry(
        name="meta_experts",
        paper="tracking",
        summary="Section 4: lazy weights on all sequences with S switches; reads delta",
        build=_meta_experts,
    ),
    Entry(
        name="mirror_descent",
        paper="tracking",
        summary="Algorithm 3: mirror descent on noisy loss vectors",
        build=_mirror_descent,
    ),
)
