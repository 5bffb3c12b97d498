"""Privacy of randomised-prefix softmax: exact losses and distributions (`replicate.audit`), an audit by samples.

What ships is audited as it is: its distribution is read from the learner itself (`PrefixSoftmax.law`), and a
divisor of its noise multiplies the sums that the distribution is given. The level of the audit is epsilon = 1/4,
the weakest privacy that the cap on the learning rate leaves to be used up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from replicate import audit, mechanisms, validation
from replicate.learners import dyadic
from replicate.papers.prefix_softmax import algorithms
from replicate.profiles import with_more
from replicate.streams import stream
from replicate.validation import FloatArray, IntArray

EPSILON = 0.25
"""Declared privacy level of the audited learner."""

SAMPLES = with_more({"quick": 300_000, "full": 600_000})
"""Runs on each table."""


def prefix_weights(r: int) -> FloatArray:
    """Return the law of M_r, shape (2**r,): uniform on 2**(r-1) + 1, ..., 2**r; one for r = 0 (Section 4)."""
    # 2**r
    # 2 is 0 for r = 0: M_0 = 1
    lengths = np.arange(1, 2**r + 1)
    return np.asarray((lengths > 2**r // 2) / (2**r - 2**r // 2))


def block_privacy_loss(*, n_actions: int, eta: float, block: int) -> float:
    """Return the exact worst privacy loss of the selection that reads one block (Lemma 3: at most 2 eta).

    Parameters
    ----------
    n_actions
        Number of actions K >= 2.
    eta
        Learning rate, 1e-6 to 100.
    block
        r, 0 to 24: the block of 2**r rounds.

    Returns
    -------
    The largest log ratio over all neighbouring blocks of losses in [0, 1] and all actions.

    Examples
    --------
    >>> round(block_privacy_loss(n_actions=2, eta=0.125, block=0), 6)
    0.125
    >>> round(block_privacy_loss(n_actions=2, eta=0.125, block=12), 6)
    0.25
    """
    weights = prefix_weights(validation.count("block", block, low=0, high=24))
    rate = validation.real("eta", eta, low=1e-6, high=100)
    return audit.softmax_block_privacy_loss(n_actions=n_actions, scale=1 / rate, weights=weights)


def sequence_law(table: ArrayLike, *, eta: float, readers: int = 1) -> FloatArray:
    """Return the exact joint distribution of the actions A_1, ..., A_s that s whole blocks of losses determine.

    Parameters
    ----------
    table
        Losses in [0, 1], shape (..., 2**s - 1, K), K**s at most 2**24; further rounds are not read.
    eta
        Learning rate, positive.
    readers
        Selections that read a block: 1 for the learner, 2 for a mutant that reads the block before last as well.

    Returns
    -------
    Probabilities, shape (..., K**s), the last action running fastest.

    Examples
    --------
    >>> sequence_law([[0, 1], [0, 1], [1, 1]], eta=0.125).round(4)
    array([0.2822, 0.249 , 0.249 , 0.2198])
    """
    selector = algorithms.selector(validation.positive("eta", eta))
    return audit.sequence_law(table, selector=selector, weights=prefix_weights, readers=readers)


def shipped_law(n_actions: int, *, epsilon: float, noise_divisor: float = 1.0) -> dyadic.Selector:
    """Return the selector of the learner as it ships, its noise divided by `noise_divisor`."""
    learner = algorithms.PrefixSoftmax(n_actions, epsilon=epsilon, rng=np.random.default_rng(0))
    return lambda sums: learner.law(noise_divisor * sums)


def shipped_learning_rate(n_actions: int, *, epsilon: float, noise_divisor: float = 1.0) -> float:
    """Return the learning rate of what ships: the log odds of two actions whose sums differ by one."""
    law = shipped_law(n_actions, epsilon=epsilon, noise_divisor=noise_divisor)(np.arange(n_actions) > 0.5)
    # the weights differ by exp(-eta), Lemma 3
    return float(np.log(law[0] / law[1]))


def neighbouring_pair(*, blocks: int, changed: int) -> tuple[FloatArray, FloatArray]:
    """Neighbouring tables of two actions whose losses in the first round of block `changed` are exchanged.

    Everywhere else action 0 loses and action 1 does not, so that action 0 becomes unlikely.

    Returns
    -------
    Two tables of shape (2**blocks - 1, 2), entries 0 and 1.
    """
    table = np.tile([1.0, 0.0], (2**blocks - 1, 1))
    other = table.copy()
    other[2**changed - 1] = [0.0, 1.0]  # rounds count from 0: the first of B_r
    return table, other


def tables() -> tuple[FloatArray, FloatArray]:
    """Return neighbouring tables of 8 rounds: all losses are 1/2 but for one action's in the first round of B_2.

    That round decides who leads, whatever the length of the prefix.
    """
    table = np.full((8, 2), 0.5)
    other = table.copy()
    table[3], other[3] = [1.0, 0.0], [0.0, 1.0]
    return table, other


def sampler(table: FloatArray, *, noise_divisor: float = 1.0) -> audit.Sampler:
    """Return a sampler of the actions A_0, A_1, ... of prefix softmax on a table, all runs at once."""
    law = shipped_law(2, epsilon=EPSILON, noise_divisor=noise_divisor)

    def select(sums: FloatArray, rng: np.random.Generator) -> IntArray:
        return mechanisms.sample_pmf(law(sums), rng=rng)

    return audit.dyadic_sampler(select, table, prefix=algorithms.random_prefix)


def certified_loss(*, profile: str, seed: int, score: audit.Score = "fitted") -> float:
    """Return the lower limit of epsilon that sampled sequences of actions on the pair of tables certify."""
    rng = stream(seed, "prefix_softmax/audit", "prefix softmax", False)
    laws = (sampler(table) for table in tables())
    return audit.certified_privacy_loss(*laws, samples=SAMPLES[profile], rng=rng, score=score)
