"""Tsallis-INF with the reduced-variance estimator, and the regret that can be proved for it with all constants."""

from __future__ import annotations

import math

import numpy as np

from replicate import validation
from replicate.compiled import compiled
from replicate.learners.competitors.bandit import SteppedBandit
from replicate.learners.tsallis_law import LAW, NUMBER, ROOT, ROUND, SCORE, next_action
from replicate.validation import FloatArray, Generator

BASELINE_FROM = 16.0
"""Estimates of an action are centred at 1/2 when t times its probability is at least this."""


@compiled(error_model="numpy")
def act(state: FloatArray, rng: Generator) -> int:
    """Move to the next round and draw from argmin_w <score, w> - sqrt(t) sum_i sqrt(w_i)."""
    return next_action(state, 0.5, rng)


@compiled(error_model="numpy")
def observe(state: FloatArray, arm: int, loss: float) -> None:
    """Add the estimates of all losses: 1[I = i] (loss - B_i) / w_i + B_i, B_i = 1/2 where t w_i >= 16, else 0."""
    # w_i >= eta_t**2 = 16 / t
    least = BASELINE_FROM / state[NUMBER, ROUND]
    for i in range(state.shape[1]):
        if state[LAW, i] >= least:
            state[SCORE, i] += 0.5  # B_i, whichever arm was played
    centre = 0.5 if state[LAW, arm] >= least else 0.0
    state[SCORE, arm] += (loss - centre) / state[LAW, arm]


def fresh_state(n_actions: int) -> FloatArray:
    """Return the state before the first round, shape (4, K); see `tsallis_law`."""
    state = np.zeros((4, n_actions))
    state[NUMBER, ROOT] = math.sqrt(n_actions)
    return state


class TsallisINF(SteppedBandit):
    """Follow the regularised leader with Tsallis entropy 1/2 (Zimmert and Seldin 2021, Algorithm 1).

    In round t it draws from argmin_w <L, w> - (4 / eta_t) sum_i sqrt(w_i), eta_t = 4 / sqrt(t). The estimator has
    the reduced variance of Section 3.1 there: losses of actions with w_i >= eta_t^2 = 16 / t are centred at 1/2.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    rng
        Source of randomness.

    Examples
    --------
    >>> from replicate.learners import play
    >>> learner = TsallisINF(2, rng=np.random.default_rng(1))
    >>> run = play(learner, np.tile([0.0, 1.0], (1000, 1)))
    >>> bool(run.final[0] < regret_bound(n_actions=2, horizon=1000))
    True
    """

    draw, learn, fresh = staticmethod(act), staticmethod(observe), staticmethod(fresh_state)


def regret_bound(*, n_actions: int, horizon: float) -> float:
    """Return 2 sqrt(K T) - sqrt(T) + (6 K + 3) (1 + log T): `TsallisINF`'s regret on any losses in [0, 1].

    Losses may react to the actions. Derived here, for the published constants (2 sqrt(K T) + 10 K log T + 16)
    are larger. Write s_t = sqrt(t) / 2 and Psi_t(w) = -2 s_t sum_i sqrt(w_i).

    1. Regret of the estimates is at most sum_t 2 (s_t - s_(t-1)) (sum_i sqrt(w_ti) - 1), the price of the
       regulariser, plus sum_t sum_i D_ti, the stability. A coordinate that moves by d costs
       D = d^2 w^(3/2) / s / (1 + u), u = d sqrt(w) / s > -1, and a constant may be taken from all estimates.
    2. Action i with t w >= 16, once 1/2 is taken away, moves only when played, by d = (loss - 1/2) / w with
       abs(u) <= 1/4: it costs sqrt(w) / (4 s) + 2 / (3 t) at most, in expectation.
    3. An action below costs sqrt(w) / s <= sqrt(w) / (4 s) + 6 / t when played; all of them, moved by -1/2 when
       not played, cost 8 / (3 t) together. (Before round 16 all actions are of this kind and nothing is taken.)
    4. sum_i sqrt(w_ti) <= sqrt(K). The first part sums to (sqrt K - 1) sqrt T, the quarters to sqrt(K T), and the
       rest to (6 K + 8/3) (1 + log T).

    Parameters
    ----------
    n_actions
        K, 2 to 2**20.
    horizon
        T, 1 to 1e40.

    Examples
    --------
    >>> round(regret_bound(n_actions=8, horizon=1e6))
    5412
    """
    k = validation.count("n_actions", n_actions, low=2, high=2**20)
    t = validation.real("horizon", horizon, low=1, high=1e40)
    return 2 * math.sqrt(k * t) - math.sqrt(t) + (6 * k + 3) * (1 + math.log(t))
