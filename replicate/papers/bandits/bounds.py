"""The right-hand sides of the paper's statements.

K = n_actions, N = n_experts, T = horizon, lambda = noise_scale, L = log(1 / delta). Arguments broadcast.
Functions say which constants they hold: the paper's, or the ones its displayed chain supports.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from replicate import validation
from replicate.validation import FloatArray

__all__ = [
    "corollary_2",
    "corollary_8",
    "corollary_22",
    "corollary_24",
    "corollary_24_chain",
    "lemma_11",
    "lemma_20",
    "lemma_23",
    "lemma_23_mixing",
    "lemma_25",
    "lemma_25_chain",
    "lemma_26",
    "noisy_exp3",
    "noisy_htinf",
    "per_round_exp3",
    "theorem_1",
    "theorem_9",
    "theorem_9_chain",
    "theorem_10",
    "theorem_10_chain",
    "theorem_10_printed",
    "theorem_10_terms",
    "theorem_21",
]


def _number(name: str, value: ArrayLike, *, low: float, high: float = np.inf) -> FloatArray:
    """Return `value` as floats in [`low`, `high`]."""
    array = np.asarray(value, dtype=np.float64)
    if not (np.isfinite(array) & (array >= low) & (array <= high)).all():
        raise ValueError(f"{name} must be finite and in [{low:g}, {high:g}], got {value!r}")
    return array


def _epsilon(value: ArrayLike) -> FloatArray:
    array = _number("epsilon", value, low=0, high=1)
    if (array == 0).any():
        raise ValueError(f"epsilon must be in (0, 1], got {value!r}")
    return array


def _horizon(value: ArrayLike) -> FloatArray:
    return _number("horizon", value, low=1)


def _sizes(name: str, value: ArrayLike) -> FloatArray:
    return _number(name, value, low=2)


def theorem_1(base_regret: ArrayLike, *, batch_size: int) -> FloatArray:
    """Theorem 1: R <= tau R~(T / tau, K, 1 / (epsilon tau)) + tau."""
    return np.asarray(batch_size * np.asarray(base_regret, dtype=np.float64) + batch_size)


def theorem_21(*, n_actions: ArrayLike, sigma: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Theorem 21 at alpha = 2: HTINF's regret <= 30 sigma sqrt(K (T + 1)) when E[loss^2] <= sigma^2."""
    k, t = _sizes("n_actions", n_actions), _horizon(horizon)
    return np.asarray(30 * _number("sigma", sigma, low=0) * np.sqrt(k * (t + 1)))


def noisy_htinf(*, n_actions: ArrayLike, noise_scale: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Proof of Corollary 2: R~ <= 30 sqrt((2 + 4 lambda^2) K (T + 1)), sigma^2 = 2 + 4 lambda^2."""
    sigma = np.sqrt(2 + 4 * _number("noise_scale", noise_scale, low=0) ** 2)
    return theorem_21(n_actions=n_actions, sigma=sigma, horizon=horizon)


def corollary_2(*, n_actions: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Corollary 2 (proof): 208 sqrt(T K / epsilon) + 2 / epsilon; 60 sqrt 12 = 207.85 is what the proof gives."""
    k, eps, t = _sizes("n_actions", n_actions), _epsilon(epsilon), _horizon(horizon)
    return np.asarray(208 * np.sqrt(t * k / eps) + 2 / eps)


def corollary_8(*, n_experts: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Corollary 8: 208 sqrt(T N / epsilon) + 2 / epsilon, Corollary 2 with experts for actions."""
    return corollary_2(n_actions=n_experts, epsilon=epsilon, horizon=horizon)


def noisy_exp3(*, n_actions: ArrayLike, noise_scale: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Proof of Corollary 22: R~ <= 2 sqrt(2 T K log K (1 + 10 max(lambda^2, lambda) log^2 K T)) + 1."""
    k, t, scale = _sizes("n_actions", n_actions), _horizon(horizon), _number("noise_scale", noise_scale, low=0)
    inner = 1 + 10 * np.maximum(scale**2, scale) * np.log(k * t) ** 2
    return np.asarray(2 * np.sqrt(2 * t * k * np.log(k) * inner) + 1)


def per_round_exp3(*, n_actions: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """EXP3 with Laplace(1 / epsilon) on every loss (Table 1, prior work): `noisy_exp3` at lambda = 1 / epsilon."""
    return noisy_exp3(n_actions=n_actions, noise_scale=1 / _epsilon(epsilon), horizon=horizon)


def corollary_22(*, n_actions: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Corollary 22: 36 sqrt(T K log K) log(K T) / sqrt(epsilon) + 4 / epsilon."""
    k, eps, t = _sizes("n_actions", n_actions), _epsilon(epsilon), _horizon(horizon)
    return np.asarray(36 * np.sqrt(t * k * np.log(k) / eps) * np.log(k * t) + 4 / eps)


def lemma_23(losses: ArrayLike, *, learning_rate: float, mixing: float) -> float:
    """Lemma 23: regret of EXP3 <= 2 gamma T + log K / eta + eta sum of squares; losses (T, K).

    True for losses in [-1, 1]; as printed, for real losses, it is false: see `lemma_23_mixing`.
    """
    table = validation.numbers("losses", losses, ndim=2, min_last=2)
    rounds, k = table.shape
    return float(2 * mixing * rounds + np.log(k) / learning_rate + learning_rate * (table**2).sum())


def lemma_23_mixing(losses: ArrayLike, *, learning_rate: float, mixing: float) -> float:
    """Lemma 23 for all real losses: its mixing cost is gamma sum_t (mean_i loss_t(i) - loss_t(i*)).

    Lemma 26 for the unmixed law q on the estimates: E[q . loss] - loss(i*) sums to at most
    log K / eta + eta / (1 - gamma) sum of squares, because q_i / P_i <= 1 / (1 - gamma). And
    P . loss = (1 - gamma) q . loss + gamma mean loss.
    """
    table = validation.numbers("losses", losses, ndim=2, min_last=2)
    total = table.sum(axis=0)
    k = len(total)
    return float(
        mixing * (total.mean() - total.min()) + np.log(k) / learning_rate + learning_rate * (table**2).sum()
    )


def lemma_25(*, n_actions: ArrayLike, noise_scale: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Lemma 25 as printed: 11 lambda sqrt(K T) log K log(K T) + 10 sqrt(K T)."""
    k, t, scale = _sizes("n_actions", n_actions), _horizon(horizon), _number("noise_scale", noise_scale, low=0)
    return np.asarray(np.sqrt(k * t) * (11 * scale * np.log(k) * np.log(k * t) + 10))


def lemma_25_chain(*, n_actions: ArrayLike, noise_scale: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """What the proof of Lemma 25 displays, at its eta and M = ceil sqrt(K T).

    6 log K / eta + 4 eta S + K T / (e M) + 1, where S = K T (1 + 10 lambda^2 log^2 K T) and
    eta = min(sqrt(log K / S), 1 / (M (1 + 4 lambda log T))).
    """
    k, t, scale = _sizes("n_actions", n_actions), _horizon(horizon), _number("noise_scale", noise_scale, low=0)
    pulls, most = k * t, np.ceil(np.sqrt(k * t))
    spread = pulls * (1 + 10 * (scale * np.log(pulls)) ** 2)
    eta = np.minimum(np.sqrt(np.log(k) / spread), 1 / (most * (1 + 4 * scale * np.log(t))))
    return np.asarray(6 * np.log(k) / eta + 4 * eta * spread + pulls / (np.e * most) + 1)


def corollary_24(*, n_actions: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Corollary 24 as printed: 32 sqrt(K T) log K log(K T) / sqrt(epsilon) + 2 / epsilon."""
    k, eps, t = _sizes("n_actions", n_actions), _epsilon(epsilon), _horizon(horizon)
    return np.asarray(32 * np.sqrt(k * t / eps) * np.log(k) * np.log(k * t) + 2 / eps)


def corollary_24_chain(*, n_actions: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Theorem 1 over `lemma_25_chain`: (2 / epsilon) R~(epsilon T, K, 1) + 2 / epsilon."""
    eps, t = _epsilon(epsilon), _horizon(horizon)
    return np.asarray(2 / eps * (lemma_25_chain(n_actions=n_actions, noise_scale=1.0, horizon=eps * t) + 1))


def lemma_26(losses: ArrayLike, laws: ArrayLike, *, learning_rate: float) -> float:
    """Lemma 26: regret <= log N / eta + eta sum_t sum_j P_t(j) loss_t(j)^2; losses and laws have shape (T, N)."""
    table, law = np.asarray(losses, dtype=np.float64), np.asarray(laws, dtype=np.float64)
    return float(np.log(table.shape[1]) / learning_rate + learning_rate * (law * table**2).sum())


def theorem_9(*, n_actions: ArrayLike, n_experts: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Theorem 9 (proof): 16 sqrt(T K log N) log(K T) / epsilon + 1."""
    k, n = _sizes("n_actions", n_actions), _sizes("n_experts", n_experts)
    eps, t = _epsilon(epsilon), _horizon(horizon)
    return np.asarray(16 * np.sqrt(t * k * np.log(n)) * np.log(k * t) / eps + 1)


def theorem_9_chain(
    *, n_actions: ArrayLike, n_experts: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike
) -> FloatArray:
    """Proof of Theorem 9, before rounding: 2 sqrt(3 T K log N (1 + 10 log^2(K T) / epsilon^2)) + 1."""
    k, n = _sizes("n_actions", n_actions), _sizes("n_experts", n_experts)
    eps, t = _epsilon(epsilon), _horizon(horizon)
    return np.asarray(2 * np.sqrt(3 * t * k * np.log(n) * (1 + 10 * (np.log(k * t) / eps) ** 2)) + 1)


def theorem_10_terms(
    *, n_actions: ArrayLike, n_experts: ArrayLike, epsilon: ArrayLike, delta: float, horizon: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return the two terms of Theorem 10's proof, without constants.

    U = (N L)^(1/6) sqrt K (log(N T) log N)^(1/3) T^(2/3) / epsilon^(1/3) and
    V = (N L)^(1/3) sqrt K (log(N T) log N)^(2/3) T^(1/3) / epsilon^(2/3).
    """
    k, n = _sizes("n_actions", n_actions), _sizes("n_experts", n_experts)
    eps, t = _epsilon(epsilon), _horizon(horizon)
    spread = (n * np.log(1 / validation.positive("delta", delta, high=1))) ** (1 / 6)
    log = (np.log(n * t) * np.log(n) / eps) ** (1 / 3)
    return (
        np.asarray(spread * np.sqrt(k) * log * t ** (2 / 3)),
        np.asarray(spread**2 * np.sqrt(k) * log**2 * t ** (1 / 3)),
    )


def theorem_10(
    *, n_actions: ArrayLike, n_experts: ArrayLike, epsilon: ArrayLike, delta: float, horizon: ArrayLike
) -> FloatArray:
    """Theorem 10 with the constants its proof supports: 95 U + 12 V.

    At the paper's eta and tau, tau log N / eta = eta K T = U and gamma = max(eta K, 12 V / T), so
    `theorem_10_chain` is 3 U + max(U, 12 V) + U + 90 U at most.
    """
    u, v = theorem_10_terms(
        n_actions=n_actions, n_experts=n_experts, epsilon=epsilon, delta=delta, horizon=horizon
    )
    return np.asarray(95 * u + 12 * v)


def theorem_10_printed(
    *, n_actions: ArrayLike, n_experts: ArrayLike, epsilon: ArrayLike, delta: float, horizon: ArrayLike
) -> FloatArray:
    """Theorem 10 with the constants its proof prints: 100 U + sqrt(N L) log(N T) log N / epsilon."""
    u, v = theorem_10_terms(
        n_actions=n_actions, n_experts=n_experts, epsilon=epsilon, delta=delta, horizon=horizon
    )
    return np.asarray(100 * u + v**2 / (u * np.sqrt(_sizes("n_actions", n_actions))))


def theorem_10_chain(
    *,
    n_actions: int,
    n_experts: int,
    epsilon: float,
    delta: float,
    horizon: int,
    learning_rate: float,
    mixing: float,
    batch: float,
) -> float:
    """Proof of Theorem 10, before its tuning is put in.

    3 tau log N / eta + gamma T + eta T K + 90 eta T N K^2 L log^2(N T) / (epsilon gamma tau)^2.
    """
    log_delta = np.log(1 / validation.positive("delta", delta, high=1))
    noise = 90 * learning_rate * horizon * n_experts * log_delta
    noise *= (n_actions * np.log(n_experts * horizon) / (epsilon * mixing * batch)) ** 2
    weights = 3 * batch * np.log(n_experts) / learning_rate
    return float(weights + mixing * horizon + learning_rate * horizon * n_actions + noise)


def lemma_11(*, fraction: float, delay: float, pulls: float, epsilon: float, horizon: float) -> float:
    """Lemma 11: max(gamma T / 4, (1 - e^(epsilon p) / 2) p / (4 gamma) - tau / 2).

    gamma = `fraction` of rounds that play the bad action, tau = `delay`, p = `pulls`. The maximum over the
    two instances of the lemma is at least this.
    """
    drop = (1 - np.exp(epsilon * pulls) / 2) * pulls / (4 * fraction) - delay / 2
    return float(max(fraction * horizon / 4, drop))


def lemma_20(*, size: ArrayLike, horizon: ArrayLike, factor: float = 10.0) -> FloatArray:
    """Exact probability of Lemma 20.

    That one of T vectors of `size` N has largest entry^2 >= factor lambda^2 log^2(N T). With n = N T
    variables, abs(Z) / lambda exponential, it is 1 - (1 - n^(-sqrt factor))^n.
    """
    n = np.asarray(size, dtype=np.float64) * np.asarray(horizon, dtype=np.float64)
    return np.asarray(-np.expm1(n * np.log1p(-np.minimum(n ** -np.sqrt(factor), 1 - 1e-16))))
