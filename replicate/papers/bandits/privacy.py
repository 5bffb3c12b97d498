"""The learners under audit, exact laws of their actions and of tiny instances, and limits certified from samples.

Every learner is private for every learning rate: its noise alone protects the losses. It is audited where its
actions say most: at learning rates so large that the second action says whether a noisy loss was above a
threshold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from replicate import audit, certify
from replicate.budget import cache
from replicate.papers.bandits.algorithms import advice_kernels, kernels, simulation
from replicate.profiles import with_more
from replicate.streams import stream
from replicate.validation import FloatArray, IntArray

EPSILON = 0.5
SHARP = 60.0
"""Learning rate of EXP3, FTPL and EXP4 under audit."""
_SIGMA = 0.02
_DELTA = 1e-6
_MIXING = 0.3
_EXP4_NOISE = 3 * 2 * math.sqrt(2 * math.log(1 / _DELTA)) / (_MIXING * EPSILON)
"""Scale of Algorithm 2's noise at N = K = 2, gamma = 0.3, tau = 1."""

BLURRED = np.array([[0.95, 0.05], [0.05, 0.95]])
"""Advice of Algorithm 5's two experts in every round."""


@dataclass(frozen=True, eq=False)
class Audited:
    """A learner under audit, two actions, released: the actions of its first two batches.

    Attributes
    ----------
    name, plan
        The learner, and its base with its batches and its noise: a neighbour moves a batch mean by 1 / batch.
    algorithm
        1 for a learner over actions, 2 and 6 over two experts that name an action each, 5 over two experts with
        blurred advice.
    delta
        The delta of the claim.
    reduction
        Divisor of the noise with which samples show too large a privacy loss.
    """

    name: str
    plan: simulation.Plan
    algorithm: int = 1
    delta: float = 0.0
    reduction: float = 4.0


def _private(base: simulation.Plan, batch: int) -> simulation.Plan:
    return replace(base, batch=batch, noise=1 / (batch * EPSILON))


_EXP3 = simulation.exp3(learning_rate=SHARP, mixing=0.0, n_actions=2)
_MIXED_EXP3 = simulation.exp3(learning_rate=SHARP, mixing=_MIXING, n_actions=2)

AUDITED = {
    "htinf": Audited("Algorithm 1, HTINF", _private(simulation.htinf(sigma=_SIGMA, threshold=math.inf), 2)),
    "exp3": Audited("Algorithm 1, EXP3", _private(_EXP3, 2)),
    "ftpl": Audited("Algorithm 1, FTPL", _private(simulation.ftpl(learning_rate=SHARP, resamples=10), 2)),
    "per_round_exp3": Audited("EXP3, noise every round", _private(_EXP3, 1)),
    "local_exp4": Audited("Algorithm 6", _private(_EXP3, 1), 6),
    "batched_exp4": Audited("Algorithm 2", replace(_MIXED_EXP3, noise=_EXP4_NOISE), 2, _DELTA, 1000.0),
    "experts": Audited("Algorithm 5 over 1, EXP3", _private(_EXP3, 2), 5),
}


def laplace_tail(x: ArrayLike, scale: float) -> FloatArray:
    """P(Z > x) for Z Laplace(scale)."""
    y = np.asarray(x, dtype=np.float64) / scale
    return np.where(y > 0, 0.5 * np.exp(-np.abs(y)), 1 - 0.5 * np.exp(-np.abs(y)))


def switch_law(losses: ArrayLike, *, batch: int, scale: float, threshold: float) -> FloatArray:
    """Distribution of Algorithm 1's actions over a base learner whose actions say as much as they can.

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
    """Distribution of Algorithm 5's actions, batch size 1, over the base learner of `switch_law` with two experts.

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
    # the distribution of two arms is ((y + v)^-2, v^-2); v^-2 lies between 1 and 1/2
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


RUNS = with_more({"quick": 2 * 10**5, "full": 4 * 10**5})

Released = Literal["actions", "chosen experts"]


def sample(
    learner: Audited,
    mean: float,
    runs: int,
    rng: np.random.Generator,
    *,
    noise_divisor: float = 1.0,
    released: Released = "actions",
) -> IntArray:
    """Draw `runs` pairs of first actions, as numbers from 0 to 3, from the learner's own step functions.

    Algorithm 5 may release the experts that it chose instead of the actions.
    """
    codes, seen = np.empty(runs, dtype=np.int64), np.full((2, 2), mean)
    plan, noise = learner.plan, learner.plan.noise / noise_divisor
    if learner.algorithm in (2, 6):
        everyone, mixing = learner.algorithm == 2, plan.setting[kernels.MIXING]
        advice_kernels.sample_actions(np.eye(2)[None], seen, SHARP, mixing, noise, everyone, codes, rng)
        return codes
    kernels.sample_actions(plan.kind, kernels.fresh_state(plan.kind, 2), plan.setting, seen, noise, codes, rng)
    if learner.algorithm != 5 or released == "chosen experts":
        return codes
    strays = rng.random((2, runs)) >= BLURRED[0, 0]
    return codes ^ (2 * strays[0] + strays[1])


@cache
def certified(
    name: str, profile: str, seed: int, *, noise_divisor: float = 1.0, score: audit.Score = "fitted"
) -> float:
    """Lower limit on a learner's epsilon, from runs on the worst pair of neighbouring tables."""
    learner = AUDITED[name]
    mean = exact_loss(learner, noise_divisor=noise_divisor)[1]
    pair = [
        partial(sample, learner, m, noise_divisor=noise_divisor) for m in (mean, mean + 1 / learner.plan.batch)
    ]
    rng = stream(seed, "bandits/audit", name, noise_divisor)
    return audit.certified_privacy_loss(
        *pair, samples=RUNS[profile], delta=learner.delta, false_alarm=certify.share(len(AUDITED)), rng=rng,
        score=score,
    )  # fmt: skip
