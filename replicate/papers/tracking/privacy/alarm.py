"""Two neighbouring tables whose difference shows in the time of Algorithm 2's first restart: exact law and plays.

AboveThreshold inside Algorithm 2 is "the alarm": its first answer above restarts Algorithm 1.
"""

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
    """Return two neighbouring tables, (127, 8), for which the time of the restart has different laws.

    Experts 2 to 7 have equal losses, 0 for 63 rounds, so one of them is selected for rounds 64 to 127. There its
    regret against expert 0 climbs by 16, stays for 16 rounds and falls back; then its regret against expert 1
    climbs by 16. The tables differ in the last round of the first climb, which adds 1 to the regret or takes 1
    away, so that the queries at the top differ by 2. A restart in the second climb means that AboveThreshold
    answered "below" at that top, which is likelier on the first table; the windows that set it off start later
    and do not contain the round. A restart shows in the plays, as it draws the expert anew: six equal ones make it
    likely to be another.
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
    """Return AboveThreshold at the calibration's epsilon, with one threshold of 16 for the regret of all windows.

    Privacy does not depend on thresholds, which are public. The paper's are of several hundred rounds; longer
    climbs would reach them.
    """
    return bounds.RestartRule(EPSILON / (2 if calibration == "printed" else 3), 0.0, THRESHOLD - 1, 0.0)


def _zones(departure: IntArray) -> IntArray:
    """Return 0 for no restart, 1 before the second climb, 2 in it, from the first round with another expert."""
    second = 127 - _CLIMB
    return np.where(departure >= 127, 0, np.where(departure > second, 2, 1))


def alarm_zones(table: FloatArray, calibration: str) -> FloatArray:
    """Exact probabilities that Algorithm 2 never restarts, or before the second climb, or in it: shape (3,)."""
    law = exact.restart_law(table, rule=alarm_rule(calibration), held=2)
    return np.asarray(np.bincount(_zones(np.arange(1, 129)), weights=law, minlength=3), dtype=np.float64)


def alarm_sampler(table: FloatArray, calibration: str) -> audit.Sampler:
    """Return a sampler of the outcome that plays show: by the first round that leaves the expert of round 64."""
    rule = alarm_rule(calibration)

    def label(plays: Plays) -> IntArray:
        away = plays[:, _BEFORE:] != plays[:, [_BEFORE]]
        return _zones(np.where(away.any(axis=1), away.argmax(axis=1) + _BEFORE, 127))

    noise, alarm = 2 / (EPSILON / 2), alarm_of(rule)._replace(watched=_BEFORE)
    return sampler(lambda n, rng: restart_plays(table, noise, alarm, n, rng), label)
