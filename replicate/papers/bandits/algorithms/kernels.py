"""Step functions of the learners and the loops over rounds, compiled with Numba.

Every learner is two step functions, ``act`` and ``observe``; the streaming classes and the loops call
the same ones. A learner's ``state`` is one array, shape (4, K), changed in place:

=========  ================  ==============================  ====================  ==================
learner    row ``SCORE``     row ``LAW``                     row ``RUNNING``       row ``NUMBER``
=========  ================  ==============================  ====================  ==================
HTINF      estimated losses  law of the action               (not used)            t, Newton's root
EXP3       log weights       weights, the reference being 1  sums of row ``LAW``   reference, age
FTPL       estimated losses  scratch                         (not used)            (not used)
=========  ================  ==============================  ====================  ==================

(One array, not four: Numba counts references to every array that a loop names.)

``setting`` (3,) holds the parameters: HTINF (sigma, theta, -), EXP3 (learning rate eta, mixing gamma,
gamma / K), FTPL (learning rate, most resamples M, 1 for the resampling test as printed, 0 as corrected).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

__all__ = [
    "EXP3",
    "FTPL",
    "HTINF",
    "PLAY",
    "act",
    "fresh_state",
    "laplace",
    "leakage",
    "observe",
    "resamples",
    "sample_actions",
    "step",
]

HTINF, EXP3, FTPL = 0, 1, 2
SCORE, LAW, RUNNING, NUMBER = 0, 1, 2, 3

_WEIGHT_AGE = 1024
_WEIGHT_RANGE = 8.0
_FAR = 600.0

compiled: Callable[[Any], Any] = numba.njit(cache=True, nogil=True, error_model="numpy")
step: Callable[[Any], Any] = numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")
_reassociated: Callable[[Any], Any] = numba.njit(
    cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"}
)


def fresh_state(kind: int, n_actions: int) -> NDArray[np.float64]:
    """Return a learner's state before the first round: no losses, unit weights, Newton's start; shape (4, K)."""
    state = np.zeros((4, n_actions))
    state[LAW] = 1.0
    state[RUNNING] = np.arange(1, n_actions + 1)
    state[NUMBER, 1] = n_actions if kind == HTINF else 0.0
    return state


@step
def laplace(rng, scale):  # type: ignore[no-untyped-def]
    """Draw Laplace(scale) noise."""
    return math.copysign(scale * rng.standard_exponential(), rng.random() - 0.5)


@_reassociated
def htinf_law(state, sigma):  # type: ignore[no-untyped-def]
    """Write argmin_x <score, x> - 2 sigma sqrt(t) sum_i sqrt(x_i) over the simplex, and its Newton root.

    With y = (score - min score) / (sigma sqrt t) the minimiser is x_i = (y_i + v)^-2, where v is the root
    of f(v) = sum_i (y_i + v)^-2 = 1. Since y >= 0 has a zero entry, v lies in [1, sqrt K]. The function
    f^-1/2 is increasing and concave in v, so Newton's iterates rise to the root after at most one step
    down, from any start.
    """
    n, low = state.shape[1], state[SCORE, 0]
    for i in range(1, n):
        low = min(low, state[SCORE, i])
    eta, top = 1.0 / (sigma * math.sqrt(state[NUMBER, 0])), math.sqrt(n)
    for i in range(n):
        state[LAW, i] = eta * (state[SCORE, i] - low)
    v = state[NUMBER, 1]
    for _ in range(60):
        total = cubes = 0.0
        for i in range(n):
            r = 1.0 / (state[LAW, i] + v)
            total += r * r
            cubes += r * r * r
        excess = math.sqrt(total) - 1.0
        if abs(excess) < 1e-11:
            break
        v = min(max(v + total * excess / cubes, 1.0), top)
    for i in range(n):
        r = 1.0 / (state[LAW, i] + v)
        state[LAW, i] = r * r
    state[NUMBER, 1] = v


@step
def htinf_act(state, setting, rng):  # type: ignore[no-untyped-def]
    """Move to the next round, write its law, draw the action."""
    state[NUMBER, 0] += 1.0
    htinf_law(state, setting[0])
    x, arm, last = rng.random(), 0, state.shape[1] - 1
    while arm < last and x >= state[LAW, arm]:
        x -= state[LAW, arm]
        arm += 1
    return arm


@step
def htinf_observe(state, setting, arm, loss):  # type: ignore[no-untyped-def]
    """Add loss / x unless the loss is above theta sqrt(x) / eta_t in size."""
    x = state[LAW, arm]
    if abs(loss) <= setting[1] * math.sqrt(x * state[NUMBER, 0]) * setting[0]:
        state[SCORE, arm] += loss / x


@compiled
def _reweigh(state):  # type: ignore[no-untyped-def]
    """Compute every weight anew from the log weights, the largest being 1, and their running sums."""
    top = state[SCORE].max()
    total = 0.0
    for i in range(state.shape[1]):
        state[LAW, i] = math.exp(state[SCORE, i] - top)
        total += state[LAW, i]
        state[RUNNING, i] = total
    state[NUMBER, 0], state[NUMBER, 1] = top, 0.0


@step
def exp3_act(state, setting, rng):  # type: ignore[no-untyped-def]
    """Draw from (1 - gamma) w / sum w + gamma / K, as a mixture: evenly, or by inversion of the running sums.

    The inversion counts the sums that are at most x: no branch that the processor could mispredict.
    """
    last, gamma = state.shape[1] - 1, setting[1]
    u = rng.random()
    if u < gamma:
        return min(int(u / gamma * (last + 1)), last)
    x, arm = (u - gamma) / (1.0 - gamma) * state[RUNNING, last], 0
    for i in range(last):
        arm += state[RUNNING, i] <= x
    return arm


@step
def exp3_observe(state, setting, arm, loss):  # type: ignore[no-untyped-def]
    """Multiply the weight of the action played by exp(-eta loss / P).

    Only that weight and the sums from it on change. They are computed anew every 1,024 rounds and whenever
    their total has left [1/8, 8 K], so its relative error stays below 1e-11 K.
    """
    n, eta, gamma = state.shape[1], setting[0], setting[1]
    old, total = state[LAW, arm], state[RUNNING, n - 1]
    state[SCORE, arm] -= eta * loss * total / ((1.0 - gamma) * old + setting[2] * total)
    new = math.exp(state[SCORE, arm] - state[NUMBER, 0])
    state[LAW, arm] = new
    for i in range(n):
        state[RUNNING, i] += new - old if i >= arm else 0.0
    state[NUMBER, 1] += 1.0
    if state[NUMBER, 1] >= _WEIGHT_AGE or not 1.0 / _WEIGHT_RANGE <= state[RUNNING, n - 1] <= _WEIGHT_RANGE * n:
        _reweigh(state)


@step
def ftpl_act(state, setting, rng):  # type: ignore[no-untyped-def]
    """Arg min of the estimated losses, each with its own Laplace(1 / eta) noise."""
    scale = 1.0 / setting[0]
    best, low = 0, state[SCORE, 0] + laplace(rng, scale)
    for i in range(1, state.shape[1]):
        value = state[SCORE, i] + laplace(rng, scale)
        if value < low:
            best, low = i, value
    return best


@_reassociated
def _stays(state, shift, printed):  # type: ignore[no-untyped-def]
    """Probability that K - 1 independent Laplace variables leave a variable at log `shift` in front."""
    stays = 1.0
    for i in range(state.shape[1]):
        q = state[LAW, i] * shift
        below = 0.5 * q if q <= 1.0 else 1.0 - 0.5 / q
        stays *= below if printed else 1.0 - below
    return stays


@compiled
def resamples(state, setting, arm, rng):  # type: ignore[no-untyped-def]
    """Number of fresh perturbations until `arm` is selected again, at most M.

    A trial draws the perturbation z of `arm` alone and then succeeds with the probability, given z, that
    the K - 1 others leave `arm` in front: the same law as drawing them all. As printed, "in front" is the
    arg max and a count without success is 0; corrected, the arg min and M.
    """
    eta, most, printed = setting[0], int(setting[1]), setting[2] == 1.0
    for i in range(state.shape[1]):
        state[LAW, i] = math.exp(min(max(eta * (state[SCORE, arm] - state[SCORE, i]), -_FAR), _FAR))
    state[LAW, arm] = math.inf if printed else 0.0
    for m in range(1, most + 1):
        if rng.random() < _stays(state, math.exp(laplace(rng, 1.0)), printed):
            return m
    return 0 if printed else most


@step
def act(kind, state, setting, rng):  # type: ignore[no-untyped-def]
    """Return the action of the next round."""
    if kind == HTINF:
        return htinf_act(state, setting, rng)
    if kind == EXP3:
        return exp3_act(state, setting, rng)
    return ftpl_act(state, setting, rng)


@step
def observe(kind, state, setting, arm, loss, rng):  # type: ignore[no-untyped-def]
    """Take in the loss of the action played, any real number."""
    if kind == HTINF:
        htinf_observe(state, setting, arm, loss)
    elif kind == EXP3:
        exp3_observe(state, setting, arm, loss)
    else:
        state[SCORE, arm] += loss * resamples(state, setting, arm, rng)


@step
def _play(kind, state, setting, seen, cost, trials, noise, arms, rng):  # type: ignore[no-untyped-def]
    """Play one batch for each entry of `arms`, which receives the actions; return the regret.

    Parameters
    ----------
    kind, state, setting
        The learner.
    seen, cost
        Batch means of the losses, and the regret of playing each action for the batch, shape (n, K). Batches
        go through their rows in turn and start over: one row when all batches are alike.
    trials
        Where positive, the batch mean is Binomial(trials, seen) / trials; otherwise it is `seen`.
    noise
        Scale of the Laplace noise on the batch mean; none at 0.
    """
    regret, row = 0.0, 0
    for j in range(len(arms)):
        arm = act(kind, state, setting, rng)
        arms[j] = arm
        regret += cost[row, arm]
        mean = seen[row, arm]
        if trials == 1:
            mean = 1.0 if rng.random() < mean else 0.0
        elif trials > 1:
            mean = rng.binomial(trials, mean) / trials
        if noise > 0.0:
            mean += laplace(rng, noise)
        observe(kind, state, setting, arm, mean, rng)
        row += 1
        if row == len(seen):
            row = 0
    return regret


@compiled
def play_htinf(state, setting, seen, cost, trials, noise, arms, rng):  # type: ignore[no-untyped-def]
    """`_play` for HTINF."""
    return _play(HTINF, state, setting, seen, cost, trials, noise, arms, rng)


@compiled
def play_exp3(state, setting, seen, cost, trials, noise, arms, rng):  # type: ignore[no-untyped-def]
    """`_play` for EXP3."""
    return _play(EXP3, state, setting, seen, cost, trials, noise, arms, rng)


@compiled
def play_ftpl(state, setting, seen, cost, trials, noise, arms, rng):  # type: ignore[no-untyped-def]
    """`_play` for FTPL."""
    return _play(FTPL, state, setting, seen, cost, trials, noise, arms, rng)


PLAY = {HTINF: play_htinf, EXP3: play_exp3, FTPL: play_ftpl}
"""The loop of each learner, compiled for it alone."""


@compiled
def sample_actions(kind, start, setting, seen, noise, codes, rng):  # type: ignore[no-untyped-def]
    """Write the first len(seen) actions of len(codes) runs, each as one number to the base K, first action first.

    `start` is the fresh state; losses and noise are as for `_play`.
    """
    state, k, arms = start.copy(), start.shape[1], np.empty(len(seen), dtype=np.int16)
    for r in range(len(codes)):
        state[:] = start
        _play(kind, state, setting, seen, seen, 0, noise, arms, rng)
        code = 0
        for arm in arms:
            code = k * code + arm
        codes[r] = code


@compiled
def leakage(eta, gamma, first_loss, probabilities):  # type: ignore[no-untyped-def]
    """Write EXP3's P_t(2) when actions 2, 1, 2, 1, ... are forced and every loss is 1 but the first.

    In log space: w_t(2) / w_t(1) = exp(d_t).
    """
    d = 0.0
    for t in range(len(probabilities)):
        p = (1.0 - gamma) / (1.0 + math.exp(-d)) + gamma / 2.0
        probabilities[t] = p
        if t % 2 == 0:
            d -= eta * (first_loss if t == 0 else 1.0) / p
        else:
            d += eta / (1.0 - p)
        d = min(max(d, -_FAR), _FAR)
