"""Fixed Share on disjoint batches of rounds, each with fresh noise: a private learner for losses that change.

The natural private form of Herbster and Warmuth's (1998) algorithm. A batch's sum of loss vectors is released
once, with noise of its own, so a round is part of one release and noise never returns: losses may be adaptive.

Symbols: K = n_actions, T = horizon, S = n_switches, tau = batch, B = ceil(T / tau) batches, x_b = sum of the
losses of batch b, z_b = its noise, psi(eta) = log E exp(eta z_b,j), w_b = weights in batch b, eta = learning rate.
"""

from __future__ import annotations

import math
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from replicate import validation
from replicate.compiled import compiled
from replicate.environments import Environment
from replicate.learners.anytime import paced
from replicate.learners.baselines import code_length
from replicate.learners.competitors.batches import BatchLearner, drawn, stretches
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.protocol import MAX_ACTIONS, PSEUDO, Drawing, Privacy, Run
from replicate.learners.pseudo_regret import Stretches
from replicate.mechanisms.tree_sums import add_noise
from replicate.mechanisms.vector_noise import VectorNoise, private_noise
from replicate.streams import replicated
from replicate.validation import FloatArray, Generator, IntArray


class Tuning(NamedTuple):
    """Parameters of `BatchedShare`, and the bound on regret that they minimise."""

    batch: int
    learning_rate: float
    share: float
    bound: float


def tuning(*, n_actions: int, horizon: int, epsilon: float, n_switches: int = 0, times: float = 1.0) -> Tuning:
    """Return batch, learning rate and share that minimise the proved bound of `BatchedShare`, and the bound.

    The rate is multiplied by a number, and the bound is that of the product.

    Against every sequence of actions with at most S switches that is fixed in advance, expected regret is at most

        D / eta + B (eta tau**2 / 8 + psi(eta) / eta) + S tau / 2,
        D = log K + S log((K - 1) / alpha) - (B - 1 - S) log(1 - alpha),

    for the share alpha = min(S / (B - 1), (K - 1) / K); where B - 1 < S, D is that of B - 1 switches. Losses may
    be adaptive: depend on all earlier actions.

    Proof. A switch inside a batch is moved to one of its ends. With n switches in a batch, the action that the
    sequence plays there longest loses at most tau n / (n + 1) <= n tau / 2 more. The new sequence u switches
    between batches, at most S times. Fixed Share mixes sequences of batches, of which u has weight at least
    exp(-D): for alpha <= (K - 1) / K fewer switches weigh more. So -sum_b log(sum_j w_b,j exp(-eta y_b,j)) / eta
    <= sum_b y_b,u + D / eta, y_b = x_b + z_b. By Hoeffding's lemma, the loss w_b . x_b of the batch is at most
    -log(sum_j w_b,j exp(-eta x_b,j)) / eta + eta tau**2 / 8. Noise is independent of w_b and x_b, also when losses
    are adaptive, so that by Jensen's inequality putting y_b for x_b lowers the expectation by at most psi(eta)
    / eta; and E z_b,u = 0.

    If losses are adaptive, the best sequence in hindsight depends on the noise. Against it, add (D + B psi(eta)) /
    eta.

    Parameters
    ----------
    n_actions, horizon
        K, 2 to 2**20, and T, 1 to 2**59.
    epsilon
        Privacy level, in [1e-9, 1e9].
    n_switches
        S, at least 0.
    times
        The number, in [1/1000, 1000]. The bound is infinite where the noise has no moment at that rate.

    Examples
    --------
    >>> tuned = tuning(n_actions=8, horizon=10**6, epsilon=1.0, n_switches=3)
    >>> tuned.batch, round(tuned.learning_rate, 4), round(tuned.bound)
    (12, 0.0039, 21413)
    """
    k = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    rounds = validation.count("horizon", horizon, high=MAX_HORIZON)
    switches = validation.count("n_switches", n_switches, low=0)
    law = private_noise("cube", n_actions=k, epsilon=epsilon)
    factor = validation.real("times", times, low=1e-3, high=1e3)
    tuned = _tuning(law, rounds, min(switches, rounds - 1))
    if factor == 1:
        return tuned
    rate = factor * tuned.learning_rate
    bound = _bounds(law, rounds, min(switches, rounds - 1), np.array([tuned.batch]), np.array([rate]))
    return tuned._replace(learning_rate=rate, bound=float(bound[0, 0]))


@cache
def _tuning(noise: VectorNoise, horizon: int, switches: int) -> Tuning:
    """Search a grid of batches and rates, then a finer one around its best point."""
    batches = np.unique(np.geomspace(1, horizon, 600).astype(np.int64))
    rates = np.geomspace(1e-18, 1 - 1e-9, 900) * noise.largest_rate
    for _ in range(2):
        bounds = _bounds(noise, horizon, switches, batches, rates)
        i, j = divmod(int(bounds.argmin()), len(rates))
        best = int(batches[i]), float(rates[j]), float(bounds[i, j])
        low, high = batches[max(i - 1, 0)], batches[min(i + 1, len(batches) - 1)]
        batches = np.unique(np.linspace(low, high, 300).astype(np.int64))
        rates = np.geomspace(rates[max(j - 1, 0)], rates[min(j + 1, len(rates) - 1)], 300)
    batch, rate, bound = best
    return Tuning(batch, rate, code_length(noise.n_actions, -(-horizon // batch), switches)[1], bound)


def _bounds(noise: VectorNoise, horizon: int, switches: int, batches: IntArray, rates: FloatArray) -> FloatArray:
    """Return the bound for every batch size and rate."""
    count = -(-horizon // batches)
    length = np.array([code_length(noise.n_actions, int(n), switches)[0] for n in count])
    # the terms of the bound: stability, noise with code length, switches inside batches
    stable = rates / 8 * (count * batches.astype(float) ** 2)[:, None]
    noisy = (length[:, None] + count[:, None] * noise.log_mgf(rates)) / rates
    return np.asarray(stable + noisy + (switches * batches / 2)[:, None])


def paced_bound(*, n_actions: int, horizon: int, epsilon: float, n_switches: int = 0, times: float = 1.0) -> float:
    """Return the bound on the regret of `BatchedShare` after T rounds where nobody knows T.

    It is tuned for one switch where S = 0. Over stretches of B_i batches with one tuning (tau_i, eta_i, alpha_i),

        sum_i (D_i / eta_i + B_i (eta_i tau_i**2 / 8 + psi(eta_i) / eta_i)) + S max_i L_i / eta_i + S tau / 2,
        L_i = log((K - 1) / alpha_i),    D_i = L_(i-1) - B_i log(1 - alpha_i),    L_(-1) = log K,

    tau the last of the tau_i.

    Proof. As in `tuning`, stretch by stretch: a sequence that does not switch in stretch i has weight exp(-D_i) at
    least, for at its start no weight is below alpha_(i-1) / (K - 1), and each switch costs L_i nats more. Where
    alpha_i is 0 the stretch is one batch, inside which no sequence switches, and L_i is what E[-log weight] is at
    most at its end, L_(i-1) + eta_i tau_i + eta_i**2 tau_i**2 / 8 + psi(eta_i): by Jensen's and Hoeffding's
    inequalities the logarithm of the sum of the new weights is at most the last two terms in expectation.
    """
    words: dict[str, Any] = {"n_actions": n_actions, "epsilon": epsilon, "times": times}
    law, switches = private_noise("cube", n_actions=n_actions, epsilon=epsilon), max(n_switches, 1)

    def tuned(rounds: int) -> Tuning:
        return tuning(**words, horizon=rounds, n_switches=switches)

    total, dearest, first, size = 0.0, 0.0, math.log(n_actions), 0
    for _, many, rounds in paced(validation.count("horizon", horizon, high=MAX_HORIZON), lambda n: tuned(n).batch):
        size, rate, share, _ = tuned(rounds)
        nats, grown = first - many * math.log1p(-share), rate**2 * size**2 / 8 + float(law.log_mgf(rate))
        total += (nats + many * grown) / rate
        first = math.log((n_actions - 1) / share) if share else first + rate * size + grown
        dearest = max(dearest, first / rate if share else 0.0)
    return total + n_switches * (dearest + size / 2)


class BatchedShare(BatchLearner, Drawing):
    """Fixed Share on noisy sums of batches; every round's action is drawn afresh from the batch's weights.

    Proof of epsilon-privacy: a round's losses are part of one batch's sum, which is released with noise that
    `private_noise` makes for one release and drawn once; batches do not depend on losses. The last batch is not
    released, however short. Actions are drawn from weights that depend on releases alone: post-processing.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 2**20.
    horizon
        Number of rounds T, 1 to 2**59; the learner reads no more. None where nobody knows T: it is tuned anew, for
        one switch at least, as `replicate.learners.anytime.pace` says, and keeps its weights.
    epsilon
        Privacy level, in [1e-9, 1e9].
    n_switches
        S >= 0 of the sequences that it is tuned for; 0 is Hedge on noisy batches.
    times
        Times the rate of the smallest bound, in [1/1000, 1000].
    rng
        Source of randomness.

    Examples
    --------
    >>> learner = BatchedShare(2, horizon=10**5, epsilon=1.0, n_switches=1, rng=np.random.default_rng(1))
    >>> for _ in range(5000):
    ...     learner.observe([0.9, 0.1])
    >>> learner.act()
    1
    """

    def __init__(
        self,
        n_actions: int,
        *,
        horizon: int | None,
        epsilon: float,
        n_switches: int = 0,
        times: float = 1.0,
        rng: Generator,
    ) -> None:
        switches = max(validation.count("n_switches", n_switches, low=0), int(horizon is None))
        tuned = partial(tuning, epsilon=epsilon, n_switches=switches, times=times)
        super().__init__(n_actions, horizon=horizon, tuned=tuned, rng=rng)
        self.noise = private_noise("cube", n_actions=n_actions, epsilon=epsilon)
        source = "replicate.learners.competitors.batched_share.BatchedShare"
        self.privacy = Privacy(epsilon=float(epsilon), source=source)
        self._log_weights = np.full(self.n_actions, -math.log(self.n_actions))
        self._law = np.asarray(special.softmax(self._log_weights))

    def probabilities(self) -> FloatArray:
        """Return the law of this round's action given the noise, shape (K,): one law for a batch."""
        return self._law.copy()

    def _end(self, sums: FloatArray) -> FloatArray:
        """Update on the noisy sum, and forget the batch."""
        self._update(sums + self.noise.draw(self._rng))
        return np.zeros(self.n_actions)

    def _update(self, noisy: FloatArray) -> None:
        """Multiply weights by exp(-eta y_b), and spread a share of each over the other actions."""
        self._log_weights = self._log_weights - self.tuning.learning_rate * noisy
        if share := self.tuning.share:
            v = special.softmax(self._log_weights)
            self._log_weights = np.log((1 - share) * v + share * (1 - v) / (self.n_actions - 1))
        self._law = np.asarray(special.softmax(self._log_weights))


def simulate(
    env: Environment,
    *,
    epsilon: float,
    n_switches: int = 0,
    times: float = 1.0,
    unending: bool = False,
    horizon: int,
    replicates: int,
    rng: Generator,
) -> Run:
    """Simulate `BatchedShare` exactly in distribution, at the cost of one step for each batch.

    A batch acts on the future through its sum, which is drawn directly. Regret is accumulated as its conditional
    expectation given the noisy sums.

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
    switches = max(validation.count("n_switches", n_switches, low=0), int(validation.flag("unending", unending)))
    tuned = partial(tuning, epsilon=epsilon, n_switches=switches, times=times)
    plans = stretches(env, tuned, horizon=horizon, unending=unending)
    law, game = private_noise("cube", n_actions=env.n_actions, epsilon=epsilon), Stretches(env, int(horizon))

    def regret(fresh: Generator) -> float:
        log_weights, total = np.full(env.n_actions, -math.log(env.n_actions)), 0.0
        for plan, sums, cost, ends in drawn(game, plans, fresh):
            released = len(sums) - int(ends)  # the last batch is not released
            total += _play_batches(
                log_weights, sums, cost, released, plan.learning_rate, plan.share, law.kind, law.scale, fresh
            )
        return total

    regrets = np.array(replicated(regret, replicates, rng))
    return Run(np.array([game.horizon]), regrets[:, None], PSEUDO)


@compiled(error_model="numpy")
def _play_batches(
    log_weights: FloatArray,
    sums: FloatArray,
    cost: FloatArray,
    released: int,
    rate: float,
    share: float,
    kind: int,
    scale: float,
    rng: Generator,
) -> float:
    """Play batches, the first `released` of which are read; return their expected cost, change the weights."""
    n_batches, n = sums.shape
    rows, weights, regret = np.empty((2, n)), np.empty(n), 0.0
    for b in range(n_batches):
        _normalise(log_weights, weights)
        for i in range(n):
            regret += weights[i] * cost[b, i]
            rows[0, i] = sums[b, i]
        if b >= released:
            break
        add_noise(rows, 0, 1, kind, scale, rng)  # y_b = x_b + z_b
        for i in range(n):
            log_weights[i] -= rate * rows[1, i]
        if share > 0:
            _normalise(log_weights, weights)
            for i in range(n):
                log_weights[i] = math.log((1 - share) * weights[i] + share * (1 - weights[i]) / (n - 1))
    return regret


@compiled(error_model="numpy")
def _normalise(log_weights: FloatArray, weights: FloatArray) -> None:
    """Write the softmax of log weights, and lower these so that the largest is 0."""
    top = log_weights.max()
    total = 0.0
    for i in range(len(weights)):
        log_weights[i] -= top
        weights[i] = math.exp(log_weights[i])
        total += weights[i]
    for i in range(len(weights)):
        weights[i] /= total
