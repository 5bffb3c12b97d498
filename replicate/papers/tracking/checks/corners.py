"""The statements at one point of their ranges: exact, in milliseconds."""

from __future__ import annotations

import math

import numpy as np

from replicate import audit, mechanisms
from replicate.claims import EXACT, Evidence
from replicate.papers.tracking import bounds
from replicate.papers.tracking import lemmas as quantities
from replicate.papers.tracking.algorithms import limited_updates, switching

GAPS = 2.0 ** -np.arange(61)
"""Gaps at which a statement for every gap is asked."""


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


def one_block(
    n_actions: int, horizon: int, failure: float, epsilon: float, bound: str = "adaptive_regret",
    uniform: float = 0.0,
) -> Evidence:  # fmt: skip
    """Chance that the rounds of some one block break the bound on windows, over the stated chance: the worst gap.

    Exact, on losses of 0 for one expert and the gap for the others in every round. In a share `uniform` of the
    blocks the expert is drawn uniformly.
    """
    sizes = {"n_actions": n_actions, "horizon": horizon, "epsilon": epsilon, "failure": failure}
    constant, root = getattr(bounds, bound)(**sizes)
    stated = failure * (3 if bound == "lemma_3_3" else 1)
    read = 2.0 ** np.arange((horizon // 2).bit_length())
    rounds = np.minimum(4 * read, horizon + 1) - 2 * read
    others = np.arange(n_actions) > 0
    leads, place = np.unique(read[:, None] * GAPS, return_inverse=True)
    wrong = 1 - limited_updates.selector(epsilon)(leads[:, None] * others)[:, 0]
    wrong = (1 - uniform) * wrong + uniform * (1 - 1 / n_actions)
    breaks = rounds[:, None] * GAPS > (constant + root * np.sqrt(np.maximum(rounds - 1, 1)))[:, None]
    some = 1 - np.prod(1 - wrong[place.reshape(breaks.shape)] * breaks, axis=0)
    return Evidence(measured=float(some.max()), limit=min(stated, 1.0))


def log_moments(n_actions: int, gap: float, limit: float = 0.6321) -> Evidence:
    """Log moments of the least noisy sum, all gaps but one alike."""
    gaps = np.where(np.arange(n_actions) > 0, gap, 0.0)
    return Evidence(measured=quantities.log_moments(gaps, theta=0.49), limit=limit)


def blocks_pay(n_actions: int, gap: float, deviation: float, deviations: float = 2.0) -> Evidence:
    """Log of the mean of exp(sum of 3/4 n gap - deviations g) over 40 blocks, Gumbel noise, against 2 log N.

    All gaps but one alike, in units of the noise; every sum deviates by g, the leader's to its disadvantage.
    """
    x, log_others = gap * 2.0 ** np.arange(40), math.log(n_actions - 1)
    norm = np.logaddexp(-deviation, log_others - x + deviation)
    paid = np.logaddexp(-deviation, log_others - x / 4 + deviation) - norm - deviations * deviation
    return Evidence(measured=float(np.cumsum(paid).max()), limit=2 * math.log(n_actions) + EXACT)


def linear_regret(epsilon: float, gap: float, horizon: int) -> Evidence:
    """Share of the rounds that the printed arg max gives the worse of two experts: exactly, fixed losses."""
    read = 2.0 ** np.arange((horizon // 2).bit_length())
    rounds = np.minimum(4 * read, horizon + 1) - 2 * read
    law = limited_updates.selector(epsilon, calibration="printed")(read[:, None] * np.array([0.0, gap]))
    share = (0.5 + float(rounds @ law[:, 1])) / horizon
    return Evidence(measured=share, limit=0.5 * (1 - EXACT), relation=">=")


def added_up(rounds: int) -> Evidence:
    """The two sums of Theorem 3.1's proof over a window from round 1, over 1 + ln k and over 14 sqrt(w)."""
    i = np.arange(1, rounds + 1)
    noise = (1 / i).sum() / (1 + math.log(rounds))
    chance = (4 * np.sqrt(2 / i)).sum() + math.sqrt(rounds) + math.sqrt(2 * (rounds - 1))
    return Evidence(measured=max(noise, chance / (14 * math.sqrt(rounds - 1))), limit=1.0)


def run_of_heads(n_actions: int, horizon: int, failure: float) -> Evidence:
    """Exact chance of a window of equal coins beyond sqrt((w + 1) log(NT / beta)), against beta^2 / N^2."""
    log = math.log(n_actions * horizon / failure)
    length = max(2, math.floor(4 * log) + 1)  # of w + 1 equal coins, which deviate by (w + 1) / 2
    chance = 2 * quantities.chance_of_a_run(horizon, length)
    return Evidence(measured=chance, limit=(failure / n_actions) ** 2)


def alarm_failure(horizon: int, failure: float, epsilon: float) -> Evidence:
    """Exact failure of AboveThreshold on the hardest T^2 queries, printed alpha, against beta^2 / (3 T^2)."""
    alpha = 16 * (2 * math.log(horizon) + math.log(2 / failure)) / epsilon
    exact = mechanisms.above_threshold_failure(horizon**2, accuracy=alpha, epsilon=epsilon / 2)
    return Evidence(measured=exact, limit=failure**2 / (3 * horizon**2))


def no_sublinear_rate(n_actions: int, n_switches: int, horizon: int) -> Evidence:
    """Theorem B.2 at the learning rate that minimises it, at epsilon = sqrt(S / T), over T."""
    noise = math.sqrt(horizon / n_switches)
    rate = math.sqrt(2 * n_switches / (10 * horizon * math.log(n_actions * horizon))) / noise
    sizes = {"n_actions": n_actions, "horizon": horizon, "n_switches": n_switches}
    stated = bounds.theorem_b2(noise=noise, learning_rate=rate, **sizes)
    return Evidence(measured=stated / horizon, limit=1.0, relation=">=")


def noisy_loss(n_actions: int, horizon: int, epsilon: float) -> Evidence:
    """Square of the largest noisy loss in the event of Lemma B.3, over log^2(NT) / epsilon^2."""
    largest = epsilon / math.log(n_actions * horizon) + math.sqrt(10)
    return Evidence(measured=largest**2, limit=16.0)


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
