"""Many runs of the compiled learners on one table, and labels of them drawn in threads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from replicate import audit, executors
from replicate.compiled import compiled
from replicate.papers.tracking.algorithms import lazy, meta_experts, mirror_descent, restarts
from replicate.papers.tracking.algorithms.windows import Alarm
from replicate.validation import FloatArray, IntArray

Plays = NDArray[np.int32]
Player = Callable[[int, np.random.Generator], Plays]
"""(runs, rng) to the experts played, shape (runs, T)."""

_CHUNK = 10_000


def sampler(play: Player, label: Callable[[Plays], IntArray]) -> audit.Sampler:
    """Return (n, rng) to the labels of n runs, played in threads."""

    def draw(n: int, rng: np.random.Generator) -> IntArray:
        sizes = [min(_CHUNK, n - first) for first in range(0, n, _CHUNK)]
        streams = rng.spawn(len(sizes))
        return np.concatenate(executors.spread(lambda m, stream: label(play(m, stream)), sizes, streams))

    return draw


@compiled()
def restart_plays(table: FloatArray, noise: float, alarm: Alarm, runs: int, rng: np.random.Generator) -> Plays:
    """Play Algorithm 2, or 1, on one table: shape (runs, T)."""
    plays = np.empty((runs, len(table)), dtype=np.int32)
    for r in range(runs):
        plays[r] = restarts.play(table, noise, alarm, rng)[0]
    return plays


@compiled()
def dartboard_plays(
    table: FloatArray, n_switches: int, rule: meta_experts.Rule, runs: int, rng: np.random.Generator
) -> Plays:
    """Play the meta-experts on one table: shape (runs, T)."""
    plays = np.empty((runs, len(table)), dtype=np.int32)
    for r in range(runs):
        plays[r] = meta_experts.play(table, n_switches, rule, rng)[0]
    return plays


@compiled()
def mirror_plays(
    table: FloatArray, rate: float, noise: float, floor: float, runs: int, rng: np.random.Generator
) -> Plays:
    """Play Algorithm 3 on one table: shape (runs, T)."""
    plays = np.empty((runs, len(table)), dtype=np.int32)
    for r in range(runs):
        plays[r] = mirror_descent.play(table, rate, noise, floor, rng)[0]
    return plays


@compiled()
def lazy_plays(
    table: FloatArray, n_switches: int, rate: float, redraw: float, batch: int, runs: int, rng: np.random.Generator
) -> Plays:
    """Play L2P on one table: shape (runs, T)."""
    plays = np.empty((runs, len(table)), dtype=np.int32)
    for r in range(runs):
        plays[r] = lazy.play(table, n_switches, rate, redraw, batch, rng)
    return plays
