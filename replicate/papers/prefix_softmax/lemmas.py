"""Exact values of the quantities that the proof bounds."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from replicate import environments
from replicate.environments import Bernoulli, Joint
from replicate.validation import FloatArray

__all__ = ["as_joint", "error_probabilities", "log_lower_tail", "potential_drift"]


def log_lower_tail(rounds: ArrayLike, mean: ArrayLike) -> FloatArray:
    """Exact log P(U_1 + ... + U_m <= m mu / 2) for U = +1 or -1 with mean mu (Lemma 1, left side)."""
    m, mu = np.asarray(rounds), np.asarray(mean)
    ups = np.floor((m + m * mu / 2) / 2 + 1e-9)
    return np.asarray(stats.binom.logcdf(ups, m, (1 + mu) / 2))


def error_probabilities(env: Joint, *, eta: float, longest: int) -> FloatArray:
    """Exact E[P_{m,2}] for two actions and m = 1, ..., longest: softmax(-eta L(m)) selects the worse one.

    The law of D_m, the loss of action 1 less that of action 0, is convolved round by round.

    Parameters
    ----------
    env
        0/1 losses of two actions, dependent or not; action 0 is the better.
    eta
        Learning rate.
    longest
        Largest m.

    Returns
    -------
    Probabilities, shape (longest,).
    """
    step = (env.outcomes[:, 1] - env.outcomes[:, 0]).astype(int) + 1
    down, stay, up = np.bincount(step, weights=env.probabilities, minlength=3)
    worse = 1 / (1 + np.exp(eta * np.arange(-longest, longest + 1)))
    law = np.zeros(2 * longest + 1)
    law[longest] = 1.0
    probabilities = np.empty(longest)
    for m in range(longest):
        moved = stay * law
        moved[1:] += up * law[:-1]
        moved[:-1] += down * law[1:]
        law = moved
        probabilities[m] = law @ worse
    return probabilities


def as_joint(env: Bernoulli) -> Joint:
    """Write independent 0/1 losses as a law over whole loss vectors (2**K outcomes)."""
    outcomes = np.array(list(product((0.0, 1.0), repeat=env.n_actions)))
    return Joint(outcomes, np.where(outcomes == 1, env.means, 1 - env.means).prod(axis=1))


def potential_drift(env: Joint, weights: FloatArray, *, eta: float) -> FloatArray:
    """Exact E[log Z_{m+1} - log Z_m] given the weights Q_m, over eta V_m: at most -1/4 by the proof of Lemma 5.

    Parameters
    ----------
    env
        Law of the loss vectors; action 0 is the best, all other gaps exceed 4 eta.
    weights
        Q, shape (n, K), probabilities.
    eta
        Learning rate, at most 1/8.

    Returns
    -------
    Drift over eta V, shape (n,).
    """
    change = np.exp(-eta * (env.outcomes - env.outcomes[:, :1]))
    drift = np.log(weights @ change.T) @ env.probabilities
    return np.asarray(drift / (eta * weights @ environments.gaps(env.means)))
