"""L2P on the meta-experts, in O(N S) a round: the base learner that Corollary 4.1.1 cites.

Asi, Koren, Liu & Talwar (2024), on multiplicative weights nu_s with batches of B rounds, losses in a batch
summed. Two sequences are held: x is played, y never. After a batch x stays with probability (1 - p) times

    nu_s(x) / (e^(2 B eta) nu_{s-1}(x)) * nu_{s-1}(y) / nu_s(y) = exp(-eta (2 B + L(x) - L(y))),

L the loss over the batch; y stays with probability 1 - p. What does not stay is drawn anew from nu_s. The
normalising constants cancel, so the filter of `switching` and two lazily revealed paths are all that is needed.

Symbols: T = horizon, d = number of meta-experts, eta = learning_rate, p = redraw, B = batch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from replicate import validation
from replicate.compiled import compiled
from replicate.papers.tracking.algorithms import switching
from replicate.validation import FloatArray


@dataclass(frozen=True, kw_only=True)
class Lazy:
    """Parameters of L2P.

    Attributes
    ----------
    learning_rate
        eta in (0, 1/10].
    redraw
        p in (0, 1], the probability of a fresh draw that no loss calls for.
    batch
        B >= 1.
    """

    learning_rate: float
    redraw: float
    batch: int = 1

    def __post_init__(self) -> None:
        validation.positive("learning_rate", self.learning_rate, high=0.1)
        validation.positive("redraw", self.redraw, high=1)
        validation.count("batch", self.batch)


def run_lazy(losses: FloatArray, *, n_switches: int, lazy: Lazy, rng: np.random.Generator) -> NDArray[np.int32]:
    """Play one table, shape (T, N): the experts played, shape (T,)."""
    return play(losses, n_switches, lazy.learning_rate, lazy.redraw, lazy.batch, rng)


@compiled()
def play(
    table: FloatArray, n_switches: int, rate: float, redraw: float, batch: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Play a whole table: see `run_lazy`. Index 0 of `used`, `expert` and `batch_loss` is x, index 1 is y."""
    n_rounds, n = table.shape
    filter_, work = switching.start(n_switches, n, n_rounds)
    factor, full = np.empty(n), math.exp(-rate)
    used, expert, batch_loss = np.zeros(2, dtype=np.int64), rng.integers(0, n, 2), np.zeros(2)
    actions = np.empty(n_rounds, dtype=np.int32)
    actions[0] = expert[0]
    for t in range(1, n_rounds):
        for j in range(n):
            x = table[t - 1, j]
            factor[j] = 1.0 + (full - 1.0) * x if x * x == x else math.exp(-rate * x)  # without a branch on bits
        switching.step(filter_, work, factor, t, n_rounds)
        for i in range(2):
            batch_loss[i] += table[t - 1, expert[i]]
        fresh = (False, False)
        if t % batch == 0:
            kept = (1.0 - redraw) * math.exp(-rate * (2 * batch + batch_loss[0] - batch_loss[1]))
            # y is redrawn whatever the losses are: it hides how likely x was to stay
            fresh = (rng.random() >= kept, rng.random() < redraw)
            batch_loss[:] = 0.0
        for i in range(2):
            if fresh[i]:
                used[i], expert[i] = switching.draw(filter_, work, rng)
            else:
                used[i], expert[i] = switching.reveal(used[i], expert[i], n, work, rng)
        actions[t] = expert[0]
    return actions


def lazy_epsilon(lazy: Lazy, *, horizon: int, delta: float) -> float:
    """Return the stated epsilon of L2P on multiplicative weights, with delta = 2 T d1 spent on its failures d1.

    2 eta / p + eta + 3 T eta^2 p log(1 / d1) / (2 B) + eta sqrt(6 T p log^2(1 / d1) / B), when
    eta B log(1 / d1) / p <= 1 and T p / B >= 1; infinite otherwise. The last two terms compose at most
    3 T p log(1 / d1) / B fresh draws.
    """
    eta, p, batch = lazy.learning_rate, lazy.redraw, lazy.batch
    log = math.log(2 * horizon / delta)
    if eta * batch * log > p or horizon * p < batch:
        return math.inf
    n_draws = 3 * horizon * p * log / batch
    return 2 * eta / p + eta + n_draws * eta**2 / 2 + eta * math.sqrt(2 * n_draws * log)


def lazy_regret(eta: FloatArray, batch: FloatArray, *, horizon: int, log_d: float) -> FloatArray:
    """Return the regret of L2P, constant 1 for its last term: ln d / eta + eta B T / 8 + T B^2 eta^2."""
    return log_d / eta + eta * batch * horizon / 8 + horizon * (batch * eta) ** 2


def tune_lazy(*, epsilon: float, delta: float, horizon: int, log_d: float) -> tuple[Lazy, float]:
    """Return the parameters of L2P with the smallest stated regret at privacy level `epsilon`, and that regret."""
    log = math.log(2 * horizon / delta)
    batches = np.unique(np.floor(np.geomspace(1, horizon**0.5, 40)))
    batch, p = np.broadcast_arrays(batches, np.geomspace(batches / horizon, 1, 60))
    # lazy_epsilon is a eta^2 + b eta in the learning rate, up to eta B log / p = 1: a hair less, for rounding
    n_draws = 3 * horizon * p * log / batch
    a, b = n_draws / 2, 2 / p + 1 + np.sqrt(2 * n_draws * log)
    private = np.minimum(2 * epsilon / (b + np.sqrt(b**2 + 4 * a * epsilon)), (1 - 1e-12) * p / (batch * log))
    eta = np.minimum(private, np.sqrt(8 * log_d / (batch * horizon))).clip(max=0.1)
    regret = lazy_regret(eta, batch, horizon=horizon, log_d=log_d)
    best = np.unravel_index(regret.argmin(), regret.shape)
    tuned = Lazy(learning_rate=float(eta[best]), redraw=float(p[best]), batch=int(batch[best]))
    return tuned, float(regret[best])
