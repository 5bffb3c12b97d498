"""The leader of the last batch, for iid losses whose law changes; and leaders of epochs that grow by a ratio.

The learner on doubling epochs that selects with exponential noise (paper 2, in the register as
``exponential``) reads the last epoch alone and spends all of epsilon on one selection. In `EpochLeader` a round
takes part in several selections, with weights that add up to 1: older epochs then help, and privacy composes.

Symbols: K = n_actions, T = horizon, S = n_switches, b = batch, epsilon the privacy level; of epochs g = growth,
w_0, w_1, ... = weights, eta = epsilon / 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from scipy import signal

from replicate import mechanisms, validation
from replicate.environments import Environment
from replicate.learners.anytime import chunks, pace, paced
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.protocol import MAX_ACTIONS, MAX_REPLICATES, PSEUDO, Privacy, Run, loss_row
from replicate.learners.pseudo_regret import Stretches
from replicate.mechanisms.vector_noise import checked_level
from replicate.streams import replicated
from replicate.validation import FloatArray, Generator, IntArray

_CHUNK = 2**18
"""Numbers of a chunk of batches' sums."""
_MOST_STEPS = 2**34
Stretch = tuple[int, int, Any]
"""First round, number of batches, and their tuning."""


class Tuning(NamedTuple):
    """Rounds of a batch, and the bound on regret there."""

    batch: int
    bound: float


def tuning(*, n_actions: int, horizon: int, epsilon: float, n_switches: int, times: float = 1.0) -> Tuning:
    """Return the batch of the smallest proved bound of `LastBatchLeader`, over a number, and the bound there.

    If losses are independent over rounds and their law changes at most S times, the expected regret against the
    best action of every phase is at most, with n = ceil(T / b) batches, of which m = min(2 S + 1, n) are lost,

        (n - m) min(b, sqrt(b log K / 2) + 2 log K / epsilon) + m b.

    Proof. Let two batches that follow each other lie in one phase of means mu, with best action *, and let S_k be
    the sums of the first and Q_k the noises, exponential of mean 2 / epsilon. The leader J has S_J - Q_J <= S_* -
    Q_*, where E Q_J <= E max_k Q_k <= (2 / epsilon)(1 + log K) and E Q_* = 2 / epsilon; and E S_* = b mu_*. By
    Hoeffding's lemma b mu_k - S_k is sub-Gaussian of variance b / 4, so that E (b mu_J - S_J) <= E max_k (b mu_k -
    S_k) <= sqrt(b log K / 2). Hence b E (mu_J - mu_*) is at most the sum in the bound, and at most b in any batch.
    The first batch has no leader; a switch spoils the batch that it lies in and the next one, or the next alone.

    Parameters
    ----------
    n_actions, horizon
        K, 2 to 2**20, and T, 1 to 2**59.
    epsilon
        Privacy level, in [1e-9, 1e9].
    n_switches
        S, at least 0.
    times
        The number, in [1/1000, 1000]: at 2, leaders are chosen twice as often.

    Examples
    --------
    >>> tuned = tuning(n_actions=8, horizon=2**14, epsilon=1.0, n_switches=3)
    >>> tuned.batch, round(tuned.bound)
    (164, 2749)
    """
    k = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    rounds = validation.count("horizon", horizon, high=MAX_HORIZON)
    switches = validation.count("n_switches", n_switches, low=0)
    level, factor = checked_level(epsilon), validation.real("times", times, low=1e-3, high=1e3)
    best = _best(math.log(k), rounds, level, min(switches, rounds - 1))
    batch = min(max(round(best / factor), 1), rounds)
    bound = _bounds(math.log(k), rounds, level, min(switches, rounds - 1), np.array([batch]))
    return Tuning(batch, float(bound[0]))


@cache
def _best(spread: float, horizon: int, epsilon: float, switches: int) -> int:
    """Search a grid of batches, then all, or a finer grid, between the neighbours of its best one."""
    batches = np.unique(np.geomspace(1, horizon, 1000).astype(np.int64))
    i = int(_bounds(spread, horizon, epsilon, switches, batches).argmin())
    low, high = batches[max(i - 1, 0)], batches[min(i + 1, len(batches) - 1)]
    batches = np.unique(np.linspace(low, high, 1000).astype(np.int64))
    return int(batches[_bounds(spread, horizon, epsilon, switches, batches).argmin()])


def _bounds(spread: float, horizon: int, epsilon: float, switches: int, batches: IntArray) -> FloatArray:
    """Return the bound for every size of a batch, log K = spread."""
    b, count = batches.astype(np.float64), -(-horizon // batches)
    lost = np.minimum(2 * switches + 1, count)  # batches without a leader of their own phase
    return np.asarray((count - lost) * np.minimum(b, np.sqrt(b * spread / 2) + 2 * spread / epsilon) + lost * b)


def paced_bound(*, n_actions: int, horizon: int, epsilon: float, n_switches: int, times: float = 1.0) -> float:
    """Return the bound on the regret of `LastBatchLeader` after T rounds where nobody knows T.

    It is sum_i (n_i min(b_i, c_i) + b_i) + 2 S b over the stretches of n_i batches of b_i rounds each, c_i as in
    the bound of `tuning`, b the last of the b_i.

    Proof. As in `tuning`, but for the first batch of a stretch, whose leader is of a shorter batch; a switch
    spoils two batches at most, of at most b rounds.
    """
    words: dict[str, Any] = {"n_actions": n_actions, "epsilon": epsilon, "times": times}
    spread, total, size = math.log(n_actions), 0.0, 0

    def batch(rounds: int) -> int:
        return tuning(**words, horizon=rounds, n_switches=n_switches).batch

    for _, many, tuned in paced(validation.count("horizon", horizon, high=MAX_HORIZON), batch):
        size = batch(tuned)
        total += many * min(size, math.sqrt(size * spread / 2) + 2 * spread / epsilon) + size
    return total + 2 * n_switches * size


class BatchLearner:
    """A learner that reads sums of batches; subclasses say what becomes of them (`_end`).

    Parameters
    ----------
    n_actions
        Number of actions K.
    horizon
        Number of rounds T; None where nobody knows it: batches are those of `replicate.learners.anytime.pace`.
    tuned
        ``tuned(n_actions=K, horizon=T)``: a tuning, which has the rounds of a `batch`.
    rng
        Source of randomness.
    """

    feedback = "full"

    def __init__(self, n_actions: int, *, horizon: int | None, tuned: Callable[..., Any], rng: Generator) -> None:
        self._tuned, self._paced = partial(tuned, n_actions=n_actions), horizon is None
        self._pace = pace(0) if horizon is None else horizon
        self.tuning = self._tuned(horizon=self._pace)
        self.n_actions, self.horizon = int(n_actions), MAX_HORIZON if horizon is None else int(horizon)
        self._rng = validation.generator(rng)
        self._round, self._start, self._sum = 0, 0, np.zeros(self.n_actions)

    def observe(self, losses: Any) -> None:
        """Add this round's loss vector, shape (K,), to the batch; the last batch is not read.

        Raises
        ------
        ValueError
            If it is no loss vector, or the horizon has passed.
        """
        row = loss_row(losses, self.n_actions)
        if self._round == self.horizon:
            raise ValueError(f"losses must be of at most {self.horizon} rounds, the horizon")
        self._round += 1
        self._sum = self._sum + row
        if (self._round - self._start) % self.tuning.batch == 0 and self._round < self.horizon:
            self._sum = self._end(self._sum)
            if self._paced and self._pace < pace(self._round):
                self._pace, self._start = pace(self._round), self._round
                self.tuning = self._tuned(horizon=self._pace)

    def _end(self, sums: FloatArray) -> FloatArray:
        """Take in the sums of a batch; return those with which the next one begins."""
        raise NotImplementedError


def stretches(
    env: Environment, tuned: Callable[..., Any], *, horizon: int, unending: bool = False
) -> list[Stretch]:
    """Return the stretches of batches of a game whose learner is told T, or is not.

    Raises
    ------
    ValueError
        If the environment is none, or the game has more than 2**34 / K batches.
    """
    validation.interface("env", env, ("n_actions", "sums", "mean_sums"))
    tuned = partial(tuned, n_actions=env.n_actions)
    plan, rounds = tuned(horizon=horizon), int(horizon)
    batches = -(-rounds // plan.batch)
    if batches * env.n_actions > _MOST_STEPS:
        raise ValueError(f"horizon must make at most 2**34 / K batches, got {rounds} in batches of {plan.batch}")
    if not validation.flag("unending", unending):
        return [(0, batches, plan)]
    parts = paced(rounds, lambda length: int(tuned(horizon=length).batch))
    return [(start, many, tuned(horizon=length)) for start, many, length in parts]


def drawn(
    game: Stretches, plans: Sequence[Stretch], rng: Generator
) -> Iterator[tuple[Any, FloatArray, FloatArray, bool]]:
    """Draw a game's batches in chunks: tuning, sums and regrets, shape (n, K), and whether the game ends there."""
    for start, many, plan in plans:
        for chunk in chunks([(start, many, plan.batch)], max(_CHUNK // game.env.n_actions, 1)):
            edges, (_, cost) = game.edges(*chunk), game.expected(*chunk)
            sums = np.asarray(game.env.sums(edges[:-1], edges[1:], rng=rng), dtype=np.float64)
            yield plan, sums, cost, bool(edges[-1] == game.horizon)


class LastBatchLeader(BatchLearner):
    """In each batch of rounds, play the action whose loss in the batch before, less exponential noise, is least.

    Proof of epsilon-privacy: a round's losses are part of one batch's sums, which are read once, to select one
    action. A neighbour's sums differ by d, |d_k| <= 1. With noises of density proportional to exp(-epsilon q / 2)
    on q >= 0, action J is selected if Q_J - S_J exceeds every other Q_k - S_k: given those, the probability is
    exp(-(epsilon / 2) max(q, 0)) with q the least noise that suffices, which d moves by at most 2. So no selection
    changes its probability by more than e^epsilon, and the rest is a function of selections. The last batch is not
    read. The first action is uniform.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 2**20.
    horizon
        Number of rounds T, 1 to 2**59; the learner reads no more. None where nobody knows T: batches are those
        of `replicate.learners.anytime.pace`.
    epsilon
        Privacy level, in [1e-9, 1e9].
    n_switches
        S >= 0, the changes of the law that it is tuned for.
    times
        By which the batch of the smallest bound is divided, in [1/1000, 1000].
    rng
        Source of randomness.

    Examples
    --------
    >>> learner = LastBatchLeader(2, horizon=10**5, epsilon=1.0, n_switches=1, rng=np.random.default_rng(1))
    >>> for _ in range(5000):
    ...     learner.observe([0.9, 0.1])
    >>> learner.act()
    1
    """

    _memory = 0.0

    def __init__(
        self,
        n_actions: int,
        *,
        horizon: int | None,
        epsilon: float,
        n_switches: int,
        times: float = 1.0,
        rng: Generator,
    ) -> None:
        tuned = partial(tuning, epsilon=epsilon, n_switches=n_switches, times=times)
        self._begin(n_actions, horizon, tuned, epsilon, rng)
        self.noise = 2 / float(epsilon)

    def _begin(
        self, n_actions: int, horizon: int | None, tuned: Callable[..., Any], epsilon: float, rng: Generator
    ) -> None:
        super().__init__(n_actions, horizon=horizon, tuned=tuned, rng=rng)
        source = f"{type(self).__module__}.{type(self).__qualname__}"
        self.privacy = Privacy(epsilon=float(epsilon), source=source)
        self._leader = int(self._rng.integers(self.n_actions))

    def act(self) -> int:
        """Return the leader of the batch before."""
        return self._leader

    def _end(self, sums: FloatArray) -> FloatArray:
        """Select the next leader."""
        self._leader = int((self._rng.exponential(self.noise, self.n_actions) - sums).argmax())
        return self._memory * sums


def simulate(
    env: Environment,
    *,
    epsilon: float,
    n_switches: int,
    times: float = 1.0,
    unending: bool = False,
    horizon: int,
    replicates: int,
    rng: Generator,
) -> Run:
    """Simulate `LastBatchLeader` exactly in law, at the cost of one selection for each batch.

    Parameters
    ----------
    env
        The loss process.
    epsilon, n_switches, times
        The learner.
    unending
        Whether it is not told T.
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
    plans = stretches(env, tuned, horizon=horizon, unending=unending)
    return played(env, plans, noise=2 / float(epsilon), horizon=horizon, replicates=replicates, rng=rng)


def played(
    env: Environment, plans: Sequence[Stretch], *, noise: float, memory: float = 0.0, horizon: int,
    replicates: int, rng: Generator,
) -> Run:  # fmt: skip
    """Play batches with leaders chosen with exponential noise, whose scores keep a share of older ones."""
    game = Stretches(env, int(horizon))

    def regret(fresh: Generator) -> float:
        k, total = env.n_actions, 0.0
        before, leader = np.zeros((1, k)), int(fresh.integers(k))
        for _, sums, cost, _ in drawn(game, plans, fresh):
            scores = sums
            if memory:  # each is that of the batch before, times the memory, and the batch
                scores, before = signal.lfilter([1.0], [1.0, -memory], sums, axis=0, zi=before)
            chosen = (noise * fresh.standard_exponential(scores.shape) - scores).argmax(axis=1)
            # each batch plays the leader of the one before, the first of a chunk that of the chunk before
            total += float(cost[np.arange(len(cost)), np.append(leader, chosen[:-1])].sum())
            leader = int(chosen[-1])
        return total

    regrets = np.array(replicated(regret, replicates, rng))
    return Run(np.array([game.horizon]), regrets[:, None], PSEUDO)


def epochs_bound(
    *, n_actions: int, gap: float, epsilon: float, horizon: float, growth: int, weights: Sequence[float]
) -> float:
    """Return the bound on the regret of `EpochLeader` on iid losses, of any joint law: constant in T.

    With J weights, A = sum_j w_j g**-j, B = sum_j w_j**2 g**-j, it is the least of T and

        1 + g + ... + g**(J - 1) + g**2 / (g - 1) (log(K - 1) + 1) I,
        I = gap / c(gap) + the integral of 1 / c from gap to 1, c(x) = min(x**2 A**2 / B, eta A x) / 2.

    Proof. Let n rounds of an epoch have passed, and those of J - 1 epochs before. Action k of gap d is selected
    only if the difference of two noises is at least X, the weighted sum of its losses less those of the best
    action; eta times that difference has the Laplace law, and P(it >= y) <= exp(-u y) for all real y and u in [0,
    1]. So P(k) <= E exp(-s X) for s in [0, eta], and by Hoeffding's lemma, a round's differences being in [-1, 1],
    at most exp(-s d A n + s**2 B n / 2). At s = min(d A / B, eta) that is at most exp(-n c(d)). Hence P(G > x) <=
    min(1, (K - 1) exp(-n c(max(x, gap)))) for the gap G of the action played in the next g n rounds. Its integral
    over x in [0, 1] bounds E G and falls in n: n times it is at most g / (g - 1) times its integral from n / g to
    n. Over all n > 0 that is (log(K - 1) + 1) I. The first J epochs cost at most 1 a round.

    Parameters
    ----------
    n_actions, horizon
        K, 2 to 2**20, and T, 1 to 1e40.
    gap
        Least positive gap, in [1e-40, 1].
    epsilon
        Privacy level, 1e-40 to 1e40.
    growth, weights
        The learner.

    Examples
    --------
    >>> sizes = {"n_actions": 8, "gap": 0.1, "epsilon": 1.0, "horizon": 1e6}
    >>> [round(epochs_bound(**sizes, growth=g, weights=w)) for g, w in ((2, (1.0,)), (2, (2 / 3, 1 / 3)))]
    [458, 354]
    """
    k = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    d = validation.real("gap", gap, low=1e-40, high=1)
    eta = validation.real("epsilon", epsilon, low=1e-40, high=1e40) / 2
    rounds = validation.real("horizon", horizon, low=1, high=1e40)
    g, w = _checked(growth, weights)
    powers = float(g) ** -np.arange(len(w))
    signal, rate = float(w @ powers), float(w @ powers) ** 2 / float(w**2 @ powers)
    # below it x**2 A**2 / B is the smaller part of c(x), above it eta A x
    cross = min(max(eta * signal / rate, d), 1.0)
    integral = 2 / rate * (1 / d - 1 / cross) - 2 / (eta * signal) * math.log(cross)
    integral += 2 / min(d * rate, eta * signal)
    return min(rounds, float((1 / powers).sum()) + g * g / (g - 1) * (math.log(k - 1) + 1) * integral)


def _checked(growth: int, weights: Sequence[float]) -> tuple[int, FloatArray]:
    """Return the ratio, and weights that are positive and add up to 1."""
    g = validation.count("growth", growth, low=2, high=1000)
    w = validation.numbers("weights", weights, ndim=1)
    if len(w) > 64 or (w <= 0).any() or abs(w.sum() - 1) > 1e-12:
        raise ValueError(f"weights must be at most 64 positive numbers that add up to 1, got {weights!r:.200}")
    return g, w


class EpochLeader:
    """Play through an epoch the action whose weighted losses in the last epochs, less exponential noise, is least.

    Epochs have 1, g, g**2, ... rounds; the action of the first one is uniform.

    Proof of epsilon-privacy: a round's losses are part of one epoch's sums, which are read in as many selections
    as there are weights, the jth time times w_j. So neighbours' scores differ by at most w_j in each action, and
    the selection, with noises of density proportional to exp(-epsilon q / 2) on q >= 0, changes its probabilities
    by a factor of at most exp(w_j epsilon), as in `last_batch.LastBatchLeader`. Selections are adaptive
    compositions: the exponents add up to epsilon.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 2**20.
    epsilon
        Privacy level, in [1e-9, 1e9].
    growth
        Ratio g of epochs, 2 to 1000.
    weights
        Of the last epoch, of the one before, and so on: positive, at most 64, 1 in sum.
    rng
        Source of randomness.

    Examples
    --------
    >>> from replicate.learners import play
    >>> learner = EpochLeader(2, epsilon=1.0, weights=(2 / 3, 1 / 3), rng=np.random.default_rng(1))
    >>> bool(play(learner, np.tile([0.0, 1.0], (1000, 1))).final[0] < 50)
    True
    """

    feedback = "full"

    def __init__(
        self, n_actions: int, *, epsilon: float, growth: int = 2, weights: Sequence[float] = (1.0,), rng: Generator
    ) -> None:
        self.n_actions = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
        self.noise = 2 / checked_level(epsilon)
        self.growth, self.weights = _checked(growth, weights)
        self._rng = validation.generator(rng)
        self.privacy = Privacy(
            epsilon=float(epsilon), source="replicate.learners.competitors.last_batch.EpochLeader"
        )
        self._sums, self._left, self._epoch = [np.zeros(self.n_actions)], 1, 0
        self._leader = int(self._rng.integers(self.n_actions))

    def length(self, r: int) -> int:
        """Return the rounds of epoch r = 0, 1, ..."""
        return self.growth**r

    def act(self) -> int:
        """Return the action of this epoch."""
        return self._leader

    def observe(self, losses: Any) -> None:
        """Add this round's loss vector, shape (K,), to the epoch's sums; at its end, select the next action."""
        self._sums[0] = self._sums[0] + loss_row(losses, self.n_actions)
        self._left -= 1
        if self._left == 0:
            # the first epochs lack older ones: their weights stay unused, which costs no privacy
            score = sum(w * sums for w, sums in zip(self.weights, self._sums, strict=False))
            self._leader = int((self._rng.exponential(self.noise, self.n_actions) - score).argmax())
            self._sums = [np.zeros(self.n_actions), *self._sums[: len(self.weights) - 1]]
            self._epoch += 1
            self._left = self.length(self._epoch)


def simulate_epochs(
    env: Environment,
    *,
    epsilon: float,
    growth: int = 2,
    weights: Sequence[float] = (1.0,),
    horizon: int,
    replicates: int,
    rng: Generator,
) -> Run:
    """Simulate `EpochLeader` exactly in law, at the cost of one selection for each epoch.

    Regret is accumulated as its conditional expectation given the sums of losses.

    Parameters
    ----------
    env
        The loss process.
    epsilon, growth, weights
        The learner.
    horizon
        Number of rounds T, 1 to 2**59.
    replicates
        Independent repetitions, 1 to 10**6.
    rng
        Source of randomness.

    Returns
    -------
    Pseudo-regret against the best fixed action after every epoch.
    """
    validation.interface("env", env, ("n_actions", "sums", "mean_sums"))
    rounds = validation.count("horizon", horizon, high=MAX_HORIZON)
    many = validation.count("replicates", replicates, high=MAX_REPLICATES)
    scale, (g, w) = 2 / checked_level(epsilon), _checked(growth, weights)
    validation.generator(rng)
    edges = [0, 1]
    while edges[-1] < rounds:
        edges.append(min(edges[-1] * g + 1, rounds))
    starts, stops = np.array(edges[:-1]), np.array(edges[1:])
    means = env.mean_sums(starts, stops)
    cost = means - means[:, [means.sum(axis=0).argmin()]]
    regret = np.empty((many, len(stops)))
    regret[:, 0] = cost[0].mean()
    sums: list[FloatArray] = []
    for r in range(len(stops) - 1):
        drawn = env.sums(np.full(many, starts[r]), np.full(many, stops[r]), rng=rng)
        sums = [np.asarray(drawn, dtype=np.float64), *sums[: len(w) - 1]]
        score = np.asarray(sum(weight * part for weight, part in zip(w, sums, strict=False)))
        regret[:, r + 1] = mechanisms.report_noisy_max_pmf(-score, noise="exponential", scale=scale) @ cost[r + 1]
    return Run(stops, np.cumsum(regret, axis=1), PSEUDO)
