"""Bounds on regret that a reader can ask at sizes of their own."""

from __future__ import annotations

import math

from replicate.claims.asking import by_blocks, formula, of_learner
from replicate.papers.prefix_softmax import bounds

_AT = {"epsilon": 1.0, "n_actions": 10, "gap": 0.1, "horizon": 2**40}
_SIZES = ("n_actions", "gap", "epsilon")


def capped(n_actions: int, gap: float, epsilon: float) -> float:
    """Return `bounds.sharper_theorem_1` at the learning rate of the paper's learner."""
    return bounds.sharper_theorem_1(n_actions=n_actions, gap=gap, eta=bounds.proposition_1(epsilon=epsilon) / 2)


def on_fixed_losses(n_actions: int, gap: float, epsilon: float) -> float:
    """Return PS-W's bound, the rate times 32 + 1 / log 2."""
    return (32 + 1 / math.log(2)) * bounds.rate(n_actions=n_actions, gap=gap, epsilon=epsilon)


PROMISES = (
    of_learner("PS-T1", "prefix_softmax", at=_AT, work=by_blocks(200), bound=formula(bounds.theorem_1, *_SIZES)),
    of_learner(
        "PS-T1b", "prefix_softmax", at=_AT, work=by_blocks(200), bound=formula(bounds.theorem_1_rate, *_SIZES)
    ),
    of_learner("PS-S1", "prefix_softmax", at=_AT, work=by_blocks(200), bound=formula(capped, *_SIZES)),
    of_learner(
        "PS-W", "prefix_softmax", at=_AT, work=by_blocks(200), fixed=True, bound=formula(on_fixed_losses, *_SIZES)
    ),
)
