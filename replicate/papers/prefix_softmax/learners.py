"""Entry of the catalogue of learners."""

from __future__ import annotations

from replicate.learners.protocol import Learner
from replicate.learners.registry import Entry, Game
from replicate.papers.prefix_softmax.algorithms import PrefixSoftmax

__all__ = ["LEARNERS"]


def _prefix_softmax(game: Game) -> Learner:
    return PrefixSoftmax(game.n_actions, epsilon=game.epsilon, rng=game.rng)


LEARNERS = (
    Entry(
        name="prefix_softmax",
        paper="prefix_softmax",
        summary="softmax of the losses of a random prefix of each block",
        build=_prefix_softmax,
    ),
)
