"""Exact values of the quantities inside the proof."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy import special

from replicate import environments
from replicate.environments import Bernoulli, Joint, Stationary
from replicate.learners import dyadic
from replicate.papers.prefix_softmax import algorithms
from replicate.validation import FloatArray, IntArray

NOTHING = 1e-20
"""A cost that the rounding of a regret of 1 hides."""


def log_lower_tail(rounds: ArrayLike, mean: ArrayLike) -> FloatArray:
    """Return the exact log P(U_1 + ... + U_m <= m mu / 2) for U = +1 or -1 with mean mu (Lemma 1, left side)."""
    m, mu = np.asarray(rounds), np.asarray(mean)
    # the sum is 2 ups - m; without 1e-9 rounding may lose the border itself
    ups = np.floor((m + m * mu / 2) / 2 + 1e-9)
    return np.asarray(scipy.stats.binom.logcdf(ups, m, (1 + mu) / 2))


def error_probabilities(env: Joint, *, eta: float, longest: int, rivals: int = 1) -> FloatArray:
    """Return the exact E[P_{m,2}], the probability that softmax(-eta L(m)) selects the worse of two actions.

    There may be any number of `rivals` for action 1, all with its losses: the probability that one is selected.

    The distribution of D_m, the loss of action 1 less that of action 0, is convolved round by round.

    Parameters
    ----------
    env
        0/1 losses of two actions, dependent or not; action 0 is the better.
    eta
        Learning rate.
    longest
        Largest m.
    rivals
        Number of actions with the losses of action 1, at least 1.

    Returns
    -------
    Probabilities, shape (longest,).
    """
    # steps -1, 0, 1 of D_m (Section 5.3), counted from 0
    step = (env.outcomes[:, 1] - env.outcomes[:, 0]).astype(int) + 1
    down, stay, up = np.bincount(step, weights=env.probabilities, minlength=3)
    # P_{m,2} of Section 5.3 at each value of D_m
    worse = special.expit(math.log(rivals) - eta * np.arange(-longest, longest + 1))
    law, probabilities = np.ones(1), np.empty(longest)
    for m in range(1, longest + 1):
        moved = np.zeros(2 * m + 1)
        moved[:-2] = down * law
        moved[1:-1] += stay * law
        moved[2:] += up * law
        law = moved
        probabilities[m - 1] = law @ worse[longest - m : longest + m + 1]
    return probabilities


def as_joint(env: Bernoulli) -> Joint:
    """Return the distribution of independent 0/1 losses over whole loss vectors (2**K outcomes)."""
    outcomes = np.array(list(product((0.0, 1.0), repeat=env.n_actions)))
    return Joint(outcomes, np.where(outcomes == 1, env.means, 1 - env.means).prod(axis=1))


def potential_drift(env: Joint, weights: FloatArray, *, eta: float) -> FloatArray:
    """Return the exact E[log Z_{m+1} - log Z_m] given the weights Q_m, over eta V_m (proof of Lemma 5: <= -1/4).

    Parameters
    ----------
    env
        Distribution of the loss vectors; action 0 is the best, all other gaps exceed 4 eta.
    weights
        Q, shape (n, K), probabilities.
    eta
        Learning rate, at most 1/8.

    Returns
    -------
    Drift over eta V, shape (n,).
    """
    change = np.exp(-eta * (env.outcomes - env.outcomes[:, :1]))  # exp(-eta Y_{m+1,j}), one row per outcome
    # the mean of log(Z_{m+1} / Z_m) = log(Q_1 + sum_j Q_j exp(-eta Y_j)), proof of Lemma 5
    drift = np.log(weights @ change.T) @ env.probabilities
    return np.asarray(drift / (eta * weights @ environments.gaps(env.means)))


def block_tails(env: Stationary, *, eta: float, rounds: IntArray) -> FloatArray:
    """Return proved upper bounds on the mean cost of every block of randomised-prefix softmax on i.i.d. losses.

    Block 0 costs at most its rounds times the largest gap. The action of block r + 1 is selected from m rounds,
    2**(r - 1) < m <= 2**r; `dyadic.selection_tail` bounds each action's probability at the fewest m and, where
    that is below 1/2, at all others. The block costs at most its rounds times the sum of gaps times probabilities,
    and no more than its rounds times the largest gap. Blocks that cost `NOTHING` together have a cruder bound.

    Parameters
    ----------
    env
        The loss process, all blocks alike. Its actions may depend on each other if it is a `Joint` distribution.
    eta
        Learning rate, at most 100.
    rounds
        Length of every block, shape (B,), the last one perhaps cut.

    Returns
    -------
    Bounds, shape (B,).
    """
    gaps = environments.gaps(env.means)
    early, per_round = _crude(env, eta=eta, rounds=rounds)
    distinct, counts = np.unique(gaps[gaps > 0], return_counts=True)
    if len(distinct) > 1:
        per_round[:early] = _selected(env, distinct, eta=eta, blocks=early) @ (counts * distinct)
    return np.asarray(rounds * np.minimum(np.r_[gaps.max(), per_round], gaps.max()))


def settled_blocks(env: Stationary, *, eta: float, horizon: int) -> int:
    """Return after how many blocks all later ones together cost less than `NOTHING` in the mean.

    Of whole blocks or random prefixes, on losses as in `block_tails`.
    """
    starts, stops = dyadic.blocks(horizon)
    return 1 + _crude(env, eta=eta, rounds=stops - starts)[0]


def _crude(env: Stationary, *, eta: float, rounds: IntArray) -> tuple[int, FloatArray]:
    """Bound what a round of each block after block 0 costs, and count those of them that cost more than nothing.

    The bound of an action's probability falls as its gap grows, for E exp(-u X) does at every u: each of the K - 1
    others counts as the one with the smallest gap.
    """
    gaps = environments.gaps(env.means)
    least = gaps[gaps > 0].min(keepdims=True)
    selected = _selected(env, least, eta=eta, blocks=len(rounds) - 1)[:, 0]
    per_round = (len(gaps) - 1) * gaps.max() * selected
    left = np.cumsum((rounds[1:] * per_round)[::-1])[::-1]  # of each block and all later ones
    return int((np.append(left, 0.0) < NOTHING).argmax()), per_round


def _selected(env: Stationary, gaps: FloatArray, *, eta: float, blocks: int) -> FloatArray:
    """Bound the chance that an action of each gap is selected from each block: shape (blocks, len(gaps))."""
    best = float(env.means.min())
    # of all differences with this mean those that are -1 or 1 have the largest E exp(-u X)
    any_law = np.stack([(1 - gaps) / 2, 0 * gaps, (1 + gaps) / 2], axis=-1)
    steps = any_law if isinstance(env, Joint) else dyadic.difference_law(best, np.minimum(best + gaps, 1))
    fewest = np.floor(np.exp2(np.arange(blocks)) / 2) + 1  # the least M_r of Section 4
    selected = dyadic.selection_tail(steps, fewest[:, None], noise="gumbel", scale=1 / eta)
    # only below 1/2 the bound holds for longer prefixes too
    return np.where(selected < 0.5, selected, 1.0)


def least_error(n_actions: int, gap: float, *, longest: int) -> FloatArray:
    """Return the least probability, over all learners, of not playing the best action after n = 0, 1, ... rounds.

    The losses are independent fair coins but for one action, whose mean is 1/2 - gap; which one it is, is uniform.
    The likeliest is the one with the smallest sum, ties broken at random.

    Returns
    -------
    Probabilities, shape (longest,).
    """
    error = np.empty(longest)
    for n in range(longest):
        sums = np.arange(n + 1)
        level, more = scipy.stats.binom.pmf(sums, n, 0.5), scipy.stats.binom.sf(sums, n, 0.5)
        # E[1 / (1 + ties)] over the K - 1 others: the likeliest is drawn among equals
        apart = ((more + level) ** n_actions - more**n_actions) / (n_actions * np.maximum(level, 1e-300))
        share = np.minimum(level / np.maximum(more, 1e-300), 1e-3)
        # the same as a share of more**K: there is no difference of near equals in it
        close = more ** (n_actions - 1) * np.expm1(n_actions * np.log1p(share)) / (n_actions * share)
        first = np.where(level > 1e-3 * more, apart, close)
        error[n] = 1 - scipy.stats.binom.pmf(sums, n, 0.5 - gap) @ first
    return error


def rivals_error(rounds: IntArray, gap: float, *, eta: float) -> dict[str, FloatArray]:
    """Return the exact F_m / gap of three actions, the best without noise: constant 1/2 - gap against two coins.

    Parameters
    ----------
    rounds
        m, shape (n,).

    Returns
    -------
    P(a coin is selected), shape (n,), of fair coins that are ``"opposite"``, one of the two loses, or ``"equal"``.
    """
    wrong = {name: np.empty(len(rounds)) for name in ("opposite", "equal")}
    for i, m in enumerate(rounds):
        law, ahead = scipy.stats.binom.pmf(np.arange(m + 1), m, 0.5), m * (0.5 - gap) - np.arange(m + 1.0)
        for name, other in (("opposite", ahead[::-1]), ("equal", ahead)):
            wrong[name][i] = law @ special.expit(np.logaddexp(eta * ahead, eta * other))
    return wrong


def whole_blocks(gaps: FloatArray, *, eta: float, blocks: int) -> tuple[FloatArray, FloatArray]:
    """Return the exact costs of blocks 1, 2, ... on deterministic losses, without the random prefix and with it.

    The first is never more than the second, and the regret is at most 1 + 4 log K / eta.

    Proof. F_m = sum_j Delta_j exp(-eta m Delta_j) / Z(m) has the derivative -eta times the variance of the gap
    under the softmax distribution: it falls in m. Block r + 1 has 2**(r + 1) rounds, or fewer at the horizon, each
    of cost F_m at m = 2**r, the largest prefix, against the average over 2**(r - 1) < m <= 2**r. All blocks of the
    second kind cost at most 2 F_1 + 4 sum_{m > 1} F_m, no more than 4 times the integral of F over m >= 0, and F =
    -(log Z)' / eta, where log Z falls from log K to 0.

    Parameters
    ----------
    gaps
        Delta, shape (K,), one of them zero.
    eta
        Learning rate.
    blocks
        Number of blocks after block 0.

    Returns
    -------
    Costs without and with prefix, each of shape (blocks,).
    """
    lengths = np.exp2(np.arange(blocks))
    unread = np.floor(lengths / 2)
    # F_m at the largest M_r, and averaged over M_r (Lemma 4)
    whole = algorithms.softmax_error(gaps, eta=eta, rounds=lengths)
    average = algorithms.softmax_error_sum(gaps, eta=eta, start=unread, stop=lengths) / (lengths - unread)
    return 2 * lengths * whole, 2 * lengths * average  # |B_{r+1}| = 2 |B_r|
