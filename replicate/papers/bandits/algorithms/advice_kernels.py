"""Step functions and loops of the two private EXP4 algorithms, compiled with Numba.

Contexts c = 0, ..., P - 1 come in turn: round t (from 0) shows context t mod P. ``advice`` (P, N, K) and
``losses`` (P, K) list what each context shows. ``score`` (N,) holds the experts' log weights.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from replicate.learners.tsallis_law import draw
from replicate.papers.bandits.algorithms.kernels import kernel, laplace, leaf
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


@leaf
def weigh(score: FloatArray, law: FloatArray) -> None:
    """Write P = w / sum w, shape (N,)."""
    top, total = score[0], 0.0
    for j in range(1, len(score)):
        top = max(top, score[j])
    for j in range(len(score)):
        law[j] = 1.0 if score[j] == top else math.exp(score[j] - top)
        total += law[j]
    for j in range(len(score)):
        law[j] /= total


@leaf
def mix(law: FloatArray, advice: FloatArray, c: int, gamma: float, action_law: FloatArray) -> None:
    """Write Q = (1 - gamma) sum_j P(j) mu^j + gamma / K, shape (K,), for the advice of context c.

    Here and below all contexts are passed, and c: a slice would be counted as a reference to the array in every
    round, and threads would wait for each other's counts.
    """
    _, n, k = advice.shape
    least = gamma / k
    for i in range(k):
        mixed = 0.0
        for j in range(n):
            mixed += law[j] * advice[c, j, i]
        action_law[i] = (1.0 - gamma) * mixed + least  # line 6 of Algorithm 6, 9 of Algorithm 2


@leaf
def credit(estimate: FloatArray, advice: FloatArray, c: int, arm: int, value: float) -> None:
    """Add value * mu^j(arm) to every expert's estimated loss."""
    for j in range(len(estimate)):
        estimate[j] += value * advice[c, j, arm]


@leaf
def _regret(action_law: FloatArray, losses: FloatArray, advice: FloatArray, c: int, best: int) -> float:
    """Expected loss of a round under Q less that of the best expert."""
    total = 0.0
    for i in range(len(action_law)):
        total += (action_law[i] - advice[c, best, i]) * losses[c, i]
    return total


@kernel
def play_local(score: FloatArray, game: Game, start: int, stop: int, rng: Generator) -> float:
    """Algorithm 6: rounds `start` to `stop` - 1; return the regret."""
    advice, losses, drawn, eta, gamma, noise, best = game
    period, n, k = advice.shape
    law, action_law, estimate = np.empty(n), np.empty(k), np.empty(n)
    regret = 0.0
    for t in range(start, stop):
        c = t % period  # line 4
        weigh(score, law)  # line 5
        mix(law, advice, c, gamma, action_law)  # line 6
        regret += _regret(action_law, losses, advice, c, best)
        arm = draw(action_law, rng.random())  # line 7
        loss = losses[c, arm]
        if drawn:
            loss = 1.0 if rng.random() < loss else 0.0
        estimate[:] = 0.0
        credit(estimate, advice, c, arm, (loss + laplace(rng, noise)) / action_law[arm])  # lines 8-10
        for j in range(n):
            score[j] -= eta * estimate[j]  # line 11
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

    Advice (1, N, K) is the same in every round; losses have shape (rounds, K). `everyone` puts noise on every
    expert's estimate (Algorithm 2) instead of on the loss (Algorithm 6). Codes are numbers to the base K.
    """
    _, n, k = advice.shape
    score, law, estimate, action_law = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(k)
    for r in range(len(codes)):
        score[:] = 0.0
        code = 0
        for t in range(len(losses)):
            weigh(score, law)  # line 5 of Algorithm 6, 7 of Algorithm 2
            mix(law, advice, 0, gamma, action_law)  # line 6, line 9
            arm = draw(action_law, rng.random())  # line 7, line 10
            code = k * code + arm
            loss = losses[t, arm] + (0.0 if everyone else laplace(rng, noise))
            estimate[:] = 0.0
            credit(estimate, advice, 0, arm, loss / action_law[arm])  # lines 8-10, line 11
            for j in range(n):  # line 11, lines 14-15
                score[j] -= eta * (estimate[j] + (laplace(rng, noise) if everyone else 0.0))
        codes[r] = code


@leaf
def play_batched(
    score: FloatArray,
    law: FloatArray,
    action_law: FloatArray,
    estimate: FloatArray,
    game: Game,
    start: int,
    stop: int,
    rng: Generator,
) -> float:
    """Algorithm 2: one batch, rounds `start` to `stop` - 1, at a cost that does not depend on their number.

    Within a context the plays are multinomial, and an action's summed loss is binomial in its plays. The
    scratch arrays are the experts' distribution (N,), the actions' distribution (K,) and the estimates (N,).
    """
    advice, losses, drawn, eta, gamma, noise, best = game
    period, n, k = advice.shape
    regret, size = 0.0, stop - start
    weigh(score, law)  # line 7
    estimate[:] = 0.0
    for c in range(period):  # line 4
        left = (stop - c + period - 1) // period - (start - c + period - 1) // period  # rounds of this context
        mix(law, advice, c, gamma, action_law)  # line 9
        regret += left * _regret(action_law, losses, advice, c, best)
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
                credit(estimate, advice, c, i, total / (action_law[i] * size))  # line 11
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
    law, action_law, estimate = score.copy(), game.losses[0].copy(), score.copy()
    regret = 0.0
    while start < stop:
        end = min(start + tau, stop)  # lines 5, 12
        regret += play_batched(score, law, action_law, estimate, game, start, end, rng)
        if gaussian > 0.0:
            for j in range(len(score)):
                score[j] -= game.eta * gaussian * rng.standard_normal()  # in the place of lines 14-15
        start = end  # line 16
    return regret
