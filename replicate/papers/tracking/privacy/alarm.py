"""A pair of tables on which the moment of Algorithm 2's restart reveals one round, its exact law and its plays."""

from __future__ import annotations

import numpy as np

from replicate import audit
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms.windows import alarm_of
from replicate.papers.tracking.privacy import exact
from replicate.papers.tracking.privacy.plays import Plays, restart_plays, sampler
from replicate.validation import FloatArray, IntArray

EPSILON = 8.0
THRESHOLD = 16.0
_CLIMB, _BEFORE = 16, 63


def alarm_pair() -> tuple[FloatArray, FloatArray]:
    """Two neighbouring tables, (127, 8), on which the moment of the restart reveals one round of Algorithm 2.

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
    own = EPSILON / (2 if calibration == "printed" else 3)
    return bounds.RestartRule(own, 0.0, THRESHOLD - 1, 0.0)


def _zones(departure: IntArray) -> IntArray:
    """Never (0), before the second climb (1), or in it (2): from the round in which another expert is played."""
    second = 127 - _CLIMB
    return np.where(departure >= 127, 0, np.where(departure > second, 2, 1))


def alarm_zones(table: FloatArray, calibration: str) -> FloatArray:
    """Exact probabilities that Algorithm 2 never restarts, or before the second climb, or in it: shape (3,)."""
    law = exact.restart_law(table, rule=alarm_rule(calibration), held=2)
    return np.asarray(np.bincount(_zones(np.arange(1, 129)), weights=law, minlength=3), dtype=np.float64)


def alarm_sampler(table: FloatArray, calibration: str) -> audit.Sampler:
    """Algorithm 2 itself: the zone of the first round that does not play the expert of round 64."""
    rule = alarm_rule(calibration)

    def label(plays: Plays) -> IntArray:
        away = plays[:, _BEFORE:] != plays[:, [_BEFORE]]
        return _zones(np.where(away.any(axis=1), away.argmax(axis=1) + _BEFORE, 127))

    noise, alarm = 2 / (EPSILON / 2), alarm_of(rule)
    return sampler(lambda n, rng: restart_plays(table, noise, alarm, n, rng), label)
