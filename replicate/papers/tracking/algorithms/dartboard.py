"""Stated privacy and regret of the base learners of Section 4, and their tuning.

T = horizon, d = number of meta-experts (`log_d` its logarithm), eta, p, B = parameters. Private Shrinking
Dartboard: Asi, Feldman, Koren & Talwar (2023). L2P: Asi, Koren, Liu & Talwar (2024), the base that
Corollary 4.1.1 cites.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from replicate import validation
from replicate.learners.protocol import Privacy
from replicate.validation import FloatArray

__all__ = [
    "Dartboard",
    "dartboard_epsilon",
    "dartboard_regret",
    "lazy_epsilon",
    "lazy_regret",
    "stated_privacy",
    "tune_dartboard",
    "tune_lazy",
]


@dataclass(frozen=True, kw_only=True)
class Dartboard:
    """Parameters of Private Shrinking Dartboard.

    Attributes
    ----------
    learning_rate
        eta in (0, 1/2].
    redraw
        p in (0, 1/2], the probability of a fresh draw that is not needed.
    batch
        B >= 1; a batch counts as one step with the mean of its losses.
    """

    learning_rate: float
    redraw: float
    batch: int = 1

    def __post_init__(self) -> None:
        validation.positive("learning_rate", self.learning_rate, high=0.5)
        validation.positive("redraw", self.redraw, high=0.5)
        validation.count("batch", self.batch)

    def draws(self, horizon: int) -> int:
        """Return the largest number of draws: a redraw is allowed while fewer than 4 T p / B were made."""
        return max(1, math.ceil(4 * horizon * self.redraw / self.batch))

    def factors(self, losses: FloatArray) -> FloatArray:
        """Return (1 - eta)^(loss / B)."""
        return np.exp(math.log1p(-self.learning_rate) / self.batch * losses)


def dartboard_epsilon(board: Dartboard, *, horizon: int, delta: float) -> float:
    """Stated epsilon of Private Shrinking Dartboard; delta = 0 gives the pure bound (plain form only).

    Plain: 5 eta / p + 100 T p eta^2 + 20 eta sqrt(T p log(1 / delta)); pure: eta / p + 16 T p eta.
    Batched: 5 eta / (B p) + 100 T p eta^2 / B^3 + (20 eta / B) sqrt(12 T p log(1 / delta) / B).
    """
    eta, p, b = board.learning_rate, board.redraw, board.batch
    if delta == 0:
        if b > 1:
            raise ValueError(f"delta must be positive for a batched dartboard, got {delta} with batch {b}")
        return eta / p + 16 * horizon * p * eta
    log = math.log(1 / validation.positive("delta", delta, high=1))
    if b == 1:
        return 5 * eta / p + 100 * horizon * p * eta**2 + 20 * eta * math.sqrt(horizon * p * log)
    spread = 20 * eta / b * math.sqrt(12 * horizon * p / b * log)
    return 5 * eta / (b * p) + 100 * horizon * p * eta**2 / b**3 + spread


def stated_privacy(board: Dartboard, *, horizon: int, delta: float) -> Privacy:
    """Return the statement that `dartboard_epsilon` makes at `delta`; it is its authors', not re-proved here."""
    epsilon = dartboard_epsilon(board, horizon=validation.count("horizon", horizon), delta=delta)
    return Privacy(epsilon=epsilon, delta=delta, source="Private Shrinking Dartboard as stated; TR-RED")


def dartboard_regret(board: Dartboard, *, horizon: int, log_d: float) -> float:
    """Stated regret: eta T + B ln d / eta + 2 T exp(-T p / (3 B)), for eta <= p < 1/2."""
    eta, p, b = board.learning_rate, board.redraw, board.batch
    return eta * horizon + b * log_d / eta + 2 * horizon * math.exp(-horizon * p / (3 * b))


def tune_dartboard(
    *, epsilon: float, delta: float, horizon: int, log_d: float, batches: tuple[int, ...] = (1,)
) -> Dartboard:
    """Return the parameters with the smallest stated regret among those whose stated epsilon is at most `epsilon`.

    Parameters
    ----------
    epsilon, delta
        Privacy level; delta = 0 is pure privacy (batches = (1,) only).
    horizon
        T.
    log_d
        Logarithm of the number of meta-experts.
    batches
        Values of B to try.
    """
    validation.positive("epsilon", epsilon)
    horizon = validation.count("horizon", horizon)
    best, parameters = math.inf, Dartboard(learning_rate=1e-12, redraw=0.25)
    for batch in batches:
        for p in np.geomspace(1e-7, 0.499, 300).tolist():

            def cost(eta: float, p: float = p, batch: int = batch) -> float:
                board = Dartboard(learning_rate=eta, redraw=p, batch=batch)
                return dartboard_epsilon(board, horizon=horizon, delta=delta)

            eta = min(_largest(cost, epsilon, high=min(p, 0.499)), math.sqrt(batch * log_d / horizon))
            board = Dartboard(learning_rate=eta, redraw=p, batch=batch)
            regret = dartboard_regret(board, horizon=horizon, log_d=log_d)
            if regret < best:
                best, parameters = regret, board
    return parameters


def lazy_epsilon(eta: float, p: float, batch: int, *, horizon: int, delta: float, per_draw: float = 1.0) -> float:
    """Stated epsilon of L2P on multiplicative weights, with delta = 2 T d1 spent on its failures d1.

    2 eta / p + eta + 3 T (c eta)^2 p log(1 / d1) / (2 B) + c eta sqrt(6 T p log^2(1 / d1) / B), when
    eta B log(1 / d1) / p <= 1 and T p / B >= 1; infinite otherwise. The last two terms compose at most
    3 T p log(1 / d1) / B fresh draws that cost c eta each: c = `per_draw` is 1 as stated, and 4 when the losses
    of two draws, 2 eta each, are added up.
    """
    log = math.log(2 * horizon / delta)
    if eta * batch * log > p or horizon * p < batch or eta > 0.1:
        return math.inf
    n_draws, cost = 3 * horizon * p * log / batch, per_draw * eta
    return 2 * eta / p + eta + n_draws * cost**2 / 2 + cost * math.sqrt(2 * n_draws * log)


def lazy_regret(eta: FloatArray, batch: FloatArray, *, horizon: int, log_d: float) -> FloatArray:
    """Regret of L2P up to the constant of its last term: ln d / eta + eta B T / 8 + T B^2 eta^2."""
    return log_d / eta + eta * batch * horizon / 8 + horizon * (batch * eta) ** 2


def tune_lazy(
    *, epsilon: float, delta: float, horizon: int, log_d: float, per_draw: float = 1.0
) -> tuple[float, float, int, float]:
    """Return (eta, p, B, stated regret) of L2P with the smallest stated regret at privacy level `epsilon`.

    `per_draw`: see `lazy_epsilon`.
    """
    log = math.log(2 * horizon / delta)
    batches = np.unique(np.floor(np.geomspace(1, horizon**0.5, 40)))
    batch, p = np.broadcast_arrays(batches, np.geomspace(batches / horizon, 1, 60))
    # lazy_epsilon is a eta^2 + b eta in the learning rate, up to eta B log / p = 1: a hair less, for rounding
    n_draws = 3 * horizon * p * log / batch
    a, b = n_draws * per_draw**2 / 2, 2 / p + 1 + per_draw * np.sqrt(2 * n_draws * log)
    private = np.minimum(2 * epsilon / (b + np.sqrt(b**2 + 4 * a * epsilon)), (1 - 1e-12) * p / (batch * log))
    eta = np.minimum(private, np.sqrt(8 * log_d / (batch * horizon))).clip(max=0.1)
    regret = lazy_regret(eta, batch, horizon=horizon, log_d=log_d)
    best = np.unravel_index(regret.argmin(), regret.shape)
    return float(eta[best]), float(p[best]), int(batch[best]), float(regret[best])


def _largest(cost: Callable[[float], float], limit: float, *, high: float) -> float:
    """Largest x in (0, high] with cost(x) <= limit, for an increasing cost, by bisection of log x."""
    low = 1e-15
    if cost(high) <= limit:
        return high
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if cost(middle) <= limit else (low, middle)
    return low
