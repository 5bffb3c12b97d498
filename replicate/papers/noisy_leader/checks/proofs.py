"""Checks that run the proof of a lemma, a tail or a counterexample beside its numbers.

The control's argument goes to both.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from replicate.claims import Evidence
from replicate.claims.proved import proved
from replicate.papers.noisy_leader import proofs
from replicate.papers.noisy_leader.checks import lemmas, privacy
from replicate.papers.noisy_leader.checks.errata import algorithm
from replicate.papers.noisy_leader.checks.errata import proofs as displays


def lemma_2(profile: str, seed: int, *, constant: float) -> Evidence:
    """Prove f' <= constant f, and measure the largest f' / f; the lemma has log 2."""
    numbers = lemmas.lemma_2(profile, seed, constant=constant)
    return proved(partial(proofs.lemma_2, factor=constant / math.log(2)), numbers)


def lemma_3(profile: str, seed: int, *, constant: float) -> Evidence:
    """Prove that the sum is at most `constant` times the integral, and measure the largest ratio.

    Among the numbers is one game of e^1000 actions, whose ratio is close to 2 log 2, the smallest true constant.
    """
    numbers = lemmas.lemma_3(profile, seed, constant=constant)
    return proved(partial(proofs.lemma_3, constant=constant), numbers, _many_actions(constant))


def _many_actions(constant: float) -> Evidence:
    """The ratio for gaps (0, c, ..., c), K - 1 = e^1000, where 2^40 c = 990, from closed forms."""
    terms = 990.0 / 2.0 ** np.arange(40)
    total = float((terms / (1 + np.exp(terms - 1000))).sum())
    integral = float(np.logaddexp(0, 1000 - 990.0 / 2**40)) / math.log(2)
    detail = "K = e^1000 and equal gaps: the sum stops just before it would fall."
    return Evidence(measured=total / integral, limit=constant, detail=detail)


def lemma_4(profile: str, seed: int, *, order: str) -> Evidence:
    """Prove that the distribution function falls as p moves in this order, and measure its largest rise."""
    return proved(partial(proofs.lemma_4, order=order), lemmas.lemma_4(profile, seed, order=order))


def equation_9(profile: str, seed: int, *, resample: bool, constant: float) -> Evidence:
    """Prove (9) with the derived constants, and hold exact probabilities against `constant` times it."""
    numbers = lemmas.equation_9(profile, seed, resample=resample, constant=constant)
    return proved(partial(proofs.equation_9, resample=resample), numbers)


def tilt(profile: str, seed: int, *, direction: str) -> Evidence:
    """Prove the scalar steps of the optimal rate, and hold the densities against f(q - h) <= exp(h) f(q)."""
    return proved(proofs.optimal_rate, lemmas.tilt(profile, seed, direction=direction))


def gumbel_tail(profile: str, seed: int, *, rounds: int, gap: float, epsilon: float, divisor: float) -> Evidence:
    """Hold P(J = 2) against the last display of Appendix D, in interval arithmetic and in doubles."""
    numbers = displays.gumbel_tail(profile, seed, rounds=rounds, gap=gap, epsilon=epsilon, divisor=divisor)
    return proved(partial(proofs.gumbel_tail, rounds=rounds, gap=gap, epsilon=epsilon, divisor=divisor), numbers)


def laplace_density(profile: str, seed: int, *, form: str) -> Evidence:
    """Prove that the density integrates to one at every scale, and integrate it at one."""
    return proved(partial(proofs.laplace_density, form=form), algorithm.laplace_density(profile, seed, form=form))


def exact_losses(profile: str, seed: int, *, divisor: float) -> Evidence:
    """Prove that the six variants are private with noise over `divisor`, and compute their losses."""
    return proved(partial(proofs.privacy, divisor=divisor), privacy.exact_losses(profile, seed, divisor=divisor))
