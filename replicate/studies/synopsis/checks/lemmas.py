"""Checks of the competitors' proved bounds: regret below them, where uniform play is above."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from replicate import certify
from replicate.claims.evidence import Evidence, worst
from replicate.learners.competitors import bit_exp4
from replicate.studies.synopsis.experiments import competitors


@worst
def proved_bounds(
    profile: str, seed: int, *, learners: tuple[str, ...], constant: float, play: str = "their own"
) -> Iterator[Evidence]:
    """Regret of learners, an upper limit from bets, against `constant` times the bounds in the register.

    `play` is ``"their own"`` or ``"uniform play"``, whose regret is exact.
    """
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
        yield Evidence(**known, limit=limit, unit="regret", uniform=result.uniform, detail=detail)


def bound_with_advice(
    profile: str, seed: int, *, experts: int, constant: float, play: str = "its own"
) -> Evidence:
    """Regret of EXP4 on random bits against the best of N experts, an upper limit; `constant` times its bound.

    `play` is ``"its own"`` or ``"uniform play"``, the mean of the experts, whose regret is exact.
    """
    rounds = 4000
    regrets, uniform = competitors.advised_bits(profile, seed, experts, rounds)
    alarm = certify.share(1)
    high = float(certify.betting_upper(regrets, low=0, high=rounds, false_alarm=alarm))
    low = float(certify.betting_lower(regrets, low=0, false_alarm=alarm))
    sizes: dict[str, Any] = {"n_actions": 2, "n_experts": experts, "epsilon": 1.0, "horizon": rounds}
    bound = bit_exp4.regret_bound(**sizes)
    mean = float(regrets.mean())
    known: dict[str, Any] = {"measured": uniform}
    if play == "its own":
        known = {"measured": high, "opposite": low, "estimate": mean}
    detail = f"N={experts}, K=2, T={rounds:,}, ε=1: mean {mean:.1f}; bound {bound:.1f}, uniform {uniform:,.0f}."
    return Evidence(**known, limit=constant * bound, unit="regret", uniform=uniform, detail=detail)
