"""The statements at one point of their ranges: exact, in milliseconds."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from replicate import audit
from replicate.claims import EXACT, Evidence
from replicate.mechanisms import vector_noise
from replicate.papers.bandits import bounds, lemmas
from replicate.papers.bandits import privacy as exact
from replicate.papers.bandits.experiments import regret as experiments


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


def hidden_arm(horizon: int, n_actions: int) -> Evidence:
    """Least regret of any bandit learner, one random arm of K losing 0 and all others 1, against (3 T - 1) / 4.

    t plays meet the good arm with probability at most t / K, and K is at least 2 T.
    """
    regret = horizon - horizon * (horizon + 1) / (2 * n_actions)
    return Evidence(measured=regret, limit=(3 * horizon - 1) / 4 * (1 - EXACT), relation=">=")


def lemma_15_for_theorem_10(epsilon: float, delta: float) -> Evidence:
    """Epsilon that Lemma 15 gives for N releases at epsilon / (3 sqrt(N L)), L = log(1 / delta): N cancels."""
    return Evidence(measured=epsilon**2 / (6 * math.log(1 / delta)) + math.sqrt(6) / 3 * epsilon, limit=epsilon)


def proof_of_theorem_10(n_actions: int, n_experts: int, epsilon: float, delta: float, horizon: int) -> Evidence:
    """The proof's bound at the corrected tuning, or T where this says nothing, against 95 U + 12 V."""
    sizes: dict[str, Any] = {
        "n_actions": n_actions, "n_experts": n_experts, "epsilon": epsilon, "delta": delta, "horizon": horizon,
    }  # fmt: skip
    u, v = (float(term) for term in bounds.theorem_10_terms(**sizes))
    stated = 95 * u + 12 * v
    chain = experiments.proof_of_theorem_10("corrected", **sizes) if stated < horizon else horizon
    return Evidence(measured=chain, limit=stated)


def mixing(n_actions: int, n_experts: int, epsilon: float, margin: float) -> Evidence:
    """The mixings of Corollary 22 and Theorem 9 at `margin` times the least T at which they are at most 1."""
    k, log_n = n_actions, math.log(n_experts)
    rounds = margin * 16 / 22 * k * math.log(k)  # epsilon T
    log = math.log(k * rounds)
    corollary = 4 * k * log * math.sqrt(math.log(k) / (22 * k * rounds * log**2))
    horizon = max(margin * 16 / 30 * k * log_n, 1.0)
    log = math.log(k * horizon)
    theorem = 4 * k * log / epsilon * math.sqrt(log_n / (3 * horizon * k * (1 + 10 * log**2 / epsilon**2)))
    return Evidence(measured=max(corollary, theorem), limit=1 + EXACT)


def dropped_term(n_actions: int, horizon: float) -> Evidence:
    """The dropped 8 eta K T log(KT) at lambda = 1 over the bound on the noisy regret, against 1 / (5 log KT)."""
    log = math.log(n_actions * horizon)
    eta = math.sqrt(math.log(n_actions) / (2 * horizon * n_actions * (1 + 10 * log**2)))
    stated = float(bounds.noisy_exp3(n_actions=n_actions, noise_scale=1.0, horizon=horizon))
    return Evidence(measured=8 * eta * n_actions * horizon * log / stated, limit=1 / (5 * log))


def step_of_lemma_25(exponent: float, horizon: float, noise_scale: float) -> Evidence:
    """Eta M (1 + sqrt 10 lambda log KT) at the printed second value of eta, K = T^exponent, against 1.256."""
    log = math.log(horizon)
    value = (1 + math.sqrt(10) * noise_scale * (1 + exponent) * log) / (1 + 4 * noise_scale * log)
    return Evidence(measured=value, limit=1.256)


def signed_estimate(estimate: float, lead: float) -> Evidence:
    """L^ (P - P') against |l^| P (exp(eta |l^|) - 1), two arms under Laplace(1 / eta) noise, in units of 1 / eta.

    P and P' are the chances of the arm before and after its estimated loss rises by `estimate`.
    """

    def chance(behind: float) -> float:
        tail = math.exp(-abs(behind)) * (2 + abs(behind)) / 4
        return tail if behind > 0 else 1 - tail

    before, after = chance(lead), chance(lead + estimate)
    right = abs(estimate) * before * math.expm1(abs(estimate))
    return Evidence(measured=estimate * (before - after), limit=right * (1 + EXACT))


def hedge_rate(n_actions: float, epsilon: float) -> Evidence:
    """Hedge's regret at eta = epsilon / sqrt T over log K / eta, losses (0, 1, ..., 1), large T."""
    log_k = math.log(n_actions)
    root = math.ceil(4 * log_k / epsilon)
    odds = epsilon / root * np.arange(root**2) - math.log(n_actions - 1)
    regret = float((1 / (1 + np.exp(np.minimum(odds, 700)))).sum())
    return Evidence(measured=regret * epsilon / (root * log_k), limit=0.9, relation=">=")
