"""Checks of the lemmas and tails by exact computation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Literal

import numpy as np
import scipy

from replicate import mechanisms
from replicate.budget import cache
from replicate.claims.evidence import EXACT, Evidence, worst
from replicate.learners import dyadic
from replicate.papers.noisy_leader import algorithms, bounds, lemmas
from replicate.papers.noisy_leader.instances import DEPENDENT_CHANCES, DEPENDENT_OUTCOMES
from replicate.papers.noisy_leader.lemmas import binomial_cdf, selection_law
from replicate.streams import stream
from replicate.validation import FloatArray

Relation = Literal["<=", ">="]
"""``"<="``: the statement holds everywhere; ``">="``: it fails somewhere."""


def equation_7(
    profile: str,
    seed: int,
    *,
    noises: tuple[str, ...],
    c2: float | Literal["derived"],
    constant: float = 1.0,
    relation: Relation = "<=",
) -> Evidence:
    """Largest exact P(J_r = 2) over `constant` times (7), two actions, up to 2**9 or 2**11 rounds.

    The constant is a factor of c1.
    """
    epochs = range(1, 11 if profile == "quick" else 13)
    cases = []
    for noise, epsilon, gap, epoch in product(noises, (0.1, 0.5, 2.0), (0.1, 0.3, 0.6, 1.0), epochs):
        known = None if c2 == "derived" else c2
        limit = float(bounds.equation_7(epoch, gap, epsilon=epsilon, noise=noise, c2=known))
        if limit < 1e-200:
            continue
        scale = algorithms.noise_scale(noise, epsilon=epsilon)
        wrong = _wrong_after("independent", gap, 2 ** (epoch - 1), noise, scale)
        detail = f"Closest: {noise}, ε={epsilon:g}, gap={gap:g}, r={epoch}: P={wrong:.3g}, bound {limit:.3g}."
        cases.append(Evidence(measured=wrong / limit, limit=constant * (1 + EXACT), detail=detail))
    return _somewhere(cases, relation)


def _somewhere(cases: list[Evidence], relation: Relation) -> Evidence:
    """Return the worst piece: against its limit everywhere, or as one place where the statement fails."""
    worst = Evidence.worst(cases)
    return worst if relation == "<=" else replace(worst, relation=relation, pieces=())


def equation_9(
    profile: str, seed: int, *, resample: bool, constant: float = 1.0, relation: Relation = "<="
) -> Evidence:
    """Largest exact P(J_r = j) over `constant` times (9), deterministic losses; two actions, gap 0.05 if B = 1."""
    cases, rng = [], stream(seed, "noisy_leader/equation_9")
    vectors = [np.append(0, np.sort(rng.random(k))) for k in (1, 3, 15, 63)]
    gaps = [np.array([0.0, 0.05])] if resample else vectors
    for noise, delta, epoch in product(mechanisms.NOISES, gaps, range(1, 11)):
        scale, n = algorithms.noise_scale(noise, epsilon=1.0), 2 ** (epoch - 1)
        if resample:
            law = selection_law(0.5 + delta, rounds=n, noise=noise, scale=scale)
        else:
            law = mechanisms.report_noisy_max_pmf(-n * delta, noise=noise, scale=scale)
        limit = bounds.equation_9(epoch, delta, epsilon=1.0, noise=noise)
        ratio = (law / np.maximum(limit, 1e-200))[1:].max()
        detail = f"Closest: {noise}, K={len(delta)}, r={epoch}."
        cases.append(Evidence(measured=float(ratio), limit=constant * (1 + EXACT), detail=detail))
    return _somewhere(cases, relation)


@worst
def lemma_1(profile: str, seed: int, *, actions: str) -> Iterator[Evidence]:
    """Largest P(J = j+1) / P(J = j) and j P(J = j), actions sorted by mean; exact laws.

    With ``"independent"`` actions, binomial sums; with ``"dependent"`` ones, one round of `DEPENDENT_OUTCOMES`,
    whose third action has the largest mean.
    """
    for law, detail in _laws(profile, seed, actions):
        next_best, times_rank = (law[1:] / law[:-1]).max(), (law * np.arange(1, len(law) + 1)).max()
        for name, largest in (("P(J = j+1) / P(J = j)", next_best), ("j P(J = j)", times_rank)):
            yield Evidence(measured=float(largest), limit=1 + EXACT, detail=f"Closest: {name}, {detail}.")


def _laws(profile: str, seed: int, actions: str) -> Iterator[tuple[FloatArray, str]]:
    """Laws of a selection from Bernoulli losses of 2 to 4 actions, or from dependent ones, with descriptions."""
    if actions == "dependent":
        for noise in mechanisms.NOISES:
            law = DEPENDENT_CHANCES @ mechanisms.report_noisy_max_pmf(-DEPENDENT_OUTCOMES, noise=noise, scale=0.5)
            yield law, f"{noise}, K=3, one round of dependent actions"
        return
    rng = stream(seed, "noisy_leader/lemma_1")
    cases = [np.sort(rng.random(k)) for k in (2, 3, 3, 4) for _ in range(3 if profile == "quick" else 12)]
    for noise, means in product(mechanisms.NOISES, cases):
        law = selection_law(means, rounds={2: 64, 3: 12, 4: 5}[len(means)], noise=noise, scale=2.0)
        yield law, f"{noise}, K={len(law)}, means {np.round(means, 2).tolist()}"


def _vectors(seed: int) -> list[FloatArray]:
    """Vectors a with smallest entry 0, of 2 to 200 entries and many scales."""
    rng = stream(seed, "noisy_leader/lemmas")
    drawn = [
        np.append(0, rng.exponential(10.0 ** rng.uniform(-4, 1), size=k))
        for k in (1, 2, 5, 30, 199)
        for _ in range(8)
    ]
    steep = [np.append(0, np.full(4095, c * np.log(4096) / 32)) for c in (0.7, 0.8, 0.9)]
    return [*drawn, *steep, *(np.append(0, np.full(k, 1e-6)) for k in (1, 30, 1000))]


@cache
def _integrals(seed: int) -> list[tuple[FloatArray, float]]:
    """The vectors with the integral of f over [0, inf), by quadrature."""
    return [(a, lemmas.lemma_integral(a)) for a in _vectors(seed)]


def lemma_2(profile: str, seed: int, *, constant: float) -> Evidence:
    """Largest f'(x) / f(x), the derivative by a complex step, against the lemma's constant."""
    detail = "Worst where all 2^x a_i are small: f is then proportional to 2^x."
    return Evidence(measured=_steepest(seed), limit=constant * (1 + EXACT), detail=detail)


@cache
def _steepest(seed: int) -> float:
    """Largest f'(x) / f(x)."""
    x = np.linspace(-10, 20, 301)
    ratios = []
    for a in _vectors(seed):
        value = np.real(lemmas.smooth_sum(x, a))
        slope = np.imag(lemmas.smooth_sum(x + 1e-30j, a)) / 1e-30
        keep = value > 1e-200
        ratios.append(float((slope[keep] / value[keep]).max()))
    return max(ratios)


def lemma_3(profile: str, seed: int, *, constant: float) -> Evidence:
    """Largest sum of f(r), r >= 1, over the integral of f, by quadrature, against the lemma's constant."""
    ratios = [lemmas.lemma_sum(a) / integral for a, integral in _integrals(seed)]
    detail = "2 log 2 = 1.386 in place of 1 + log 2 = 1.693 follows from our potential argument."
    return Evidence(measured=max(ratios), limit=constant, detail=detail)


def lemma_3_integral(profile: str, seed: int, *, form: str, relation: Relation = "<=") -> Evidence:
    """Largest distance of the quadrature from log(sum exp(-a_i)) / log 2, or from the printed 2 log K / log 2."""
    errors = []
    for a, integral in _integrals(seed):
        value = 2 * np.log(len(a)) if form == "printed" else np.log(np.exp(-a).sum())
        errors.append(abs(integral - value / np.log(2)))
    detail = f"{len(errors)} vectors, K from 2 to 4096."
    return Evidence(measured=max(errors), limit=1e-6, relation=relation, detail=detail)


def lemma_4(profile: str, seed: int, *, order: str) -> Evidence:
    """Largest F(k; n, p2) - F(k; n, p1) over k, n and neighbours p1, p2 of a grid in the given order."""
    grid = np.linspace(0, 1, 101)
    p = grid if order == "increasing" else grid[::-1]
    rise = max(float(np.diff(binomial_cdf(n, p), axis=0).max()) for n in (1, 2, 7, 64, 500))
    return Evidence(measured=rise, limit=1e-12, detail="n up to 500, p on a grid of 101 values.")


@worst
def monotone_in_rounds(profile: str, seed: int, *, noise_power: float) -> Iterator[Evidence]:
    """Largest F_{n+1} / F_n of the expected gap of the selected action, Bernoulli losses, exact.

    The noise has the scale 2 / epsilon times n**noise_power.
    """
    rng = stream(seed, "noisy_leader/monotone")
    pairs = [np.array(m) for m in ([0.5, 0.51], [0.0, 0.1], [0.9, 1.0], [0.45, 0.55], [0.0, 1.0])]
    triples = [np.sort(rng.random(3)) ** power for power in (1, 3)]
    most_rounds = {2: 24, 3: 8} if profile == "quick" else {2: 60, 3: 14}
    for noise, epsilon, means in product(mechanisms.NOISES, (0.1, 1.0, 10.0), [*pairs, *triples]):
        most = most_rounds[len(means)]
        scales = algorithms.noise_scale(noise, epsilon=epsilon) * np.arange(1, most + 1.0) ** noise_power
        values = lemmas.expected_gaps(means, most_rounds=most, noise=noise, scales=scales)
        values = values[values > 1e-14]
        ratio = float((values[1:] / values[:-1]).max(initial=0))
        detail = f"Closest: {noise}, ε={epsilon:g}, means {np.round(means, 2).tolist()}."
        yield Evidence(measured=ratio, limit=1 + EXACT, detail=detail)


@worst
def tail_of_any_losses(profile: str, seed: int, *, losses: str, constant: float = 1.0) -> Iterator[Evidence]:
    """Largest exact P(J_r = 2) over `constant` times (7) with `bounds.tail_constants_of_any_losses`, two actions.

    The losses differ by 1 or -1 in every round (``"opposite"``), or are independent Bernoulli ones
    (``"independent"``), or all rounds have one loss vector (``"one loss vector"``), which is not iid.
    """
    for noise, epsilon, gap in product(mechanisms.NOISES, (0.1, 0.5, 2.0), (0.05, 0.3, 0.6, 1.0)):
        c1, c2 = bounds.tail_constants_of_any_losses(noise)
        scale = algorithms.noise_scale(noise, epsilon=epsilon)
        for epoch in range(1, 10 if profile == "quick" else 12):
            n = 2 ** (epoch - 1)
            limit = c1 * np.exp(-4 * n * gap * min(gap, epsilon) / c2)
            if limit < 1e-200:
                continue
            wrong = _wrong_after(losses, gap, n, noise, scale)
            detail = f"Closest: {noise}, ε={epsilon:g}, gap={gap:g}, r={epoch}: P={wrong:.3g}, bound {limit:.3g}."
            yield Evidence(measured=wrong / limit, limit=constant * (1 + EXACT), detail=detail)


def _wrong_after(losses: str, gap: float, rounds: int, noise: str, scale: float) -> float:
    """P(the worse of two actions is selected from n rounds) of `tail_of_any_losses`, exact."""
    if losses == "independent":
        means = [0.5 - gap / 2, 0.5 + gap / 2]
        return float(selection_law(means, rounds=rounds, noise=noise, scale=scale)[1])
    drawn = 1 if losses == "one loss vector" else rounds
    ups = np.arange(drawn + 1)
    lead = (2 * ups - drawn) * (rounds // drawn)
    law = mechanisms.report_noisy_max_pmf(np.stack([0 * lead, -lead], axis=-1), noise=noise, scale=scale)
    return float(scipy.stats.binom.pmf(ups, drawn, (1 + gap) / 2) @ law[:, 1])


@worst
def two_actions(profile: str, seed: int, *, losses: str) -> Iterator[Evidence]:
    """Largest P_{n+1} / P_n of the probability of selecting the worse of two actions, noises and thresholds.

    ``"independent"`` losses are Bernoulli, ``"opposite"`` ones differ by 1 or -1 in every round.
    """
    selectors = [*product(mechanisms.NOISES, (0.2, 2.0, 20.0)), ("threshold", 2.0), ("threshold", 5.0)]
    pairs = ((0.5, 0.51), (0.3, 0.5), (0.45, 0.55), (0.1, 0.6), (0.9, 1.0))
    for (noise, scale), (low, high) in product(selectors, pairs):
        steps = dyadic.difference_law(low, high)
        if losses == "opposite":
            steps = np.array([(1 - high + low) / 2, 0, (1 + high - low) / 2])
        wrong = lemmas.wrong_of_two(steps, most_rounds=40 if profile == "quick" else 100, noise=noise, scale=scale)
        kept = wrong[wrong > 1e-14]
        ratio = float((kept[1:] / kept[:-1]).max())
        detail = f"Closest: {noise} {scale:g}, means {low} and {high}."
        yield Evidence(measured=ratio, limit=1 + EXACT, detail=detail)


@worst
def tilt(profile: str, seed: int, *, direction: str) -> Iterator[Evidence]:
    """Largest f(q - h) - exp(h) f(q) over q and h >= 0, densities of scale 1; ``"backward"``: f(q + h).

    The noises of the paper move forward at no more than this rate; exponential noise does not move backward so.
    """
    q, h = np.linspace(-40, 40, 3201)[:, None], np.linspace(0, 20, 401)
    moved = q + h if direction == "backward" else q - h
    laws = {"gumbel": scipy.stats.gumbel_r, "exponential": scipy.stats.expon, "laplace": scipy.stats.laplace}
    for noise, law in laws.items():
        measured = float((law.pdf(moved) - np.exp(h) * law.pdf(q)).max())
        yield Evidence(measured=measured, limit=1e-12, detail=f"{noise} noise.")


def one_round(profile: str, seed: int, *, losses: str) -> Evidence:
    """Largest E Phi(s + l) - Phi(s + x), step (b) of the proof, over scores and laws of one round, three actions.

    Phi(s) = E max (Q_k - s_k) + s_1, x_1 = 0, x_k = -(log E exp(-eta l_k) + log E exp(eta l_1)) / eta, in units of
    1 / eta. Losses are ``"independent"``, on two values each, or the second and third are ``"opposite"`` fair bits
    and the first is 0.
    """
    rng, cases = stream(seed, "noisy_leader/one round"), []
    for noise, eta in product(mechanisms.NOISES, (0.05, 0.2, 0.5, 1.0, 2.0, 4.0)):
        for _ in range(4 if profile == "quick" else 40):
            s = np.append(0, rng.uniform(-3, 3, size=2))
            values, chance = np.sort(rng.random((3, 2)), axis=1), rng.random(3)
            outcomes = np.array(list(product(*values)))
            weights = np.array([np.prod(w) for w in product(*np.column_stack([1 - chance, chance]))])
            if losses == "opposite":
                outcomes, weights = np.array([[0, 0, 1], [0, 1, 0]]), np.array([0.5, 0.5])
            x = -np.log(weights @ np.exp(-eta * outcomes)) - np.log(weights @ np.exp(eta * outcomes[:, 0]))
            left = weights @ _phi(s + eta * outcomes, noise)
            excess = float(left - _phi(s + np.append(0, x[1:]), noise))
            cases.append(Evidence(measured=excess, limit=1e-11, detail=f"{noise}, η={eta:g}."))
    return Evidence.worst(cases)


def one_epoch(profile: str, seed: int, *, step: float) -> Evidence:
    """Largest `step` times the cost of an epoch over the potential that it uses up, step (c) of the proof.

    Exact: three actions of independent Bernoulli losses, 2 n E sum P_k (gap_k - eta / 2) over 4 (Phi(n gap / 2) -
    Phi(n gap)), gaps of at least 2 eta.
    """
    cases, most = [], 3 if profile == "quick" else 5
    gaps = ((2, 2), (2, 4), (3, 3), (2, 20), (6, 6))
    for noise, eta, (second, third), power in product(
        mechanisms.NOISES, (0.02, 0.1, 0.25, 0.5), gaps, range(most)
    ):
        n, delta = 2**power, eta * np.array([0.0, second, third])
        if delta[2] > 1:
            continue
        law = selection_law((1 - delta[2]) / 2 + delta, rounds=n, noise=noise, scale=1 / eta)
        used = 4 * (_phi(n * eta * delta / 2, noise) - _phi(n * eta * delta, noise)) / eta
        cost = 2 * n * float(law[1:] @ (delta[1:] - eta / 2))
        detail = f"Closest: {noise}, η={eta:g}, gaps {delta[1]:g} and {delta[2]:g}, n={n}."
        cases.append(Evidence(measured=step * cost / float(used), limit=1.0, detail=detail))
    return Evidence.worst(cases)


def _phi(scores: FloatArray, noise: str) -> FloatArray:
    """E max (Q_k - s_k) + s_1, noise of scale 1."""
    return lemmas.expected_best(scores, noise=noise) + scores[..., 0]


@worst
def dominance(profile: str, seed: int, *, scale: float) -> Iterator[Evidence]:
    """Largest expected deficit of exponential noise of `scale` over that of Gumbel noise of scale 1.

    The deficit of an action is the difference of its sum of losses from the least one; random sums, up to 40.
    """
    rng = stream(seed, "noisy_leader/dominance")
    sizes = np.repeat([1, 2, 15, 63], 40)
    drawn = [np.append(0, rng.exponential(10.0 ** rng.uniform(-2, 1.2), size=k)) for k in sizes]
    for sums in [*(np.array([0.0, x]) for x in (0.01, 1.0, 10.0, 40.0)), *drawn]:
        if sums.max() > 100:
            continue
        flip = mechanisms.report_noisy_max_pmf(-sums, noise="exponential", scale=scale) @ sums
        softmax = mechanisms.report_noisy_max_pmf(-sums, noise="gumbel", scale=1.0) @ sums
        detail = f"Closest: K={len(sums)}, largest deficit {sums.max():.3g}: {flip:.4g} against {softmax:.4g}."
        yield Evidence(measured=float(flip / softmax), limit=1 + EXACT, detail=detail)


def lemma_2_negative(profile: str, seed: int, *, constant: float) -> Evidence:
    """Smallest f'(x) / f(x) where f(x) < 0, against the constant: f' <= constant f there.

    Vectors with a negative smallest entry; x up to where 2**x |a| is 500.
    """
    cases = []
    for a in _vectors(seed):
        shifted = a - 0.5 * a.max()
        x = np.linspace(-12, np.log2(500 / np.abs(shifted).max()), 301)
        value = np.real(lemmas.smooth_sum(x, shifted))
        slope = np.imag(lemmas.smooth_sum(x + 1e-30j, shifted)) / 1e-30
        keep = value < -1e-200
        if keep.any():
            ratio = float((slope[keep] / value[keep]).min())
            cases.append(Evidence(measured=ratio, limit=constant * (1 - EXACT), relation=">="))
    detail = "Closest where all 2^x a_i are small; at every x the slope is log 2 (f - Var), Var a variance."
    return replace(Evidence.worst(cases), detail=detail)


@worst
def better_than_theorem_1(profile: str, seed: int, *, exponent: float) -> Iterator[Evidence]:
    """Largest rate of Theorem 2 over that of Theorem 1 at T = K**exponent, without constants.

    K from 2 to 2**20, gap and epsilon from 0.001 to 1.
    """
    for power, gap, epsilon in product(range(1, 21), (0.001, 0.1, 1.0), (0.001, 0.1, 1.0)):
        log_k = power * np.log(2)
        ratio = (log_k / gap + log_k**2 / epsilon) / (log_k / gap + exponent * log_k**2 / epsilon)
        detail = f"Closest: K=2^{power}, gap={gap:g}, ε={epsilon:g}."
        yield Evidence(measured=float(ratio), limit=1 + EXACT, detail=detail)
