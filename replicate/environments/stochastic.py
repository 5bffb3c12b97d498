"""Loss processes, seen as sums over stretches of rounds.

Every environment answers two questions about the rounds `start`, ..., `stop` - 1 (counted from 0):
`sums` draws the vector of their summed losses exactly in distribution, in a time that does not depend on how
many rounds they are; `mean_sums` is its expectation. `losses` draws the rounds one by one, for
learners that read them one by one. Stretches drawn in separate calls are independent, so a caller
asks for a random round at most once.

The exact range: NumPy's binomial sampler is trustworthy up to 2**58 trials and silently wrong from
2**60 on, so a stretch of random losses may hold at most ``MAX_STRETCH`` rounds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replicate import validation
from replicate.validation import FloatArray, Generator, IntArray

MAX_STRETCH = 2**58
_STREAMED_STRETCH = 2**20


class Environment(Protocol):
    """The interface of a loss process."""

    @property
    def n_actions(self) -> int:
        """Number of actions K."""

    def sums(self, start: ArrayLike, stop: ArrayLike, *, rng: Generator) -> NDArray[np.generic]:
        """Draw the summed losses of rounds `start` to `stop` - 1: shape (...) -> (..., K)."""

    def mean_sums(self, start: ArrayLike, stop: ArrayLike) -> FloatArray:
        """Return the expectation of `sums`: shape (...) -> (..., K)."""

    def losses(self, start: int, stop: int, *, rng: Generator) -> FloatArray:
        """Draw rounds `start` to `stop` - 1 one by one: shape (stop - start, K)."""


class Stationary(Environment, Protocol):
    """Independent, identically distributed rounds."""

    @property
    def means(self) -> FloatArray:
        """Expected losses of one round, shape (K,)."""


def gaps(means: ArrayLike) -> FloatArray:
    """Return the gaps means - min(means), shape (K,); the best action must be unique.

    Raises
    ------
    ValueError
        If two actions share the smallest mean.
    """
    mu = validation.unit_array("means", means, ndim=1)
    delta = mu - mu.min()
    if np.count_nonzero(delta == 0) > 1:
        raise ValueError(f"means must have a unique best action, got {mu.tolist()!r:.200}")
    return delta


def stretch(start: ArrayLike, stop: ArrayLike) -> tuple[IntArray, IntArray]:
    """Return first and past-the-last rounds as integer arrays that broadcast, none in the wrong order."""
    first, last = validation.integers("start", start), validation.integers("stop", stop)
    try:
        ordered = bool((first <= last).all())
    except ValueError:
        ordered = False
    if not ordered:
        raise ValueError(
            f"start and stop must broadcast, start at most stop, got {first!r:.100} and {last!r:.100}"
        )
    return first, last


def n_rows(start: int, stop: int) -> int:
    """Return the number of rounds of a stretch that is drawn round by round, at most 2**32."""
    first, last = validation.count("start", start, low=0), validation.count("stop", stop, low=0)
    if not 0 <= last - first <= 2**32:
        raise ValueError(f"start and stop must hold 0 to 2**32 rounds between them, got {first} and {last}")
    return last - first


def _rounds(start: ArrayLike, stop: ArrayLike) -> IntArray:
    """Length of the stretch, shape (..., 1), after a check of its range."""
    if type(start) is type(stop) is int and 0 <= start <= stop <= start + MAX_STRETCH:
        return np.array([stop - start])  # one stretch: a learner that plays in phases asks so for each of them
    first, last = stretch(start, stop)
    length = np.asarray(last - first)
    if length.size and length.max() > MAX_STRETCH:
        raise ValueError(f"a stretch, stop - start, must hold 0 to 2**58 rounds, got up to {length.max()}")
    return length[..., None]


class _Iid:
    """Expected sums of independent, identically distributed rounds."""

    means: FloatArray

    @property
    def n_actions(self) -> int:
        """Number of actions K."""
        return len(self.means)

    def mean_sums(self, start: ArrayLike, stop: ArrayLike) -> FloatArray:
        """Return length * means, shape (..., K)."""
        return np.asarray(_rounds(start, stop) * self.means, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Means(_Iid):
    """A distribution that its means say, in [0, 1], shape (K,), K >= 2."""

    means: FloatArray

    def __post_init__(self) -> None:
        vars(self)["means"] = validation.unit_array("means", self.means, ndim=1).copy()


class Bernoulli(_Means):
    """Independent 0/1 losses: the sum over n rounds is Binomial(n, means).

    Parameters
    ----------
    means
        Expected losses in [0, 1], shape (K,), K >= 2.
    """

    def sums(self, start: ArrayLike, stop: ArrayLike, *, rng: Generator) -> IntArray:
        """Draw binomial sums, int64 of shape (..., K)."""
        return validation.generator(rng).binomial(_rounds(start, stop), self.means)

    def losses(self, start: int, stop: int, *, rng: Generator) -> FloatArray:
        """Draw 0/1 losses, shape (stop - start, K)."""
        uniform = validation.generator(rng).random((n_rows(start, stop), self.n_actions))
        return np.less(uniform, self.means, out=uniform)  # 0.0 or 1.0


class Deterministic(_Means):
    """Every loss equals its mean.

    Parameters
    ----------
    means
        Losses in [0, 1], shape (K,), K >= 2.
    """

    def sums(self, start: ArrayLike, stop: ArrayLike, *, rng: Generator) -> FloatArray:
        """Return the sums; `rng` is not used."""
        return self.mean_sums(start, stop)

    def losses(self, start: int, stop: int, *, rng: Generator) -> FloatArray:
        """Return the means in every row; `rng` is not used."""
        return np.tile(self.means, (n_rows(start, stop), 1))


@dataclass(frozen=True, eq=False)
class Joint(_Iid):
    """A finite distribution over whole loss vectors: coordinates may depend on each other in any way.

    The sum over n rounds is Multinomial(n, probabilities) @ outcomes.

    Parameters
    ----------
    outcomes
        The possible loss vectors, shape (C, K), in [0, 1].
    probabilities
        Their probabilities, shape (C,).
    """

    outcomes: FloatArray
    probabilities: FloatArray
    means: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        outcomes = validation.unit_array("outcomes", self.outcomes, ndim=2)
        law = validation.probabilities("probabilities", self.probabilities)
        if len(outcomes) != len(law):
            raise ValueError(f"outcomes has {len(outcomes)} rows but probabilities has {len(law)} entries")
        law = law / law.sum()
        vars(self).update(outcomes=outcomes.copy(), probabilities=law, means=law @ outcomes)

    def sums(self, start: ArrayLike, stop: ArrayLike, *, rng: Generator) -> FloatArray:
        """Draw multinomial sums, shape (..., K)."""
        counts = validation.generator(rng).multinomial(_rounds(start, stop)[..., 0], self.probabilities)
        return np.asarray(counts @ self.outcomes)

    def losses(self, start: int, stop: int, *, rng: Generator) -> FloatArray:
        """Draw loss vectors, shape (stop - start, K)."""
        size, law = n_rows(start, stop), self.probabilities
        return self.outcomes[validation.generator(rng).choice(len(law), size=size, p=law)]


def comonotone(means: ArrayLike) -> Joint:
    """0/1 losses driven by one uniform U a round: loss j is 1 when U < means[j]."""
    return _from_uniform(validation.unit_array("means", means, ndim=1), flipped=slice(0, 0))


def antithetic(means: ArrayLike) -> Joint:
    """0/1 losses driven by one uniform U: even actions by U, odd actions by 1 - U."""
    return _from_uniform(validation.unit_array("means", means, ndim=1), flipped=slice(1, None, 2))


def one_hot(means: ArrayLike) -> Joint:
    """Exactly one action loses each round, action j with probability means[j]; the means sum to 1."""
    mu = validation.probabilities("means", means)
    return Joint(np.eye(len(mu)), mu)


def _from_uniform(mu: FloatArray, flipped: slice) -> Joint:
    """Cut [0, 1] at every point where one of the losses changes; a cell is one loss vector."""
    is_flipped = np.zeros(len(mu), dtype=bool)
    is_flipped[flipped] = True
    cuts = np.unique(np.concatenate([[0.0, 1.0], np.where(is_flipped, 1 - mu, mu)]))
    # within a cell no loss changes: its middle speaks for it
    middle = (cuts[1:] + cuts[:-1])[:, None] / 2
    outcomes = np.where(is_flipped, 1 - middle, middle) < mu
    return Joint(outcomes.astype(np.float64), np.diff(cuts))


@dataclass(frozen=True, eq=False)
class Grid(_Iid):
    """Independent losses on a finite grid of values: sums are multinomial counts times values.

    Parameters
    ----------
    values
        The grid, shape (V,), in [0, 1].
    probabilities
        Distribution of each action on the grid, shape (K, V).
    """

    values: FloatArray
    probabilities: FloatArray
    means: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        values = validation.unit_array("values", self.values, ndim=1, min_last=1)
        laws = validation.probabilities("probabilities", self.probabilities, ndim=2)
        if laws.shape[0] < 2 or laws.shape[1] != len(values):
            shapes = f"{laws.shape} and {values.shape}"
            raise ValueError(f"probabilities must have shape (K, V), K >= 2, and values (V,), got {shapes}")
        laws = laws / laws.sum(axis=-1, keepdims=True)
        vars(self).update(values=values.copy(), probabilities=laws, means=laws @ values)

    def sums(self, start: ArrayLike, stop: ArrayLike, *, rng: Generator) -> FloatArray:
        """Draw the sums, shape (..., K)."""
        counts = validation.generator(rng).multinomial(_rounds(start, stop), self.probabilities)
        return np.asarray(counts @ self.values)

    def losses(self, start: int, stop: int, *, rng: Generator) -> FloatArray:
        """Draw losses, shape (stop - start, K)."""
        cumulative = np.cumsum(self.probabilities, axis=-1)
        cumulative[:, -1] = 1.0  # rounding must leave no number beyond the last value
        uniform = validation.generator(rng).random((n_rows(start, stop), self.n_actions))
        return self.values[(uniform[..., None] >= cumulative).sum(axis=-1)]


@dataclass(frozen=True, eq=False)
class Beta(_Iid):
    """Independent Beta(a, b) losses. Their sums have no distribution to draw from: stretches are streamed.

    Parameters
    ----------
    a, b
        Shape parameters, positive, shape (K,) each. A stretch may hold at most 2**20 rounds.
    """

    a: FloatArray
    b: FloatArray
    means: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        for name in ("a", "b"):
            shape = validation.numbers(name, getattr(self, name), ndim=1, min_last=2)
            if shape.min() <= 0:
                raise ValueError(f"{name} must be positive, got {shape.min()}")
            vars(self)[name] = shape.copy()
        if self.a.shape != self.b.shape:
            raise ValueError(f"a and b must have one shape, got {self.a.shape} and {self.b.shape}")
        vars(self)["means"] = self.a / (self.a + self.b)

    def sums(self, start: ArrayLike, stop: ArrayLike, *, rng: Generator) -> FloatArray:
        """Draw every round and add up, shape (..., K)."""
        length = _rounds(start, stop)[..., 0]
        if length.size and length.max() > _STREAMED_STRETCH:
            raise ValueError(f"Beta losses are streamed: at most 2**20 rounds a stretch, got {length.max()}")
        # one stretch after the other: all at once could be a table of any size
        draws = [self.losses(0, int(n), rng=rng).sum(axis=0) for n in length.ravel()]
        return np.reshape(draws, (*length.shape, self.n_actions))

    def losses(self, start: int, stop: int, *, rng: Generator) -> FloatArray:
        """Draw losses, shape (stop - start, K)."""
        return validation.generator(rng).beta(self.a, self.b, size=(n_rows(start, stop), self.n_actions))


FAMILIES = ("one good arm", "geometric gaps", "linear gaps", "one near competitor")
"""Families of means: one best action, and the others in patterns that have names."""


def means_of(family: str, n_actions: int, gap: float) -> FloatArray:
    """Return the means of a family, shape (K,); action 0 is the best, the nearest is `gap` away.

    One good arm lies at 1/2 - gap, the others at 1/2; in the other families the best lies at 1/4, and all means
    are at most 1.
    """
    if family == "one good arm":
        return 0.5 - gap * (np.arange(n_actions) == 0)
    further = {
        "geometric gaps": gap * 2.0 ** np.minimum(np.arange(1, n_actions), 60) / 2,
        "linear gaps": np.linspace(gap, 0.75, n_actions - 1),
        "one near competitor": np.where(np.arange(1, n_actions) == 1, gap, 0.75),
    }[family]
    return 0.25 + np.concatenate([[0.0], np.clip(further, gap, 0.75)])
