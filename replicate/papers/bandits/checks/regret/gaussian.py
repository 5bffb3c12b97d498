"""Checks of Algorithm 2 with Gaussian noise."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from replicate import certify
from replicate.budget import cache
from replicate.claims.evidence import Evidence, worst
from replicate.mechanisms import vector_noise
from replicate.papers.bandits.algorithms import advice
from replicate.papers.bandits.algorithms import gaussian_advice as gaussian
from replicate.papers.bandits.algorithms.advice import Exp4Tuning
from replicate.papers.bandits.checks.regret import regret_limits
from replicate.papers.bandits.experiments.regret import DELTA
from replicate.papers.bandits.instances import one_good_expert
from replicate.streams import stream
from replicate.validation import FloatArray


@worst
def private(profile: str, seed: int, *, noise_divisor: float) -> Iterator[Evidence]:
    """Largest exact delta of one batch's noisy losses over the declared one, over levels and deltas.

    In units of the vector's Euclidean sensitivity sqrt(N) K / (gamma tau): its noise is the same share of it for
    every N, K, gamma and tau.
    """
    for epsilon, delta in product((0.01, 0.1, 1.0), (1e-9, 1e-6, 1e-3, 0.1)):
        scale = vector_noise.gaussian_scale(epsilon=epsilon, delta=delta) / noise_divisor
        share = vector_noise.gaussian_delta(scale, epsilon=epsilon) / delta
        detail = f"ε={epsilon:g}, δ={delta:g}: exact δ over declared δ, noise {scale:.4g} times the sensitivity."
        yield Evidence(measured=share, limit=1 + 1e-6, detail=detail)


def better(profile: str, seed: int, *, constant: float, uniform: float) -> Evidence:
    """Regret, an upper limit from bets, against `gaussian_advice.bound`, at the first horizons where it speaks.

    One good expert, which loses nothing: the regret is between 0 and T. A share `uniform` of the games is played
    uniformly.
    """
    pieces = []
    games = [(2, 2, 1.0), (10, 2, 1.0), (10, 2, 0.1)] + ([(100, 2, 1.0)] if profile != "quick" else [])
    for n, k, epsilon in games:
        horizon, limit, samples = _game(n, k, epsilon, seed)
        known = regret_limits(samples, (0.0, horizon), alarm=certify.share(len(games)))
        where = f"N={n}, K={k}, ε={epsilon:g}, δ=1e-6, T={horizon:.3g}."
        known |= {"unit": "regret", "uniform": horizon * (k - 1) / k, "detail": where}
        pieces.append(Evidence(**known, limit=constant * limit))
    return Evidence.worst(pieces).mixed(uniform)


@cache
def _game(n: int, k: int, epsilon: float, seed: int) -> tuple[int, float, FloatArray]:
    """Horizon, bound and regrets, where uniform play first exceeds the bound."""
    horizon, limit, tuned = next(_informative(n, k, epsilon))
    rng = stream(seed, "bandits/gaussian", n, k, epsilon)
    return horizon, limit, gaussian.regrets(one_good_expert(n, k), tuned, horizon=horizon, replicates=80, rng=rng)


def _informative(n: int, k: int, epsilon: float) -> Iterator[tuple[int, float, Exp4Tuning]]:
    """Horizons from 1e3 to 1e15 at which uniform play exceeds the bound, with bound and tuning."""
    sizes = {"n_actions": k, "n_experts": n}
    for horizon in (10 ** np.arange(3, 16, 0.02)).astype(int).tolist():
        try:
            tuned = gaussian.tune(**sizes, epsilon=epsilon, delta=DELTA, horizon=horizon)
        except ValueError:
            continue
        limit = gaussian.bound(tuned, **sizes, horizon=horizon)
        if limit < horizon * (k - 1) / k:
            yield horizon, limit, tuned


@worst
def shorter(profile: str, seed: int, *, factor: float) -> Iterator[Evidence]:
    """Proved regret with Gaussian noise over that of Theorem 10's proof, corrected, each at its own tuning."""
    for n, k, epsilon in product((2, 100, 10**4), (2, 10), (1.0, 0.01)):
        for horizon in (10**11, 10**14, 10**17):
            common: dict[str, Any] = {"n_actions": k, "n_experts": n, "epsilon": epsilon, "horizon": horizon}
            common["delta"] = DELTA
            try:
                printed = advice.batched_exp4_tuning(**common)
            except ValueError:
                continue
            mine = gaussian.bound(gaussian.tune(**common), n_actions=k, n_experts=n, horizon=horizon)
            noise = 90 / 9 * printed.learning_rate * (printed.noise * math.log(n * horizon)) ** 2
            theirs = 3 * printed.batch * math.log(n) / printed.learning_rate
            theirs += horizon * (printed.mixing + k * printed.learning_rate + noise)
            detail = f"{mine:.3g} over {theirs:.3g}: N={n}, K={k}, ε={epsilon:g}, δ=1e-6, T={horizon:.0e}."
            yield Evidence(measured=mine, limit=factor * theirs, detail=detail)
