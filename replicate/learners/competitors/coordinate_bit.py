"""One bit of one coordinate, or of several: local privacy where all losses are seen.

A user draws m distinct coordinates, uniformly and apart from the losses, and releases them and one random bit of
the loss of each, at epsilon / m. One coordinate is best up to epsilon = 3.06.

Symbols: K = n_actions, T = horizon, S = n_switches, r = tanh(epsilon / (2 m)), B a bit, c = K / (2 m r), D the
nats of the comparator (`code_length`; log K for one action), V = K / (4 m r**2), eta = learning rate, x = c eta.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from replicate import validation
from replicate.compiled import compiled
from replicate.environments import Environment
from replicate.learners.baselines import code_length
from replicate.learners.competitors.bandit import drawn_bit, random_bit
from replicate.learners.competitors.random_bit import response
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.protocol import MAX_ACTIONS, PSEUDO, Drawing, Privacy, Run, loss_row
from replicate.learners.pseudo_regret import MAX_DRAWN, Stretches
from replicate.streams import replicated
from replicate.validation import FloatArray, Generator

LEARNERS = ("share", "leader")
"""What is made of the messages: `CoordinateShare`, `CoordinateLeader`."""
_HEDGE, _SHARE, _LEADER = 0, 1, 2
"""Kinds in compiled code."""
_STEPS = np.geomspace(1e-12, 30, 8000)
"""Steps x at which a bound is evaluated: neighbours are 0.4% apart."""
_CHUNK = 2**18
"""Numbers of a chunk of rounds."""


class Tuning(NamedTuple):
    """The step x, the share, and the bound on regret there."""

    step: float
    share: float
    bound: float


def tuning(*, n_actions: int, horizon: int, epsilon: float, n_switches: int = 0, times: float = 1.0) -> Tuning:
    """Return the step of the smallest proved bound of `CoordinateShare`, times a number, and the bound there.

    Expected regret against every sequence of actions with at most S switches that is fixed in advance, on losses
    in [0, 1] that may react, is at most

        (c / sinh x) (D + T m (cosh x - 1) / K) + (T / 2) (1 - x / sinh x),

    for any x > 0; about D / eta + eta V T / 2, so that the least is about sqrt(2 D V T) + D K / 6.

    Proof. The estimates are z_i = 2 c (B_i - 1/2) for the coordinates drawn, each with probability m / K, and 0
    for others; given the past, E z_i = l_i - 1/2, for E B_i = 1/2 + r (l_i - 1/2). Their weights change by exp(-x)
    or exp(x), so that with w the weights -log sum_i w_i exp(-eta z_i) >= sum_i w_i (1 - exp(-eta z_i)), in
    expectation (sinh(x) / c) <w, l - 1/2> - m (cosh x - 1) / K. Added up, the left side is at most D + eta sum_t
    z_t,u for the sequence u, as in `batched_share.tuning`, in expectation D + (x / c) L with L = sum_t (l_t,u -
    1/2) >= -T / 2. Solve for sum_t <w_t, l_t - 1/2> - L.

    Parameters
    ----------
    n_actions, horizon
        K, 2 to 2**20, and T, 1 to 2**59.
    epsilon
        Privacy level, positive.
    n_switches
        S, at least 0; 0 is Hedge.
    times
        The number, in [1/1000, 1000].

    Examples
    --------
    >>> round(tuning(n_actions=8, horizon=2**14, epsilon=1.0).bound)
    801
    """
    k = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    rounds = validation.count("horizon", horizon, high=MAX_HORIZON)
    switches = validation.count("n_switches", n_switches, low=0)
    level = validation.positive("epsilon", epsilon)
    return _tuning(k, rounds, level, switches, validation.real("times", times, low=1e-3, high=1e3))


@cache
def _tuning(k: int, horizon: int, epsilon: float, switches: int, times: float) -> Tuning:
    (length, share), m = code_length(k, horizon, switches), coordinates(k, epsilon)
    c = k / (2 * m * response(epsilon / m))

    def bounds(x: FloatArray) -> FloatArray:
        up = np.sinh(x)
        # cosh x - 1 = 2 sinh(x / 2)^2, which does not cancel
        return c / up * (length + horizon * m * 2 * np.sinh(x / 2) ** 2 / k) + horizon / 2 * (1 - x / up)

    x = min(times * float(_STEPS[bounds(_STEPS).argmin()]), float(_STEPS[-1]))
    return Tuning(x, share, float(bounds(np.array(x))))


@cache
def coordinates(n_actions: int, epsilon: float) -> int:
    """Return the number m of coordinates, at most K, at which V is least.

    Examples
    --------
    >>> [coordinates(8, epsilon) for epsilon in (1.0, 3.05, 3.07, 10.0)]
    [1, 1, 2, 5]
    """
    return max(range(1, min(n_actions, math.ceil(epsilon)) + 1), key=lambda m: m * response(epsilon / m) ** 2)


def leader_bound(*, n_actions: int, gap: float, epsilon: float, horizon: float) -> float:
    """Return the bound on the regret of `CoordinateLeader` on i.i.d. losses: constant in T.

    With q = r**2 (m / K) / (1 + r**2 (m - 1) / (K - 1)) it is the least of T, 1 + (1 / q) (log(K - 1) + 1)
    (2 / gap - 1) and (K - 1) / (q gap). Losses of one round may depend on each other.

    Proof. Action k of gap d leads after n rounds, or is among the leaders, only if the estimates of the best one
    exceed its own in sum. In a round they differ by X = +-c if one of the two is drawn, which has probability 2 (m
    / K - p), p = m (m - 1) / (K (K - 1)), and by two such terms with probability p. Let x = sinh y and y = s c >=
    0, so that 1 <= cosh y <= 1 + x**2 / 2, and let D be the loss of k less that of the best one, with mean d. In
    the first case E exp(s X) is cosh y - r d x <= 1 + x**2 / 2 - r d x. In the second it is, given the losses, a
    product of two numbers, at most the square of their mean cosh y - r D x; and as D**2 <= 1, the mean of that is
    at most 1 + (1 + r**2) x**2 - 2 r d x. Together: at most 1 + (m / K) (x**2 - 2 r d x) + p r**2 x**2, at the
    best x equal to 1 - q d**2. So P(k leads) <= exp(-q n d**2), and summed over n >= 0 an action costs at most d /
    (q d**2), which falls in d. Or P(G > x) <= min(1, (K - 1) exp(-q n max(x, gap)**2)) for the gap G of the action
    played. The first round costs at most 1. The integral over n > 0 is at most (log(K - 1) + 1) / (q max(x,
    gap)**2), and that over x in [0, 1] of max(x, gap)**-2 is 2 / gap - 1.

    Parameters
    ----------
    n_actions, horizon
        K, 2 to 2**20, and T, 1 to 1e40.
    gap
        Least positive gap, in [1e-40, 1].
    epsilon
        Privacy level, in [1e-40, 1e40].

    Examples
    --------
    >>> round(leader_bound(n_actions=8, gap=0.5, epsilon=1.0, horizon=1e6))
    332
    """
    k = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    least = validation.real("gap", gap, low=1e-40, high=1)
    level = validation.real("epsilon", epsilon, low=1e-40, high=1e40)
    t, m = validation.real("horizon", horizon, low=1, high=1e40), coordinates(k, level)
    r2 = response(level / m) ** 2
    q = r2 * m / k / (1 + r2 * (m - 1) / (k - 1))
    return min(t, (k - 1) / (q * least), 1 + (math.log(k - 1) + 1) * (2 / least - 1) / q)


class _OnCoordinates(Drawing):
    """Reads random bits of some coordinates of every loss vector."""

    feedback = "full"

    def __init__(self, n_actions: int, *, epsilon: float, rng: Generator) -> None:
        self.n_actions = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
        self._many = coordinates(self.n_actions, validation.positive("epsilon", epsilon))
        self._response = response(float(epsilon) / self._many)
        self._rng = validation.generator(rng)
        self.privacy = Privacy(
            epsilon=float(epsilon),
            protected="one round's whole loss vector, from everyone but its owner,",
            released="the coordinates, bits and actions of all rounds",
            source="replicate.learners.competitors.coordinate_bit.CoordinateShare",
        )

    def observe(self, losses: Any) -> None:
        """Draw coordinates and their bits from this round's loss vector, shape (K,), and pass them on."""
        row, signs = loss_row(losses, self.n_actions), np.zeros(self.n_actions)
        for _ in range(self._many):
            while signs[i := int(self._rng.random() * self.n_actions)]:
                pass  # distinct
            signs[i] = 2 * drawn_bit(row[i], self._response, self._rng) - 1
        self._learn(signs)

    def _learn(self, signs: FloatArray) -> None:
        """Take in a message: 1 or -1 for the bits of the coordinates drawn, 0 for others, shape (K,)."""
        raise NotImplementedError


class CoordinateShare(_OnCoordinates):
    """Hedge, or Fixed Share, on one random bit of one coordinate of each loss vector.

    Proof of epsilon-local privacy: the m coordinates are drawn apart from the losses, and each bit is 1 with
    probability at least 1 / (1 + e^(epsilon / m)) and at most e^(epsilon / m) / (1 + e^(epsilon / m)), as in
    `random_bit.RandomBit`: the bits are independent, so that together they change by e^epsilon at most. A round's
    losses are part of one message, and actions are functions of messages and of draws apart from losses.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 2**20.
    horizon
        T, 1 to 2**59, and
    n_switches
        S >= 0 that it is tuned for; 0 is Hedge.
    epsilon
        Privacy level, positive.
    times
        Times the rate of the smallest bound, in [1/1000, 1000].
    rng
        Source of randomness.

    Examples
    --------
    >>> from replicate.learners import play
    >>> learner = CoordinateShare(2, horizon=1000, epsilon=1.0, rng=np.random.default_rng(1))
    >>> run = play(learner, np.tile([0.0, 1.0], (1000, 1)))
    >>> bool(run.final[0] < tuning(n_actions=2, horizon=1000, epsilon=1.0).bound)
    True
    """

    def __init__(
        self,
        n_actions: int,
        *,
        horizon: int,
        epsilon: float,
        n_switches: int = 0,
        times: float = 1.0,
        rng: Generator,
    ) -> None:
        super().__init__(n_actions, epsilon=epsilon, rng=rng)
        self.tuning = tuning(
            n_actions=n_actions, horizon=horizon, epsilon=epsilon, n_switches=n_switches, times=times
        )
        self._log_weights = np.zeros(self.n_actions)

    def probabilities(self) -> FloatArray:
        """Return the distribution of this round's action given the messages, shape (K,)."""
        return np.exp(self._log_weights - np.logaddexp.reduce(self._log_weights))

    def _learn(self, signs: FloatArray) -> None:
        """Multiply weights by exp(-eta z), and spread a share of each over the other actions."""
        self._log_weights -= self.tuning.step * signs  # eta z = +-x
        if share := self.tuning.share:
            v = self.probabilities()
            self._log_weights = np.log((1 - share) * v + share * (1 - v) / (self.n_actions - 1))


class CoordinateLeader(_OnCoordinates):
    """Follow the leader on one random bit of one coordinate of each loss vector, ties at random.

    Privacy is that of `CoordinateShare`, with the same messages.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 2**20.
    epsilon
        Privacy level, positive.
    rng
        Source of randomness.

    Examples
    --------
    >>> from replicate.learners import play
    >>> run = play(CoordinateLeader(2, epsilon=1.0, rng=np.random.default_rng(1)), np.tile([0.0, 1.0], (1000, 1)))
    >>> bool(run.final[0] < 50)
    True
    """

    def __init__(self, n_actions: int, *, epsilon: float, rng: Generator) -> None:
        super().__init__(n_actions, epsilon=epsilon, rng=rng)
        self._score = np.zeros(self.n_actions)

    def probabilities(self) -> FloatArray:
        """Return the distribution of this round's action given the messages, shape (K,)."""
        best = self._score == self._score.min()
        return np.asarray(best / best.sum())

    def _learn(self, signs: FloatArray) -> None:
        """Add the estimates, in units of c."""
        self._score += signs


def simulate(
    env: Environment,
    *,
    learner: str = "share",
    epsilon: float,
    n_switches: int = 0,
    times: float = 1.0,
    horizon: int,
    replicates: int,
    rng: Generator,
) -> Run:
    """Simulate `CoordinateShare` or `CoordinateLeader` exactly in distribution.

    Rounds are independent of each other, and a message is one bit of each of some losses. Where it is one loss,
    its distribution depends on the mean of that loss alone, so that none is drawn; several are drawn together.
    Regret is accumulated as its conditional expectation given the messages.

    Parameters
    ----------
    env
        The loss process.
    learner
        One of `LEARNERS`.
    epsilon, n_switches, times
        The learner; the leader reads the first alone.
    horizon
        Number of rounds T, 1 to 10**7.
    replicates
        Independent repetitions, 1 to 10**6; each has its own stream, spawned from `rng`.
    rng
        Source of randomness.

    Returns
    -------
    Pseudo-regret against the best fixed action after the horizon.
    """
    validation.interface("env", env, ("n_actions", "mean_sums"))
    rounds = validation.count("horizon", horizon, high=MAX_DRAWN)
    leads = validation.choice("learner", learner, LEARNERS) == "leader"
    plan = tuning(n_actions=env.n_actions, horizon=rounds, epsilon=epsilon, n_switches=n_switches, times=times)
    kind = _LEADER if leads else _SHARE if plan.share else _HEDGE
    game, level = Stretches(env, rounds), float(epsilon)
    m = coordinates(env.n_actions, level)

    def regret(fresh: Generator) -> float:
        state, total, most = np.zeros((2, env.n_actions)), 0.0, max(_CHUNK // env.n_actions, 1)
        state[1] = 1.0 / env.n_actions
        for start in range(0, rounds, most):
            seen, cost = game.expected(start, 1, min(most, rounds - start))
            if m > 1:  # losses of one round may depend on each other
                seen = game.losses(start, start + len(seen), rng=fresh)
            total += _play(kind, state, seen, cost, plan.step, plan.share, m, response(level / m), fresh)
        return total

    return Run(np.array([rounds]), np.array(replicated(regret, replicates, rng))[:, None], PSEUDO)


@compiled(error_model="numpy")
def _play(
    kind: int,
    state: FloatArray,
    means: FloatArray,
    cost: FloatArray,
    step: float,
    share: float,
    many: int,
    response: float,
    rng: Generator,
) -> float:
    """Play rounds; return their expected cost, change scores and weights."""
    n_rounds, n = means.shape
    drawn = np.full(n, -1)
    score, weights, regret = state[0], state[1], 0.0
    factors = np.array([math.exp(step), math.exp(-step)])
    given = share / (n - 1)
    low = score.min()
    for t in range(n_rounds):
        total = 0.0
        lost = 0.0
        for i in range(n):
            weight = weights[i] if kind != _LEADER else 1.0 if score[i] == low else 0.0
            total += weight
            lost += weight * cost[t, i]
        regret += lost / total
        fell, rose, norm = low, False, total
        for _ in range(many):
            i = int(rng.random() * n)
            while drawn[i] == t:
                i = int(rng.random() * n)
            drawn[i] = t
            bit = random_bit(means[t, i], response, rng)
            rose |= bit > 0 and score[i] == low
            score[i] += 2 * bit - 1
            fell = min(fell, score[i])
            if kind != _LEADER:
                old = weights[i]
                weights[i] *= factors[int(bit)]
                norm = norm + weights[i] - old
        if kind == _SHARE:
            # the share update, normalised by the sum of the weights that have changed
            keep = (1 - share - given) / norm
            for j in range(n):
                weights[j] = keep * weights[j] + given
        elif kind == _HEDGE:
            # weights anew from the scores, which are exact, before they leave the range of a double
            if not 1e-100 < total < 1e100:
                low = score.min()
                for j in range(n):
                    weights[j] = math.exp(-step * (score[j] - low))
        # only scores that moved can be the new least, unless the least itself rose
        else:
            low = score.min() if rose and fell == low else fell
    return regret
