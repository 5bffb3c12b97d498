"""Randomised-prefix softmax: the learner, its exact-law simulator, and its exact regret on deterministic losses.

Symbols: K = n_actions, T = horizon, eta = learning rate, Delta = gaps, L_r(m) = summed losses of the
first m rounds of block r, M_r = length of the prefix that is read, F_m = expected gap of the action that
softmax(-eta L(m)) selects.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from replicate import environments, validation
from replicate.environments import Environment
from replicate.learners import dyadic
from replicate.learners.protocol import PSEUDO, Privacy, Run
from replicate.mechanisms import softmax_pmf
from replicate.validation import FloatArray, IntArray

__all__ = [
    "PrefixSoftmax",
    "exact_regret",
    "learning_rate",
    "random_prefix",
    "selector",
    "simulate",
    "softmax_error",
    "softmax_error_sum",
]


_SUMMED_DIRECTLY = 1024
"""Prefix lengths whose F_m are added one by one; beyond, Euler-Maclaurin is exact to 1e-12."""


def learning_rate(epsilon: float) -> float:
    """Return eta = min(epsilon / 2, 1/8) (Section 4)."""
    return min(validation.positive("epsilon", epsilon) / 2, 1 / 8)


def random_prefix(r: int, replicates: int, rng: np.random.Generator) -> IntArray:
    """Draw M_r, uniform on 2**(r-1) + 1, ..., 2**r; M_0 = 1 (Section 4)."""
    return rng.integers(2**r // 2 + 1, 2**r, size=replicates, endpoint=True)


def selector(eta: float) -> dyadic.Selector:
    """Return L -> softmax(-eta L), the law of the next block's action (Section 4)."""
    return lambda sums: softmax_pmf(-sums, scale=1 / eta)


def simulate(env: Environment, *, epsilon: float, horizon: int, replicates: int, rng: np.random.Generator) -> Run:
    """Simulate randomised-prefix softmax exactly in law, at a cost of O(K log T) a replicate.

    Parameters
    ----------
    env
        The loss process.
    epsilon
        Privacy level, positive.
    horizon
        Number of rounds T, 1 to 2**59.
    replicates
        Independent repetitions, at least 1.
    rng
        Source of randomness.

    Returns
    -------
    Pseudo-regret at the end of every block, each replicate's conditional expectation given what was read.
    """
    return dyadic.simulate(
        env,
        selector=selector(learning_rate(epsilon)),
        prefix=random_prefix,
        horizon=horizon,
        replicates=replicates,
        rng=rng,
    )


class PrefixSoftmax(dyadic.DyadicLearner):
    """Randomised-prefix softmax, one round at a time (Section 4): ``act()``, then ``observe(losses)``.

    Plays A_r through block r = 0, 1, ... of 2**r rounds; A_0 is uniform. Of block r it reads the first M_r
    rounds and draws A_{r+1} from softmax(-eta L_r(M_r)). The sequence of actions is 2 eta <= epsilon private.

    Parameters
    ----------
    n_actions
        Number of actions K >= 2.
    epsilon
        Privacy level, positive.
    rng
        Source of randomness.
    """

    def __init__(self, n_actions: int, *, epsilon: float, rng: np.random.Generator) -> None:
        eta = learning_rate(epsilon)
        super().__init__(n_actions, selector=selector(eta), prefix=random_prefix, rng=rng)
        self.privacy = Privacy(epsilon=2 * eta, source="2 eta, eta = min(epsilon / 2, 1/8): PS-P1")


def softmax_error(gaps: ArrayLike, *, eta: float, rounds: ArrayLike) -> FloatArray:
    """Return F_m = sum_j Delta_j softmax(-eta m Delta)_j for deterministic losses: rounds m (...) -> (...)."""
    delta, m = np.asarray(gaps, dtype=np.float64), np.asarray(rounds, dtype=np.float64)
    return np.asarray(softmax_pmf(-m[..., None] * delta, scale=1 / eta) @ delta)


def exact_regret(means: ArrayLike, *, epsilon: float, horizon: int) -> Run:
    """Return the expected regret on deterministic losses, without Monte Carlo.

    The first block is uniform. A block after a block of n > 1 rounds pays the average of F_m over
    n/2 < m <= n in each of its rounds. The averages come from `softmax_error_sum`.

    Parameters
    ----------
    means
        Losses in [0, 1], shape (K,), unique best action.
    epsilon
        Privacy level, positive.
    horizon
        Number of rounds T, 1 to 2**59.

    Returns
    -------
    Expected regret at the end of every block, one replicate.
    """
    delta = environments.gaps(means)
    eta = learning_rate(epsilon)
    starts, stops = dyadic.blocks(validation.count("horizon", horizon, high=dyadic.MAX_HORIZON))
    lengths = 2 ** np.arange(len(starts) - 1)
    selected = softmax_error_sum(delta, eta=eta, start=lengths // 2, stop=lengths) / (lengths - lengths // 2)
    per_round = np.concatenate([[delta.mean()], selected])
    return Run(stops, np.cumsum(per_round * (stops - starts))[None], PSEUDO)


def softmax_error_sum(gaps: ArrayLike, *, eta: float, start: ArrayLike, stop: ArrayLike) -> FloatArray:
    """Return the sum of F_m over start < m <= stop for deterministic losses; `stop` may be infinite.

    With log Z(m) = log sum_j exp(-eta m Delta_j), F_m = -(log Z)'(m) / eta, so that sums telescope up to
    Euler-Maclaurin terms. The first 1,024 terms are added directly.

    Parameters
    ----------
    gaps
        Delta, shape (K,), one of them zero, the others in [0, 1].
    eta
        Learning rate in (0, 1/8].
    start, stop
        Shape (...), 0 <= start <= stop.

    Returns
    -------
    Sums, shape (...).
    """
    delta, counts = np.unique(np.asarray(gaps, dtype=np.float64), return_counts=True)
    first, last = np.broadcast_arrays(np.asarray(start, dtype=np.float64), np.asarray(stop, dtype=np.float64))
    m = np.arange(1.0, _SUMMED_DIRECTLY + 1)
    head = np.concatenate([[0.0], np.cumsum(_weights(delta, counts, eta, m)[1] @ delta)])
    split_first, split_last = np.minimum(first, _SUMMED_DIRECTLY), np.minimum(last, _SUMMED_DIRECTLY)
    direct = head[split_last.astype(int)] - head[split_first.astype(int)]
    smooth = _antiderivative(delta, counts, eta, np.maximum(last, _SUMMED_DIRECTLY))
    smooth -= _antiderivative(delta, counts, eta, np.maximum(first, _SUMMED_DIRECTLY))
    return np.asarray(direct + smooth)


def _antiderivative(delta: FloatArray, counts: IntArray, eta: float, m: FloatArray) -> FloatArray:
    """S(m) with S(b) - S(a) = sum of F over a < m <= b: Euler-Maclaurin up to the third derivative of F.

    F and its first and third derivatives are the first, second and fourth cumulant of eta Delta under the
    softmax law, over eta, with signs +, -, -.
    """
    log_z, p = _weights(delta, counts, eta, m)
    x = eta * delta
    mean = p @ x
    centred = x - mean[..., None]
    variance = (p * centred**2).sum(axis=-1)
    fourth = (p * centred**4).sum(axis=-1) - 3 * variance**2
    return np.asarray((-log_z + mean / 2 - variance / 12 + fourth / 720) / eta)


def _weights(delta: FloatArray, counts: IntArray, eta: float, m: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return log Z(m), shape (...), and the softmax law over the distinct gaps, shape (..., D)."""
    exponent = np.zeros((*m.shape, len(delta)))
    exponent[..., 1:] = np.multiply.outer(m, eta * delta[1:])
    weights = counts * np.exp(-exponent)
    log_z = np.log1p(weights[..., 1:].sum(axis=-1) + (counts[0] - 1))
    return log_z, weights / weights.sum(axis=-1, keepdims=True)
