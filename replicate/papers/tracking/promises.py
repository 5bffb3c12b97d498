"""Bounds on regret that a reader can ask at sizes of their own."""

from __future__ import annotations

from replicate.claims.asking import Own, by_rounds, of_learner
from replicate.papers.tracking.learners import restarts_bound


def _below_one(own: Own) -> str:
    """Theorem 5.2 is for epsilon < 1."""
    return "" if own.epsilon < 1 else "Theorem 5.2 is for epsilon below 1"


PROMISES = (
    of_learner(
        "TR-T36c", "restarts", bound=restarts_bound("all"),
        work=lambda own: 3e-12 * own.n_actions * own.horizon**2,
        at={"epsilon": 1.0, "n_actions": 10, "gap": 0.9, "horizon": 65_536, "n_switches": 1},
    ),
    of_learner(
        "TR-T36d", "restarts_dyadic", bound=restarts_bound("dyadic"), work=by_rounds(80),
        at={"epsilon": 1.0, "n_actions": 10, "gap": 0.9, "horizon": 800_000, "n_switches": 1},
    ),
    of_learner(
        "TR-T41r", "meta_experts", work=by_rounds(60),
        at={"epsilon": 1.0, "delta": 1e-6, "n_actions": 8, "gap": 0.9, "horizon": 500_000, "n_switches": 2},
    ),
    of_learner(
        "TR-B2", "mirror_descent", work=by_rounds(45),
        at={"epsilon": 0.9, "n_actions": 4, "gap": 0.9, "horizon": 10**6, "n_switches": 1}, scope=_below_one,
    ),
)  # fmt: skip
