"""The leader of the last batch: a private learner for iid losses whose law changes.

Symbols: K = n_actions, T = horizon, S = n_switches, b = batch, epsilon the privacy level.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from replicate import validation
from replicate.environments import Environment
from replicate.learners.anytime import chunks, pace, paced
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.protocol import MAX_ACTIONS, PSEUDO, Privacy, Run, loss_row
from replicate.learners.pseudo_regret import Stretches, replicated
from replicate.mechanisms.vector_noise import checked_level
from replicate.validation import FloatArray, Generator, IntArray

_CHUNK = 2**18
"""Numbers of a chunk of batches' sums."""
_MOST_STEPS = 2**34


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


class LastBatchLeader:
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

    feedback = "full"

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
        self._tuned = partial(tuning, n_actions=n_actions, epsilon=epsilon, n_switches=n_switches, times=times)
        self._paced, self._pace = horizon is None, pace(0) if horizon is None else horizon
        self.tuning = self._tuned(horizon=self._pace)
        self.horizon = MAX_HORIZON if horizon is None else int(horizon)
        self.n_actions, self.noise = int(n_actions), 2 / float(epsilon)
        self._rng = validation.generator(rng)
        self.privacy = Privacy(
            epsilon=float(epsilon), source="replicate.learners.competitors.last_batch.LastBatchLeader"
        )
        self._round, self._start, self._sum = 0, 0, np.zeros(self.n_actions)
        self._leader = int(self._rng.integers(self.n_actions))

    def act(self) -> int:
        """Return the leader of the batch before."""
        return self._leader

    def observe(self, losses: Any) -> None:
        """Add this round's loss vector, shape (K,), to the batch; at its end, select the next leader.

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
            self._leader = int((self._rng.exponential(self.noise, self.n_actions) - self._sum).argmax())
            self._sum = np.zeros(self.n_actions)
            if self._paced and self._pace < pace(self._round):
                self._pace, self._start = pace(self._round), self._round
                self.tuning = self._tuned(horizon=self._pace)


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
    validation.interface("env", env, ("n_actions", "sums", "mean_sums"))
    tuned = partial(tuning, n_actions=env.n_actions, epsilon=epsilon, n_switches=n_switches, times=times)
    batch, rounds = tuned(horizon=horizon).batch, int(horizon)
    if -(-rounds // batch) * env.n_actions > _MOST_STEPS:
        raise ValueError(f"horizon must make at most 2**34 / K batches, got {rounds} in batches of {batch}")
    plan = [(0, -(-rounds // batch), batch)]
    if validation.flag("unending", unending):
        parts = paced(rounds, lambda length: tuned(horizon=length).batch)
        plan = [(start, many, tuned(horizon=length).batch) for start, many, length in parts]
    game = Stretches(env, rounds)
    finals = np.array(replicated(lambda fresh: _regret(game, plan, 2 / float(epsilon), fresh), replicates, rng))
    return Run(np.array([rounds]), finals[:, None], PSEUDO)


def _regret(game: Stretches, plan: Sequence[tuple[int, int, int]], noise: float, rng: Generator) -> float:
    """Play one game, in chunks of batches: first round, number and size."""
    k, regret = game.env.n_actions, 0.0
    leader = int(rng.integers(k))
    for chunk in chunks(plan, max(_CHUNK // k, 1)):
        edges, (_, cost) = game.edges(*chunk), game.expected(*chunk)
        sums = np.asarray(game.env.sums(edges[:-1], edges[1:], rng=rng), dtype=np.float64)
        chosen = (noise * rng.standard_exponential(sums.shape) - sums).argmax(axis=1)
        # each batch plays the leader of the one before, the first of a chunk that of the chunk before
        leaders = np.append(leader, chosen[:-1])
        regret += float(cost[np.arange(len(cost)), leaders].sum())
        leader = int(chosen[-1])
    return regret
