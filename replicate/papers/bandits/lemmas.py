"""Exact quantities inside the proofs: small games of EXP3 and of multiplicative weights by enumeration."""

from __future__ import annotations

import numpy as np

from replicate.papers.bandits import bounds
from replicate.papers.bandits.algorithms import kernels, tuning
from replicate.streams import stream
from replicate.validation import FloatArray

__all__ = ["exp3_game", "simulated_resamples"]


def exp3_game(losses: FloatArray, *, learning_rate: float, mixing: float) -> tuple[float, float]:
    """Exact expected regret of EXP3 by enumeration of all action sequences, and the largest eta (-estimate).

    Losses are any real numbers, shape (T, K): K**T sequences.
    """
    k = losses.shape[1]
    weights, mass, paid, worst = np.zeros((1, k)), np.ones(1), 0.0, 0.0
    for row in losses:
        law = np.exp(weights - weights.max(axis=1, keepdims=True))
        law = (1 - mixing) * law / law.sum(axis=1, keepdims=True) + mixing / k
        paid += float(mass @ (law @ row))
        estimate = row / law
        worst = max(worst, float((-learning_rate * estimate).max()))
        weights = (weights[:, None, :] - learning_rate * estimate[:, :, None] * np.eye(k)).reshape(-1, k)
        mass = (mass[:, None] * law).ravel()
    return paid - float(losses.sum(axis=0).min()), worst


def _weights_game(losses: FloatArray, eta: float) -> tuple[float, float]:
    """Regret of multiplicative weights on losses (T, N), and Lemma 26's bound."""
    score = -eta * np.vstack([np.zeros(losses.shape[1]), np.cumsum(losses, axis=0)[:-1]])
    law = np.exp(score - score.max(axis=1, keepdims=True))
    law /= law.sum(axis=1, keepdims=True)
    regret = float((law * losses).sum() - losses.sum(axis=0).min())
    return regret, bounds.lemma_26(losses, law, learning_rate=eta)


def simulated_resamples(printed: bool, arm: int, draws: int, seed: int) -> FloatArray:
    """Draw the resample counts of `estimate_bias`'s state from the kernel, shape (draws,)."""
    plan = tuning.ftpl(learning_rate=0.1, resamples=1000, printed=printed)
    rng, state = stream(seed, "bandits/resamples", printed, arm), kernels.fresh_state(kernels.FTPL, 2)
    state[kernels.SCORE] = [0.0, 40.0]
    return np.array([kernels.resamples(state, plan.setting, arm, rng) for _ in range(draws)], dtype=float)
