"""Checks of privacy, of the amount of noise and of the clipping map; see `checks`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from replicate.claims import EXACT, Evidence
from replicate.mechanisms import composition
from replicate.papers.distribution_learning import experiments, instances, privacy
from replicate.papers.distribution_learning.algorithms import channels
from replicate.papers.distribution_learning.experiments import public_game
from replicate.papers.distribution_learning.instances import SIZES, THREE_LABELS
from replicate.streams import stream
from replicate.validation import FloatArray

__all__ = [
    "advanced_composition",
    "corrected_cells",
    "cost_of_approximate",
    "excess_noise",
    "just_below",
    "labels",
    "n_cells",
    "one_coordinate",
    "one_coordinate_privacy",
    "price_of_correction",
    "printed_loss",
    "vector",
    "vector_privacy",
]


def one_coordinate_privacy(
    profile: str, seed: int, *, calibration: str, relation: str = "<=", halve: bool = False
) -> Evidence:
    """Exact privacy loss of Algorithm 2 over its budget, worst over classes and horizons."""
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


def printed_loss(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Exact loss over epsilon in the smallest counterexample, K = 2, M = 3, T = 100."""
    game = public_game(THREE_LABELS, "pure", 1.0, 100, calibration)
    loss = privacy.one_coordinate_loss(game.channels[0], game.masses[0], game.tuning.scale)
    larger = public_game(instances.one_against_many(50), "pure", 1.0, 100, calibration)
    wide = privacy.one_coordinate_loss(larger.channels[0], larger.masses[0], larger.tuning.scale)
    detail = f"f₁=(½,½,0), f₂=(0,0,1), T=100, ε=1; one law against 49 labels instead: {wide:.4g}."
    return Evidence(measured=loss, limit=1 + EXACT, relation=">=", detail=detail)


def vector_privacy(profile: str, seed: int, *, scale: Callable[[int, float, float], float]) -> Evidence:
    """Exact delta of Algorithm 1's K noises over the delta promised, with the corrected sensitivity."""
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


def just_below(k: int, epsilon: float, delta: float) -> float:
    """One per cent less noise than the exact composition asks for."""
    return 0.99 * composition.laplace_scale(k, epsilon=epsilon, delta=delta)


def advanced_composition(profile: str, seed: int, *, root: float) -> Evidence:
    """Exact delta at the epsilon of Lemma 2, over delta: Laplace mechanisms and randomised responses.

    `root` is the factor under the square root: 2 in Lemma 2.
    """
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


def excess_noise(profile: str, seed: int, *, column: str) -> Evidence:
    """Scale of the noise over the exact requirement: the smallest ratio over K and delta."""
    data = experiments.noise_scales(profile, seed)
    data = data[data["n"] >= 2]
    ratio = data[column] / data["exact"]
    row = data.loc[ratio.idxmin()]
    detail = f"From {ratio.min():.3g} (K={row['n']:.0f}, δ={row['delta']:g}) to {ratio.max():.3g}; ε=1."
    return Evidence(measured=float(ratio.min()), limit=2.5, relation=">=", detail=detail)


def cost_of_approximate(profile: str, seed: int, *, deltas: tuple[float, ...]) -> Evidence:
    """Noise of Algorithm 1 under exact composition over the sqrt(K)/epsilon that one coordinate costs."""
    pieces = []
    for k, epsilon, delta in ((k, e, d) for k in (2, 4, 16, 64) for e in (1.0, 0.1) for d in deltas):
        ratio = composition.laplace_scale(k, epsilon=epsilon, delta=delta) * epsilon / np.sqrt(k)
        detail = f"Smallest over K, ε, δ: K={k}, ε={epsilon:g}, δ={delta:g}."
        pieces.append(Evidence(measured=ratio, limit=1.0, relation=">=", detail=detail))
    return Evidence.worst(pieces)


# The clipping map


def n_cells(profile: str, seed: int, *, factor: str, f: FloatArray) -> Evidence:
    """N' over its printed limit KM."""
    channel = channels.clipping(f, np.ones(f.shape[1]), 100)
    k, m = f.shape
    limit = k * m
    detail = f"N' = {channel.n_cells:.0f}, K M = {limit}, smallest density x TKM = "
    detail += f"{np.exp(channel.log_density(f)[:, channel.cells > 0].min()) * 100 * limit:.4g}; {factor}."
    return Evidence(measured=channel.n_cells / limit, limit=1 + EXACT, relation=">=", detail=detail)


def corrected_cells(profile: str, seed: int, *, printed: bool = False) -> Evidence:
    """N' over min(M^2, (K + 1) M - K), and the sensitivity over log((K + 1) T), over many classes."""
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


def price_of_correction(profile: str, seed: int, *, top: str, bottom: str) -> Evidence:
    """Risk under one calibration over the risk under another: upper over lower confidence limit."""
    data, pieces = experiments.printed_and_corrected(profile, seed), []
    for (name, scheme), rows in data.groupby(["instance", "scheme"]):
        limits = rows.set_index("calibration")
        ratio = limits.loc[top, "upper"] / limits.loc[bottom, "lower"]
        detail = f"{name}, Algorithm {2 if scheme == 'pure' else 1}, T=1e12, ε=1, {top} over {bottom}."
        pieces.append(Evidence(measured=float(ratio), limit=1.25, detail=detail))
    return Evidence.worst(pieces)


def _evidence(found: privacy.Audit, relation: Literal["<=", ">="], where: str) -> Evidence:
    exact = "" if found.exact != found.exact else f" Exact {found.exact:.4g}."
    detail = f"{where}.{exact} {found.samples:.0e} messages about each label."
    return Evidence(measured=found.certified, limit=1.0, relation=relation, detail=detail)


def one_coordinate(profile: str, seed: int, *, calibration: str, relation: Literal["<=", ">="] = "<=") -> Evidence:
    """What the messages of Algorithm 2 certify; the full profile adds the three-label class."""
    found = privacy.audit_pure(profile, seed, calibration)
    pieces = [_evidence(found, relation, "One law against 49 labels, T=100, ε=2")]
    if profile == "full":
        found = privacy.audit_pure(profile, seed, calibration, n_labels=3, horizon=1000)
        pieces.append(_evidence(found, relation, "K=2, M=3, T=1000, ε=2"))
    return Evidence.worst(pieces)


def vector(profile: str, seed: int, *, noise: float) -> Evidence:
    """What whole messages of Algorithm 1 certify at their delta: corrected, tight, two deltas, two K."""
    cases = [("tight", copies, delta) for copies in (1, 2, 4) for delta in (1e-2, 1e-6)]
    cases = [("corrected", 1, 1e-2), *cases] if noise == 1 else cases[:1]
    pieces = []
    for calibration, copies, delta in cases:
        found = privacy.audit_vector(profile, seed, calibration, copies=copies, delta=delta, noise=noise)
        pieces.append(_evidence(found, "<=", f"{calibration}, K={2 * copies}, δ={delta:g}, ε=1, T=1e6"))
    return Evidence.worst(pieces)


def labels(profile: str, seed: int, *, scheme: str) -> Evidence:
    """What the labels that are shown certify."""
    return _evidence(privacy.audit_labels(profile, seed, scheme), "<=", "M=8, ε=1")
