"""EXP3 with Fixed Share's mixing on losses 0 and 1: EXP3.S (Auer, Cesa-Bianchi, Freund and Schapire 2002)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from replicate import validation
from replicate.compiled import compiled
from replicate.learners.baselines import code_length
from replicate.learners.competitors.bandit import SteppedBandit, checked_actions
from replicate.learners.competitors.random_bit import response
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.protocol import MAX_ACTIONS
from replicate.learners.tsallis_law import draw
from replicate.validation import FloatArray, Generator

WEIGHT, NUMBER = 0, 1
"""Rows of a state: the law of the action, and numbers."""
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
    # B / w: the law has no mixing of its own, the share keeps it above share / (K - 1)
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

    draw, learn = staticmethod(act), staticmethod(observe)

    def __init__(self, n_actions: int, *, rate: float, share: float, rng: Generator) -> None:
        k, speed = checked_actions(n_actions), validation.positive("rate", rate, high=1e6)
        mixed = validation.real("share", share, low=1e-15, high=1 - 1 / k)
        super().__init__(k, fresh_state(k, rate=speed, share=mixed), rng)


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

    which is (b / r) sqrt(D n K (1 + r)) and the last term at its least; losses may react, and where S = 0 it is
    tuned for one switch.

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
