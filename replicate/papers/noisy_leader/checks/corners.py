"""The statements at one point of their ranges: exact, in milliseconds.

Losses are fixed, or bits: of two actions, one of them better by the gap, or opposite bits in every round.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from inspect import signature
from itertools import pairwise, product
from typing import Any

import numpy as np
import scipy

from replicate import audit, mechanisms
from replicate.budget import cache
from replicate.claims.evidence import EXACT, Check, Evidence, worst
from replicate.learners import dyadic
from replicate.mechanisms import NOISES
from replicate.papers.noisy_leader import algorithms, bounds, lemmas
from replicate.papers.noisy_leader.experiments import deterministic
from replicate.validation import FloatArray

LONGEST = 2**7
"""Rounds of bits that a selection reads at most; the regret on bits is followed for twice as long."""


@cache
def wrong_of_bits(gap: float, noise: str, epsilon: float, losses: str) -> FloatArray:
    """Probabilities of selecting the worse of two actions after 1, ..., `LONGEST` rounds, exact.

    Bits with means (1 - gap) / 2 and (1 + gap) / 2, ``"independent"`` or ``"opposite"``.
    """
    low, high = (1 - gap) / 2, (1 + gap) / 2
    steps = dyadic.difference_law(low, high) if losses == "independent" else np.array([low, 0.0, high])
    scale = algorithms.noise_scale(noise, epsilon=epsilon)
    return lemmas.wrong_of_two(steps, most_rounds=LONGEST, noise=noise, scale=scale)


def _fixed(n_actions: int, gap: float, epsilon: float, horizon: int, noise: str) -> float:
    """Exact regret on fixed losses, all gaps alike, without resampling."""
    scale = algorithms.noise_scale(noise, epsilon=epsilon)
    delta, counts = np.array([0.0, gap]), np.array([1, n_actions - 1])
    return float(algorithms.grouped_regret(delta, counts, noise=noise, scale=scale, horizon=horizon)[1][-1])


def _bits(gap: float, epsilon: float, horizon: int, noise: str, losses: str) -> float:
    """Exact regret of two actions on bits, of the first 255 rounds at most."""
    starts, stops = dyadic.blocks(min(horizon, 2 * LONGEST - 1))
    wrong = wrong_of_bits(gap, noise, epsilon, losses)[2 ** np.arange(len(starts) - 1) - 1]
    return float(gap * (np.r_[0.5, wrong] @ (stops - starts)))


def _upper(bound: Callable[..., float], noises: tuple[str, ...], *losses: str) -> Check:
    """Make a corner of an upper bound: it is held against exact regrets with each noise on each kind of losses.

    Kinds are ``"fixed"``, the same and resampled as bits (``"resampled"``, which has no other law at gap 1), and
    bits, ``"independent"`` or ``"opposite"``. A bound is given those of the sizes that it reads.
    """
    reads = signature(bound).parameters

    @worst
    def corner(
        n_actions: int, gap: float, epsilon: float, horizon: int, *, uniform: float = 0.0
    ) -> Iterator[Evidence]:
        sizes = {"n_actions": n_actions, "gap": gap, "epsilon": epsilon, "horizon": horizon}
        for noise, kind in product(noises, losses):
            if kind == "resampled" and gap < 1:
                continue
            if kind in ("independent", "opposite"):
                regret = _bits(gap, epsilon, horizon, noise, kind)
            else:
                regret = _fixed(n_actions, gap, epsilon, horizon, noise)
            given: dict[str, Any] = {"noise": noise, **sizes}
            limit = bound(**{name: value for name, value in given.items() if name in reads})
            known: dict[str, Any] = {
                "uniform": horizon * gap * (1 - 1 / n_actions),
                "detail": f"{noise} noise on {kind} losses.",
            }
            yield Evidence(measured=regret, limit=limit, **known).mixed(uniform)

    return corner


def _potential(n_actions: int, epsilon: float, noise: str) -> float:
    return bounds.potential(n_actions=n_actions, noise=noise, scale=2 / epsilon)


# all with our constants; B = 1 where losses are resampled, otherwise B = 0
theorem_1 = _upper(bounds.theorem_1, ("laplace",), "fixed", "independent")
theorem_2 = _upper(bounds.theorem_2, ("laplace",), "resampled", "independent")
corollary_1 = _upper(bounds.theorem_2, ("gumbel", "exponential"), "resampled", "independent")
corollary_2 = _upper(bounds.corollary_2, NOISES, "resampled", "independent")
corollary_3 = _upper(bounds.corollary_3, NOISES, "fixed")
theorem_4 = _upper(bounds.theorem_4, ("gumbel", "exponential"), "fixed")
potential = _upper(_potential, NOISES, "fixed")  # NL-F2: 1 + 4 (E max Q - E Q)
any_losses = _upper(partial(bounds.optimal_rate, losses="any"), NOISES, "fixed", "opposite")  # NL-F6
optimal_rate = _upper(bounds.optimal_rate, NOISES, "fixed", "independent")  # NL-F7


@worst
def tilt(q: float, h: float, *, direction: str = "forward") -> Iterator[Evidence]:
    """NL-F14 at one place of the densities, scale 1."""
    laws = {"gumbel": scipy.stats.gumbel_r, "exponential": scipy.stats.expon, "laplace": scipy.stats.laplace}
    moved = q + h if direction == "backward" else q - h
    for noise, law in laws.items():
        yield Evidence(measured=float(law.pdf(moved)), limit=math.exp(h) * float(law.pdf(q)) + 1e-12, detail=noise)


# Lower bounds


LEARNERS = (*NOISES, "prefix_softmax")


def _played(learners: tuple[str, ...], limit: float, **sizes: Any) -> Iterator[Evidence]:
    """Exact regrets on Theorem 3's instances against a limit."""
    for name in learners:
        regret = deterministic.lower_bound_regret(name, **sizes)
        detail = f"Exact regret of {name}."
        yield Evidence(measured=regret, limit=limit * (1 - EXACT), relation=">=", detail=detail)


def _lower(*forms: Callable[..., float]) -> Check:
    """Make a corner of a lower bound, the last of these forms, which is at least each of the others."""

    @worst
    def corner(
        n_actions: int, epsilon: float, horizon: int, *, learners: tuple[str, ...] = LEARNERS
    ) -> Iterator[Evidence]:
        sizes: dict[str, Any] = {"n_actions": n_actions, "epsilon": epsilon, "horizon": horizon}
        *smaller, limit = (form(**sizes) for form in forms)
        for other in smaller:
            yield Evidence(measured=limit, limit=other * (1 - EXACT), relation=">=")
        yield from _played(learners, limit, **sizes)

    return corner


theorem_3 = _lower(bounds.theorem_3)  # as printed
theorem_3_integral = _lower(bounds.theorem_3, bounds.theorem_3_integral)
theorem_3_sum = _lower(bounds.theorem_3, bounds.theorem_3_integral, bounds.theorem_3_sum)


@worst
def order_of_theorem_3(n_actions: int, epsilon: float, horizon: int) -> Iterator[Evidence]:
    """The order log2(4/3) log K / epsilon, from T = log K / epsilon on: below our form, and below regrets."""
    sizes: dict[str, Any] = {"n_actions": n_actions, "epsilon": epsilon, "horizon": horizon}
    limit = math.log2(4 / 3) * math.log(n_actions) / epsilon
    known = bounds.theorem_3_integral(**sizes)
    yield Evidence(
        measured=known, limit=limit * (1 - EXACT), relation=">=", detail="The bound in its closed form."
    )
    yield from _played(NOISES, limit, **sizes)


# Privacy


@worst
def privacy(n_actions: int, epsilon: float, n_rounds: int, *, divisor: float = 1) -> Iterator[Evidence]:
    """Exact worst loss of a selection from so many rounds of losses, noise divided by `divisor`."""
    for noise in NOISES:
        scale = algorithms.noise_scale(noise, epsilon=epsilon) / divisor
        loss = audit.report_noisy_max_privacy_loss(n_actions, noise=noise, scale=scale, n_rounds=n_rounds)
        yield Evidence(measured=loss, limit=epsilon * (1 + EXACT), detail=f"Exact loss with {noise} noise.")


def exponential_loss(epsilon: float, *, calibration: str = "printed") -> Evidence:
    """Exact loss of exponential noise on two rounds of two actions: as printed it exceeds epsilon."""
    scale = algorithms.noise_scale("exponential", epsilon=epsilon, calibration=calibration)
    loss = audit.report_noisy_max_privacy_loss(2, noise="exponential", scale=scale, n_rounds=2)
    return Evidence(measured=loss, limit=epsilon * (1 + 1e-6), relation=">=", detail="Exact loss, two rounds.")


# Tails and lemmas


@worst
def equation_9(n_actions: int, gap: float, epsilon: float, rounds: int) -> Iterator[Evidence]:
    """(9) on fixed losses, all gaps alike, after an epoch of so many rounds, a power of two."""
    epoch = rounds.bit_length()
    scores = np.where(np.arange(n_actions) > 0, -rounds * gap, 0.0)
    for noise in NOISES:
        scale = algorithms.noise_scale(noise, epsilon=epsilon)
        law = mechanisms.report_noisy_max_pmf(scores, noise=noise, scale=scale)
        limit = float(bounds.equation_9(epoch, gap, epsilon=epsilon, noise=noise)) * (1 + EXACT) + 1e-250
        yield Evidence(measured=float(law[1]), limit=limit, detail=f"Exact P(J = 2) with {noise} noise.")


def _tail(noises: tuple[str, ...], constants: Callable[[str], tuple[float, float]], losses: str) -> Check:
    """Make a corner: P(the worse of two) from bits against c1 exp(-4 n gap min(gap, epsilon) / c2)."""

    @worst
    def corner(gap: float, epsilon: float, rounds: int) -> Iterator[Evidence]:
        for noise in noises:
            c1, c2 = constants(noise)
            limit = c1 * math.exp(-4 * rounds * gap * min(gap, epsilon) / c2)
            wrong = float(wrong_of_bits(gap, noise, epsilon, losses)[rounds - 1])
            detail = f"Exact P(J = 2) with {noise} noise on {losses} bits."
            yield Evidence(measured=wrong, limit=limit * (1 + EXACT) + 1e-250, detail=detail)

    return corner


# (4), (7), and (7) with constants for any joint law of a round's losses
tail_of_laplace = _tail(("laplace",), bounds.tail_constants, "independent")
tail_of_others = _tail(("gumbel", "exponential"), bounds.tail_constants, "independent")
tail_of_any_losses = _tail(NOISES, bounds.tail_constants_of_any_losses, "opposite")


def dominance(n_actions: int, deficit: float, *, scale: float = 1.0) -> Evidence:
    """Expected deficit of exponential noise of `scale` against that of Gumbel noise, all deficits alike."""
    sums = np.where(np.arange(n_actions) > 0, deficit, 0.0)
    flip, softmax = (
        float(mechanisms.report_noisy_max_pmf(-sums, noise=noise, scale=b) @ sums)
        for noise, b in (("exponential", scale), ("gumbel", 1.0))
    )
    return Evidence(measured=flip, limit=softmax * (1 + EXACT), detail="Expected deficits.")


def _vector(n_actions: int, entry: float, least: float = 0.0) -> FloatArray:
    """A vector a of one least entry and others."""
    return np.where(np.arange(n_actions) > 0, entry, least)


def _slope(a: FloatArray, x: float) -> tuple[float, float]:
    """f(x) and its derivative, by a complex step."""
    value, moved = (lemmas.smooth_sum(np.array([at]), a)[0] for at in (x, x + 1e-30j))
    return float(np.real(value)), float(np.imag(moved)) / 1e-30


def lemma_2(n_actions: int, entry: float, x: float, *, constant: float = math.log(2)) -> Evidence:
    """f'(x) <= log 2 f(x), entries 0 and a."""
    value, slope = _slope(_vector(n_actions, entry), x)
    return Evidence(measured=slope, limit=constant * value * (1 + EXACT), detail="f' against log 2 f.")


def lemma_2_negative(n_actions: int, entry: float, x: float, *, constant: float = math.log(2)) -> Evidence:
    """f'(x) <= log 2 f(x), entries -a and a, or -a and 0."""
    cases = []
    for other in (0.0, entry):
        value, slope = _slope(_vector(n_actions, other, -entry), x)
        limit = constant * value + EXACT * abs(value)
        cases.append(Evidence(measured=slope, limit=limit, detail="f' against log 2 f."))
    return Evidence.worst(cases)


def lemma_3(n_actions: int, entry: float) -> Evidence:
    """Sum of f(r) against (1 + log 2) times the integral."""
    a = _vector(n_actions, entry)
    limit = float(bounds.lemma_3(lemmas.lemma_integral(a)))
    return Evidence(measured=lemmas.lemma_sum(a), limit=limit, detail="Sum against integral.")


def lemma_3_integral(n_actions: int, entry: float, *, form: str = "corrected") -> Evidence:
    """The integral of f by quadrature, from its closed form; printed is 2 log K / log 2."""
    a = _vector(n_actions, entry)
    value = 2 * math.log(n_actions) if form == "printed" else math.log(np.exp(-a).sum())
    distance = abs(lemmas.lemma_integral(a) - value / math.log(2))
    return Evidence(measured=distance, limit=1e-6, detail="Distance of the integral from its value.")


@worst
def lemma_1(low: float, middle: float, high: float, rounds: int) -> Iterator[Evidence]:
    """P(J = j) falls in j: three independent actions with these means, sorted, exact."""
    means = np.sort([low, middle, high])
    for noise, scale in product(NOISES, (0.1, 2.0, 200.0)):
        law = lemmas.selection_law(means, rounds=rounds, noise=noise, scale=scale)
        for before, after in pairwise(law):
            limit = float(before) * (1 + EXACT) + 1e-15
            yield Evidence(measured=float(after), limit=limit, detail=f"{noise}, scale {scale}.")


def lemma_4(rounds: int, p: float) -> Evidence:
    """F(k; n, p') - F(k; n, p) for p' above p, every k."""
    law = lemmas.binomial_cdf(rounds, [p, p + (1 - p) / 1000, (1 + p) / 2, 1.0])
    return Evidence(measured=float(np.diff(law, axis=0).max()), limit=1e-12, detail="Largest rise.")


@worst
def two_actions(low: float, gap: float, scale: float) -> Iterator[Evidence]:
    """P(the worse of two is selected) from n + 1 rounds over that from n, independent bits, n up to 60."""
    for noise in (*NOISES, "threshold"):
        steps = dyadic.difference_law(low, low + gap)
        wrong = lemmas.wrong_of_two(steps, most_rounds=60, noise=noise, scale=scale)
        limits = wrong[:-1] * (1 + EXACT) + 1e-14
        worst = int((wrong[1:] / limits).argmax())
        detail = f"{noise}, from {worst + 1} rounds to one more."
        yield Evidence(measured=float(wrong[worst + 1]), limit=float(limits[worst]), detail=detail)


def gumbel_law(epsilon: float, deficit: float, *, rate: float = 0.5) -> Evidence:
    """Distance of the softmax of epsilon G / 2 from what Gumbel noise of scale 2 / epsilon selects."""
    law = mechanisms.report_noisy_max_pmf([0.0, -deficit], noise="gumbel", scale=2 / epsilon)
    stated = 1 / (1 + math.exp(min(rate * epsilon * deficit, 700)))
    return Evidence(measured=abs(float(law[1]) - stated), limit=1e-9, detail="P(second of two actions).")


def better_than_theorem_1(n_actions: int, gap: float, epsilon: float, *, exponent: float = 1.0) -> Evidence:
    """Rate of Theorem 2 against that of Theorem 1 at T = K**exponent, without constants."""
    log_k = math.log(n_actions)
    first, second = (log_k / gap + factor * log_k**2 / epsilon for factor in (exponent, 1.0))
    return Evidence(measured=second, limit=first * (1 + EXACT), detail="T = K to a power.")


@worst
def epoch_count(horizon: int, *, form: str = "corrected") -> Iterator[Evidence]:
    """Rounds before the last epoch, and after it, against T."""
    epochs = max(horizon - 2, 0).bit_length() + 1 if form == "printed" else horizon.bit_length()
    yield Evidence(measured=float(2**epochs - 1), limit=float(horizon), relation=">=", detail="Rounds in all.")
    yield Evidence(measured=float(2 ** (epochs - 1)), limit=float(horizon), detail="First of the last epoch.")
