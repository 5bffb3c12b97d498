"""Every bound of the paper as a function, with its constants; and those the paper hides in an O( ).

All risks are in nats: sums over t of KL(f(x_t), p_hat_t).
"""

from __future__ import annotations

import numpy as np

from replicate import validation
from replicate.papers.distribution_learning.algorithms.schemes import Tuning, tune

__all__ = [
    "exp3_regret",
    "hadamard_gap",
    "hadamard_horizon",
    "non_private",
    "randomized_response",
    "randomized_response_tv",
    "risk_bound",
    "sample_size",
    "theorem_1_constant",
    "theorem_2_constant",
    "theorem_3",
    "theorem_4",
    "theorem_5",
    "theorem_6",
    "wma_regret",
]


def wma_regret(*, n_actions: int, horizon: int) -> float:
    """Lemmas 1 and 4: regret of weighted majority with losses in [0, 1], sqrt(2 T log K)."""
    return float(np.sqrt(2 * horizon * np.log(n_actions)))


def exp3_regret(*, n_actions: int, horizon: int) -> float:
    """Lemma 7: the same when one coordinate a round is seen, sqrt(2 T K log K)."""
    return float(np.sqrt(2 * horizon * n_actions * np.log(n_actions)))


def risk_bound(tuning: Tuning, *, regret: float, horizon: int) -> float:
    """The proof of Theorem 4 with every constant: regret/c + 3 R + e^(-gamma) (T R + 3 R), R the log range.

    3 R: the two steps of (31) cost at most 2 R/T a round and -log(1 - 1/T), which over T rounds adds up to
    T log(T/(T - 1)) <= 2 log 2 <= R for T, K >= 2. Off the good event, of probability at most e^(-gamma), a
    round costs at most R + 3 R/T.
    """
    width = tuning.log_range
    return float(regret / tuning.factor + 3 * width + np.exp(-tuning.gamma) * (horizon * width + 3 * width))


def _theorem(
    scheme: str, n_hypotheses: int, horizon: int, epsilon: float, delta: float | None, calibration: str
) -> float:
    k = validation.count("n_hypotheses", n_hypotheses, low=2)
    t = validation.count("horizon", horizon, low=2, high=2**59)
    epsilon = validation.positive("epsilon", epsilon, high=50)
    validation.choice("calibration", calibration, ("printed", "corrected"))
    tuning = tune(
        scheme=scheme,
        n_hypotheses=k,
        n_labels=2,
        horizon=t,
        epsilon=epsilon,
        delta=delta,
        calibration=calibration,
    )
    regret = exp3_regret if scheme == "pure" else wma_regret
    return risk_bound(tuning, regret=regret(n_actions=k, horizon=t), horizon=t)


def theorem_4(
    *, n_hypotheses: int, horizon: int, epsilon: float, delta: float, calibration: str = "corrected"
) -> float:
    """Theorem 4, explicit: (1/c) sqrt(2 T log K) + 3 R + e^(-gamma) (T R + 3 R) with gamma = log T.

    R = log(KT) and c of (9) for ``calibration="printed"``, log((K + 1) T) throughout for ``"corrected"``.
    The number of labels does not enter.
    """
    delta = validation.positive("delta", delta, high=0.5)
    return _theorem("approximate", n_hypotheses, horizon, epsilon, delta, calibration)


def theorem_5(*, n_hypotheses: int, horizon: int, epsilon: float, calibration: str = "corrected") -> float:
    """Theorem 5, explicit: (1/c_pdp) sqrt(2 T K log K) + 3 R + e^(-gamma) (T R + 3 R) with gamma = log T."""
    return _theorem("pure", n_hypotheses, horizon, epsilon, None, calibration)


def theorem_6(*, n_hypotheses: int, horizon: int, epsilon: float, calibration: str = "corrected") -> float:
    """Theorem 6, explicit: averaged total variation at most sqrt(Theorem 5 / (2 T)) (Pinsker, Cauchy-Schwarz)."""
    risk = theorem_5(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon, calibration=calibration)
    return float(np.sqrt(risk / (2 * horizon)))


def sample_size(*, n_hypotheses: int, epsilon: float, accuracy: float) -> int:
    """T_alpha of Section 6: the smallest horizon at which Theorem 6 promises the accuracy, up to one part in 1e9.

    Raises
    ------
    ValueError
        If no horizon up to 2**59 is enough.
    """
    accuracy = validation.positive("accuracy", accuracy, high=1)

    def promise(horizon: int) -> float:
        return theorem_6(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)

    low, high = 2, 2**59
    if promise(high) > accuracy:
        raise ValueError(
            f"accuracy must be at least {promise(high):.3g} for horizons up to 2**59, got {accuracy!r}"
        )
    while high - low > max(1, high // 10**9):
        middle = (low + high) // 2
        low, high = (low, middle) if promise(middle) <= accuracy else (middle, high)
    return high


def _leverage(epsilon: float) -> float:
    """min{(e^eps - 1)^2, 1} e^eps of Theorem 3."""
    return float(min(np.expm1(epsilon) ** 2, 1.0) * np.exp(epsilon))


def hadamard_gap(*, n_pairs: int, horizon: int, epsilon: float) -> float:
    """The gap a of (16): sqrt(K/(9 T min{(e^eps - 1)^2, 1} e^eps)) for K pairs of distributions.

    Raises
    ------
    ValueError
        If a > 1: the horizon is below `hadamard_horizon` and there is no such class.
    """
    n_pairs = validation.count("n_pairs", n_pairs)
    epsilon = validation.positive("epsilon", epsilon, high=50)
    horizon = validation.count("horizon", horizon, high=2**59)
    gap = float(np.sqrt(n_pairs / (9 * horizon * _leverage(epsilon))))
    if gap > 1:
        needed = hadamard_horizon(n_pairs=n_pairs, epsilon=epsilon)
        raise ValueError(f"horizon must be at least {needed}, or the gap a of (16) exceeds 1, got {horizon}")
    return gap


def hadamard_horizon(*, n_pairs: int, epsilon: float) -> int:
    """Smallest T at which the class of (16) exists: a <= 1."""
    return int(np.ceil(n_pairs / (9 * _leverage(epsilon)) * (1 - 1e-12)))


def theorem_3(*, n_pairs: int, horizon: int, epsilon: float) -> float:
    """Theorem 3: no epsilon-LDP scheme has smaller risk than a T/132 on all of the class of (16).

    The class holds 2 K hypotheses, K = `n_pairs`, on N <= 2 K labels, and depends on T and epsilon through a.
    """
    return hadamard_gap(n_pairs=n_pairs, horizon=horizon, epsilon=epsilon) * horizon / 132


def theorem_1_constant(*, n_pairs: int, epsilon: float) -> float:
    """Theorem 3 over sqrt(K T)/epsilon, the form of Theorem 1: 1/396 as epsilon goes to 0, and 0 as it grows."""
    return float(epsilon / (396 * np.sqrt(_leverage(epsilon))))


def theorem_2_constant(*, n_hypotheses: int, horizon: int, epsilon: float, power: float = 5.0) -> float:
    """Theorem 5 over (1/epsilon) sqrt(K T log(KT)^power), the form of Theorem 2."""
    risk = theorem_5(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)
    product = float(n_hypotheses) * horizon
    form = np.sqrt(product * np.log(product) ** power) / epsilon
    return float(risk / form)


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
    log_k = np.log(validation.count("n_hypotheses", n_hypotheses, low=2))
    total = randomized_response_tv(n_hypotheses=n_hypotheses, n_labels=n_labels, horizon=horizon, epsilon=epsilon)
    return float(horizon * total * np.sqrt((2 + log_k) ** 2 + 1))


def randomized_response_tv(*, n_hypotheses: int, n_labels: int, horizon: int, epsilon: float) -> float:
    """Averaged total variation of randomised response: sqrt(log K/(2 T))/c_eta, step (ii) above."""
    log_k = np.log(validation.count("n_hypotheses", n_hypotheses, low=2))
    n_labels = validation.count("n_labels", n_labels)
    excess = np.expm1(validation.positive("epsilon", epsilon, high=50))
    horizon = validation.count("horizon", horizon, high=2**59)
    return float((excess + n_labels) / excess * np.sqrt(log_k / (2 * horizon)))


def non_private(*, n_hypotheses: int) -> float:
    """Risk of the non-private Bayesian mixture: log K, whatever T."""
    return float(np.log(validation.count("n_hypotheses", n_hypotheses, low=2)))
