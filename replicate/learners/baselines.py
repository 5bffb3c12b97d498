"""Learners without privacy that see all losses: Hedge, Fixed Share, follow the leader, with and without blocks.

Each has two faces: a streaming learner that draws an action a round, and a simulator. For those that act every
round it is a compiled loop from the table of losses to the expected loss of every round, without sampling.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replicate import mechanisms, validation
from replicate.compiled import compiled
from replicate.learners import dyadic
from replicate.learners.protocol import MAX_ACTIONS, NOT_PRIVATE
from replicate.validation import FloatArray


def hedge_rate(n_actions: int, horizon: int) -> float:
    """Return sqrt(8 log K / T), the learning rate that minimises Hedge's regret bound."""
    n = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    return math.sqrt(8 * math.log(n) / validation.count("horizon", horizon, high=dyadic.MAX_HORIZON))


def hedge_bound(n_actions: int, horizon: int) -> float:
    """Return sqrt(T log K / 2), Hedge's bound on regret at `hedge_rate`, for every table of losses in [0, 1]."""
    return horizon * hedge_rate(n_actions, horizon) / 4


def fixed_share_tuning(n_actions: int, horizon: int, n_switches: int) -> tuple[float, float]:
    """Return the learning rate and the share that minimise Fixed Share's bound for `n_switches` switches.

    The share is S / (T - 1); the rate balances eta T / 8 against the code length of a sequence over eta.
    """
    length, share = _code_length(n_actions, horizon, n_switches)
    return math.sqrt(8 * length / horizon), share


def fixed_share_bound(n_actions: int, horizon: int, n_switches: int) -> float:
    """Return sqrt(T D / 2), D = log K + S log(K - 1) + (T - 1) H(S / (T - 1)): regret against S switches."""
    return math.sqrt(horizon * _code_length(n_actions, horizon, n_switches)[0] / 2)


def _code_length(n_actions: int, horizon: int, n_switches: int) -> tuple[float, float]:
    """Nats that a sequence with S switches costs under Fixed Share's prior at the best share, and that share."""
    n = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    rounds = validation.count("horizon", horizon, low=2, high=dyadic.MAX_HORIZON)
    switches = validation.count("n_switches", n_switches, low=0, high=rounds - 1)
    share = switches / (rounds - 1)
    entropy = -sum(q * math.log(q) for q in (share, 1 - share) if q > 0)
    return math.log(n) + switches * math.log(n - 1) + (rounds - 1) * entropy, share


class FixedShare:
    """Fixed Share (Herbster and Warmuth 1998): exponential weights, a share of which goes to the other actions.

    After each round w_i becomes (1 - share) v_i + share (1 - v_i) / (K - 1), with v the updated,
    normalised exponential weights.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 2**20.
    learning_rate
        Positive.
    share
        Probability of a switch, in [0, 1]. Zero is Hedge.
    rng
        Source of randomness.
    """

    feedback = "full"
    privacy = NOT_PRIVATE

    def __init__(self, n_actions: int, *, learning_rate: float, share: float, rng: np.random.Generator) -> None:
        self.n_actions = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
        self.learning_rate = validation.positive("learning_rate", learning_rate)
        self.share = validation.real("share", share, low=0, high=1)
        self._rng = validation.generator(rng)
        self._log_weights = np.full(self.n_actions, -math.log(self.n_actions))

    def probabilities(self) -> FloatArray:
        """Return the law of this round's action, shape (K,)."""
        return np.exp(self._log_weights - np.logaddexp.reduce(self._log_weights))

    def act(self) -> int:
        """Draw this round's action."""
        return int(self._rng.choice(self.n_actions, p=self.probabilities()))

    def observe(self, losses: Any) -> None:
        """Update on this round's loss vector, shape (K,)."""
        self._log_weights = self._log_weights - self.learning_rate * loss_row(losses, self.n_actions)
        if self.share:
            v = self.probabilities()
            self._log_weights = np.log((1 - self.share) * v + self.share * (1 - v) / (self.n_actions - 1))


class Hedge(FixedShare):
    """Hedge (Freund and Schapire 1997): exponential weights; see `FixedShare` for the parameters."""

    def __init__(self, n_actions: int, *, learning_rate: float, rng: np.random.Generator) -> None:
        super().__init__(n_actions, learning_rate=learning_rate, share=0.0, rng=rng)


class FollowTheLeader:
    """Play the action with the smallest loss so far, ties at random; forget everything at given rounds.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 2**20.
    restarts
        Rounds (counted from 0) at which the past is forgotten: an oracle for the times of shifts.
    rng
        Source of randomness.
    """

    feedback = "full"
    privacy = NOT_PRIVATE

    def __init__(self, n_actions: int, *, restarts: Sequence[int] = (), rng: np.random.Generator) -> None:
        self.n_actions = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
        self._restarts = frozenset(_rounds(restarts))
        self._rng = validation.generator(rng)
        self._round, self._sums = 0, np.zeros(self.n_actions)

    def act(self) -> int:
        """Draw one of the leaders."""
        return int(self._rng.choice(np.flatnonzero(self._sums == self._sums.min())))

    def observe(self, losses: Any) -> None:
        """Add this round's loss vector, shape (K,)."""
        self._sums = self._sums + loss_row(losses, self.n_actions)
        self._round += 1
        if self._round in self._restarts:
            self._sums = np.zeros(self.n_actions)


class BlockLeader(dyadic.DyadicLearner):
    """On each block of 2**r rounds, play the action with the smallest loss in the block before, ties at random.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 2**20.
    rng
        Source of randomness.
    """

    privacy = NOT_PRIVATE

    def __init__(self, n_actions: int, *, rng: np.random.Generator) -> None:
        super().__init__(n_actions, selector=dyadic.leaders, prefix=dyadic.whole_block, rng=rng)


def _rounds(restarts: Sequence[int], high: int | None = None) -> list[int]:
    """Check rounds at which the past is forgotten."""
    if isinstance(restarts, str) or not isinstance(restarts, Sequence):
        raise ValueError(f"restarts must be a sequence of rounds, got {restarts!r:.200}")
    return [validation.count("restarts", t, low=0, high=high) for t in restarts]


def loss_row(losses: Any, n_actions: int) -> FloatArray:
    """Return one round's losses as an array of shape (K,), checked."""
    row = validation.unit_array("losses", losses, ndim=1)
    if len(row) != n_actions:
        raise ValueError(f"losses must have length {n_actions}, got {len(row)}")
    return row


def fixed_share_losses(losses: ArrayLike, *, learning_rate: float, share: float) -> FloatArray:
    """Return Fixed Share's expected loss in every round of a table, shape (T, K) -> (T,)."""
    table = validation.unit_array("losses", losses, ndim=2)
    rate = validation.positive("learning_rate", learning_rate)
    share = validation.real("share", share, low=0, high=1)
    return _fixed_share(table, rate, share) if share else hedge_losses(table, learning_rate=rate)


def hedge_losses(losses: ArrayLike, *, learning_rate: float) -> FloatArray:
    """Return Hedge's expected loss in every round of a table, shape (T, K) -> (T,), from the sums of losses."""
    table = validation.unit_array("losses", losses, ndim=2)
    rate = validation.positive("learning_rate", learning_rate)
    before = np.cumsum(table, axis=0) - table
    return np.einsum("tk,tk->t", mechanisms.softmax_pmf(-before, scale=1 / rate), table)


def leader_losses(losses: ArrayLike, *, restarts: Sequence[int] = ()) -> FloatArray:
    """Return follow-the-leader's expected loss in every round of a table, shape (T, K) -> (T,)."""
    table = validation.unit_array("losses", losses, ndim=2)
    forget = np.zeros(len(table) + 1, dtype=np.bool_)
    forget[_rounds(restarts, high=len(table))] = True
    return _leader(table, forget)


@compiled()
def _fixed_share(table: FloatArray, rate: float, share: float) -> FloatArray:
    """Weights of Fixed Share with a positive share, which no weight ever falls below for long."""
    n_rounds, n = table.shape
    expected = np.empty(n_rounds)
    weights = np.full(n, 1.0 / n)
    for t in range(n_rounds):
        loss = 0.0
        total = 0.0
        for i in range(n):
            loss += weights[i] * table[t, i]
            weights[i] *= math.exp(-rate * table[t, i])
            total += weights[i]
        expected[t] = loss
        given = share / (n - 1)
        keep = (1 - share - given) / total
        for i in range(n):
            weights[i] = keep * weights[i] + given
    return expected


@compiled()
def _leader(table: FloatArray, forget: NDArray[np.bool_]) -> FloatArray:
    n_rounds, n = table.shape
    expected = np.empty(n_rounds)
    sums = np.zeros(n)
    for t in range(n_rounds):
        if forget[t]:
            sums[:] = 0.0
        best = sums.min()
        leaders = 0
        loss = 0.0
        for i in range(n):
            if sums[i] == best:
                leaders += 1
                loss += table[t, i]
            sums[i] += table[t, i]
        expected[t] = loss / leaders
    return expected
