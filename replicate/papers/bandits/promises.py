"""Bounds on regret that a reader can ask at sizes of their own.

The corollaries are for every table; independent losses are one of many.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replicate.claims.asking import Own, Promise, formula, of_learner
from replicate.papers.bandits import bounds

_AT = {"epsilon": 1.0, "n_actions": 8, "gap": 0.9, "horizon": 10**6}


def _promise(claim: str, learner: str, function: Callable[..., Any], nanoseconds: float) -> Promise:
    """A corollary on batches of 1 / epsilon rounds, and the time of a batch for an action."""

    def work(setting: Own) -> float:
        return 1e-9 * nanoseconds * setting.n_actions * setting.horizon * min(setting.epsilon, 1)

    return of_learner(
        claim, learner, bound=formula(function, "n_actions", "epsilon", "horizon"), at=_AT, work=work
    )


PROMISES = (
    _promise("BA-C2", "htinf", bounds.corollary_2, 17),
    _promise("BA-C22", "exp3", bounds.corollary_22, 11),
    _promise("BA-C24p", "ftpl", bounds.corollary_24, 70),
    _promise("BA-C24", "ftpl", bounds.corollary_24_chain, 70),
)
