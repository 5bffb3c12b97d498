"""Checks that run the proof of a lemma beside its numbers.

The control's argument goes to both.
"""

from __future__ import annotations

import math
from functools import partial

from replicate.claims import Evidence
from replicate.claims.evidence import proved
from replicate.papers.tracking import lemmas as quantities
from replicate.papers.tracking import proofs
from replicate.papers.tracking.checks import lemmas, privacy, regret


def accuracy(profile: str, seed: int, *, constant: float) -> Evidence:
    """Prove Lemma 2.4 with `constant` for its 8, and compute the accuracy of the hardest stream."""
    return proved(partial(proofs.lemma_2_4, constant=constant), lemmas.accuracy(profile, seed, constant=constant))


def concentration(profile: str, seed: int, *, constant: float, under_root: float) -> Evidence:
    """Prove Lemma 3.2 with `under_root` for its 2, and hold sampled deviations against `constant` times it."""
    scaled = constant * math.sqrt(under_root / 2)
    numbers = regret.concentration(profile, seed, constant=scaled)
    return proved(partial(proofs.lemma_3_2, under_root=under_root), numbers)


def window_quantile(profile: str, seed: int, *, constant: float, failure: float, uniform: float) -> Evidence:
    """Prove the scalar steps of Theorem 3.1, and measure the largest window regrets of runs over its bound."""
    numbers = regret.window_quantile(
        profile, seed, bound="proved", constant=constant, failure=failure, uniform=uniform
    )
    return proved(proofs.theorem_3_1, numbers)


def log_moments(profile: str, seed: int, *, limit: float) -> Evidence:
    """Prove that the log moments are at most `limit`, and compute them at random gaps."""
    return proved(partial(proofs.log_moments, limit=limit), lemmas.log_moments(profile, seed, limit=limit))


def counting(profile: str, seed: int, *, exponent: float, n_switches: tuple[int, ...]) -> Evidence:
    """Prove that sequences number at most (N T)^(exponent S), and count them, also for 10^60 experts."""
    numbers = lemmas.counting(profile, seed, exponent=exponent, n_switches=n_switches)
    many = 10**60  # with T = 2 and S = 1 the count is N + N (N - 1)
    measured = math.log(many**2)
    largest = Evidence(measured=measured, limit=exponent * math.log(2 * many), detail="T = 2, N = 10^60, S = 1.")
    return proved(partial(proofs.theorem_4_1, exponent=exponent), numbers, largest)


def laplace_norms(profile: str, seed: int, *, factor: float) -> Evidence:
    """Prove Lemma B.3 with `factor` for its 10, and compute the smallest factor, of one expert too."""
    numbers = lemmas.laplace_norms(profile, seed, factor=factor)
    least = quantities.laplace_norm_factor(n_actions=1, horizon=10**12)
    single = Evidence(measured=least, limit=factor, detail="N = 1, T = 10^12, exactly.")
    return proved(partial(proofs.lemma_b3, factor=factor), numbers, single)


def selection(profile: str, seed: int, *, noise_epsilon: float) -> Evidence:
    """Prove Lemma 2.3 with noise Laplace(2 / (epsilon noise_epsilon)), and compute the loss of 2 and 3 experts."""
    numbers = privacy.selection(profile, seed, noise_epsilon=noise_epsilon)
    return proved(partial(proofs.lemma_2_3, noise_epsilon=noise_epsilon), numbers)


def laplace(profile: str, seed: int, *, noise_epsilon: float) -> Evidence:
    """Prove Lemma 2.2 with noise Laplace(1 / (epsilon noise_epsilon)), and compute the loss."""
    numbers = privacy.laplace(profile, seed, noise_epsilon=noise_epsilon)
    return proved(partial(proofs.lemma_2_2, noise_epsilon=noise_epsilon), numbers)
