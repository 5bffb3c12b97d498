"""Certificates from samples about one event: it is chosen on some samples and bounded on others.

One limit for two. Let the numbers of runs on the two inputs be Poisson with mean m. Then the numbers X and Y of
runs that end in the event are independent Poisson variables with means m p and m q, and given X + Y

    X ~ Binomial(X + Y, p / (p + q)),

so that one Clopper-Pearson limit of p / (p + q) is a limit of p / q: no error is shared between two.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.special import expit

from replicate import budget, certify
from replicate.audit.logistic import tally
from replicate.audit.outcomes import Outputs
from replicate.audit.outputs import Sampler, chunks, pair_of, room, stacked
from replicate.audit.scores import (
    Additive,
    Exclusive,
    Patterned,
    Rounded,
    ScoreFunction,
    notes_of,
    scored,
    scores_of,
)
from replicate.validation import FloatArray, Generator, IntArray

_TRAINED, _CHOSEN, _MOST = 0.2, 0.1, 10**6
"""Shares of the samples that fit a score and that choose the event, and the most that either takes."""
_CAUTION, _CAUTION_CALIBRATED, _FEWEST, _FEW = 4.0, 1.5, 8, 3
"""Deviations by which an event's log ratio is discounted while it is chosen, from frequencies alone and with a
calibration; the fewest runs it must hold, and if training saw it on one input only."""
_DOUBT, _BEND = 0.1, 0.3
"""Deviations of a calibrated log ratio and of the bend of a calibration, as shares of the ratio and the slope."""


@dataclass(frozen=True)
class Event:
    """Outputs whose score is at least a threshold, times a sign.

    Attributes
    ----------
    score
        Outputs (n, ...) to numbers (n,).
    sign, threshold
        The event is sign * score >= threshold.
    swapped
        Whether it is more likely on the second input than on the first.
    """

    score: ScoreFunction
    sign: float
    threshold: float
    swapped: bool

    def __call__(self, output: Any) -> bool:
        """Return True if one output lies in the event; the output is of any kind."""
        return bool(self.holds(stacked([output]))[0])

    def __str__(self) -> str:
        """Name the event in words from which one can recompute it, or by its score if that is given."""
        if told := getattr(self.score, "told", None):
            return str(told(self.sign, self.threshold))
        name = getattr(self.score, "name", getattr(self.score, "__name__", "score"))
        relation = "at least" if self.sign > 0 else "at most"
        return f"{name} is {relation} {self.sign * self.threshold:.6g}"

    def holds(self, outputs: Outputs) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Return True for each output that lies in the event: (n, ...) -> (n,)."""
        return np.asarray(self.sign * scored(self.score, outputs) >= self.threshold)


@dataclass(frozen=True)
class Certificate:
    """A lower limit on epsilon, and the event that gives it.

    Attributes
    ----------
    epsilon
        The limit, at least 0.
    event
        The event S.
    counts, runs
        Runs that ended in S, and all runs, on the input where S is more likely and on the other one.
    notes
        What of the outputs was not looked at.
    """

    epsilon: float
    event: Event
    counts: tuple[int, int]
    runs: tuple[int, int]
    notes: tuple[str, ...] = ()

    @property
    def probabilities(self) -> tuple[float, float]:
        """Observed frequencies of the event."""
        return self.counts[0] / max(self.runs[0], 1), self.counts[1] / max(self.runs[1], 1)


def ratio_lower(x: int, y: int, *, false_alarm: float) -> float:
    """Lower confidence limit of log(p / q) from Poisson counts x and y with means m p and m q; -inf for x = 0."""
    budget.spend(false_alarm)
    return ratio_limit(x, y, false_alarm=false_alarm)


def ratio_limit(x: int, y: int, *, false_alarm: float) -> float:
    """`ratio_lower` as a function of counts that nobody observed: it enters no book."""
    if x == 0:
        return -math.inf
    return float(_poisson_limit(np.array([float(x)]), np.array([float(y)]), false_alarm)[0])


def _poisson_limit(x: FloatArray, y: FloatArray, false_alarm: float) -> FloatArray:
    """`ratio_limit` of many counts, whole or expected, (m,) each; x positive."""
    # Clopper-Pearson's upper limit of q / (p + q)
    other = np.minimum(special.betainccinv(y + 1, x, false_alarm), 1 - 1e-16)
    return np.asarray(np.log1p(-other) - np.log(other))


def _binomial_limit(x: FloatArray, y: FloatArray, runs: int, delta: float, false_alarm: float) -> FloatArray:
    """Limit of log((p - delta) / q) from counts, whole or expected, among so many runs each: (m,) -> (m,)."""
    low = special.betaincinv(x, np.maximum(runs - x, 0) + 1, false_alarm / 2)
    high = special.betainccinv(y + 1, np.maximum(runs - y, 1e-9), false_alarm / 2)
    return np.asarray(np.log(np.maximum(low - delta, 1e-300)) - np.log(high))


def certificate(
    first: Sampler,
    second: Sampler,
    *,
    samples: int,
    delta: float,
    false_alarm: float,
    rng: Generator,
    score: ScoreFunction | None = None,
    width: int = 1,
) -> Certificate:
    """Certify a lower limit on epsilon from a score's events; see `certified_privacy_loss`.

    Outputs of `width` numbers are held a quarter of a gigabyte at a time, on either input.
    """
    pair, (trained, chosen, left) = (first, second), _shares(samples, score is not None, width)
    scores: Sequence[ScoreFunction] = []
    notes: tuple[str, ...] = ()
    if score is None:
        counts = tally(*pair_of(*pair, trained, rng, width))
        scores, notes = scores_of(counts), (*counts.layout.notes, *notes_of(counts))
        del counts
    # not the samples that fitted the scores, and none of those that certify
    known = pair_of(*pair, chosen, rng, width)
    if score is not None:
        scores = [Rounded.of(score, known)]
    event = chosen_event(scores, known, runs=left, delta=delta, false_alarm=false_alarm)
    del known
    found = bounded(event, pair, runs=left, delta=delta, false_alarm=false_alarm, rng=rng, width=width)
    return replace(found, notes=notes)


def _shares(samples: int, given: bool, width: int) -> tuple[int, int, int]:
    """Samples that fit a score, unless it is given, that choose the event, and that certify."""
    most = min(_MOST, room(width))
    trained, chosen = 0 if given else min(int(_TRAINED * samples), most), min(int(_CHOSEN * samples), most)
    return trained, chosen, samples - trained - chosen


def reach(samples: int, *, delta: float, false_alarm: float, given: bool = False, width: int = 1) -> float:
    """Return the largest epsilon that `certificate` can certify: the event always comes on one input only.

    Parameters
    ----------
    samples, delta, false_alarm
        As there.
    given
        Whether its score is given, so that no samples fit one.
    """
    left = _shares(samples, given, width)[2]
    always, never = np.array([float(left)]), np.zeros(1)
    if delta == 0:
        return float(_poisson_limit(always, never, false_alarm)[0])
    return max(float(_binomial_limit(always, never, left, delta, false_alarm)[0]), 0.0)


_NAMES = ("first", "second")


def bounded(
    event: Event,
    pair: Sequence[Sampler],
    *,
    runs: int,
    delta: float,
    false_alarm: float,
    rng: Generator,
    width: int = 1,
) -> Certificate:
    """Bound epsilon by one event, from fresh runs: a Poisson number of them for delta = 0."""
    counts, sizes = [], []
    for i in (1, 0) if event.swapped else (0, 1):
        # a Poisson number of runs makes the two counts independent Poisson variables
        size = int(rng.poisson(runs)) if delta == 0 else runs
        counts.append(sum(int(event.holds(part).sum()) for part in chunks(_NAMES[i], pair[i], size, rng, width)))
        sizes.append(size)
    if delta == 0:
        limit = ratio_lower(*counts, false_alarm=false_alarm)
    else:
        # two limits, half of the false alarm each: a union bound
        low = certify.binomial_lower(counts[0], runs, false_alarm=false_alarm / 2)
        high = certify.binomial_upper(counts[1], runs, false_alarm=false_alarm / 2)
        limit = math.log((low - delta) / high) if low - delta > high else 0.0
    return Certificate(max(limit, 0.0), event, (counts[0], counts[1]), (sizes[0], sizes[1]))


def chosen_event(
    scores: Sequence[ScoreFunction], known: Sequence[Outputs], *, runs: int, delta: float, false_alarm: float
) -> Event:
    """Return the event that promises the largest limit from `runs` further runs, by the runs that are known."""
    best, event = -math.inf, Event(scores[0], 1.0, math.inf, False)
    for score in scores:
        values = [np.sort(scored(score, outputs)) for outputs in known]
        is_log_odds = isinstance(score, Additive | Patterned) or getattr(score, "is_log_odds", False)
        for swapped in (False, True):
            for sign in (1.0, -1.0):
                one, other = (v if sign > 0 else -v[::-1] for v in (values[::-1] if swapped else values))
                levels = _Levels.of(one, other)
                levels_of: dict[str, Any] = {"runs": runs, "delta": delta, "false_alarm": false_alarm}
                if isinstance(score, Exclusive):
                    promises = levels.exclusive(score, score.seen[swapped], **levels_of)
                else:
                    promises = levels.promises(**levels_of, calibrate=is_log_odds)
                place = int(promises.argmax())
                if promises[place] > best:
                    best, threshold = float(promises[place]), float(levels.thresholds[place])
                    event = Event(score, sign, threshold, swapped)
    return event


@dataclass(frozen=True)
class _Levels:
    """Numbers of scores from each threshold to the next, of n outputs on either input.

    Attributes
    ----------
    thresholds
        Increasing, shape (m,); the least scores are below the first one.
    one, other
        Counts, shape (m,).
    runs
        The numbers n.
    """

    thresholds: FloatArray
    one: FloatArray
    other: FloatArray
    runs: tuple[int, int]

    @classmethod
    def of(cls, one: FloatArray, other: FloatArray) -> _Levels:
        """Count scores, which come sorted, (n,) each, between thresholds at some of their quantiles."""
        thresholds = np.unique(np.concatenate([scores[_ranks(len(scores))] for scores in (one, other)]))
        x, y = (np.diff(np.append(np.searchsorted(v, thresholds), len(v))) for v in (one, other))
        return cls(thresholds, x.astype(np.float64), y.astype(np.float64), (len(one), len(other)))

    def promises(self, *, runs: int, delta: float, false_alarm: float, calibrate: bool) -> FloatArray:
        """Limit that each event {score >= threshold} promises from `runs` further runs, shape (m,).

        The exact limit at the counts that a careful estimate of the log ratio lets expect, for a normal
        approximation has nothing to say of an event that never happened on one input. The estimate takes both
        observed frequencies `_CAUTION` deviations off. For log odds it is a mean of what the frequencies say and
        of what a calibration says that is linear in the score, weighted by their precisions, less
        `_CAUTION_CALIBRATED` deviations of the mean; a calibrated log ratio is trusted up to a share `_DOUBT` of
        it, and never exceeded: where many rare events compete, what is above it is luck.
        """
        x, y = (np.cumsum(counts[::-1])[::-1] for counts in (self.one, self.other))
        p, q = x / self.runs[0], (y + 0.5) / self.runs[1]
        more = np.maximum(p - delta, 1e-9)
        ratio, variance = np.log(more / q), (p / more**2 + 1 / q) / min(self.runs)
        if calibrate:
            expected = np.log(_calibrated(self, delta))
            trust = 1 / (_DOUBT * np.maximum(np.abs(expected), 1e-6)) ** 2
            ratio = np.minimum((ratio / variance + expected * trust) / (1 / variance + trust), expected)
            careful = ratio - _CAUTION_CALIBRATED / np.sqrt(1 / variance + trust)
        else:
            # Anscombe: the root of a Poisson count has a standard deviation of 1/2
            p = np.maximum(np.sqrt(x + 0.375) - _CAUTION / 2, 0) ** 2 / self.runs[0]
            q = (np.sqrt(y + 0.375) + _CAUTION / 2) ** 2 / self.runs[1]
            careful = np.log(np.maximum(p - delta, 1e-9) / q)
        # p + q is known better than p / q: it is split by the careful ratio
        both = (x + y) / sum(self.runs) * 2
        second = np.maximum(both - delta, 0.0) * expit(-careful) + 1e-12
        first = delta + np.exp(careful) * second
        return _promised(first, second, x + y >= _FEWEST, runs, delta, false_alarm)

    def exclusive(
        self, score: Exclusive, seen: float, *, runs: int, delta: float, false_alarm: float
    ) -> FloatArray:
        """`promises` of what training saw so often on one input only, if it is still so here."""
        x, y = (np.cumsum(counts[::-1])[::-1] for counts in (self.one, self.other))
        p = np.maximum(np.sqrt(x + seen + 0.375) - 0.5, 0) ** 2 / (self.runs[0] + score.seen[2])
        return _promised(p, np.full(len(x), score.chance), (x >= _FEW) & (y == 0), runs, delta, false_alarm)


def _promised(
    p: FloatArray, q: FloatArray, some: NDArray[np.bool_], runs: int, delta: float, false_alarm: float
) -> FloatArray:
    """Limits from the counts that probabilities let expect, for some events; -inf for the others."""
    promise = np.full(len(p), -np.inf)
    coming = runs * np.minimum(p[some], 1.0), runs * q[some]
    if delta == 0:
        promise[some] = _poisson_limit(*coming, false_alarm)
    else:
        promise[some] = _binomial_limit(*coming, runs, delta, false_alarm)
    return promise


@functools.lru_cache(maxsize=8)
def _ranks(n: int) -> IntArray:
    """Ranks of the quantiles of n scores that are thresholds: evenly, and more of them at both ends."""
    far = np.geomspace(1, n, 200)
    return np.unique(np.concatenate([far - 1, n - far, np.linspace(0, n - 1, 512)]).astype(np.int64))


def _calibrated(levels: _Levels, delta: float) -> FloatArray:
    """Ratio (p - delta) / q of each {score >= threshold}, by log odds that are a function of the score.

    The function is linear, but may bend a deviation away from the mean, for log ratios are often bounded where
    scores are not: its slope between has a normal prior about the slope beyond, `_BEND` of the linear fit's slope.
    """
    total = levels.one + levels.other
    centre = np.average(levels.thresholds, weights=total)
    spread = max(float(np.sqrt(np.average((levels.thresholds - centre) ** 2, weights=total))), 1e-12)
    score = (levels.thresholds - centre) / spread
    x = np.stack([np.ones_like(score), score, score.clip(-1, 1)])
    w, precision = np.zeros(3), np.array([1e-3, 1e-3, 1e9])
    for step in range(16):
        # a linear fit first; its slope then sets the scale of the bend's prior
        if step == 8:
            precision[2] = 1 / max(_BEND * abs(w[1]), 1e-6) ** 2
        chance = expit(w @ x)
        h = (x * total * chance * (1 - chance)) @ x.T + np.diag(precision)
        w += np.linalg.solve(h, x @ (levels.one - total * chance) - precision * w).clip(-2, 2)
    chance = total * expit(w @ x)
    p, q = (np.cumsum(c[::-1])[::-1] / c.sum() for c in (chance, total - chance))
    return np.asarray(np.maximum(p - delta, 1e-12) / np.maximum(q, 1e-12))
