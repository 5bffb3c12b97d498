"""Audits from samples: lower limits on epsilon from the actions that the learners' own step functions draw."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from replicate import audit, certify
from replicate.budget import cache
from replicate.papers.bandits.algorithms import advice_kernels, kernels
from replicate.papers.bandits.privacy.audited import AUDITED, BLURRED, SHARP, Audited
from replicate.papers.bandits.privacy.exact import exact_loss
from replicate.profiles import with_more
from replicate.streams import stream
from replicate.validation import IntArray

RUNS = with_more({"quick": 2 * 10**5, "full": 4 * 10**5})

Released = Literal["actions", "chosen experts"]


def sample(
    learner: Audited,
    mean: float,
    runs: int,
    rng: np.random.Generator,
    *,
    noise_divisor: float = 1.0,
    released: Released = "actions",
) -> IntArray:
    """Draw `runs` pairs of first actions, as numbers from 0 to 3, from the learner's own step functions.

    Algorithm 5 may release the experts that it chose instead of the actions.
    """
    codes, seen = np.empty(runs, dtype=np.int64), np.full((2, 2), mean)
    plan, noise = learner.plan, learner.plan.noise / noise_divisor
    if learner.algorithm in (2, 6):
        everyone, mixing = learner.algorithm == 2, plan.setting[kernels.MIXING]
        advice_kernels.sample_actions(np.eye(2), seen, SHARP, mixing, noise, everyone, codes, rng)
        return codes
    kernels.sample_actions(plan.kind, kernels.fresh_state(plan.kind, 2), plan.setting, seen, noise, codes, rng)
    if learner.algorithm != 5 or released == "chosen experts":
        return codes
    strays = rng.random((2, runs)) >= BLURRED[0, 0]
    return codes ^ (2 * strays[0] + strays[1])


@cache
def certified(
    name: str, profile: str, seed: int, *, noise_divisor: float = 1.0, score: audit.Score = "fitted"
) -> float:
    """Lower limit on a learner's epsilon, from runs on the worst pair of neighbouring tables."""
    learner = AUDITED[name]
    mean = exact_loss(learner, noise_divisor=noise_divisor)[1]
    pair = [
        partial(sample, learner, m, noise_divisor=noise_divisor) for m in (mean, mean + 1 / learner.plan.batch)
    ]
    rng = stream(seed, "bandits/audit", name, noise_divisor)
    return audit.certified_privacy_loss(
        *pair, samples=RUNS[profile], delta=learner.delta, false_alarm=certify.share(len(AUDITED)), rng=rng,
        score=score,
    )  # fmt: skip
