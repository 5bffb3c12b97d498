"""The whole game at once, exactly in law: horizons of 10^12 in a few hundred steps.

Messages never depend on the learner's weights, so what the messages of a stretch of rounds sum to is a
random walk with independent steps: a multinomial vector of symbols and a difference of two Gamma variables
for each sum of Laplace noise. The horizon is cut into strata that grow geometrically, and in each of them
one round is drawn at random and its risk taken times the number of rounds in the stratum. The sum of these
is an unbiased estimate of the cumulative risk: there is no quadrature error in the mean, only a little more
scatter, which every confidence limit sees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from replicate import validation
from replicate.mechanisms import softmax_pmf
from replicate.papers.distribution_learning.algorithms.schemes import Game, mixture_losses
from replicate.validation import FloatArray, IntArray
from replicate.workbook import sweep

__all__ = ["RISK", "RiskRun", "Walk", "simulate", "strata"]

RISK = "cumulative KL risk in nats"


_BLOCK = 2**15
"""Numbers in the largest table of predictions held at once: 256 kB, which caches hold."""
_GROUP = 10
"""Replicates that one task of the pool plays, so that small games do not drown in bookkeeping."""


@dataclass(frozen=True, eq=False)
class RiskRun:
    """What came of a game of predictions.

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
    """Last rounds of at most `grid` strata, the first of one round, lengths growing geometrically: shape (n,)."""
    edges = np.geomspace(1.0, float(horizon), grid)
    return np.unique(np.append(np.minimum(np.round(edges[:-1]).astype(np.int64), horizon), horizon))


@njit(cache=True, nogil=True)
def _draw_symbols(rng, n, conditional, cumulative, counts):  # type: ignore[no-untyped-def]
    """Fill `counts` with a multinomial(n) sample: one by one when n is small, else symbol by symbol."""
    counts[:] = 0
    last = counts.shape[0] - 1
    if n < 4 * last:
        for _ in range(n):
            symbol = np.searchsorted(cumulative, rng.random() * cumulative[last], side="right")
            counts[min(symbol, last)] += 1
        return
    for a in range(last):
        if n == 0:
            return
        counts[a] = rng.binomial(n, conditional[a])
        n -= counts[a]
    counts[last] += n


@njit(cache=True, nogil=True)
def _laplace_sum(rng, n):  # type: ignore[no-untyped-def]
    """Sum of n standard Laplace variables."""
    return rng.standard_gamma(float(n)) - rng.standard_gamma(float(n)) if n else 0.0


@njit(cache=True, nogil=True)
def _walk(rng, visits, conditional, cumulative, values, one_coordinate, noisy):  # type: ignore[no-untyped-def]
    """Sums of log densities, of standard Laplace noise, and numbers of messages, after each stretch of rounds.

    `visits` has shape (n, X): rounds of each stretch in each context. `conditional`, `cumulative` (X, A) and
    `values` (X, A, K) describe the symbols. Returns three arrays of shape (n, K).
    """
    n_steps, n_contexts = visits.shape
    n_symbols, n_hypotheses = values.shape[1], values.shape[2]
    log_density, noise = np.zeros((n_steps, n_hypotheses)), np.zeros((n_steps, n_hypotheses))
    rounds = np.zeros((n_steps, n_hypotheses), dtype=np.int64)
    counts = np.zeros(n_symbols, dtype=np.int64)
    shares = np.zeros(n_hypotheses, dtype=np.int64)
    equal = 1.0 / np.arange(n_hypotheses, 0, -1)
    even = np.cumsum(np.ones(n_hypotheses))
    for i in range(n_steps):
        if i:
            log_density[i], noise[i], rounds[i] = log_density[i - 1], noise[i - 1], rounds[i - 1]
        for x in range(n_contexts):
            m = visits[i, x]
            if m == 0:
                continue
            if one_coordinate:
                _draw_symbols(rng, m, equal, even, shares)
                for j in range(n_hypotheses):
                    if shares[j]:
                        _draw_symbols(rng, shares[j], conditional[x], cumulative[x], counts)
                        for a in range(n_symbols):
                            if counts[a]:
                                log_density[i, j] += counts[a] * values[x, a, j]
                        noise[i, j] += _laplace_sum(rng, shares[j])
                        rounds[i, j] += shares[j]
            else:
                _draw_symbols(rng, m, conditional[x], cumulative[x], counts)
                for a in range(n_symbols):
                    if counts[a]:
                        for j in range(n_hypotheses):
                            log_density[i, j] += counts[a] * values[x, a, j]
                for j in range(n_hypotheses):
                    if noisy:
                        noise[i, j] += _laplace_sum(rng, m)
                    rounds[i, j] += m
    return log_density, noise, rounds


class Walk:
    """The sums of messages at chosen rounds, exactly in law, for one truth.

    Parameters
    ----------
    game
        Hypotheses, scheme and constants.
    truth
        Index of the true hypothesis.
    context_law
        Shape (X,): law of an i.i.d. context; None for contexts that repeat 0, 1, ..., X - 1.
    """

    def __init__(self, game: Game, truth: int, context_law: FloatArray | None) -> None:
        self.game, self.truth, self.context_law = game, truth, context_law
        laws = np.array([c.law(f[truth]) for c, f in zip(game.channels, game.masses, strict=True)])
        order = np.argsort(-laws, axis=1, kind="stable")
        laws = np.take_along_axis(laws, order, axis=1)
        laws = laws[:, : int((laws > 0).sum(axis=1).max())]
        order = order[:, : laws.shape[1]]
        tails = np.cumsum(laws[:, ::-1], axis=1)[:, ::-1]
        with np.errstate(invalid="ignore"):
            self._conditional = np.where(tails > 0, np.minimum(laws / tails, 1.0), 1.0)
        self._cumulative = np.cumsum(laws, axis=1)
        values = np.take_along_axis(game.values, order[:, None, :], axis=2)
        self._values = np.ascontiguousarray(np.swapaxes(values, 1, 2))

    def visits(self, times: IntArray, rng: np.random.Generator) -> IntArray:
        """Rounds spent in each context since the previous time, before each of `times`: shape (n, X)."""
        n_contexts = len(self.game.hypotheses)
        if self.context_law is None:
            so_far = (times[:, None] - 1 - np.arange(n_contexts) + n_contexts - 1) // n_contexts
            return np.diff(so_far, axis=0, prepend=0)
        steps = np.diff(times - 1, prepend=0)
        return rng.multinomial(steps, self.context_law) if n_contexts > 1 else steps[:, None]

    def log_weights(self, times: IntArray, rng: np.random.Generator) -> FloatArray:
        """Log weights before each of the increasing rounds `times`, up to a constant: shape (n, K)."""
        game = self.game
        log_density, noise, rounds = _walk(
            rng,
            self.visits(times, rng),
            self._conditional,
            self._cumulative,
            self._values,
            game.scheme == "pure",
            game.noisy,
        )
        common = (rounds.sum(axis=1, keepdims=True) // rounds.shape[1]).astype(np.int64)
        return game.log_weights(log_density, noise, (rounds - common).astype(np.float64))

    def contexts(self, times: IntArray) -> FloatArray:
        """Law of the context at each of `times`: shape (n, X)."""
        n_contexts = len(self.game.hypotheses)
        if self.context_law is None:
            return np.eye(n_contexts)[(times - 1) % n_contexts]
        return np.broadcast_to(self.context_law, (len(times), n_contexts))

    def losses(self, log_weights: FloatArray, times: IntArray) -> tuple[FloatArray, FloatArray]:
        """Risk and total variation of the predictions at `times`, averaged over the context: shapes (n,)."""
        block = max(1, _BLOCK // self.game.masses.shape[2])
        starts = range(0, len(times), block)
        parts = [self._losses(log_weights[i : i + block], times[i : i + block]) for i in starts]
        risk, variation = zip(*parts, strict=True)
        return np.concatenate(risk), np.concatenate(variation)

    def _losses(self, log_weights: FloatArray, times: IntArray) -> tuple[FloatArray, FloatArray]:
        """`losses`, for as many rounds as fit in memory."""
        law = self.contexts(times)
        risk, variation = np.zeros(len(times)), np.zeros(len(times))
        for x, (masses, predictions) in enumerate(zip(self.game.masses, self.game.predictions, strict=True)):
            here = law[:, x] > 0
            losses = mixture_losses(log_weights[here], predictions, masses[self.truth], self.truth)
            for total, loss in zip((risk, variation), losses, strict=True):
                total[here] += law[here, x] * loss
        return risk, variation


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
        Shape (K, M), or (X, K, M) for X contexts: hypotheses[x, j] is f_j(x), a law over M labels.
    truth
        Index j* of the hypothesis that labels follow.
    scheme
        ``"pure"`` (Algorithm 2), ``"approximate"`` (Algorithm 1), ``"randomized_response"``, ``"non_private"``.
    epsilon, delta
        Privacy of one label, in (0, 50]; `delta` in (0, 0.5] for Algorithm 1 and None otherwise.
    horizon
        T, from 2 to 2**59.
    contexts
        ``"iid"`` from `context_law` (uniform when None), or ``"periodic"``: 0, 1, ..., X - 1, 0, ...
    calibration
        ``"printed"``, ``"corrected"`` or ``"tight"``; see `algorithms.tune`.
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
    """
    game = Game.validated(
        hypotheses,
        scheme=scheme,
        epsilon=epsilon,
        delta=delta,
        horizon=horizon,
        calibration=calibration,
        merge=True,
    )
    n_contexts, n_hypotheses, _ = game.hypotheses.shape
    truth = validation.count("truth", truth, low=0, high=n_hypotheses - 1)
    replicates = validation.count("replicates", replicates)
    grid = validation.count("grid", grid, low=100, high=10**5)
    law = _context_law(validation.choice("contexts", contexts, ("iid", "periodic")), context_law, n_contexts)
    walk = Walk(game, truth, law)
    rounds = strata(game.horizon, grid)
    seeds = validation.generator(rng).integers(2**63, size=(replicates, 2))
    groups = [seeds[i : i + _GROUP] for i in range(0, replicates, _GROUP)]
    with sweep.threads() as pool:
        parts = pool.map(lambda group: _replicates(walk, rounds, group), groups)
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
        times.append(rng.integers(first, rounds, endpoint=True))
        log_weights.append(walk.log_weights(times[-1], rng))
    scores, looked_at = np.concatenate(log_weights), np.array(times)
    losses = (loss.reshape(looked_at.shape) for loss in walk.losses(scores, looked_at.ravel()))
    risk, variation = (np.cumsum(lengths * loss, axis=1) for loss in losses)
    weight = softmax_pmf(scores, scale=1.0)[:, walk.truth].reshape(looked_at.shape)
    return risk, variation, looked_at, weight
