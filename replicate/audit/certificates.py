"""What samples certify about one event: the event is found on some samples and bounded on others.

One limit for two. Let the numbers of runs on the two inputs be Poisson with mean m. Then the numbers X and Y of
runs that end in the event are independent Poisson variables with means m p and m q, and given X + Y

    X ~ Binomial(X + Y, p / (p + q)),

so that one Clopper-Pearson limit of p / (p + q) is a limit of p / q: no error is shared between two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.special import expit

from replicate import certify
from replicate.audit.outputs import Outputs, Sampler, chunks, pair_of
from replicate.audit.scores import ScoreFunction, fitted_scores, scored
from replicate.validation import FloatArray

_TRAINED, _CHOSEN, _MOST = 0.2, 0.1, 10**6
"""Shares of the samples that fit a score and that choose the event, and the most that either takes."""
_CAUTION, _FEWEST = 4.0, 20
"""Deviations by which an event's frequencies are discounted while it is chosen; the fewest runs it must hold."""


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

    def describe(self) -> str:
        """Name the event in words."""
        name = getattr(self.score, "name", getattr(self.score, "__name__", "score"))
        relation = "at least" if self.sign > 0 else "at most"
        return f"{name} is {relation} {self.sign * self.threshold:.6g}"

    def holds(self, outputs: Outputs) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Whether each output lies in the event: (n, ...) -> (n,)."""
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
    """

    epsilon: float
    event: Event
    counts: tuple[int, int]
    runs: tuple[int, int]

    @property
    def probabilities(self) -> tuple[float, float]:
        """Observed frequencies of the event."""
        return self.counts[0] / max(self.runs[0], 1), self.counts[1] / max(self.runs[1], 1)


def ratio_lower(x: int, y: int, *, false_alarm: float) -> float:
    """Lower confidence limit of log(p / q) from Poisson counts x and y with means m p and m q; -inf for x = 0."""
    if x == 0:
        return -math.inf
    other = float(stats.beta.isf(false_alarm, y + 1, x))
    return math.log1p(-other) - math.log(other)


def certificate(
    first: Sampler,
    second: Sampler,
    *,
    samples: int,
    delta: float,
    false_alarm: float,
    rng: np.random.Generator,
    score: ScoreFunction | None = None,
) -> Certificate:
    """Certify a lower limit on epsilon from a score's events; see `certified_privacy_loss`."""
    pair, trained = (first, second), min(int(_TRAINED * samples), _MOST) if score is None else 0
    scores = fitted_scores(*pair_of(*pair, trained, rng)) if score is None else [score]
    chosen = min(int(_CHOSEN * samples), _MOST)
    left = samples - trained - chosen
    known = pair_of(*pair, chosen, rng)
    event = chosen_event(scores, known, runs=left, delta=delta, false_alarm=false_alarm)
    return bounded(event, pair, runs=left, delta=delta, false_alarm=false_alarm, rng=rng)


_NAMES = ("first", "second")


def bounded(
    event: Event, pair: Sequence[Sampler], *, runs: int, delta: float, false_alarm: float, rng: np.random.Generator
) -> Certificate:
    """Bound epsilon by one event, from fresh runs: a Poisson number of them for delta = 0."""
    counts, sizes = [], []
    for i in (1, 0) if event.swapped else (0, 1):
        size = int(rng.poisson(runs)) if delta == 0 else runs
        counts.append(sum(int(event.holds(part).sum()) for part in chunks(_NAMES[i], pair[i], size, rng)))
        sizes.append(size)
    if delta == 0:
        limit = ratio_lower(*counts, false_alarm=false_alarm)
    else:
        low = certify.clopper_pearson(counts[0], runs, false_alarm=false_alarm).low
        high = certify.clopper_pearson(counts[1], runs, false_alarm=false_alarm).high
        limit = math.log((low - delta) / high) if low - delta > high else 0.0
    return Certificate(max(limit, 0.0), event, (counts[0], counts[1]), (sizes[0], sizes[1]))


def chosen_event(
    scores: Sequence[ScoreFunction], known: Sequence[Outputs], *, runs: int, delta: float, false_alarm: float
) -> Event:
    """Return the event that promises the largest limit from `runs` further runs, by the runs that are known."""
    best, found = -math.inf, Event(scores[0], 1.0, math.inf, False)
    z = float(stats.norm.isf(false_alarm))
    for score in scores:
        values = [scored(score, outputs) for outputs in known]
        for swapped in (False, True):
            for sign in (1.0, -1.0):
                one, other = (sign * v for v in (values[::-1] if swapped else values))
                promise, threshold = _best_threshold(one, other, runs=runs, delta=delta, z=z)
                if promise > best:
                    best, found = promise, Event(score, sign, threshold, swapped)
    return found


def _best_threshold(
    one: FloatArray, other: FloatArray, *, runs: int, delta: float, z: float
) -> tuple[float, float]:
    """Return the promised limit of the best event {score >= threshold}, and its threshold.

    The promise is the larger of two careful estimates of the log ratio, less z deviations of the counts to come:
    observed frequencies, less `_CAUTION` deviations; and what a calibration says that is linear in the score.
    """
    n = len(one)
    ranks = np.unique(np.concatenate([np.geomspace(1, n, 200), n - np.geomspace(1, n, 200)]).astype(np.int64))
    ranks = ranks[(ranks >= 0) & (ranks < n)]
    one, other = np.sort(one), np.sort(other)
    thresholds = np.unique(np.concatenate([one[ranks], other[ranks]]))
    x, y = (n - np.searchsorted(s, thresholds) for s in (one, other))
    p, q = np.maximum(x / n - delta, 1e-9), (y + 0.5) / n
    observed = np.log(p / q) - _CAUTION * np.sqrt((x / n / p**2 + 1 / q) / n)
    r, s = _calibrated(one, other, thresholds)
    r, s = np.maximum(r - delta, 1e-9), np.maximum(s, 1e-9)
    promises = np.stack(
        [
            observed - z * np.sqrt((x / n / p**2 + 1 / q) / runs),
            np.log(r / s) - z * np.sqrt(((r + delta) / r**2 + 1 / s) / runs),
        ]
    )
    promises[:, x + y < _FEWEST] = -np.inf
    promise = promises.max(axis=0)
    best = int(promise.argmax())
    return float(promise[best]), float(thresholds[best])


def _calibrated(one: FloatArray, other: FloatArray, thresholds: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Probabilities of {score >= threshold} if the log odds of an input were linear in the score.

    Intercept and slope are fitted; the slope is taken two deviations lower.
    """
    score = np.concatenate([one, other])
    label = np.arange(len(score)) < len(one)
    centre, spread = score.mean(), max(score.std(), 1e-12)
    x = np.stack([np.ones_like(score), (score - centre) / spread])
    w = np.zeros(2)
    for _ in range(8):
        chance = expit(w @ x)
        h = (x * chance * (1 - chance)) @ x.T + 1e-3 * np.eye(2)
        w += np.linalg.solve(h, x @ (label - chance)).clip(-2, 2)
    slope = w[1] - 2 * np.sqrt(np.linalg.inv(h)[1, 1])
    if slope <= 0:
        return np.full(len(thresholds), 1e-300), np.ones(len(thresholds))
    order = np.argsort(score)
    chance = expit(w[0] + slope * x[1][order])
    place = np.searchsorted(score[order], thresholds)
    tails = [np.cumsum(c[::-1])[::-1][place] / c.sum() for c in (chance, 1 - chance)]
    return tails[0], tails[1]
