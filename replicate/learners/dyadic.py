"""Learners that play one action on each dyadic block of rounds.

Block r holds rounds 2**r, ..., 2**(r+1) - 1 (counted from 1). The action of block 0 is uniform; that of
block r + 1 is selected from the losses of a prefix of block r and of nothing else. A learner of this
kind is a *prefix distribution* (how much of the block is read) and a *selector* (summed losses -> probabilities).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from replicate import mechanisms, validation
from replicate.environments import MAX_STRETCH, Environment
from replicate.learners.protocol import MAX_ACTIONS, MAX_REPLICATES, PSEUDO, Run, loss_row
from replicate.validation import FloatArray, Generator, IntArray

MAX_HORIZON = 2 * MAX_STRETCH
"""2**59 rounds: the exact range of binomial sums."""

_STEPS = np.array([-1.0, 0.0, 1.0])
_LARGEST_SHARE = 1 - 2.0**-40
"""Largest u that `selection_tail` tries; at 1 the factor of Laplace noise is infinite."""
_SEARCH_STEPS = 50

Selector = Callable[[NDArray[Any]], FloatArray]
"""Summed losses of a prefix, shape (..., K), to the distribution of the next action, shape (..., K)."""
PrefixLaw = Callable[[int, int, Generator], IntArray]
"""(block r, replicates, rng) to the number of rounds read, shape (replicates,), each in 1, ..., 2**r."""


def leaders(sums: NDArray[Any]) -> FloatArray:
    """Selector without noise: the uniform distribution on the actions with the smallest sums."""
    best = sums == sums.min(axis=-1, keepdims=True)
    return np.asarray(best / best.sum(axis=-1, keepdims=True))


def blocks(horizon: int) -> tuple[IntArray, IntArray]:
    """First and past-the-last round (counted from 0) of every block, the last one cut at `horizon`."""
    powers = 2 ** np.arange(horizon.bit_length(), dtype=np.int64)
    return powers - 1, np.minimum(2 * powers - 1, horizon)


def whole_block(r: int, replicates: int, rng: Generator) -> IntArray:
    """Prefix distribution that reads all 2**r rounds of block r."""
    return np.full(replicates, 2**r)


def simulate(
    env: Environment,
    *,
    selector: Selector,
    prefix: PrefixLaw = whole_block,
    horizon: int,
    replicates: int,
    rng: Generator,
) -> Run:
    """Simulate a dyadic learner exactly in distribution, at a cost of O(K log T) a replicate.

    A block acts on the future only through the summed losses of the prefix that is read, so these are
    drawn directly. Regret is accumulated as its conditional expectation given those sums (the selection
    probabilities times the gaps, instead of a sampled action), which leaves its mean unchanged.

    Parameters
    ----------
    env
        The loss process.
    selector, prefix
        The learner.
    horizon
        Number of rounds T, 1 to 2**59.
    replicates
        Independent repetitions, 1 to 10**6.
    rng
        Source of randomness.

    Returns
    -------
    A run with one entry for each block; pseudo-regret against the best fixed action over the horizon.
    """
    horizon = validation.count("horizon", horizon, high=MAX_HORIZON)
    replicates = validation.count("replicates", replicates, high=MAX_REPLICATES)
    validation.generator(rng)
    starts, stops = blocks(horizon)
    mean_losses = env.mean_sums(starts, stops)
    # against the action with the smallest expected loss over the horizon
    cost = mean_losses - mean_losses[:, [mean_losses.sum(axis=0).argmin()]]
    regret = np.empty((replicates, len(starts)))
    regret[:, 0] = cost[0].mean()
    for r in range(len(starts) - 1):
        read = prefix(r, replicates, rng)
        law = selector(env.sums(starts[r], starts[r] + read, rng=rng))
        # the selection's conditional expectation, in place of a draw: the same mean, less scatter
        regret[:, r + 1] = law @ cost[r + 1]
    return Run(stops, np.cumsum(regret, axis=1), PSEUDO)


def difference_law(best: ArrayLike, other: ArrayLike) -> FloatArray:
    """Distribution on -1, 0, 1 of an action's loss less the best action's, of independent Bernoulli losses.

    Parameters
    ----------
    best, other
        Means in [0, 1], of shapes that broadcast to (...).

    Returns
    -------
    Probabilities, shape (..., 3).

    Examples
    --------
    >>> difference_law(0.25, 0.5).round(4)
    array([0.125, 0.5  , 0.375])
    """
    low, high = np.broadcast_arrays(
        validation.unit_array("best", best, ndim=None, min_last=1),
        validation.unit_array("other", other, ndim=None, min_last=1),
    )
    down, up = low * (1 - high), high * (1 - low)
    return np.stack([down, 1 - down - up, up], axis=-1)


def selection_tail(steps: ArrayLike, rounds: ArrayLike, *, noise: str, scale: float) -> FloatArray:
    """Upper bound on the probability that an action is selected after n rounds of i.i.d. losses.

    The selector is report-noisy-max: the action with the smallest sum of losses plus noise. With Gumbel noise
    that is a softmax at eta = 1 / scale, with exponential noise permute-and-flip.

    Proof. Let X_1, ..., X_n be the losses of action k less those of the best action in each round, D their sum and
    Z, Z' the noises of the two. If k is selected, Z - Z' >= D, so P(k | D) <= G(D / b), b = scale, where G(y) is
    P(Z - Z' >= b y). For each u in [0, 1], G(y) <= C(u) exp(-u y) for all real y, with C as below. Hence

        P(k is selected) <= C(u) E[exp(-u D / b)] = C(u) (E exp(-u X_1 / b))**n.

    A ternary search looks for the smallest value, which it finds since the logarithm is convex in u. Wherever it
    ends, the value is a bound.

    *Gumbel*: Z - Z' is logistic, G(y) = 1 / (1 + x) with x = exp(y). The derivative of x**u / (1 + x) vanishes at
    x = u / (1 - u), so C(u) = u**u (1 - u)**(1 - u).

    *Exponential*: Z - Z' is Laplace, G(y) = exp(-y) / 2 for y >= 0 and 1 - exp(y) / 2 for y < 0. For y >= 0,
    exp(u y) G(y) falls. For z = exp(y) < 1 it is z**u - z**(u + 1) / 2, largest at z = 2 u / (1 + u) <= 1, so
    C(u) = (2 u)**u / (1 + u)**(1 + u).

    *Laplace*: G(y) = (2 + y) exp(-y) / 4 for y >= 0, and G(y) = 1 - G(-y). For y >= 0 and u >= 1/2, exp(u y) G(y)
    is largest at y = 1 / (1 - u) - 2 >= 0, with value exp(1 - 2 u) / (4 (1 - u)). For y < 0 its derivative has the
    sign of u G(y) - g(y), at least 1/2 * 1/2 - 1/4 = 0, for the density g(y) = (1 + |y|) exp(-|y|) / 4 is at most
    1/4: it rises up to y = 0. So C(u) = exp(1 - 2 u) / (4 (1 - u)) for u in [1/2, 1). The least log C is convex, a
    supremum of functions u y + log G(y), with C(0) = 1 and C(1/2) = 1/2: for u < 1/2 its chord gives 4**-u.

    Random prefixes. C(u) >= G(0) = 1/2. Where the bound is below 1/2, E exp(-u X_1 / b) < 1 at the u that was
    found: then it holds whatever larger number of rounds is read.

    Other losses. exp(-s x) is convex in x. So losses in [0, 1] of independent actions may be replaced by
    Bernoulli losses with their means, see `difference_law`, and X_1 of any losses in [0, 1], with mean `gap`, by
    the step ((1 - gap) / 2, 0, (1 + gap) / 2).

    Parameters
    ----------
    steps
        Distribution of X_1 on -1, 0, 1: probabilities, shape (..., 3).
    rounds
        Number of rounds n that the selector reads, whole numbers of at least 0, shape (...).
    noise
        ``"gumbel"``, ``"exponential"`` or ``"laplace"``.
    scale
        Scale b of the noise, at least 0.01.

    Returns
    -------
    Bounds, at most 1, of the shape to which `steps`, without its last axis, and `rounds` broadcast.

    Examples
    --------
    >>> steps = difference_law(0.25, [0.5, 0.75])
    >>> selection_tail(steps, 1000, noise="gumbel", scale=20)
    array([6.45134436e-06, 2.22794459e-11])
    """
    laws = validation.probabilities("steps", steps, ndim=None)
    if laws.shape[-1] != len(_STEPS):
        raise ValueError(f"steps must have shape (..., 3), the distributions on -1, 0, 1, got {laws.shape}")
    n = validation.numbers("rounds", rounds, ndim=None)
    if (n < 0).any() or (n != np.floor(n)).any():
        raise ValueError(f"rounds must be whole numbers of at least 0, got {rounds!r:.200}")
    validation.choice("noise", noise, mechanisms.NOISES)
    b = validation.real("scale", scale, low=0.01, high=1e100)
    down, still, up = np.moveaxis(laws, -1, 0)

    def log_bound(u: FloatArray) -> FloatArray:
        # E exp(-u X_1 / b) less 1: its logarithm keeps its digits where scale is large
        change = down * np.expm1(u / b) + up * np.expm1(-u / b)
        log_mean = np.log1p(np.maximum(change, -0.5))
        if (change < -0.5).any():  # log1p cancels where change is near -1
            far = np.log(down * np.exp(u / b) + still + up * np.exp(-u / b))
            log_mean = np.where(change < -0.5, far, log_mean)
        return np.asarray(_log_noise_factor(u, noise) + n * log_mean)

    low, high = np.zeros((2, *np.broadcast_shapes(laws.shape[:-1], n.shape)))
    high += _LARGEST_SHARE
    for _ in range(_SEARCH_STEPS):
        left, right = (2 * low + high) / 3, (low + 2 * high) / 3
        falls = log_bound(left) > log_bound(right)
        low, high = np.where(falls, left, low), np.where(falls, high, right)
    return np.exp(np.minimum(log_bound((low + high) / 2), 0.0))  # a probability is at most 1


def _log_noise_factor(u: FloatArray, noise: str) -> FloatArray:
    """Return log C(u) of `selection_tail`, for u in [0, 1)."""
    if noise == "gumbel":
        return np.asarray(special.xlogy(u, u) + special.xlog1py(1 - u, -u))
    if noise == "exponential":
        return np.asarray(special.xlogy(u, 2 * u) - (1 + u) * np.log1p(u))
    return np.where(u < 0.5, -u * np.log(4), 1 - 2 * u - np.log(4) - np.log1p(-u))


class DyadicLearner:
    """The same learner, one round at a time, on any losses.

    Parameters
    ----------
    n_actions
        Number of actions K >= 2.
    selector, prefix
        The learner, as for `simulate`.
    rng
        Source of randomness.
    """

    feedback = "full"

    def __init__(self, n_actions: int, *, selector: Selector, prefix: PrefixLaw, rng: Generator) -> None:
        self.n_actions = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
        self._selector, self._prefix, self._rng = selector, prefix, validation.generator(rng)
        self._action = int(self._rng.integers(self.n_actions))
        self._block = -1
        self._open_block()

    def act(self) -> int:
        """Return the action of this block."""
        return self._action

    def observe(self, losses: Any) -> None:
        """Add this round's loss vector, shape (K,), to the prefix; at the end of a block, select anew."""
        row = loss_row(losses, self.n_actions)
        self._seen += 1
        if self._seen <= self._read:
            self._sums += row
        if self._seen == 2**self._block:
            self._action = int(mechanisms.sample_pmf(self._selector(self._sums), rng=self._rng))
            self._open_block()

    def _open_block(self) -> None:
        self._block += 1
        self._seen, self._sums = 0, np.zeros(self.n_actions)
        self._read = int(self._prefix(self._block, 1, self._rng)[0])
