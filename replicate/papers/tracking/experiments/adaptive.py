"""Measured regret against the adaptive adversary of Theorem 5.1, and on a replay of the same losses."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from replicate.budget import cache
from replicate.learners import baselines
from replicate.learners.protocol import Learner
from replicate.papers.tracking.algorithms import adversary, dartboard, meta_experts, mirror_descent, switching
from replicate.papers.tracking.algorithms.limited_updates import LimitedUpdates
from replicate.papers.tracking.instances import SIZES
from replicate.streams import stream


def _contestants(
    n: int, horizon: int, n_switches: int, epsilon: float, rng: np.random.Generator
) -> dict[str, Learner]:
    """Fresh learners for a duel, by name; those with a delta have the largest that Theorem 5.1 admits."""
    board = dartboard.tune_dartboard(
        epsilon=epsilon, delta=((n_switches + 1) / horizon) ** 3, horizon=horizon,
        log_d=switching.log_count_sequences(horizon, n, n_switches),
    )  # fmt: skip
    rate, share = baselines.fixed_share_tuning(n, horizon, n_switches)
    return {
        "Algorithm 1": LimitedUpdates(n, epsilon=epsilon, rng=rng),
        "Algorithm 1, no noise": LimitedUpdates(n, epsilon=1e6, rng=rng),
        "meta-experts": meta_experts.MetaExperts(
            n, n_switches=n_switches, horizon=horizon, dartboard=board, rng=rng
        ),
        "Algorithm 3": mirror_descent.MirrorDescent(
            n, horizon=horizon, n_switches=n_switches, epsilon=epsilon, rng=rng
        ),
        "Fixed Share, not private": baselines.FixedShare(n, learning_rate=rate, share=share, rng=rng),
    }


@cache
def adversarial(profile: str, seed: int) -> pd.DataFrame:
    """Dynamic regret over T against the pair adversary (two copies, S = 1), and on a replay of the same losses.

    epsilon = sqrt(S / T), N = T experts.
    """
    horizon, replicates = SIZES[profile].adversarial
    epsilon, rows = math.sqrt(1 / horizon), []
    for r, rng in enumerate(stream(seed, "tracking/adversarial", horizon).spawn(replicates)):
        fresh = _contestants(horizon, horizon, 1, epsilon, rng)
        for name, learner in _contestants(horizon, horizon, 1, epsilon, rng).items():
            foe = adversary.PairAdversary(horizon // 2, copy_rounds=horizon // 2, rng=rng)
            game = adversary.duel(learner, foe, horizon=horizon, n_switches=1)
            again = adversary.replay(fresh[name], game.table, n_switches=1)
            for kind, regret in (("adaptive", game.regret), ("oblivious replay", again.regret)):
                rows.append(
                    {"horizon": horizon, "replicate": r, "learner": name, "adversary": kind, "regret": regret}
                )
    return pd.DataFrame(rows)


@cache
def one_copy(profile: str, seed: int) -> pd.DataFrame:
    """Static regret against one copy of the pair adversary (Proposition 2): epsilon = 1 / sqrt(T), N = 2 T.

    Algorithm 3 is tuned for one switch.
    """
    horizon, replicates = SIZES[profile].adversarial[0] // 2, SIZES[profile].adversarial[1]
    rows = []
    for rng in stream(seed, "tracking/one_copy", horizon).spawn(replicates):
        for name, learner in _contestants(2 * horizon, horizon, 1, math.sqrt(1 / horizon), rng).items():
            foe = adversary.PairAdversary(horizon, copy_rounds=horizon, rng=rng)
            game = adversary.duel(learner, foe, horizon=horizon, n_switches=0)
            rows.append({"horizon": horizon, "learner": name, "regret": game.regret})
    return pd.DataFrame(rows)


BLIND_ROUNDS = 64


@cache
def blind(profile: str, seed: int, learner: str) -> pd.DataFrame:
    """Dynamic regret of one learner against two copies of the pair adversary, T = N = 64: many short games."""
    horizon, regrets = BLIND_ROUNDS, []
    rate, share = baselines.fixed_share_tuning(horizon, horizon, 1)
    for rng in stream(seed, "tracking/blind", learner).spawn(SIZES[profile].blind):
        player: Learner = (
            LimitedUpdates(horizon, epsilon=math.sqrt(1 / horizon), rng=rng)
            if learner == "Algorithm 1"
            else baselines.FixedShare(horizon, learning_rate=rate, share=share, rng=rng)
        )
        foe = adversary.PairAdversary(horizon // 2, copy_rounds=horizon // 2, rng=rng)
        regrets.append(adversary.duel(player, foe, horizon=horizon, n_switches=1).regret)
    return pd.DataFrame({"regret": regrets})
