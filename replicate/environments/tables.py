"""Loss processes made of tables: fixed, repeated, and phases one after the other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replicate import validation
from replicate.environments.stochastic import Deterministic, Environment, n_rows, stretch
from replicate.validation import FloatArray, IntArray


class Table:
    """A fixed table of losses, one row a round: the oblivious adversary, or a user's own data.

    Parameters
    ----------
    losses
        Shape (T, K), entries in [0, 1].
    """

    def __init__(self, losses: ArrayLike) -> None:
        self.rows = validation.unit_array("losses", losses, ndim=2)
        self._prefix = np.vstack([np.zeros(self.rows.shape[1]), np.cumsum(self.rows, axis=0)])

    @property
    def n_actions(self) -> int:
        """Number of actions K."""
        return self.rows.shape[1]

    def sums(self, start: ArrayLike, stop: ArrayLike, *, rng: np.random.Generator) -> FloatArray:
        """Return the sums; `rng` is not used."""
        return self.mean_sums(start, stop)

    def mean_sums(self, start: ArrayLike, stop: ArrayLike) -> FloatArray:
        """Return differences of prefix sums, shape (..., K)."""
        first, last = stretch(start, stop)
        if last.size and last.max() > len(self.rows):
            raise ValueError(f"stop must be at most the table's {len(self.rows)} rounds, got {last.max()}")
        return self._prefix[last] - self._prefix[first]

    def losses(self, start: int, stop: int, *, rng: np.random.Generator) -> FloatArray:
        """Return the rows; `rng` is not used."""
        n_rows(start, validation.count("stop", stop, low=0, high=len(self.rows)))
        return self.rows[start:stop]


class Repeated:
    """A fixed table of losses that starts over at its end: an oblivious adversary for any horizon.

    Parameters
    ----------
    losses
        One period, shape (P, K), entries in [0, 1].
    """

    def __init__(self, losses: ArrayLike) -> None:
        self.rows = validation.unit_array("losses", losses, ndim=2)
        self._prefix = np.vstack([np.zeros(self.rows.shape[1]), np.cumsum(self.rows, axis=0)])

    @property
    def n_actions(self) -> int:
        """Number of actions K."""
        return self.rows.shape[1]

    def _until(self, t: IntArray) -> FloatArray:
        periods, rest = np.divmod(t, len(self.rows))
        return np.asarray(periods[..., None] * self._prefix[-1] + self._prefix[rest])

    def mean_sums(self, start: ArrayLike, stop: ArrayLike) -> FloatArray:
        """Return the sums, shape (..., K)."""
        first, last = stretch(start, stop)
        return self._until(last) - self._until(first)

    def sums(self, start: ArrayLike, stop: ArrayLike, *, rng: np.random.Generator) -> FloatArray:
        """Return the sums; `rng` is not used."""
        return self.mean_sums(start, stop)

    def losses(self, start: int, stop: int, *, rng: np.random.Generator) -> FloatArray:
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
        if not pairs or not all(_is_phase(pair) for pair in pairs):
            raise ValueError(f"phases must be a sequence of (rounds, environment) pairs, got {phases!r:.200}")
        lengths = [validation.count("rounds of phases", rounds) for rounds, _ in pairs]
        self.environments = tuple(environment for _, environment in pairs)
        if len({environment.n_actions for environment in self.environments}) > 1:
            raise ValueError(f"phases differ in n_actions: {[e.n_actions for e in self.environments]}")
        self.starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        self.stops = np.concatenate([np.cumsum(lengths)[:-1], [np.iinfo(np.int64).max]])

    @property
    def n_actions(self) -> int:
        """Number of actions K."""
        return self.environments[0].n_actions

    def _parts(self, start: ArrayLike, stop: ArrayLike) -> list[tuple[Environment, IntArray, IntArray]]:
        """Cut a stretch at the shifts, in each phase's own time."""
        first, last = stretch(start, stop)
        if not (first.size and last.size):
            return []
        parts = []
        begun = int(self.starts.searchsorted(first.min(), "right")) - 1
        reached = int(self.starts.searchsorted(last.max()))
        if reached == begun + 1:
            return [(self.environments[begun], first - self.starts[begun], last - self.starts[begun])]
        phases = zip(self.environments, self.starts, self.stops, strict=True)
        for environment, begin, end in itertools.islice(phases, begun, reached):
            low, high = np.clip(first, begin, end) - begin, np.clip(last, begin, end) - begin
            if (high > low).any():
                parts.append((environment, low, high))
        return parts

    def sums(self, start: ArrayLike, stop: ArrayLike, *, rng: np.random.Generator) -> NDArray[np.generic]:
        """Draw each phase's share and add up, shape (..., K)."""
        shares = [environment.sums(low, high, rng=rng) for environment, low, high in self._parts(start, stop)]
        shape = (*np.broadcast_shapes(np.shape(start), np.shape(stop)), self.n_actions)
        return np.asarray(sum(shares, np.zeros(shape)))

    def mean_sums(self, start: ArrayLike, stop: ArrayLike) -> FloatArray:
        """Add up the phases' expected sums, shape (..., K)."""
        shares = [e.mean_sums(low, high) for e, low, high in self._parts(start, stop)]
        shape = (*np.broadcast_shapes(np.shape(start), np.shape(stop)), self.n_actions)
        return sum(shares, np.zeros(shape))

    def losses(self, start: int, stop: int, *, rng: np.random.Generator) -> FloatArray:
        """Draw rounds one by one, shape (stop - start, K)."""
        n_rows(start, stop)
        parts = [e.losses(int(low), int(high), rng=rng) for e, low, high in self._parts(start, stop)]
        return np.concatenate([np.zeros((0, self.n_actions)), *parts])


def is_fixed(env: Environment) -> bool:
    """Return whether losses are fixed in advance, so that nothing is drawn."""
    if isinstance(env, Shifting):
        return all(is_fixed(phase) for phase in env.environments)
    return isinstance(env, Deterministic | Repeated | Table)


def _is_phase(pair: object) -> bool:
    """Whether an object is a pair whose second member answers like an environment."""
    return isinstance(pair, Sequence) and len(pair) == 2 and hasattr(pair[1], "mean_sums")
