"""Algorithm 1 restarted by AboveThreshold (Algorithm 2), with every window query answered exactly in law.

Algorithm 2 asks after each round, for every window that ends there, whether the regret in the window is
too large: T^2 / 2 queries, each with fresh Laplace noise. Given the threshold noise rho the queries are
independent, so a round is passed over with probability prod_w F(rho - q_w): the event is the first
arrival of a Poisson process with hazard h_w = -log F(rho - q_w) in window w. One bound M on all q_w of a
round gives a hazard n h(M) that dominates their sum; arrivals of the dominating process are few, and each
is accepted with probability h_w / h(M) for a window w drawn uniformly (thinning). M comes from minima of
the cumulative regrets over blocks of window starts: N / 64 operations a query instead of a Laplace draw.

Symbols: N = experts, T = horizon, D_n[j] = regret against expert j over the first n rounds since the
restart, so that the window of rounds m + 1, ..., n has regret max_j (D_n[j] - D_m[j]).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from replicate import mechanisms, validation
from replicate.learners.baselines import loss_row
from replicate.learners.protocol import Privacy
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms.limited_updates import LimitedUpdates
from replicate.validation import FloatArray, IntArray

__all__ = ["Restarts", "Trace", "run_restarts", "window_ratio"]

_BLOCK = 64


@dataclass(frozen=True, eq=False)
class Trace:
    """What came of one run of Algorithm 2.

    Attributes
    ----------
    actions
        Experts played, shape (T,).
    restarts
        First rounds (counted from 0) of the instances of Algorithm 1, the first of them 0.
    """

    actions: NDArray[np.int32]
    restarts: IntArray


class Restarts:
    """Algorithm 2, one round at a time, every query with its own noise: O(N t) work in round t.

    Parameters
    ----------
    n_actions
        Number of experts N >= 2.
    epsilon
        Privacy level, positive.
    horizon
        T; sets the thresholds.
    failure
        beta in (0, 1); None is 1 / T (Theorem 3.6).
    calibration
        ``"corrected"`` is epsilon-private; ``"printed"`` costs up to 1.25 epsilon; ``"proven"`` is corrected with
        the window bound that the proof of Theorem 3.1 supports.
    windows
        ``"all"``, or ``"dyadic"``: only windows of 1, 2, 4, ... rounds.
    rng
        Source of randomness.
    """

    feedback = "full"

    def __init__(
        self,
        n_actions: int,
        *,
        epsilon: float,
        horizon: int,
        failure: float | None = None,
        calibration: str = "corrected",
        windows: str = "all",
        rng: np.random.Generator,
    ) -> None:
        self.n_actions = validation.count("n_actions", n_actions, low=2)
        self._rule = bounds.restart_rule(
            n_experts=n_actions, epsilon=epsilon, horizon=horizon, failure=failure,
            calibration=calibration, windows=windows,
        )  # fmt: skip
        self._epsilon, self._rng = epsilon, validation.generator(rng)
        paid = 1.25 if calibration == "printed" else 1.0
        source = "1.25 times what is asked: TR-P2" if paid > 1 else "TR-S4, TR-P2c"
        self.privacy = Privacy(epsilon=paid * epsilon, calibration=calibration, source=source)
        self._dyadic = windows == "dyadic"
        self.restarts: list[int] = []
        self._round = 0
        self._restart()

    def _restart(self) -> None:
        """Lines 2-3: a fresh Algorithm 1 and a fresh AboveThreshold, from the next round on."""
        self.restarts.append(self._round)
        self._base = LimitedUpdates(self.n_actions, epsilon=self._epsilon / 2, rng=self._rng)
        self._test = mechanisms.AboveThreshold(epsilon=self._rule.epsilon, rng=self._rng)
        self._regrets = [np.zeros(self.n_actions)]

    def act(self) -> int:
        """Line 6: play as Algorithm 1."""
        return self._base.act()

    def observe(self, losses: Any) -> None:
        """Lines 7-13: see this round's losses, shape (N,), query every window that ends here."""
        row = loss_row(losses, self.n_actions)
        self._regrets.append(self._regrets[-1] + row[self._base.act()] - row)
        self._base.observe(row)
        self._round += 1
        n = len(self._regrets) - 1
        lengths = 2 ** np.arange(n.bit_length()) if self._dyadic else np.arange(1, n + 1)
        regret = (self._regrets[n] - np.array(self._regrets)[n - lengths]).max(axis=1)
        if self._test.any_above(regret - self._rule.allowance(lengths - 1) - self._rule.accuracy - 1):
            self._restart()


def run_restarts(
    losses: FloatArray, *, epsilon: float, rule: bounds.RestartRule | None, rng: np.random.Generator
) -> Trace:
    """Play one table, shape (T, N), exactly in law.

    Parameters
    ----------
    losses
        Shape (T, N), entries in [0, 1].
    epsilon
        Privacy level of Algorithm 1: half of Algorithm 2's.
    rule
        When to restart; None never does, and the learner is Algorithm 1.
    rng
        Source of randomness.
    """
    if rule is None:
        numbers = (0.0, 0.0, 1.0, 0)
    else:
        constant = rule.constant + rule.accuracy + 1
        numbers = (constant, rule.root, rule.epsilon, 2 if rule.windows == "dyadic" else 1)
    actions, restarts = _run(losses, 2 / epsilon, *numbers, rng)
    return Trace(actions, restarts)


@njit(cache=True, nogil=True)
def _hazard(x: float) -> float:
    """-log F(x), F the distribution function of Laplace(1)."""
    return -math.log1p(-0.5 * math.exp(-x)) if x >= 0 else math.log(2.0) - x


@njit(cache=True, nogil=True)
def _laplace(scale: float, rng: np.random.Generator) -> float:
    sign = 1.0 if rng.random() < 0.5 else -1.0
    return sign * scale * rng.standard_exponential()


@njit(cache=True, nogil=True)
def _select(sums: FloatArray, scale: float, rng: np.random.Generator) -> int:
    """Report noisy min: Algorithm 1, line 4."""
    best, action = math.inf, 0
    for j in range(len(sums)):
        noisy = sums[j] + _laplace(scale, rng)
        if noisy < best:
            best, action = noisy, j
    return action


@njit(cache=True, nogil=True)
def _query(regrets: FloatArray, n: int, m: int, constant: float, root: float) -> float:
    """Query of the window of local rounds m + 1, ..., n."""
    regret = -math.inf
    for j in range(regrets.shape[1]):
        regret = max(regret, regrets[n, j] - regrets[m, j])
    return regret - constant - root * math.sqrt(n - m - 1)


@njit(cache=True, nogil=True)
def _reach(now: FloatArray, low: FloatArray) -> float:
    """Largest regret of a window that ends now and starts where the cumulative regret was `low`."""
    regret = -math.inf
    for j in range(len(now)):
        regret = max(regret, now[j] - low[j])
    return regret


@njit(cache=True, nogil=True)
def _arrival_all(regrets, lows, n, constant, root, rho, scale, clock, rng):  # type: ignore[no-untyped-def]
    """Whether a window ending at local round n is above threshold, and the exponential clock after it."""
    bound = -math.inf
    for block in range((n - 1) // _BLOCK + 1):
        regret = _reach(regrets[n], lows[block])
        shortest = n - 1 - min(n - 1, block * _BLOCK + _BLOCK - 1)
        bound = max(bound, regret - root * math.sqrt(shortest))
    dominating = _hazard((rho - (bound - constant)) / scale)
    left = n * dominating
    while clock < left:
        left -= clock
        clock = rng.standard_exponential()
        m = rng.integers(0, n)
        if rng.random() * dominating < _hazard((rho - _query(regrets, n, m, constant, root)) / scale):
            return True, clock
    return False, clock - left


@njit(cache=True, nogil=True)
def _arrival_dyadic(regrets, n, constant, root, rho, scale, clock, rng):  # type: ignore[no-untyped-def]
    """As `_arrival_all`, for windows of 1, 2, 4, ... rounds; the hazards are summed exactly."""
    length = 1
    while length <= n:
        clock -= _hazard((rho - _query(regrets, n, n - length, constant, root)) / scale)
        if clock < 0:
            return True, rng.standard_exponential()
        length *= 2
    return False, clock


@njit(cache=True, nogil=True)
def _run(table, noise, constant, root, svt_epsilon, windows, rng):  # type: ignore[no-untyped-def]
    """Play a table; windows: 0 never restarts, 1 asks all windows, 2 dyadic ones."""
    n_rounds, n_experts = table.shape
    actions = np.empty(n_rounds, dtype=np.int32)
    restarts = [0]
    regrets = np.zeros((n_rounds + 1 if windows else 1, n_experts))
    lows = np.empty((n_rounds // _BLOCK + 1, n_experts))
    sums = np.zeros(n_experts)
    scale = 4 / svt_epsilon
    n = 0
    action = rng.integers(0, n_experts)
    rho, clock = _laplace(scale / 2, rng), rng.standard_exponential()
    for t in range(n_rounds):
        n += 1
        if n >= 2 and n & (n - 1) == 0:
            action = _select(sums, noise, rng)
            sums[:] = 0.0
        actions[t] = action
        paid = table[t, action]
        for j in range(n_experts):
            sums[j] += table[t, j]
        if windows == 0:
            continue
        block = (n - 1) // _BLOCK
        for j in range(n_experts):
            regrets[n, j] = regrets[n - 1, j] + paid - table[t, j]
            before = regrets[n - 1, j]
            lows[block, j] = before if (n - 1) % _BLOCK == 0 else min(lows[block, j], before)
        if windows == 1:
            above, clock = _arrival_all(regrets, lows, n, constant, root, rho, scale, clock, rng)
        else:
            above, clock = _arrival_dyadic(regrets, n, constant, root, rho, scale, clock, rng)
        if above:
            restarts.append(t + 1)
            n = 0
            sums[:] = 0.0
            action = rng.integers(0, n_experts)
            rho, clock = _laplace(scale / 2, rng), rng.standard_exponential()
    return actions, np.array(restarts)


@njit(cache=True, nogil=True)
def window_ratio(excess: FloatArray, constant: float, root: float, shortest: int = 0) -> float:
    """Largest regret over a window divided by constant + root sqrt(w), over all windows of w + 1 rounds.

    Ends of windows, and blocks of their starts, that cannot beat the largest ratio so far are passed over.

    Parameters
    ----------
    excess
        Loss paid less the loss of each expert (or of one comparator), shape (T, J).
    constant, root
        The bound.
    shortest
        Smallest w; constant + root sqrt(shortest) must be positive.
    """
    n_rounds, width = excess.shape
    regrets = np.zeros((n_rounds + 1, width))
    lows = np.full((n_rounds // _BLOCK + 1, width), math.inf)
    lowest = np.full((n_rounds // _BLOCK**2 + 1, width), math.inf)
    worst = -math.inf
    for n in range(1, n_rounds + 1):
        for j in range(width):
            before = regrets[n - 1, j]
            lows[(n - 1) // _BLOCK, j] = min(lows[(n - 1) // _BLOCK, j], before)
            lowest[(n - 1) // _BLOCK**2, j] = min(lowest[(n - 1) // _BLOCK**2, j], before)
            regrets[n, j] = before + excess[n - 1, j]
        newest = n - 1 - shortest
        for group in range(newest // _BLOCK**2 + 1 if newest >= 0 else 0):
            last = min(newest, group * _BLOCK**2 + _BLOCK**2 - 1)
            if _reach(regrets[n], lowest[group]) <= worst * (constant + root * math.sqrt(n - 1 - last)):
                continue
            for block in range(group * _BLOCK, last // _BLOCK + 1):
                stop = min(newest, block * _BLOCK + _BLOCK - 1)
                if _reach(regrets[n], lows[block]) <= worst * (constant + root * math.sqrt(n - 1 - stop)):
                    continue
                for m in range(block * _BLOCK, stop + 1):
                    value = _query(regrets, n, m, 0.0, 0.0) / (constant + root * math.sqrt(n - m - 1))
                    worst = max(worst, value)
    return worst
