"""Tunings of the learners: batch size, noise, learning rates (Corollaries 2, 22, 24; proof of Corollary 22)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from replicate import validation
from replicate.papers.bandits.algorithms import kernels
from replicate.validation import FloatArray

CALIBRATIONS = ("corrected", "printed")

_SKIP = 1 - 2 ** (-1 / 3)
"""HTINF's theta for losses with two moments."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A base learner inside Algorithm 1.

    Attributes
    ----------
    kind, setting
        The base learner and its parameters, as `kernels` reads them.
    batch
        Rounds in a batch, tau.
    noise
        Scale of the Laplace noise on a batch mean; 0 for none.
    """

    kind: int
    setting: FloatArray
    batch: int = 1
    noise: float = 0.0


def batch_size(epsilon: float) -> int:
    """Return tau = ceil(1 / epsilon) (Theorem 1), forgiving one rounding error in 1 / epsilon."""
    # 1 / epsilon may be rounded above a whole number: tau would be one too large
    return math.ceil(1 / epsilon * (1 - 1e-14))


def htinf(*, sigma: float = math.sqrt(6), threshold: float = _SKIP, centre: float = 0.0) -> Plan:
    """Return HTINF for losses with E[(loss - centre)^2] <= sigma^2; an infinite threshold skips nothing."""
    return Plan(kernels.HTINF, np.array([sigma, threshold, centre]))


def exp3(*, learning_rate: float, mixing: float, n_actions: int) -> Plan:
    """Return EXP3 with mixing (Algorithm 3)."""
    return Plan(kernels.EXP3, np.array([learning_rate, mixing, mixing / n_actions]))


def ftpl(*, learning_rate: float, resamples: int, calibration: str = "corrected") -> Plan:
    """Return FTPL with geometric resampling (Algorithm 4)."""
    return Plan(kernels.FTPL, np.array([learning_rate, float(resamples), float(calibration == "printed")]))


def noisy_exp3(k: int, rounds: float, scale: float) -> Plan:
    """Proof of Corollary 22: EXP3 on `rounds` losses with Laplace(scale) noise; scale 0 is plain EXP3."""
    log = _positive_log("log(K T)", k * rounds)
    # eta and gamma of the proof of Corollary 22
    eta = math.sqrt(math.log(k) / (2 * rounds * k * (1 + 10 * max(scale**2, scale) * log**2)))
    return _mixed(eta, 4 * eta * scale * k * log, k)


def _exp3_batched(k: int, rounds: float) -> Plan:
    """Corollary 22, with `rounds` = epsilon T."""
    log = _positive_log("log(epsilon K T)", k * rounds)
    eta = math.sqrt(math.log(k) / (22 * k * rounds * log**2))
    return _mixed(eta, 4 * eta * k * log, k)


def _ftpl_batched(k: int, rounds: float, calibration: str) -> Plan:
    """Corollary 24, with `rounds` = epsilon T and M rounded up."""
    log, pulls = _positive_log("log(epsilon K T)", k * rounds), k * rounds
    cap = math.ceil(math.sqrt(pulls))  # M
    first = math.sqrt(math.log(k) / (pulls * (1 + 10 * log**2)))
    # eta M (1 + 4 lambda log T) <= 1 keeps every eta times an estimate in Lemma 26's range
    rate = min(first, 1 / (cap * (1 + 4 * math.log(rounds))))
    return ftpl(learning_rate=rate, resamples=cap, calibration=calibration)


def _positive_log(name: str, value: float) -> float:
    if value <= 1:
        raise ValueError(
            f"the tuning needs {name} > 0: n_actions, epsilon, horizon too small, got the logarithm of {value:.4g}"
        )
    return math.log(value)


def _mixed(eta: float, gamma: float, k: int) -> Plan:
    if gamma > 1:
        raise ValueError(
            f"the tuning needs mixing gamma <= 1, got gamma = {gamma:.4g}: the horizon is too short for n_actions "
            "and epsilon"
        )
    return exp3(learning_rate=eta, mixing=gamma, n_actions=k)


PRIVATE: dict[str, Callable[[int, int, float, str], Plan]] = {
    "htinf": lambda k, horizon, epsilon, calibration: batched(htinf(), epsilon),
    "exp3": lambda k, horizon, epsilon, calibration: batched(_exp3_batched(k, epsilon * horizon), epsilon),
    "ftpl": lambda k, horizon, epsilon, calibration: batched(
        _ftpl_batched(k, epsilon * horizon, calibration), epsilon
    ),
    "per_round_exp3": lambda k, horizon, epsilon, calibration: replace(
        noisy_exp3(k, horizon, 1 / epsilon), noise=1 / epsilon
    ),
}
"""Plans of the private learners from (K, T, epsilon, calibration): three conversions, and noise on every round."""

NOT_PRIVATE: dict[str, Callable[[int, int], Plan]] = {
    "tsallis_inf": lambda k, horizon: htinf(sigma=2.0, threshold=math.inf),
    "plain_exp3": lambda k, horizon: noisy_exp3(k, horizon, 0.0),
}
"""Plans of the learners without privacy from (K, T)."""

LEARNERS = (*PRIVATE, *NOT_PRIVATE)


def batched(base: Plan, epsilon: float) -> Plan:
    """Return Algorithm 1 over a base learner."""
    tau = batch_size(epsilon)
    return replace(base, batch=tau, noise=1 / (tau * epsilon))  # Algorithm 1, line 11


def plan(
    learner: str, *, n_actions: int, epsilon: float | None, horizon: int, calibration: str = "corrected"
) -> Plan:
    """Return the plan of one of `LEARNERS`.

    Parameters
    ----------
    learner
        ``"htinf"``, ``"exp3"``, ``"ftpl"``: Algorithm 1 over that base learner. ``"per_round_exp3"``: EXP3
        with Laplace(1 / epsilon) on every loss. ``"tsallis_inf"``, ``"plain_exp3"``: no privacy.
    n_actions, horizon
        K from 2 to 32,767, and T.
    epsilon
        Privacy level in [1 / T, 1]; None for the learners without privacy.
    calibration
        ``"printed"`` runs Algorithm 4's resampling test as printed; it changes ``"ftpl"`` only.

    Raises
    ------
    ValueError
        If an argument is out of range, or the paper's tuning is undefined there.
    """
    validation.choice("learner", learner, LEARNERS)
    validation.choice("calibration", calibration, CALIBRATIONS)
    k = validation.count("n_actions", n_actions, low=2, high=2**15 - 1)
    rounds = validation.count("horizon", horizon)
    if learner in NOT_PRIVATE:
        if epsilon is not None:
            raise ValueError(f"epsilon must be None for learner {learner}, which is not private, got {epsilon!r}")
        return NOT_PRIVATE[learner](k, rounds)
    try:
        eps = validation.real("epsilon", math.nan if epsilon is None else epsilon, low=1 / rounds, high=1.0)
    except ValueError as error:
        raise ValueError(f"{error}: learner {learner} needs epsilon in [1 / horizon, 1]") from None
    return PRIVATE[learner](k, rounds, eps, calibration)
