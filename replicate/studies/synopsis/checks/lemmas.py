"""Checks of the competitors' proved bounds: regret below them, where uniform play is above."""

from __future__ import annotations

from typing import Any

from replicate.claims import Evidence
from replicate.studies.synopsis.experiments import competitors


def proved_bounds(
    profile: str, seed: int, *, learners: tuple[str, ...], constant: float, play: str = "their own"
) -> Evidence:
    """Regret of learners, an upper limit from bets, against `constant` times the bounds in the register.

    `play` is ``"their own"`` or ``"uniform play"``, whose regret is exact.
    """
    cases = []
    for name in learners:
        game = competitors.GAMES[name]
        result = competitors.against_bound(profile, seed, name, len(learners))
        detail = (
            f"{name}, {game.losses}, K=2, gap {game.gap:g}, T={game.horizon:,}, ε=1: mean {result.mean:.1f}, "
            f"at most {result.upper:.1f}; bound {result.bound:.1f}, uniform play {result.uniform:,.0f}."
        )
        known: dict[str, Any] = {"measured": result.uniform}
        if play == "their own":
            known = {"measured": result.upper, "opposite": result.lower, "estimate": result.mean}
        limit = constant * result.bound
        cases.append(Evidence(**known, limit=limit, unit="regret", uniform=result.uniform, detail=detail))
    return Evidence.worst(cases)
