"""Randomised-prefix softmax in the terms of `replicate.audit.blocks`: prefix law and worst pairs of tables."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from replicate import audit, mechanisms, validation
from replicate.learners import dyadic, protocol
from replicate.papers.prefix_softmax import algorithms, privacy
from replicate.papers.prefix_softmax.algorithms import selector
from replicate.streams import stream
from replicate.validation import FloatArray

__all__ = [
    "EPSILON",
    "LEARNERS",
    "SAMPLES",
    "audit_table",
    "block_privacy_loss",
    "certified_loss",
    "follow_the_leader",
    "neighbouring_pair",
    "pair_loss",
    "prefix_weights",
    "sampler",
    "sequence_law",
    "tables",
]


def prefix_weights(r: int) -> FloatArray:
    """Return the law of M_r: uniform on 2**(r-1) + 1, ..., 2**r; one for r = 0 (Section 4)."""
    lengths = np.arange(1, 2**r + 1)
    return np.asarray((lengths > 2**r // 2) / (2**r - 2**r // 2))


def block_privacy_loss(*, n_actions: int, eta: float, block: int) -> float:
    """Exact worst privacy loss of the selection that reads block `block` (of 2**block rounds).

    Parameters
    ----------
    n_actions
        K >= 2.
    eta
        Learning rate, positive.
    block
        r, 0 to 24.

    Returns
    -------
    The largest log ratio over all neighbouring blocks of losses in [0, 1] and all actions. Lemma 3: at most 2 eta.
    """
    weights = prefix_weights(validation.count("block", block, low=0, high=24))
    return audit.softmax_block_privacy_loss(
        n_actions=n_actions, scale=1 / validation.positive("eta", eta), weights=weights
    )


def neighbouring_pair(*, blocks: int, changed: int) -> tuple[FloatArray, FloatArray]:
    """Neighbouring tables of two actions whose losses in the first round of block `changed` are exchanged.

    Everywhere else action 0 loses and action 1 does not, so that action 0 becomes unlikely.

    Returns
    -------
    Two tables of shape (2**blocks - 1, 2), entries 0 and 1.
    """
    table = np.tile([1.0, 0.0], (2**blocks - 1, 1))
    other = table.copy()
    other[2**changed - 1] = [0.0, 1.0]
    return table, other


def sequence_law(table: FloatArray, *, eta: float, readers: int = 1) -> FloatArray:
    """Exact joint law of the actions A_1, ..., A_s that s whole blocks of losses determine.

    Losses have shape (2**s - 1, K), probabilities (K**s,). With 2 readers, see `audit.sequence_law`.
    """
    return audit.sequence_law(table, selector=selector(eta), weights=prefix_weights, readers=readers)


EPSILON = 0.25
"""The weakest privacy that the cap on the learning rate leaves to be used up."""


SAMPLES = {"quick": 300_000, "full": 2_000_000}
"""Runs on each table; a hundredth of them for the literal learner."""


def follow_the_leader(sums: NDArray[np.generic]) -> FloatArray:
    """Selector of the twin: the smallest sum, shape (..., K) -> (..., K), the first of equals."""
    return np.asarray(np.eye(sums.shape[-1])[sums.argmin(axis=-1)])


LEARNERS: dict[str, dyadic.Selector] = {
    "prefix softmax": algorithms.selector(algorithms.learning_rate(EPSILON)),
    "its non-private twin": follow_the_leader,
}


def tables() -> tuple[FloatArray, FloatArray]:
    """Return neighbouring tables of 8 rounds: all losses are 1/2 but for one action's in the first round of B_2.

    That round makes the leader, whatever the length of the prefix.
    """
    table = np.full((8, 2), 0.5)
    other = table.copy()
    table[3], other[3] = [1.0, 0.0], [0.0, 1.0]
    return table, other


def pair_loss(name: str) -> float:
    """Exact privacy loss of the whole sequence of actions on the pair of tables."""
    laws = (
        audit.sequence_law(table[:-1], selector=LEARNERS[name], weights=privacy.prefix_weights)
        for table in tables()
    )
    return float(audit.privacy_loss(*laws))


def sampler(name: str, table: FloatArray) -> audit.Sampler:
    """Return a sampler of the actions A_0, A_1, ... on a table, all runs at once."""

    def select(sums: FloatArray, rng: np.random.Generator) -> NDArray[np.int64]:
        return mechanisms.sample_pmf(LEARNERS[name](sums), rng=rng)

    return audit.dyadic_sampler(select, table, prefix=algorithms.random_prefix)


def _literal(name: str, rng: np.random.Generator) -> protocol.Learner:
    if name == "prefix softmax":
        return algorithms.PrefixSoftmax(2, epsilon=EPSILON, rng=rng)
    return dyadic.DyadicLearner(2, selector=LEARNERS[name], prefix=algorithms.random_prefix, rng=rng)


def certified_loss(name: str, *, profile: str, seed: int, literal: bool = False) -> float:
    """Lower limit of epsilon that samples of the whole sequence of actions on the pair of tables certify.

    With `literal`, a hundredth of the samples, from learners that read round by round.
    """
    rng = stream(seed, "prefix_softmax/audit", name, literal)
    if literal:
        runs = SAMPLES[profile] // 100
        laws = [audit.learner_sampler(lambda g: _literal(name, g), table) for table in tables()]
    else:
        runs, laws = SAMPLES[profile], [sampler(name, table) for table in tables()]
    return audit.certified_privacy_loss(*laws, samples=runs, rng=rng)


@cache
def audit_table(profile: str, seed: int) -> pd.DataFrame:
    """Both learners: declared epsilon, exact worst loss of any pair, exact loss of this one, what is certified."""
    rows = []
    for name in LEARNERS:
        private = name == "prefix softmax"
        rows.append(
            {
                "learner": name,
                "declared": EPSILON if private else np.inf,
                "any pair": 2 * algorithms.learning_rate(EPSILON) if private else np.inf,
                "this pair": pair_loss(name),
                "certified": certified_loss(name, profile=profile, seed=seed),
                "by literal runs": certified_loss(name, profile=profile, seed=seed, literal=True),
            }
        )
    return pd.DataFrame(rows)
