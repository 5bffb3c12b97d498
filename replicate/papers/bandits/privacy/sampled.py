"""Audits of the learners on small worst cases: the exact law of their first actions, and samples of the learners.

Every learner is private for every learning rate: its noise alone protects the losses. It is audited where it
tells most: at learning rates so large that the second action says whether a noisy loss was above a threshold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from replicate import audit, certify
from replicate.papers.bandits.algorithms import advice_kernels, kernels, tuning
from replicate.streams import stream
from replicate.validation import FloatArray

__all__ = [
    "AUDITED",
    "EPSILON",
    "Audited",
    "certified",
    "exact_law",
    "exact_loss",
    "exp3_law",
    "results",
    "sample",
]

EPSILON = 0.5
_SHARP, _SIGMA = 60.0, 0.02
"""Learning rate of EXP3, FTPL and EXP4, and HTINF's sigma, under audit."""
_DELTA = 1e-6
_RUNS = {"quick": 10**5, "full": 10**6}


@dataclass(frozen=True, eq=False)
class Audited:
    """A learner under audit, two actions, released: the actions of its first two batches.

    Attributes
    ----------
    name, plan
        The learner, and its base with its noise.
    batch
        Rounds in a batch: a neighbour moves a batch mean by 1 / batch.
    experts
        ``""`` for a learner over actions, ``"local"`` and ``"batched"`` for Algorithms 6 and 2 over two experts
        that name an action each, ``"meta"`` for Algorithm 5 over two experts with blurred advice.
    delta
        The delta of the claim.
    too_little
        Divisor of the noise in the control.
    """

    name: str
    plan: tuning.Plan
    batch: int
    experts: str = ""
    delta: float = 0.0
    too_little: float = 4.0


def _private(kind: tuning.Plan, batch: int) -> tuning.Plan:
    return tuning.Plan(kind.kind, kind.setting, batch, 1 / (batch * EPSILON))


def _sharp_exp3(mixing: float = 0.0) -> tuning.Plan:
    return tuning.exp3(learning_rate=_SHARP, mixing=mixing, n_actions=2)


_MIXING = 0.3
_EXP4_NOISE = 3 * 2 * math.sqrt(2 * math.log(1 / _DELTA)) / (_MIXING * EPSILON)
"""Scale of Algorithm 2's noise at N = K = 2, gamma = 0.3, tau = 1."""

AUDITED = {
    "htinf": Audited("Algorithm 1, HTINF", _private(tuning.htinf(sigma=_SIGMA, threshold=math.inf), 2), 2),
    "exp3": Audited("Algorithm 1, EXP3", _private(_sharp_exp3(), 2), 2),
    "ftpl": Audited("Algorithm 1, FTPL", _private(tuning.ftpl(learning_rate=_SHARP, resamples=10), 2), 2),
    "per_round_exp3": Audited("EXP3, noise every round", _private(_sharp_exp3(), 1), 1),
    "local_exp4": Audited("Algorithm 6", _private(_sharp_exp3(), 1), 1, "local"),
    "batched_exp4": Audited(
        "Algorithm 2",
        tuning.Plan(kernels.EXP3, _sharp_exp3(_MIXING).setting, 1, _EXP4_NOISE),
        1,
        "batched",
        _DELTA,
        1000.0,
    ),
    "experts": Audited("Algorithm 5 over 1, EXP3", _private(_sharp_exp3(), 2), 2, "meta"),
}
"""The learners with their own noise."""

_BLURRED = np.array([[0.95, 0.05], [0.05, 0.95]])
"""Advice of Algorithm 5's two experts in every round."""


# Exact laws


def _switch(plan: tuning.Plan, seen: FloatArray) -> FloatArray:
    """P(second action differs from the first | noisy loss of the first), K = 2, written from the listings."""
    setting = plan.setting
    if plan.kind == kernels.EXP3:
        with np.errstate(over="ignore"):
            other = 1 / (1 + np.exp(-setting[0] * seen / 0.5))
        return np.asarray((1 - setting[1]) * other + setting[1] / 2)
    if plan.kind == kernels.FTPL:
        counts = np.arange(1, int(setting[1]) + 1)
        weights = 0.5 ** np.minimum(counts, setting[1] - 1)
        return np.asarray(sum(w * _leads(setting[0] * seen * m) for w, m in zip(weights, counts, strict=True)))
    score = np.where(np.abs(seen) <= setting[1] * math.sqrt(0.5) * setting[0], seen / 0.5, 0.0)
    y = np.abs(score) / (setting[0] * math.sqrt(2))
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


def _noise_grid(plan: tuning.Plan, factor: float, mean: float, doubled: bool) -> tuple[FloatArray, FloatArray]:
    """Noisy losses and their probabilities; `doubled` for the difference of two experts' noise."""
    z = np.linspace(-40, 40, 80_001)
    density = np.exp(-np.abs(z)) * (1 + np.abs(z)) / 4 if doubled else np.exp(-np.abs(z)) / 2
    return mean + z * plan.noise / factor, density / density.sum()


def exact_law(learner: Audited, mean: float, *, factor: float = 1.0) -> FloatArray:
    """Law of the first two actions when the first batch's mean loss is `mean`, noise divided by `factor`.

    By quadrature over the noise. For Algorithm 2 an estimate is the loss over the action's probability 1/2,
    and its two experts' noises enter by their difference.

    Returns
    -------
    Probabilities of the pairs (0, 0), (0, 1), (1, 0), (1, 1).
    """
    batched = learner.experts == "batched"
    x, weights = _noise_grid(learner.plan, factor, 2 * mean if batched else mean, batched)
    moved = float(weights @ _switch(learner.plan, x / 2 if batched else x))
    pairs = np.array([1 - moved, moved, moved, 1 - moved]) / 2
    if learner.experts != "meta":
        return pairs
    blurred = np.kron(_BLURRED, _BLURRED)
    return np.asarray(pairs @ blurred)


@cache
def exact_loss(learner: Audited, *, factor: float = 1.0) -> tuple[float, float]:
    """Worst privacy loss over all neighbouring first batches, and the mean loss at which it is met."""
    means = np.linspace(0, 1, learner.batch + 1)
    laws = [exact_law(learner, float(mean), factor=factor) for mean in means]
    losses = [float(audit.privacy_loss(laws[i], laws[i + 1])) for i in range(learner.batch)]
    worst = int(np.argmax(losses))
    return losses[worst], float(means[worst])


# Samples


def sample(
    learner: Audited,
    mean: float,
    runs: int,
    rng: np.random.Generator,
    *,
    factor: float = 1.0,
    chosen: bool = False,
) -> ArrayLike:
    """Draw `runs` pairs of first actions, as numbers from 0 to 3, from the learner's own step functions.

    With ``chosen`` Algorithm 5 releases the experts it chose instead of the actions.
    """
    codes, seen = np.empty(runs, dtype=np.int64), np.full((2, 2), mean)
    plan, noise = learner.plan, learner.plan.noise / factor
    if learner.experts in ("local", "batched"):
        everyone = learner.experts == "batched"
        advice_kernels.sample_actions(np.eye(2), seen, _SHARP, plan.setting[1], noise, everyone, codes, rng)
        return codes
    kernels.sample_actions(plan.kind, kernels.fresh_state(plan.kind, 2), plan.setting, seen, noise, codes, rng)
    if learner.experts != "meta" or chosen:
        return codes
    strays = rng.random((2, runs)) >= _BLURRED[0, 0]
    return codes ^ (2 * strays[0] + strays[1])


@cache
def certified(name: str, profile: str, seed: int, *, factor: float = 1.0) -> float:
    """Lower limit on a learner's epsilon, from runs on the worst pair of neighbouring tables."""
    learner = AUDITED[name]
    mean = exact_loss(learner, factor=factor)[1]
    pair = [partial(_drawn, learner, m, factor) for m in (mean, mean + 1 / learner.batch)]
    rng = stream(seed, "bandits/audit", name, factor)
    return audit.certified_privacy_loss(
        *pair, samples=_RUNS[profile], delta=learner.delta, false_alarm=certify.share(len(AUDITED)), rng=rng
    )


def _drawn(learner: Audited, mean: float, factor: float, runs: int, rng: np.random.Generator) -> ArrayLike:
    return sample(learner, mean, runs, rng, factor=factor)


def results(profile: str, seed: int) -> pd.DataFrame:
    """Exact and certified losses of every learner, with its own noise and with too little, over epsilon."""
    rows = []
    for name, learner in AUDITED.items():
        row = {"learner": name, "name": learner.name, "divisor": learner.too_little}
        for kind, factor in (("own", 1.0), ("less", learner.too_little)):
            row |= {
                f"exact_{kind}": exact_loss(learner, factor=factor)[0] / EPSILON,
                f"certified_{kind}": certified(name, profile, seed, factor=factor) / EPSILON,
            }
        rows.append(row)
    return pd.DataFrame(rows)


# EXP3 without noise


def exp3_law(losses: ArrayLike, *, learning_rate: float, mixing: float) -> FloatArray:
    """Law of all action sequences of EXP3 without noise on a table (T, K): K**T probabilities."""
    table = np.asarray(losses, dtype=np.float64)
    k = table.shape[1]
    score, mass = np.zeros((1, k)), np.ones(1)
    for row in table:
        law = np.exp(score - score.max(axis=1, keepdims=True))
        law = (1 - mixing) * law / law.sum(axis=1, keepdims=True) + mixing / k
        score = (score[:, None, :] - learning_rate * (row / law)[:, :, None] * np.eye(k)).reshape(-1, k)
        mass = (mass[:, None] * law).ravel()
    return mass
