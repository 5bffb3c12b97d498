"""Data on privacy: exact laws of a selection, exact privacy losses, and what sampled actions certify."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from replicate import audit, mechanisms
from replicate.budget import cache
from replicate.papers.noisy_leader import algorithms, privacy


def one_score_vector(epsilon: float = 1.0) -> pd.DataFrame:
    """Exact selection laws of the three noises of scale 2 / epsilon on ten sums of losses."""
    sums = np.array([0, 1, 2, 4, 6, 9, 12, 16, 20, 25])
    frames = []
    for noise in mechanisms.NOISES:
        law = algorithms.selector(noise, epsilon=epsilon)(sums)
        frames.append(pd.DataFrame({"noise": noise, "lead": sums, "probability": law}))
    return pd.concat(frames, ignore_index=True)


def privacy_curves(epsilon: float = 1.0) -> pd.DataFrame:
    """Privacy loss of a choice between two actions against how far one lags before it loses 2 more.

    A lag of n - 2 is the worst that a block of n rounds can offer, losses in [0, 1].
    """
    lags = np.linspace(-6, 14, 201)
    rows = []
    for calibration, noise in product(algorithms.CALIBRATIONS, mechanisms.NOISES):
        scale = algorithms.noise_scale(noise, epsilon=epsilon, calibration=calibration)
        before, after = (
            mechanisms.report_noisy_max_pmf(np.stack([-lag, 0 * lag], axis=-1), noise=noise, scale=scale)[:, 0]
            for lag in (lags, lags + 2)
        )
        loss = np.log(before) - np.log(after)
        rows.append(pd.DataFrame({"calibration": calibration, "noise": noise, "lag": lags, "loss": loss}))
    return pd.concat(rows, ignore_index=True).assign(epsilon=epsilon)


def privacy_table(epsilon: float = 1.0, n_actions: int = 4) -> pd.DataFrame:
    """Table 2 with numbers: exact privacy loss of each noise, blocks of 1, 2 and 256 rounds and without limit."""
    rows = []
    for calibration, noise in product(algorithms.CALIBRATIONS, mechanisms.NOISES):
        scale = algorithms.noise_scale(noise, epsilon=epsilon, calibration=calibration)
        losses = {
            str(n or "any"): audit.report_noisy_max_privacy_loss(n_actions, noise=noise, scale=scale, n_rounds=n)
            for n in (1, 2, 256, None)
        }
        rows.append({"calibration": calibration, "noise": noise, "scale": scale, "stated": epsilon, **losses})
    return pd.DataFrame(rows)


@cache
def audit_table(profile: str, seed: int, epsilon: float = 1.0) -> pd.DataFrame:
    """Every variant: declared epsilon, exact worst loss, exact loss of the audited pair, certified lower limit."""
    variants = [*product(mechanisms.NOISES, (False, True), ["corrected"])]
    variants += [("exponential", resample, "printed") for resample in (False, True)]
    rows = []
    for noise, resample, calibration in variants:
        scale = algorithms.noise_scale(noise, epsilon=epsilon, calibration=calibration)
        known: dict[str, Any] = {"scale": scale, "resample": resample}
        row = {"noise": noise, "B": int(resample), "calibration": calibration, "declared": epsilon}
        row["any pair"] = audit.report_noisy_max_privacy_loss(2, noise=noise, scale=scale)
        row["this pair"] = privacy.pair_loss(noise, **known)
        row["certified"] = privacy.certified_loss(noise, **known, samples=privacy.FEWER[profile], seed=seed)
        rows.append(row)
    return pd.DataFrame(rows)
