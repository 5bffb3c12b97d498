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
from replicate.learners.protocol import MAX_ACTIONS, NOT_PRIVATE, loss_row
from replicate.validation import FloatArray, Generator


def hedge_rate(n_actions: int, horizon: int) -> float:
    """Return sqrt(8 log K / T), the learning rate that minimises Hedge's regret bound."""
    n = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    return math.sqrt(8 * math.log(n) / validation.count("horizon", horizon, high=dyadic.MAX_HORIZON))


def hedge_bound(n_actions: int, horizon: int) -> float:
    """Return sqrt(T log K / 2), Hedge's bound on regret at `hedge_rate`, for every table of losses in [0, 1]."""
    return horizon * hedge_rate(n_actions, horizon) / 4


def fixed_share_tuning(n_actions: int, horizon: int, n_switches: int) -> tuple[float, float]:
    """Return the learning rate and the share that minimise Fixed Share's bound for `n_switches` switches.

    The share is that of `code_length`; the rate balances eta T / 8 against the code length of a sequence over eta.
    """
    length, share = _sequence(n_actions, horizon, n_switches)
    return math.sqrt(8 * length / horizon), share


def fixed_share_bound(n_actions: int, horizon: int, n_switches: int) -> float:
    """Return sqrt(T D / 2): Fixed Share's regret at `fixed_share_tuning`, any losses in [0, 1].

    D is the `code_length` of T rounds with S switches. The bound holds against every sequence of actions with at
    most S switches, also in hindsight and when losses are adaptive (after Herbster and Warmuth 1998).

    Proof. Fixed Share's weights are the posterior of a Markov chain on the actions: uniform at first, then staying
    with probability 1 - share, else moving to another action, each alike. So -log(sum_i w_t,i exp(-eta l_t,i)),
    added up over the rounds, is minus the logarithm of a mean over sequences, of which u has weight exp(-D) or
    more: at most eta times u's loss plus D. By Hoeffding's lemma, the expected loss of a round exceeds 1 / eta of
    its term by at most eta / 8. Together: D / eta + eta T / 8, at the best eta.

    Examples
    --------
    >>> round(fixed_share_bound(8, 10**6, 3))
    4953
    """
    return math.sqrt(horizon * _sequence(n_actions, horizon, n_switches)[0] / 2)


def _sequence(n_actions: int, horizon: int, n_switches: int) -> tuple[float, float]:
    """Check K, T and S, and return `code_length`."""
    n = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    rounds = validation.count("horizon", horizon, low=2, high=dyadic.MAX_HORIZON)
    return code_length(n, rounds, validation.count("n_switches", n_switches, low=0, high=rounds - 1))


def code_length(n_actions: int, n_rounds: int, n_switches: int) -> tuple[float, float]:
    """Return the nats that a sequence costs under Fixed Share's prior at the share that is best for it, and that.

    D = log K + S log((K - 1) / share) - (N - 1 - S) log(1 - share), share = min(S / (N - 1), (K - 1) / K), for N
    rounds and S switches, or N - 1 where that is less. Up to (K - 1) / K sequences with fewer switches cost less.
    """
    steps = n_rounds - 1
    made = min(n_switches, steps)
    if not made:
        return math.log(n_actions), 0.0
    # above (K - 1) / K a sequence with fewer switches would cost more
    share = min(made / steps, (n_actions - 1) / n_actions)
    stays = -(steps - made) * math.log1p(-share)
    return math.log(n_actions) + made * math.log((n_actions - 1) / share) + stays, share


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

    def __init__(self, n_actions: int, *, learning_rate: float, share: float, rng: Generator) -> None:
        self.n_actions = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
        self.learning_rate = validation.positive("learning_rate", learning_rate)
        self.share = validation.real("share", share, low=0, high=1)
        self._rng = validation.generator(rng)
        self._log_weights = np.full(self.n_actions, -math.log(self.n_actions))

    def probabilities(self) -> FloatArray:
        """Return the distribution of this round's action, shape (K,)."""
        return np.exp(self._log_weights - np.logaddexp.reduce(self._log_weights))

    def act(self) -> int:
        """Draw this round's action."""
        return int(self._rng.choice(self.n_actions, p=self.probabilities()))

    def observe(self, losses: Any) -> None:
        """Update on this round's loss vector, shape (K,)."""
        self._log_weights = self._log_weights - self.learning_rate * loss_row(losses, self.n_actions)
        if self.share:
            v = self.probabilities()
            # the share update of Herbster and Warmuth (1998)
            self._log_weights = np.log((1 - self.share) * v + self.share * (1 - v) / (self.n_actions - 1))


class Hedge(FixedShare):
    """Hedge (Freund and Schapire 1997): exponential weights; see `FixedShare` for the parameters."""

    def __init__(self, n_actions: int, *, learning_rate: float, rng: Generator) -> None:
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

    def __init__(self, n_actions: int, *, restarts: Sequence[int] = (), rng: Generator) -> None:
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

    def __init__(self, n_actions: int, *, rng: Generator) -> None:
        super().__init__(n_actions, selector=dyadic.leaders, prefix=dyadic.whole_block, rng=rng)


def _rounds(restarts: Sequence[int], high: int | None = None) -> list[int]:
    """Check rounds at which the past is forgotten."""
    if isinstance(restarts, str) or not isinstance(restarts, Sequence):
        raise ValueError(f"restarts must be a sequence of rounds, got {restarts!r:.200}")
    return [validation.count("restarts", t, low=0, high=high) for t in restarts]


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
    # with one rate the weights are a function of the sums: no round waits for the one before
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
        # (1 - share) v + share (1 - v) / (K - 1), with the sum divided out at the same time
        keep = (1 - share - given) / total
        for i in range(n):
            weights[i] = keep * weights[i] + given  # the share update of Herbster and Warmuth (1998)
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
