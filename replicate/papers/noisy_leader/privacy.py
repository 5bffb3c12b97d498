"""Privacy of the learners: exact losses on a pair of neighbouring tables, what samples certify, tables and curves.

Two actions, eight rounds, losses (0.9, 0.1) but for the first round of the third epoch, (1, 0) or (0, 1): action 0
trails by about 3.4 or 1.4 when J_3 is selected. The worst pairs have longer epochs and rarer events.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from replicate import audit, mechanisms
from replicate.budget import cache
from replicate.certify import CLAIM_FALSE_ALARM, share
from replicate.papers.noisy_leader import algorithms
from replicate.profiles import with_more
from replicate.streams import stream
from replicate.validation import FloatArray, IntArray

Pair = tuple[FloatArray, FloatArray]

SAMPLES = with_more({"quick": 200_000, "full": 300_000})
"""Runs on each table."""
FEWER = with_more({"quick": 60_000, "full": 150_000})
"""Runs on each table where the certified loss is far from what it is compared with."""
LITERAL = with_more({"quick": 3000, "full": 12_000})
"""Runs of the literal learner on each table."""


_SEVEN = np.tile([0.9, 0.1], (7, 1))
PAIR: Pair = (np.insert(_SEVEN, 3, [1.0, 0.0], axis=0), np.insert(_SEVEN, 3, [0.0, 1.0], axis=0))
"""Eight rounds; the fourth one, the first of epoch 3, differs."""
COUNTEREXAMPLE: Pair = (np.array([[0.0, 0], [1, 0], [0, 1], [0, 0]]), np.array([[0.0, 0], [1, 0], [1, 0], [0, 0]]))
"""Four rounds; the sums of the second epoch are (1, 1) or (2, 0)."""


def shipped(
    noise: str, *, n_actions: int = 2, epsilon: float = 1.0, calibration: str = "corrected"
) -> algorithms.NoisyLeader:
    """Return the learner as it ships: its `scale` and its `law` are what is audited."""
    rng = np.random.default_rng(0)
    return algorithms.NoisyLeader(n_actions, epsilon=epsilon, rng=rng, noise=noise, calibration=calibration)


def sampler(table: FloatArray, *, noise: str, scale: float, resample: bool) -> audit.Sampler:
    """Return a sampler of the actions J_0, J_1, ... on a table: the learner's own noise, all runs at once."""

    def select(sums: FloatArray, rng: np.random.Generator) -> IntArray:
        return mechanisms.report_noisy_max(-sums, noise=noise, scale=scale, rng=rng)

    return audit.dyadic_sampler(select, table, resample=resample)


def certified_loss(
    noise: str,
    *,
    scale: float,
    resample: bool,
    samples: int,
    seed: int,
    pair: Pair = PAIR,
    false_alarm: float = CLAIM_FALSE_ALARM,
    score: audit.Score = "fitted",
) -> float:
    """Lower confidence limit of epsilon, from samples of the sequence of actions on a pair of tables."""
    laws = (sampler(table, noise=noise, scale=scale, resample=resample) for table in pair)
    rng = stream(seed, "noisy_leader/audit", noise, scale, resample)
    return audit.certified_privacy_loss(*laws, samples=samples, false_alarm=false_alarm, rng=rng, score=score)


@cache
def literal_loss(profile: str, seed: int, *, calibration: str) -> float:
    """Lower limit of epsilon that runs of the literal learner certify: one of three limits of a claim.

    Exponential noise at epsilon = 1, without resampling, on `COUNTEREXAMPLE`.
    """

    def learner(rng: np.random.Generator) -> algorithms.NoisyLeader:
        return algorithms.NoisyLeader(2, epsilon=1.0, rng=rng, noise="exponential", calibration=calibration)

    laws = (audit.learner_sampler(learner, table) for table in COUNTEREXAMPLE)
    rng = stream(seed, "noisy_leader/literal audit", "exponential", False, calibration)
    return audit.certified_privacy_loss(*laws, samples=LITERAL[profile], false_alarm=share(3), rng=rng)


def resampled_law(table: FloatArray, *, noise: str, scale: float) -> FloatArray:
    """Law of the action selected from a table of losses with B = 1, averaged over all bits: (n, K) -> (K,)."""
    # line 12 of Algorithm 1: every outcome of the resampled losses, and its chance
    bits = np.array(list(product((0, 1), repeat=table.size))).reshape(-1, *table.shape)
    weights = np.where(bits == 1, table, 1 - table).prod(axis=(-2, -1))
    return np.asarray(weights @ mechanisms.report_noisy_max_pmf(-bits.sum(axis=-2), noise=noise, scale=scale))


def sequence_law(table: FloatArray, *, noise: str, scale: float, resample: bool) -> FloatArray:
    """Joint distribution of J_1, ..., J_s, selected from s complete epochs: losses (2**s - 1, K) -> (K**s,)."""
    if not resample:
        return audit.sequence_law(
            table, selector=lambda sums: mechanisms.report_noisy_max_pmf(-sums, noise=noise, scale=scale)
        )
    joint = np.ones(1)
    for r in range((len(table) + 1).bit_length() - 1):
        # no epoch shares a loss or a noise with another: the joint distribution is a product
        law = resampled_law(table[2**r - 1 : 2 ** (r + 1) - 1], noise=noise, scale=scale)
        joint = np.multiply.outer(joint, law).ravel()
    return joint


def pair_loss(noise: str, *, scale: float, resample: bool, pair: Pair = PAIR) -> float:
    """Exact privacy loss of the whole sequence of actions on a pair of tables, whose last rows select nothing."""
    laws = (sequence_law(table[:-1], noise=noise, scale=scale, resample=resample) for table in pair)
    return float(audit.privacy_loss(*laws))


# Tables and curves


def one_score_vector(epsilon: float = 1.0) -> pd.DataFrame:
    """Exact selection distributions of the three noises of scale 2 / epsilon on ten sums of losses."""
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
        row["this pair"] = pair_loss(noise, **known)
        row["certified"] = certified_loss(noise, **known, samples=FEWER[profile], seed=seed)
        rows.append(row)
    return pd.DataFrame(rows)
