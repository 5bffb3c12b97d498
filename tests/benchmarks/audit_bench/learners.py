"""Measure what fitted scores add to audits of the papers' learners: the same samples, read in two ways.

Until now half of the samples chose an outcome's event, and the other half bounded two probabilities apart.
With a fitted score most of them count, and one limit bounds the ratio of both.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from replicate import audit
from replicate.papers.bandits import privacy as bandits
from replicate.papers.noisy_leader import privacy as noisy_leader
from replicate.papers.prefix_softmax import privacy as prefix_softmax
from replicate.papers.tracking.privacy import sampled as tracking

SEEDS = 5
PROFILE = "quick"
Limit = Callable[[int, audit.Score], float]
"""(seed, score) to a lower limit of epsilon."""


def _audits() -> Iterator[tuple[str, str, Limit]]:
    """Yield paper, learner and limit of every audit from plays, with the noise that the learner has."""
    soft = "prefix softmax"
    yield (
        "prefix_softmax", soft,
        lambda seed, score: prefix_softmax.certified_loss(profile=PROFILE, seed=seed, score=score),
    )  # fmt: skip
    for noise, resample in (("exponential", False), ("gumbel", True)):
        name = f"noisy leader, {noise} noise{', resampled' * resample}"
        yield "noisy_leader", name, _noisy_leader(noise, resample)
    plays: dict[str, Limit] = {
        "Algorithm 1": lambda seed, score: tracking.audit_selections(PROFILE, seed, score=score).certified,
        "Algorithm 2's alarm": lambda seed, score: (
            tracking.audit_alarm(PROFILE, seed, "corrected", score=score).certified
        ),
        "meta-experts, pure": lambda seed, score: (
            tracking.audit_dartboard(PROFILE, seed, tracking.PURE, score=score).certified
        ),
        "Algorithm 3": lambda seed, score: (
            tracking.audit_mirror(PROFILE, seed, "corrected", score=score).certified
        ),
    }
    for name, limit in plays.items():
        yield "tracking", name, limit
    for key, learner in bandits.AUDITED.items():
        yield "bandits", learner.name, _bandit(key)


def _noisy_leader(noise: str, resample: bool) -> Limit:
    def limit(seed: int, score: audit.Score) -> float:
        return noisy_leader.certified_loss(
            noise, scale=noisy_leader.shipped_scale(noise), resample=resample,
            samples=noisy_leader.SAMPLES[PROFILE], seed=seed, score=score,
        )  # fmt: skip

    return limit


def _bandit(key: str) -> Limit:
    return lambda seed, score: bandits.certified(key, PROFILE, seed, score=score)


def measured() -> pd.DataFrame:
    """Audit every learner in both ways, `SEEDS` times.

    Returns
    -------
    Columns paper, learner, by_outcomes and fitted (medians), gain (fitted over by_outcomes, less 1; NaN where
    nothing is certified), gains (how many seeds of `SEEDS`), seconds_by_outcomes and seconds_fitted.
    """
    rows = []
    for paper, learner, limit in _audits():
        found, seconds = np.empty((2, SEEDS)), np.zeros(2)
        limit(SEEDS, "fitted")  # compiles
        ways: tuple[audit.Score, audit.Score] = (None, "fitted")
        for way, score in enumerate(ways):
            start = time.process_time()
            found[way] = [limit(seed, score) for seed in range(SEEDS)]
            seconds[way] = (time.process_time() - start) / SEEDS
        before, after = np.median(found, axis=1)
        gain = after / before - 1 if before else np.nan
        rows.append([paper, learner, before, after, gain, int((found[1] > found[0]).sum()), *seconds])
    columns = [
        "paper",
        "learner",
        "by_outcomes",
        "fitted",
        "gain",
        "gains",
        "seconds_by_outcomes",
        "seconds_fitted",
    ]
    return pd.DataFrame(rows, columns=columns)


def rows(table: pd.DataFrame) -> str:
    """Return the table in Markdown."""
    head = "| paper | learner | by outcomes | by a fitted score | gain | seeds that gain |"
    return "\n".join([head, "|---|---|---:|---:|---:|---:|", *(_row(row) for _, row in table.iterrows())])


def _row(row: pd.Series) -> str:
    gain = "" if np.isnan(row.gain) else f"{100 * row.gain:+.1f}%"
    limits = f"{row.by_outcomes:.4f} | {row.fitted:.4f}"
    return f"| {row.paper} | {row.learner} | {limits} | {gain} | {row.gains} of {SEEDS} |"
