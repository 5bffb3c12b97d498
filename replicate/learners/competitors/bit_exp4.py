"""EXP4 on one random bit of every loss: the advice of experts, where nobody may be trusted with a loss.

And EXP3 with Fixed Share's mixing on losses 0 and 1, EXP3.S (Auer, Cesa-Bianchi, Freund and Schapire 2002).

Symbols: K = n_actions, N = n_experts, T = horizon, r = tanh(epsilon / 2), V = K (1 + r) / (2 r**2), eta = learning
rate, q = the distribution of the action, an average of the experts' advice.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from replicate import validation
from replicate.compiled import compiled
from replicate.learners.baselines import code_length
from replicate.learners.competitors.bandit import SteppedBandit, checked_actions, drawn_bit, random_bit
from replicate.learners.competitors.random_bit import response
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.protocol import MAX_ACTIONS, MOST_EXPERTS, PSEUDO, Privacy, Run, checked_loss
from replicate.learners.tsallis_law import draw
from replicate.streams import replicated
from replicate.validation import FloatArray, Generator

WEIGHT, NUMBER = 0, 1
"""Rows of a state: the distribution of the action, and numbers."""
RATE, SHARE = 0, 1
"""The numbers: the learning rate, and the share that every action gives to the others."""
_BATCHES = 400


@compiled(error_model="numpy")
def act(state: FloatArray, rng: Generator) -> int:
    """Draw the action from the weights by inversion."""
    return draw(state[WEIGHT], rng.random())


@compiled(error_model="numpy")
def observe(state: FloatArray, arm: int, loss: float) -> None:
    """Multiply the weight by exp(-eta loss / w), normalise, and spread a share of each over the others."""
    n, share = state.shape[1], state[NUMBER, SHARE]
    # B / w: the distribution has no mixing of its own, the share keeps it above share / (K - 1)
    state[WEIGHT, arm] *= math.exp(-state[NUMBER, RATE] * loss / state[WEIGHT, arm])
    total = 0.0
    for i in range(n):
        total += state[WEIGHT, i]
    given = share / (n - 1)
    keep = (1 - share - given) / total
    for i in range(n):
        state[WEIGHT, i] = keep * state[WEIGHT, i] + given


def fresh_state(n_actions: int, *, rate: float, share: float) -> FloatArray:
    """Return the state before the first round, shape (2, K)."""
    state = np.full((2, n_actions), 1.0 / n_actions)
    state[NUMBER, :2] = rate, share
    return state


class Exp3Share(SteppedBandit):
    """Exponential weights of losses over the probability of seeing them, of which a share goes to other actions.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    rate
        Learning rate, positive.
    share
        In (0, 1 - 1 / K]: no weight falls below share / (K - 1).
    rng
        Source of randomness.

    Examples
    --------
    >>> from replicate.learners import play
    >>> learner = Exp3Share(2, rate=0.05, share=1e-4, rng=np.random.default_rng(1))
    >>> bool(play(learner, np.tile([0.0, 1.0], (1000, 1))).final[0] < 100)
    True
    """

    draw, learn, fresh = staticmethod(act), staticmethod(observe), staticmethod(fresh_state)

    def __init__(self, n_actions: int, *, rate: float, share: float, rng: Generator) -> None:
        k, speed = checked_actions(n_actions), validation.positive("rate", rate, high=1e6)
        mixed = validation.real("share", share, low=1e-15, high=1 - 1 / k)
        super().__init__(k, rate=speed, share=mixed, rng=rng)


class Tuning(NamedTuple):
    """Rounds of a batch, learning rate and share of the learner on bits of batches, and the bound on regret."""

    batch: int
    rate: float
    share: float
    bound: float


def tuning(
    *, n_actions: int, horizon: int, epsilon: float, n_switches: int, batch: int | None = 1, times: float = 1.0
) -> Tuning:
    """Return the rate, times a number, and the share at which `Exp3Share` on random bits has its smallest bound.

    With n = ceil(T / b) batches of b rounds, r the response of their bits, and D the nats of a sequence that
    switches S times in n rounds (`code_length`), expected regret against every sequence of actions with at most S
    switches that is fixed in advance is at most

        (b / r) (D / eta + eta n K (1 + r) / 4) + S floor(b / 2),

    which is (b / r) sqrt(D n K (1 + r)) and the last term at its least. Where S = 0 it is tuned for one switch.
    Losses may react to the actions of earlier batches, not to that of their own: if b = 1, to all earlier ones.

    Proof. Write w for the weights and est_i = B / w_i for the action played, B its bit, and 0 for others; then E
    est_i = E B_i given the past. As exp(-y) <= 1 - y + y**2 / 2 for y >= 0, <w, est> + log(sum_i w_i exp(-eta
    est_i)) / eta <= (eta / 2) sum_i w_i est_i**2, in expectation (eta / 2) sum_i E B_i <= eta K (1 + r) / 4. Added
    up, the logarithms are at most sum est_u + D / eta, as in `batched_share.tuning`. Mean bits differ by r times
    what mean losses of a batch differ. A switch inside a batch is moved to an end of it: with m switches in a
    batch, the action that is played there longest loses b - ceil(b / (m + 1)) <= m floor(b / 2) more at most.
    Rounds that the last batch lacks count as losses of 0, for every action.

    Parameters
    ----------
    n_actions, horizon
        K, 2 to 2**20, and T, 1 to 2**59.
    epsilon
        Privacy level, positive.
    n_switches
        S, at least 0.
    batch
        b, T at most; None is the one with the smallest bound.
    times
        The number, in [1/1000, 1000].

    Examples
    --------
    >>> [round(tuning(n_actions=8, horizon=2**14, epsilon=0.1, n_switches=3, batch=b).bound) for b in (1, None)]
    [45005, 20412]
    """
    k = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    rounds = validation.count("horizon", horizon, high=MAX_HORIZON)
    switches = max(validation.count("n_switches", n_switches, low=0), 1)
    level, factor = validation.positive("epsilon", epsilon), validation.real("times", times, low=1e-3, high=1e3)
    if batch is None:
        sizes = np.unique(np.geomspace(1, min(rounds, 4 / level + 4), _BATCHES).astype(np.int64)).tolist()
    else:
        sizes = [min(validation.count("batch", batch, high=2**53), rounds)]
    plans = [_at(k, rounds, level, switches, size, factor) for size in sizes]
    return min(plans, key=lambda plan: plan.bound)


def _at(k: int, horizon: int, epsilon: float, switches: int, batch: int, times: float) -> Tuning:
    n, r = -(-horizon // batch), response(epsilon, batch)
    length, share = code_length(k, n, switches)
    spread = n * k * (1 + r) / 4
    rate = times * math.sqrt(length / spread)
    bound = batch / r * (length / rate + rate * spread) + min(switches, horizon - 1) * (batch // 2)
    # one batch has no switch to be ready for: the share that forgets all
    return Tuning(batch, rate, share or 1 - 1 / k, bound)


MAX_ROUNDS = 10**9
"""Largest horizon of `simulate`: minutes of one replicate."""


def regret_bound(*, n_actions: int, n_experts: int, epsilon: float, horizon: float, times: float = 1.0) -> float:
    """Return sqrt(2 V T log N), the regret of `BitExp4` against every expert, at eta = sqrt(2 log N / (V T)).

    At c times this eta it is (c + 1 / c) / 2 times as much.

    Losses may react, advice too; the expert is fixed in advance.

    Proof. Write w for the experts' weights, x_j for their advice, B for the bit of the action played, a. Expert
    j's estimate is e_j = x_j(a) B / (r q(a)) >= 0, of mean (1/r) sum_a x_j(a) E B_a, which for two experts differs
    as their losses do, for E B_a = 1/2 + r (l_a - 1/2). As exp(-y) <= 1 - y + y**2 / 2 for y >= 0, <w, e> +
    log(sum_j w_j exp(-eta e_j)) / eta <= (eta / 2) sum_j w_j e_j**2, where x_j(a)**2 <= x_j(a) and sum_j w_j
    x_j(a) = q(a): in expectation at most (eta / 2) sum_a E B_a / r**2 <= eta V / 2, as E B_a <= (1 + r) / 2. Added
    up, the logarithms are at most sum e_u + log N / eta for every expert u.

    Parameters
    ----------
    n_actions, n_experts, horizon
        K and N, 2 to 2**20, and T, 1 to 1e40.
    epsilon
        Privacy level, 1e-40 to 1e40.
    times
        c, in [1/1000, 1000].

    Examples
    --------
    >>> round(regret_bound(n_actions=2, n_experts=8, epsilon=1.0, horizon=10**6))
    5336
    """
    k = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    n = validation.count("n_experts", n_experts, low=2, high=MAX_ACTIONS)
    r = response(validation.real("epsilon", epsilon, low=1e-40, high=1e40))
    rounds = validation.real("horizon", horizon, low=1, high=1e40)
    c = validation.real("times", times, low=1e-3, high=1e3)
    return (c + 1 / c) / 2 * math.sqrt(k * (1 + r) / (r * r) * rounds * math.log(n))


class BitExp4:
    """EXP4 (Auer, Cesa-Bianchi, Freund and Schapire 2002) without mixing, on one random bit of every loss.

    Proof of epsilon-local privacy: the bit of a loss is that of `random_bit.RandomBit`, and actions are functions
    of earlier bits, of advice and of draws apart from losses.

    Parameters
    ----------
    n_actions, n_experts
        K, 2 to 32,767, and N, 2 to 2**20.
    epsilon
        Privacy level, positive.
    horizon
        T, 1 to 2**59, that it is tuned for.
    times
        The rate is this many times that of the smallest bound.
    rng
        Source of randomness.

    Examples
    --------
    >>> learner = BitExp4(2, 3, epsilon=1.0, horizon=1000, rng=np.random.default_rng(1))
    >>> learner.act([[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]]) in (0, 1)
    True
    """

    feedback = "bandit"

    def __init__(
        self, n_actions: int, n_experts: int, *, epsilon: float, horizon: int, times: float = 1.0, rng: Generator
    ) -> None:
        self.n_actions = checked_actions(n_actions)
        self.n_experts = validation.count("n_experts", n_experts, low=2, high=MAX_ACTIONS)
        self._response = response(validation.positive("epsilon", epsilon))
        self._rate = learning_rate(self.n_actions, self.n_experts, self._response, horizon, times)
        self._rng = validation.generator(rng)
        self.privacy = Privacy(
            epsilon=float(epsilon),
            protected="one round's loss, from everyone but its owner,",
            released="the bits and actions of all rounds",
            source="replicate.learners.competitors.bit_exp4.BitExp4",
        )
        self._log_weights, self._action = np.zeros(self.n_experts), -1

    def act(self, advice: ArrayLike | None = None) -> int:
        """Draw from q = sum_j w_j x_j; advice has shape (N, K), None: expert j plays action j, and N = K."""
        if advice is None and self.n_experts != self.n_actions:
            raise ValueError(f"advice must have shape {(self.n_experts, self.n_actions)}, got None")
        if advice is None:
            validation.count("n_actions, without advice,", self.n_actions, low=2, high=MOST_EXPERTS)
        given = np.eye(self.n_actions) if advice is None else advice
        self._recommended = np.ascontiguousarray(validation.probabilities("advice", given, ndim=2))
        if self._recommended.shape != (self.n_experts, self.n_actions):
            raise ValueError(
                f"advice must have shape {(self.n_experts, self.n_actions)}, got {self._recommended.shape}"
            )
        self._law = np.empty(self.n_actions)
        self._action = int(_draw(self._log_weights, self._recommended, self._law, self._rng))
        return self._action

    def observe(self, loss: float) -> None:
        """Draw the bit of the loss of the action played, in [0, 1]; lower weights by their experts' estimates."""
        value = checked_loss(loss, self._action)
        bit = drawn_bit(value, self._response, self._rng)
        estimate = bit / (self._response * self._law[self._action])  # B / (r q(a))
        self._log_weights -= self._rate * self._recommended[:, self._action] * estimate
        self._action = -1


def learning_rate(k: int, n: int, r: float, horizon: int, times: float = 1.0) -> float:
    """Return the rate of the smallest bound, times a number, for K actions, N experts and bits of response r."""
    rounds = validation.count("horizon", horizon, high=MAX_HORIZON)
    factor = validation.real("times", times, low=1e-3, high=1e3)
    return factor * math.sqrt(2 * math.log(n) / (k * (1 + r) / (2 * r * r) * rounds))


def simulate(
    problem: Any, *, epsilon: float, horizon: int, times: float = 1.0, replicates: int, rng: Generator
) -> Run:
    """Simulate `BitExp4` exactly in law: a bit's law depends on the mean of its loss alone, so none is drawn.

    Parameters
    ----------
    problem
        Contexts that come in turn: ``advice``, shape (P, N, K), and expected ``losses``, shape (P, K).
    epsilon
        Privacy level, positive.
    horizon
        Number of rounds T, 1 to 10**9.
    times
        The rate is this many times that of the smallest bound.
    replicates
        Independent repetitions, 1 to 10**6; each has its own stream, spawned from `rng`.
    rng
        Source of randomness.

    Returns
    -------
    Pseudo-regret against the best fixed expert after the horizon, its conditional expectation given the bits.
    """
    validation.interface("problem", problem, ("advice", "losses"))
    advice, losses = problem.advice, problem.losses
    rounds = validation.count("horizon", horizon, high=MAX_ROUNDS)
    r = response(validation.positive("epsilon", epsilon))
    rate = learning_rate(advice.shape[2], advice.shape[1], r, rounds, times)
    visits = -((np.arange(len(losses)) - rounds) // len(losses))
    best = int((visits @ np.einsum("cjk,ck->cj", advice, losses)).argmin())
    finals = replicated(lambda fresh: _play(advice, losses, best, rate, r, rounds, fresh), replicates, rng)
    return Run(np.array([rounds]), np.array(finals)[:, None], PSEUDO)


@compiled(error_model="numpy")
def _draw(log_weights: FloatArray, advice: FloatArray, law: FloatArray, rng: Generator) -> int:
    """Write q, shape (K,), and draw an action from it."""
    n, k = advice.shape
    top, total = log_weights.max(), 0.0
    law[:] = 0.0
    for j in range(n):
        weight = math.exp(log_weights[j] - top)
        total += weight
        for i in range(k):
            law[i] += weight * advice[j, i]
    x, arm = rng.random() * total, -1
    for i in range(k):
        if arm < 0 and (x < law[i] or i == k - 1):
            arm = i
        x -= law[i]
        law[i] /= total
    # rounding may leave x beyond the last action that can be played
    while law[arm] == 0.0:
        arm -= 1
    return arm


@compiled(error_model="numpy")
def _play(
    advice: FloatArray, losses: FloatArray, best: int, rate: float, response: float, horizon: int, rng: Generator
) -> float:
    """Play all rounds; return their expected cost."""
    period, n, k = advice.shape
    log_weights, law, regret = np.zeros(n), np.zeros(k), 0.0
    for t in range(horizon):
        c = t % period
        arm = _draw(log_weights, advice[c], law, rng)
        for i in range(k):
            regret += (law[i] - advice[c, best, i]) * losses[c, i]
        # a bit's distribution depends on the mean of its loss alone: the loss itself is not drawn
        estimate = random_bit(losses[c, arm], response, rng) / (response * law[arm])
        for j in range(n):
            log_weights[j] -= rate * advice[c, j, arm] * estimate
    return regret
