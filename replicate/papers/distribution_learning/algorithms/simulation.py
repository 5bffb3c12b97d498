"""The whole game at once, exactly in distribution: horizons of 10^12 in a few hundred steps; see `walk`.

The horizon is cut into strata that grow geometrically, and in each of them one round is drawn at random and
its risk taken times the number of rounds in the stratum. The sum of these is an unbiased estimate of the
cumulative risk: there is no quadrature error in the mean, only a little more scatter, which every confidence
limit sees.

`bracket` holds the mean risk of Algorithms 1 and 2 between closed forms, for any sequence of contexts and any
horizon, without a random number: messages are squeezed by c, so chance moves the log weights by about one unit
only, and Jensen's inequality is used once from above and once from below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from replicate import streams, validation
from replicate.mechanisms.noisy_max import softmax
from replicate.papers.distribution_learning.algorithms import bayes
from replicate.papers.distribution_learning.algorithms.schemes import Scheme, divergence, mixture_losses
from replicate.papers.distribution_learning.algorithms.walk import Walk
from replicate.validation import FloatArray, IntArray

RISK = "cumulative KL risk in nats"

_GROUP = 10
"""Replicates that one task of the pool plays, so that small games do not drown in bookkeeping."""


@dataclass(frozen=True, eq=False)
class RiskRun:
    """Risk and total variation of the predictions of simulated games.

    Attributes
    ----------
    rounds
        Shape (n,): numbers of rounds after which the sums are stated.
    regret
        Shape (replicates, n): sum over those rounds of KL(f(x_t), p_hat_t), in nats.
    total_variation
        Shape (replicates, n): sum of |f(x_t) - p_hat_t|_TV.
    times
        Shape (replicates, n): the round of each stratum at which the prediction was looked at.
    truth_weight
        Shape (replicates, n): the learner's weight of the true hypothesis at `times`.
    regret_kind
        Name of what `regret` holds.
    """

    rounds: IntArray
    regret: FloatArray
    total_variation: FloatArray
    times: IntArray
    truth_weight: FloatArray
    regret_kind: str = RISK

    @property
    def final(self) -> FloatArray:
        """Risk after the last round, shape (replicates,)."""
        return self.regret[:, -1]

    @property
    def averaged_tv(self) -> FloatArray:
        """Total variation averaged over all rounds, shape (replicates,)."""
        return self.total_variation[:, -1] / self.rounds[-1]


def strata(horizon: int, grid: int) -> IntArray:
    """Last rounds of at most `grid` strata, the first of one round, lengths growing geometrically: shape (n,).

    To twelve digits: the last bits of a power differ between processors.
    """
    edges = np.array([float(f"{edge:.12g}") for edge in np.geomspace(1.0, float(horizon), grid)])
    return np.unique(np.append(np.minimum(np.round(edges[:-1]).astype(np.int64), horizon), horizon))


def simulate(
    hypotheses: ArrayLike,
    *,
    truth: int = 0,
    scheme: str = "pure",
    epsilon: float = 1.0,
    delta: float | None = None,
    horizon: int,
    replicates: int = 1,
    rng: np.random.Generator,
    contexts: str = "iid",
    context_law: ArrayLike | None = None,
    calibration: str = "corrected",
    grid: int = 400,
) -> RiskRun:
    """Play the game of Section 2.1 and state the learner's risk.

    Parameters
    ----------
    hypotheses
        Shape (K, M), or (X, K, M) for X contexts: hypotheses[x, j] is f_j(x), a distribution over M labels; K >=
        2.
    truth
        Index j* of the hypothesis that labels follow, from 0 to K - 1.
    scheme
        ``"pure"`` (Algorithm 2), ``"approximate"`` (Algorithm 1), ``"randomized_response"``, ``"non_private"``, or
        one of `bayes`: ``"merged_response"``, ``"posterior"``, ``"pair_bits"``, ``"sign_bits"``.
    epsilon, delta
        Privacy of one label: epsilon in [1e-6, 50]; delta in [1e-100, 0.5] for Algorithm 1, None otherwise.
    horizon
        T, from 2 to 2**59.
    replicates
        Number of independent games, from 1 to 10**6; times `grid` at most 10**8, which memory holds.
    rng
        Source of seeds, two for each replicate.
    contexts
        ``"iid"`` from `context_law`, or ``"periodic"``: 0, 1, ..., X - 1, 0, ...
    context_law
        Shape (X,), sum 1; uniform when None. None for periodic contexts.
    calibration
        ``"printed"``, ``"corrected"`` or ``"tight"``; see `tune`.
    grid
        Number of strata, from 100 to 10**5.

    Returns
    -------
    A run with one column for each stratum. The cumulative risk is an unbiased estimate, exact for the
    rounds in which strata hold a single one.

    Raises
    ------
    ValueError
        For arguments outside these ranges.

    Examples
    --------
    >>> coins = [[0.6, 0.4], [0.4, 0.6]]
    >>> run = simulate(coins, scheme="non_private", horizon=10**6, replicates=3, rng=np.random.default_rng(1))
    >>> run.regret.shape == (3, len(run.rounds)), int(run.rounds[-1])
    (True, 1000000)
    """
    options: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "horizon": horizon, "calibration": calibration}
    shared = bayes.shared(hypotheses, scheme=scheme, **options, merge=True)
    n_contexts, n_hypotheses, _ = shared.hypotheses.shape
    truth = validation.count("truth", truth, low=0, high=n_hypotheses - 1)
    replicates = validation.count("replicates", replicates, high=10**6)
    grid = validation.count("grid", grid, low=100, high=10**5)
    if replicates * grid > 10**8:
        raise ValueError(f"replicates times grid must be at most 10**8, got {replicates} times {grid}")
    law = _context_law(validation.choice("contexts", contexts, ("iid", "periodic")), context_law, n_contexts)
    walk = Walk(shared, truth, law)
    rounds = strata(shared.horizon, grid)
    seeds = validation.generator(rng).integers(2**63, size=(replicates, 2))
    groups = [seeds[i : i + _GROUP] for i in range(0, replicates, _GROUP)]
    parts = streams.spread(lambda group: _replicates(walk, rounds, group), groups)
    risk, variation, times, weight = (np.concatenate(part) for part in zip(*parts, strict=True))
    return RiskRun(rounds, risk, variation, times, weight)


def _context_law(contexts: str, law: ArrayLike | None, n_contexts: int) -> FloatArray | None:
    """Distribution of an i.i.d. context, or None for periodic ones."""
    if contexts == "periodic":
        if law is not None:
            raise ValueError(f"context_law must be None for periodic contexts, got {law!r}")
        return None
    if law is None:
        return np.full(n_contexts, 1 / n_contexts)
    array = validation.probabilities("context_law", law)
    if len(array) != n_contexts:
        raise ValueError(f"context_law must have {n_contexts} entries, one a context, got {len(array)}")
    return array / array.sum()


def _replicates(
    walk: Walk, rounds: IntArray, seeds: IntArray
) -> tuple[FloatArray, FloatArray, IntArray, FloatArray]:
    """Risk, total variation, times and weight of the truth of some replicates: shapes (replicates, n)."""
    first = np.append(1, rounds[:-1] + 1)
    lengths = (rounds - first + 1).astype(np.float64)
    times, log_weights = [], []
    for seed in seeds:
        rng = np.random.default_rng([int(word) for word in seed])
        # one round of each stratum, evenly: its loss times the length estimates the stratum without bias
        times.append(rng.integers(first, rounds, endpoint=True))
        log_weights.append(walk.log_weights(times[-1], rng))
    scores, looked_at = np.concatenate(log_weights), np.array(times)
    losses = (loss.reshape(looked_at.shape) for loss in walk.losses(scores, looked_at.ravel()))
    risk, variation = (np.cumsum(lengths * loss, axis=1) for loss in losses)
    weight = softmax(scores, 1.0)[:, walk.truth].reshape(looked_at.shape)
    return risk, variation, looked_at, weight


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

    Theorem. Let L_k be log(w_k/w_j) before round t, j the truth, x_k = exp L_k, m_k = E L_k, e_k = E x_k and r_k =
    E sqrt(x_k). With f the true distribution, q_k what hypothesis k adds to p_hat, and sums over k other than j,
    the expected risk of round t is at most either of

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
