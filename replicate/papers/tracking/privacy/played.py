"""Exact laws of the played sequence of the meta-experts, by enumeration: T and N tiny."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from replicate.papers.tracking.algorithms import switching
from replicate.papers.tracking.algorithms.dartboard import Dartboard
from replicate.papers.tracking.algorithms.lazy import Lazy
from replicate.validation import FloatArray


def literal_law(
    losses: ArrayLike, *, n_switches: int, dartboard: Dartboard, released: str = "experts"
) -> FloatArray:
    """Return the exact law of the experts, or the sequences, that the literal construction releases.

    Parameters
    ----------
    losses
        Shape (T, N), T and N tiny.
    n_switches, dartboard
        As for `MetaExperts`.
    released
        The ``"experts"`` played, or the ``"sequences"`` held.

    Returns
    -------
    Probabilities of what is released in T rounds, one axis a round: shape (N, ..., N) for the experts.
    """
    table = np.asarray(losses, dtype=np.float64)
    horizon, n = table.shape
    sequences = switching.enumerate_sequences(horizon, n, n_switches)
    size, draws = len(sequences), dartboard.draws(horizon)
    shown = sequences if released == "experts" else np.tile(np.arange(size)[:, None], horizon)
    values = n if released == "experts" else size
    weights = np.ones(size)
    # joint[released so far, redraws so far, held sequence]
    joint = np.zeros((values, draws, size))
    joint[shown[:, 0], 0, np.arange(size)] = 1 / size
    batch_loss = np.zeros(size)
    for t in range(horizon - 1):
        loss = table[t, sequences[:, t]]
        weights, batch_loss = weights * dartboard.factors(loss), batch_loss + loss
        if (t + 1) % dartboard.batch == 0:
            kept = (1 - dartboard.redraw) * dartboard.factors(batch_loss)
            joint = _keep_or_redraw(joint, kept, weights / weights.sum())
            batch_loss = np.zeros(size)
        grown = np.zeros((len(joint), values, *joint.shape[1:]))
        for j in range(values):
            grown[:, j, :, shown[:, t + 1] == j] = np.moveaxis(joint[..., shown[:, t + 1] == j], -1, 0)
        joint = grown.reshape(-1, *joint.shape[1:])
    return np.asarray(joint.sum(axis=(1, 2)).reshape((values,) * horizon))


def efficient_law(losses: ArrayLike, *, n_switches: int, dartboard: Dartboard) -> FloatArray:
    """Return the exact law of the experts that `MetaExperts` plays, by a forward recursion over its states.

    A state is (experts played so far, redraws so far, switches used, expert held). In each round its probability
    moves as the learner does: the held sequence goes on by the Markov chain of `switching`; at the end of a batch
    it stays with probability (1 - p) (1 - eta)^(loss / B) only, and otherwise a state is drawn from the filter,
    unless all redraws are used. The loss of the batch is no part of the state: the experts played determine it.
    Parameters and result are those of `literal_law`.
    """
    table = np.asarray(losses, dtype=np.float64)
    horizon, n = table.shape
    draws, rows = dartboard.draws(horizon), n_switches + 1
    filter_, work = switching.start(n_switches, n, horizon)
    # joint[played so far, redraws so far, switches used, expert held]
    joint = np.zeros((n, draws, rows, n))
    joint[np.arange(n), 0, 0, np.arange(n)] = 1 / n
    batch_loss = np.zeros(n)
    for t in range(horizon - 1):
        batch_loss = batch_loss + np.tile(table[t], len(joint) // n)
        switching.switch_probabilities(horizon - 1 - t, n, work)
        switching.advance(filter_, dartboard.factors(table[t]), work)
        moved = _reveal(joint, work[switching.MOVES])
        if (t + 1) % dartboard.batch == 0:
            kept = (1 - dartboard.redraw) * dartboard.factors(batch_loss)
            leaving = joint[:, :-1].sum(axis=(2, 3)) * (1 - kept)[:, None]  # the last count of redraws stays
            moved[:, :-1] *= kept[:, None, None, None]
            moved[:, 1:] += leaving[..., None, None] * switching.law(filter_, work)
            batch_loss = np.zeros(len(joint))
        grown = np.zeros((len(joint), n, draws, rows, n))
        for j in range(n):
            grown[:, j, ..., j] = moved[..., j]
        joint, batch_loss = grown.reshape(-1, draws, rows, n), np.repeat(batch_loss, n)
    return joint.sum(axis=(1, 2, 3)).reshape((n,) * horizon)


def literal_lazy_law(losses: ArrayLike, *, n_switches: int, lazy: Lazy) -> FloatArray:
    """Exact law of the played sequence, on the list of all distinct sequences: T and N tiny.

    Parameters
    ----------
    losses
        Shape (T, N).
    n_switches, lazy
        As for `run_lazy`.

    Returns
    -------
    Probabilities of the N**T played sequences, shape (N**T,), the first round's expert leading.
    """
    table = np.asarray(losses, dtype=np.float64)
    horizon, n = table.shape
    sequences = switching.enumerate_sequences(horizon, n, n_switches)
    size = len(sequences)
    weights, batch_loss = np.full(size, 1 / size), np.zeros(size)
    # joint[played so far, x, y]
    joint = np.zeros((n, size, size))
    joint[sequences[:, 0], np.arange(size)] = 1 / size**2
    for t in range(horizon - 1):
        batch_loss += table[t, sequences[:, t]]
        if (t + 1) % lazy.batch == 0:
            weights = weights * np.exp(-lazy.learning_rate * batch_loss)
            weights /= weights.sum()
            gap = 2 * lazy.batch + batch_loss[:, None] - batch_loss
            kept = (1 - lazy.redraw) * np.exp(-lazy.learning_rate * gap)
            leaving = (joint * (1 - kept)).sum(axis=1)
            joint = joint * kept + weights[:, None] * leaving[:, None, :]
            drawn = joint.sum(axis=2, keepdims=True) * weights
            joint = (1 - lazy.redraw) * joint + lazy.redraw * drawn
            batch_loss = np.zeros(size)
        grown = np.zeros((len(joint), n, size, size))
        for j in range(n):
            mine = sequences[:, t + 1] == j
            grown[:, j, mine] = joint[:, mine]
        joint = grown.reshape(-1, size, size)
    return np.asarray(joint.sum(axis=(1, 2)))


def _keep_or_redraw(joint: FloatArray, kept: FloatArray, fresh: FloatArray) -> FloatArray:
    """Keep the held sequence or draw another, for (played, redraws, held); after the last redraw it stays."""
    after = joint.copy()
    after[:, :-1] *= kept
    leaving = (joint[:, :-1] * (1 - kept)).sum(axis=2)
    after[:, 1:] += leaving[..., None] * fresh
    return after


def _reveal(joint: FloatArray, moves: FloatArray) -> FloatArray:
    """Reveal one more round of a held sequence: shape (..., S + 1, N)."""
    n = joint.shape[-1]
    move = moves[::-1]
    after = joint * (1 - move)[:, None]
    spread = joint.sum(axis=-1, keepdims=True) - joint
    after[..., 1:, :] += spread[..., :-1, :] * (move[:-1] / (n - 1))[:, None]
    return after
