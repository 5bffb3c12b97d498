"""Checks of what audits certify, and of their tools: bets and limits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
import scipy

from replicate import audit, certify
from replicate.audit.certificates import ratio_limit
from replicate.claims.evidence import EXACT, Evidence, at_least, at_most, over, worst
from replicate.streams import stream
from replicate.studies.audit_bench import experiments, privacy
from replicate.studies.audit_bench.algorithms import LEAKS, private
from replicate.studies.audit_bench.instances import SIZES


@worst
def rejected(profile: str, seed: int, *, version: str) -> Iterator[Evidence]:
    """Smallest certified level of the zoo over the declared one: above 1."""
    for row in experiments.results(profile, seed).to_dict("records"):
        yield at_least(row[version], 1.0, f"Smallest: {row['name']}.")


@worst
def acquitted(profile: str, seed: int, *, version: str) -> Iterator[Evidence]:
    """Largest certified level of the zoo over the declared one: at most 1."""
    for row in experiments.results(profile, seed).to_dict("records"):
        yield at_most(row[version], 1.0, f"Largest: {row['name']}.")


@worst
def never_above(profile: str, seed: int, *, level: str) -> Iterator[Evidence]:
    """Certified limits of the field's mechanisms against their exact losses, where those are finite."""
    for row in experiments.field_limits(profile, seed, level).to_dict("records"):
        if np.isfinite(row["exact"]):
            yield at_most(
                row["limit"],
                row["exact"] * (1 + EXACT),
                f"Closest: {row['mechanism']}, {SIZES[profile].samples:,} samples of each input.",
            )


@worst
def leaks(profile: str, seed: int, *, version: str) -> Iterator[Evidence]:
    """Smallest certified level of mechanisms that tell two inputs apart by outputs, or of their corrections."""
    runs = {"quick": 600}.get(profile, 2_000)
    for name, wrong in LEAKS.items():
        run = wrong if version == "wrong" else private(wrong)
        pair = [audit.one_by_one(partial(run, x)) for x in (0, 1)]
        rng = stream(seed, "audit_bench/leaks", version, name)
        limit = audit.certified_privacy_loss(
            *pair, samples=runs, score="fitted", false_alarm=certify.share(2 * len(LEAKS)), rng=rng
        )
        yield at_least(limit, 1.0, f"Smallest: {name}.")


@worst
def shipped(profile: str, seed: int, *, version: str) -> Iterator[Evidence]:
    """Smallest exact loss of four calls of released libraries at epsilon = 1, as shipped or put right."""
    wrong = version == "wrong"
    losses = {
        "RAPPORClient": privacy.rappor_loss(8, 2 / (1 + math.exp(0.5)), clears=not wrong),
        "SS_Client": privacy.subset_loss(20, 1.0, ordered=wrong),
        "RSpFD_GRR_Client": privacy.fake_data_loss(8, 3, 1.0, differ=3 if wrong else 1),
        "nanmean": privacy.nan_mean_loss(100, 1, counts_nan=wrong),
    }
    for name, loss in losses.items():
        yield at_least(loss, 1.5, f"Smallest: {name}.")


def chance_of_error(first: float, second: float, *, alpha: float) -> float:
    """Exact probability that `ratio_limit` exceeds log(first / second), the counts having these means.

    Given x + y = n the limit grows with x: it errs from some x on, and x is binomial. One more run moves this x by
    at most one.
    """
    truth, total, chance, least = math.log(first / second), first + second, 0.0, 0
    most = int(total + 12 * math.sqrt(total)) + 12  # beyond, every n counts as an error
    for n in range(1, most + 1):
        while least <= n and ratio_limit(least, n - least, false_alarm=alpha) <= truth:
            least += 1
        chance += scipy.stats.poisson.pmf(n, total) * scipy.stats.binom.sf(least - 1, n, first / total)
    return float(chance + scipy.stats.poisson.sf(most, total))


def one_limit_at(false_alarm: float, first: float, second: float, *, spent: float = 1.0) -> Evidence:
    """Exact probability that the limit of a ratio errs, made for `spent` times the error.

    `first` and `second` are the expected counts of an event on two inputs.
    """
    chance = chance_of_error(first, second, alpha=min(spent * false_alarm, 1 - 1e-9))
    return at_most(chance, false_alarm, "Exactly.")


_COUNTS = ((20, 10), (60, 30), (200, 100), (30, 3))
_POINTS = ({"false_alarm": alpha, "first": x, "second": y} for alpha in (0.1, 0.01) for x, y in _COUNTS)
one_limit = over(one_limit_at, *_POINTS)


@worst
def level_of_bets(profile: str, seed: int, *, wealth: str) -> Iterator[Evidence]:
    """Share of bets against a true claim that ever reach 1 / alpha, upper limits, over alpha: at most 1."""
    peaks = experiments.peaks(profile, seed, wealth)
    for alpha in experiments.ALPHAS:
        wrong = int((peaks >= 1 / alpha).sum())
        share = certify.binomial_upper(wrong, len(peaks), false_alarm=certify.share(len(experiments.ALPHAS)))
        yield at_most(share, alpha, f"Closest: α = {alpha:g}, {wrong:,} of {len(peaks):,} bets.")
