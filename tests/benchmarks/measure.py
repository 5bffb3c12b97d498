"""Times and their growth: the least of several interleaved passes, and the log-log slope with its uncertainty.

Times are processor times of this process, all its threads together: what else the machine does matters little.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

import numpy as np
from scipy import stats

from replicate.certify import Interval

Key = TypeVar("Key", bound=Hashable)
Play = Callable[[], Any]


def least(plays: Mapping[Key, Play], *, passes: int, seconds: float) -> dict[Key, float]:
    """Return the least processor time of one call of each play, in seconds.

    Every pass times every play, so that a slow spell of the machine meets all of them. A play shorter than
    `seconds` is called often enough to last that long, and its mean is taken.
    """
    calls = {key: _calls(play, seconds) for key, play in plays.items()}
    times: dict[Key, list[float]] = {key: [] for key in plays}
    for _ in range(passes):
        for key, play in plays.items():
            times[key].append(_time(play, calls[key]) / calls[key])
    return {key: min(values) for key, values in times.items()}


def _calls(play: Play, seconds: float) -> int:
    """Number of calls that last about `seconds`; the first call, which may compile, does not count."""
    play()
    return max(1, min(10_000, round(seconds / max(_time(play, 1), 1e-7))))


def _time(play: Play, calls: int) -> float:
    start = time.process_time()
    for _ in range(calls):
        play()
    return time.process_time() - start


def exponent(sizes: Any, seconds: Any, *, error: float = 0.05) -> Interval:
    """Return the least-squares slope of log time against log size, with its Student interval.

    The interval (level 1 - `error`) comes from the scatter of the points about the line. It therefore covers
    what the clock adds and, as far as it looks like scatter, that the cost is no exact power of the size.
    """
    x, y = np.log(np.asarray(sizes, dtype=np.float64)), np.log(np.asarray(seconds, dtype=np.float64))
    if len(x) < 3:
        raise ValueError(f"sizes must hold at least 3 entries, got {len(x)}")
    centred = x - x.mean()
    slope = float(centred @ y / (centred @ centred))
    rest = y - y.mean() - slope * centred
    deviation = np.sqrt(rest @ rest / (len(x) - 2) / (centred @ centred))
    half = float(stats.t.isf(error / 2, len(x) - 2) * deviation)
    return Interval(slope, slope - half, slope + half)
