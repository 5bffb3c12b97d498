"""The actions of a learner on a fixed table of losses, as samples for `certified_privacy_loss`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from replicate import validation
from replicate.audit.outputs import Sampler
from replicate.learners import dyadic, protocol
from replicate.validation import FloatArray, Generator, IntArray

Selection = Callable[[FloatArray, Generator], IntArray]
"""(summed losses (n, K), rng) to one selected action each, shape (n,)."""


def learner_sampler(make_learner: Callable[[Generator], protocol.Learner], losses: ArrayLike) -> Sampler:
    """Return a sampler of the actions that a literal learner plays on a table, one run after the other.

    Parameters
    ----------
    make_learner
        rng to a new learner.
    losses
        Shape (T, K), entries in [0, 1]. The last row never reaches an action.

    Returns
    -------
    (n, rng) to actions, shape (n, T).
    """
    table = validation.unit_array("losses", losses, ndim=2)
    validation.function("make_learner", make_learner)

    def draw(n: int, rng: Generator) -> IntArray:
        actions = np.empty((n, len(table)), dtype=np.int64)
        for run in actions:
            learner = protocol.checked_learner(make_learner(rng))
            if learner.n_actions != table.shape[1]:
                raise ValueError(f"losses must have {learner.n_actions} columns, got {table.shape[1]}")
            run[:] = protocol.actions_of(learner, table)
        return actions

    return draw


def dyadic_sampler(
    select: Selection, losses: ArrayLike, *, prefix: dyadic.PrefixLaw = dyadic.whole_block, resample: bool = False
) -> Sampler:
    """Return a sampler of the actions that a dyadic learner plays on a table, all runs at once.

    Parameters
    ----------
    select
        The learner's selection.
    losses
        Shape (T, K), entries in [0, 1].
    prefix
        The learner's prefix distribution.
    resample
        Whether every loss is replaced by a Bernoulli bit with its mean before it is summed.

    Returns
    -------
    (n, rng) to the action of every block, shape (n, floor(log2 T) + 1): what `learner_sampler` gives at the first
    rounds of the blocks.
    """
    table = validation.unit_array("losses", losses, ndim=2)
    validation.function("select", select)
    validation.function("prefix", prefix)
    validation.flag("resample", resample)
    starts, stops = dyadic.blocks(len(table))

    def draw(n: int, rng: Generator) -> IntArray:
        actions = [rng.integers(table.shape[1], size=n)]
        for r, (start, stop) in enumerate(zip(starts[:-1], stops[:-1], strict=True)):
            block, read = table[start:stop], prefix(r, n, rng)
            sums = _resampled_sums(block, read, rng) if resample else np.cumsum(block, axis=0)[read - 1]
            actions.append(select(sums, rng))
        return np.stack(actions, axis=1)

    return draw


def _resampled_sums(block: FloatArray, read: IntArray, rng: Generator) -> FloatArray:
    """Sums over prefixes of Bernoulli bits whose means are the losses: (m, K) and (n,) -> (n, K)."""
    sums = np.zeros((len(read), block.shape[1]))
    for t, row in enumerate(block):
        # all bits are drawn, read or not: the draws do not depend on what is read
        sums += (rng.random(sums.shape) < row) & (t < read)[:, None]
    return sums
