"""Exact and counted privacy losses of Algorithms 2 and 3, printed and corrected."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from replicate import certify
from replicate.budget import cache
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import mirror_descent
from replicate.papers.tracking.instances import SIZES
from replicate.papers.tracking.privacy import exact, sampled
from replicate.streams import replicated, stream
from replicate.validation import IntArray


@cache
def restart_pair(calibration: str) -> exact.RestartPair:
    """Return the event whose privacy loss exceeds epsilon in the printed Algorithm 2, N = 2, epsilon = 1."""
    return exact.restart_pair(epsilon=1.0, horizon=10_000, calibration=calibration)


@cache
def half_play_limits(profile: str, seed: int, calibration: str) -> tuple[certify.Interval, certify.Interval]:
    """Bound the chances of 37 or more of 59 plays in the favoured, and in the disfavoured, half of 200 experts."""
    runs = SIZES[profile].audit_runs // (1 if calibration == "printed" else 4)

    def play(rng: np.random.Generator) -> IntArray:
        return sampled.half_counts(
            n_actions=200, horizon=60, n_switches=10, epsilon=0.9, calibration=calibration,
            replicates=runs // 10, rng=rng,
        )  # fmt: skip

    counts = np.concatenate(replicated(play, 10, stream(seed, "tracking/half_counts", calibration)))
    favoured, disfavoured = (
        certify.clopper_pearson(int((x >= 37).sum()), len(x), false_alarm=certify.share(2))
        for x in (counts, 59 - counts)
    )
    return favoured, disfavoured


@cache
def privacy_losses(profile: str, seed: int) -> pd.DataFrame:
    """Certified and proved privacy losses of Algorithms 2 and 3 over epsilon, printed and corrected."""
    rows = []
    for calibration in ("printed", "corrected"):
        pair = restart_pair(calibration)
        rule = bounds.restart_rule(n_actions=2, epsilon=1.0, horizon=10_000, calibration=calibration)
        rows.append(("Algorithm 2,\nN = 2, T = 10000", calibration, pair.loss, 0.5 + 1.5 * rule.epsilon))
        setting: dict[str, Any] = {"horizon": 64, "n_switches": 2, "epsilon": 0.9, "calibration": calibration}
        event = exact.mirror_loss(**setting, later_loss=1.0) / 0.9
        rows.append(("Algorithm 3,\nN = 2, T = 64", calibration, event, mirror_accounted(2, 64, 2, calibration)))
        likely, rare = half_play_limits(profile, seed, calibration)
        counted = math.log(likely.low / rare.high) / 0.9 if likely.low > rare.high else 0.0
        rows.append(
            ("Algorithm 3,\nN = 200, T = 60", calibration, counted, mirror_accounted(200, 60, 10, calibration))
        )
    return pd.DataFrame(rows, columns=["case", "calibration", "lower", "upper"])


def mirror_accounted(n: int, horizon: int, switches: int, calibration: str) -> float:
    """Return the proved upper bound on the privacy loss of Algorithm 3's plays over epsilon = 0.9."""
    rate, noise = mirror_descent.parameters(
        n_actions=n, horizon=horizon, n_switches=switches, epsilon=0.9, calibration=calibration
    )
    return exact.mirror_upper(n_actions=n, horizon=horizon, learning_rate=rate, noise=noise) / 0.9
