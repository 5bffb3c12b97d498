"""The statements at one point of their ranges: exact, in milliseconds."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from replicate import audit
from replicate.claims import EXACT, Evidence
from replicate.mechanisms import vector_noise
from replicate.papers.bandits import bounds, lemmas
from replicate.papers.bandits.privacy import exact


def sequence_privacy(epsilon: float, noise_divisor: float = 1.0) -> Evidence:
    """Lemma 3 over the base learner that says as much as it can: four rounds, batches of two, all 0/1 tables."""
    law = partial(exact.switch_law, batch=2, scale=1 / (2 * epsilon * noise_divisor), threshold=1.0)
    loss = audit.exhaustive_privacy_loss(law, n_rounds=4, n_actions=2)
    return Evidence(measured=loss, limit=epsilon * (1 + 1e-6) + EXACT)


def local_channel(epsilon: float, noise_divisor: float = 1.0) -> Evidence:
    """Laplace noise on one loss: log ratio of the densities of a released -1 after losses 0 and 1."""
    scale = 1 / (epsilon * noise_divisor)
    return Evidence(measured=(abs(-1 - 1.0) - abs(-1 - 0.0)) / scale, limit=epsilon * (1 + EXACT))


def truncated_mean(loss: float, cut: float, noise_scale: float) -> Evidence:
    """Lemma 19: E[X 1(X > M)] over E[-X 1(X < -M)], X = loss + Laplace noise."""
    if cut >= loss:
        above = 0.5 * math.exp(-(cut - loss) / noise_scale) * (cut + noise_scale)
    else:
        above = loss - 0.5 * math.exp(-(loss - cut) / noise_scale) * (cut - noise_scale)
    below = 0.5 * math.exp(-(cut + loss) / noise_scale) * (cut + noise_scale)
    return Evidence(measured=above, limit=below * (1 - EXACT), relation=">=")


def lemma_20(n_experts: float, horizon: float, factor: float = 10.0) -> Evidence:
    """The smallest factor for Lemma 20's 10."""
    value = float(lemmas.lemma_20_factor(size=np.array([n_experts]), horizon=np.array([horizon]))[0])
    return Evidence(measured=value, limit=factor)


def noise_of_batches(n_experts: float, batches: float, factor: float = 10.0) -> Evidence:
    """P(E) times T / tau just below `batches` + 1."""
    value = float(bounds.lemma_20(size=n_experts, horizon=batches, factor=factor)) * (batches + 1)
    return Evidence(measured=value, limit=1.0)


def informative_theorem_10(n_actions: int, share: float, constant: float = 95.1) -> Evidence:
    """(95 U + 12 V) / U at U = `share` T / 100, V = U^2 / (T sqrt K)."""
    return Evidence(measured=95 + 12 * share / (100 * math.sqrt(n_actions)), limit=constant)


def corollary_22_sum(n_actions: float, margin: float, constant: float = 24.6) -> Evidence:
    """Corollary 22's coefficient with no term dropped, at epsilon T = margin * (16 / 22) K log K."""
    k, n = n_actions, margin * 16 / 22 * n_actions * math.log(n_actions)
    log = math.log(k * n)
    eta = math.sqrt(math.log(k) / (22 * k * n * log**2))
    total = 8 * eta * k * n * log + math.log(k) / eta + 2 * eta * n * k * (1 + 10 * log**2)
    return Evidence(measured=2 * total / (math.sqrt(n * k * math.log(k)) * log), limit=constant)


def root_of_lemma_11(
    epsilon: float, exponent: float, mixing: float, delay: float, divisor: float = 16.0
) -> Evidence:
    """Lemma 11's maximum against its root at p = `exponent` / epsilon, T = 10^6 / epsilon."""
    p, horizon, room = exponent / epsilon, 1e6 / epsilon, 1 - math.exp(exponent) / 2
    lemma = bounds.lemma_11(fraction=mixing, delay=delay, pulls=p, epsilon=epsilon, horizon=horizon) + delay / 2
    root = math.sqrt(p * horizon * room / divisor)
    return Evidence(measured=lemma, limit=root * (1 - EXACT), relation=">=")


def second_moment(loss: float, noise_scale: float, coefficient: float = 2.0) -> Evidence:
    """E (loss + Laplace noise)^2 = loss^2 + 2 scale^2 against 1 + coefficient scale^2."""
    measured = loss**2 + 2 * noise_scale**2
    return Evidence(measured=measured, limit=(1 + coefficient * noise_scale**2) * (1 + EXACT))


def gaussian_private(epsilon: float, delta: float, noise_divisor: float = 1.0) -> Evidence:
    """Exact delta of a Gaussian vector at the noise that Algorithm 2 improved draws."""
    scale = vector_noise.gaussian_scale(epsilon=epsilon, delta=delta) / noise_divisor
    share = float(np.asarray(vector_noise.gaussian_delta(scale, epsilon=epsilon))) / delta
    return Evidence(measured=share, limit=1 + 1e-6)
