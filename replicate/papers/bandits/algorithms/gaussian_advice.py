"""Algorithm 2 with Gaussian noise: a better private EXP4 in batches, of our own."""

from __future__ import annotations

import math

import numpy as np

from replicate.learners.pseudo_regret import replicated
from replicate.mechanisms.vector_noise import gaussian_scale
from replicate.papers.bandits.algorithms.advice import Exp4Tuning, ExpertProblem
from replicate.papers.bandits.algorithms.advice_kernels import play_all_batched
from replicate.validation import FloatArray


def tune(*, n_actions: int, n_experts: int, epsilon: float, delta: float, horizon: int) -> Exp4Tuning:
    """Return the tuning of `bound`, from B = N s^2, s = `vector_noise.gaussian_scale`.

    eta = B^(1/6) log^(1/3)(N) / (sqrt K T^(1/3)), tau = ceil(eta^2 K T / log N),
    gamma = max((2 eta B K^2 / tau^2)^(1/3), 2 eta K sqrt(B log(N T)) / tau), noise sqrt(B) K / (gamma tau).
    """
    k, n, t = n_actions, n_experts, horizon
    b = n * gaussian_scale(epsilon=epsilon, delta=delta) ** 2
    eta = b ** (1 / 6) * math.log(n) ** (1 / 3) / (math.sqrt(k) * t ** (1 / 3))
    tau = math.ceil(eta**2 * k * t / math.log(n))
    least = 2 * eta * k * math.sqrt(b * math.log(n * t)) / tau
    # the first balances gamma T with the noise's part, the second keeps eta sigma sqrt(log N T) at 1/2
    gamma = max((2 * eta * b * k**2 / tau**2) ** (1 / 3), least)
    if not (gamma <= 1 and eta <= math.log(n) and tau <= t):
        raise ValueError(f"horizon must be longer for this tuning, got {horizon}")
    return Exp4Tuning(eta, gamma, tau, math.sqrt(b) * k / (gamma * tau))


def bound(tuned: Exp4Tuning, *, n_actions: int, n_experts: int, horizon: int) -> float:
    """Return 3 tau log N / eta + gamma T + eta K T + eta T sigma^2, which limits the regret.

    Theorem. Algorithm 2 with N(0, sigma^2) in the place of its Laplace noise, sigma = s sqrt(N) K / (gamma tau),
    is (epsilon, delta)-DP. If eta <= log N and gamma >= 2 eta K s sqrt(N log(N T)) / tau, its regret is at most
    this; with `tune` and N s^2 T >= 4,913 log N (tau >= 17) at most

        6 U + 2 sqrt(log(N T)) V,

    B = N s^2, U = B^(1/6) sqrt K log^(1/3)(N) T^(2/3), V = B^(1/3) sqrt K log^(2/3)(N) T^(1/3).
    The factor log^(1/3)(N T) of Theorem 10's U is gone, and 95 is 6.

    Proof: theorem "gaussian-advice" of reports/theorems.md.
    """
    eta, tau = tuned.learning_rate, tuned.batch
    total = 3 * tau * math.log(n_experts) / eta + tuned.mixing * horizon + eta * n_actions * horizon
    return total + eta * horizon * tuned.noise**2


def regrets(
    problem: ExpertProblem, tuned: Exp4Tuning, *, horizon: int, replicates: int, rng: np.random.Generator
) -> FloatArray:
    """Pseudo-regrets after the horizon, shape (replicates,): the kernel of Algorithm 2, the noise added here."""
    return np.array(replicated(lambda g: _play(problem, tuned, horizon, g), replicates, rng))


def _play(problem: ExpertProblem, tuned: Exp4Tuning, horizon: int, rng: np.random.Generator) -> float:
    """Play one replicate to the end."""
    score, best = np.zeros(problem.advice.shape[1]), int(problem.mean_sums(0, horizon).argmin())
    fixed = (problem.advice, problem.losses, problem.drawn, tuned.learning_rate, tuned.mixing, 0.0, best)
    return float(play_all_batched(score, *fixed, 0, horizon, tuned.batch, rng, tuned.noise))
