"""Measured window and dynamic regret of Algorithms 1 and 2 on stochastic losses, with and without a shift."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd

from replicate import environments
from replicate.budget import cache
from replicate.learners.protocol import best_sequence
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import restarts
from replicate.papers.tracking.instances import EPSILON, FAILURE, N_ACTIONS, SHIFT, SIZES, one_shift
from replicate.papers.tracking.lemmas import window_ratio
from replicate.streams import replicated, stream
from replicate.validation import FloatArray


@cache
def stationary(profile: str, seed: int, uniform: float = 0.0) -> pd.DataFrame:
    """Algorithm 1 on one law: for each replicate the largest window regret over each of the stated bounds.

    Lemma 3.3 is read at T / 2, Lemma 3.2 at T = 2**9, each on the first rounds of the same run.

    With `uniform`, that share of the rounds is played uniformly, in four runs.
    """
    horizon, replicates = SIZES[profile].stationary
    means = np.full(N_ACTIONS, 0.98)
    means[0] = 0.02
    env = environments.Bernoulli(means)

    def play(rng: np.random.Generator) -> dict[str, float]:
        table = env.losses(0, horizon, rng=rng)
        actions = restarts.run_restarts(table, epsilon=EPSILON, rule=None, rng=rng).actions
        if uniform:
            drawn = rng.integers(N_ACTIONS, size=horizon, dtype=np.int32)
            actions = np.where(rng.random(horizon) < uniform, drawn, actions)
        return _window_ratios(table, table[np.arange(horizon), actions], means)

    rng = stream(seed, "tracking/stationary", "private")
    return pd.DataFrame(replicated(play, 4 if uniform else replicates, rng))


def _window_ratios(table: FloatArray, losses: FloatArray, means: FloatArray) -> dict[str, float]:
    """Largest ratios over all windows of a run to the bounds of Section 3.1, beta = 0.1."""
    horizon, early, middle, row = len(table), 2**9, len(table) // 2, {}
    regret = losses[:, None] - table
    for name, formula in (("printed", bounds.adaptive_regret), ("proved", bounds.proved_regret)):
        constant, root = formula(n_actions=N_ACTIONS, horizon=horizon, failure=FAILURE, epsilon=EPSILON)
        row[name] = window_ratio(regret, constant, root, 0)
    constant, root = bounds.lemma_3_3(n_actions=N_ACTIONS, horizon=middle, failure=FAILURE, epsilon=EPSILON)
    excess = np.column_stack([losses - means[0], means[0] - losses])[:middle]
    row["lemma_3_3"] = window_ratio(excess, constant, root, 0)
    spread = bounds.lemma_3_2(n_actions=N_ACTIONS, horizon=early, failure=FAILURE)
    moved = table[:early] - means
    row["lemma_3_2"] = window_ratio(np.hstack([moved, -moved]), 0.0, spread, 1)
    return row


THRESHOLDS = {"printed": ("printed", 1), "a twentieth": ("eager", 20), "infinite": ("never", 0)}
"""Thresholds of Algorithm 2: key of their stream, and what the printed ones are divided by (0 for infinite)."""


@cache
def detection(profile: str, seed: int, thresholds: str = "printed") -> pd.DataFrame:
    """Algorithm 2 with one shift, beta = 0.1: restarts without a shift, and window regrets between restarts.

    `thresholds`: key of `THRESHOLDS`; infinite ones never restart.
    """
    horizon, replicates = SIZES[profile].detection
    key, divisor = THRESHOLDS[thresholds]
    first = int(SHIFT * horizon)
    rule = bounds.restart_rule(
        n_actions=N_ACTIONS, epsilon=EPSILON, horizon=horizon, failure=FAILURE, calibration="printed"
    )
    terms = {name: getattr(rule, name) / divisor for name in ("accuracy", "constant", "root")} if divisor else {}
    used = replace(rule, **terms) if divisor else None

    def play(rng: np.random.Generator) -> dict[str, float]:
        table = one_shift(horizon, 0.96).losses(0, horizon, rng=rng)
        trace = restarts.run_restarts(table, epsilon=EPSILON / 2, rule=used, rng=rng)
        excess = table[np.arange(horizon), trace.actions][:, None] - table
        starts = [*trace.restarts.tolist(), horizon]
        inside = [
            window_ratio(np.ascontiguousarray(excess[a:b]), rule.constant + 2 * rule.accuracy + 1, rule.root, 0)
            for a, b in zip(starts[:-1], [*(t - 1 for t in starts[1:-1]), horizon], strict=True)
            if b > a
        ]
        spurious = sum(not a < first < b for a, b in pairwise(starts[:-1]))
        return {"spurious": spurious, "restarts": len(starts) - 2, "inside": max(inside)}

    rng = stream(seed, "tracking/detection", key)
    return pd.DataFrame(replicated(play, replicates if thresholds == "printed" else 20, rng))


@cache
def shifting(
    profile: str, seed: int, calibration: str, windows: str = "all", learner: str = "Algorithm 2"
) -> pd.DataFrame:
    """Dynamic regret against two switches, one shift at 0.4 T, beta = 1 / T; and inequality (1).

    `learner`: ``"Algorithm 2"``, or ``"Algorithm 1"``, which does not restart and has the whole of epsilon.
    """
    sizes = SIZES[profile]
    horizon, replicates = sizes.dyadic if windows == "dyadic" else sizes.shifting
    restarted = learner == "Algorithm 2"
    played = (calibration, windows) if restarted else ("printed", "all")  # Algorithm 1 is the same in all of them
    bound = bounds.theorem_3_6(
        n_actions=N_ACTIONS, epsilon=EPSILON, horizon=horizon, calibration=calibration, n_switches=2
    )
    return pd.DataFrame(_shifted(seed, horizon, replicates, *played, restarted)).assign(
        horizon=horizon, uniform=horizon * 0.96 * (1 - 1 / N_ACTIONS), bound=bound
    )


@cache
def _shifted(
    seed: int, horizon: int, replicates: int, calibration: str, windows: str, restarted: bool
) -> list[dict[str, float]]:
    """Scores of runs with one shift, of Algorithm 2 if restarted."""
    rule = bounds.restart_rule(
        n_actions=N_ACTIONS, epsilon=EPSILON, horizon=horizon, calibration=calibration, windows=windows
    )

    def play(rng: np.random.Generator) -> dict[str, float]:
        table = one_shift(horizon, 0.96).losses(0, horizon, rng=rng)
        trace = restarts.run_restarts(
            table, epsilon=EPSILON / 2 if restarted else EPSILON, rule=rule if restarted else None, rng=rng
        )
        return _scores(table, trace, rule)

    return replicated(play, replicates, stream(seed, "tracking/shifting", calibration, windows, restarted))


def _scores(table: FloatArray, trace: restarts.Trace, rule: bounds.RestartRule) -> dict[str, float]:
    """Dynamic regret and pseudo-regret of a run, its worst stretch over inequality (1), restarts and delay.

    A stretch goes from one restart to the next. Pseudo-regret counts the gap, 0.96, of every wrong action.
    """
    horizon = len(table)
    _, best = best_sequence(table, n_switches=2)
    rounds = np.arange(horizon)
    regret = np.cumsum(table[rounds, trace.actions] - table[rounds, best])
    starts = [*trace.restarts.tolist(), horizon]
    first = [t for t in starts[1:-1] if t > SHIFT * horizon]
    delay = first[0] - int(SHIFT * horizon) if first else math.nan
    ratios = []
    for a, b in pairwise(starts):
        if b > a:
            switches = int(np.count_nonzero(np.diff(best[a:b])))
            stretch = regret[b - 1] - (regret[a - 1] if a else 0.0)
            ratios.append(stretch / bounds.inequality_1(rule, switches=switches, length=b - a))
    wrong = int(np.count_nonzero(trace.actions != (rounds >= int(SHIFT * horizon))))
    scores = {"regret": regret[-1], "pseudo": 0.96 * wrong, "piece": max(ratios)}
    return scores | {"restarts": len(starts) - 2, "delay": delay}
