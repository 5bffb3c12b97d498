"""Audit of the learners on a pair of neighbouring tables: exact privacy loss, and what samples of actions certify.

Two actions, eight rounds, losses (0.9, 0.1) but for the first round of the third epoch, (1, 0) or (0, 1): action 0
trails by about 3.4 or 1.4 when J_3 is selected. The worst pairs have longer epochs and rarer events.
"""

from __future__ import annotations

from itertools import product

import numpy as np

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
"""Runs on each table where the certified loss is far from what it is held against."""
LITERAL = with_more({"quick": 3000, "full": 12_000})
"""Runs of the literal learner on each table."""


def _pair() -> Pair:
    table = np.tile([0.9, 0.1], (8, 1))
    other = table.copy()
    table[3], other[3] = [1.0, 0.0], [0.0, 1.0]  # round 4, the first of epoch 3
    return table, other


PAIR = _pair()
COUNTEREXAMPLE: Pair = (
    np.array([[0.0, 0], [1, 0], [0, 1], [0, 0]]),
    np.array([[0.0, 0], [1, 0], [1, 0], [0, 0]]),
)
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
    """Joint law of J_1, ..., J_s, selected from s complete epochs: losses (2**s - 1, K) -> (K**s,)."""
    if not resample:
        return audit.sequence_law(
            table, selector=lambda sums: mechanisms.report_noisy_max_pmf(-sums, noise=noise, scale=scale)
        )
    joint = np.ones(1)
    for r in range((len(table) + 1).bit_length() - 1):
        # no epoch shares a loss or a noise with another: the joint law is a product
        law = resampled_law(table[2**r - 1 : 2 ** (r + 1) - 1], noise=noise, scale=scale)
        joint = np.multiply.outer(joint, law).ravel()
    return joint


def pair_loss(noise: str, *, scale: float, resample: bool, pair: Pair = PAIR) -> float:
    """Exact privacy loss of the whole sequence of actions on a pair of tables, whose last rows select nothing."""
    laws = (sequence_law(table[:-1], noise=noise, scale=scale, resample=resample) for table in pair)
    return float(audit.privacy_loss(*laws))
