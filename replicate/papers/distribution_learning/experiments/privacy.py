"""Privacy losses and noise, behind the claims and the figures: exact, and certified from messages."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from replicate import audit, certify
from replicate.budget import cache
from replicate.papers.distribution_learning import instances, privacy
from replicate.papers.distribution_learning.algorithms.schemes import Scheme
from replicate.profiles import with_more
from replicate.streams import stream
from replicate.validation import FloatArray

SAMPLES = with_more({"quick": 10**6, "full": 2 * 10**6})
"""Messages about each of the two labels."""
VECTORS = 7
"""Audits of Algorithm 1 that one claim holds against its privacy: they share a claim's false alarms."""


@cache
def privacy_losses(profile: str, seed: int, epsilon: float = 1.0) -> pd.DataFrame:
    """Exact privacy loss of Algorithm 2's message, printed and corrected, against the horizon."""
    horizons = np.unique(np.round(np.geomspace(10, 10**12, 34 if profile == "quick" else 100)).astype(np.int64))
    rows = []
    for (name, f), horizon in ((c, int(t)) for c in instances.clipped().items() for t in horizons):
        for calibration in ("printed", "corrected"):
            loss = privacy.privacy_loss(f, epsilon=epsilon, horizon=horizon, calibration=calibration)
            rows.append({"instance": name, "horizon": horizon, "calibration": calibration, "loss": loss / epsilon})
    return pd.DataFrame(rows)


@dataclass(frozen=True, kw_only=True)
class Audit:
    """Certified and exact privacy loss for one pair of labels, in units of the declared epsilon."""

    certified: float
    exact: float
    samples: int


def wide_class(n_labels: int) -> FloatArray:
    """`instances.one_against_many` with the lone label first: merged, its groups are the first and the last."""
    return instances.one_against_many(n_labels)[:, ::-1]


@cache
def audit_pure(
    profile: str, seed: int, calibration: str, *, n_labels: int = 50, horizon: int = 100, epsilon: float = 2.0
) -> Audit:
    """Algorithm 2's message on one distribution against many labels, where the printed noise is too small."""
    f = wide_class(n_labels)
    scheme = Scheme.validated(f, scheme="pure", epsilon=epsilon, horizon=horizon, calibration=calibration)
    rng = stream(seed, "dl", "audit pure", calibration, n_labels, horizon, epsilon)
    exact = privacy.privacy_loss(f, epsilon=epsilon, horizon=horizon, calibration=calibration) / epsilon
    samples = SAMPLES[profile]
    certified = privacy.certified_loss(scheme, delta=0, samples=samples, false_alarm=certify.share(2), rng=rng)
    return Audit(certified=certified, exact=exact, samples=samples)


@cache
def audit_vector(
    profile: str, seed: int, calibration: str, *, copies: int = 1, delta: float = 0.01, noise_factor: float = 1.0
) -> Audit:
    """All K = 2 `copies` noisy log densities of Algorithm 1, at (1, delta); the noise times `noise_factor`.

    Three labels against one: two labels tell all hypotheses apart, so all coordinates move together.
    """
    f = np.repeat(wide_class(4), copies, axis=0)
    setting: dict[str, Any] = {"epsilon": 1.0, "horizon": 10**6, "calibration": calibration, "delta": delta}
    scheme = Scheme.validated(f, scheme="approximate", **setting)
    rng = stream(seed, "dl", "audit vector", calibration, copies, delta, noise_factor)
    samples = SAMPLES[profile] // 2
    options = {"delta": delta, "noise_factor": noise_factor, "false_alarm": certify.share(VECTORS)}
    certified = privacy.certified_loss(scheme, samples=samples, rng=rng, **options)
    return Audit(certified=certified, exact=math.nan, samples=samples)


@cache
def audit_labels(profile: str, seed: int, scheme: str) -> Audit:
    """Randomised response, or the label in the clear: eight labels, epsilon = 1."""
    f = instances.dirichlet(4, 8)
    channel = Scheme.validated(f, scheme=scheme, epsilon=1.0, horizon=100).channels[0]
    laws = channel.keep * np.eye(8)[[0, 7]] + channel.base

    def sampler(law: FloatArray) -> audit.Sampler:
        return lambda n, rng: rng.choice(8, size=n, p=law / law.sum())

    samples = SAMPLES[profile]
    rng = stream(seed, "dl", "audit labels", scheme)
    certified = audit.certified_privacy_loss(*map(sampler, laws), samples=samples, rng=rng)
    return Audit(certified=certified, exact=float(audit.privacy_loss(*laws)), samples=samples)


def audit_table(profile: str, seed: int) -> pd.DataFrame:
    """Every audit of the paper, in units of the epsilon declared."""

    def vector(calibration: str, *, copies: int = 1, noise_factor: float = 1.0) -> Audit:
        """Asked for as the claims do, whose audit it then is."""
        return audit_vector(profile, seed, calibration, copies=copies, delta=0.01, noise_factor=noise_factor)

    rows = {
        "Algorithm 2, corrected, M = 50": audit_pure(profile, seed, "corrected"),
        "Algorithm 2, printed, M = 50": audit_pure(profile, seed, "printed"),
        "Algorithm 1, corrected, K = 2": vector("corrected"),
        "Algorithm 1, tight, K = 2": vector("tight"),
        "Algorithm 1, tight, K = 4": vector("tight", copies=2),
        "Algorithm 1, 0.9 of the tight noise": vector("tight", noise_factor=0.9),
        "randomised response": audit_labels(profile, seed, "randomized_response"),
        "no privacy": audit_labels(profile, seed, "non_private"),
    }
    columns = ["learner", "certified by messages", "exact", "messages"]
    return pd.DataFrame([(name, a.certified, a.exact, a.samples) for name, a in rows.items()], columns=columns)
