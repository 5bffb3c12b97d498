"""Exact quantities inside the paper's statements and proofs."""

from __future__ import annotations

import math

import numpy as np

from replicate.compiled import compiled
from replicate.papers.tracking.algorithms import lazy, switching
from replicate.papers.tracking.algorithms.windows import BLOCK, query, reach
from replicate.validation import FloatArray


@compiled()
def window_ratio(excess: FloatArray, constant: float, root: float, shortest: int = 0) -> float:
    """Largest regret over a window divided by constant + root sqrt(w), over all windows of w + 1 rounds.

    Ends of windows, and blocks of their starts, that cannot beat the largest ratio so far are passed over.

    Parameters
    ----------
    excess
        Loss of the learner less that of each expert (or of one comparator), shape (T, J).
    constant, root
        The bound.
    shortest
        Smallest w; constant + root sqrt(shortest) must be positive.
    """
    n_rounds, width = excess.shape
    regrets = np.zeros((n_rounds + 1, width))
    lows = np.full((n_rounds // BLOCK + 1, width), math.inf)
    lowest = np.full((n_rounds // BLOCK**2 + 1, width), math.inf)
    worst = -math.inf
    for n in range(1, n_rounds + 1):
        for j in range(width):
            before = regrets[n - 1, j]
            lows[(n - 1) // BLOCK, j] = min(lows[(n - 1) // BLOCK, j], before)
            lowest[(n - 1) // BLOCK**2, j] = min(lowest[(n - 1) // BLOCK**2, j], before)
            regrets[n, j] = before + excess[n - 1, j]
        newest = n - 1 - shortest
        for group in range(newest // BLOCK**2 + 1 if newest >= 0 else 0):
            last = min(newest, group * BLOCK**2 + BLOCK**2 - 1)
            if reach(regrets[n], lowest[group]) <= worst * (constant + root * math.sqrt(n - 1 - last)):
                continue
            for block in range(group * BLOCK, last // BLOCK + 1):
                stop = min(newest, block * BLOCK + BLOCK - 1)
                if reach(regrets[n], lows[block]) <= worst * (constant + root * math.sqrt(n - 1 - stop)):
                    continue
                for m in range(block * BLOCK, stop + 1):
                    value = query(regrets, n, m, 0.0, 0.0) / (constant + root * math.sqrt(n - m - 1))
                    worst = max(worst, value)
    return worst


def laplace_norm_failure(*, n_actions: int, horizon: int, factor: float = 10.0) -> float:
    """Exact P(some |Z|^2 >= factor s^2 log^2(N T)) among N T Laplace(s) draws; Lemma B.3: at most 1 / T."""
    draws = n_actions * horizon
    return -math.expm1(draws * math.log1p(-math.exp(-math.sqrt(factor) * math.log(draws))))


def laplace_norm_factor(*, n_actions: int, horizon: int) -> float:
    """Return the factor at which `laplace_norm_failure` is 1 / T, T >= 2: the smallest with which B.3 holds."""
    draws = n_actions * horizon
    tail = -math.expm1(math.log1p(-1 / horizon) / draws)
    return (math.log(tail) / math.log(draws)) ** 2


def count_listed(horizon: int, n_actions: int, n_switches: int) -> int:
    """Return sum over c <= S of binom(T, c) N^(c + 1): the paper's list of meta-experts, repetitions counted."""
    switches = range(min(n_switches, horizon) + 1)
    return sum(math.comb(horizon, c) * n_actions ** (c + 1) for c in switches)


def corollary_ratios(draw_cost: float = 1.0) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return how the tuned stated regret of L2P compares with Corollary 4.1.1 at N = 16, S = 4, epsilon = 0.1.

    A fresh draw costs `draw_cost` eta of privacy; see `lazy.lazy_epsilon`.

    Returns
    -------
    Nine horizons, the regret over the corollary's rate, and over the first term of the rate: each shape (9,).
    """
    n, s, epsilon, delta = 16, 4, 0.1, 1e-6
    horizons = np.geomspace(1e6, 1e14, 9)
    over_rate, over_first = [], []
    for horizon in horizons:
        t = int(horizon)
        log_d, log = switching.log_count_sequences(t, n, s), math.log(n * t)
        _, regret = lazy.tune_lazy(epsilon=epsilon, delta=delta, horizon=t, log_d=log_d, draw_cost=draw_cost)
        first = math.sqrt(s * t * log)
        over_rate.append(regret / (first + s * t ** (1 / 3) * math.log(t / delta) * log / epsilon ** (2 / 3)))
        over_first.append(regret / first)
    return horizons, np.array(over_rate), np.array(over_first)
