"""Randomised-prefix softmax: the learner, its exact-law simulator, and its exact regret on deterministic losses.

Symbols: K = n_actions, T = horizon, eta = learning rate, Delta = gaps, L_r(m) = summed losses of the
first m rounds of block r, M_r = length of the prefix that is read, F_m = expected gap of the action that
softmax(-eta L(m)) selects.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from replicate import environments, validation
from replicate.environments import Environment
from replicate.learners import dyadic
from replicate.learners.protocol import PSEUDO, Privacy, Run
from replicate.mechanisms.noisy_max import softmax
from replicate.validation import FloatArray, IntArray

_SUMMED_DIRECTLY = 1024
"""Prefix lengths whose F_m are added one by one; beyond, Euler-Maclaurin is exact to 1e-12."""

_FOR_EVER = 2.0**1000
"""Prefix length that stands for infinity: no action with a positive gap is selected after so many rounds."""


def learning_rate(epsilon: float) -> float:
    """Return eta = min(epsilon / 2, 1/8) (Section 4).

    Parameters
    ----------
    epsilon
        Privacy level, positive. Levels above 1/4 give the same learner as 1/4.

    Examples
    --------
    >>> learning_rate(0.1), learning_rate(2)
    (0.05, 0.125)
    """
    return min(validation.positive("epsilon", epsilon) / 2, 1 / 8)  # eta of Section 4


def random_prefix(r: int, replicates: int, rng: np.random.Generator) -> IntArray:
    """Draw M_r, uniform on 2**(r-1) + 1, ..., 2**r; M_0 = 1 (Section 4)."""
    # M_r of Section 4; 2**0 // 2 = 0: M_0 = 1
    return rng.integers(2**r // 2 + 1, 2**r, size=replicates, endpoint=True)


def selector(eta: float) -> dyadic.Selector:
    """Return L -> softmax(-eta L), the distribution of the next block's action (Section 4)."""
    return partial(_softmax, eta=eta)


def _softmax(sums: FloatArray, eta: float) -> FloatArray:
    return softmax(-sums, 1 / eta)  # P(A_{r+1} = j) of Section 4


def simulate(env: Environment, *, epsilon: float, horizon: int, replicates: int, rng: np.random.Generator) -> Run:
    """Simulate randomised-prefix softmax (Section 4) exactly in distribution, at a cost of O(K log T) a replicate.

    Parameters
    ----------
    env
        The loss process, K >= 2 actions, losses in [0, 1].
    epsilon
        Privacy level, positive.
    horizon
        Number of rounds T, 1 to 2**59.
    replicates
        Independent repetitions, 1 to 10**6.
    rng
        Source of randomness.

    Returns
    -------
    Pseudo-regret at the end of every block, each replicate's conditional expectation given what was read:
    ``rounds`` of shape (n,), n = floor(log2 T) + 1, and ``regret`` of shape (replicates, n).

    Raises
    ------
    ValueError
        If an argument is out of range, or the environment cannot answer for so many rounds.

    Examples
    --------
    >>> env, rng = environments.Bernoulli([0.4, 0.5, 0.5]), np.random.default_rng(1)
    >>> run = simulate(env, epsilon=0.5, horizon=2**40, replicates=10, rng=rng)
    >>> run.regret.shape, run.regret_kind
    ((10, 41), 'pseudo-regret')
    """
    return dyadic.simulate(
        validation.interface("env", env, ("n_actions", "sums", "mean_sums")),
        selector=selector(learning_rate(epsilon)),
        prefix=random_prefix,
        horizon=horizon,
        replicates=replicates,
        rng=rng,
    )


class PrefixSoftmax(dyadic.DyadicLearner):
    """Randomised-prefix softmax, one round at a time (Section 4): ``act()``, then ``observe(losses)``.

    Plays A_r through block r = 0, 1, ... of 2**r rounds; A_0 is uniform. Of block r it reads the first M_r
    rounds and draws A_{r+1} from softmax(-eta L_r(M_r)). The sequence of actions is 2 eta <= epsilon private
    (Proposition 1).

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 2**20.
    epsilon
        Privacy level, positive.
    rng
        Source of randomness.

    Examples
    --------
    >>> learner = PrefixSoftmax(3, epsilon=0.5, rng=np.random.default_rng(1))
    >>> for losses in ([0.0, 1.0, 1.0], [0.2, 0.4, 1.0], [0.0, 0.5, 0.5]):
    ...     action = learner.act()
    ...     learner.observe(losses)
    >>> learner.privacy.epsilon
    0.25
    """

    def __init__(self, n_actions: int, *, epsilon: float, rng: np.random.Generator) -> None:
        eta = learning_rate(epsilon)
        super().__init__(n_actions, selector=selector(eta), prefix=random_prefix, rng=rng)
        self.privacy = Privacy(epsilon=2 * eta, source="2 eta, eta = min(epsilon / 2, 1/8): PS-P1")

    def law(self, sums: ArrayLike) -> FloatArray:
        """Return the law of the next action given the summed losses that were read: shape (..., K), both."""
        return self._selector(np.asarray(sums))


def exact_regret(means: ArrayLike, *, epsilon: float, horizon: int) -> Run:
    """Return the expected regret on deterministic losses, without Monte Carlo.

    The first block is uniform. In each round of a block after a block of n > 1 rounds the expected regret is the
    average of F_m over n/2 < m <= n (Lemma 4). The averages come from `softmax_error_sum`.

    Parameters
    ----------
    means
        Losses in [0, 1], shape (K,), unique best action.
    epsilon
        Privacy level, at least 1e-100.
    horizon
        Number of rounds T, 1 to 2**59.

    Returns
    -------
    Expected regret at the end of every block, one replicate.

    Examples
    --------
    >>> run = exact_regret([0.0, 1.0], epsilon=0.25, horizon=2**59)
    >>> float(run.final[0].round(4)), run.regret.shape
    (20.7535, (1, 60))
    """
    eta = learning_rate(validation.real("epsilon", epsilon, low=1e-100))
    return regret_of_fixed(environments.gaps(means), eta=eta, horizon=horizon)


def regret_of_fixed(gaps: ArrayLike, *, eta: float, horizon: int) -> Run:
    """Return the expected regret on deterministic losses at any learning rate: `exact_regret` without the cap.

    Parameters
    ----------
    gaps
        Delta, shape (K,), as for `softmax_error`.
    eta
        Learning rate, 1e-100 to 1000.
    horizon
        Number of rounds T, 1 to 2**59.
    """
    delta, eta = _gaps_and_rate(gaps, eta)
    # B_r of Section 4, cut at T
    starts, stops = dyadic.blocks(validation.count("horizon", horizon, high=dyadic.MAX_HORIZON))
    lengths: FloatArray = np.exp2(np.arange(len(starts) - 1))
    # M_r is uniform on unread + 1, ..., |B_r|, for r = 0 as well
    unread = np.floor(lengths / 2)
    # E[F_{M_r}], what a round of B_{r+1} costs (proof of Lemma 4)
    selected = _error_sum(delta, eta, unread, lengths) / (lengths - unread)
    per_round = np.concatenate([[delta.mean()], selected])  # A_0 is uniform
    return Run(stops, np.cumsum(per_round * (stops - starts))[None], PSEUDO)


def softmax_error(gaps: ArrayLike, *, eta: float, rounds: ArrayLike) -> FloatArray:
    """Return F_m = sum_j Delta_j softmax(-eta m Delta)_j for deterministic losses, as in Lemma 4.

    Parameters
    ----------
    gaps
        Delta, shape (K,), one of them zero, the others in [0, 1].
    eta
        Learning rate, 1e-100 to 1000.
    rounds
        m >= 0, shape (...).

    Returns
    -------
    Expected gap of the selected action, shape (...).

    Examples
    --------
    >>> softmax_error([0.0, 0.5], eta=0.125, rounds=[0, 16, 64]).round(4)
    array([0.25  , 0.1345, 0.009 ])
    """
    delta, eta = _gaps_and_rate(gaps, eta)
    m = _lengths("rounds", rounds)
    return np.asarray(softmax(-m[..., None] * delta, 1 / eta) @ delta)  # F_m of Section 5.3


def softmax_error_sum(gaps: ArrayLike, *, eta: float, start: ArrayLike, stop: ArrayLike) -> FloatArray:
    """Return the sum of F_m over start < m <= stop for deterministic losses; `stop` may be infinite.

    With log Z(m) = log sum_j exp(-eta m Delta_j), F_m = -(log Z)'(m) / eta, so that sums telescope up to
    Euler-Maclaurin terms. The first 1,024 terms are added directly.

    Parameters
    ----------
    gaps
        Delta, shape (K,), one of them zero, the others in [0, 1]. Those that are not zero are at least 1e-100.
    eta
        Learning rate, 1e-100 to 1000.
    start
        Whole numbers of at least 0, shape (...).
    stop
        Whole numbers of at least `start`, shape (...), or ``np.inf``.

    Returns
    -------
    Sums, shape (...).

    Examples
    --------
    >>> float(softmax_error_sum([0.0, 1.0], eta=0.125, start=0, stop=np.inf).round(4))
    5.2978
    """
    delta, eta = _gaps_and_rate(gaps, eta)
    first = _lengths("start", start)
    last = _lengths("stop", _FOR_EVER if np.isscalar(stop) and stop == np.inf else stop)
    try:
        ordered = bool((first <= last).all())
    except ValueError:
        ordered = False
    if not ordered:
        raise ValueError(f"start and stop must broadcast, start at most stop, got {start!r:.99} and {stop!r:.99}")
    return _error_sum(delta, eta, first, last)


def _gaps_and_rate(gaps: ArrayLike, eta: float) -> tuple[FloatArray, float]:
    """Check gaps and learning rate."""
    delta = validation.unit_array("gaps", gaps, ndim=1)
    if delta.min() != 0 or ((delta > 0) & (delta < 1e-100)).any():
        raise ValueError(f"gaps must hold a zero, all others at least 1e-100, got {gaps!r:.200}")
    return delta, validation.real("eta", eta, low=1e-100, high=1000)


def _lengths(name: str, values: ArrayLike) -> FloatArray:
    """Check lengths of prefixes, whole numbers of any shape."""
    lengths = validation.numbers(name, values, ndim=None)
    if (lengths < 0).any() or (lengths != np.floor(lengths)).any():
        raise ValueError(f"{name} must be whole numbers of at least 0, got {values!r:.200}")
    return lengths


def _error_sum(gaps: FloatArray, eta: float, start: FloatArray, stop: FloatArray) -> FloatArray:
    """Return the sum of F_m of `softmax_error_sum`, its arguments checked."""
    # equal gaps have equal weights
    delta, counts = np.unique(gaps, return_counts=True)
    first, last = np.broadcast_arrays(start, stop)
    m = np.arange(1.0, min(_SUMMED_DIRECTLY, last.max(initial=0.0)) + 1)
    # head[m] = F_1 + ... + F_m
    head = np.concatenate([[0.0], np.cumsum(_weights(delta, counts, eta, m)[1] @ delta)])
    split_first, split_last = np.minimum(first, _SUMMED_DIRECTLY), np.minimum(last, _SUMMED_DIRECTLY)
    direct = head[split_last.astype(int)] - head[split_first.astype(int)]
    a, b = np.maximum(first, _SUMMED_DIRECTLY), np.maximum(last, _SUMMED_DIRECTLY)
    (log_a, p_a), (log_b, p_b) = (_weights(delta, counts, eta, m) for m in (a, b))
    # where Z hardly changes, log Z(a) - log Z(b) cancels; Z(b) / Z(a) is one plus an average of expm1
    change = (p_a[..., 1:] * np.expm1(-np.multiply.outer(b - a, eta * delta[1:]))).sum(axis=-1)
    nearly = change > -1e-3
    smooth = np.where(nearly, -np.log1p(np.where(nearly, change, 0.0)), log_a - log_b) / eta
    smooth += _euler_maclaurin(p_b, eta * delta, eta) - _euler_maclaurin(p_a, eta * delta, eta)
    return np.asarray(direct + smooth)


def _euler_maclaurin(p: FloatArray, x: FloatArray, eta: float) -> FloatArray:
    """Euler-Maclaurin terms of a sum of F, less its integral, up to the third derivative of F.

    F and its first and third derivatives are the first, second and fourth cumulant of x = eta Delta under the
    softmax distribution p, over eta, with signs +, -, -.
    """
    mean = p @ x
    centred = x - mean[..., None]
    variance = (p * centred**2).sum(axis=-1)
    fourth = (p * centred**4).sum(axis=-1) - 3 * variance**2
    # F / 2 + F' / 12 - F''' / 720, with F' = -variance / eta and F''' = -fourth / eta
    return np.asarray((mean / 2 - variance / 12 + fourth / 720) / eta)


def _weights(delta: FloatArray, counts: IntArray, eta: float, m: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return log Z(m), shape (...), and the softmax distribution over the distinct gaps, shape (..., D)."""
    exponent = np.zeros((*m.shape, len(delta)))
    exponent[..., 1:] = np.multiply.outer(m, eta * delta[1:])
    weights = counts * np.exp(-exponent)
    # Z less the weight 1 of one best action: log Z keeps its digits where it is near 0
    log_z = np.log1p(weights[..., 1:].sum(axis=-1) + (counts[0] - 1))
    return log_z, weights / weights.sum(axis=-1, keepdims=True)
