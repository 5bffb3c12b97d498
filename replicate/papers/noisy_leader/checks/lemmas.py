"""Checks by exact computation: the lemmas, the tails, the selection laws, privacy, and what is printed."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
from scipy import integrate

from replicate import mechanisms
from replicate.claims import EXACT, Evidence
from replicate.learners import dyadic
from replicate.papers.noisy_leader import algorithms, bounds, lemmas
from replicate.papers.noisy_leader.lemmas import binomial_cdf, selection_law
from replicate.streams import stream
from replicate.validation import FloatArray

__all__ = [
    "epochs",
    "equation_7",
    "equation_9",
    "gumbel_tail",
    "laplace_density",
    "lemma_1",
    "lemma_2",
    "lemma_3",
    "lemma_3_integral",
    "lemma_4",
    "monotone_in_rounds",
]


def equation_7(profile: str, seed: int, *, c2: float | None) -> Evidence:
    """Largest exact P(J_r = 2) over (7) for two actions, all noises, epochs up to 2**9 or 2**11 rounds."""
    pieces = []
    grid = product(
        mechanisms.NOISES, (0.1, 0.5, 2.0), (0.1, 0.3, 0.6, 1.0), range(1, 11 if profile == "quick" else 13)
    )
    for noise, epsilon, gap, epoch in grid:
        limit = float(bounds.equation_7(epoch, gap, epsilon=epsilon, noise=noise, c2=c2))
        if limit < 1e-200:
            continue
        scale = algorithms.noise_scale(noise, epsilon=epsilon)
        means = [0.5 - gap / 2, 0.5 + gap / 2]
        law = selection_law(means, rounds=2 ** (epoch - 1), noise=noise, scale=scale)
        detail = f"Closest: {noise}, ε={epsilon:g}, gap={gap:g}, r={epoch}: P={law[1]:.3g}, bound {limit:.3g}."
        pieces.append(Evidence(measured=law[1] / limit, limit=1 + EXACT, detail=detail))
    return Evidence.worst(pieces)


def gumbel_tail(profile: str, seed: int, *, halved: bool) -> Evidence:
    """Exact P(J_r = 2) with Gumbel noise over the last display of Appendix D, K = 2, epsilon = 0.1, gap 0.3.

    Printed is exp(-n gap epsilon / 2) + exp(-n gap**2 / 4), n = 2**(r-1); `halved` has epsilon / 4 in the first.
    """
    epsilon, gap, n = 0.1, 0.3, 2**11
    law = selection_law([0.35, 0.65], rounds=n, noise="gumbel", scale=2 / epsilon)
    limit = np.exp(-n * gap * epsilon / (4 if halved else 2)) + np.exp(-n * gap**2 / 4)
    detail = f"n = 2^11 rounds: P = {law[1]:.3g}, bound {limit:.3g}."
    return Evidence(measured=law[1] / limit, limit=1.0, relation=">=", detail=detail)


def equation_9(profile: str, seed: int, *, resample: bool) -> Evidence:
    """Largest exact P(J_r = j) over (9) on deterministic losses; with `resample`, two actions and B = 1."""
    pieces = []
    rng = stream(seed, "noisy_leader/equation_9")
    gaps = [np.append(0, np.sort(rng.random(k))) for k in (1, 3, 15, 63)]
    epochs = range(1, 11)
    for noise, delta, epoch in product(mechanisms.NOISES, gaps[:1] if resample else gaps, epochs):
        scale, n = algorithms.noise_scale(noise, epsilon=1.0), 2 ** (epoch - 1)
        if resample:
            delta = np.array([0.0, 0.05])
            law = selection_law(0.5 + delta, rounds=n, noise=noise, scale=scale)
        else:
            law = mechanisms.report_noisy_max_pmf(-n * delta, noise=noise, scale=scale)
        limit = bounds.equation_9(epoch, delta, epsilon=1.0, noise=noise)
        ratio = (law / np.maximum(limit, 1e-200))[1:].max()
        detail = f"Closest: {noise}, K={len(delta)}, r={epoch}."
        pieces.append(Evidence(measured=float(ratio), limit=1 + EXACT, detail=detail))
    return Evidence.worst(pieces)


def lemma_1(profile: str, seed: int, *, correlated: bool) -> Evidence:
    """Largest P(J = j+1) / P(J = j) and j P(J = j), actions sorted by mean; exact binomial laws.

    With `correlated`, one round of three actions, losses (0, 0, 1), (1, 1, 0) or (1, 1, 1) with probability 0.5,
    0.45 and 0.05: the third action has the larger mean, but the first two share their good rounds.
    """
    pieces = []
    rng = stream(seed, "noisy_leader/lemma_1")
    cases = [np.sort(rng.random(k)) for k in (2, 3, 3, 4) for _ in range(3 if profile == "quick" else 12)]
    for noise, means in product(mechanisms.NOISES, cases):
        rounds = {2: 64, 3: 12, 4: 5}[len(means)]
        if correlated:
            outcomes = np.array([[0, 0, 1], [1, 1, 0], [1, 1, 1]])
            law = np.array([0.5, 0.45, 0.05]) @ mechanisms.report_noisy_max_pmf(-outcomes, noise=noise, scale=0.5)
        else:
            law = selection_law(means, rounds=rounds, noise=noise, scale=2.0)
        worst = max(float((law[1:] / law[:-1]).max()), float((law * np.arange(1, len(law) + 1)).max()))
        detail = f"Closest: {noise}, K={len(law)}, means {np.round(means, 2).tolist()}."
        pieces.append(Evidence(measured=worst, limit=1 + EXACT, detail=detail))
    return Evidence.worst(pieces)


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
    """Largest f'(x) / (constant f(x)), the derivative by a complex step."""
    x = np.linspace(-10, 20, 301)
    ratios = []
    for a in _vectors(seed):
        value = np.real(lemmas.smooth_sum(x, a))
        slope = np.imag(lemmas.smooth_sum(x + 1e-30j, a)) / 1e-30
        keep = value > 1e-200
        ratios.append(float((slope[keep] / value[keep]).max()))
    detail = "Worst where all 2^x a_i are small: f is then proportional to 2^x."
    return Evidence(measured=max(ratios), limit=constant * (1 + EXACT), detail=detail)


def lemma_3(profile: str, seed: int, *, constant: float) -> Evidence:
    """Largest sum of f(r), r >= 1, over `constant` times the integral of f, by quadrature."""
    ratios = [lemmas.lemma_sum(a) / integral for a, integral in _integrals(seed)]
    detail = "2 log 2 = 1.386 in place of 1 + log 2 = 1.693 follows from our potential argument."
    return Evidence(measured=max(ratios), limit=constant, detail=detail)


def lemma_3_integral(profile: str, seed: int, *, printed: bool) -> Evidence:
    """Largest distance of the quadrature from log(sum exp(-a_i)) / log 2, or from the printed 2 log K / log 2."""
    errors = []
    for a, integral in _integrals(seed):
        value = 2 * np.log(len(a)) if printed else np.log(np.exp(-a).sum())
        errors.append(abs(integral - value / np.log(2)))
    return Evidence(measured=max(errors), limit=1e-6, detail=f"{len(errors)} vectors, K from 2 to 4096.")


def lemma_4(profile: str, seed: int, *, swapped: bool) -> Evidence:
    """Largest F(k; n, p2) - F(k; n, p1) over k, n and p1 < p2."""
    p = np.linspace(0, 1, 101)
    tables = [binomial_cdf(n, p[::-1] if swapped else p) for n in (1, 2, 7, 64, 500)]
    rise = max(float(np.diff(table, axis=0).max()) for table in tables)
    return Evidence(measured=rise, limit=1e-12, detail="n up to 500, p on a grid of 101 values.")


def monotone_in_rounds(profile: str, seed: int, *, heating: float) -> Evidence:
    """Largest F_{n+1} / F_n of the expected gap of the selected action, Bernoulli losses, exact.

    The control lets the noise grow like n**heating.
    """
    rng = stream(seed, "noisy_leader/monotone")
    pairs = [np.array(m) for m in ([0.5, 0.51], [0.0, 0.1], [0.9, 1.0], [0.45, 0.55], [0.0, 1.0])]
    triples = [np.sort(rng.random(3)) ** power for power in (1, 3)]
    pieces = []
    for noise, epsilon, means in product(mechanisms.NOISES, (0.1, 1.0, 10.0), [*pairs, *triples]):
        most = (24 if profile == "quick" else 60) if len(means) == 2 else (8 if profile == "quick" else 14)
        scales = algorithms.noise_scale(noise, epsilon=epsilon) * np.arange(1, most + 1.0) ** heating
        values = lemmas.expected_gaps(means, most_rounds=most, noise=noise, scales=scales)
        values = values[values > 1e-14]
        ratio = float((values[1:] / values[:-1]).max(initial=0))
        detail = f"Closest: {noise}, ε={epsilon:g}, means {np.round(means, 2).tolist()}."
        pieces.append(Evidence(measured=ratio, limit=1 + EXACT, detail=detail))
    return Evidence.worst(pieces)


def laplace_density(profile: str, seed: int, *, printed: bool) -> Evidence:
    """Distance from one of the integral of Lap(2)'s density, of height beta / 2 as printed or 1 / (2 beta)."""
    beta = 2.0
    height = beta / 2 if printed else 1 / (2 * beta)
    total = 2 * height * integrate.quad(lambda x: np.exp(-x / beta), 0, 200)[0]
    return Evidence(measured=abs(total - 1), limit=1e-9, detail=f"The density integrates to {total:.6g}.")


def epochs(profile: str, seed: int, *, printed: bool) -> Evidence:
    """Number of horizons T in 2, ..., 4096 whose last round is not in the loop's last epoch."""
    horizons = np.arange(2, 4097)
    needed = np.array([len(dyadic.blocks(int(t))[0]) for t in horizons])
    count = np.ceil(np.log2(horizons - 1)) + 1 if printed else np.ceil(np.log2(horizons + 1))
    wrong = horizons[count != needed]
    detail = f"First: T = {wrong[:4].tolist()}." if len(wrong) else "None."
    return Evidence(measured=float(len(wrong)), limit=0.0, detail=detail)
