"""Measured regret on fixed tables (meta-experts, L2P, Algorithm 3), and against adversaries that see the plays."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from replicate.budget import cache
from replicate.learners import baselines
from replicate.learners.protocol import Learner
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import (
    adversary,
    dartboard,
    lazy,
    meta_experts,
    mirror_descent,
    switching,
)
from replicate.papers.tracking.algorithms.limited_updates import LimitedUpdates
from replicate.papers.tracking.instances import EPSILON, SIZES
from replicate.streams import replicated, stream
from replicate.validation import FloatArray

DELTA = 1e-6
AT_HORIZON = 40
"""Runs of Algorithm 3 at a horizon that a claim names: enough for a limit that needs no normality."""

PATIENCE = 40
"""Plays of the good expert in a row after which the watching adversary shifts."""


@cache
def oblivious(profile: str, seed: int) -> pd.DataFrame:
    """Private Shrinking Dartboard on the meta-experts, S shifts, a perfect expert in each phase."""
    return pd.concat([_oblivious(seed, *case) for case in SIZES[profile].oblivious], ignore_index=True)


def _oblivious(seed: int, n: int, switches: int, horizon: int, batch: int, replicates: int) -> pd.DataFrame:
    """Regret at one size, and its stated bound."""
    log_d = switching.log_count_sequences(horizon, n, switches)
    board = dartboard.tune_dartboard(epsilon=EPSILON, delta=DELTA, horizon=horizon, log_d=log_d, batches=(batch,))
    table = np.ones((horizon, n))
    for k, part in enumerate(np.array_split(np.arange(horizon), switches + 1)):
        table[part, k % n] = 0.0

    def play(rng: np.random.Generator) -> float:
        actions, _ = meta_experts.run_dartboard(table, n_switches=switches, dartboard=board, rng=rng)
        return float(table[np.arange(len(table)), actions].sum())

    regret = replicated(play, replicates, stream(seed, "tracking/oblivious", n, switches, horizon, batch))
    return pd.DataFrame({
        "regret": regret, "n_actions": n, "n_switches": switches, "horizon": horizon, "batch": batch,
        "bound": dartboard.dartboard_regret(board, horizon=horizon, log_d=log_d),
        "log_d": log_d, "uniform": horizon * (1 - 1 / n),
    })  # fmt: skip


@cache
def lazy_regret(profile: str, seed: int) -> pd.DataFrame:
    """L2P on the meta-experts, N = 2, S = 1: regret when the perfect expert changes once, and the stated bound."""
    horizon, replicates = SIZES[profile].lazy
    log_d = switching.log_count_sequences(horizon, 2, 1)
    base, bound = lazy.tune_lazy(epsilon=EPSILON, delta=DELTA, horizon=horizon, log_d=log_d)
    table: FloatArray = np.ones((horizon, 2))
    table[: horizon // 2, 0] = table[horizon // 2 :, 1] = 0.0

    def play(rng: np.random.Generator) -> float:
        actions = lazy.run_lazy(table, n_switches=1, lazy=base, rng=rng)
        return float(table[np.arange(horizon), actions].sum())

    regret = replicated(play, replicates, stream(seed, "tracking/lazy", horizon))
    return pd.DataFrame({"regret": regret}).assign(horizon=horizon, bound=bound, uniform=horizon / 2)


@cache
def mirror(
    profile: str, seed: int, calibration: str, horizon: int | None = None, epsilon: float = 0.9
) -> pd.DataFrame:
    """Algorithm 3, N = 2, S = 1, best expert changes once: regret, Theorem B.2 and our bound.

    At the profile's horizon, or in `AT_HORIZON` runs at another one. Corrected, it is the printed learner at half
    the epsilon: one run serves both.
    """
    rounds = SIZES[profile].mirror[0] if horizon is None else horizon
    rate, noise = mirror_descent.parameters(
        n_actions=2, horizon=rounds, n_switches=1, epsilon=epsilon, calibration=calibration
    )
    level = epsilon / 2 if calibration == "corrected" else epsilon
    replicates = SIZES[profile].mirror[1] if horizon is None else AT_HORIZON
    printed, derived = (
        bound(n_actions=2, horizon=rounds, n_switches=1, noise=noise, learning_rate=rate)
        for bound in (bounds.theorem_b2, bounds.tracking_regret)
    )
    return pd.DataFrame({"regret": _mirror_regrets(seed, level, rounds, replicates)}).assign(
        horizon=rounds, uniform=rounds / 2, theorem_b2=printed, derived=derived
    )


@cache
def _mirror_regrets(seed: int, level: float, rounds: int, replicates: int) -> list[float]:
    """Regrets of the printed Algorithm 3 at privacy level `level`."""
    rate, noise = mirror_descent.parameters(
        n_actions=2, horizon=rounds, n_switches=1, epsilon=level, calibration="printed"
    )

    def play(rng: np.random.Generator) -> float:
        return mirror_descent.play_swapped(rounds, rate, noise, 1 / (2 * rounds), rng)

    return replicated(play, replicates, stream(seed, "tracking/mirror", level, rounds))


@cache
def watched(profile: str, seed: int) -> pd.DataFrame:
    """Algorithm 3, corrected, N = 2, S = 1, epsilon = 0.9; the adversary shifts when it is followed."""
    rounds, replicates = SIZES[profile].watched
    setting = {"n_actions": 2, "horizon": rounds, "n_switches": 1}
    rate, noise = mirror_descent.parameters(**setting, epsilon=0.9, calibration="corrected")
    log_d = switching.log_count_sequences(rounds, 2, 1)

    def play(rng: np.random.Generator) -> tuple[float, int]:
        return mirror_descent.play_watched(rounds, rate, noise, 1 / (2 * rounds), PATIENCE, rng)

    games = replicated(play, replicates, stream(seed, "tracking/watched", rounds))
    bound = bounds.watched_regret(**setting, noise=noise, learning_rate=rate, log_d=log_d)
    return pd.DataFrame(games, columns=["regret", "shift"]).assign(horizon=rounds, uniform=rounds / 2, bound=bound)


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
