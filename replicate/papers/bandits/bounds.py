"""The right-hand sides of the paper's statements.

K = n_actions, N = n_experts, T = horizon, lambda = noise_scale, L = log(1 / delta); logarithms are natural.
Every function says which constants it holds: the paper's, or the ones that the proof's displayed sum supports.

Arguments are numbers or arrays of them that broadcast, and so is the result: K and N in [2, 1e40], T in [1, 1e40],
epsilon in [1e-40, 1], noise_scale in [0, 1e40], delta one number in (0, 1). Anything else is a ValueError that
names the argument.
"""

from __future__ import annotations

import math
from typing import SupportsFloat

import numpy as np
from numpy.typing import ArrayLike

from replicate import validation
from replicate.validation import FloatArray

_LARGEST = 1e40
_LARGEST_LOSS = 1e100


def _array(name: str, value: ArrayLike, *, low: float, high: float = _LARGEST) -> FloatArray:
    """Return `value` as floats in [`low`, `high`], of any shape."""
    return validation.numbers(name, value, ndim=None, low=low, high=high)


def _epsilon(value: ArrayLike) -> FloatArray:
    return _array("epsilon", value, low=1 / _LARGEST, high=1)


def _horizon(value: ArrayLike) -> FloatArray:
    return _array("horizon", value, low=1)


def _actions(value: ArrayLike) -> FloatArray:
    return _array("n_actions", value, low=2)


def _experts(value: ArrayLike) -> FloatArray:
    return _array("n_experts", value, low=2)


def _scale(value: ArrayLike) -> FloatArray:
    return _array("noise_scale", value, low=0)


def _log_delta(value: SupportsFloat) -> float:
    """Return L = log(1 / delta)."""
    delta = validation.positive("delta", value, high=1)
    if delta == 1:
        raise ValueError(f"delta must be in (0, 1), got {value!r}")
    return math.log(1 / delta)


def _small_rate(name: str, value: SupportsFloat) -> float:
    return validation.real(name, value, low=1 / _LARGEST, high=_LARGEST)


def _table(losses: ArrayLike) -> FloatArray:
    """Return losses up to 1e100 in size, shape (T, K), K >= 2."""
    table = validation.numbers("losses", losses, ndim=2, min_last=2)
    if np.abs(table).max() > _LARGEST_LOSS:
        raise ValueError(f"losses must be at most {_LARGEST_LOSS:g} in size, got {float(np.abs(table).max())!r}")
    return table


# Algorithm 1


def theorem_1(base_regret: ArrayLike, *, batch_size: int) -> FloatArray:
    """Theorem 1: R <= tau R~(T / tau, K, 1 / (epsilon tau)) + tau.

    Parameters
    ----------
    base_regret
        Worst regret R~ of the base learner on noisy losses, from 0 to 1e40, any shape.
    batch_size
        Rounds in a batch, tau.

    Examples
    --------
    >>> float(theorem_1(50.0, batch_size=10))
    510.0
    """
    tau = validation.count("batch_size", batch_size)
    return np.asarray(tau * _array("base_regret", base_regret, low=0) + tau)  # Theorem 1


def theorem_21(*, n_actions: ArrayLike, sigma: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Theorem 21 at alpha = 2: HTINF's regret <= 30 sigma sqrt(K (T + 1)) when E[loss^2] <= sigma^2.

    Parameters
    ----------
    sigma
        Root of the second moment, in [0, 1e41].

    Examples
    --------
    >>> float(theorem_21(n_actions=2, sigma=1.0, horizon=49))
    300.0
    """
    k, t = _actions(n_actions), _horizon(horizon)
    return np.asarray(30 * _array("sigma", sigma, low=0, high=10 * _LARGEST) * np.sqrt(k * (t + 1)))  # Theorem 21


def noisy_htinf(*, n_actions: ArrayLike, noise_scale: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Proof of Corollary 2: R~ <= 30 sqrt((2 + 4 lambda^2) K (T + 1)), sigma^2 = 2 + 4 lambda^2.

    Examples
    --------
    >>> round(float(noisy_htinf(n_actions=2, noise_scale=1.0, horizon=1000)))
    3288
    """
    # (loss + Z)^2 is at most 2 loss^2 + 2 Z^2, and E Z^2 = 2 lambda^2
    sigma = np.sqrt(2 + 4 * _scale(noise_scale) ** 2)
    return theorem_21(n_actions=n_actions, sigma=sigma, horizon=horizon)


def corollary_2(*, n_actions: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Corollary 2 (proof): 208 sqrt(T K / epsilon) + 2 / epsilon; 60 sqrt 12 = 207.85 is what the proof gives.

    Examples
    --------
    >>> float(corollary_2(n_actions=2, epsilon=0.5, horizon=10_000))
    41604.0
    """
    k, eps, t = _actions(n_actions), _epsilon(epsilon), _horizon(horizon)
    return np.asarray(208 * np.sqrt(t * k / eps) + 2 / eps)  # Corollary 2


def corollary_8(*, n_experts: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Corollary 8: 208 sqrt(T N / epsilon) + 2 / epsilon, Corollary 2 with experts for actions.

    Examples
    --------
    >>> float(corollary_8(n_experts=2, epsilon=0.5, horizon=10_000))
    41604.0
    """
    return corollary_2(n_actions=_experts(n_experts), epsilon=epsilon, horizon=horizon)


def noisy_exp3(*, n_actions: ArrayLike, noise_scale: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Proof of Corollary 22: R~ <= 2 sqrt(2 T K log K (1 + 10 max(lambda^2, lambda) log^2 K T)) + 1.

    Examples
    --------
    >>> round(float(noisy_exp3(n_actions=2, noise_scale=0.0, horizon=1000)), 2)
    106.31
    """
    k, t, scale = _actions(n_actions), _horizon(horizon), _scale(noise_scale)
    inner = 1 + 10 * np.maximum(scale**2, scale) * np.log(k * t) ** 2
    return np.asarray(2 * np.sqrt(2 * t * k * np.log(k) * inner) + 1)


def per_round_exp3(*, n_actions: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """EXP3 with Laplace(1 / epsilon) on every loss (Table 1, prior work): `noisy_exp3` at lambda = 1 / epsilon.

    Examples
    --------
    >>> round(float(per_round_exp3(n_actions=2, epsilon=0.1, horizon=10_000)))
    104296
    """
    return noisy_exp3(n_actions=n_actions, noise_scale=1 / _epsilon(epsilon), horizon=horizon)


def corollary_22(*, n_actions: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Corollary 22: 36 sqrt(T K log K) log(K T) / sqrt(epsilon) + 4 / epsilon.

    Examples
    --------
    >>> round(float(corollary_22(n_actions=2, epsilon=1.0, horizon=10**6)))
    614979
    """
    k, eps, t = _actions(n_actions), _epsilon(epsilon), _horizon(horizon)
    return np.asarray(36 * np.sqrt(t * k * np.log(k) / eps) * np.log(k * t) + 4 / eps)  # Corollary 22


def lemma_25(*, n_actions: ArrayLike, noise_scale: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Lemma 25 as printed: 11 lambda sqrt(K T) log K log(K T) + 10 sqrt(K T).

    Examples
    --------
    >>> float(lemma_25(n_actions=2, noise_scale=0.0, horizon=50))
    100.0
    """
    k, t, scale = _actions(n_actions), _horizon(horizon), _scale(noise_scale)
    return np.asarray(np.sqrt(k * t) * (11 * scale * np.log(k) * np.log(k * t) + 10))  # Lemma 25


def lemma_25_chain(*, n_actions: ArrayLike, noise_scale: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """The sum that the proof of Lemma 25 displays, at its eta and M = ceil sqrt(K T).

    6 log K / eta + 4 eta S + K T / (e M) + 1, where S = K T (1 + 10 lambda^2 log^2 K T) and
    eta = min(sqrt(log K / S), 1 / (M (1 + 4 lambda log T))).

    Examples
    --------
    >>> round(float(lemma_25_chain(n_actions=2, noise_scale=1.0, horizon=10**6)))
    543244
    """
    k, t, scale = _actions(n_actions), _horizon(horizon), _scale(noise_scale)
    pulls, most = k * t, np.ceil(np.sqrt(k * t))
    spread = pulls * (1 + 10 * (scale * np.log(pulls)) ** 2)
    eta = np.minimum(np.sqrt(np.log(k) / spread), 1 / (most * (1 + 4 * scale * np.log(t))))
    return np.asarray(6 * np.log(k) / eta + 4 * eta * spread + pulls / (np.e * most) + 1)


def corollary_24(*, n_actions: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Corollary 24 as printed: 32 sqrt(K T) log K log(K T) / sqrt(epsilon) + 2 / epsilon.

    Examples
    --------
    >>> round(float(corollary_24(n_actions=2, epsilon=1.0, horizon=10**6)))
    455113
    """
    k, eps, t = _actions(n_actions), _epsilon(epsilon), _horizon(horizon)
    return np.asarray(32 * np.sqrt(k * t / eps) * np.log(k) * np.log(k * t) + 2 / eps)  # Corollary 24


def corollary_24_chain(*, n_actions: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Theorem 1 over `lemma_25_chain`: (2 / epsilon) R~(epsilon T, K, 1) + 2 / epsilon, for epsilon T >= 1.

    Examples
    --------
    >>> round(float(corollary_24_chain(n_actions=2, epsilon=1.0, horizon=10**6)))
    1086489
    """
    eps, t = _epsilon(epsilon), _horizon(horizon)
    if (eps * t < 1).any():
        raise ValueError(f"epsilon and horizon must have a product of at least 1, got {epsilon!r}, {horizon!r}")
    # Theorem 1 with tau <= 2 / epsilon and lambda = 1
    return np.asarray(2 / eps * (lemma_25_chain(n_actions=n_actions, noise_scale=1.0, horizon=eps * t) + 1))


# Expert advice


def theorem_9(*, n_actions: ArrayLike, n_experts: ArrayLike, epsilon: ArrayLike, horizon: ArrayLike) -> FloatArray:
    """Theorem 9 (proof): 16 sqrt(T K log N) log(K T) / epsilon + 1.

    Examples
    --------
    >>> round(float(theorem_9(n_actions=2, n_experts=10, epsilon=1.0, horizon=10**6)))
    498162
    """
    k, n, eps, t = _actions(n_actions), _experts(n_experts), _epsilon(epsilon), _horizon(horizon)
    return np.asarray(16 * np.sqrt(t * k * np.log(n)) * np.log(k * t) / eps + 1)  # Theorem 9


def theorem_10_terms(
    *, n_actions: ArrayLike, n_experts: ArrayLike, epsilon: ArrayLike, delta: float, horizon: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return the two terms of Theorem 10's proof, without constants.

    U = (N L)^(1/6) sqrt K (log(N T) log N)^(1/3) T^(2/3) / epsilon^(1/3) and
    V = (N L)^(1/3) sqrt K (log(N T) log N)^(2/3) T^(1/3) / epsilon^(2/3).

    Examples
    --------
    >>> u, v = theorem_10_terms(n_actions=2, n_experts=10, epsilon=1.0, delta=1e-6, horizon=10**9)
    >>> round(float(u)), round(float(v))
    (12079620, 103179)
    """
    k, n, eps, t = _actions(n_actions), _experts(n_experts), _epsilon(epsilon), _horizon(horizon)
    spread = (n * _log_delta(delta)) ** (1 / 6)
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

    Examples
    --------
    >>> round(float(theorem_10(n_actions=2, n_experts=10, epsilon=1.0, delta=1e-6, horizon=10**9)), -4)
    1148800000.0
    """
    u, v = theorem_10_terms(
        n_actions=n_actions, n_experts=n_experts, epsilon=epsilon, delta=delta, horizon=horizon
    )
    return np.asarray(95 * u + 12 * v)


def theorem_10_printed(
    *, n_actions: ArrayLike, n_experts: ArrayLike, epsilon: ArrayLike, delta: float, horizon: ArrayLike
) -> FloatArray:
    """Theorem 10 with the constants its proof prints: 100 U + sqrt(N L) log(N T) log N / epsilon.

    Examples
    --------
    >>> round(float(theorem_10_printed(n_actions=2, n_experts=10, epsilon=1.0, delta=1e-6, horizon=10**9)), -4)
    1207960000.0
    """
    u, v = theorem_10_terms(
        n_actions=n_actions, n_experts=n_experts, epsilon=epsilon, delta=delta, horizon=horizon
    )
    # V^2 / (U sqrt K) = sqrt(N L) log(N T) log N / epsilon
    return np.asarray(100 * u + v**2 / (u * np.sqrt(_actions(n_actions))))


def theorem_10_chain(
    *,
    n_actions: int,
    n_experts: int,
    epsilon: float,
    delta: float,
    horizon: float,
    learning_rate: float,
    mixing: float,
    batch: float,
) -> float:
    """Proof of Theorem 10, before its tuning is put in.

    3 tau log N / eta + gamma T + eta T K + 90 eta T N K^2 L log^2(N T) / (epsilon gamma tau)^2.

    Parameters
    ----------
    n_actions, n_experts, epsilon, delta, horizon
        One number each.
    learning_rate
        eta, in [1e-40, 1e40].
    mixing
        gamma, in [1e-40, 1].
    batch
        tau, a real number in [1, 1e40].

    Examples
    --------
    >>> common = {"n_actions": 2, "n_experts": 10, "epsilon": 1.0, "delta": 1e-6, "horizon": 10**9}
    >>> round(theorem_10_chain(**common, learning_rate=0.01, mixing=0.1, batch=10**5))
    191714496
    """
    k, n = (
        validation.real(a, v, low=2, high=_LARGEST)
        for a, v in (("n_actions", n_actions), ("n_experts", n_experts))
    )
    eps = validation.real("epsilon", epsilon, low=1 / _LARGEST, high=1)
    t, tau = (validation.real(a, v, low=1, high=_LARGEST) for a, v in (("horizon", horizon), ("batch", batch)))
    eta = _small_rate("learning_rate", learning_rate)
    gamma = validation.real("mixing", mixing, low=1 / _LARGEST, high=1)
    noise = 90 * eta * t * n * _log_delta(delta)
    noise *= (k * math.log(n * t) / (eps * gamma * tau)) ** 2
    return float(3 * tau * math.log(n) / eta + gamma * t + eta * t * k + noise)


# Lemmas


def lemma_11(*, fraction: float, delay: float, pulls: float, epsilon: float, horizon: float) -> float:
    """Lemma 11: max(gamma T / 4, (1 - e^(epsilon p) / 2) p / (4 gamma) - tau / 2).

    The maximum over the two instances of the lemma is at least this.

    Parameters
    ----------
    fraction
        gamma, the fraction of rounds that play the bad action, in [1e-40, 1].
    delay, pulls
        tau and p, in rounds, in [0, 1e40].
    epsilon, horizon
        Privacy level in [1e-40, 1e40] and T.

    Examples
    --------
    >>> lemma_11(fraction=0.001, delay=100, pulls=0.5, epsilon=1.0, horizon=4000)
    1.0
    """
    gamma = validation.real("fraction", fraction, low=1 / _LARGEST, high=1)
    tau, p = (validation.real(a, v, low=0, high=_LARGEST) for a, v in (("delay", delay), ("pulls", pulls)))
    eps, t = _small_rate("epsilon", epsilon), validation.real("horizon", horizon, low=1, high=_LARGEST)
    improved = (1 - math.exp(min(eps * p, 1.0)) / 2) * p / (4 * gamma) - tau / 2  # negative from eps p = log 2 on
    return max(gamma * t / 4, improved)


def lemma_20(*, size: ArrayLike, horizon: ArrayLike, factor: float = 10.0) -> FloatArray:
    """Exact probability of Lemma 20.

    That one of T vectors of `size` N has largest entry^2 >= factor lambda^2 log^2(N T). With n = N T
    variables, abs(Z) / lambda exponential, it is 1 - (1 - n^(-sqrt factor))^n.

    Parameters
    ----------
    size, horizon
        N in [1, 1e40] and T.
    factor
        The lemma's 10, in [0, 1e6].

    Examples
    --------
    >>> float(lemma_20(size=10, horizon=100)) < 1 / 100
    True
    """
    n = _array("size", size, low=1) * _horizon(horizon)
    power = math.sqrt(validation.real("factor", factor, low=0, high=1e6))
    # 1 keeps its digits where a draw is hardly ever so large; the cap avoids log 0 at n = 1
    return np.asarray(-np.expm1(n * np.log1p(-np.minimum(n**-power, 1 - 1e-16))))


def lemma_23(losses: ArrayLike, *, learning_rate: float, mixing: float) -> float:
    """Lemma 23: regret of EXP3 <= 2 gamma T + log K / eta + eta sum of squares.

    True for losses in [-1, 1]; as printed, for real losses, it is false: see `lemma_23_mixing`.

    Parameters
    ----------
    losses
        Shape (T, K), K >= 2, up to 1e100 in size.
    learning_rate, mixing
        eta in [1e-40, 1e40] and gamma in [0, 1].

    Examples
    --------
    >>> round(lemma_23([[0.0, 1.0]] * 100, learning_rate=0.1, mixing=0.1), 2)
    36.93
    """
    table = _table(losses)
    return 2 * validation.real("mixing", mixing, low=0, high=1) * len(table) + _second_order(table, learning_rate)


def lemma_23_mixing(losses: ArrayLike, *, learning_rate: float, mixing: float) -> float:
    """Lemma 23 for all real losses: its mixing cost is gamma sum_t (mean_i loss_t(i) - loss_t(i*)).

    Lemma 26 for the unmixed distribution q on the estimates: E[q . loss] - loss(i*) sums to at most
    log K / eta + eta / (1 - gamma) sum of squares, because q_i / P_i <= 1 / (1 - gamma). And
    P . loss = (1 - gamma) q . loss + gamma mean loss.

    Parameters
    ----------
    losses, learning_rate, mixing
        As for `lemma_23`.

    Examples
    --------
    >>> round(lemma_23_mixing([[0.0, 1.0]] * 100, learning_rate=0.1, mixing=0.1), 2)
    21.93
    """
    table = _table(losses)
    total = table.sum(axis=0)
    cost = validation.real("mixing", mixing, low=0, high=1) * (total.mean() - total.min())
    return float(cost) + _second_order(table, learning_rate)


def _second_order(table: FloatArray, learning_rate: float) -> float:
    """Return log K / eta + eta times the sum of the squares of all losses."""
    eta = _small_rate("learning_rate", learning_rate)
    return float(np.log(table.shape[1]) / eta + eta * (table**2).sum())


def lemma_26(losses: ArrayLike, laws: ArrayLike, *, learning_rate: float) -> float:
    """Lemma 26: regret <= log N / eta + eta sum_t sum_j P_t(j) loss_t(j)^2.

    Parameters
    ----------
    losses
        Shape (T, N), N >= 2, up to 1e100 in size.
    laws
        P_t, the same shape, each row a distribution.
    learning_rate
        eta in [1e-40, 1e40].

    Examples
    --------
    >>> round(lemma_26([[0.0, 1.0]], [[0.5, 0.5]], learning_rate=0.5), 3)
    1.636
    """
    table, law = _table(losses), validation.probabilities("laws", laws, ndim=2)
    if table.shape != law.shape:
        raise ValueError(f"losses and laws must have the same shape (T, N), got {table.shape} and {law.shape}")
    eta = _small_rate("learning_rate", learning_rate)
    return float(np.log(table.shape[1]) / eta + eta * (law * table**2).sum())  # Lemma 26
