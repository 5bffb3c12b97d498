"""Algorithm 1 restarted by AboveThreshold (Algorithm 2), with every window query answered exactly in distribution.

The queries of a round are those of `windows`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from replicate import mechanisms, validation
from replicate.compiled import compiled
from replicate.learners.protocol import Privacy, loss_row
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import windows as asked
from replicate.papers.tracking.algorithms.limited_updates import LimitedUpdates
from replicate.papers.tracking.algorithms.windows import Alarm, alarm_of
from replicate.validation import FloatArray, IntArray


def stated_privacy(epsilon: float, calibration: str) -> Privacy:
    """Return what Algorithm 2 spends when `epsilon` is asked: the printed one a quarter more."""
    shown = {"printed": (1.25, "1.25 times what is asked: TR-P2"), "corrected": (1.0, "TR-S4, TR-P2c")}
    factor, source = shown[calibration]
    return Privacy(epsilon=factor * epsilon, calibration=calibration, source=source)


@dataclass(frozen=True, eq=False)
class Trace:
    """One run of Algorithm 2.

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
        Number of experts N, 2 to 1e6.
    epsilon
        Privacy level, 1e-9 to 1e9.
    horizon
        T, 2 to 1e9; sets the thresholds.
    failure
        beta, 1e-300 to 1; None is 1 / T (Theorem 3.6).
    calibration
        ``"corrected"`` is epsilon-private; ``"printed"`` costs up to 1.25 epsilon.
    windows
        ``"all"``, or ``"dyadic"``: only windows of 1, 2, 4, ... rounds.
    rng
        Source of randomness.

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> learner = Restarts(2, epsilon=1.0, horizon=1000, rng=np.random.default_rng(1))
    >>> for _ in range(100):
    ...     learner.observe([0.0, 1.0])
    >>> learner.restarts, learner.privacy.epsilon
    ([0], 1.0)
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
        self.n_actions = validation.count("n_actions", n_actions, low=2, high=10**6)
        self._rule = bounds.restart_rule(  # line 7
            n_actions=n_actions, epsilon=epsilon, horizon=horizon, failure=failure,
            calibration=calibration, windows=windows,
        )  # fmt: skip
        self._epsilon, self._rng = float(epsilon), validation.generator(rng)
        self.privacy = stated_privacy(self._epsilon, calibration)
        self._dyadic = windows == "dyadic"
        self.restarts: list[int] = []
        self._round = 0  # line 1
        self._restart()

    def _restart(self) -> None:
        """Start a new Algorithm 1 and a new AboveThreshold, from the next round on."""
        self.restarts.append(self._round)  # lines 10-11; t_i = t + 1, not t: TR-SLIP-11
        self._base = LimitedUpdates(self.n_actions, epsilon=self._epsilon / 2, rng=self._rng)  # line 2
        self._test = mechanisms.AboveThreshold(epsilon=self._rule.epsilon, rng=self._rng)  # line 3
        self._since, self._regrets = 0, np.zeros((2, self.n_actions))

    def act(self) -> int:
        """Play as Algorithm 1."""
        return self._base.act()  # line 6

    def observe(self, losses: Any) -> None:
        """See this round's losses, shape (N,), and ask AboveThreshold about every window that ends here."""
        row = loss_row(losses, self.n_actions)  # line 5
        self._since = n = self._since + 1
        # twice as long each time: O(N) a round in the mean
        if n == len(self._regrets):
            self._regrets = np.concatenate([self._regrets, np.empty_like(self._regrets)])
        self._regrets[n] = self._regrets[n - 1] + row[self._base.act()] - row
        self._base.observe(row)
        self._round += 1
        lengths = 2 ** np.arange(n.bit_length()) if self._dyadic else np.arange(1, n + 1)
        # regrets summed up to both ends give that of a window; one of w + 1 rounds is allowed Reg_w
        regret = (self._regrets[n] - self._regrets[n - lengths]).max(axis=1)
        queries = regret - self._rule.allowance(lengths - 1) - self._rule.accuracy - 1  # line 8
        if self._test.any_above(queries):  # line 9
            self._restart()  # line 12


def run_restarts(
    losses: FloatArray, *, epsilon: float, rule: bounds.RestartRule | None, rng: np.random.Generator
) -> Trace:
    """Play one table, shape (T, N), exactly in distribution.

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
    return Trace(*play(losses, 2 / epsilon, alarm_of(rule), rng))


@compiled()
def _laplace(scale: float, rng: np.random.Generator) -> float:
    sign = 1.0 if rng.random() < 0.5 else -1.0
    return sign * scale * rng.standard_exponential()


@compiled()
def _select(sums: FloatArray, scale: float, rng: np.random.Generator) -> int:
    """Report noisy min."""
    best, action = math.inf, 0
    for j in range(len(sums)):
        noisy = sums[j] + _laplace(scale, rng)  # Algorithm 1, line 4
        if noisy < best:
            best, action = noisy, j
    return action


@compiled()
def play(
    table: FloatArray, noise: float, alarm: Alarm, rng: np.random.Generator
) -> tuple[NDArray[np.int32], IntArray]:
    """Play a whole table, shape (T, N): the actions, shape (T,), and the first rounds of the instances.

    n counts the rounds since the restart, rho is the threshold's noise, `clock` the time to the next arrival,
    `silence` the number of rounds in which no window comes near the threshold.
    """
    n_rounds, n_actions = table.shape
    actions, restarts = np.empty(n_rounds, dtype=np.int32), [0]
    regrets = np.zeros((n_rounds + 1 if alarm.windows != asked.NEVER else 1, n_actions))
    lows = asked.minima(n_rounds, n_actions)
    sums, n, silence = np.zeros(n_actions), 0, 0
    action = int(rng.integers(0, n_actions))  # line 2; Algorithm 1, line 1
    rho, clock = _laplace(alarm.scale / 2, rng), rng.standard_exponential()  # line 3
    for t in range(n_rounds):
        n += 1
        if n >= 2 and n & (n - 1) == 0:
            action = _select(sums, noise, rng)  # Algorithm 1, lines 3-4; a block is read once
            sums[:] = 0.0
        actions[t] = action  # line 6
        if 0 <= alarm.watched < t and action != actions[alarm.watched]:
            actions[t:] = action
            break
        for j in range(n_actions):
            sums[j] += table[t, j]
        if alarm.windows == asked.NEVER:
            continue
        asked.record(regrets, lows, n, table, t, action)  # line 5
        silence -= 1
        # every window is still far below, whatever the losses since
        if silence >= 0:
            continue
        above, clock, silence = asked.arrival(regrets, lows, n, alarm, rho, clock, rng)  # lines 8-9
        if above:
            restarts.append(t + 1)  # lines 10-12
            n = 0
            sums[:] = 0.0
            action = int(rng.integers(0, n_actions))
            rho, clock = _laplace(alarm.scale / 2, rng), rng.standard_exponential()
    return actions, np.array(restarts)
