"""Mechanisms under audit with their inputs, and the sizes of the profiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from replicate.profiles import grown

LEVELS: Mapping[str, float] = {"certified": 1e-9, "even odds": 0.5}
"""Probability with which a limit may be wrong: what claims rest on, and a control that must be seen to err."""


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Sizes of a profile.

    Attributes
    ----------
    left_out
        Members of the zoo that take too long.
    share
        Share of its samples with which each other member is audited.
    samples
        Outputs of each of the field's mechanisms from each input.
    seeds, most_runs
        Bets on a given event, of which the median length is taken, a quarter as many learn their events; runs of
        the mechanism after which a bet is given up.
    bets, rounds
        Bets at the boundary of the claim, and how long each goes on.
    repeats, bands
        Limits of divergences, and bands of trade-off curves, on each pair of laws.
    """

    left_out: tuple[str, ...]
    share: float
    samples: int
    seeds: int
    bets: int
    rounds: int
    repeats: int
    bands: int
    most_runs: int = 4_000


FULL = Sizes(left_out=(), share=1.0, samples=50_000, seeds=240, bets=30_000, rounds=200, repeats=3, bands=30)
SIZES: Mapping[str, Sizes] = {
    "quick": Sizes(
        left_out=("mirror",),
        share=0.55,
        samples=3_000,
        seeds=60,
        most_runs=2_000,
        bets=30_000,
        rounds=80,
        repeats=2,
        bands=15,
    ),
    "full": FULL,
    "huge": grown(FULL, "samples", "seeds", "bets", "repeats", "bands"),
}
