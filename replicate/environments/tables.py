"""Loss processes made of tables: fixed, repeated, and phases one after the other."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replicate import validation
from replicate.environments.stochastic import Bernoulli, Deterministic, Environment, n_rows, stretch
from replicate.validation import FloatArray, Generator, IntArray

_LAST = 2**63 - 1
"""The largest round: the last phase goes on to it."""
_Share = Callable[[Environment, Any, Any], Any]
"""From an environment and stretches of its own rounds, starts and stops, to sums: shape (...) -> (..., K)."""


class _Rows:
    """Losses that are written down, shape (T, K), and their prefix sums."""

    def __init__(self, losses: ArrayLike) -> None:
        self.rows = validation.unit_array("losses", losses, ndim=2).copy()
        self._prefix = np.vstack([np.zeros(self.rows.shape[1]), np.cumsum(self.rows, axis=0)])

    @property
    def n_actions(self) -> int:
        """Number of actions K."""
        return self.rows.shape[1]


class Table(_Rows):
    """A fixed table of losses, one row per round: the oblivious adversary, or a user's own data.

    Parameters
    ----------
    losses
        Shape (T, K), entries in [0, 1].
    """

    def sums(self, start: ArrayLike, stop: ArrayLike, *, rng: Generator) -> FloatArray:
        """Return the sums; `rng` is not used."""
        return self.mean_sums(start, stop)

    def mean_sums(self, start: ArrayLike, stop: ArrayLike) -> FloatArray:
        """Return differences of prefix sums, shape (..., K)."""
        first, last = stretch(start, stop)
        if last.size and last.max() > len(self.rows):
            raise ValueError(f"stop must be at most the table's {len(self.rows)} rounds, got {last.max()}")
        return self._prefix[last] - self._prefix[first]

    def losses(self, start: int, stop: int, *, rng: Generator) -> FloatArray:
        """Return the rows; `rng` is not used."""
        n_rows(start, validation.count("stop", stop, low=0, high=len(self.rows)))
        return self.rows[start:stop].copy()


class Repeated(_Rows):
    """A fixed table of losses that starts over at its end: an oblivious adversary for any horizon.

    Parameters
    ----------
    losses
        One period, shape (P, K), entries in [0, 1].
    """

    def _until(self, t: IntArray) -> FloatArray:
        periods, rest = np.divmod(t, len(self.rows))
        # whole tables, and a part of one
        return np.asarray(periods[..., None] * self._prefix[-1] + self._prefix[rest])

    def mean_sums(self, start: ArrayLike, stop: ArrayLike) -> FloatArray:
        """Return the sums, shape (..., K)."""
        first, last = stretch(start, stop)
        return self._until(last) - self._until(first)

    def sums(self, start: ArrayLike, stop: ArrayLike, *, rng: Generator) -> FloatArray:
        """Return the sums; `rng` is not used."""
        return self.mean_sums(start, stop)

    def losses(self, start: int, stop: int, *, rng: Generator) -> FloatArray:
        """Return the rows of rounds `start` to `stop` - 1; `rng` is not used."""
        return self.rows[(start + np.arange(n_rows(start, stop))) % len(self.rows)]


class Shifting:
    """Environments one after the other; the last one goes on for ever.

    Parameters
    ----------
    phases
        Pairs (rounds, environment), all with the same number of actions.
    """

    def __init__(self, phases: Sequence[tuple[int, Environment]]) -> None:
        pairs = list(phases) if isinstance(phases, Sequence) else []
        paired = all(isinstance(pair, Sequence) and len(pair) == 2 for pair in pairs)
        if not pairs or not paired or not all(hasattr(pair[1], "mean_sums") for pair in pairs):
            raise ValueError(f"phases must be a sequence of (rounds, environment) pairs, got {phases!r:.200}")
        lengths = [validation.count("rounds of phases", rounds) for rounds, _ in pairs]
        self.environments = tuple(environment for _, environment in pairs)
        if len({environment.n_actions for environment in self.environments}) > 1:
            raise ValueError(f"phases differ in n_actions: {[e.n_actions for e in self.environments]}")
        self.starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        self.stops = np.concatenate([np.cumsum(lengths)[:-1], [_LAST]])
        self._begins, self._ends = self.starts.tolist(), self.stops.tolist()

    @property
    def n_actions(self) -> int:
        """Number of actions K."""
        return self.environments[0].n_actions

    def _phases(self, start: int, stop: int) -> list[tuple[Environment, int, int]]:
        """Return the phases that rounds `start` to `stop` - 1 lie in, with where they begin and end."""
        # the phase that holds the first round, up to the last one that begins before the end
        met = slice(bisect_right(self._begins, start) - 1, bisect_left(self._begins, stop))
        return list(zip(self.environments[met], self._begins[met], self._ends[met], strict=True))

    def _parts(self, start: int, stop: int) -> list[tuple[Environment, int, int]]:
        """Cut a single stretch at the shifts, in each phase's own time."""
        phases = self._phases(start, stop)
        # a phase counts its rounds from its own beginning
        return [(env, max(start, begin) - begin, min(stop, end) - begin) for env, begin, end in phases]

    def _added(self, start: ArrayLike, stop: ArrayLike, share: _Share) -> FloatArray:
        """Add up each phase's share, in its own time: shape (..., K)."""
        if type(start) is type(stop) is int and 0 <= start <= stop <= _LAST:  # a learner's phase
            return sum((share(*part) for part in self._parts(start, stop)), np.zeros(self.n_actions))
        first, last = np.broadcast_arrays(*stretch(start, stop))
        total = np.zeros((*first.shape, self.n_actions))
        phases = self._phases(int(first.min()), int(last.max())) if first.size else []
        for environment, begin, end in phases:
            low, high = np.maximum(first, begin) - begin, np.minimum(last, end) - begin
            inside = high > low
            if inside.any():
                total[inside] += share(environment, low[inside], high[inside])
        return total

    def sums(self, start: ArrayLike, stop: ArrayLike, *, rng: Generator) -> NDArray[np.generic]:
        """Draw each phase's share and add up, shape (..., K)."""
        return self._added(start, stop, lambda environment, low, high: environment.sums(low, high, rng=rng))

    def mean_sums(self, start: ArrayLike, stop: ArrayLike) -> FloatArray:
        """Add up the phases' expected sums, shape (..., K)."""
        return self._added(start, stop, lambda environment, low, high: environment.mean_sums(low, high))

    def losses(self, start: int, stop: int, *, rng: Generator) -> FloatArray:
        """Draw rounds one by one, shape (stop - start, K)."""
        size, done = n_rows(start, stop), 0
        parts = self._parts(int(start), int(stop))
        means = [env.means for env, _, _ in parts if type(env) is Bernoulli]
        if len(means) < len(parts):
            drawn = [env.losses(low, high, rng=rng) for env, low, high in parts]
            return np.concatenate([np.zeros((0, self.n_actions)), *drawn])
        # the same numbers as phase by phase, without a copy of the table
        table = validation.generator(rng).random((size, self.n_actions))
        for mean, (_, low, high) in zip(means, parts, strict=True):
            phase = table[done : done + high - low]
            np.less(phase, mean, out=phase)  # 0.0 or 1.0
            done += high - low
        return table


class Later:
    """A process from a later round on: its round 0 is round `start` of `env`."""

    def __init__(self, env: Environment, start: int) -> None:
        self.env, self.start = env, start

    @property
    def n_actions(self) -> int:
        """Number of actions K."""
        return self.env.n_actions

    def sums(self, start: ArrayLike, stop: ArrayLike, *, rng: Generator) -> NDArray[np.generic]:
        """Draw the sums, shape (..., K)."""
        return self.env.sums(self.start + np.asarray(start), self.start + np.asarray(stop), rng=rng)

    def mean_sums(self, start: ArrayLike, stop: ArrayLike) -> FloatArray:
        """Return the expected sums, shape (..., K)."""
        return self.env.mean_sums(self.start + np.asarray(start), self.start + np.asarray(stop))

    def losses(self, start: int, stop: int, *, rng: Generator) -> FloatArray:
        """Draw rounds one by one, shape (stop - start, K)."""
        return self.env.losses(self.start + start, self.start + stop, rng=rng)


def part(env: Environment, start: int, stop: int, *, length: int) -> Environment:
    """Return rounds `start` to `stop` - 1 as a process of `length` rounds, in the rest of which nobody loses.

    Examples
    --------
    >>> rest = part(Table([[0, 1], [1, 0], [1, 1]]), 1, 3, length=5)
    >>> rest.mean_sums(0, [1, 2, 5]).tolist()
    [[1.0, 0.0], [2.0, 1.0], [2.0, 1.0]]
    """
    found = env._parts(start, stop) if isinstance(env, Shifting) else [(env, start, stop)]
    phases = [(high - low, e if low == 0 or hasattr(e, "means") else Later(e, low)) for e, low, high in found]
    if length > stop - start:
        phases.append((length - stop + start, Deterministic(np.zeros(env.n_actions))))
    return Shifting(phases) if len(phases) > 1 else phases[0][1]
