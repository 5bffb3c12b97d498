"""Bounds on regret that a reader can ask at sizes of their own."""

from __future__ import annotations

import math

from replicate.claims.asking import Own, by_blocks, by_rounds, formula, of_learner
from replicate.papers.tracking import bounds

_SIZES = ("n_actions", "horizon", "epsilon")
_STATIC = {"epsilon": 1.0, "n_actions": 10, "gap": 0.1, "horizon": 2**40}


def restarts(n_actions: int, horizon: int, n_switches: int, epsilon: float, windows: str) -> float:
    """Return the bound of the corrected Algorithm 2: the theorem counts S + 1 laws for S switches."""
    return bounds.theorem_3_6(
        n_actions=n_actions, horizon=horizon, n_switches=n_switches + 1, epsilon=epsilon, windows=windows
    )


def whole_game(n_actions: int, horizon: int, epsilon: float, *, proved: bool = False) -> float:
    """Return Theorem 3.1's bound for the window of all rounds, beta = 1 / T: 1 more in expectation."""
    formula = bounds.proved_regret if proved else bounds.adaptive_regret
    constant, root = formula(n_actions=n_actions, horizon=horizon, epsilon=epsilon, failure=1 / horizon)
    return constant + root * math.sqrt(horizon) + 1


def below_one(own: Own) -> str:
    """Theorem 5.2 is for epsilon < 1."""
    return "" if own.epsilon < 1 else "Theorem 5.2 is for epsilon below 1"


_WORK = by_blocks(300, 0.6)

PROMISES = (
    of_learner("TR-T31", "limited_updates", at=_STATIC, work=_WORK, bound=formula(whole_game, *_SIZES)),
    of_learner(
        "TR-T31p", "limited_updates", at=_STATIC, work=_WORK, bound=formula(whole_game, *_SIZES, proved=True)
    ),
    of_learner(
        "TR-T36c", "restarts", bound=formula(restarts, *_SIZES, "n_switches", windows="all"),
        work=lambda own: 3e-12 * own.n_actions * own.horizon**2,
        at={"epsilon": 1.0, "n_actions": 10, "gap": 0.9, "horizon": 65_536, "n_switches": 1},
    ),
    of_learner(
        "TR-T36d", "restarts_dyadic", bound=formula(restarts, *_SIZES, "n_switches", windows="dyadic"),
        work=by_rounds(80),
        at={"epsilon": 1.0, "n_actions": 10, "gap": 0.9, "horizon": 800_000, "n_switches": 1},
    ),
    of_learner(
        "TR-T41r", "meta_experts", work=by_rounds(60),
        at={"epsilon": 1.0, "delta": 1e-6, "n_actions": 8, "gap": 0.9, "horizon": 500_000, "n_switches": 2},
    ),
    of_learner(
        "TR-B2", "mirror_descent", work=by_rounds(45),
        at={"epsilon": 0.9, "n_actions": 4, "gap": 0.9, "horizon": 10**6, "n_switches": 1}, scope=below_one,
    ),
)  # fmt: skip
