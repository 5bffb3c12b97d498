"""Sums of messages at chosen rounds, exactly in distribution, without playing the rounds between them.

Messages never depend on the learner's weights, so what the messages of a stretch of rounds sum to is a
random walk with independent steps: a multinomial vector of symbols and a difference of two Gamma variables
for each sum of Laplace noise.
"""

from __future__ import annotations

import numpy as np

from replicate.compiled import compiled
from replicate.papers.distribution_learning.algorithms.bayes import BayesScheme
from replicate.papers.distribution_learning.algorithms.schemes import Scheme, mixture_losses
from replicate.validation import FloatArray, Generator, IntArray

_BLOCK = 2**15
"""Numbers in the largest table of predictions held at once: 256 kB, which caches hold."""

_ALIKE = 1e-12
"""Probabilities of symbols that differ by no more are taken for equal."""

_compiled = compiled()

Symbols = tuple[FloatArray, FloatArray, IntArray]
"""Law of the symbols of one context: conditional on none before, cumulative, and where a search starts, (A,)."""
Sums = tuple[FloatArray, FloatArray, IntArray]
"""Sums of log densities, of standard Laplace noise, and numbers of messages: shapes (K,)."""


@_compiled
def _starts(cumulative: FloatArray) -> IntArray:
    """Return where each of A equal parts of the total begins, shape (A,): a search for a symbol starts there."""
    n = len(cumulative)
    return np.searchsorted(cumulative, cumulative[-1] * np.arange(n) / n)


@_compiled
def _draw_symbols(rng: Generator, n: int, law: Symbols, counts: IntArray) -> None:
    """Fill `counts` with a multinomial(n) sample: one by one when n is small, else symbol by symbol."""
    conditional, cumulative, starts = law
    counts[:] = 0
    last = counts.shape[0] - 1
    if n < 4 * last:
        for _ in range(n):
            uniform = rng.random()
            point, symbol = uniform * cumulative[last], starts[int(uniform * len(starts))]
            while symbol and cumulative[symbol - 1] > point:  # a border of cells, as rounded
                symbol -= 1
            while symbol < last and cumulative[symbol] <= point:
                symbol += 1
            counts[symbol] += 1
        return
    for a in range(last):
        if n == 0:
            return
        counts[a] = rng.binomial(n, conditional[a])
        n -= counts[a]
    counts[last] += n


@_compiled
def _laplace_sum(rng: Generator, n: int) -> float:
    """Sum of n standard Laplace variables."""
    # a Laplace variable is the difference of two exponentials
    return rng.standard_gamma(float(n)) - rng.standard_gamma(float(n)) if n else 0.0


@_compiled
def _one_coordinate(rng: Generator, n: int, law: Symbols, values: FloatArray, sums: Sums) -> None:
    """Add n rounds of Algorithm 2, each a message about one random hypothesis."""
    (log_density, noise, rounds), (n_symbols, n_hypotheses) = sums, values.shape
    counts, shares = np.zeros(n_symbols, dtype=np.int64), np.zeros(n_hypotheses, dtype=np.int64)
    # line 7, (12): J_t is uniform, so the numbers of messages about each hypothesis are multinomial
    uniform = np.arange(1.0, n_hypotheses + 1)
    _draw_symbols(rng, n, (1.0 / uniform[::-1], uniform, _starts(uniform)), shares)
    for j in range(n_hypotheses):
        if shares[j]:
            _draw_symbols(rng, shares[j], law, counts)
            for a in range(n_symbols):
                if counts[a]:
                    log_density[j] += counts[a] * values[a, j]
            noise[j] += _laplace_sum(rng, shares[j])
            rounds[j] += shares[j]


@_compiled
def _all_coordinates(rng: Generator, n: int, law: Symbols, values: FloatArray, noisy: bool, sums: Sums) -> None:
    """Add n rounds with messages about every hypothesis, with Laplace noise or without."""
    (log_density, noise, rounds), (n_symbols, n_hypotheses) = sums, values.shape
    counts = np.zeros(n_symbols, dtype=np.int64)
    _draw_symbols(rng, n, law, counts)  # line 7, (8): one symbol per round for all j
    for a in range(n_symbols):
        if counts[a]:
            for j in range(n_hypotheses):
                log_density[j] += counts[a] * values[a, j]
    for j in range(n_hypotheses):
        if noisy:
            noise[j] += _laplace_sum(rng, n)
        rounds[j] += n


@_compiled
def _walk(
    rng: Generator, visits: IntArray, laws: Symbols, values: FloatArray, one_coordinate: bool, noisy: bool
) -> Sums:
    """Sums of log densities, of standard Laplace noise, and numbers of messages, after each stretch of rounds.

    `visits` has shape (n, X): rounds of each stretch in each context. `laws`, three arrays of shape (X, A), and
    `values` (X, A, K) describe the symbols. Returns three arrays of shape (n, K).
    """
    n_steps, n_contexts = visits.shape
    n_hypotheses = values.shape[2]
    log_density, noise = np.zeros((n_steps, n_hypotheses)), np.zeros((n_steps, n_hypotheses))
    rounds = np.zeros((n_steps, n_hypotheses), dtype=np.int64)
    for i in range(n_steps):
        for j in range(n_hypotheses if i else 0):
            log_density[i, j], noise[i, j], rounds[i, j] = log_density[i - 1, j], noise[i - 1, j], rounds[i - 1, j]
        for x in range(n_contexts):
            n, law = visits[i, x], (laws[0][x], laws[1][x], laws[2][x])
            sums = (log_density[i], noise[i], rounds[i])
            if n and one_coordinate:
                _one_coordinate(rng, n, law, values[x], sums)
            elif n:
                _all_coordinates(rng, n, law, values[x], noisy, sums)
    return log_density, noise, rounds


def log_ratios(scheme: Scheme | BayesScheme, truth: int) -> FloatArray:
    """Log of each hypothesis' law of a symbol over the truth's, shape (X, K, A); 0 where the truth's is 0.

    Sums over rounds of the logs themselves grow to T, and of 10^16 rounds' only the rounding would be left.
    """
    laws = np.stack([scheme.symbol_laws(j) for j in range(scheme.hypotheses.shape[1])], axis=1)
    true_laws = laws[:, [truth]]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(true_laws > 0, np.log1p((laws - true_laws) / true_laws), 0.0)


def _falling(laws: FloatArray) -> IntArray:
    """Symbols of each context from the likeliest on, shape (X, A); those that only rounding tells apart in turn.

    The order decides how a sum's random numbers are used: it must not depend on who multiplied the matrices.
    """
    order = np.argsort(-laws, axis=1, kind="stable")
    steps = -np.diff(np.take_along_axis(laws, order, axis=1), axis=1, prepend=np.inf)
    ranks = np.zeros_like(order)
    np.put_along_axis(ranks, order, np.cumsum(steps > _ALIKE, axis=1), axis=1)
    return np.argsort(ranks, axis=1, kind="stable")


class Walk:
    """The sums of messages at chosen rounds, exactly in distribution, for one truth.

    Parameters
    ----------
    scheme
        Hypotheses, kind of message and constants.
    truth
        Index of the true hypothesis.
    context_law
        Shape (X,): distribution of an i.i.d. context; None for contexts that repeat 0, 1, ..., X - 1.
    """

    def __init__(self, scheme: Scheme | BayesScheme, truth: int, context_law: FloatArray | None) -> None:
        self.scheme, self.truth, self.context_law = scheme, truth, context_law
        laws = scheme.symbol_laws(truth)
        order = _falling(laws)
        laws = np.take_along_axis(laws, order, axis=1)
        laws = laws[:, : int((laws > 0).sum(axis=1).max())]
        order = order[:, : laws.shape[1]]
        tails = np.cumsum(laws[:, ::-1], axis=1)[:, ::-1]
        with np.errstate(invalid="ignore"):
            # the distribution of a symbol given that none before it came: a multinomial is drawn one binomial at a
            # time
            conditional = np.where(tails > 0, np.minimum(laws / tails, 1.0), 1.0)
        cumulative = np.cumsum(laws, axis=1)
        self._laws = (conditional, cumulative, np.stack([_starts(row) for row in cumulative]))
        # Algorithm 2 shows hypotheses different numbers of cells: ratios to the truth's would not add up
        values = scheme.values if scheme.name == "pure" else log_ratios(scheme, truth)
        values = np.take_along_axis(values, order[:, None, :], axis=2)
        self._values = np.ascontiguousarray(np.swapaxes(values, 1, 2))

    def visits(self, times: IntArray, rng: Generator) -> IntArray:
        """Rounds spent in each context since the previous time, before each of `times`: shape (n, X)."""
        n_contexts = len(self.scheme.hypotheses)
        if self.context_law is None:
            # rounds t' < t of context x: ceil((t - 1 - x) / X)
            so_far = (times[:, None] - 1 - np.arange(n_contexts) + n_contexts - 1) // n_contexts
            return np.diff(so_far, axis=0, prepend=0)
        steps = times - np.append(1, times[:-1])
        return rng.multinomial(steps, self.context_law) if n_contexts > 1 else steps[:, None]

    def log_weights(self, times: IntArray, rng: Generator) -> FloatArray:
        """Log weights before each of the increasing rounds `times`, up to a constant: shape (n, K)."""
        scheme = self.scheme
        log_density, noise, rounds = _walk(  # line 7, of all rounds before each time
            rng, self.visits(times, rng), self._laws, self._values, scheme.name == "pure", scheme.noisy
        )
        common = (rounds.sum(axis=1, keepdims=True) // rounds.shape[1]).astype(np.int64)
        # what all hypotheses share cancels in the weights, and would be all that rounding leaves of 10^16 rounds
        return scheme.log_weights(log_density, noise, (rounds - common).astype(np.float64))  # lines 2, 8

    def contexts(self, times: IntArray) -> FloatArray:
        """Distribution of the context at each of `times`: shape (n, X)."""
        n_contexts = len(self.scheme.hypotheses)
        if self.context_law is None:
            return np.eye(n_contexts)[(times - 1) % n_contexts]  # line 4
        return np.broadcast_to(self.context_law, (len(times), n_contexts))

    def losses(self, log_weights: FloatArray, times: IntArray) -> tuple[FloatArray, FloatArray]:
        """Risk and total variation of the predictions at `times`, averaged over the context: shapes (n,)."""
        block = max(1, _BLOCK // self.scheme.masses.shape[2])
        starts = range(0, len(times), block)
        parts = [self._losses(log_weights[i : i + block], times[i : i + block]) for i in starts]
        risk, variation = zip(*parts, strict=True)
        return np.concatenate(risk), np.concatenate(variation)

    def _losses(self, log_weights: FloatArray, times: IntArray) -> tuple[FloatArray, FloatArray]:
        """`losses`, for as many rounds as fit in memory."""
        law = self.contexts(times)
        risk, variation = np.zeros(len(times)), np.zeros(len(times))
        for x, (masses, predictions) in enumerate(zip(self.scheme.masses, self.scheme.predictions, strict=True)):
            here = law[:, x] > 0
            losses = mixture_losses(log_weights[here], predictions, masses[self.truth], self.truth)  # lines 5-6
            for total, loss in zip((risk, variation), losses, strict=True):
                total[here] += law[here, x] * loss
        return risk, variation
