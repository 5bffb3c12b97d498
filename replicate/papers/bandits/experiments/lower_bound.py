"""Lemma 11: an epsilon-DP algorithm that quickly stops playing an arm has large regret when the arm improves.

The two instances: losses 1/2 and 1 throughout; and the same until action 2 (index 1) falls to 0 after
round tau.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from replicate.budget import cache
from replicate.environments import Deterministic, Shifting
from replicate.papers.bandits import bounds
from replicate.papers.bandits.algorithms import simulation
from replicate.papers.bandits.instances import SIZES
from replicate.streams import stream
from replicate.validation import FloatArray, IntArray

_EXPLORED = 100
"""Batches that the probing learner alternates its actions before it settles on one."""

Noise = Literal["Laplace", "none"]


@dataclass(frozen=True, kw_only=True)
class Probing:
    """The probing learner on both instances, and the lemma's parameters.

    Attributes
    ----------
    epsilon
        Privacy level, true or only declared.
    fraction, delay, pulls, horizon
        The lemma's gamma, tau, p and T, in rounds.
    condition_1, condition_2, replicates
        Replicates in which each condition held, out of how many.
    constant, switching
        Regrets on the two instances, shape (replicates,).
    constant_range, switching_range
        What they lie between, whatever is played.
    """

    epsilon: float
    fraction: float
    delay: int
    pulls: float
    horizon: int
    condition_1: int
    condition_2: int
    replicates: int
    constant: FloatArray
    switching: FloatArray
    constant_range: tuple[float, float]
    switching_range: tuple[float, float]

    @property
    def bound(self) -> float:
        """Lemma 11's right-hand side."""
        about = {"fraction": self.fraction, "delay": self.delay, "pulls": self.pulls}
        return bounds.lemma_11(**about, epsilon=self.epsilon, horizon=self.horizon)


def _probe(losses: FloatArray, rate: float, noise: float, replicates: int, rng: np.random.Generator) -> IntArray:
    """Actions of a learner that alternates, settles, and then plays the other action at a small `rate`.

    It changes sides when a probe's batch mean is below 1/4. Losses are batch means, shape (n, 2); they are
    seen with Laplace(noise) noise. Returns actions, shape (replicates, n).
    """
    n, turns = len(losses), np.arange(_EXPLORED)
    actions = np.empty((n, replicates), dtype=np.int64)
    actions[:_EXPLORED] = turns[:, None] % 2
    means = losses[turns, turns % 2]
    seen = np.tile(means, (replicates, 1))
    if noise:
        seen += rng.laplace(scale=noise, size=(replicates, _EXPLORED))
    side = (seen[:, 1::2].sum(axis=1) < seen[:, ::2].sum(axis=1)).astype(np.int64)
    for j in range(_EXPLORED, n):
        probes, unit = (rng.random(replicates) < rate).nonzero()[0], rng.laplace(size=replicates)
        actions[j] = side
        if len(probes):
            other = 1 - side[probes]
            actions[j, probes] = other
            mean = losses[j, other] + noise * unit[probes]
            side[probes] = np.where(mean < 0.25, other, side[probes])
    return actions.T


@cache
def probing_learner(epsilon: float, noise: Noise, profile: str, seed: int) -> Probing:
    """Play both instances with the probing learner: inside Algorithm 1, or without noise, only declared private.

    Algorithm 1 makes it epsilon-DP. It probes once in 32,000 batches and is played for 4,000; without noise, once
    in 50 rounds for 20,000.
    """
    private = noise == "Laplace"
    rate, batches, tau = (1 / 32_000, 4_000, simulation.batch_size(epsilon)) if private else (1 / 50, 20_000, 1)
    # Private: a window of p / gamma = 3,800 batches, nearly all of the game, in which one play is too many.
    pulls, fraction = (0.1 / epsilon, 0.1 / 3_800) if private else (0.375 / epsilon, 1.05 * rate)
    replicates = SIZES[profile].lower_bound
    constant = np.tile([0.5, 1.0], (batches, 1))
    switched = constant.copy()
    switched[_EXPLORED:, 1] = 0.0
    scale = 1 / (tau * epsilon) if private else 0.0
    rng = stream(seed, "bandits/lemma_11", epsilon, private)
    first, second = (_probe(losses, rate, scale, replicates, rng) for losses in (constant, switched))
    window = first[:, _EXPLORED : _EXPLORED + math.ceil(pulls / fraction / tau)]
    loss = tau * np.take_along_axis(switched[None], second[..., None], axis=2)[..., 0].sum(axis=1)
    best = tau * switched.sum(axis=0).min()
    return Probing(
        epsilon=epsilon,
        fraction=fraction,
        delay=tau * _EXPLORED,
        pulls=pulls,
        horizon=tau * batches,
        condition_1=int((tau * first.sum(axis=1) >= fraction * tau * batches).sum()),  # (1)
        condition_2=int((tau * window.sum(axis=1) <= pulls).sum()),  # (2)
        replicates=replicates,
        constant=0.5 * tau * first.sum(axis=1),
        switching=loss - best,
        constant_range=(0.0, 0.5 * tau * batches),
        switching_range=(
            float(tau * switched.min(axis=1).sum() - best), float(tau * switched.max(axis=1).sum() - best),
        ),
    )  # fmt: skip


RATIOS = (10, 100, 1000)


@cache
def late_plays(profile: str, seed: int) -> dict[int, FloatArray]:
    """Return the rate at which EXP3 without noise plays action 2 at losses 1/2 and 1, over its mixing's gamma / 2.

    Learning rate eta = 0.02, mixing gamma = eta / ratio; rounds from 10 log(1 / gamma) / eta on. One rate
    a replicate, by ratio. Of fewer than 100 the lower limit of a median at 1e-9 is one of the very smallest.
    """
    eta, rates = 0.02, {}
    for ratio in RATIOS:
        gamma = eta / ratio
        wait = math.ceil(10 * math.log(1 / gamma) / eta)
        plan = simulation.exp3(learning_rate=eta, mixing=gamma, n_actions=2)
        losses, rng = Deterministic(np.array([0.5, 1.0])), stream(seed, "bandits/slow_drop", ratio)
        many = max(100, SIZES[profile].lower_bound // 5)
        arms = simulation.batch_actions(losses, plan, horizon=wait + 50_000, replicates=many, rng=rng)
        rates[ratio] = arms[:, wait:].mean(axis=1) / (gamma / 2)
    return rates


@cache
def both_instances(profile: str, seed: int) -> pd.DataFrame:
    """Mean regrets of the probing learner and of HTINF on Lemma 11's two instances, T = 4,000 / epsilon."""
    rows = []
    for epsilon in (1.0, 0.1, 0.01) if profile == "quick" else (1.0, 0.3, 0.1, 0.03, 0.01):
        probing = probing_learner(epsilon, "Laplace", profile, seed)
        start = Deterministic(np.array([0.5, 1.0]))
        switching = Shifting([(probing.delay, start), (probing.horizon, Deterministic(np.array([0.5, 0.0])))])
        setting: dict[str, Any] = {"epsilon": epsilon, "horizon": probing.horizon}
        common = setting | {"bound": probing.bound}
        for name, regret in (("constant", probing.constant), ("switching", probing.switching)):
            rows.append({**common, "learner": "probing", "instance": name, "regret": regret.mean()})
        for name, env in (("constant", start), ("switching", switching)):
            rng = stream(seed, "bandits/both_instances", epsilon, name)
            run = simulation.simulate(env, learner="htinf", **setting, replicates=60, rng=rng)
            rows.append({**common, "learner": "htinf", "instance": name, "regret": run.final.mean()})
    return pd.DataFrame(rows)
