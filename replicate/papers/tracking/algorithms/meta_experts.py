"""Section 4: a static private learner over all sequences with at most S switches, in O(N S) a round.

The base learner is Private Shrinking Dartboard (Asi, Feldman, Koren & Talwar 2023), plain or batched: it
holds a meta-expert, keeps it with probability (1 - p) w_t(x) / w_{t-1}(x), and otherwise draws a new one
from the multiplicative weights w_t, at most about 4 T p times. Nothing but three things is ever asked of
the meta-experts: the weights' law (the filter of `switching`), the loss of the held one over the last
batch, and its next expert. So a held sequence is revealed one round at a time, and the played experts
have the same law as with the literal list of sequences.

Symbols: T = horizon, N = n_actions, S = n_switches, eta = learning_rate, p = redraw, B = batch.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from replicate import validation
from replicate.compiled import compiled
from replicate.learners.protocol import loss_row
from replicate.papers.tracking.algorithms import switching
from replicate.papers.tracking.algorithms.dartboard import MAX_HORIZON, Dartboard, checked, stated_privacy
from replicate.validation import FloatArray

HELD = np.dtype([("used", np.int64), ("expert", np.int64), ("redraws", np.int64), ("batch_loss", np.float64)])
"""The held sequence: switches used, expert of this round, redraws so far, its loss in this batch so far."""


class Rule(NamedTuple):
    """Numbers of a `Dartboard` that the compiled loop needs; `log_keep` is log(1 - eta)."""

    horizon: int
    batch: int
    redraw: float
    log_keep: float
    draws: int


def rule_of(dartboard: Dartboard, horizon: int) -> Rule:
    """Return the rule of a dartboard that plays `horizon` rounds."""
    log_keep = math.log1p(-dartboard.learning_rate)
    return Rule(horizon, int(dartboard.batch), float(dartboard.redraw), log_keep, dartboard.draws(horizon))


class MetaExperts:
    """The reduction of Section 4, without the list of meta-experts: ``act()``, then ``observe(losses)``.

    Parameters
    ----------
    n_actions
        Number of experts N, 2 to 1e6.
    n_switches
        S, 0 to 1000.
    horizon
        Number of rounds T, 1 to 1e18; the learner must know it, and plays no further.
    dartboard
        The base learner's parameters, for instance from `tune_dartboard`.
    delta
        At which `privacy` states epsilon, in [0, 1); 0 is pure privacy (B = 1 only).
    rng
        Source of randomness.

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> log_d = switching.log_count_sequences(100, 2, 1)
    >>> board = Dartboard(learning_rate=0.3, redraw=0.1)
    >>> rng = np.random.default_rng(1)
    >>> learner = MetaExperts(2, n_switches=1, horizon=100, dartboard=board, rng=rng)
    >>> for _ in range(50):
    ...     learner.observe([0.0, 1.0])
    >>> int(learner.weights.sum(axis=0).argmax())
    0
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
        self.n_actions = validation.count("n_actions", n_actions, low=2, high=10**6)
        self.horizon = validation.count("horizon", horizon, high=MAX_HORIZON)
        switches = validation.count("n_switches", n_switches, low=0, high=1000)
        delta = validation.real("delta", delta, low=0, high=1 - 1e-9)
        self.privacy = stated_privacy(checked(dartboard), horizon=self.horizon, delta=delta)
        self._dartboard, self._rng = dartboard, validation.generator(rng)
        self._rule = rule_of(dartboard, self.horizon)
        self._filter, self._work = switching.start(switches, self.n_actions, self.horizon)
        self._held, self._round = np.zeros(1, HELD), 0
        self._held["expert"] = self._rng.integers(self.n_actions)

    @property
    def weights(self) -> FloatArray:
        """Law of (switches used, expert of this round) under the weights, shape (S + 1, N)."""
        return np.asarray(switching.law(self._filter, self._work))

    def act(self) -> int:
        """Return the held sequence's expert of this round."""
        return int(self._held["expert"][0])

    def observe(self, losses: Any) -> None:
        """See this round's losses, shape (N,): move the weights on, keep or redraw, reveal the next expert."""
        row = loss_row(losses, self.n_actions)
        if self._round == self.horizon:
            raise ValueError(f"losses must end with round {self.horizon}, the horizon")
        self._round += 1
        factors, loss = self._dartboard.factors(row), row[self.act()]
        _step(self._filter, self._work, self._held, self._rule, factors, loss, self._round, self._rng)


@compiled(inline="always")
def _step(
    filter_: FloatArray,
    work: FloatArray,
    held: NDArray[Any],
    rule: Rule,
    factor: FloatArray,
    loss: float,
    t: int,
    rng: np.random.Generator,
) -> None:
    """After round t, counted from 1: reweight, keep or redraw the held sequence, reveal its next expert."""
    # there is no next round to reveal
    if t == rule.horizon:
        return
    switching.step(filter_, work, factor, t, rule.horizon)
    x = held[0]
    x["batch_loss"] += loss
    if t % rule.batch == 0:
        # (1 - p) w_t(x) / w_{t-1}(x); a weight falls by (1 - eta)^(loss / B)
        kept = (1.0 - rule.redraw) * math.exp(rule.log_keep * x["batch_loss"] / rule.batch)
        x["batch_loss"] = 0.0
        if rng.random() >= kept and x["redraws"] + 1 < rule.draws:
            x["used"], x["expert"] = switching.draw(filter_, work, rng)
            x["redraws"] += 1
            return
    # what is revealed one round at a time has the law of a sequence drawn at once
    x["used"], x["expert"] = switching.reveal(x["used"], x["expert"], filter_.shape[2], work, rng)


@compiled()
def play(
    table: FloatArray, n_switches: int, rule: Rule, rng: np.random.Generator
) -> tuple[NDArray[np.int32], int]:
    """Play a whole table, shape (T, N): the actions, shape (T,), and the number of redraws."""
    n_rounds, n = table.shape
    filter_, work = switching.start(n_switches, n, n_rounds)
    held, factor = np.zeros(1, HELD), np.empty(n)
    held[0]["expert"] = rng.integers(0, n)
    full = math.exp(rule.log_keep / rule.batch)
    actions = np.empty(n_rounds, dtype=np.int32)
    for t in range(n_rounds):
        actions[t] = held[0]["expert"]
        for j in range(n):
            x = table[t, j]
            whole = x * x == x  # 0 or 1, told without a branch that the processor could mispredict
            factor[j] = 1.0 + (full - 1.0) * x if whole else math.exp(rule.log_keep / rule.batch * x)
        _step(filter_, work, held, rule, factor, table[t, held[0]["expert"]], t + 1, rng)
    return actions, held[0]["redraws"]


def run_dartboard(
    losses: FloatArray, *, n_switches: int, dartboard: Dartboard, rng: np.random.Generator
) -> tuple[NDArray[np.int32], int]:
    """Play one table, shape (T, N): the experts played, shape (T,), and the number of redraws."""
    actions, redraws = play(losses, n_switches, rule_of(dartboard, len(losses)), rng)
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
        # (1 - p) w_t(x) / w_{t-1}(x)
        kept = (1 - self._dartboard.redraw) * self._dartboard.factors(np.array(self._batch_loss))
        self._batch_loss = 0.0
        if self._rng.random() >= kept and self._redraws + 1 < self._draws:
            self._held = int(self._rng.choice(len(self._weights), p=self._weights / self._weights.sum()))
            self._redraws += 1
