"""Private Shrinking Dartboard: parameters, stated privacy and regret, and their tuning.

The base learner of Section 4, by Asi, Feldman, Koren & Talwar (2023). Its statements are quoted, not proved here.

Symbols: T = horizon, d = number of meta-experts (`log_d` its logarithm), eta = learning_rate, p = redraw,
B = batch.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from replicate import validation
from replicate.learners.protocol import Privacy
from replicate.validation import FloatArray

MAX_HORIZON = 10**18


@dataclass(frozen=True, kw_only=True)
class Dartboard:
    """Parameters of Private Shrinking Dartboard.

    Attributes
    ----------
    learning_rate
        eta in (0, 1/2].
    redraw
        p in (0, 1/2], the probability of a fresh draw that no loss calls for.
    batch
        B from 1 to 1e9; a batch counts as one step with the mean of its losses.

    Raises
    ------
    ValueError
        If a parameter is outside its range.
    """

    learning_rate: float
    redraw: float
    batch: int = 1

    def __post_init__(self) -> None:
        validation.positive("learning_rate", self.learning_rate, high=0.5)
        validation.positive("redraw", self.redraw, high=0.5)
        validation.count("batch", self.batch, high=10**9)

    def draws(self, horizon: int) -> int:
        """Return the largest number of draws: a redraw is allowed while fewer than 4 T p / B were made."""
        return max(1, math.ceil(4 * horizon * self.redraw / self.batch))

    def factors(self, losses: FloatArray) -> FloatArray:
        """Return (1 - eta)^(loss / B)."""
        return np.exp(math.log1p(-self.learning_rate) / self.batch * losses)


def checked(board: Dartboard) -> Dartboard:
    """Return `board` if it is a `Dartboard`."""
    if not isinstance(board, Dartboard):
        raise ValueError(f"dartboard must be a Dartboard, got {board!r:.200}")
    return board


def dartboard_epsilon(board: Dartboard, *, horizon: int, delta: float) -> float:
    """Return the stated epsilon of Private Shrinking Dartboard; delta = 0 gives the pure bound (B = 1 only).

    Plain: 5 eta / p + 100 T p eta^2 + 20 eta sqrt(T p log(1 / delta)); pure: eta / p + 16 T p eta.
    Batched: 5 eta / (B p) + 100 T p eta^2 / B^3 + (20 eta / B) sqrt(12 T p log(1 / delta) / B).
    """
    if delta == 0 and board.batch > 1:
        raise ValueError(f"delta must be positive for a batched dartboard, got {delta} with batch {board.batch}")
    log = math.inf if delta == 0 else math.log(1 / validation.positive("delta", delta, high=1))
    return _epsilon(board.learning_rate, board.redraw, board.batch, horizon, log)


def _epsilon(eta: float, p: float, b: int, horizon: int, log: float) -> float:
    """`dartboard_epsilon` of a learning rate, at log = log(1 / delta)."""
    if math.isinf(log):  # delta = 0
        return eta / p + 16 * horizon * p * eta
    if b == 1:
        return 5 * eta / p + 100 * horizon * p * eta**2 + 20 * eta * math.sqrt(horizon * p * log)
    spread = 20 * eta / b * math.sqrt(12 * horizon * p / b * log)
    return 5 * eta / (b * p) + 100 * horizon * p * eta**2 / b**3 + spread


def stated_privacy(board: Dartboard, *, horizon: int, delta: float) -> Privacy:
    """Return the statement that `dartboard_epsilon` makes at `delta`; it is its authors', not re-proved here."""
    epsilon = dartboard_epsilon(board, horizon=horizon, delta=delta)
    return Privacy(epsilon=epsilon, delta=delta, source="Private Shrinking Dartboard as stated; TR-RED")


def dartboard_regret(board: Dartboard, *, horizon: int, log_d: float) -> float:
    """Return the stated regret, eta T + B ln d / eta + 2 T exp(-T p / (3 B)), for eta <= p < 1/2."""
    eta, p, b = board.learning_rate, board.redraw, board.batch
    return eta * horizon + b * log_d / eta + 2 * horizon * math.exp(-horizon * p / (3 * b))


def tune_dartboard(
    *, epsilon: float, delta: float, horizon: int, log_d: float, batches: tuple[int, ...] = (1,)
) -> Dartboard:
    """Return the parameters with the smallest stated regret among those whose stated epsilon is at most `epsilon`.

    A grid of 300 values of p; for each the largest eta that the budget allows, or the one that is best without
    privacy, sqrt(B ln d / T), if that is smaller.

    Parameters
    ----------
    epsilon, delta
        Privacy level: epsilon from 1e-9 to 1e9, delta in [0, 1); delta = 0 is pure privacy (batches = (1,) only).
    horizon
        T, 1 to 1e18.
    log_d
        Logarithm of the number of meta-experts, ln d, in (0, 1e9]; see `log_count_sequences`.
    batches
        Values of B to try, 1 to 64 integers from 1 to 1e9.

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> board = tune_dartboard(epsilon=1.0, delta=0.0, horizon=10**6, log_d=30.0)
    >>> dartboard_epsilon(board, horizon=10**6, delta=0.0) <= 1.0
    True
    """
    epsilon = validation.real("epsilon", epsilon, low=1e-9, high=1e9)
    delta = validation.real("delta", delta, low=0, high=1 - 1e-9)
    horizon = validation.count("horizon", horizon, high=MAX_HORIZON)
    log_d = validation.real("log_d", log_d, low=1e-9, high=1e9)
    if not isinstance(batches, tuple | list) or not 1 <= len(batches) <= 64:
        raise ValueError(f"batches must be a tuple of 1 to 64 integers, got {batches!r:.200}")
    tried = tuple(validation.count("batches", batch, high=10**9) for batch in batches)
    if delta == 0 and max(tried) > 1:
        raise ValueError(f"batches must be (1,) for delta = 0, got {batches!r:.200}")
    return _tuned(epsilon, delta, horizon, log_d, tried)


@cache
def _tuned(epsilon: float, delta: float, horizon: int, log_d: float, batches: tuple[int, ...]) -> Dartboard:
    """`tune_dartboard` on arguments that are checked; a game in many runs asks for the same again and again."""
    best, parameters = math.inf, Dartboard(learning_rate=1e-12, redraw=0.25)
    log = math.log(1 / delta) if delta else math.inf
    for batch in batches:
        for p in np.geomspace(1e-7, 0.499, 300).tolist():

            def cost(eta: float, p: float = p, batch: int = batch) -> float:
                return _epsilon(eta, p, batch, horizon, log)

            # the second one is best for eta T + B ln d / eta, without a budget
            eta = min(_largest(cost, epsilon, high=min(p, 0.499)), math.sqrt(batch * log_d / horizon))
            board = Dartboard(learning_rate=eta, redraw=p, batch=batch)
            regret = dartboard_regret(board, horizon=horizon, log_d=log_d)
            if regret < best:
                best, parameters = regret, board
    return parameters


def _largest(cost: Callable[[float], float], limit: float, *, high: float) -> float:
    """Return the largest x in (0, high] with cost(x) <= limit, for an increasing cost, by bisection of log x."""
    low = 1e-15
    if cost(high) <= limit:
        return high
    while cost(low) > limit:
        low *= low
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if cost(middle) <= limit else (low, middle)
    return low
