"""Lemma 11: an algorithm that is epsilon-DP and quickly stops playing an arm pays for it when the arm improves.

The two instances: losses 1/2 and 1 throughout; and the same until action 2 (index 1) falls to 0 after
round tau.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from replicate.environments import Deterministic, Shifting
from replicate.papers.bandits import bounds
from replicate.papers.bandits.algorithms import conversion, tuning
from replicate.papers.bandits.instances import SIZES
from replicate.streams import stream
from replicate.validation import FloatArray

__all__ = ["Drop", "both_instances", "probing_learner", "quiet_windows", "slow_drop"]

_EXPLORED = 100
"""Batches that the probing learner alternates its actions before it settles on one."""


@dataclass(frozen=True, kw_only=True)
class Drop:
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

    @property
    def bound(self) -> float:
        """Lemma 11's right-hand side."""
        return bounds.lemma_11(
            fraction=self.fraction, delay=self.delay, pulls=self.pulls, epsilon=self.epsilon, horizon=self.horizon
        )


def _probe(
    losses: FloatArray, rate: float, noise: float, replicates: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Actions of a learner that alternates, settles, and then plays the other action at a small `rate`.

    It changes sides when a probe's batch mean is below 1/4. Losses are batch means, shape (n, 2); they are
    seen with Laplace(noise) noise. Returns actions, shape (replicates, n).
    """
    n, rows = len(losses), np.arange(replicates)
    actions = np.empty((replicates, n), dtype=np.int64)
    actions[:, :_EXPLORED] = np.arange(_EXPLORED) % 2
    heard = losses[:_EXPLORED][np.arange(_EXPLORED), np.arange(_EXPLORED) % 2]
    seen = (
        heard + rng.laplace(scale=noise, size=(replicates, _EXPLORED))
        if noise
        else np.tile(heard, (replicates, 1))
    )
    side = (seen[:, 1::2].sum(axis=1) < seen[:, ::2].sum(axis=1)).astype(np.int64)
    for j in range(_EXPLORED, n):
        probes = rng.random(replicates) < rate
        actions[:, j] = np.where(probes, 1 - side, side)
        mean = losses[j, actions[rows, j]] + noise * rng.laplace(size=replicates)
        side = np.where(probes & (mean < 0.25), 1 - side, side)
    return actions


@cache
def probing_learner(epsilon: float, private: bool, profile: str, seed: int) -> Drop:
    """Play both instances with the probing learner, inside Algorithm 1, or bare and only declared private.

    Algorithm 1 makes it epsilon-DP. It probes once in 16,000 batches and is played for 4,000; bare, once in
    50 rounds for 20,000.
    """
    rate, batches, tau = (1 / 16_000, 4_000, tuning.batch_size(epsilon)) if private else (1 / 50, 20_000, 1)
    delay, pulls = tau * _EXPLORED, 0.375 / epsilon
    fraction = (2.0 if private else 1.05) * rate
    replicates = SIZES[profile].dropped
    constant = np.tile([0.5, 1.0], (batches, 1))
    switched = constant.copy()
    switched[_EXPLORED:, 1] = 0.0
    noise = 1 / (tau * epsilon) if private else 0.0
    rng = stream(seed, "bandits/lemma_11", epsilon, private)
    first, second = (_probe(losses, rate, noise, replicates, rng) for losses in (constant, switched))
    window = first[:, _EXPLORED : _EXPLORED + math.ceil(pulls / fraction / tau)]
    paid = tau * np.take_along_axis(switched[None], second[..., None], axis=2)[..., 0].sum(axis=1)
    return Drop(
        epsilon=epsilon,
        fraction=fraction,
        delay=delay,
        pulls=pulls,
        horizon=tau * batches,
        condition_1=int((tau * first.sum(axis=1) >= fraction * tau * batches).sum()),
        condition_2=int((tau * window.sum(axis=1) <= pulls).sum()),
        replicates=replicates,
        constant=0.5 * tau * first.sum(axis=1),
        switching=paid - tau * switched.sum(axis=0).min(),
    )


@cache
def quiet_windows(learner: str, epsilon: float, profile: str, seed: int) -> tuple[NDArray[np.int64], int]:
    """Count the replicates that play action 2 at most ln 2 / epsilon times in rounds tau + 1 to 3 tau.

    Lemma 11 needs 2 gamma tau <= p < ln 2 / epsilon, so its window of p / gamma rounds holds at least these
    2 tau, and condition (2) can hold only where at least half of the replicates are quiet.

    Returns
    -------
    Counts over a grid of tau, shape (n,), and the number of replicates.
    """
    horizon, replicates = round(4_000 / epsilon), 2 * SIZES[profile].dropped
    plan = tuning.plan(learner, n_actions=2, epsilon=epsilon, horizon=horizon)
    arms = conversion.batch_actions(
        Deterministic(np.array([0.5, 1.0])),
        plan,
        horizon=horizon,
        replicates=replicates,
        rng=stream(seed, "bandits/quiet", learner, epsilon),
    )
    played = np.concatenate(
        [np.zeros((replicates, 1)), np.cumsum(plan.batch * arms.astype(np.int64), axis=1)], axis=1
    )
    delays = np.unique(np.geomspace(1, arms.shape[1] // 3, 40).astype(np.int64))
    return (played[:, 3 * delays] - played[:, delays] <= math.log(2) / epsilon).sum(axis=0), replicates


@cache
def slow_drop(profile: str, seed: int) -> dict[str, FloatArray]:
    """How often EXP3 without noise plays action 2 at losses 1/2 and 1, in units of its mixing's gamma / 2.

    Learning rate 0.02, mixing 1/10 to 1/1000 of it; rounds from 10 log(1 / gamma) / eta on. One rate a replicate.
    """
    eta, rates = 0.02, {}
    for ratio in (10, 100, 1000):
        gamma = eta / ratio
        wait = math.ceil(10 * math.log(1 / gamma) / eta)
        plan = tuning.exp3(learning_rate=eta, mixing=gamma, n_actions=2)
        arms = conversion.batch_actions(
            Deterministic(np.array([0.5, 1.0])),
            plan,
            horizon=wait + 50_000,
            replicates=SIZES[profile].dropped // 5,
            rng=stream(seed, "bandits/slow_drop", ratio),
        )
        rates[f"1/{ratio}"] = arms[:, wait:].mean(axis=1) / (gamma / 2)
    return rates


@cache
def both_instances(profile: str, seed: int) -> pd.DataFrame:
    """Mean regrets of the probing learner and of HTINF on Lemma 11's two instances, T = 4,000 / epsilon."""
    rows = []
    for epsilon in (1.0, 0.1, 0.01) if profile == "quick" else (1.0, 0.3, 0.1, 0.03, 0.01):
        drop = probing_learner(epsilon, True, profile, seed)
        start = Deterministic(np.array([0.5, 1.0]))
        switching = Shifting([(drop.delay, start), (drop.horizon, Deterministic(np.array([0.5, 0.0])))])
        common = {"epsilon": epsilon, "horizon": drop.horizon, "bound": drop.bound}
        rows.append({**common, "learner": "probing", "instance": "constant", "regret": drop.constant.mean()})
        rows.append({**common, "learner": "probing", "instance": "switching", "regret": drop.switching.mean()})
        for name, env in (("constant", start), ("switching", switching)):
            run = conversion.simulate(
                env,
                learner="htinf",
                epsilon=epsilon,
                horizon=drop.horizon,
                replicates=60,
                rng=stream(seed, "bandits/both_instances", epsilon, name),
            )
            rows.append({**common, "learner": "htinf", "instance": name, "regret": run.final.mean()})
    return pd.DataFrame(rows)
