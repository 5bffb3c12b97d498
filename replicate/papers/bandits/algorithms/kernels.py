"""Step functions of the learners and the loops over rounds, compiled with Numba.

Every learner is two step functions, ``act`` and ``observe``; the streaming classes and the loops call
the same ones. A learner's ``state`` is one array, shape (4, K), changed in place:

=========  ================  ==============================  ====================  =========================
learner    row ``SCORE``     row ``LAW``                     row ``RUNNING``       row ``NUMBER``
=========  ================  ==============================  ====================  =========================
HTINF      estimated losses  distribution of the action               scratch               ``ROUND``, ``ROOT``
EXP3       log weights       weights, the reference being 1  sums of row ``LAW``   ``REFERENCE``, ``AGE``
FTPL       log weights       weights, the reference being 1  odds                  ``REFERENCE``
=========  ================  ==============================  ====================  =========================

Sums and products are taken in the order written, so that results do not depend on the processor. What can be
computed entry by entry is done before in a loop of its own, which the compiler may spread over vectors.

One array, not four: Numba counts references to every array that a loop names.

``setting`` holds up to three parameters: HTINF (``SIGMA``, ``THRESHOLD``), EXP3 (``RATE``, ``MIXING``, ``FLOOR``),
FTPL (``RATE``, ``RESAMPLES``, ``ARG_MAX``).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from replicate.compiled import compiled
from replicate.learners.tsallis_law import LAW, NUMBER, ROOT, ROUND, SCORE, next_action
from replicate.validation import FloatArray, IntArray

HTINF, EXP3, FTPL = 0, 1, 2
"""Kinds of learners."""
RUNNING = 2
"""Row of EXP3's sums and FTPL's odds; the other rows are those of `tsallis_law`."""
REFERENCE, AGE = 0, 1
"""The log weight whose weight is 1, of EXP3 and FTPL; EXP3's rounds since weights were computed anew."""
SIGMA, THRESHOLD = 0, 1
"""HTINF's setting: sigma, the root of the second moment, theta, above which a loss is skipped, and what is taken
from a loss before."""
RATE, MIXING, FLOOR = 0, 1, 2
"""EXP3's setting: learning rate eta, mixing gamma, gamma / K. The learning rate is FTPL's as well."""
RESAMPLES, ARG_MAX = 1, 2
"""FTPL's setting: most resamples M; 1 when a resample must be the arg max (as printed), 0 for the arg min."""

MAX_STEPS = 2**34
"""Batches of one replicate: 34 GB of actions."""

_WEIGHT_AGE = 1024
_WEIGHT_RANGE = 8.0
_LEVELS = 20.0
_CERTAIN = 1e300
_MANY, _OFTEN = 4, 0.3
"""FTPL passes over trials from so many actions on, unless candidates are likelier than this: no gain otherwise."""

kernel = compiled(error_model="numpy")
step = compiled(error_model="numpy", inline="always")
leaf = compiled(error_model="numpy", forceinline=True, counted=False)
bare = compiled(error_model="numpy", counted=False)


def steps(name: str, horizon: int, batch: int) -> int:
    """Return the number of batches, at most 2**34."""
    n = -(-horizon // batch)
    if n > MAX_STEPS:
        raise ValueError(f"{name} must make at most 2**34 batches, got {horizon} rounds in batches of {batch}")
    return n


def fresh_state(kind: int, n_actions: int) -> FloatArray:
    """Return a learner's state before the first round: no losses, unit weights, HTINF's root; shape (4, K)."""
    state = np.zeros((4, n_actions))
    state[LAW] = 1.0
    state[RUNNING] = np.arange(1, n_actions + 1)
    state[NUMBER, ROOT] = math.sqrt(n_actions) if kind == HTINF else 0.0
    return state


@leaf
def laplace(rng: np.random.Generator, scale: float) -> float:
    """Draw Laplace(scale) noise."""
    # an exponential with a fair sign; two draws, in this order, in every kernel
    return math.copysign(scale * rng.standard_exponential(), rng.random() - 0.5)


@leaf
def htinf_observe(state: FloatArray, setting: FloatArray, arm: int, loss: float) -> None:
    """Add loss / x unless the loss is above theta sqrt(x) / eta_t in size."""
    x = state[LAW, arm]
    # theta sqrt(x) / eta_t, with 1 / eta_t = sigma sqrt(t)
    if abs(loss) <= setting[THRESHOLD] * math.sqrt(x * state[NUMBER, ROUND]) * setting[SIGMA]:
        state[SCORE, arm] += loss / x


@bare
def reweigh(state: FloatArray) -> None:
    """Compute every weight anew from the log weights, the largest being 1, and their running sums."""
    top, total = state[SCORE, 0], 0.0
    for i in range(1, state.shape[1]):
        top = max(top, state[SCORE, i])
    for i in range(state.shape[1]):
        state[LAW, i] = math.exp(state[SCORE, i] - top)
        total += state[LAW, i]
        state[RUNNING, i] = total
    state[NUMBER, REFERENCE], state[NUMBER, AGE] = top, 0.0


@leaf
def exp3_act(state: FloatArray, setting: FloatArray, rng: np.random.Generator) -> int:
    """Draw from (1 - gamma) w / sum w + gamma / K, as a mixture: evenly, or by inversion of the running sums.

    The inversion counts the sums that are at most x: no branch that the processor could mispredict.
    """
    last, gamma = state.shape[1] - 1, setting[MIXING]
    u = rng.random()
    if u < gamma:  # lines 4-5
        return min(int(u / gamma * (last + 1)), last)
    # u is uniform on [gamma, 1) here: one number makes both draws
    x, arm = (u - gamma) / (1.0 - gamma) * state[RUNNING, last], 0
    for i in range(last):
        arm += state[RUNNING, i] <= x
    return arm


@leaf
def exp3_observe(state: FloatArray, setting: FloatArray, arm: int, loss: float) -> None:
    """Multiply the weight of the action played by exp(-eta loss / P).

    Only that weight and the sums from it on change. They are computed anew every 1,024 rounds and whenever
    their total has left [1/8, 8 K], so its relative error stays below 1e-11 K.
    """
    n, eta, gamma = state.shape[1], setting[RATE], setting[MIXING]
    old, total = state[LAW, arm], state[RUNNING, n - 1]
    state[SCORE, arm] -= eta * loss * total / ((1.0 - gamma) * old + setting[FLOOR] * total)  # line 6
    new = math.exp(state[SCORE, arm] - state[NUMBER, REFERENCE])  # line 7
    state[LAW, arm] = new
    for i in range(n):
        state[RUNNING, i] += new - old if i >= arm else 0.0
    state[NUMBER, AGE] += 1.0
    total = state[RUNNING, n - 1]
    if state[NUMBER, AGE] >= _WEIGHT_AGE or not 1.0 / _WEIGHT_RANGE <= total <= _WEIGHT_RANGE * n:
        reweigh(state)


@leaf
def _exp_laplace(x: float) -> float:
    """Return exp(Z) for a Laplace(1) variable Z, by inversion of a uniform number x in [0, 1)."""
    return min(2.0 * x, 1.0) / min(2.0 - 2.0 * x, 1.0)


@leaf
def _below(odds: float) -> float:
    """Return P(exp(Z) < odds) for a Laplace(1) variable Z: odds / 2 up to 1, 1 - 1 / (2 odds) from there on."""
    return 0.5 * min(odds, 1.0) + (0.5 - 0.5 / max(odds, 1.0))


@leaf
def ftpl_act(state: FloatArray, rng: np.random.Generator) -> int:
    """Arg min of the estimated losses, each with its own Laplace(1 / eta) noise: the arg max of w exp(Z)."""
    best, top = 0, -1.0
    for i in range(state.shape[1]):
        value = state[LAW, i] * _exp_laplace(rng.random())  # line 4
        best = i if value > top else best
        top = max(value, top)  # line 5
    return best


@bare
def _in_front(state: FloatArray, lead: float, u: float) -> bool:
    """Return u < p, p the probability that no action passes the one whose perturbation is log `lead`.

    Another one stays behind while its own perturbation is below the log of its odds times `lead`. The product over
    all of them only falls: after every fourth factor it may be settled.
    """
    n, product = state.shape[1], 1.0
    for start in range(0, n, 4):
        for i in range(start, min(start + 4, n)):
            # `arm` has odds so large that its own factor is 1
            product *= _below(state[RUNNING, i] * lead)
        if not product > u:
            return False
    return True


@leaf
def masses(n: int) -> tuple[float, float]:
    """Integrals of H / 2 up to t = 1 and from there, n > 2.

    H(t) is (1 - t / 2)^(n - 1) up to t = 1 and (2 t)^(1 - n) from there.
    """
    low = math.ldexp(1.0, -n)
    return (1.0 - low) / n, low / (n - 2)


@leaf
def candidate(n: int, head: float, tail: float, rng: np.random.Generator) -> tuple[float, float]:
    """Draw t > 0 from the density proportional to H, by inversion, and return t and H(t); `masses` of H / 2."""
    x = rng.random() * (head + tail)
    if x < head:
        left = 1.0 - x * n
        root = math.exp(math.log(left) / n)
        return 2.0 - 2.0 * root, left / root
    t = ((head + tail - x) / tail) ** (-1.0 / (n - 2))
    return t, (2.0 * t) ** (1 - n)


@leaf
def _thinned(state: FloatArray, mean: float, most: int, rng: np.random.Generator) -> int:
    """Number of the first trial that succeeds, M + 1 if none does; -1 where most trials have to be made.

    A trial whose perturbation is Z succeeds with probability prod F(c_j + Z), F being the distribution function
    of a Laplace(1) variable and c_j the log odds against each of the others. As log F is concave, that is at most
    F(c + Z)^(K - 1), c their `mean`: in t = exp(-c - Z) the function H of `masses`. The density of t is
    e^c / 2 up to e^-c, and (t e^c)^-2 times that from there. So only candidates succeed, which a trial is with
    probability p = e^c (head + tail), and of them those that stand what is left of both factors. Up to the next
    candidate a geometric number of trials goes by.
    """
    n = state.shape[1]
    head, tail = masses(n)
    scale = math.exp(mean)
    p = scale * (head + tail)
    if p > _OFTEN:
        return -1
    rate, m = -math.log1p(-p), 0.0
    while True:
        m += math.floor(rng.standard_exponential() / rate) + 1.0
        if m > most:
            return most + 1
        t, above = candidate(n, head, tail, rng)
        lead = 1.0 / (scale * t)  # exp of the trial's perturbation
        if _in_front(state, lead, rng.random() * above / min(lead * lead, 1.0)):
            return int(m)


@leaf
def _failing(lead: float, odds: float) -> float:
    """Probability that a trial fails, of two actions: a difference of Laplace(1) variables exceeds `lead`.

    `odds` are those of the action, e^lead. The density of the difference is (1 + |x|) e^-|x| / 4. So a lead of at
    least 0 is exceeded with probability e^-lead (2 + lead) / 4, any other one with 1 less that of -lead.
    """
    if lead >= 0.0:
        return (2.0 + lead) / (4.0 * odds)
    return 1.0 - odds * (2.0 - lead) / 4.0


@bare
def resamples(state: FloatArray, setting: FloatArray, arm: int, rng: np.random.Generator) -> int:
    """Number of fresh perturbations until `arm` is selected again, at most M.

    A trial draws the perturbation of `arm` alone and then succeeds with the probability, given it, that the K - 1
    others leave `arm` in front: the same distribution as drawing them all. As printed, "in front" is the arg max
    of the estimated losses and a count without success is 0; corrected, the arg min and M.
    """
    most, arg_max, n = int(setting[RESAMPLES]), setting[ARG_MAX] == 1.0, state.shape[1]
    weight, total = state[LAW, arm], 0.0
    m = -1  # line 7
    if n == 2:
        sign, odds = -1.0 if arg_max else 1.0, weight / state[LAW, 1 - arm]
        q = _failing(sign * (state[SCORE, arm] - state[SCORE, 1 - arm]), 1.0 / odds if arg_max else odds)
        m, u, beyond = 1, rng.random(), q
        # trial m and all before it fail with probability q^m
        while u < beyond and m <= most:
            m, beyond = m + 1, beyond * q
    for i in range(n if m < 0 else 0):
        odds = state[LAW, i] / weight if arg_max else weight / state[LAW, i]
        state[RUNNING, i] = _CERTAIN if i == arm else min(odds, _CERTAIN)
        total += state[SCORE, i]
    if n >= _MANY:
        # mean log odds of `arm` against the others
        mean = (n * state[SCORE, arm] - total) / (n - 1)
        m = _thinned(state, -mean if arg_max else mean, most, rng)
    if m < 0:
        m = 1
        while m <= most and not _in_front(state, _exp_laplace(rng.random()), rng.random()):  # lines 8, 10-11
            m += 1
    if m > most:  # lines 12-13: the first hit, if there was one
        return 0 if arg_max else most
    return m


@leaf
def ftpl_observe(state: FloatArray, setting: FloatArray, arm: int, loss: float, rng: np.random.Generator) -> None:
    """Multiply the weight of the action played by exp(-eta loss N), N its number of resamples.

    All weights are computed anew when that one has left [e^-20, e^20]. Only weights below e^-700 times the largest
    are ever rounded to zero: such an action is never played.
    """
    count = resamples(state, setting, arm, rng)  # lines 7-8, 10-13
    state[SCORE, arm] -= setting[RATE] * loss * count  # lines 17-18
    level = state[SCORE, arm] - state[NUMBER, REFERENCE]
    # a level beyond is computed anew at once, without an overflow here
    state[LAW, arm] = math.exp(min(level, _LEVELS))
    if abs(level) > _LEVELS:
        reweigh(state)


@step
def act(kind: int, state: FloatArray, setting: FloatArray, rng: np.random.Generator) -> int:
    """Return the action of the next round."""
    if kind == HTINF:
        return next_action(state, setting[SIGMA], rng)
    if kind == EXP3:
        return exp3_act(state, setting, rng)
    return ftpl_act(state, rng)


@step
def observe(
    kind: int, state: FloatArray, setting: FloatArray, arm: int, loss: float, rng: np.random.Generator
) -> None:
    """Take in the loss of the action played, any real number."""
    if kind == HTINF:
        htinf_observe(state, setting, arm, loss)
    elif kind == EXP3:
        exp3_observe(state, setting, arm, loss)
    else:
        ftpl_observe(state, setting, arm, loss, rng)


@step
def play(
    kind: int,
    state: FloatArray,
    setting: FloatArray,
    seen: FloatArray,
    cost: FloatArray,
    trials: int,
    noise: float,
    arms: NDArray[np.int16],
    stops: IntArray,
    rng: np.random.Generator,
    regret: FloatArray,
) -> None:
    """Algorithm 1: a batch for each entry of `arms`, which receives the actions; write the regret after `stops`.

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
    stops
        Increasing numbers of batches, the last one len(arms).
    """
    sums, done, row = 0.0, 0, 0
    for j in range(len(arms)):
        arm = act(kind, state, setting, rng)  # lines 4-5
        arms[j] = arm  # line 7: for the whole batch
        sums += cost[row, arm]
        if j + 1 == stops[done]:
            regret[done] = sums
            done += 1
        mean = seen[row, arm]  # lines 8-10
        if trials == 1:
            mean = 1.0 if rng.random() < mean else 0.0
        elif trials > 1:
            mean = rng.binomial(trials, mean) / trials
        if noise > 0.0:
            mean += laplace(rng, noise)
        observe(kind, state, setting, arm, mean, rng)  # lines 11-12
        row += 1
        if row == len(seen):
            row = 0


def _alone(kind: int) -> Any:
    """Return `play` for one kind of learner, compiled for it alone, which returns the regret."""

    @bare
    def loop(
        state: FloatArray,
        setting: FloatArray,
        seen: FloatArray,
        cost: FloatArray,
        trials: int,
        noise: float,
        arms: NDArray[np.int16],
        stops: IntArray,
        rng: np.random.Generator,
        regret: FloatArray,
    ) -> None:
        play(kind, state, setting, seen, cost, trials, noise, arms, stops, rng, regret)

    @kernel
    def play_alone(
        state: FloatArray,
        setting: FloatArray,
        seen: FloatArray,
        cost: FloatArray,
        trials: int,
        noise: float,
        arms: NDArray[np.int16],
        stops: IntArray,
        rng: np.random.Generator,
    ) -> FloatArray:
        regret = np.empty(len(stops))
        loop(state, setting, seen, cost, trials, noise, arms, stops, rng, regret)
        return regret

    return play_alone


play_htinf, play_exp3, play_ftpl = _alone(HTINF), _alone(EXP3), _alone(FTPL)
PLAY = {HTINF: play_htinf, EXP3: play_exp3, FTPL: play_ftpl}
"""The loop of each learner."""


@kernel
def sample_actions(
    kind: int,
    start: FloatArray,
    setting: FloatArray,
    seen: FloatArray,
    noise: float,
    codes: IntArray,
    rng: np.random.Generator,
) -> None:
    """Write the first len(seen) actions of len(codes) runs, each as one number to the base K, first action first.

    `start` is the fresh state; losses and noise are as for `play`.
    """
    state, k, arms = start.copy(), start.shape[1], np.empty(len(seen), dtype=np.int16)
    end, no_trials = np.array([len(seen)]), np.int64(0)
    for r in range(len(codes)):
        for row in range(len(start)):
            for i in range(k):
                state[row, i] = start[row, i]
        if kind == HTINF:
            play_htinf(state, setting, seen, seen, no_trials, noise, arms, end, rng)
        elif kind == EXP3:
            play_exp3(state, setting, seen, seen, no_trials, noise, arms, end, rng)
        else:
            play_ftpl(state, setting, seen, seen, no_trials, noise, arms, end, rng)
        code = 0
        for arm in arms:
            code = k * code + arm
        codes[r] = code
