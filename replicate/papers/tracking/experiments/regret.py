"""Measured data: what the claims are checked on and the figures drawn from."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from replicate import certify, environments
from replicate.learners import baselines
from replicate.learners.comparator import best_sequence
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import (
    adversary,
    dartboard,
    lazy,
    meta_experts,
    mirror_descent,
    restarts,
    switching,
)
from replicate.papers.tracking.algorithms.dartboard import Dartboard
from replicate.papers.tracking.algorithms.limited_updates import LimitedUpdates
from replicate.papers.tracking.instances import EPSILON, FAILURE, N_EXPERTS, SHIFT, SIZES, one_shift
from replicate.papers.tracking.privacy import exact
from replicate.streams import stream
from replicate.validation import FloatArray
from replicate.workbook import sweep

__all__ = [
    "adversarial",
    "detection",
    "half_play_limits",
    "lazy_regret",
    "mirror",
    "oblivious",
    "restart_pair",
    "shifting",
    "stationary",
]

Row = TypeVar("Row")


def _replicates(play: Callable[[np.random.Generator], Row], rng: np.random.Generator, n: int) -> list[Row]:
    """Run `play` on n independent streams, in threads: the kernels release the interpreter's lock."""
    with sweep.threads() as pool:
        return list(pool.map(play, rng.spawn(n)))


@cache
def stationary(profile: str, seed: int, learner: str = "private") -> pd.DataFrame:
    """Algorithm 1 on one law: for each replicate the largest window regret over each of the stated bounds.

    Lemma 3.3 is read at T = 2**13, Lemma 3.2 at T = 2**9, each on the first rounds of the same run.

    `learner`: ``"private"``, or ``"uniform"`` for uniform play.
    """
    horizon, replicates = SIZES[profile].stationary
    beta = FAILURE
    sizes = {"n_experts": N_EXPERTS, "horizon": horizon, "failure": beta}
    means = np.full(N_EXPERTS, 0.98)
    means[0] = 0.02
    env, early, middle = environments.Bernoulli(means), 2**9, 2**13
    constants = {
        "printed": bounds.adaptive_regret(**sizes, epsilon=EPSILON),  # type: ignore[arg-type]
        "proven": bounds.adaptive_regret(**sizes, epsilon=EPSILON, calibration="proven"),  # type: ignore[arg-type]
    }
    lemma = bounds.lemma_3_3(n_experts=N_EXPERTS, horizon=middle, failure=beta, epsilon=EPSILON)
    spread = bounds.lemma_3_2(n_experts=N_EXPERTS, horizon=early, failure=beta)

    def play(rng: np.random.Generator) -> dict[str, float]:
        table = env.losses(0, horizon, rng=rng)
        if learner == "private":
            actions = restarts.run_restarts(table, epsilon=EPSILON, rule=None, rng=rng).actions
        else:
            actions = rng.integers(N_EXPERTS, size=horizon, dtype=np.int32)
        paid = table[np.arange(horizon), actions]
        row = {name: restarts.window_ratio(paid[:, None] - table, *pair) for name, pair in constants.items()}
        excess = np.column_stack([paid - means[0], means[0] - paid])[:middle]
        row["lemma_3_3"] = restarts.window_ratio(excess, *lemma)
        moved = table[:early] - means
        row["lemma_3_2"] = restarts.window_ratio(np.hstack([moved, -moved]), 0.0, spread, 1)
        return row

    rng = stream(seed, "tracking/stationary", learner)
    return pd.DataFrame(_replicates(play, rng, replicates if learner == "private" else 4))


@cache
def detection(profile: str, seed: int, learner: str = "printed") -> pd.DataFrame:
    """Algorithm 2 with one shift, beta = 0.1: restarts without a shift, and window regrets between restarts.

    `learner`: a calibration; ``"eager"`` divides every threshold by 20; ``"never"`` does not restart.
    """
    horizon, replicates = SIZES[profile].detection
    first = int(SHIFT * horizon)
    calibration = learner if learner in bounds.CALIBRATIONS else "printed"
    rule = bounds.restart_rule(
        n_experts=N_EXPERTS, epsilon=EPSILON, horizon=horizon, failure=FAILURE, calibration=calibration
    )
    used: bounds.RestartRule | None = rule
    if learner == "eager":
        used = replace(rule, accuracy=rule.accuracy / 20, constant=rule.constant / 20, root=rule.root / 20)
    elif learner == "never":
        used = None

    def play(rng: np.random.Generator) -> dict[str, float]:
        table = one_shift(horizon, 0.96).losses(0, horizon, rng=rng)
        trace = restarts.run_restarts(table, epsilon=EPSILON / 2, rule=used, rng=rng)
        excess = table[np.arange(horizon), trace.actions][:, None] - table
        starts = [*trace.restarts.tolist(), horizon]
        inside = [
            restarts.window_ratio(
                np.ascontiguousarray(excess[a:b]), rule.constant + 2 * rule.accuracy + 1, rule.root
            )
            for a, b in zip(starts[:-1], [*(t - 1 for t in starts[1:-1]), horizon], strict=True)
            if b > a
        ]
        spurious = sum(not a < first < b for a, b in pairwise(starts[:-1]))
        return {"spurious": spurious, "restarts": len(starts) - 2, "inside": max(inside)}

    rng = stream(seed, "tracking/detection", learner)
    return pd.DataFrame(_replicates(play, rng, replicates if learner == calibration else 20))


@cache
def shifting(
    profile: str, seed: int, calibration: str, windows: str = "all", restart: bool = True
) -> pd.DataFrame:
    """Algorithm 2, one shift at 0.4 T, beta = 1 / T: dynamic regret against two switches, and inequality (1)."""
    sizes = SIZES[profile]
    horizon, replicates = {"proven": sizes.proven}.get(
        calibration, sizes.dyadic if windows == "dyadic" else sizes.shifting
    )
    setting = {"n_experts": N_EXPERTS, "epsilon": EPSILON, "horizon": horizon, "calibration": calibration}
    rule = bounds.restart_rule(**setting, windows=windows)  # type: ignore[arg-type]
    base = EPSILON / 2 if restart else EPSILON

    def play(rng: np.random.Generator) -> dict[str, float]:
        table = one_shift(horizon, 0.96).losses(0, horizon, rng=rng)
        trace = restarts.run_restarts(table, epsilon=base, rule=rule if restart else None, rng=rng)
        _, best = best_sequence(table, n_switches=2)
        rounds = np.arange(horizon)
        excess = np.cumsum(table[rounds, trace.actions] - table[rounds, best])
        starts = [*trace.restarts.tolist(), horizon]
        pieces = []
        for a, b in pairwise(starts):
            if b > a:
                switches = int(np.count_nonzero(np.diff(best[a:b])))
                paid = excess[b - 1] - (excess[a - 1] if a else 0.0)
                pieces.append(paid / bounds.inequality_1(rule, switches=switches, length=b - a))
        first = [t for t in starts[1:-1] if t > SHIFT * horizon]
        delay = first[0] - int(SHIFT * horizon) if first else math.nan
        return {"regret": excess[-1], "piece": max(pieces), "restarts": len(starts) - 2, "delay": delay}

    rng = stream(seed, "tracking/shifting", calibration, windows, restart)
    data = pd.DataFrame(_replicates(play, rng, replicates))
    uniform = horizon * 0.96 * (1 - 1 / N_EXPERTS)
    return data.assign(
        horizon=horizon,
        uniform=uniform,
        bound=bounds.theorem_3_6(**setting, n_switches=2),  # type: ignore[arg-type]
    )


@cache
def oblivious(profile: str, seed: int) -> pd.DataFrame:
    """Private Shrinking Dartboard on the meta-experts, S shifts, a perfect expert in each phase."""
    rows = []
    for n, switches, horizon, batch, replicates in SIZES[profile].oblivious:
        log_d = switching.log_count_sequences(horizon, n, switches)
        board = dartboard.tune_dartboard(
            epsilon=EPSILON, delta=1e-6, horizon=horizon, log_d=log_d, batches=(batch,)
        )
        table = np.ones((horizon, n))
        for k, part in enumerate(np.array_split(np.arange(horizon), switches + 1)):
            table[part, k % n] = 0.0

        def play(
            rng: np.random.Generator, table: FloatArray = table, s: int = switches, board: Dartboard = board
        ) -> float:
            actions, _ = meta_experts.run_dartboard(table, n_switches=s, dartboard=board, rng=rng)
            return float(table[np.arange(len(table)), actions].sum())

        rng = stream(seed, "tracking/oblivious", n, switches, horizon, batch)
        regret = _replicates(play, rng, replicates)
        rows.append(
            pd.DataFrame({
                "regret": regret, "n_experts": n, "n_switches": switches, "horizon": horizon, "batch": batch,
                "bound": dartboard.dartboard_regret(board, horizon=horizon, log_d=log_d),
                "log_d": log_d, "uniform": horizon * (1 - 1 / n),
            })
        )  # fmt: skip
    return pd.concat(rows, ignore_index=True)


@cache
def lazy_regret(profile: str, seed: int) -> pd.DataFrame:
    """L2P on the meta-experts, N = 2, S = 1: regret when the perfect expert changes once, and the stated bound."""
    horizon, replicates = SIZES[profile].lazy
    log_d = switching.log_count_sequences(horizon, 2, 1)
    rate, redraw, batch, bound = dartboard.tune_lazy(epsilon=EPSILON, delta=1e-6, horizon=horizon, log_d=log_d)
    base = lazy.Lazy(learning_rate=rate, redraw=redraw, batch=batch)
    table = np.ones((horizon, 2))
    table[: horizon // 2, 0] = table[horizon // 2 :, 1] = 0.0

    def play(rng: np.random.Generator) -> float:
        actions = lazy.run_lazy(table, n_switches=1, lazy=base, rng=rng)
        return float(table[np.arange(horizon), actions].sum())

    regret = _replicates(play, stream(seed, "tracking/lazy", horizon), replicates)
    return pd.DataFrame({"regret": regret}).assign(horizon=horizon, bound=bound, uniform=horizon / 2)


@cache
def mirror(profile: str, seed: int, calibration: str, horizon: int | None = None) -> pd.DataFrame:
    """Algorithm 3, N = 2, S = 1, epsilon = 0.9, best expert changes once: regret, Theorem B.2 and our bound."""
    standard, replicates = SIZES[profile].mirror
    rounds = standard if horizon is None else horizon
    replicates = replicates if horizon is None else 4
    sizes = {"n_experts": 2, "horizon": rounds, "n_switches": 1}
    rate, noise = mirror_descent.parameters(**sizes, epsilon=0.9, calibration=calibration)
    table: NDArray[Any] = np.zeros((rounds, 2), dtype=np.uint8)
    table[: rounds // 2, 0] = table[rounds // 2 :, 1] = 1

    def play(rng: np.random.Generator) -> float:
        _, paid = mirror_descent.run_mirror_descent(
            table, learning_rate=rate, noise=noise, floor=1 / (2 * rounds), rng=rng
        )
        return float(paid.sum())

    regrets = _replicates(play, stream(seed, "tracking/mirror", calibration, rounds), replicates)
    constants = {"noise": noise, "learning_rate": rate}
    return pd.DataFrame({"regret": regrets}).assign(
        horizon=rounds,
        uniform=rounds / 2,
        theorem_b2=bounds.theorem_b2(**sizes, **constants),  # type: ignore[arg-type]
        derived=bounds.tracking_regret(**sizes, **constants),  # type: ignore[arg-type]
    )


def _contestants(n: int, horizon: int, n_switches: int, epsilon: float, rng: np.random.Generator):  # type: ignore[no-untyped-def]
    """Fresh learners for a duel, by name."""
    board = dartboard.tune_dartboard(
        epsilon=epsilon, delta=1e-6, horizon=horizon,
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
    horizons, replicates = SIZES[profile].adversarial
    rows = []
    for horizon in horizons:
        epsilon = math.sqrt(1 / horizon)
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
def restart_pair(calibration: str) -> exact.RestartPair:
    """Return the event that gives Algorithm 2 away, N = 2, epsilon = 4."""
    return exact.restart_pair(epsilon=4.0, horizon=8192, calibration=calibration)


@cache
def half_play_limits(profile: str, seed: int, calibration: str) -> tuple[certify.Interval, certify.Interval]:
    """How often at least 37 of 59 plays fall into the favoured, and into the disfavoured, half of 200 experts."""
    runs = SIZES[profile].audit_runs // (1 if calibration == "printed" else 4)

    def play(rng: np.random.Generator) -> NDArray[np.int64]:
        return exact.half_counts(
            n_experts=200, horizon=60, n_switches=10, epsilon=0.9, calibration=calibration,
            replicates=runs // 10, rng=rng,
        )  # fmt: skip

    counts = np.concatenate(_replicates(play, stream(seed, "tracking/half_counts", calibration), 10))
    favoured, disfavoured = (
        certify.clopper_pearson(int((x >= 37).sum()), len(x), false_alarm=certify.share(2))
        for x in (counts, 59 - counts)
    )
    return favoured, disfavoured
