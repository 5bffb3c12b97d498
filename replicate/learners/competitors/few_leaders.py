"""Leaders of all batches so far: of equal weights, for fixed losses, or fading, for losses whose law changes.

The batch that ends selects the action of the next one with exponential noise. Its score is its losses and w times
the score before: a round's losses take part in later selections with weights 1, w, w**2, ...

Symbols: K = n_actions, T = horizon, S = n_switches, b = batch, n = ceil(T / b) batches, w = memory in [0, 1], W =
1 + w + ... + w**(n - 2), lambda = 2 W / epsilon the scale of the noise, H_K = 1 + 1/2 + ... + 1/K.
"""

from __future__ import annotations

import math
from functools import cache, partial
from typing import NamedTuple

import numpy as np
import scipy

from replicate import validation
from replicate.environments import Environment
from replicate.learners.competitors.batches import BatchLearner, drawn, stretches
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.protocol import MAX_ACTIONS, PSEUDO, Privacy, Run
from replicate.learners.pseudo_regret import Stretches
from replicate.mechanisms.vector_noise import checked_level
from replicate.streams import replicated
from replicate.validation import FloatArray, Generator

_MEMORIES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95)
"""Memories that are tried where the distribution changes."""


class Tuning(NamedTuple):
    """Rounds of a batch, memory, scale of the noise, and the bound on regret there."""

    batch: int
    memory: float
    noise: float
    bound: float


def tuning(
    *, n_actions: int, horizon: int, epsilon: float, n_switches: int | None = None, times: float = 1.0
) -> Tuning:
    """Return the batch and the memory of the smallest bound of `FewLeaders`, and the bound.

    Without a number of switches losses are fixed in advance, w is 1 and lambda = 2 (n - 1) / epsilon. Expected
    regret against every action is at most

        lambda (H_K - 1) + sum over rounds of (1 - e^(-m / lambda)),

    m = 1, ..., b the place of the round in its batch: about lambda H_K + T b / (2 lambda).

    Proof. Losses do not depend on actions, so expected losses stay as they are if all noises are one, Q. Let j_t
    be the leader of the sums up to round t, with noise. By induction over T (Kalai and Vempala 2005), sum_t
    l_t(j_t) <= S_T(i) - Q_i + max Q for every i: in expectation lambda (H_K - 1) more than i loses. The action
    played in the m-th round of a batch is the leader i of sums that lack the last m rounds. It leads if Q_i is at
    least some x, given the other noises; the m rounds raise x by at most m, and P(Q_i >= x + m) >= e^(-m / lambda)
    P(Q_i >= x). So P(j_t = i) is at least e^(-m / lambda) times the probability that i is played, and the loss of
    a round at most 1 - e^(-m / lambda) above that of j_t.

    With a number of switches losses are independent, and their distribution changes at most S times. Expected
    regret against the best action of every phase is at most

        (2 S + 1) b + (n - 2 S - 1) min(b, c) + (S + 1) sum_(m >= 1) (f_m - min(b, c)),
        f_m = min(b, (c + b w^m) / (1 - w^m)), c = sqrt(b log K (1 - w) / (2 (1 + w))) + 2 (H_K - 1) / epsilon.

    Proof. Let m >= 1 whole batches of the phase have passed, * its best action, and W = 1 / (1 - w). The leader J
    has score_J - Q_J <= score_* - Q_*, so that the part of the phase in E (score_J - score_*), W (1 - w^m) b E
    (mu_J - mu_*), is at most E max_k (E score_k - score_k) + E max Q - E Q_* + W w^m b, the last for the batches
    before. Scores are sub-Gaussian of variance b / (4 (1 - w**2)) at most; W is 2 (H_K - 1) / epsilon of noise.
    Divide by W (1 - w^m). A switch spoils its batch and the next, whose leader knows no whole batch of the phase;
    the first batch has no leader.

    Parameters
    ----------
    n_actions, horizon
        K, 2 to 2**20, and T, 1 to 2**59.
    epsilon
        Privacy level, in [1e-9, 1e9].
    n_switches
        S, at least 0; None: losses are fixed, and compared with one action.
    times
        In [1/1000, 1000]: for fixed losses the number of selections is divided by it, and the noise with it; for
        others the batch.

    Examples
    --------
    >>> plan = tuning(n_actions=1000, horizon=10**4, epsilon=1.0)
    >>> plan.batch, round(plan.bound)
    (66, 2989)
    """
    k = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    rounds = validation.count("horizon", horizon, high=MAX_HORIZON)
    switches = None if n_switches is None else validation.count("n_switches", n_switches, low=0)
    factor = validation.real("times", times, low=1e-3, high=1e3)
    return _tuning(k, rounds, checked_level(epsilon), switches, factor)


@cache
def _tuning(k: int, horizon: int, epsilon: float, switches: int | None, times: float) -> Tuning:
    harmonic = float((1 / np.arange(2, k + 1)).sum())
    changes = None if switches is None else min(switches, horizon - 1)

    def at(batch: int, memory: float) -> Tuning:
        if changes is None:
            return _fixed(horizon, batch, epsilon, harmonic)
        return _changing(horizon, batch, memory, epsilon, harmonic, changes, math.log(k))

    memories = (1.0,) if switches is None else _MEMORIES
    sizes = np.unique(np.geomspace(1, horizon, 300).astype(np.int64)).tolist()
    best = min((at(batch, memory) for batch in sizes for memory in memories), key=lambda plan: plan.bound)
    for _ in range(3):  # between the neighbours on the grid
        near = np.unique(np.linspace(best.batch / 1.1, best.batch * 1.1, 21).astype(np.int64)).clip(1, horizon)
        best = min((at(int(batch), best.memory) for batch in near), key=lambda plan: plan.bound)
    if times == 1:
        return best
    batch = best.batch * times if switches is None else best.batch / times
    return at(min(max(round(batch), 1), horizon), best.memory)


def _fixed(horizon: int, batch: int, epsilon: float, harmonic: float) -> Tuning:
    n = -(-horizon // batch)
    noise = 2 * max(n - 1, 1) / epsilon
    last = horizon - (n - 1) * batch

    def late(rounds: int) -> float:
        """Sum of 1 - e^(-m / lambda) over m = 1, ..., rounds."""
        x = 1 / noise
        return rounds - math.exp(-x) * -math.expm1(-rounds * x) / -math.expm1(-x)

    bound = noise * harmonic + (n - 1) * late(batch) + late(last)
    return Tuning(batch, 1.0, noise, bound if n > 1 else float(horizon))


def _changing(
    horizon: int, batch: int, memory: float, epsilon: float, harmonic: float, switches: int, spread: float
) -> Tuning:
    n, w = -(-horizon // batch), memory
    weight = (1 - w ** max(n - 1, 1)) / (1 - w)
    cost = math.sqrt(batch * spread * (1 - w) / (2 * (1 + w))) + 2 * harmonic / epsilon
    least, lost = min(batch, cost), min(2 * switches + 1, n)
    fading = w ** np.arange(1, math.ceil(math.log(1e-9, w)) + 1) if w else np.zeros(1)
    more = float((np.minimum(batch, (cost + batch * fading) / (1 - fading)) - least).clip(0).sum())
    bound = min(lost * batch + (n - lost) * least + (switches + 1) * more, float(n * batch))
    return Tuning(batch, w, 2 * weight / epsilon, bound)


class FewLeaders(BatchLearner):
    """In each batch of rounds, play the action whose score, less exponential noise, is least.

    Proof of epsilon-privacy: a round's losses are part of the scores of at most n - 1 selections, with weights 1,
    w, w**2, ... In each, neighbours' scores differ by d, |d_k| at most the weight. With noises of density
    proportional to exp(-q / lambda) on q >= 0, action J is selected if Q_J less its score exceeds that of every
    other: given those, the probability is exp(-max(q, 0) / lambda) with q the least noise that suffices, which d
    moves by at most twice the weight. So no probability changes by more than e^(2 weight / lambda). Selections are
    adaptive compositions: the exponents add up to at most 2 W / lambda = epsilon. The last batch is not read. The
    first action is uniform.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 2**20.
    horizon
        Number of rounds T, 1 to 2**59; the learner reads no more.
    epsilon
        Privacy level, in [1e-9, 1e9].
    n_switches, times
        See `tuning`.
    rng
        Source of randomness.

    Examples
    --------
    >>> learner = FewLeaders(2, horizon=10**5, epsilon=1.0, rng=np.random.default_rng(1))
    >>> for _ in range(5000):
    ...     learner.observe([0.9, 0.1])
    >>> learner.act()
    1
    """

    def __init__(
        self, n_actions: int, *, horizon: int, epsilon: float, n_switches: int | None = None, times: float = 1.0,
        rng: Generator,
    ) -> None:  # fmt: skip
        tuned = partial(tuning, epsilon=epsilon, n_switches=n_switches, times=times)
        super().__init__(n_actions, horizon=horizon, tuned=tuned, rng=rng)
        source = "replicate.learners.competitors.few_leaders.FewLeaders"
        self.privacy = Privacy(epsilon=float(epsilon), source=source)
        self._leader = int(self._rng.integers(self.n_actions))

    def act(self) -> int:
        """Return the leader of the batches before."""
        return self._leader

    def _end(self, sums: FloatArray) -> FloatArray:
        """Select the next leader."""
        self._leader = int((self._rng.exponential(self.tuning.noise, self.n_actions) - sums).argmax())
        return self.tuning.memory * sums


def simulate(
    env: Environment,
    *,
    epsilon: float,
    n_switches: int | None = None,
    times: float = 1.0,
    horizon: int,
    replicates: int,
    rng: Generator,
) -> Run:
    """Simulate `FewLeaders` exactly in distribution, at the cost of one selection for each batch.

    Parameters
    ----------
    env
        The loss process.
    epsilon, n_switches, times
        The learner.
    horizon
        Number of rounds T, 1 to 2**59, in at most 2**34 / K batches.
    replicates
        Independent repetitions, 1 to 10**6; each has its own stream, spawned from `rng`.
    rng
        Source of randomness.

    Returns
    -------
    Pseudo-regret against the best fixed action after the horizon.
    """
    tuned = partial(tuning, epsilon=epsilon, n_switches=n_switches, times=times)
    plans, game = stretches(env, tuned, horizon=horizon), Stretches(env, int(horizon))
    ((_, _, plan),) = plans

    def regret(fresh: Generator) -> float:
        k, total = env.n_actions, 0.0
        before, leader = np.zeros((1, k)), int(fresh.integers(k))
        for _, sums, cost, _ in drawn(game, plans, fresh):
            scores = sums
            if plan.memory:  # each is that of the batch before, times the memory, and the batch
                scores, before = scipy.signal.lfilter([1.0], [1.0, -plan.memory], sums, axis=0, zi=before)
            chosen = (plan.noise * fresh.standard_exponential(scores.shape) - scores).argmax(axis=1)
            # each batch plays the leader of the one before, the first of a chunk that of the chunk before
            total += float(cost[np.arange(len(cost)), np.append(leader, chosen[:-1])].sum())
            leader = int(chosen[-1])
        return total

    regrets = np.array(replicated(regret, replicates, rng))
    return Run(np.array([game.horizon]), regrets[:, None], PSEUDO)
