"""Checks of privacy, of the amount of noise and of the clipping map; see `checks`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from replicate import composition
from replicate.claims import Check, Evidence
from replicate.papers.distribution_learning import channels, experiments, instances, privacy
from replicate.papers.distribution_learning.channels import FloatArray
from replicate.papers.distribution_learning.experiments import public_game
from replicate.papers.distribution_learning.instances import SIZES, THREE_LABELS
from replicate.streams import stream

__all__ = [
    "advanced_composition",
    "corrected_cells",
    "cost_of_approximate",
    "excess_noise",
    "just_below",
    "n_cells",
    "one_coordinate_privacy",
    "price_of_correction",
    "printed_loss",
    "vector_privacy",
]

EXACT = 1e-9
"""Relative slack for comparisons of exact computations: rounding, not statistics."""


def one_coordinate_privacy(calibration: str, *, relation: str = "<=", halve: bool = False) -> Check:
    """Exact privacy loss of Algorithm 2 over its budget, worst over classes and horizons."""

    def check(profile: str, seed: int) -> Evidence:
        classes = {
            "three labels": THREE_LABELS,
            "one against 49": instances.one_against_many(50),
            "one against 9999": instances.one_against_many(10**4),
        } | {f"Dirichlet {i}": instances.dirichlet(4, 16, index=i) for i in range(SIZES[profile].classes)}
        worst, where = 0.0, ""
        for name, f in classes.items():
            for horizon, epsilon in ((t, e) for t in (10, 100, 10**4, 10**6, 10**12) for e in (0.1, 1.0, 2.0)):
                game = public_game(f, "pure", epsilon, horizon, calibration)
                scale = game.tuning.scale / (2 if halve else 1)
                loss = privacy.one_coordinate_loss(game.channels[0], game.masses[0], scale) / epsilon
                if loss > worst:
                    worst, where = loss, f"{name}, T={horizon:.0e}, ε={epsilon:g}"
        detail = f"Largest exact loss over ε: {where}."
        limit = 1 + EXACT if relation == "<=" else 1.005
        return Evidence(measured=worst, limit=limit, relation=relation, detail=detail)  # type: ignore[arg-type]

    return check


def printed_loss(calibration: str) -> Check:
    """Exact loss over epsilon in the smallest counterexample, K = 2, M = 3, T = 100."""

    def check(profile: str, seed: int) -> Evidence:
        game = public_game(THREE_LABELS, "pure", 1.0, 100, calibration)
        loss = privacy.one_coordinate_loss(game.channels[0], game.masses[0], game.tuning.scale)
        larger = public_game(instances.one_against_many(50), "pure", 1.0, 100, calibration)
        wide = privacy.one_coordinate_loss(larger.channels[0], larger.masses[0], larger.tuning.scale)
        detail = f"f₁=(½,½,0), f₂=(0,0,1), T=100, ε=1; one law against 49 labels instead: {wide:.4g}."
        return Evidence(measured=loss, limit=1 + EXACT, relation=">=", detail=detail)

    return check


def vector_privacy(scale: Callable[[int, float, float], float]) -> Check:
    """Exact delta of Algorithm 1's K noises over the delta promised, with the corrected sensitivity."""

    def check(profile: str, seed: int) -> Evidence:
        pieces = []
        for k, epsilon in ((k, e) for k in (2, 4, 16, 64) for e in (2.0, 1.0, 0.3, 0.1)):
            for delta, horizon in ((d, t) for d in (1e-2, 1e-6) for t in (10**2, 10**6, 10**12)):
                true, printed = np.log((k + 1) * horizon), np.log(k * horizon)
                spent = composition.laplace_composition(
                    k, epsilon_each=true / (printed * scale(k, epsilon, delta)), epsilon=epsilon
                )[1]
                detail = f"Worst of K, ε, δ, T: K={k}, ε={epsilon:g}, δ={delta:g}, T={horizon:.0e}."
                pieces.append(Evidence(measured=spent, limit=delta, detail=detail))
        return Evidence.worst(pieces)

    return check


def just_below(k: int, epsilon: float, delta: float) -> float:
    """One per cent less noise than the exact composition asks for."""
    return 0.99 * composition.laplace_scale(k, epsilon=epsilon, delta=delta)


def advanced_composition(root: float) -> Check:
    """Exact delta at the epsilon of Lemma 2, over delta: Laplace mechanisms and randomised responses.

    `root` is the factor under the square root: 2 in Lemma 2.
    """

    def check(profile: str, seed: int) -> Evidence:
        pieces = []
        for k, each in ((k, e) for k in (2, 4, 16, 64, 256) for e in (0.3, 0.1, 0.03, 0.01)):
            for delta in (1e-1, 1e-2, 1e-6):
                total = k * each**2 / 2 + np.sqrt(root * np.log(1 / delta) * k) * each
                exact = {
                    "Laplace mechanisms": composition.laplace_composition(k, epsilon_each=each, epsilon=total)[1],
                    "randomised responses": composition.randomized_response_composition(
                        k, epsilon_each=each, epsilon=total
                    ),
                }
                for name, spent in exact.items():
                    detail = f"Closest: {k} {name}, ε'={each}, δ={delta:g}."
                    pieces.append(Evidence(measured=spent, limit=delta, detail=detail))
        return Evidence.worst(pieces)

    return check


def excess_noise(column: str) -> Check:
    """Scale of the noise over the exact requirement: the smallest ratio over K and delta."""

    def check(profile: str, seed: int) -> Evidence:
        data = experiments.noise_scales(profile, seed)
        data = data[data["n"] >= 2]
        ratio = data[column] / data["exact"]
        row = data.loc[ratio.idxmin()]
        detail = f"From {ratio.min():.3g} (K={row['n']:.0f}, δ={row['delta']:g}) to {ratio.max():.3g}; ε=1."
        return Evidence(measured=float(ratio.min()), limit=2.5, relation=">=", detail=detail)

    return check


def cost_of_approximate(deltas: tuple[float, ...]) -> Check:
    """Noise of Algorithm 1 under exact composition over the sqrt(K)/epsilon that one coordinate costs."""

    def check(profile: str, seed: int) -> Evidence:
        pieces = []
        for k, epsilon, delta in ((k, e, d) for k in (2, 4, 16, 64) for e in (1.0, 0.1) for d in deltas):
            ratio = composition.laplace_scale(k, epsilon=epsilon, delta=delta) * epsilon / np.sqrt(k)
            detail = f"Smallest over K, ε, δ: K={k}, ε={epsilon:g}, δ={delta:g}."
            pieces.append(Evidence(measured=ratio, limit=1.0, relation=">=", detail=detail))
        return Evidence.worst(pieces)

    return check


# The clipping map


def n_cells(factor: str, f: FloatArray) -> Check:
    """N' over its printed limit KM."""

    def check(profile: str, seed: int) -> Evidence:
        channel = channels.clipping(f, np.ones(f.shape[1]), 100)
        k, m = f.shape
        limit = k * m
        detail = f"N' = {channel.n_cells:.0f}, K M = {limit}, smallest density x TKM = "
        detail += f"{np.exp(channel.log_density(f)[:, channel.cells > 0].min()) * 100 * limit:.4g}; {factor}."
        return Evidence(measured=channel.n_cells / limit, limit=1 + EXACT, relation=">=", detail=detail)

    return check


def corrected_cells(printed: bool = False) -> Check:
    """N' over min(M^2, (K + 1) M - K), and the sensitivity over log((K + 1) T), over many classes."""

    def check(profile: str, seed: int) -> Evidence:
        rng, pieces = stream(seed, "dl", "cells"), []
        classes = [THREE_LABELS, *(instances.one_against_many(m) for m in (2, 5, 50, 1000))]
        for k, m in ((k, m) for k in (2, 3, 5) for m in (2, 5, 12, 60)):
            classes += [rng.dirichlet(np.full(m, a), size=k) for a in (0.05, 0.3, 1.0) for _ in range(20)]
            if m >= k:
                classes.append(np.array([np.isin(np.arange(m) % k, j) for j in range(k)], dtype=float))
                classes[-1] /= classes[-1].sum(axis=1, keepdims=True)
        for f in classes:
            k, m = f.shape
            channel = channels.clipping(f, np.ones(m), 1000)
            limit = k * m if printed else min(m * m, (k + 1) * m - k)
            pieces.append(Evidence(measured=channel.n_cells, limit=limit, detail=f"N', K={k}, M={m}."))
            log = np.log((k if printed else k + 1) * 1000.0)
            pieces.append(Evidence(measured=channel.sensitivity(f), limit=log, detail=f"Spread, K={k}, M={m}."))
        return Evidence.worst(pieces)

    return check


def price_of_correction(top: str, bottom: str) -> Check:
    """Risk under one calibration over the risk under another: upper over lower confidence limit."""

    def check(profile: str, seed: int) -> Evidence:
        data, pieces = experiments.printed_and_corrected(profile, seed), []
        for (name, scheme), rows in data.groupby(["instance", "scheme"]):
            limits = rows.set_index("calibration")
            ratio = limits.loc[top, "upper"] / limits.loc[bottom, "lower"]
            detail = f"{name}, Algorithm {2 if scheme == 'pure' else 1}, T=1e12, ε=1, {top} over {bottom}."
            pieces.append(Evidence(measured=float(ratio), limit=1.25, detail=detail))
        return Evidence.worst(pieces)

    return check
