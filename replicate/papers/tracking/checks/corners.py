"""The statements at one point of their ranges: exact, in milliseconds."""

from __future__ import annotations

import math

from replicate import audit, mechanisms
from replicate.claims import EXACT, Evidence
from replicate.papers.tracking import bounds
from replicate.papers.tracking import lemmas as quantities
from replicate.papers.tracking.algorithms import switching


def laplace(epsilon: float, noise_epsilon: float = 1.0) -> Evidence:
    """Lemma 2.2 on a number that moves by 1, noise for `noise_epsilon` times epsilon: attained in either tail."""
    return Evidence(measured=noise_epsilon * epsilon, limit=epsilon * (1 + EXACT))


def selection(epsilon: float, noise_epsilon: float = 1.0) -> Evidence:
    """Lemma 2.3: the supremum of report-noisy-max's privacy loss, any number of rounds and actions."""
    loss = audit.report_noisy_max_privacy_loss(2, noise="laplace", scale=2 / (noise_epsilon * epsilon))
    return Evidence(measured=loss, limit=epsilon * (1 + EXACT))


def accuracy(n_queries: int, failure: float, epsilon: float, constant: float = 8.0) -> Evidence:
    """Lemma 2.4: the exact probability of an error of alpha on the hardest stream."""
    stated = mechanisms.above_threshold_accuracy(n_queries, failure=failure, epsilon=epsilon)
    exact = mechanisms.above_threshold_failure(n_queries, accuracy=constant / 8 * stated, epsilon=epsilon)
    return Evidence(measured=exact, limit=failure)


def block_sum(rounds: int, constant: float = 1 + math.sqrt(2)) -> Evidence:
    """Sum of 2^(-l/2) over the first rounds."""
    total = float(quantities.block_sum(rounds)[-1])
    return Evidence(measured=total, limit=constant * math.sqrt(rounds))


def counting(n_actions: int, horizon: int, n_switches: int, exponent: float = 2.0) -> Evidence:
    """Logarithm of the number of distinct sequences."""
    count = math.log(switching.count_sequences(horizon, n_actions, n_switches))
    return Evidence(measured=count, limit=exponent * n_switches * math.log(n_actions * horizon))


def laplace_norms(n_actions: int, horizon: int, factor: float = 10.0) -> Evidence:
    """Lemma B.3: the smallest factor for its 10."""
    return Evidence(measured=quantities.laplace_norm_factor(n_actions=n_actions, horizon=horizon), limit=factor)


def least_level(n_actions: float, n_switches: int, horizon: int, delta: float, **_: float) -> float:
    """38 ln N sqrt(ln(e / delta) S / T)."""
    return 38 * math.log(n_actions) * math.sqrt(math.log(math.e / delta) * n_switches / horizon)


def restarted_hedge(n_actions: float, n_switches: int, horizon: int, delta: float, epsilon: float) -> Evidence:
    """Bound on the dynamic regret of restarted Hedge, against T / 4 + S."""
    _, _, bound = bounds.restarted_hedge(
        n_actions=n_actions, horizon=horizon, n_switches=n_switches, epsilon=epsilon, delta=delta
    )
    return Evidence(measured=bound, limit=horizon / 4 + n_switches)
