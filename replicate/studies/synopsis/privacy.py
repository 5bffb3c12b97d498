"""Exact privacy loss of the competitors, read from the learners themselves: their noise, and what a loss moves.

A learner runs on a generator that does not draw: every noise it asks for is a number of times its scale. What it
reads is then known with and without noise, on an input and on its neighbour.

Sums with noise of their own: given the same released values, the two runs must play alike, and the log density of
the releases moves by the sum of the moves over the scales, in the norm of the noise; far out that is attained.

Prefix sums share noises. With A and C the tables of what rounds and noises add to the releases, and a the column
of the round that is replaced, the loss is that of shifting the noises by a table b with C b = a: the least sum of
|b| for Laplace noise and for the cube, and the least Euclidean norm for Gaussian noise. The density of C z is
log-concave: moving by a changes its logarithm by up to the recession of the density in the direction a, which is
the least sum, attained far out. The Gaussian distribution is exact.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import scipy

from replicate.learners.competitors.bandit import random_bit
from replicate.learners.entries import Entry, Setting
from replicate.mechanisms.vector_noise import gaussian_delta
from replicate.streams import stream
from replicate.validation import FloatArray, Generator

RELEASING = {"BatchedShare": "_update"}
"""Method of a learner that is given a noisy sum as its last argument; `_learn` for those in phases."""
_REPLACED = 12
"""Number of rounds that are replaced, one at a time."""


class Still(np.random.Generator):
    """A generator whose noises are given, in units of their scale; other draws follow its stream.

    Parameters
    ----------
    unit
        The value of every noise.
    only
        Number of the single noise that has it, from 0, the others being zero; None: all have it.
    """

    def __init__(self, unit: float, *, only: int | None = None) -> None:
        super().__init__(np.random.PCG64(1))
        self._unit, self._only = unit, only
        self.asked: list[str] = []
        """Distributions of the noises that were asked for."""

    def _noise(self, law: str, size: Any) -> Any:
        chosen = self._only is None or self._only == len(self.asked)
        self.asked.append(law)
        value = self._unit if chosen else 0.0
        return value if size is None else np.full(size, value)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Laplace noise."""
        return loc + scale * self._noise("laplace", size)

    def standard_exponential(self, size: Any = None, *_: Any, **__: Any) -> Any:
        """Sizes of Laplace noise; its signs are those of `random`."""
        return self._noise("laplace", size)

    def standard_gamma(self, shape: Any, size: Any = None, *_: Any, **__: Any) -> Any:
        """Radius of the noise of the cube, which has the shape K + 1; its place is that of `random`."""
        return self._noise(f"cube {shape - 1:g}", size)

    def standard_normal(self, size: Any = None, *_: Any, **__: Any) -> Any:
        """Gaussian noise."""
        return self._noise("gaussian", size)

    def random(self, size: Any = None, *_: Any, **__: Any) -> Any:
        """The sign plus, and the corner of the cube."""
        return 1.0 if size is None else np.ones(size)


def norm(law: str, move: FloatArray) -> float:
    """Return the size of a move in the norm of a noise's law; infinite for any other law."""
    sizes = np.abs(np.atleast_1d(move))
    if law == "gaussian":
        return float(np.sqrt(np.square(sizes).sum()))
    if law == "laplace":
        return float(sizes.sum())
    return float(sizes.max()) if law == f"cube {len(sizes)}" or len(sizes) == 0 else math.inf


def _built(entry: Entry, rng: Generator, *, horizon: int, **sizes: Any) -> Any:
    """Build a learner, tuned for one switch where it is tuned for switches."""
    return entry.build(Setting(horizon=horizon, n_switches=min(1, horizon - 1), **sizes), rng)


# Sums with noise of their own


def _played(
    entry: Entry, rows: FloatArray, unit: float, answers: list[Any], *, sizes: dict[str, Any]
) -> tuple[list[Any], list[FloatArray], list[str]]:
    """Let a learner play while it is told `answers` for its noisy sums; where there are none left, it makes them.

    Returns
    -------
    What it does in every round (its action, or the distribution of it), its noisy sums, the distributions of its
    noises.
    """
    rng = Still(unit)
    learner = _built(entry, rng, n_actions=rows.shape[1], **sizes)
    kinds = [kind.__name__ for kind in type(learner).__mro__]
    hook, noisy = next((RELEASING[kind] for kind in kinds if kind in RELEASING), "_learn"), []
    told, jitter = getattr(learner, hook), stream(1, "synopsis/answers", entry.name)

    def given(*arguments: Any) -> None:
        noisy.append(np.atleast_1d(arguments[-1]).astype(np.float64))
        if len(answers) < len(noisy):
            answers.append(arguments[-1] + jitter.laplace(size=np.shape(arguments[-1])))
        told(*arguments[:-1], answers[len(noisy) - 1])

    setattr(learner, hook, given)
    done: list[Any] = []
    for row in rows:
        full = learner.feedback == "full"
        done.append(learner.probabilities().tolist() if full else learner.act())
        learner.observe(row if full else row[done[-1]])
    return done, noisy, rng.asked


def loss_of_sums(
    entry: Entry,
    *,
    n_actions: int,
    n_rounds: int,
    epsilon: float,
    noise_divisor: float = 1.0,
    replaced: tuple[int, ...] | None = None,
    **sizes: Any,
) -> tuple[float, int]:
    """Return the worst exact privacy loss of a learner's noisy sums over replaced rounds, and how many it reads.

    Rounds are replaced one at a time, from losses 0 and 1 to their opposites.

    Parameters
    ----------
    entry
        A learner that reads sums with noise of their own.
    n_actions, n_rounds, epsilon
        K, rounds played, and the privacy level that is asked for.
    noise_divisor
        By which all noise is divided: 1 is the learner as it is.
    replaced
        Rounds that are replaced, counted from 0; None: twelve at equal distances.
    **sizes
        Further ones of `entries.Setting`.
    """
    if replaced is None:
        replaced = tuple(np.linspace(0, n_rounds - 1, _REPLACED).astype(int).tolist())
    loss, sums = _loss_of_sums(entry, n_actions, n_rounds, replaced, epsilon=epsilon, **sizes)
    return noise_divisor * loss, sums


@cache
def _loss_of_sums(
    entry: Entry, n_actions: int, n_rounds: int, replaced: tuple[int, ...], **sizes: Any
) -> tuple[float, int]:
    """The same of the learner as it is."""
    asked = {"horizon": n_rounds, **sizes}
    rows = stream(2, "synopsis/rows", entry.name).integers(0, 2, (n_rounds, n_actions)).astype(np.float64)
    answers: list[Any] = []
    _played(entry, rows, 0.0, answers, sizes=asked)
    done, sums, laws = _played(entry, rows, 0.0, answers, sizes=asked)
    noisy = _played(entry, rows, 1.0, answers, sizes=asked)[1]
    scales = [with_noise - without for with_noise, without in zip(noisy, sums, strict=True)]
    worst = 0.0
    for i in sorted({*replaced}):
        other = rows.copy()
        other[i] = 1 - rows[i]
        again, moved, _ = _played(entry, other, 0.0, answers, sizes=asked)
        if again != done or not len(moved) == len(sums) == len(laws):
            return math.inf, len(sums)
        moves = [norm(law, (b - a) / scale) for law, a, b, scale in zip(laws, sums, moved, scales, strict=True)]
        worst = max(worst, sum(moves))
    return worst, len(sums)


# Prefix sums that share noises


def _prefixes(entry: Entry, rows: FloatArray, rng: Still, sizes: dict[str, Any]) -> FloatArray:
    """Noisy prefix sums that a learner acts on after every round but the last, shape (T - 1, K)."""
    learner = _built(entry, rng, n_actions=rows.shape[1], horizon=len(rows), **sizes)
    seen = []
    for row in rows[:-1]:
        learner.observe(row)
        seen.append(learner._noisy)
    return np.array(seen)


@cache
def tables(entry: Entry, *, n_actions: int, horizon: int, **sizes: Any) -> tuple[FloatArray, FloatArray, str]:
    """Return what rounds and noises add to the prefix sums that a learner acts on, and the noise's distribution.

    Returns
    -------
    A, shape (T - 1, T - 1); C, shape (T - 1, draws), in scales; the distribution, one for all noises and
    coordinates.
    """
    zeros, first = np.zeros((horizon, n_actions)), Still(0.0)
    still = _prefixes(entry, zeros, first, sizes)
    noise = [_prefixes(entry, zeros, Still(1.0, only=k), sizes) - still for k in range(len(first.asked))]
    rounds = []
    for i in range(horizon - 1):
        rows = zeros.copy()
        rows[i] = 1.0
        rounds.append(_prefixes(entry, rows, Still(0.0), sizes) - still)
    both = np.array([*rounds, *noise])
    if len(set(first.asked)) != 1 or np.ptp(both, axis=2).max() > 0:
        raise ValueError(f"entry must be a learner with one noise for all coordinates, got {entry.name!r}")
    return both[: horizon - 1, :, 0].T, both[horizon - 1 :, :, 0].T, first.asked[0]


def loss_of_prefixes(
    entry: Entry, *, n_actions: int, horizon: int, noise_divisor: float = 1.0, **sizes: Any
) -> float:
    """Return the worst exact privacy loss, over replaced rounds, of all prefix sums that a learner acts on.

    Pure noise only; parameters as for `loss_of_sums`.
    """
    rounds, noise, law = tables(entry, n_actions=n_actions, horizon=horizon, **sizes)
    scale = float(np.abs(noise).max())
    least = _least_sum(_hashable(noise / scale), _hashable(rounds))
    return noise_divisor / scale * norm(law, np.ones(n_actions)) * least


def delta_of_prefixes(
    entry: Entry, *, n_actions: int, horizon: int, epsilon: float, noise_divisor: float = 1.0, **sizes: Any
) -> float:
    """Return the exact delta at epsilon of all prefix sums that a learner acts on, Gaussian noise.

    Parameters as for `loss_of_sums`.
    """
    asked = {"epsilon": epsilon, **sizes}
    rounds, noise, law = tables(entry, n_actions=n_actions, horizon=horizon, **asked)
    shifts = np.linalg.pinv(noise) @ rounds
    move = float(np.sqrt(np.square(shifts).sum(axis=0).max())) * norm(law, np.ones(n_actions))
    return gaussian_delta(1 / (noise_divisor * move), epsilon=epsilon) if law == "gaussian" else 1.0


_Rows = tuple[tuple[float, ...], ...]


def _hashable(table: FloatArray) -> _Rows:
    """A table as `_least_sum` remembers it."""
    return tuple(map(tuple, table.round(12).tolist()))


@cache
def _least_sum(noise: _Rows, rounds: _Rows) -> float:
    """Largest over columns a of the least sum of |b| with C b = a; infinite where there is none."""
    both = np.hstack([noise, np.negative(noise)])
    results = [
        scipy.optimize.linprog(np.ones(both.shape[1]), A_eq=both, b_eq=column, method="highs")
        for column in np.transpose(rounds)
    ]
    return max(float(result.fun) if result.status == 0 else math.inf for result in results)


# One bit per loss, or per batch


def log_odds(entry: Entry, *, epsilon: float, epsilon_factor: float = 1.0) -> float:
    """Return the largest log ratio of the probabilities of a bit over what one loss can make of its mean loss.

    Parameters
    ----------
    entry
        A learner that is shown one random bit of every loss, of one in each round, or of every batch of losses.
    epsilon
        The privacy level that is asked for.
    epsilon_factor
        Times which the learner is built with it: 1 is the learner as it is.
    """
    rng = np.random.default_rng(1)
    learner = _built(entry, rng, n_actions=2, horizon=10, epsilon=epsilon_factor * epsilon)
    size = getattr(learner, "batch", 1)
    means = np.linspace(0, 1 - 1 / size, 6 if size > 1 else 1)
    chances = np.array([[_chance(mean + loss / size, learner._response) for loss in (0, 1)] for mean in means])
    return float(np.abs(np.diff(np.log([chances, 1 - chances]))).max())


def _chance(loss: float, response: float) -> float:
    """Probability of the bit 1: the uniform number at which it changes, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if random_bit.py_func(loss, response, _Uniform(middle)) else (low, middle)
    return (low + high) / 2


class _Uniform(np.random.Generator):
    """Draws one uniform number."""

    def __init__(self, number: float) -> None:
        super().__init__(np.random.PCG64(1))
        self._number = number

    def random(self, *_: Any, **__: Any) -> Any:
        """Return the number."""
        return self._number
