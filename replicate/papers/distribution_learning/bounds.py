"""Every bound of the paper as a function, with its constants; and those the paper hides in an O( ).

All risks are in nats: sums over t of KL(f(x_t), p_hat_t). The ranges of the arguments are those of `simulate`:

=====================  ==========================================================
``n_hypotheses``       K, from 2 to 2**40
``n_labels``           M, from 1 to 10**9
``horizon``            T, from 2 to 2**59 (from 1 where that makes sense)
``epsilon``            privacy of one label, from 1e-6 to 50
``delta``              from 1e-100 to 0.5
=====================  ==========================================================

Every function raises a ValueError that names an argument outside its range.
"""

from __future__ import annotations

import numpy as np

from replicate import validation

__all__ = [
    "advanced_unit_scale",
    "exp3_regret",
    "hadamard_gap",
    "hadamard_horizon",
    "non_private",
    "printed_unit_scale",
    "randomized_response",
    "randomized_response_tv",
    "sample_size",
    "theorem_1_constant",
    "theorem_2_constant",
    "theorem_3",
    "theorem_4",
    "theorem_5",
    "theorem_6",
    "wma_regret",
]

LONGEST = 2**59
"""Largest horizon: up to here binomial counts are exact in law."""


def checked_hypotheses(n_hypotheses: int) -> int:
    """Return K, an integer from 2 to 2**40."""
    return validation.count("n_hypotheses", n_hypotheses, low=2, high=2**40)


def checked_horizon(horizon: int, *, low: int = 2) -> int:
    """Return T, an integer from `low` to 2**59."""
    return validation.count("horizon", horizon, low=low, high=LONGEST)


def checked_epsilon(epsilon: float) -> float:
    """Return epsilon, a number from 1e-6 to 50."""
    return validation.real("epsilon", epsilon, low=1e-6, high=50)


def checked_delta(delta: float | None) -> float:
    """Return delta, a number from 1e-100 to 0.5."""
    return validation.real("delta", np.nan if delta is None else delta, low=1e-100, high=0.5)


# Noise and tuning, shared with the algorithms


def printed_unit_scale(*, n_hypotheses: int, epsilon: float, delta: float) -> float:
    """Scale of the K Laplace noises of (8), in units of the sensitivity.

    (2 sqrt(2 K log(1/delta)) + sqrt(K epsilon))/epsilon; K may be 1 here.
    """
    k = validation.count("n_hypotheses", n_hypotheses, high=2**40)
    epsilon, delta = checked_epsilon(epsilon), checked_delta(delta)
    return float((2 * np.sqrt(2 * k * np.log(1 / delta)) + np.sqrt(k * epsilon)) / epsilon)


def advanced_unit_scale(*, n_hypotheses: int, epsilon: float, delta: float) -> float:
    """Smallest scale that Lemma 2 (advanced composition) allows K Laplace noises, in units of the sensitivity.

    The root b of K/(2 b^2) + sqrt(2 K log(1/delta))/b = epsilon; K may be 1 here.
    """
    k = validation.count("n_hypotheses", n_hypotheses, high=2**40)
    epsilon, delta = checked_epsilon(epsilon), checked_delta(delta)
    half = np.sqrt(2 * k * np.log(1 / delta))
    return float(k / (np.sqrt(half**2 + 2 * k * epsilon) - half))


def log_range(n_hypotheses: int, horizon: int, calibration: str) -> float:
    """Width R of the interval of log densities: log(KT) as printed after (7), log((K + 1) T) corrected."""
    validation.choice("calibration", calibration, ("printed", "corrected"))
    return float(np.log(n_hypotheses if calibration == "printed" else n_hypotheses + 1) + np.log(horizon))


def noise_limit(scale: float, n_hypotheses: int, horizon: int) -> float:
    """Limit c' of (9) and (13), gamma = log T: KT noises of that scale stay below it with probability 1 - 1/T."""
    return float(scale * (float(np.log(horizon)) + np.log(n_hypotheses) + np.log(horizon)))


def message_factor(log_range: float, limit: float) -> float:
    """Factor c of (9) and (13), 1/(R + 2 c'): brings messages into [0, 1]."""
    return float(1 / (log_range + 2 * limit))


# Regret of the two updates


def wma_regret(*, n_actions: int, horizon: int) -> float:
    """Lemmas 1 and 4: regret of weighted majority with losses in [0, 1], sqrt(2 T log K).

    `n_actions` is K, from 2 to 2**40; `horizon` may be 1.
    """
    k = validation.count("n_actions", n_actions, low=2, high=2**40)
    return float(np.sqrt(2 * checked_horizon(horizon, low=1) * np.log(k)))


def exp3_regret(*, n_actions: int, horizon: int) -> float:
    """Lemma 7: regret of weighted majority that sees one random coordinate a round, sqrt(2 T K log K).

    `n_actions` is K, from 2 to 2**40; `horizon` may be 1.
    """
    k = validation.count("n_actions", n_actions, low=2, high=2**40)
    return float(np.sqrt(2 * checked_horizon(horizon, low=1) * k * np.log(k)))


# Upper bounds of Algorithms 1 and 2


def _risk(regret: float, width: float, scale: float, k: int, t: int) -> float:
    """The proof of Theorem 4 with every constant: regret/c + 3 R + e^(-gamma) (T R + 3 R), R the log range.

    3 R: the two steps of (31) cost at most 2 R/T a round and -log(1 - 1/T), which over T rounds adds up to
    T log(T/(T - 1)) <= 2 log 2 <= R for T, K >= 2. Off the good event, of probability at most e^(-gamma), a
    round costs at most R + 3 R/T. `width` is R and `scale` that of the noise.
    """
    factor = message_factor(width, noise_limit(scale, k, t))
    return float(regret / factor + 3 * width + np.exp(-float(np.log(t))) * (t * width + 3 * width))


def theorem_4(
    *, n_hypotheses: int, horizon: int, epsilon: float, delta: float, calibration: str = "corrected"
) -> float:
    """Theorem 4, explicit: (1/c) sqrt(2 T log K) + 3 R + e^(-gamma) (T R + 3 R) with gamma = log T.

    R = log(KT) and c of (9) for ``calibration="printed"``, log((K + 1) T) throughout for ``"corrected"``.
    The number of labels does not enter.

    >>> round(theorem_4(n_hypotheses=4, horizon=10**12, epsilon=1.0, delta=0.01) / 10**12, 3)
    0.078
    """
    k, t = checked_hypotheses(n_hypotheses), checked_horizon(horizon)
    width = log_range(k, t, calibration)
    scale = width * printed_unit_scale(n_hypotheses=k, epsilon=epsilon, delta=delta)
    return _risk(wma_regret(n_actions=k, horizon=t), width, scale, k, t)


def theorem_5(*, n_hypotheses: int, horizon: int, epsilon: float, calibration: str = "corrected") -> float:
    """Theorem 5, explicit: (1/c_pdp) sqrt(2 T K log K) + 3 R + e^(-gamma) (T R + 3 R) with gamma = log T.

    R = log(KT) for ``calibration="printed"``, log((K + 1) T) for ``"corrected"``.

    >>> round(theorem_5(n_hypotheses=4, horizon=10**12, epsilon=1.0) / 10**12, 3)
    0.011
    """
    k, t = checked_hypotheses(n_hypotheses), checked_horizon(horizon)
    width = log_range(k, t, calibration)
    return _risk(exp3_regret(n_actions=k, horizon=t), width, width / checked_epsilon(epsilon), k, t)


def theorem_6(*, n_hypotheses: int, horizon: int, epsilon: float, calibration: str = "corrected") -> float:
    """Theorem 6, explicit: averaged total variation at most sqrt(Theorem 5 / (2 T)) (Pinsker, Cauchy-Schwarz)."""
    risk = theorem_5(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon, calibration=calibration)
    return float(np.sqrt(risk / (2 * int(horizon))))


def theorem_2_constant(*, n_hypotheses: int, horizon: int, epsilon: float, power: float = 5.0) -> float:
    """Theorem 5 over (1/epsilon) sqrt(K T log(KT)^power), the form of Theorem 2.

    `power` is a number from 0 to 20; 5 in the paper.
    """
    risk = theorem_5(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)
    product = float(n_hypotheses) * int(horizon)
    power = validation.real("power", power, low=0, high=20)
    return float(risk / (np.sqrt(product * np.log(product) ** power) / epsilon))


def sample_size(*, n_hypotheses: int, epsilon: float, accuracy: float) -> int:
    """T_alpha of Section 6: the smallest horizon at which Theorem 6 promises the accuracy, up to one part in 1e9.

    `accuracy` is alpha, the averaged total variation, in (0, 1].

    Raises
    ------
    ValueError
        If no horizon up to 2**59 is enough.
    """
    accuracy = validation.positive("accuracy", accuracy, high=1)

    def promise(horizon: int) -> float:
        return theorem_6(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)

    low, high = 2, LONGEST
    if promise(high) > accuracy:
        raise ValueError(
            f"accuracy must be at least {promise(high):.3g} for horizons up to 2**59, "
            f"n_hypotheses={n_hypotheses} and epsilon={epsilon:g}, got {accuracy!r}"
        )
    while high - low > max(1, high // 10**9):
        middle = (low + high) // 2
        low, high = (low, middle) if promise(middle) <= accuracy else (middle, high)
    return high


# Lower bounds


def _leverage(epsilon: float) -> float:
    """min{(e^eps - 1)^2, 1} e^eps of Theorem 3."""
    return float(min(np.expm1(epsilon) ** 2, 1.0) * np.exp(epsilon))


def hadamard_gap(*, n_pairs: int, horizon: int, epsilon: float) -> float:
    """The gap a of (16): sqrt(K/(9 T min{(e^eps - 1)^2, 1} e^eps)) for K = `n_pairs` pairs of distributions.

    `n_pairs` is an integer from 1 to 2**40; `horizon` may be 1.

    Raises
    ------
    ValueError
        If a > 1: the horizon is below `hadamard_horizon` and there is no such class.
    """
    needed, t = hadamard_horizon(n_pairs=n_pairs, epsilon=epsilon), checked_horizon(horizon, low=1)
    if t < needed:
        raise ValueError(
            f"horizon must be at least {needed} for n_pairs={n_pairs} and epsilon={epsilon:g}, "
            f"or the gap a of (16) exceeds 1, got {horizon}"
        )
    return min(float(np.sqrt(n_pairs / (9 * t * _leverage(epsilon)))), 1.0)


def hadamard_horizon(*, n_pairs: int, epsilon: float) -> int:
    """Smallest T at which the class of (16) exists: a <= 1; `n_pairs` from 1 to 2**40."""
    k = validation.count("n_pairs", n_pairs, high=2**40)
    return int(np.ceil(k / (9 * _leverage(checked_epsilon(epsilon))) * (1 - 1e-12)))


def theorem_3(*, n_pairs: int, horizon: int, epsilon: float) -> float:
    """Theorem 3: no epsilon-LDP scheme has smaller risk than a T/132 on all of the class of (16).

    The class holds 2 K hypotheses, K = `n_pairs`, on N <= 2 K labels, and depends on T and epsilon through a;
    see `hadamard_gap`.

    >>> round(theorem_3(n_pairs=4, horizon=10**10, epsilon=1.0))
    306
    """
    return hadamard_gap(n_pairs=n_pairs, horizon=horizon, epsilon=epsilon) * int(horizon) / 132


def theorem_1_constant(*, epsilon: float) -> float:
    """Theorem 3 over sqrt(K T)/epsilon, the form of Theorem 1: 1/396 as epsilon goes to 0, and 0 as it grows."""
    return float(checked_epsilon(epsilon) / (396 * np.sqrt(_leverage(epsilon))))


# Baselines


def randomized_response(*, n_hypotheses: int, n_labels: int, horizon: int, epsilon: float) -> float:
    """Risk of randomised response, the M sqrt(T log K)/epsilon of Section 3 with constants of our own.

    sqrt(T log K/2) sqrt((2 + log K)^2 + 1)/c_eta, c_eta = (e^eps - 1)/(e^eps + M - 1).

    Derivation. (i) Predictions for the noisy labels are a Bayesian mixture: their risk is at most log K.
    (ii) Noise shrinks total variation by exactly c_eta, so Pinsker gives
    E sum TV(f, p_hat)^2 <= log K/(2 c_eta^2). (iii) With w the weight of the truth, f/p_hat <= 1/w, and
    r log r <= (r - 1)_+ rho log rho/(rho - 1) <= (r - 1)_+ (1 + log rho) for r <= rho = 1/w gives
    KL <= TV (1 + log 1/w). (iv) E 1/w <= K, so log 1/w is at most log K plus an Exp(1) variable, and
    E (1 + log 1/w)^2 <= (2 + log K)^2 + 1. (v) Cauchy-Schwarz over rounds and coins joins (ii) to (iv).
    """
    total = randomized_response_tv(n_hypotheses=n_hypotheses, n_labels=n_labels, horizon=horizon, epsilon=epsilon)
    return float(int(horizon) * total * np.sqrt((2 + np.log(n_hypotheses)) ** 2 + 1))


def randomized_response_tv(*, n_hypotheses: int, n_labels: int, horizon: int, epsilon: float) -> float:
    """Averaged total variation of randomised response: sqrt(log K/(2 T))/c_eta, step (ii) of its risk bound."""
    log_k = np.log(checked_hypotheses(n_hypotheses))
    n_labels = validation.count("n_labels", n_labels, high=10**9)
    excess = np.expm1(checked_epsilon(epsilon))
    return float((excess + n_labels) / excess * np.sqrt(log_k / (2 * checked_horizon(horizon, low=1))))


def non_private(*, n_hypotheses: int) -> float:
    """Risk of the non-private Bayesian mixture: log K, whatever T.

    >>> round(non_private(n_hypotheses=2), 4)
    0.6931
    """
    return float(np.log(checked_hypotheses(n_hypotheses)))
