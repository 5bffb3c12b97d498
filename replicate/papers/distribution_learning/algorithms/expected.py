"""The risk of Algorithms 1 and 2 between closed forms: what their messages are in the mean, and their moments.

Messages are squeezed by c, so chance moves the log weights by about one unit only. Jensen's inequality, used once
from above and once from below, brackets the mean risk for any sequence of contexts and any horizon, without a
random number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicate import validation
from replicate.papers.distribution_learning.algorithms.schemes import Scheme, divergence, mixture_losses
from replicate.validation import FloatArray


@dataclass(frozen=True, eq=False)
class Bracket:
    """Limits of the expected risk in each stretch of rounds, in nats: shapes (n,).

    Attributes
    ----------
    lower, upper
        Of the sum over the stretch of E KL(f(x_t), p_hat_t).
    variation
        Upper limit of the sum of E |f(x_t) - p_hat_t|_TV, by Pinsker's inequality round by round.
    """

    lower: FloatArray
    upper: FloatArray
    variation: FloatArray


def increments(scheme: Scheme, truth: int, *, power: float = 1.0) -> tuple[FloatArray, FloatArray]:
    """Return E X and log E exp(s X) of one round's change X of log(w_k/w_truth), s = `power`: shapes (X, K).

    For Algorithm 1, X is eta c (v_k - v_truth) plus eta c b (Lap_k - Lap_truth), v the log density of the cell.
    For Algorithm 2 it is 0, except with probability 1/K each, when coordinate k is shown, eta c (v_k + b Lap + log
    M - c'), and when that of the truth is shown, minus this with v_truth. A Laplace variable of scale z < 1 has E
    exp = 1/(1 - z^2).
    """
    tuning, pure, k = scheme.tuning, scheme.name == "pure", scheme.hypotheses.shape[1]
    step = validation.positive("power", power, high=1) * tuning.learning_rate * tuning.factor
    laws = np.array([c.law(f[truth]) for c, f in zip(scheme.channels, scheme.masses, strict=True)])[:, None, :]
    values, true = scheme.values, scheme.values[:, truth : truth + 1]
    constant = np.log(tuning.n_labels) - tuning.shift
    noise = validation.real("noise of a step", step * tuning.scale, low=0, high=0.99) ** 2
    excess = noise / (1 - noise)  # E exp less 1
    drift = step / power * ((values - true) * laws).sum(axis=-1)
    if pure:
        shown = np.expm1(step * (values + constant)) + np.expm1(-step * (true + constant))
        drift, growth = drift / k, ((shown * laws).sum(axis=-1) * (1 + excess) + 2 * excess) / k
    else:
        growth = (np.expm1(step * (values - true)) * laws).sum(axis=-1) * (1 + excess) ** 2 + excess * (2 + excess)
    log_growth = np.log1p(growth)
    drift[:, truth] = log_growth[:, truth] = 0.0
    return drift, log_growth


def bracket(scheme: Scheme, truth: int, before: FloatArray, *, law: FloatArray | None = None) -> Bracket:
    """Bracket the expected risk of Algorithm 1 or 2 on given contexts, or on independent ones.

    Theorem. Let L_k be log(w_k/w_j) before round t, j the truth, x_k = exp L_k, m_k = E L_k, e_k = E x_k and
    r_k = E sqrt(x_k). With f the true law, q_k what hypothesis k adds to p_hat, and sums over k other than j, the
    expected risk of round t is at most either of

    - KL(f, q_j) - sum_y f(y) log(1 + sum_k exp(m_k) q_k(y)/q_j(y)) + log(1 + sum_k e_k),
    - KL(f, q_j) + sum_k (r_k/2) max(KL(f, q_k) - KL(f, q_j), 0),

    and at least the first with exp(m_k) and e_k exchanged.

    Proof. p_hat = (q_j + sum_k x_k q_k)/(1 + sum_k x_k), so KL(f, p_hat) is
    KL(f, q_j) - sum_y f(y) log(1 + sum_k x_k q_k(y)/q_j(y)) + log(1 + sum_k x_k). A function
    log(1 + sum_k a_k x_k), a_k >= 0, is concave in x and convex in log x: by Jensen's inequality its mean lies
    between its values at x = exp m and at x = e. For the second, KL is convex in p_hat, and the weight of k is at
    most x_k/(1 + x_k) <= sqrt(x_k)/2. Messages of earlier rounds are independent of each other and of the weights:
    m_k is a sum, e_k and r_k are products over rounds, `increments`. QED

    In a stretch of rounds m_k, log e_k and log r_k are sums over contexts of visits times a constant. Each term is
    monotone: of its values at the ends of the stretch the smaller is used for m_k, the larger for the others.

    Parameters
    ----------
    scheme
        Algorithm 1 or 2.
    truth
        Index j of the true hypothesis.
    before
        Visits of each context before each of n stretches, and at the end: shape (n + 1, X). The order of rounds
        within a stretch does not matter. Shape (n + 1, 1), numbers of rounds, with a `law`.
    law
        Shape (X,): contexts are drawn from it independently, round by round. None for given contexts.
    """
    moments = [increments(scheme, truth, power=power) for power in (1.0, 0.5)]
    drift, (growth, root) = moments[0][0], (log_growth for _, log_growth in moments)
    visits = np.diff(before, axis=0)
    if law is not None:
        drift, visits = (law @ drift)[None], visits * law
        growth, root = (np.log1p(law @ np.expm1(rates))[None] for rates in (growth, root))
    low = np.exp(_extreme(np.minimum, before, drift))
    # above 500 the limit says nothing, and must not overflow
    high, half = (np.exp(np.minimum(_extreme(np.maximum, before, rates), 500)) for rates in (growth, root))
    lower, upper, variation = np.zeros((3, len(visits)))
    for x, masses in enumerate(scheme.masses):
        least, most = _limits(masses[truth], scheme.predictions[x], truth, low, high, half)
        lower, upper = lower + visits[:, x] * least, upper + visits[:, x] * most
        variation += visits[:, x] * np.sqrt(most / 2)
    return Bracket(lower, upper, variation)


def _extreme(choose: np.ufunc, before: FloatArray, rates: FloatArray) -> FloatArray:
    """Sum over contexts of the extreme of visits times rate at both ends: shapes (n + 1, X), (X, K) to (n, K)."""
    total = np.zeros((len(before) - 1, rates.shape[1]))
    for column, rate in zip(before.T, rates, strict=True):
        total += choose(column[:-1, None] * rate, column[1:, None] * rate)
    return total


def _limits(
    law: FloatArray, q: FloatArray, truth: int, low: FloatArray, high: FloatArray, half: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Limits of a round's expected risk, from exp m, e and r of shape (n, K), 1 for the truth: shapes (n,)."""
    seen, certain = law > 0, np.where(np.arange(len(q)) == truth, 0.0, -np.inf)
    ratio = q[:, seen] / q[truth, seen]
    certain_cost = float(mixture_losses(certain, q, law, truth)[0])
    smallest, largest = (np.log(weights @ ratio) @ law[seen] for weights in (low, high))
    farther = np.maximum(divergence(law, q) - certain_cost, 0)
    farther[truth] = 0.0
    most = np.minimum(certain_cost - smallest + np.log(high.sum(axis=1)), certain_cost + half @ farther / 2)
    least = certain_cost - largest + np.log(low.sum(axis=1))  # the last line of the theorem
    return np.maximum(least, 0), np.maximum(most, 0)
