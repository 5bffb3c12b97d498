"""Step functions of the learners and the loops over rounds, compiled with Numba.

Every learner is two step functions, ``act`` and ``observe``; the streaming classes and the loops call
the same ones. A learner's state is three float arrays, changed in place:

=========  ==============================  ================================  ===================
learner    ``score`` (K,)                  ``law`` (K,)                      ``number`` (3,)
=========  ==============================  ================================  ===================
HTINF      estimated losses                law of the action                 t, Newton's root
EXP3       log weights                     weights relative to a reference   reference, sum, age
FTPL       estimated losses                scratch                           (not used)
=========  ==============================  ================================  ===================

``setting`` (3,) holds the parameters: HTINF (sigma, theta, -), EXP3 (learning rate eta, mixing gamma,
gamma / K), FTPL (learning rate, most resamples M, 1 for the resampling test as printed, 0 as corrected).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numba

__all__ = ["EXP3", "FTPL", "HTINF", "PLAY", "act", "laplace", "leakage", "observe", "resamples", "step"]

HTINF, EXP3, FTPL = 0, 1, 2

_WEIGHT_AGE = 1024
_WEIGHT_DROP = 1e-3
_WEIGHT_JUMP = 100.0
_FAR = 600.0

compiled: Callable[[Any], Any] = numba.njit(cache=True, nogil=True, error_model="numpy")
step: Callable[[Any], Any] = numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")
_reassociated: Callable[[Any], Any] = numba.njit(
    cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"}
)


@step
def laplace(rng, scale):  # type: ignore[no-untyped-def]
    """Draw Laplace(scale) noise."""
    return math.copysign(scale * rng.standard_exponential(), rng.random() - 0.5)


@step
def _draw(law, x):  # type: ignore[no-untyped-def]
    """First index at which the sum of `law` exceeds x; the largest entry's when rounding leaves none."""
    for i in range(len(law)):
        x -= law[i]
        if x < 0.0:
            return i
    return law.argmax()


@_reassociated
def htinf_law(score, law, sigma, t, root):  # type: ignore[no-untyped-def]
    """Write argmin_x <score, x> - 2 sigma sqrt(t) sum_i sqrt(x_i) over the simplex; return its Newton root.

    With y = (score - min score) / (sigma sqrt t) the minimiser is x_i = (y_i + v)^-2, where v is the root
    of f(v) = sum_i (y_i + v)^-2 = 1. Since y >= 0 has a zero entry, v lies in [1, sqrt K]. The function
    f^-1/2 is increasing and concave in v, so Newton's iterates rise to the root after at most one step
    down, from any start.
    """
    n, low = len(score), score[0]
    for i in range(1, n):
        low = min(low, score[i])
    eta, top = 1.0 / (sigma * math.sqrt(t)), math.sqrt(n)
    for i in range(n):
        law[i] = eta * (score[i] - low)
    v = root
    for _ in range(60):
        total = cubes = 0.0
        for i in range(n):
            r = 1.0 / (law[i] + v)
            total += r * r
            cubes += r * r * r
        excess = math.sqrt(total) - 1.0
        if abs(excess) < 1e-11:
            break
        v = min(max(v + total * excess / cubes, 1.0), top)
    for i in range(n):
        r = 1.0 / (law[i] + v)
        law[i] = r * r
    return v


@step
def htinf_act(score, law, number, setting, rng):  # type: ignore[no-untyped-def]
    """Move to the next round, write its law, draw the action."""
    number[0] += 1.0
    number[1] = htinf_law(score, law, setting[0], number[0], number[1])
    return _draw(law, rng.random())


@step
def htinf_observe(score, law, number, setting, arm, loss):  # type: ignore[no-untyped-def]
    """Add loss / x unless the loss is above theta sqrt(x) / eta_t in size."""
    x = law[arm]
    if abs(loss) <= setting[1] * math.sqrt(x * number[0]) * setting[0]:
        score[arm] += loss / x


@compiled
def _reweigh(score, law, number):  # type: ignore[no-untyped-def]
    """Compute every weight anew from the log weights, the largest being 1."""
    top = score[0]
    for i in range(1, len(score)):
        top = max(top, score[i])
    total = 0.0
    for i in range(len(score)):
        law[i] = math.exp(score[i] - top)
        total += law[i]
    number[0], number[1], number[2] = top, total, 0.0


@step
def exp3_act(score, law, number, setting, rng):  # type: ignore[no-untyped-def]
    """Draw from (1 - gamma) w / sum w + gamma / K, as a mixture."""
    n, gamma = len(score), setting[1]
    u = rng.random()
    if u < gamma:
        return min(int(u / gamma * n), n - 1)
    return _draw(law, (u - gamma) / (1.0 - gamma) * number[1])


@step
def exp3_observe(score, law, number, setting, arm, loss):  # type: ignore[no-untyped-def]
    """Multiply the weight of the action played by exp(-eta loss / P).

    Only that weight and the sum change. The sum is computed anew every 1,024 rounds, when it has fallen
    a thousandfold and before a weight could overflow, so its relative error stays below 1e-9.
    """
    eta, gamma = setting[0], setting[1]
    score[arm] -= eta * loss * number[1] / ((1.0 - gamma) * law[arm] + setting[2] * number[1])
    number[2] += 1.0
    if number[2] >= _WEIGHT_AGE or score[arm] > number[0] + _WEIGHT_JUMP:
        _reweigh(score, law, number)
        return
    weight = math.exp(score[arm] - number[0])
    number[1] += weight - law[arm]
    law[arm] = weight
    if number[1] < _WEIGHT_DROP:
        _reweigh(score, law, number)


@step
def ftpl_act(score, setting, rng):  # type: ignore[no-untyped-def]
    """Arg min of the estimated losses, each with its own Laplace(1 / eta) noise."""
    scale = 1.0 / setting[0]
    best, low = 0, score[0] + laplace(rng, scale)
    for i in range(1, len(score)):
        value = score[i] + laplace(rng, scale)
        if value < low:
            best, low = i, value
    return best


@_reassociated
def _stays(law, shift, printed):  # type: ignore[no-untyped-def]
    """Probability that K - 1 independent Laplace variables leave a variable at log `shift` in front."""
    stays = 1.0
    for i in range(len(law)):
        q = law[i] * shift
        below = 0.5 * q if q <= 1.0 else 1.0 - 0.5 / q
        stays *= below if printed else 1.0 - below
    return stays


@compiled
def resamples(score, law, setting, arm, rng):  # type: ignore[no-untyped-def]
    """Number of fresh perturbations until `arm` is selected again, at most M.

    A trial draws the perturbation z of `arm` alone and then succeeds with the probability, given z, that
    the K - 1 others leave `arm` in front: the same law as drawing them all. As printed, "in front" is the
    arg max and a count without success is 0; corrected, the arg min and M.
    """
    eta, most, printed = setting[0], int(setting[1]), setting[2] == 1.0
    for i in range(len(score)):
        law[i] = math.exp(min(max(eta * (score[arm] - score[i]), -_FAR), _FAR))
    law[arm] = math.inf if printed else 0.0
    for m in range(1, most + 1):
        if rng.random() < _stays(law, math.exp(laplace(rng, 1.0)), printed):
            return m
    return 0 if printed else most


@step
def act(kind, score, law, number, setting, rng):  # type: ignore[no-untyped-def]
    """Return the action of the next round."""
    if kind == HTINF:
        return htinf_act(score, law, number, setting, rng)
    if kind == EXP3:
        return exp3_act(score, law, number, setting, rng)
    return ftpl_act(score, setting, rng)


@step
def observe(kind, score, law, number, setting, arm, loss, rng):  # type: ignore[no-untyped-def]
    """Take in the loss of the action played, any real number."""
    if kind == HTINF:
        htinf_observe(score, law, number, setting, arm, loss)
    elif kind == EXP3:
        exp3_observe(score, law, number, setting, arm, loss)
    else:
        score[arm] += loss * resamples(score, law, setting, arm, rng)


@step
def _play(kind, score, law, number, setting, seen, cost, trials, noise, arms, rng):  # type: ignore[no-untyped-def]
    """Play one batch for each entry of `arms`, which receives the actions; return the regret.

    Parameters
    ----------
    kind, score, law, number, setting
        The learner.
    seen, cost
        Batch means of the losses, and the regret of playing each action for the batch, shape (batches, K),
        or (1, K) when all batches are alike.
    trials
        Where positive, the batch mean is Binomial(trials, seen) / trials; otherwise it is `seen`.
    noise
        Scale of the Laplace noise on the batch mean; none at 0.
    """
    regret = 0.0
    moving = len(seen) > 1
    for j in range(len(arms)):
        row = j if moving else 0
        arm = act(kind, score, law, number, setting, rng)
        arms[j] = arm
        regret += cost[row, arm]
        mean = seen[row, arm]
        if trials == 1:
            mean = 1.0 if rng.random() < mean else 0.0
        elif trials > 1:
            mean = rng.binomial(trials, mean) / trials
        if noise > 0.0:
            mean += laplace(rng, noise)
        observe(kind, score, law, number, setting, arm, mean, rng)
    return regret


@compiled
def play_htinf(score, law, number, setting, seen, cost, trials, noise, arms, rng):  # type: ignore[no-untyped-def]
    """`_play` for HTINF."""
    return _play(HTINF, score, law, number, setting, seen, cost, trials, noise, arms, rng)


@compiled
def play_exp3(score, law, number, setting, seen, cost, trials, noise, arms, rng):  # type: ignore[no-untyped-def]
    """`_play` for EXP3."""
    return _play(EXP3, score, law, number, setting, seen, cost, trials, noise, arms, rng)


@compiled
def play_ftpl(score, law, number, setting, seen, cost, trials, noise, arms, rng):  # type: ignore[no-untyped-def]
    """`_play` for FTPL."""
    return _play(FTPL, score, law, number, setting, seen, cost, trials, noise, arms, rng)


PLAY = {HTINF: play_htinf, EXP3: play_exp3, FTPL: play_ftpl}
"""The loop of each learner, compiled for it alone."""


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
