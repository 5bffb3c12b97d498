"""Section 4: a static private learner over all sequences with at most S switches, in O(N S) a round.

The base learner is Private Shrinking Dartboard (Asi, Feldman, Koren & Talwar 2023), plain or batched: it
holds a meta-expert, keeps it with probability (1 - p) w_t(x) / w_{t-1}(x), and otherwise draws a new one
from the multiplicative weights w_t, at most about 4 T p times. Nothing but three things is ever asked of
the meta-experts: the weights' law (the filter of `switching`), the loss of the held one over the last
batch, and its next expert. So a held sequence is revealed one round at a time, and the played experts
have the same law as with the literal list of sequences.

Symbols: T = horizon, N = n_experts, S = n_switches, eta = learning_rate, p = redraw, B = batch.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from replicate import validation
from replicate.learners.baselines import loss_row
from replicate.papers.tracking.algorithms import switching
from replicate.papers.tracking.algorithms.dartboard import Dartboard, stated_privacy
from replicate.validation import FloatArray

__all__ = ["LiteralMetaExperts", "MetaExperts", "efficient_law", "literal_law", "run_dartboard"]


class MetaExperts:
    """The reduction of Section 4, without the list of meta-experts: ``act()``, then ``observe(losses)``.

    Parameters
    ----------
    n_actions
        Number of experts N >= 2.
    n_switches
        S >= 0.
    horizon
        Number of rounds T; the learner must know it, and plays no further.
    dartboard
        The base learner's parameters, for instance from `dartboard.tune_dartboard`.
    delta
        At which `privacy` states epsilon.
    rng
        Source of randomness.
    """

    feedback = "full"

    def __init__(
        self,
        n_actions: int,
        *,
        n_switches: int,
        horizon: int,
        dartboard: Dartboard,
        delta: float = 1e-6,
        rng: np.random.Generator,
    ) -> None:
        self.n_actions = validation.count("n_actions", n_actions, low=2)
        self.privacy = stated_privacy(dartboard, horizon=horizon, delta=delta)
        self.horizon = validation.count("horizon", horizon)
        self._dartboard, self._rng = dartboard, validation.generator(rng)
        self._state = switching.start(
            validation.count("n_switches", n_switches, low=0), self.n_actions, self.horizon
        )
        self._sums = np.zeros(len(self._state[0]))
        self._held = np.zeros(3, dtype=np.int64)
        self._held[1] = self._rng.integers(self.n_actions)
        self._round, self._batch_loss = 0, 0.0

    @property
    def weights(self) -> FloatArray:
        """Law of (switches used, expert of this round) under the weights, shape (S + 1, N)."""
        filter_ = self._state[0]
        return np.asarray(filter_ / filter_.sum())

    def act(self) -> int:
        """Return the held sequence's expert of this round."""
        return int(self._held[1])

    def observe(self, losses: Any) -> None:
        """See this round's losses, shape (N,): move the weights on, keep or redraw, reveal the next expert."""
        row = loss_row(losses, self.n_actions)
        if self._round == self.horizon:
            raise ValueError(f"losses must end with round {self.horizon}, the horizon")
        d = self._dartboard
        self._round += 1
        self._batch_loss = _step(
            *self._state, self._sums, self._held, d.factors(row), row[self._held[1]], self._batch_loss,
            self.horizon - self._round, self._round, d.batch, d.redraw, math.log1p(-d.learning_rate),
            d.draws(self.horizon), self._rng,
        )  # fmt: skip


@njit(cache=True, nogil=True)
def _step(  # type: ignore[no-untyped-def]
    filter_, tails, moves, sums, held, factor, loss, batch_loss, to_come, seen, batch, redraw, log_keep, draws, rng
):
    """After a round: held = (switches used, expert, redraws); returns the loss of the batch so far."""
    if to_come == 0:
        return 0.0
    n = filter_.shape[1]
    switching.switch_probabilities(to_come, n, tails, moves)
    switching.advance(filter_, factor, moves, sums)
    if seen % 16 == 0:
        switching.normalise(filter_)
    batch_loss += loss
    if seen % batch == 0:
        kept = (1.0 - redraw) * math.exp(log_keep * batch_loss / batch)
        batch_loss = 0.0
        if rng.random() >= kept and held[2] + 1 < draws:
            held[0], held[1] = switching.draw(filter_, rng)
            held[2] += 1
            return batch_loss
    if rng.random() < moves[len(moves) - 1 - held[0]]:
        held[0] += 1
        other = rng.integers(0, n - 1)
        held[1] = other + (other >= held[1])
    return batch_loss


@njit(cache=True, nogil=True)
def _run(table, n_switches, batch, redraw, log_keep, draws, rng):  # type: ignore[no-untyped-def]
    """Play a whole table: the actions, and the number of redraws."""
    n_rounds, n = table.shape
    filter_, tails, moves = switching.start(n_switches, n, n_rounds)
    sums, factor = np.zeros(n_switches + 1), np.empty(n)
    held = np.zeros(3, dtype=np.int64)
    held[1] = rng.integers(0, n)
    full = math.exp(log_keep / batch)
    actions = np.empty(n_rounds, dtype=np.int32)
    batch_loss = 0.0
    for t in range(n_rounds):
        actions[t] = held[1]
        for j in range(n):
            x = table[t, j]
            factor[j] = 1.0 if x == 0.0 else (full if x == 1.0 else math.exp(log_keep / batch * x))
        batch_loss = _step(
            filter_, tails, moves, sums, held, factor, table[t, held[1]], batch_loss,
            n_rounds - 1 - t, t + 1, batch, redraw, log_keep, draws, rng,
        )  # fmt: skip
    return actions, held[2]


def run_dartboard(
    losses: FloatArray, *, n_switches: int, dartboard: Dartboard, rng: np.random.Generator
) -> tuple[NDArray[np.int32], int]:
    """Play one table, shape (T, N): the experts played, shape (T,), and the number of redraws."""
    log_keep = math.log1p(-dartboard.learning_rate)
    actions, redraws = _run(
        losses, n_switches, dartboard.batch, dartboard.redraw, log_keep, dartboard.draws(len(losses)), rng
    )
    return actions, int(redraws)


class LiteralMetaExperts:
    """The construction as printed: Private Shrinking Dartboard on the list of all distinct sequences.

    Exponential in T; the parameters are those of `MetaExperts`.
    """

    feedback = "full"

    def __init__(
        self,
        n_actions: int,
        *,
        n_switches: int,
        horizon: int,
        dartboard: Dartboard,
        delta: float = 1e-6,
        rng: np.random.Generator,
    ) -> None:
        self.n_actions = validation.count("n_actions", n_actions, low=2)
        self.privacy = stated_privacy(dartboard, horizon=horizon, delta=delta)
        self.sequences = switching.enumerate_sequences(horizon, n_actions, n_switches)
        self._dartboard, self._rng = dartboard, validation.generator(rng)
        self._draws, self._round, self._redraws, self._batch_loss = dartboard.draws(horizon), 0, 0, 0.0
        self._weights = np.ones(len(self.sequences))
        self._held = int(self._rng.integers(len(self.sequences)))

    def act(self) -> int:
        """Return the held sequence's expert of this round."""
        return int(self.sequences[self._held, self._round])

    def observe(self, losses: Any) -> None:
        """Multiply every sequence's weight; at the end of a batch, keep the held one or draw another."""
        row = loss_row(losses, self.n_actions)[self.sequences[:, self._round]]
        self._weights = self._weights * self._dartboard.factors(row)
        self._batch_loss += float(row[self._held])
        self._round += 1
        if self._round % self._dartboard.batch or self._round == self.sequences.shape[1]:
            return
        kept = (1 - self._dartboard.redraw) * self._dartboard.factors(np.array(self._batch_loss))
        self._batch_loss = 0.0
        if self._rng.random() >= kept and self._redraws + 1 < self._draws:
            self._held = int(self._rng.choice(len(self._weights), p=self._weights / self._weights.sum()))
            self._redraws += 1


def literal_law(losses: ArrayLike, *, n_switches: int, dartboard: Dartboard) -> FloatArray:
    """Exact law of the played sequence under the literal construction, by enumeration.

    Parameters
    ----------
    losses
        Shape (T, N), T and N tiny.
    n_switches, dartboard
        As for `MetaExperts`.

    Returns
    -------
    Probabilities of the N**T played sequences, shape (N, ..., N), one axis a round.
    """
    table = validation.unit_array("losses", losses, ndim=2)
    horizon, n = table.shape
    sequences = switching.enumerate_sequences(horizon, n, n_switches)
    draws = dartboard.draws(horizon)
    weights = np.ones(len(sequences))
    # joint[played so far, redraws so far, held sequence]
    joint = np.zeros((n, draws, len(sequences)))
    joint[sequences[:, 0], 0, np.arange(len(sequences))] = 1 / len(sequences)
    batch_loss = np.zeros(len(sequences))
    for t in range(horizon - 1):
        loss = table[t, sequences[:, t]]
        weights, batch_loss = weights * dartboard.factors(loss), batch_loss + loss
        if (t + 1) % dartboard.batch == 0:
            kept = (1 - dartboard.redraw) * dartboard.factors(batch_loss)
            joint = _keep_or_redraw(joint, kept, weights / weights.sum())
            batch_loss = np.zeros(len(sequences))
        grown = np.zeros((len(joint), n, *joint.shape[1:]))
        for j in range(n):
            grown[:, j, :, sequences[:, t + 1] == j] = np.moveaxis(joint[..., sequences[:, t + 1] == j], -1, 0)
        joint = grown.reshape(-1, *joint.shape[1:])
    return joint.sum(axis=(1, 2)).reshape((n,) * horizon)


def efficient_law(losses: ArrayLike, *, n_switches: int, dartboard: Dartboard) -> FloatArray:
    """Exact law of the played sequence of `MetaExperts`: the same steps, every random choice enumerated.

    Parameters and result as for `literal_law`. The loss of a batch depends on what was played in it, so
    it is a function of the played prefix.
    """
    table = validation.unit_array("losses", losses, ndim=2)
    horizon, n = table.shape
    draws, rows = dartboard.draws(horizon), n_switches + 1
    filter_, tails, moves = switching.start(n_switches, n, horizon)
    # joint[played so far, redraws so far, switches used, expert held]
    joint = np.zeros((n, draws, rows, n))
    joint[np.arange(n), 0, 0, np.arange(n)] = 1 / n
    batch_loss = np.zeros(n)
    for t in range(horizon - 1):
        batch_loss = batch_loss + np.tile(table[t], len(joint) // n)
        switching.switch_probabilities(horizon - 1 - t, n, tails, moves)
        switching.advance(filter_, dartboard.factors(table[t]), moves, np.zeros(rows))
        moved = _reveal(joint, moves)
        if (t + 1) % dartboard.batch == 0:
            kept = (1 - dartboard.redraw) * dartboard.factors(batch_loss)
            leaving = joint[:, :-1].sum(axis=(2, 3)) * (1 - kept)[:, None]
            moved[:, :-1] *= kept[:, None, None, None]
            moved[:, 1:] += leaving[..., None, None] * filter_ / filter_.sum()
            batch_loss = np.zeros(len(joint))
        grown = np.zeros((len(joint), n, draws, rows, n))
        for j in range(n):
            grown[:, j, ..., j] = moved[..., j]
        joint, batch_loss = grown.reshape(-1, draws, rows, n), np.repeat(batch_loss, n)
    return joint.sum(axis=(1, 2, 3)).reshape((n,) * horizon)


def _keep_or_redraw(joint: FloatArray, kept: FloatArray, fresh: FloatArray) -> FloatArray:
    """One accept-or-redraw step for (played, redraws, held): the last redraw count is kept for ever."""
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
