"""The learners audited: their own plays on a fixed pair of neighbouring tables, next to exact laws of that pair.

A pair differs in one round's whole loss vector. Plays come from the compiled learners, a hundred thousand
runs and more; `audit.certified_privacy_loss` turns labels computed from the plays (which can only lose
information) into a lower limit on epsilon.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numba import njit
from numpy.typing import NDArray

from replicate import audit
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import dartboard, meta_experts, mirror_descent, restarts, switching
from replicate.papers.tracking.privacy import exact as privacy
from replicate.streams import stream
from replicate.validation import FloatArray, IntArray
from replicate.workbook import sweep

__all__ = [
    "DARTBOARDS",
    "SAMPLES",
    "Audit",
    "alarm_pair",
    "alarm_zones",
    "audit_alarm",
    "audit_dartboard",
    "audit_mirror",
    "audit_selections",
    "audit_table",
]

Player = Callable[[int, np.random.Generator], NDArray[np.int32]]
"""(runs, rng) to the experts played, shape (runs, T)."""

SAMPLES = {"quick": 2 * 10**5, "full": 10**6}
"""Runs on each of the two tables."""
_CHUNK = 10_000
EPSILON = 1.0


@dataclass(frozen=True, kw_only=True)
class Audit:
    """What an audit of one learner on one pair of tables found, all in units of the declared epsilon.

    Attributes
    ----------
    exact
        Privacy loss of the pair, computed (NaN where no exact law is at hand).
    certified
        Lower limit that the sampled plays certify.
    proved
        Upper bound that the analysis gives.
    runs
        Runs on each table.
    """

    exact: float
    certified: float
    proved: float
    runs: int


def _sampler(play: Player, label: Callable[[NDArray[np.int32]], IntArray]) -> audit.Sampler:
    """Return (n, rng) to the labels of n runs, played in threads."""

    def draw(n: int, rng: np.random.Generator) -> IntArray:
        sizes = [min(_CHUNK, n - first) for first in range(0, n, _CHUNK)]
        with sweep.threads() as pool:
            return np.concatenate(list(pool.map(lambda m, own: label(play(m, own)), sizes, rng.spawn(len(sizes)))))

    return draw


# Algorithm 1: which expert each block's losses select


def _selection_pair() -> tuple[FloatArray, FloatArray]:
    """Eight rounds, two experts: expert 0 loses in all of the block 4 to 7, or in all but its last round."""
    first = np.zeros((8, 2))
    first[3:7, 0] = 1.0
    second = first.copy()
    second[6] = [0.0, 1.0]
    return first, second


@cache
def audit_selections(profile: str, seed: int, noise: float = 1.0) -> Audit:
    """Algorithm 1 at epsilon = 1, its noise multiplied by `noise`: the expert played in round 8."""
    pair, epsilon = _selection_pair(), EPSILON / noise
    laws = [privacy.limited_updates_law(table[:7], epsilon=epsilon) for table in pair]
    samples = 2 * SAMPLES[profile]

    def sampler(table: FloatArray) -> audit.Sampler:
        return _sampler(
            lambda n, rng: _restart_plays(table, 2 / epsilon, 0.0, 0.0, 1.0, 0, n, rng),
            lambda plays: plays[:, -1].astype(np.int64),
        )

    rng = stream(seed, "tracking/audit/selections", noise)
    certified = audit.certified_privacy_loss(*map(sampler, pair), samples=samples, rng=rng)
    exact = float(audit.privacy_loss(*laws)) / EPSILON
    return Audit(exact=exact, certified=certified / EPSILON, proved=1 / noise, runs=samples)


# Algorithm 2: when the alarm goes off

ALARM_EPSILON = 8.0
ALARM_THRESHOLD = 16.0
_CLIMB, _BEFORE = 16, 63


def alarm_pair() -> tuple[FloatArray, FloatArray]:
    """Two neighbouring tables, (127, 8), on which the moment of Algorithm 2's restart tells one round.

    Experts 2 to 7 are twins, perfect for 63 rounds, so one of them is selected for rounds 64 to 127. There its
    regret against expert 0 climbs by 16, rests for 16 rounds and falls back; then its regret against expert 1
    climbs by 16. The round at the top of the first climb differs: it adds 1 or takes 1 away. A restart that
    comes only in the second climb means silence at the first top, which one table makes likelier; the windows
    of the second climb start after that round and do not notice it. Twins make a restart visible: it draws
    the expert anew.
    """
    climb, fall, late = ([a, b] + [twins] * 6 for a, b, twins in ((0, 1, 1), (1, 1, 0), (1, 0, 1)))
    rows = [fall] * _BEFORE + [climb] * (_CLIMB - 1)
    top = len(rows)
    rows += [fall] + [[0] * 8] * _CLIMB + [fall] * _CLIMB + [late] * _CLIMB
    first = np.array(rows, dtype=np.float64)
    second = first.copy()
    second[top] = climb
    return first, second


def alarm_rule(calibration: str) -> bounds.RestartRule:
    """AboveThreshold as calibrated, with one threshold of 16 for all windows.

    Thresholds are public and no part of the privacy argument. The paper's are of several hundred rounds, and
    the same tables, stretched, would reach them.
    """
    own = ALARM_EPSILON / (2 if calibration == "printed" else 3)
    return bounds.RestartRule(own, 0.0, ALARM_THRESHOLD - 1, 0.0)


def _zones(departure: IntArray) -> IntArray:
    """Never (0), before the second climb (1), or in it (2): from the round in which another expert is played."""
    second = 127 - _CLIMB
    return np.where(departure >= 127, 0, np.where(departure > second, 2, 1))


def alarm_zones(table: FloatArray, calibration: str) -> FloatArray:
    """Exact probabilities that Algorithm 2 never restarts, or before the second climb, or in it: shape (3,)."""
    law = privacy.restart_law(table, rule=alarm_rule(calibration), held=2)
    return np.asarray(np.bincount(_zones(np.arange(1, 129)), weights=law, minlength=3), dtype=np.float64)


def alarm_sampler(table: FloatArray, calibration: str) -> audit.Sampler:
    """Algorithm 2 itself: the zone of the first round that does not play the expert of round 64."""
    rule = alarm_rule(calibration)

    def label(plays: NDArray[np.int32]) -> IntArray:
        away = plays[:, _BEFORE:] != plays[:, [_BEFORE]]
        return _zones(np.where(away.any(axis=1), away.argmax(axis=1) + _BEFORE, 127))

    numbers = (2 / (ALARM_EPSILON / 2), rule.constant + rule.accuracy + 1, rule.root, rule.epsilon, 1)
    return _sampler(lambda n, rng: _restart_plays(table, *numbers, n, rng), label)


@cache
def audit_alarm(profile: str, seed: int, calibration: str) -> Audit:
    """Algorithm 2 at epsilon = 8: what the moment of the restart gives away, in units of epsilon.

    The round that differs is read by no completed block, so only AboveThreshold's share of the budget is
    spent. The full profile plays the learner. The quick one draws from the exact law of the restart, with
    which the learner agrees (a test says so): a run takes 20 microseconds, and half a million are needed.
    """
    laws = [alarm_zones(table, calibration) for table in alarm_pair()]
    samples = 2 * 10**6 if calibration == "printed" else 10**6

    def drawn(law: FloatArray) -> audit.Sampler:
        return lambda n, rng: rng.choice(3, size=n, p=law / law.sum())

    played = [alarm_sampler(table, calibration) for table in alarm_pair()]
    samplers = [drawn(law) for law in laws] if profile == "quick" else played
    rng = stream(seed, "tracking/audit/alarm", calibration)
    certified = audit.certified_privacy_loss(*samplers, samples=samples, rng=rng)
    return Audit(
        exact=float(audit.privacy_loss(*laws)) / ALARM_EPSILON, certified=certified / ALARM_EPSILON,
        proved=1.5 * alarm_rule(calibration).epsilon / ALARM_EPSILON, runs=samples,
    )  # fmt: skip


# Section 4: Private Shrinking Dartboard on the meta-experts


DARTBOARDS: tuple[dict[str, Any], ...] = (
    {"horizon": 6, "n_switches": 0, "delta": 0.0},
    {"horizon": 32, "n_switches": 1, "delta": 1e-6},
)


def _dartboard_pair(horizon: int) -> tuple[FloatArray, FloatArray]:
    """No losses at all, or a loss of expert 0 in the third round."""
    first = np.zeros((horizon, 2))
    second = first.copy()
    second[2, 0] = 1.0
    return first, second


def _redraw_seen(plays: NDArray[np.int32], n_switches: int) -> IntArray:
    """0 for a path that a sequence could take, else 1 to 4 for the experts of rounds 3 and 4."""
    switches = np.count_nonzero(np.diff(plays, axis=1), axis=1)
    return np.where(switches > n_switches, 1 + plays[:, 2] + 2 * plays[:, 3], 0)


@cache
def audit_dartboard(
    profile: str, seed: int, *, horizon: int, n_switches: int, delta: float, redraws: bool = True
) -> Audit:
    """Private Shrinking Dartboard tuned to (1, delta) on sequences of two experts.

    A path with more than `n_switches` switches shows a redraw: the label is the pair of experts played in the
    round that differs and in the next one, on such paths. Without `redraws` a held
    sequence is left only for its losses: the mutant.
    """
    log_d = switching.log_count_sequences(horizon, 2, n_switches)
    board = dartboard.tune_dartboard(epsilon=EPSILON, delta=delta, horizon=horizon, log_d=log_d)
    numbers = (board.batch, board.redraw if redraws else 1e-12, math.log1p(-board.learning_rate))
    draws = board.draws(horizon)

    def sampler(table: FloatArray) -> audit.Sampler:
        return _sampler(
            lambda n, rng: _dartboard_plays(table, n_switches, *numbers, draws, n, rng),
            lambda plays: _redraw_seen(plays, n_switches),
        )

    pair, exact = _dartboard_pair(horizon), math.nan
    if horizon <= 8 and redraws:
        laws = [meta_experts.efficient_law(t, n_switches=n_switches, dartboard=board).ravel() for t in pair]
        exact = float(audit.privacy_loss(*laws))
    rng = stream(seed, "tracking/audit/dartboard", horizon, n_switches, delta, redraws)
    samples = SAMPLES[profile] * 2 if redraws and horizon <= 8 else SAMPLES[profile] // 2
    certified = audit.certified_privacy_loss(*map(sampler, pair), samples=samples, delta=delta, rng=rng)
    return Audit(exact=exact, certified=certified, proved=1.0 if redraws else math.inf, runs=samples)


def dartboard_worst(horizon: int = 4) -> float:
    """Exact worst loss of the tuned dartboard over all neighbouring 0/1 tables, one switch, two experts."""
    log_d = switching.log_count_sequences(horizon, 2, 1)
    board = dartboard.tune_dartboard(epsilon=EPSILON, delta=0, horizon=horizon, log_d=log_d)
    return audit.exhaustive_privacy_loss(
        lambda table: meta_experts.efficient_law(table, n_switches=1, dartboard=board).ravel(),
        n_rounds=horizon,
        n_actions=2,
    )


# Algorithm 3: how often the plays fall into one half of the experts

MIRROR = {"n_experts": 6, "horizon": 8, "n_switches": 2, "epsilon": 2.0}


@cache
def audit_mirror(profile: str, seed: int, calibration: str) -> Audit:
    """Algorithm 3 with six experts in eight rounds: plays in the half that the first round favoured."""
    rate, noise = mirror_descent.parameters(**MIRROR, calibration=calibration)  # type: ignore[arg-type]
    n, horizon = int(MIRROR["n_experts"]), int(MIRROR["horizon"])
    floor = MIRROR["n_switches"] / (n * horizon)
    first = np.zeros((horizon, n))
    first[0, : n // 2] = 1.0
    second = first[:, ::-1].copy()

    def sampler(table: FloatArray) -> audit.Sampler:
        return _sampler(
            lambda runs, rng: _mirror_plays(table, rate, noise, floor, runs, rng),
            lambda plays: (plays[:, 1:] < n // 2).sum(axis=1),
        )

    rng = stream(seed, "tracking/audit/mirror", calibration)
    samples = 2 * SAMPLES[profile]
    certified = audit.certified_privacy_loss(sampler(first), sampler(second), samples=samples, rng=rng)
    proved = privacy.mirror_upper(n_experts=n, horizon=horizon, learning_rate=rate, noise=noise)
    epsilon = MIRROR["epsilon"]
    return Audit(exact=math.nan, certified=certified / epsilon, proved=proved / epsilon, runs=samples)


def audit_table(profile: str, seed: int) -> pd.DataFrame:
    """Every audit of the paper, shipped and mutant or printed, in units of the epsilon declared."""
    rows = {
        "Algorithm 1": audit_selections(profile, seed),
        "Algorithm 1, half the noise": audit_selections(profile, seed, 0.5),
        "Algorithm 2's alarm, corrected (share 0.5)": audit_alarm(profile, seed, "corrected"),
        "Algorithm 2's alarm, printed (share 0.5)": audit_alarm(profile, seed, "printed"),
        "meta-experts, S = 0, pure": audit_dartboard(profile, seed, **DARTBOARDS[0]),
        "meta-experts, S = 1, δ = 1e-6": audit_dartboard(profile, seed, **DARTBOARDS[1]),
        "meta-experts without spurious redraws": audit_dartboard(profile, seed, **DARTBOARDS[0], redraws=False),
        "Algorithm 3, corrected": audit_mirror(profile, seed, "corrected"),
        "Algorithm 3, printed": audit_mirror(profile, seed, "printed"),
    }
    return pd.DataFrame(
        [
            {
                "learner": name,
                "certified by plays": a.certified,
                "exact, same pair": a.exact,
                "proved": a.proved,
                "runs": a.runs,
            }
            for name, a in rows.items()
        ]
    )


# The learners' compiled kernels, many runs on one table


@njit(cache=True, nogil=True)
def _restart_plays(table, noise, constant, root, svt_epsilon, windows, runs, rng):  # type: ignore[no-untyped-def]
    plays = np.empty((runs, len(table)), dtype=np.int32)
    for r in range(runs):
        plays[r] = restarts._run(table, noise, constant, root, svt_epsilon, windows, rng)[0]
    return plays


@njit(cache=True, nogil=True)
def _dartboard_plays(table, n_switches, batch, redraw, log_keep, draws, runs, rng):  # type: ignore[no-untyped-def]
    plays = np.empty((runs, len(table)), dtype=np.int32)
    for r in range(runs):
        plays[r] = meta_experts._run(table, n_switches, batch, redraw, log_keep, draws, rng)[0]
    return plays


@njit(cache=True, nogil=True)
def _mirror_plays(table, rate, noise, floor, runs, rng):  # type: ignore[no-untyped-def]
    plays = np.empty((runs, len(table)), dtype=np.int32)
    for r in range(runs):
        plays[r] = mirror_descent._run(table, rate, noise, floor, rng)[0]
    return plays
