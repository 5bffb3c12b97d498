"""AboveThreshold on all windows that end in a round, exact in distribution, by Poisson thinning.

Algorithm 2 asks after each round, for every window that ends there, whether the regret in the window is
too large: T^2 / 2 queries, each with fresh Laplace noise. Given the threshold noise rho the queries are
independent, so a round is passed over with probability prod_w F(rho - q_w): the event is the first
arrival of a Poisson process with hazard h_w = -log F(rho - q_w) in window w. One bound M on all q_w of a
round gives a hazard n h(M) that dominates their sum; arrivals of the dominating process are few, and each
is accepted with probability h_w / h(M) for a window w drawn uniformly (thinning). M comes from minima of
the cumulative regrets over blocks of window starts, blocks of blocks and so on: one is opened only where it could
hold the largest, so that on losses that stay the same a round costs of the order of N log T operations; and while
the largest is far below threshold no round needs to ask.

Symbols: N = experts, D_n[j] = regret against expert j over the first n rounds since the restart, so that the
window of rounds m + 1, ..., n has regret max_j (D_n[j] - D_m[j]).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from replicate.compiled import compiled
from replicate.papers.tracking import bounds
from replicate.validation import FloatArray, IntArray

BLOCK, FAN = 64, 8
"""Starts of windows that share one minimum of the cumulative regrets; blocks that make one of the next level."""

NEVER, ALL, DYADIC = 0, 1, 2
"""Windows that are asked by the compiled loop."""

_LOOSE = 128.0
"""Dominating hazard of one window from which thinning would reject too often; the hazards are then summed."""
_SILENT = 64.0
"""Noise scales below threshold from which a window's hazard, e^-64, is nothing even in 1e8 windows a round."""


class Alarm(NamedTuple):
    """Numbers of a `bounds.RestartRule` that the compiled loop needs.

    Attributes
    ----------
    windows
        `NEVER`, `ALL` or `DYADIC`.
    constant, root
        A window of w + 1 rounds has query regret - constant - root sqrt(w).
    scale
        Of the queries' Laplace noise; the threshold's has half of it.
    watched
        Round, counted from 0, of whose expert only the first round that leaves it is asked: the game ends there,
        and its action stands for all later ones. -1 for games that are played to the end.
    """

    windows: int
    constant: float
    root: float
    scale: float
    watched: int = -1


SILENCE = Alarm(NEVER, 0.0, 0.0, 4.0)
"""The alarm of a learner that never restarts."""


def alarm_of(rule: bounds.RestartRule | None) -> Alarm:
    """Return the alarm of a rule; None never restarts."""
    if rule is None:
        return SILENCE
    windows = DYADIC if rule.windows == "dyadic" else ALL
    # query of line 8; AboveThreshold adds Laplace(4 / epsilon) to it
    return Alarm(windows, rule.constant + rule.accuracy + 1, rule.root, 4 / rule.epsilon)


@compiled(inline="always")
def _hazard(x: float) -> float:
    """Return -log F(x), F the distribution function of Laplace(1)."""
    return -math.log1p(-0.5 * math.exp(-x)) if x >= 0 else math.log(2.0) - x


@compiled(inline="always")
def query(regrets: FloatArray, n: int, m: int, constant: float, root: float) -> float:
    """Return the query of the window of local rounds m + 1, ..., n."""
    regret = -math.inf
    for j in range(regrets.shape[1]):
        regret = max(regret, regrets[n, j] - regrets[m, j])
    return regret - constant - root * math.sqrt(n - m - 1)  # Algorithm 2, line 8


@compiled(inline="always")
def reach(now: FloatArray, low: FloatArray) -> float:
    """Largest regret of a window that ends now and starts where the cumulative regret was `low`."""
    regret = -math.inf
    for j in range(len(now)):
        regret = max(regret, now[j] - low[j])
    return regret


class Minima(NamedTuple):
    """Least cumulative regrets at the starts of windows since the restart.

    Attributes
    ----------
    lows
        Over `BLOCK` starts in a row, then over `FAN` times as many, and so on, shape (number, N); those of larger
        blocks once they are whole.
    firsts
        Row of `lows` at which each level begins, shape (levels,).
    """

    lows: FloatArray
    firsts: IntArray


@compiled()
def minima(n_rounds: int, n_actions: int) -> Minima:
    """Return room for the minima of so many rounds."""
    firsts, size, rows = [0], BLOCK, n_rounds // BLOCK + 1
    while size < n_rounds:
        size *= FAN
        firsts.append(rows)
        rows += n_rounds // size + 1
    return Minima(np.empty((rows, n_actions)), np.array(firsts))


@compiled(inline="always")
def lower(low: FloatArray, other: FloatArray, fresh: bool) -> None:
    """Take another minimum into `low`, its first one if it is fresh."""
    for j in range(len(low)):
        low[j] = other[j] if fresh else min(low[j], other[j])


@compiled(inline="always")
def note(least: Minima, n: int, regret: FloatArray) -> None:
    """Take the regret at the n-th start of a window into the minima, a block that is whole into the next."""
    low, size = least.lows[(n - 1) // BLOCK], BLOCK
    lower(low, regret, (n - 1) % BLOCK == 0)
    for first in least.firsts[1:]:
        if n % size:
            break
        whole, number = low, (n - 1) // size
        low, size = least.lows[first + number // FAN], size * FAN
        lower(low, whole, number % FAN == 0)


@compiled(inline="always")
def record(regrets: FloatArray, least: Minima, n: int, table: FloatArray, t: int, action: int) -> None:
    """Add round t, the n-th since the restart, to the cumulative regrets, and its start to the minima."""
    for j in range(table.shape[1]):
        regrets[n, j] = regrets[n - 1, j] + table[t, action] - table[t, j]
    note(least, n, regrets[n - 1])


@compiled(inline="always")
def _largest(regrets: FloatArray, least: Minima, n: int, root: float) -> float:
    """Bound on regret - root sqrt(w) of all windows that end with local round n, the latest starts first.

    `start` is the latest start that is not yet below the bound; it ends a block of `size` starts, of this level.
    """
    bound, start, level, size = -math.inf, n - 1, 0, BLOCK
    while start >= 0:
        while level < len(least.firsts) - 1 and (start + 1) % (FAN * size) == 0:
            level, size = level + 1, size * FAN
        block = start // size
        shortest = max(0, n - (block + 1) * size)
        value = reach(regrets[n], least.lows[least.firsts[level] + block]) - root * math.sqrt(shortest)
        # the block may hold the largest: look at its parts
        while level and value > bound:
            level, size = level - 1, size // FAN
            value = reach(regrets[n], least.lows[least.firsts[level] + start // size]) - root * math.sqrt(shortest)
        bound, start = max(bound, value), start // size * size - 1
    return bound


@compiled(inline="always")
def arrival(
    regrets: FloatArray, least: Minima, n: int, alarm: Alarm, rho: float, clock: float, rng: np.random.Generator
) -> tuple[bool, float, int]:
    """Return if a window asked after local round n is above threshold, the exponential clock, rounds of silence.

    Regrets grow by at most 1 a round, and that of the last window is at least 0, against the action played: after
    so many more rounds every window is still `_SILENT` scales below.
    """
    bound = _largest(regrets, least, n, alarm.root)
    below = (rho - (bound - alarm.constant)) / alarm.scale
    if below >= _SILENT:
        return False, clock, int((below - _SILENT) * alarm.scale)
    dominating = _hazard(below)
    if alarm.windows == DYADIC or dominating > _LOOSE:
        above, clock = _arrival_summed(regrets, n, alarm, rho, clock, rng)
        return above, clock, 0
    # the dominating process has this much hazard left in the round
    left = n * dominating
    while clock < left:
        left -= clock
        clock = rng.standard_exponential()
        m = int(rng.integers(0, n))
        asked = query(regrets, n, m, alarm.constant, alarm.root)
        # thinning: an arrival counts with probability h_w / h(M)
        if rng.random() * dominating < _hazard((rho - asked) / alarm.scale):
            return True, clock, 0
    # an exponential variable has no memory: what is left of it serves the next round
    return False, clock - left, 0


@compiled()
def _arrival_summed(
    regrets: FloatArray, n: int, alarm: Alarm, rho: float, clock: float, rng: np.random.Generator
) -> tuple[bool, float]:
    """As `arrival`, the hazards of all windows that are asked summed one by one, the shortest first."""
    length = 1
    while length <= n:
        clock -= _hazard((rho - query(regrets, n, n - length, alarm.constant, alarm.root)) / alarm.scale)
        if clock < 0:
            return True, rng.standard_exponential()
        length += length if alarm.windows == DYADIC else 1
    return False, clock
