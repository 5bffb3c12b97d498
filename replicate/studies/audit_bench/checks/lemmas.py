"""Checks of the tools: levels of bets, one limit for two, divergences and trade-off curves."""

from __future__ import annotations

from collections.abc import Iterator

from replicate import certify
from replicate.claims.evidence import EXACT, Evidence, worst
from replicate.studies.audit_bench import lemmas
from replicate.studies.audit_bench.experiments import bets, limits
from replicate.studies.audit_bench.instances import LEVELS

COUNTS = ((20, 10), (60, 30), (200, 100), (30, 3))
"""Expected counts of an event on two inputs."""


@worst
def level_of_bets(profile: str, seed: int, *, wealth: str) -> Iterator[Evidence]:
    """Share of bets against a true claim that ever reach 1 / alpha, upper limits, over alpha: at most 1."""
    peaks = bets.peaks(profile, seed, wealth)
    for alpha in bets.ALPHAS:
        wrong = int((peaks >= 1 / alpha).sum())
        share = certify.binomial_upper(wrong, len(peaks), false_alarm=certify.share(len(bets.ALPHAS)))
        detail = f"Closest: α = {alpha:g}, {wrong:,} of {len(peaks):,} bets."
        yield Evidence(measured=share, limit=alpha, detail=detail)


@worst
def one_limit(profile: str, seed: int, *, spent: float) -> Iterator[Evidence]:
    """Exact probability that the limit of a ratio errs, computed for `spent` times the error, over the error."""
    for alpha in (0.1, 0.01):
        for first, second in COUNTS:
            chance = lemmas.chance_of_error(first, second, alpha=spent * alpha)
            detail = f"Closest: α = {alpha:g}, expected counts {first} and {second}."
            yield Evidence(measured=chance, limit=alpha, detail=detail)


@worst
def divergences(profile: str, seed: int, *, level: str) -> Iterator[Evidence]:
    """Certified Renyi divergences and rho of zero-concentrated privacy against the exact ones."""
    data = limits.divergences(profile, seed, level)
    for row in data.to_dict("records"):
        yield Evidence(
            measured=row["limit"], limit=row["exact"] * (1 + EXACT), detail=f"{row['law']}, {row['measure']}."
        )


@worst
def curves(profile: str, seed: int, *, level: str) -> Iterator[Evidence]:
    """Exact trade-off curves over certified bands: at most 1 wherever one of them has a corner."""
    data = limits.curves(profile, seed, level)
    ratio = (data["exact"] / data["band"]).groupby(data["law"]).max()
    detail = f"Bands that may err with probability {LEVELS[level]:g}, "
    for law, value in ratio.items():
        yield Evidence(measured=float(value), limit=1 + EXACT, detail=f"{detail}closest: {law}.")
