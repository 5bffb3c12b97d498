"""The statements at one point of their ranges: exact, in milliseconds. Some take arrays of points.

Losses are fixed, or bits: of two actions, one of them better by the gap, or opposite bits in every round.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from inspect import signature
from itertools import product
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from replicate import audit, mechanisms
from replicate.budget import cache
from replicate.claims.evidence import EXACT, Check, Evidence, at_least, at_most, worst
from replicate.learners import dyadic
from replicate.mechanisms import NOISES
from replicate.papers.noisy_leader import algorithms, bounds, experiments, lemmas
from replicate.papers.noisy_leader import privacy as audited
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
    """Make a corner of an upper bound: it is compared with exact regrets with each noise on each kind of losses.

    Kinds are ``"fixed"``, the same and resampled as bits (``"resampled"``, which has no other distribution at gap
    1), and bits, ``"independent"`` or ``"opposite"``. A bound is given those of the sizes that it reads.
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
            yield at_most(regret, limit, **known).mixed(uniform)

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
def tilt(q: ArrayLike, h: ArrayLike, *, direction: str = "forward") -> Iterator[Evidence]:
    """NL-F14: largest f(q - h) - exp(h) f(q), densities of scale 1; ``"backward"``: f(q + h).

    The noises of the paper move forward at no more than this rate; exponential noise does not move backward so.
    """
    moved = np.add(q, h) if direction == "backward" else np.subtract(q, h)
    laws = {"gumbel": scipy.stats.gumbel_r, "exponential": scipy.stats.expon, "laplace": scipy.stats.laplace}
    for noise, law in laws.items():
        excess = float(np.max(law.pdf(moved) - np.exp(h) * law.pdf(q)))
        yield at_most(excess, 1e-12, f"{noise} noise.")


# Lower bounds


LEARNERS = (*NOISES, "prefix_softmax")


def _played(
    learners: tuple[str, ...], bound: float, constant: float, n_actions: int, epsilon: float, horizon: int
) -> Iterator[Evidence]:
    """Exact regrets on Theorem 3's instances over a bound, against `constant`."""
    sizes: dict[str, Any] = {"n_actions": n_actions, "epsilon": epsilon, "horizon": horizon}
    for name in learners:
        regret = experiments.lower_bound_regret(name, **sizes)
        detail = f"Closest: {name}, K={n_actions}, ε={epsilon:.3g}, T={horizon}: {regret:.4g}, bound {bound:.4g}."
        yield at_least(regret / bound, constant * (1 - EXACT), detail)


def _lower(*forms: Callable[..., float]) -> Check:
    """Make a corner of a lower bound, the last of these forms, which is at least each of the others."""

    @worst
    def corner(
        n_actions: int,
        epsilon: float,
        horizon: int,
        *,
        learners: tuple[str, ...] = LEARNERS,
        constant: float = 1.0,
    ) -> Iterator[Evidence]:
        *smaller, bound = (form(n_actions=n_actions, epsilon=epsilon, horizon=horizon) for form in forms)
        for other in smaller:
            yield at_least(bound, other * (1 - EXACT), aside=True)
        yield from _played(learners, bound, constant, n_actions, epsilon, horizon)

    return corner


theorem_3 = _lower(bounds.theorem_3)  # as printed
theorem_3_integral = _lower(bounds.theorem_3, bounds.theorem_3_integral)
theorem_3_sum = _lower(bounds.theorem_3, bounds.theorem_3_integral, bounds.theorem_3_sum)


@worst
def order_of_theorem_3(
    n_actions: int, epsilon: float, horizon: int, *, constant: float = math.log2(4 / 3)
) -> Iterator[Evidence]:
    """Exact regrets of four learners, and our closed form for every learner, over log K / epsilon."""
    order = math.log(n_actions) / epsilon
    known = bounds.theorem_3_integral(n_actions=n_actions, epsilon=epsilon, horizon=horizon)
    detail = f"Closest: any learner, K={n_actions}, ε={epsilon:.3g}, T={horizon}: at least {known:.4g}."
    yield from _played(LEARNERS, order, constant, n_actions, epsilon, horizon)
    yield at_least(known / order, constant * (1 - EXACT), detail)


# Privacy


@worst
def privacy(n_actions: int, epsilon: float, n_rounds: int, *, divisor: float = 1) -> Iterator[Evidence]:
    """Exact worst loss of a selection from so many rounds of losses, the noise that ships divided by `divisor`."""
    for noise in NOISES:
        scale = audited.shipped(noise, epsilon=epsilon).scale / divisor
        loss = audit.report_noisy_max_privacy_loss(n_actions, noise=noise, scale=scale, n_rounds=n_rounds)
        yield at_most(loss, epsilon * (1 + EXACT), f"Exact loss with {noise} noise.")


def exponential_loss(epsilon: float, *, calibration: str = "printed") -> Evidence:
    """Exact loss of exponential noise as it ships, on two rounds of two actions: as printed it exceeds epsilon."""
    scale = audited.shipped("exponential", epsilon=epsilon, calibration=calibration).scale
    loss = audit.report_noisy_max_privacy_loss(2, noise="exponential", scale=scale, n_rounds=2)
    same = audit.report_noisy_max_privacy_loss(2, noise="exponential", scale=scale, monotone=True)
    detail = f"If all scores moved the same way: {same:g}. K = 2, a block of 2."
    return at_least(loss, epsilon * (1 + 1e-6), detail)


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
        yield at_most(float(law[1]), limit, f"Exact P(J = 2) with {noise} noise.")


def wrong_after(losses: str, gap: float, rounds: int, noise: str, scale: float) -> float:
    """P(the worse of two actions is selected from n rounds), exact.

    The losses differ by 1 or -1 in every round (``"opposite"``), or are independent Bernoulli ones
    (``"independent"``), or all rounds have one loss vector (``"one loss vector"``), which is not iid.
    """
    if losses == "independent":
        means = [0.5 - gap / 2, 0.5 + gap / 2]
        return float(lemmas.selection_law(means, rounds=rounds, noise=noise, scale=scale)[1])
    drawn = 1 if losses == "one loss vector" else rounds
    ups = np.arange(drawn + 1)
    lead = (2 * ups - drawn) * (rounds // drawn)
    law = mechanisms.report_noisy_max_pmf(np.stack([0 * lead, -lead], axis=-1), noise=noise, scale=scale)
    return float(scipy.stats.binom.pmf(ups, drawn, (1 + gap) / 2) @ law[:, 1])


@worst
def tail(
    noises: tuple[str, ...], losses: str, gap: float, epsilon: float, rounds: int, *,
    c2: float | None = None, any_losses: bool = False, constant: float = 1.0,
) -> Iterator[Evidence]:  # fmt: skip
    """(7): P(the worse of two is selected) over c1 exp(-4 n gap min(gap, epsilon) / c2), against `constant`.

    The constants are ours unless c2 is given, those for any joint distribution of a round's losses or for
    independent ones.
    """
    for noise in noises:
        derive = bounds.tail_constants_of_any_losses if any_losses else bounds.tail_constants
        c1, known = derive(noise)
        limit = c1 * math.exp(-4 * rounds * gap * min(gap, epsilon) / (c2 or known))
        wrong = wrong_after(losses, gap, rounds, noise, algorithms.noise_scale(noise, epsilon=epsilon))
        detail = f"Closest: {noise}, ε={epsilon:g}, gap={gap:g}, n={rounds}: P={wrong:.3g}, bound {limit:.3g}."
        yield at_most(wrong / max(limit, 1e-200), constant * (1 + EXACT), detail)


def tail_of_laplace(gap: float, epsilon: float, rounds: int) -> Evidence:
    """(4)."""
    return tail(("laplace",), "independent", gap, epsilon, rounds)


def tail_of_others(gap: float, epsilon: float, rounds: int) -> Evidence:
    """(7)."""
    return tail(("gumbel", "exponential"), "independent", gap, epsilon, rounds)


def tail_of_any_losses(gap: float, epsilon: float, rounds: int) -> Evidence:
    """(7) with constants for any joint distribution of a round's losses."""
    return tail(NOISES, "opposite", gap, epsilon, rounds, any_losses=True)


def deficits(sums: FloatArray, scale: float = 1.0) -> Evidence:
    """Expected deficit of exponential noise of `scale` over that of Gumbel noise of scale 1.

    The deficit of an action is the difference of its sum of losses from the least one.
    """
    flip, softmax = (
        float(mechanisms.report_noisy_max_pmf(-sums, noise=noise, scale=b) @ sums)
        for noise, b in (("exponential", scale), ("gumbel", 1.0))
    )
    detail = f"Closest: K={len(sums)}, largest deficit {sums.max():.3g}: {flip:.4g} against {softmax:.4g}."
    return at_most(flip / max(softmax, 1e-300), 1 + EXACT, detail)


def dominance(n_actions: int, deficit: float, *, scale: float = 1.0) -> Evidence:
    """NL-MS where all deficits are alike."""
    return deficits(_vector(n_actions, deficit), scale)


def _vector(n_actions: int, entry: float, least: float = 0.0) -> FloatArray:
    """A vector a of one least entry and others."""
    return np.where(np.arange(n_actions) > 0, entry, least)


def slope(a: FloatArray, x: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """f(x) of Lemma 2 and its derivative, by a complex step: the shape of x, both."""
    value, moved = (lemmas.smooth_sum(np.asarray(at), a) for at in (x, np.add(x, 1e-30j)))
    return np.asarray(np.real(value)), np.asarray(np.imag(moved) / 1e-30)


@worst
def lemma_2(
    n_actions: int, entry: float, x: float, *, constant: float = math.log(2), negative: bool = False
) -> Iterator[Evidence]:
    """f'(x) <= log 2 f(x), entries 0 and a; where f is negative, entries -a and a, or -a and 0."""
    for least, most in ((-entry, 0.0), (-entry, entry)) if negative else ((0.0, entry),):
        value, rise = map(float, slope(_vector(n_actions, most, least), x))
        yield at_most(rise, constant * value + EXACT * abs(value), "f' against log 2 f.")


lemma_2_negative = partial(lemma_2, negative=True)


def lemma_3(n_actions: int, entry: float) -> Evidence:
    """Sum of f(r) against (1 + log 2) times the integral."""
    a = _vector(n_actions, entry)
    return at_most(lemmas.lemma_sum(a), float(bounds.lemma_3(lemmas.lemma_integral(a))), "Sum against integral.")


def lemma_3_integral(n_actions: int, entry: float, *, form: str = "corrected") -> Evidence:
    """The integral of f by quadrature, from its closed form; printed is 2 log K / log 2."""
    a = _vector(n_actions, entry)
    value = 2 * math.log(n_actions) if form == "printed" else math.log(np.exp(-a).sum())
    distance = abs(lemmas.lemma_integral(a) - value / math.log(2))
    return at_most(distance, 1e-6, "Distance of the integral from its value.")


def falling(law: FloatArray, detail: str) -> Iterator[Evidence]:
    """P(J = j) falls in j, hence is at most 1/j: actions sorted by mean."""
    next_best, times_rank = (law[1:] / np.maximum(law[:-1], 1e-15)).max(), (law * np.arange(1, len(law) + 1)).max()
    for name, largest in (("P(J = j+1) / P(J = j)", next_best), ("j P(J = j)", times_rank)):
        yield at_most(float(largest), 1 + EXACT, f"Closest: {name}, {detail}.")


@worst
def lemma_1(low: float, middle: float, high: float, rounds: int) -> Iterator[Evidence]:
    """Three independent actions with these means, sorted, exact."""
    for noise, scale in product(NOISES, (0.1, 2.0, 200.0)):
        law = lemmas.selection_law(np.sort([low, middle, high]), rounds=rounds, noise=noise, scale=scale)
        yield from falling(law, f"{noise}, scale {scale}")


def lemma_4(rounds: int, p: ArrayLike, *, order: str = "increasing") -> Evidence:
    """F(k; n, p') - F(k; n, p) for every k, p' the neighbour of p in a grid, or further up for a single p."""
    means = np.asarray(p) if np.ndim(p) else np.add(p, np.multiply(np.subtract(1, p), (0, 1e-3, 0.5, 1)))
    rise = np.diff(lemmas.binomial_cdf(rounds, means[:: 1 if order == "increasing" else -1]), axis=0).max()
    return at_most(float(rise), 1e-12, f"Largest rise, n={rounds}.")


@worst
def two_actions(
    low: float, gap: float, scale: float, law: str = "independent",
    noises: tuple[str, ...] = (*NOISES, "threshold"), most_rounds: int = 60,
) -> Iterator[Evidence]:  # fmt: skip
    """P(the worse of two is selected) from n + 1 rounds over that from n, losses independent or opposite bits."""
    steps = dyadic.difference_law(low, low + gap)
    if law == "opposite":
        steps = np.array([(1 - gap) / 2, 0, (1 + gap) / 2])
    for noise in noises:
        wrong = lemmas.wrong_of_two(steps, most_rounds=most_rounds, noise=noise, scale=scale)
        ratio = float((wrong[1:] / np.maximum(wrong[:-1], 1e-14)).max())
        yield at_most(ratio, 1 + EXACT, f"Closest: {noise} {scale:g}, means {low:g} and {low + gap:g}.")


def gumbel_law(epsilon: float, deficit: float, *, rate: float = 0.5) -> Evidence:
    """Distance of the softmax of epsilon G / 2 from what Gumbel noise of scale 2 / epsilon selects."""
    law = mechanisms.report_noisy_max_pmf([0.0, -deficit], noise="gumbel", scale=2 / epsilon)
    stated = 1 / (1 + math.exp(min(rate * epsilon * deficit, 700)))
    return at_most(abs(float(law[1]) - stated), 1e-9, "P(second of two actions).")


def better_than_theorem_1(n_actions: int, gap: float, epsilon: float, *, exponent: float = 1.0) -> Evidence:
    """Rate of Theorem 2 over that of Theorem 1 at T = K**exponent, without constants."""
    log_k = math.log(n_actions)
    first, second = (log_k / gap + factor * log_k**2 / epsilon for factor in (exponent, 1.0))
    return at_most(second / first, 1 + EXACT, "T = K to a power.")


@worst
def epoch_count(horizon: int, *, form: str = "corrected") -> Iterator[Evidence]:
    """Rounds before the last epoch, and after it, against T."""
    epochs = max(horizon - 2, 0).bit_length() + 1 if form == "printed" else horizon.bit_length()
    yield at_least(float(2**epochs - 1), float(horizon), "Rounds in all.")
    yield at_most(float(2 ** (epochs - 1)), float(horizon), "First of the last epoch.")
