"""Privacy of randomised-prefix softmax: exact losses and laws in the terms of `replicate.audit`, sampled audits.

The audited pair of learners: prefix softmax at epsilon = 1/4, the weakest privacy that the cap on the learning
rate leaves to be used up, and a non-private twin that follows the leader of the same random prefixes.

What ships is audited as it is: its law is read from the learner itself (`PrefixSoftmax.law`), and a divisor of its
noise multiplies the sums that the law is given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replicate import audit, mechanisms, validation
from replicate.budget import cache
from replicate.learners import dyadic, protocol
from replicate.papers.prefix_softmax import algorithms, bounds
from replicate.profiles import with_more
from replicate.streams import stream
from replicate.validation import FloatArray, IntArray

EPSILON = 0.25
"""Declared privacy level of the audited learner."""

SAMPLES = with_more({"quick": 300_000, "full": 600_000})
"""Runs on each table."""
_LITERAL = with_more({"quick": 1000, "full": 6000})
"""Runs of the literal learner on each table of the pair that is audited."""
_TRAILING = with_more({"quick": 600, "full": 2000})
"""Runs of the literal learner on each of the trailing tables."""


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
    """Return the exact joint law of the actions A_1, ..., A_s that s whole blocks of losses determine.

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


@dataclass(frozen=True, kw_only=True)
class Audited:
    """A learner that reads random prefixes, as an audit by samples sees it.

    Attributes
    ----------
    selector
        Summed losses to the law of the next action.
    build
        Makes the literal learner of two actions.
    declared, any_pair
        Declared epsilon; exact worst privacy loss over all pairs of tables. Infinite without privacy.
    """

    selector: dyadic.Selector
    build: Callable[[np.random.Generator], protocol.Learner]
    declared: float = np.inf
    any_pair: float = np.inf


def follow_the_leader(sums: NDArray[np.generic]) -> FloatArray:
    """Select the smallest sum, shape (..., K) -> (..., K), the first of equals."""
    return np.asarray(np.eye(sums.shape[-1])[sums.argmin(axis=-1)])


def _one_by_one(law: dyadic.Selector) -> Callable[[np.random.Generator], protocol.Learner]:
    """Return a builder of literal learners of two actions that read random prefixes."""
    return lambda rng: dyadic.DyadicLearner(2, selector=law, prefix=algorithms.random_prefix, rng=rng)


AUDITED: Mapping[str, Audited] = {
    "prefix softmax": Audited(
        selector=algorithms.selector(algorithms.learning_rate(EPSILON)),
        build=lambda rng: algorithms.PrefixSoftmax(2, epsilon=EPSILON, rng=rng),
        declared=EPSILON,
        any_pair=bounds.proposition_1(epsilon=EPSILON),
    ),
    "its non-private twin": Audited(selector=follow_the_leader, build=_one_by_one(follow_the_leader)),
}


def _all_at_once(law: dyadic.Selector, table: FloatArray) -> audit.Sampler:
    """Return a sampler of the actions A_0, A_1, ... on a table under a law of the next action."""

    def select(sums: FloatArray, rng: np.random.Generator) -> IntArray:
        return mechanisms.sample_pmf(law(sums), rng=rng)

    return audit.dyadic_sampler(select, table, prefix=algorithms.random_prefix)


def tables() -> tuple[FloatArray, FloatArray]:
    """Return neighbouring tables of 8 rounds: all losses are 1/2 but for one action's in the first round of B_2.

    That round decides who leads, whatever the length of the prefix.
    """
    table = np.full((8, 2), 0.5)
    other = table.copy()
    table[3], other[3] = [1.0, 0.0], [0.0, 1.0]
    return table, other


def pair_loss(learner: str) -> float:
    """Return the exact privacy loss of the whole sequence of actions on the pair of tables."""
    laws = (
        audit.sequence_law(table[:-1], selector=AUDITED[learner].selector, weights=prefix_weights)
        for table in tables()
    )
    return float(audit.privacy_loss(*laws))


def trailing_tables() -> tuple[FloatArray, FloatArray]:
    """Return neighbouring tables of 32 rounds, in which action 0 trails by 8 to 15 when the last action is drawn.

    They differ in the first of the 16 rounds of B_4. The exact loss of prefix softmax is four fifths of epsilon.
    """
    table, other = (np.vstack([half, [0.5, 0.5]]) for half in neighbouring_pair(blocks=5, changed=4))
    return table, other


@cache
def drawn_actions(profile: str, seed: int, *, noise_divisor: float, literal: bool) -> tuple[IntArray, IntArray]:
    """Draw the actions of blocks 1 to 5 on the trailing tables: two arrays of numbers below 32, a bit an action.

    The noise of prefix softmax is divided by `noise_divisor`. The runs are drawn all at once, or with `literal`
    fewer of them one by one.
    """
    law = shipped_law(2, epsilon=EPSILON, noise_divisor=noise_divisor)
    rng = stream(seed, "prefix_softmax/drawn actions", noise_divisor, literal)

    def actions(table: FloatArray) -> IntArray:
        if literal:
            runs = np.asarray(audit.learner_sampler(_one_by_one(law), table)(_TRAILING[profile], rng))
            return runs[:, dyadic.blocks(len(table))[0]]  # one action a block, as its first round shows it
        return np.asarray(_all_at_once(law, table)(SAMPLES[profile], rng))

    # A_0 is drawn before any loss is seen: it tells nothing
    one, other = (actions(table)[:, 1:] @ 2 ** np.arange(5)[::-1] for table in trailing_tables())
    return one, other


def trailing_laws(noise_divisor: float = 1.0) -> tuple[FloatArray, FloatArray]:
    """Return the exact laws of what `drawn_actions` draws, with eta = epsilon / 2: two arrays of shape (32,)."""
    # half the noise is twice the learning rate
    one, other = (sequence_law(table[:-1], eta=noise_divisor * EPSILON / 2) for table in trailing_tables())
    return one, other


def sampler(learner: str, table: FloatArray) -> audit.Sampler:
    """Return a sampler of the actions A_0, A_1, ... of an audited learner on a table, all runs at once."""
    return _all_at_once(AUDITED[learner].selector, table)


def certified_loss(
    learner: str, *, profile: str, seed: int, literal: bool = False, score: audit.Score = "fitted"
) -> float:
    """Return the lower limit of epsilon that sampled sequences of actions on the pair of tables certify.

    With `literal`, from fewer samples, drawn by learners that read round by round; a score fitted to so few finds
    no rare event, and outcomes are counted instead.
    """
    rng = stream(seed, "prefix_softmax/audit", learner, literal)
    if literal:
        runs, laws = _LITERAL[profile], [audit.learner_sampler(AUDITED[learner].build, t) for t in tables()]
        score = None
    else:
        runs, laws = SAMPLES[profile], [sampler(learner, t) for t in tables()]
    return audit.certified_privacy_loss(*laws, samples=runs, rng=rng, score=score)
