"""The instances that claims are checked on, and the sizes of each profile."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from replicate.environments import Bernoulli, Deterministic, Environment, Repeated, Shifting, forecasting
from replicate.papers.bandits.algorithms.advice import ExpertProblem
from replicate.streams import stream
from replicate.validation import FloatArray

__all__ = [
    "SIZES",
    "TABLES",
    "Sizes",
    "biting_horizon",
    "crowd",
    "gap_one",
    "instances",
    "tables",
    "uniform_rate",
    "uniform_regret",
]


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """What a profile computes.

    Attributes
    ----------
    replicates
        Repetitions behind a bound's upper confidence limit.
    htinf, exp3, ftpl
        (K, epsilon) at which Corollaries 2, 22, 24 are tested.
    experts
        Numbers of experts for Theorem 9 and for Theorem 10.
    local_power
        Theorem 9's noise is followed to T = 10**local_power at epsilon = T**-0.6.
    sweep_horizon, sweep_replicates
        T and repetitions of the figures over T and over epsilon.
    dropped
        Repetitions of Lemma 11's instances.
    """

    replicates: int
    htinf: tuple[tuple[int, float], ...]
    exp3: tuple[tuple[int, float], ...]
    ftpl: tuple[tuple[int, float], ...]
    experts: tuple[int, ...]
    local_power: int
    sweep_horizon: int
    sweep_replicates: int
    dropped: int


SIZES = {
    "quick": Sizes(
        replicates=8,
        htinf=((2, 1.0), (2, 0.001)),
        exp3=((2, 1.0),),
        ftpl=((2, 1.0),),
        experts=(2,),
        local_power=6,
        sweep_horizon=10**5,
        sweep_replicates=20,
        dropped=260,
    ),
    "full": Sizes(
        replicates=12,
        htinf=((2, 1.0), (2, 0.1), (2, 0.001), (10, 1.0), (10, 0.01)),
        exp3=((2, 1.0), (2, 0.1), (2, 0.01)),
        ftpl=((2, 1.0), (2, 0.01), (10, 1.0)),
        experts=(2, 10, 100),
        local_power=8,
        sweep_horizon=10**7,
        sweep_replicates=10,
        dropped=300,
    ),
}


def biting_horizon(bound: Callable[[float], Any], rate: float, *, start: float = 10.0) -> float:
    """Smallest horizon from `start` on at which uniform play, with regret `rate` * T, exceeds bound(T).

    Infinity when that is beyond 1e30.
    """
    low, high = math.log(start), math.log(1e30)
    if rate * 1e30 <= float(bound(1e30)):
        return math.inf
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if rate * math.exp(middle) > float(bound(math.exp(middle))) else (middle, high)
    return math.exp(high)


def gap_one(k: int) -> Deterministic:
    """One action never loses, the others always do."""
    return Deterministic((np.arange(k) > 0).astype(float))


@cache
def _ground(k: int) -> FloatArray:
    """Real losses: forecasters of a line of ground, the best one first, shape (138616, K), K at most 8."""
    losses = forecasting.sample_losses("elevation")
    order = losses.mean(axis=0).argsort()
    return losses[:, [order[0], *order[:-k:-1]]]


def tables(k: int, rounds: int) -> dict[str, FloatArray]:
    """Oblivious loss tables, shape (rounds, K) each, 2 <= K <= 8; the last one is real."""
    t, i = np.arange(rounds)[:, None], np.arange(k)
    return {
        "alternating": np.where(i > 0, 1.0, t % 2),
        "sinusoidal": 0.25 + 0.5 * (i > 0) + 0.25 * np.sin(2 * np.pi * (t / 125 + i / k)),
        "one-hot": (np.where(t % 11, 1 + t % (k - 1), 0) == i).astype(float),
        "switching": np.where((t < rounds // 3) ^ (i == 1), 1.0, 0.2),
        "forecasters of real ground": _ground(k)[:rounds],
    }


_PERIOD = 2750
TABLES = ("alternating", "sinusoidal", "one-hot", "forecasters of real ground")
"""Instances that are tables, played over and over."""


def instances(k: int, horizon: int, *, listed: bool = True) -> dict[str, Environment]:
    """Instances on which uniform play pays at least T / 4 for K = 2, with or without those that are `TABLES`."""
    swapped = Deterministic((np.arange(k) != 1).astype(float))
    known: dict[str, Environment] = {
        "losses 0 and 1": gap_one(k),
        "Bernoulli 0.02 and 0.98": Bernoulli(np.where(np.arange(k) > 0, 0.98, 0.02)),
        "best arm changes at T/16": Shifting([(horizon // 16, swapped), (horizon, gap_one(k))]),
    }
    if not listed:
        return known
    periods = tables(k, _PERIOD) | {TABLES[-1]: _ground(k)}
    return known | {name: Repeated(periods[name]) for name in TABLES}


def uniform_rate(k: int, name: str) -> float:
    """Regret of uniform play a round on an instance, in the long run."""
    horizon = 16 * 10**6
    return uniform_regret(instances(k, horizon, listed=name in TABLES)[name], horizon) / horizon


def uniform_regret(env: Environment, horizon: int) -> float:
    """Expected regret of uniform play."""
    total = env.mean_sums(0, horizon)
    return float(total.mean() - total.min())


def crowd(n_experts: int, n_actions: int, *, contexts: int = 1, drawn: bool = False) -> ExpertProblem:
    """One good expert among N - 1 whose advice ignores the losses; losses 0 for one action, 1 for the others.

    With several contexts the good action changes from round to round, and the good expert's advice with it.
    """
    rng = stream(0, "bandits/crowd", n_experts, n_actions, contexts)
    advice = rng.dirichlet(np.full(n_actions, 0.3), size=(contexts, n_experts))
    good = np.arange(contexts) % n_actions
    if contexts == 1:
        advice = np.concatenate([np.zeros((1, n_experts, 1)), advice[..., 1:] + 1e-3], axis=-1)
        advice /= advice.sum(axis=-1, keepdims=True)
    advice[:, 0] = np.eye(n_actions)[good]
    return ExpertProblem(advice, 1 - np.eye(n_actions)[good], drawn)
