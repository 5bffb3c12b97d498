"""Limits of divergences and of trade-off curves on finite laws, beside the exact values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd

from replicate import audit, mechanisms
from replicate.budget import cache
from replicate.streams import stream
from replicate.studies.audit_bench.instances import LEVELS, SIZES
from replicate.studies.audit_bench.lemmas import trade_off
from replicate.validation import FloatArray

SAMPLES = 20_000
ORDERS = (1.5, 2.0, 8.0, math.inf)


def _selected(noise: str) -> tuple[FloatArray, FloatArray]:
    """Laws of a selection at epsilon = 2 on scores (0, 0) and (1, -1)."""
    one, other = (mechanisms.report_noisy_max_pmf(np.array(x), noise=noise, scale=1.0) for x in ((0, 0), (1, -1)))
    return one, other


@cache
def laws() -> Mapping[str, tuple[FloatArray, FloatArray]]:
    """Return pairs of laws on finitely many outcomes by name."""
    return {
        "permute-and-flip": _selected("exponential"),
        "exponential mechanism": _selected("gumbel"),
        "coins": (np.array([0.3, 0.7]), np.array([0.2, 0.8])),
        "three outcomes": (np.array([0.2, 0.3, 0.5]), np.array([0.4, 0.4, 0.2])),
    }


def sampler(law: FloatArray) -> audit.Sampler:
    """Return a sampler of outcomes 0, 1, ... with these probabilities."""
    return lambda n, rng: rng.choice(len(law), size=n, p=law)


@cache
def divergences(profile: str, seed: int, level: str) -> pd.DataFrame:
    """Certify Renyi divergences and the rho of zero-concentrated privacy.

    Returns
    -------
    Columns law, measure (``"order 2"``, ``"zCDP"``), exact, limit (the largest of the repeats).
    """
    repeats, rows = SIZES[profile].repeats, []
    alarm = LEVELS[level] / (len(laws()) * (len(ORDERS) + 1) * repeats if level == "certified" else 1)
    for name, both in laws().items():
        pair = [sampler(law) for law in both]
        for order in (*ORDERS, None):
            limits, measure = [], f"order {order:g}" if order else "zCDP"
            certified = partial(audit.certified_renyi, order=order) if order else audit.certified_zcdp
            exact = (
                max(audit.renyi_divergence(*x, order=order) for x in (both, both[::-1]))
                if order
                else audit.zcdp_loss(*both)
            )
            for i in range(repeats):
                rng = stream(seed, "audit_bench/divergence", level, name, order if order else "zCDP", i)
                limits.append(certified(pair[0], pair[1], samples=SAMPLES, false_alarm=alarm, rng=rng))
            rows.append({"law": name, "measure": measure, "exact": exact, "limit": max(limits)})
    return pd.DataFrame(rows)


@cache
def curves(profile: str, seed: int, level: str) -> pd.DataFrame:
    """Certify upper bands of trade-off curves.

    Returns
    -------
    Columns law, repeat, first (error of the first kind, at the corners of curve and band but for 0 and 1), exact
    and band (errors of the second kind).
    """
    repeats, frames = SIZES[profile].bands, []
    alarm = LEVELS[level] / (len(laws()) * repeats if level == "certified" else 1)
    for name, both in laws().items():
        curve = trade_off(*both)
        for i in range(repeats):
            rng = stream(seed, "audit_bench/curve", level, name, i)
            band = audit.trade_off_band(*map(sampler, both), samples=SAMPLES, false_alarm=alarm, rng=rng)
            first = np.unique(np.append(curve[:, 0], band[:, 0]))
            first = first[(first > 1e-9) & (first < 1 - 1e-9)]
            second = {"exact": np.interp(first, *curve.T), "band": np.interp(first, *band.T)}
            frames.append(pd.DataFrame({"law": name, "repeat": i, "first": first, **second}))
    return pd.concat(frames, ignore_index=True)
