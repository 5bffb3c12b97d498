"""Step functions and loops of the two private EXP4 algorithms, compiled with Numba.

Contexts c = 0, ..., P - 1 come in turn: round t (from 0) shows context t mod P. ``advice`` (P, N, K) and
``losses`` (P, K) list what each context shows. ``score`` (N,) holds the experts' log weights.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from replicate.learners.tsallis_law import draw
from replicate.papers.bandits.algorithms.kernels import kernel, laplace, leaf, step
from replicate.validation import FloatArray, Generator, IntArray


class Game(NamedTuple):
    """What stays from round to round: the contexts' advice and losses, the parameters, the best expert.

    `drawn` makes losses Bernoulli; `noise` is the scale of the Laplace noise.
    """

    advice: FloatArray
    losses: FloatArray
    drawn: bool
    eta: float
    gamma: float
    noise: float
    best: int


@step
def weigh(score: FloatArray, law: FloatArray) -> None:
    """Write P = w / sum w, shape (N,)."""
    top, total = score.max(), 0.0
    for j in range(len(score)):
        law[j] = math.exp(score[j] - top)
        total += law[j]
    for j in range(len(score)):
        law[j] /= total


@step
def mix(law: FloatArray, advice: FloatArray, gamma: float, action_law: FloatArray) -> None:
    """Write Q = (1 - gamma) sum_j P(j) mu^j + gamma / K, shape (K,), for advice of shape (N, K)."""
    n, k = advice.shape
    for i in range(k):
        action_law[i] = 0.0
    for j in range(n):
        for i in range(k):
            action_law[i] += law[j] * advice[j, i]
    for i in range(k):
        action_law[i] = (1.0 - gamma) * action_law[i] + gamma / k  # line 6 of Algorithm 6, 9 of Algorithm 2


@leaf
def credit(estimate: FloatArray, advice: FloatArray, arm: int, value: float) -> None:
    """Add value * mu^j(arm) to every expert's estimated loss."""
    for j in range(len(estimate)):
        estimate[j] += value * advice[j, arm]


@leaf
def _regret(action_law: FloatArray, losses: FloatArray, advice: FloatArray) -> float:
    """Expected loss of a round under Q less that of the expert whose advice is given."""
    total = 0.0
    for i in range(len(losses)):
        total += (action_law[i] - advice[i]) * losses[i]
    return total


@kernel
def play_local(score: FloatArray, game: Game, start: int, stop: int, rng: Generator) -> float:
    """Algorithm 6: rounds `start` to `stop` - 1; return the regret.

    The steps of `weigh`, `mix` and `credit` are written out, entry by entry: a slice of the advice would be counted
    as a reference to it in every round, and threads would wait for each other's counts.
    """
    advice, losses, drawn, eta, gamma, noise, best = game
    period, n, k = advice.shape
    law, action_law = np.empty(n), np.empty(k)
    regret, least = 0.0, gamma / k
    for t in range(start, stop):
        c = t % period  # line 4
        top, total = score[0], 0.0
        for j in range(1, n):
            top = max(top, score[j])
        for j in range(n):
            law[j] = 1.0 if score[j] == top else math.exp(score[j] - top)
            total += law[j]
        for j in range(n):
            law[j] /= total  # line 5
        for i in range(k):
            mixed = 0.0
            for j in range(n):
                mixed += law[j] * advice[c, j, i]
            action_law[i] = (1.0 - gamma) * mixed + least  # line 6
        above = 0.0
        for i in range(k):
            above += (action_law[i] - advice[c, best, i]) * losses[c, i]
        regret += above
        arm = draw(action_law, rng.random())  # line 7
        loss = losses[c, arm]
        if drawn:
            loss = 1.0 if rng.random() < loss else 0.0
        value = (loss + laplace(rng, noise)) / action_law[arm]  # lines 8-10
        for j in range(n):
            score[j] -= eta * (value * advice[c, j, arm])  # line 11
    return regret


@kernel
def sample_actions(
    advice: FloatArray,
    losses: FloatArray,
    eta: float,
    gamma: float,
    noise: float,
    everyone: bool,
    codes: IntArray,
    rng: Generator,
) -> None:
    """Write the actions of len(codes) runs of Algorithm 6, or of Algorithm 2 with batches of one round.

    Advice (N, K) is the same in every round; losses have shape (rounds, K). `everyone` puts noise on every
    expert's estimate (Algorithm 2) instead of on the loss (Algorithm 6). Codes are numbers to the base K.
    """
    n, k = advice.shape
    score, law, estimate, action_law = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(k)
    for r in range(len(codes)):
        score[:] = 0.0
        code = 0
        for t in range(len(losses)):
            weigh(score, law)  # line 5 of Algorithm 6, 7 of Algorithm 2
            mix(law, advice, gamma, action_law)  # line 6, line 9
            arm = draw(action_law, rng.random())  # line 7, line 10
            code = k * code + arm
            loss = losses[t, arm] + (0.0 if everyone else laplace(rng, noise))
            estimate[:] = 0.0
            credit(estimate, advice, arm, loss / action_law[arm])  # lines 8-10, line 11
            for j in range(n):  # line 11, lines 14-15
                score[j] -= eta * (estimate[j] + (laplace(rng, noise) if everyone else 0.0))
        codes[r] = code


@leaf
def play_batched(
    score: FloatArray, scratch: tuple[FloatArray, ...], game: Game, start: int, stop: int, rng: Generator
) -> float:
    """Algorithm 2: one batch, rounds `start` to `stop` - 1, at a cost that does not depend on their number.

    Within a context the plays are multinomial, and an action's summed loss is binomial in its plays. ``scratch``
    holds three arrays: the experts' distribution (N,), the actions' distribution (K,), the estimates (N,).
    """
    advice, losses, drawn, eta, gamma, noise, best = game
    period, n, k = advice.shape
    law, action_law, estimate = scratch
    regret, size = 0.0, stop - start
    weigh(score, law)  # line 7
    estimate[:] = 0.0
    for c in range(period):  # line 4
        left = (stop - c + period - 1) // period - (start - c + period - 1) // period  # rounds of this context
        mix(law, advice[c], gamma, action_law)  # line 9
        regret += left * _regret(action_law, losses[c], advice[c, best])
        rest = 1.0
        for i in range(k):  # line 10: a multinomial draw, one binomial after another
            plays = left
            if i < k - 1:
                plays = rng.binomial(left, min(action_law[i] / rest, 1.0)) if left > 0 else 0
            left -= plays
            rest -= action_law[i]
            total = plays * losses[c, i]
            if drawn and plays > 0:
                total = 1.0 * rng.binomial(plays, losses[c, i])
            if total > 0.0:
                credit(estimate, advice[c], i, total / (action_law[i] * size))  # line 11
    for j in range(n):
        score[j] -= eta * (estimate[j] + laplace(rng, noise))  # lines 14-15
    return regret


@kernel
def play_all_batched(
    score: FloatArray, game: Game, start: int, stop: int, tau: int, rng: Generator, gaussian: float = 0.0
) -> float:
    """Algorithm 2 from round `start` to `stop` - 1 in batches of `tau`; the last may be incomplete.

    After each batch every expert's loss gets Laplace noise, and normal noise of scale `gaussian`.
    """
    scratch = (score.copy(), game.losses[0].copy(), score.copy())
    regret = 0.0
    while start < stop:
        end = min(start + tau, stop)  # lines 5, 12
        regret += play_batched(score, scratch, game, start, end, rng)
        if gaussian > 0.0:
            for j in range(len(score)):
                score[j] -= game.eta * gaussian * rng.standard_normal()  # in the place of lines 14-15
        start = end  # line 16
    return regret
