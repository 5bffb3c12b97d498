"""The instances that claims are checked on, and the sizes of each profile."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from replicate.environments import Bernoulli, Deterministic, Environment, Repeated, Shifting, forecasting
from replicate.papers.bandits.algorithms.advice import ExpertProblem
from replicate.profiles import MORE, grown
from replicate.streams import stream
from replicate.validation import FloatArray

GAP_ONE = "losses 0 and 1"
CHANGE = "best arm changes at T/16"
TABLES = ("alternating", "sinusoidal", "one-hot", "forecasters of real ground")
"""Instances that are tables, played over and over."""
ALL = (GAP_ONE, "Bernoulli 0.02 and 0.98", CHANGE, *TABLES)
NARROW = "gap 8 √(K/T)"
"""Bernoulli losses on which HTINF loses most at epsilon = 1, of gaps of 2 to 64 times √(K/T)."""
CHEAP = (*ALL[:3], *TABLES[2:])
"""Those on which uniform play loses enough for short games to be informative."""


@dataclass(frozen=True)
class Setting:
    """One test of a corollary: K, epsilon, repetitions, instances, and how long the games are.

    They are as long as a learner needs that plays a `share` of the games uniformly, to break the bound.
    """

    n_actions: int
    epsilon: float
    replicates: int
    instances: tuple[str, ...] = (GAP_ONE,)
    share: float = 1.0


@dataclass(frozen=True)
class AdviceSetting:
    """One test of a bound with expert advice: K, N, epsilon, repetitions, numbers of contexts, share as above."""

    n_actions: int
    n_experts: int
    epsilon: float
    replicates: int
    contexts: tuple[int, ...] = (1, 2)
    share: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """The sizes of a profile.

    Attributes
    ----------
    conversions, advice
        By statement, the settings at which a regret bound is tested.
    base
        Repetitions, and the (K, lambda) at which the bounds on noisy losses are tested.
    local_power
        Theorem 9's noise is followed to T = 10**local_power at epsilon = T**-0.6.
    sweep_horizon, sweep_replicates
        T and repetitions of the figures over T and over epsilon.
    lower_bound
        Repetitions of Lemma 11's instances.
    """

    conversions: dict[str, tuple[Setting, ...]]
    base: tuple[int, tuple[tuple[int, float], ...]]
    advice: dict[str, tuple[AdviceSetting, ...]]
    local_power: int
    sweep_horizon: int
    sweep_replicates: int
    lower_bound: int


FULL = Sizes(
    conversions={
        "Corollary 2": (
            Setting(2, 1.0, 48, (*CHEAP, "sinusoidal")),
            Setting(8, 1.0, 18, ALL[2:4]),
            Setting(2, 0.001, 48),
            Setting(10, 0.1, 18),
            Setting(4, 1.0, 48, (NARROW,)),
            Setting(4, 1.0, 112, share=0.3),
        ),
        "Corollary 22": (Setting(2, 1.0, 50, (GAP_ONE, CHANGE)), Setting(3, 0.5, 32)),
        "Corollary 24": (Setting(2, 1.0, 50, (GAP_ONE, CHANGE)), Setting(3, 0.5, 32)),
        "Corollary 24, displayed sum": (Setting(2, 1.0, 4),),
    },
    base=(90, ((2, 1.0), (2, 0.5), (5, 1.0))),
    advice={
        "Corollary 8": (
            AdviceSetting(4, 4, 1.0, 24),
            AdviceSetting(10, 10, 0.01, 18, contexts=(1,)),
            AdviceSetting(4, 4, 1.0, 112, contexts=(1,), share=0.3),
        ),
        "Theorem 9": (
            AdviceSetting(4, 2, 1.0, 30),
            AdviceSetting(4, 10, 1.0, 30, contexts=(2,)),
            AdviceSetting(4, 2, 1.0, 150, contexts=(1,), share=0.36),
        ),
        "Theorem 10": (
            AdviceSetting(4, 2, 1.0, 24),
            AdviceSetting(4, 20, 1.0, 24, contexts=(2,)),
            AdviceSetting(3, 2, 1.0, 140, contexts=(1,), share=0.3),
        ),
    },
    local_power=6,
    sweep_horizon=2 * 10**6,
    sweep_replicates=8,
    lower_bound=300,
)
SIZES = {
    "quick": Sizes(
        conversions={
            "Corollary 2": (
                Setting(4, 1.0, 24, (ALL[1], NARROW)), Setting(4, 0.001, 24), Setting(4, 1.0, 42, share=0.7),
            ),
            "Corollary 22": (Setting(2, 1.0, 46),),
            "Corollary 24": (Setting(2, 1.0, 44),),
            "Corollary 24, displayed sum": (Setting(2, 1.0, 4),),
        },
        base=(42, ((3, 1.0),)),
        advice={
            "Corollary 8": (AdviceSetting(4, 4, 1.0, 39, contexts=(1,), share=0.7),),
            "Theorem 9": (AdviceSetting(4, 2, 1.0, 50, contexts=(1,), share=0.7),),
            "Theorem 10": (AdviceSetting(3, 2, 1.0, 48, contexts=(1,), share=0.7),),
        },
        local_power=5,
        sweep_horizon=50_000,
        sweep_replicates=8,
        lower_bound=260,
    ),
    "full": FULL,
    "huge": grown(
        FULL, "sweep_replicates", "lower_bound",
        conversions={key: tuple(grown(s, "replicates") for s in tests) for key, tests in FULL.conversions.items()},
        advice={key: tuple(grown(s, "replicates") for s in tests) for key, tests in FULL.advice.items()},
        base=(MORE * FULL.base[0], FULL.base[1]), local_power=8, sweep_horizon=10**8,
    ),
}  # fmt: skip


def informative_horizon(bound: Callable[..., ArrayLike], rate: float, *, start: float = 10.0) -> float:
    """Smallest horizon from `start` on at which uniform play, with regret `rate` * T, exceeds bound(horizon=T).

    Infinity when that is beyond 1e30.
    """
    low, high = math.log(start), math.log(1e30)
    if rate * 1e30 <= float(np.asarray(bound(horizon=1e30))):
        return math.inf
    for _ in range(100):
        middle = (low + high) / 2
        horizon = math.exp(middle)
        low, high = (low, middle) if rate * horizon > float(np.asarray(bound(horizon=horizon))) else (middle, high)
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


def instance(name: str, k: int, horizon: int) -> Environment:
    """Return one of `ALL`, on which uniform play has a regret of at least T / 4 for K = 2, or `NARROW`."""
    if name in TABLES:
        return Repeated(_ground(k) if name == TABLES[-1] else tables(k, _PERIOD)[name])
    if name == GAP_ONE:
        return gap_one(k)
    if name == CHANGE:
        first = Deterministic((np.arange(k) != 1).astype(float))
        return Shifting([(horizon // 16, first), (horizon, gap_one(k))])
    if name == NARROW:
        gap = 8 * math.sqrt(k / horizon)
        return Bernoulli(np.where(np.arange(k) > 0, (1 + gap) / 2, (1 - gap) / 2))
    return Bernoulli(np.where(np.arange(k) > 0, 0.98, 0.02))


def uniform_rate(k: int, name: str) -> float:
    """Regret of uniform play per round on an instance, in the long run; that of `GAP_ONE` for `NARROW` gaps."""
    horizon, known = 16 * 10**6, GAP_ONE if name == NARROW else name
    return uniform_regret(instance(known, k, horizon), horizon) / horizon


def uniform_regret(env: Environment, horizon: int) -> float:
    """Expected regret of uniform play."""
    total = env.mean_sums(0, horizon)
    return float(total.mean() - total.min())


def regret_range(env: Environment, horizon: int) -> tuple[float, float]:
    """Return the least and the largest pseudo-regret that actions can have, on a listed instance.

    With gap_t(i) = E[loss_t(i)] - E[loss_t(best)], where the best action has the least loss over the horizon, a
    sequence of actions has the pseudo-regret sum_t gap_t(I_t): between the sums over rounds of the smallest and of
    the largest gap.
    """
    parts = [(env, 0, horizon)]
    if isinstance(env, Shifting):
        phases = zip(env.environments, env.starts, env.stops, strict=True)
        parts = [(phase, 0, int(min(stop, horizon) - start)) for phase, start, stop in phases if start < horizon]
    best, ends = int(env.mean_sums(0, horizon).argmin()), np.zeros(2)
    for phase, start, stop in parts:
        rows = phase.rows if isinstance(phase, Repeated) else phase.mean_sums(start, start + 1)[None]
        counts = stop // len(rows) + (np.arange(len(rows)) < stop % len(rows))
        gaps = rows - rows[:, [best]]
        ends += [counts @ gaps.min(axis=1), counts @ gaps.max(axis=1)]
    return float(ends[0]), float(ends[1])


def one_good_expert(n_experts: int, n_actions: int, *, contexts: int = 1, drawn: bool = False) -> ExpertProblem:
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
