"""Exact output laws: of tiny instances, of EXP3 without noise, and of the audited learners; Lemma 15."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from replicate import audit
from replicate.budget import cache
from replicate.papers.bandits.algorithms import kernels
from replicate.papers.bandits.privacy.audited import BLURRED, Audited
from replicate.validation import FloatArray


def laplace_tail(x: ArrayLike, scale: float) -> FloatArray:
    """P(Z > x) for Z Laplace(scale)."""
    y = np.asarray(x, dtype=np.float64) / scale
    return np.where(y > 0, 0.5 * np.exp(-np.abs(y)), 1 - 0.5 * np.exp(-np.abs(y)))


def switch_law(losses: ArrayLike, *, batch: int, scale: float, threshold: float) -> FloatArray:
    """Law of Algorithm 1's actions over a base learner whose actions say as much as they can.

    The base learner starts with action 0 and changes it whenever the noisy batch mean exceeds `threshold`.
    A threshold above every mean makes each switch e^epsilon times as likely after a batch of losses 1 as
    after one whose mean is 1 / tau less.

    Parameters
    ----------
    losses
        Shape (T, 2), T a multiple of `batch`.
    batch, scale, threshold
        tau, the noise's scale, the base learner's threshold.

    Returns
    -------
    Probabilities of the 2^(T / tau) sequences of switches; they determine the actions, and include the
    decision that the last batch leads to.
    """
    means = np.asarray(losses, dtype=np.float64).reshape(-1, batch, 2).mean(axis=1)
    law = []
    for switches in product((False, True), repeat=len(means)):
        action, probability = 0, 1.0
        for mean, switch in zip(means, switches, strict=True):
            moved = float(laplace_tail(threshold - mean[action], scale))
            probability *= moved if switch else 1 - moved
            action ^= switch
        law.append(probability)
    return np.array(law)


def advised_switch_law(losses: ArrayLike, advice: ArrayLike, *, scale: float, threshold: float) -> FloatArray:
    """Law of Algorithm 5's actions, batch size 1, over the base learner of `switch_law` with two experts.

    Parameters
    ----------
    losses, advice
        Shapes (T, 2) and (T + 1, 2, 2): the advice of round T + 1 turns the last decision into an action.

    Returns
    -------
    Probabilities of the 2^(T + 1) sequences of actions.
    """
    table, mixture = np.asarray(losses, dtype=np.float64), np.asarray(advice, dtype=np.float64)
    moved = laplace_tail(threshold - table, scale)
    law = []
    for actions in product((0, 1), repeat=len(table) + 1):
        state = np.array([1.0, 0.0])
        for t, action in enumerate(actions):
            state = state * mixture[t, :, action]
            if t < len(table):
                stay = 1 - moved[t, action]
                state = stay * state + (1 - stay) * state[::-1]
        law.append(state.sum())
    return np.array(law)


def advanced_composition(*, n: ArrayLike, epsilon: ArrayLike, delta: ArrayLike) -> FloatArray:
    """Lemma 15 for n equal mechanisms: 3/2 n epsilon^2 + sqrt(6 n epsilon^2 log(1 / delta))."""
    square = np.asarray(n, dtype=np.float64) * np.asarray(epsilon, dtype=np.float64) ** 2
    return np.asarray(1.5 * square + np.sqrt(6 * square * np.log(1 / np.asarray(delta, dtype=np.float64))))


# The audited learners


def exact_law(learner: Audited, mean: float, *, noise_divisor: float = 1.0) -> FloatArray:
    """Law of the first two actions when the first batch's mean loss is `mean`, by quadrature over the noise.

    For Algorithm 2 an estimate is the loss over the action's probability 1/2, and its two experts' noises enter
    by their difference.

    Returns
    -------
    Probabilities of the pairs (0, 0), (0, 1), (1, 0), (1, 1).
    """
    scale = learner.plan.noise / noise_divisor
    z = np.linspace(-40, 40, 80_001)
    if learner.algorithm == 2:
        density, seen = np.exp(-np.abs(z)) * (1 + np.abs(z)) / 4, mean + z * scale / 2  # of the difference of two
    else:
        density, seen = np.exp(-np.abs(z)) / 2, mean + z * scale
    switch = {kernels.EXP3: _exp3_switch, kernels.FTPL: _ftpl_switch, kernels.HTINF: _htinf_switch}
    moved = float(density / density.sum() @ switch[learner.plan.kind](learner.plan.setting, seen))
    pairs = np.array([1 - moved, moved, moved, 1 - moved]) / 2  # the first action is uniform
    return np.asarray(pairs @ np.kron(BLURRED, BLURRED)) if learner.algorithm == 5 else pairs


# P(second action differs from the first | noisy loss of the first), K = 2, written from the listings


def _exp3_switch(setting: FloatArray, seen: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        # Algorithm 3, line 7: the first action had the probability 1/2
        other = 1 / (1 + np.exp(-setting[kernels.RATE] * seen / 0.5))
    return np.asarray((1 - setting[kernels.MIXING]) * other + setting[kernels.MIXING] / 2)


def _ftpl_switch(setting: FloatArray, seen: FloatArray) -> FloatArray:
    most = setting[kernels.RESAMPLES]
    counts = np.arange(1, int(most) + 1)
    # Algorithm 4, lines 8-13, at equal scores: m resamples with chance 2^-m, M with what is left
    weights = 0.5 ** np.minimum(counts, most - 1)
    return np.asarray(
        sum(w * _leads(setting[kernels.RATE] * seen * m) for w, m in zip(weights, counts, strict=True))
    )


def _htinf_switch(setting: FloatArray, seen: FloatArray) -> FloatArray:
    """Bisect for the root v of (y + v)^-2 + v^-2 = 1, y the score over sigma sqrt 2."""
    sigma = setting[kernels.SIGMA]
    skipped = np.abs(seen) > setting[kernels.THRESHOLD] * math.sqrt(0.5) * sigma
    score = np.where(skipped, 0.0, seen / 0.5)
    y = np.abs(score) / (sigma * math.sqrt(2))
    # the law of two arms is ((y + v)^-2, v^-2); v^-2 lies between 1 and 1/2
    low, high = np.ones_like(y), np.full_like(y, math.sqrt(2))
    for _ in range(30):
        v = (low + high) / 2
        above = (y + v) ** -2 + v**-2 > 1
        low, high = np.where(above, v, low), np.where(above, high, v)
    return np.asarray(np.where(score > 0, low**-2, 1 - low**-2))


def _leads(shift: FloatArray) -> FloatArray:
    """P(Z - Z' < shift) for two unit Laplace variables."""
    tail = np.exp(-np.abs(shift)) * (2 + np.abs(shift)) / 4
    return np.where(shift > 0, 1 - tail, tail)


@cache
def exact_loss(learner: Audited, *, noise_divisor: float = 1.0) -> tuple[float, float]:
    """Worst privacy loss over all neighbouring first batches, and the mean loss at which it is met."""
    batch = learner.plan.batch
    means = np.linspace(0, 1, batch + 1)
    laws = [exact_law(learner, float(mean), noise_divisor=noise_divisor) for mean in means]
    losses = [float(audit.privacy_loss(laws[i], laws[i + 1])) for i in range(batch)]
    worst = int(np.argmax(losses))
    return losses[worst], float(means[worst])
