"""The whole game at once, exactly in law: horizons of 10^12 in a few hundred steps; see `walk`.

The horizon is cut into strata that grow geometrically, and in each of them one round is drawn at random and
its risk taken times the number of rounds in the stratum. The sum of these is an unbiased estimate of the
cumulative risk: there is no quadrature error in the mean, only a little more scatter, which every confidence
limit sees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from replicate import executors, validation
from replicate.mechanisms import softmax_pmf
from replicate.papers.distribution_learning.algorithms import bayes
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
        Shape (K, M), or (X, K, M) for X contexts: hypotheses[x, j] is f_j(x), a law over M labels; K >= 2.
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
    shared = bayes.shared(
        hypotheses,
        scheme=scheme,
        epsilon=epsilon,
        delta=delta,
        horizon=horizon,
        calibration=calibration,
        merge=True,
    )
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
    parts = executors.spread(lambda group: _replicates(walk, rounds, group), groups)
    risk, variation, times, weight = (np.concatenate(part) for part in zip(*parts, strict=True))
    return RiskRun(rounds, risk, variation, times, weight)


def _context_law(contexts: str, law: ArrayLike | None, n_contexts: int) -> FloatArray | None:
    """Law of an i.i.d. context, or None for periodic ones."""
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
    weight = softmax_pmf(scores, scale=1.0)[:, walk.truth].reshape(looked_at.shape)
    return risk, variation, looked_at, weight
