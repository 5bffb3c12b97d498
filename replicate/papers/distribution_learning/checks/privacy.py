"""Checks of privacy, exact and sampled, of the amount of noise and of the clipping map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any, Literal

import numpy as np

from replicate.claims.evidence import EXACT, Evidence, worst
from replicate.mechanisms import composition
from replicate.papers.distribution_learning import instances
from replicate.papers.distribution_learning.algorithms import schemes
from replicate.papers.distribution_learning.algorithms.schemes import tune
from replicate.papers.distribution_learning.experiments import privacy as audits
from replicate.papers.distribution_learning.experiments import regret
from replicate.papers.distribution_learning.experiments.bits import public
from replicate.papers.distribution_learning.instances import SIZES, THREE_LABELS
from replicate.papers.distribution_learning.privacy import privacy_loss
from replicate.streams import stream
from replicate.validation import FloatArray

# Algorithm 2


def one_coordinate(profile: str, seed: int, *, calibration: str, noise_factor: float) -> Evidence:
    """Exact privacy loss of Algorithm 2 over epsilon, worst over classes and horizons."""
    classes = {
        "three labels": THREE_LABELS,
        "one against 49": instances.one_against_many(50),
        "one against 9999": instances.one_against_many(10**4),
    } | {f"Dirichlet {i}": instances.dirichlet(4, 16, index=i) for i in range(SIZES[profile].classes)}
    tuned: dict[str, Any] = {"calibration": calibration, "noise_factor": noise_factor}
    worst, where = 0.0, ""
    for name, f in classes.items():
        for horizon, epsilon in ((t, e) for t in (10, 100, 10**4, 10**6, 10**12) for e in (0.1, 1.0, 2.0)):
            loss = privacy_loss(f, epsilon=epsilon, horizon=horizon, **tuned) / epsilon
            if loss > worst:
                worst, where = loss, f"{name}, T={horizon:.0e}, ε={epsilon:g}"
    return Evidence(measured=worst, limit=1 + EXACT, detail=f"Largest exact loss over ε: {where}.")


def three_labels(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Exact loss over epsilon in the smallest counterexample, K = 2, M = 3, T = 100."""
    loss, wide = (
        privacy_loss(f, epsilon=1.0, horizon=100, calibration=calibration)
        for f in (THREE_LABELS, instances.one_against_many(50))
    )
    detail = f"f₁=(½,½,0), f₂=(0,0,1), T=100, ε=1; one law against 49 labels instead: {wide:.4g}."
    return Evidence(measured=loss, limit=1 + EXACT, relation=">=", detail=detail)


@worst
def bits_loss(profile: str, seed: int, *, level: float) -> Iterator[Evidence]:
    """Exact privacy loss of the schemes of one bit, and of merged randomised response, over epsilon.

    The messages are those for `level` times epsilon. Merging copies changes nothing about that.
    """
    for scheme, epsilon in product(("sign_bits", "pair_bits", "merged_response"), (0.1, 1.0, 4.0)):
        for name, f in {
            "Dirichlet(1), K=6, M=12": instances.dirichlet(6, 12, concentration=1.0),
            "each label thrice": np.repeat(instances.dirichlet(4, 8) / 3, 3, axis=1),
        }.items():
            loss = public(f, scheme, level * epsilon, 100).privacy_loss() / epsilon
            detail = f"{scheme}, {name}, ε={epsilon:g}."
            yield Evidence(measured=loss, limit=1 + EXACT, detail=detail)


# Algorithm 1


@worst
def all_coordinates(profile: str, seed: int, *, noise_factor: float) -> Iterator[Evidence]:
    """Noise that Algorithm 1 needs, by exact composition at the corrected sensitivity, against that of (8).

    The noise of (8) is multiplied by `noise_factor`.
    """
    for k, epsilon in ((k, e) for k in (2, 4, 16, 64) for e in (2.0, 1.0, 0.3, 0.1)):
        for delta, horizon in ((d, t) for d in (1e-2, 1e-6) for t in (10**2, 10**6, 10**12)):
            tuned: dict[str, Any] = {"n_hypotheses": k, "horizon": horizon, "epsilon": epsilon, "delta": delta}
            used = tune(scheme="approximate", n_labels=2, calibration="printed", **tuned).scale
            needed = composition.laplace_scale(k, epsilon=epsilon, delta=delta) * np.log((k + 1) * horizon)
            detail = f"Closest of K, ε, δ, T: K={k}, ε={epsilon:g}, δ={delta:g}, T={horizon:.0e}."
            yield Evidence(measured=needed, limit=noise_factor * used, detail=detail)


def half_epsilon(profile: str, seed: int, *, under_root: float) -> Evidence:
    """Epsilon that Lemma 2 gives the noise of (8) over 0.5 epsilon, and with the corrected sensitivity over 0.65.

    `under_root` is the factor in 2 sqrt(2 K ln 1/δ) of (8). With a = sqrt(2 K ln 1/δ) and s = sqrt(K ε) the lemma
    gives ε (a (2 a + s) + s²/2)/(2 a + s)², and 2 a (2 a + s) + s² <= (2 a + s)² = 4 a² + 4 a s + s². The
    corrected sensitivity is at most log 6/log 4 = 1.293 times the printed one, at K = T = 2.
    """
    cases = []
    for k, epsilon, delta in product((2, 64, 2**20), (1e-6, 0.1, 1.0, 50.0), (0.5, 1e-2, 1e-6, 1e-100)):
        log = np.log(1 / delta)
        for share, larger in ((0.5, 1.0), (0.65, np.log(6) / np.log(4))):
            each = larger * epsilon / (2 * np.sqrt(under_root * k * log) + np.sqrt(k * epsilon))
            spent = k * each**2 / 2 + np.sqrt(2 * k * log) * each
            detail = f"Most: K={k}, ε={epsilon:g}, δ={delta:g}, sensitivity {larger:.4g} times that printed."
            cases.append(Evidence(measured=spent / (share * epsilon), limit=1 + EXACT, detail=detail))
    return replace(Evidence.worst(cases), pieces=())


@worst
def advanced_composition(profile: str, seed: int, *, root: float) -> Iterator[Evidence]:
    """Exact epsilon at the delta of Lemma 2, against the lemma's: Laplace mechanisms and randomised responses.

    `root` is the factor under the square root: 2 in Lemma 2. Where they are (0, delta)-private there is nothing
    to compare.
    """
    for k, each in ((k, e) for k in (2, 4, 16, 64, 256) for e in (0.3, 0.1, 0.03, 0.01)):
        for delta, name in product((1e-1, 1e-2, 1e-6), _NEEDED):
            needed = _epsilon_needed(name, k, each, delta)
            if needed > 0:
                total = k * each**2 / 2 + np.sqrt(root * np.log(1 / delta) * k) * each
                detail = f"Closest: {k} {name}, ε'={each}, δ={delta:g}."
                yield Evidence(measured=needed, limit=total, detail=detail)


_NEEDED = {
    "Laplace mechanisms": composition.laplace_epsilon,
    "randomised responses": composition.randomized_response_epsilon,
}


@cache
def _epsilon_needed(name: str, k: int, each: float, delta: float) -> float:
    """Exact total epsilon of k mechanisms at a delta; 0 where they are (0, delta)-private."""
    return _NEEDED[name](k, epsilon_each=each, delta=delta)


@worst
def price(profile: str, seed: int, *, factor: float, epsilon: float) -> Iterator[Evidence]:
    """Factor by which the correction raises the risk: upper over lower confidence limit.

    The corrected algorithms run at `epsilon`, the printed ones at 1.
    """
    before, after = (regret.printed_and_corrected(profile, seed, level) for level in (1.0, epsilon))
    for (name, scheme), rows in before[before["calibration"] == "printed"].groupby(["instance", "scheme"]):
        same = (after["instance"] == name) & (after["scheme"] == scheme) & (after["calibration"] == "corrected")
        ratio = after[same]["upper"].iloc[0] / rows["lower"].iloc[0]
        least = after[same]["lower"].iloc[0] / rows["upper"].iloc[0]
        detail = (
            f"{name}, Algorithm {2 if scheme == 'pure' else 1}, T=1e12, ε={epsilon:g}, corrected over printed."
        )
        yield Evidence(measured=float(ratio), limit=factor, opposite=float(least), detail=detail)


# The clipping map


def n_cells(profile: str, seed: int, *, hypotheses: str) -> Evidence:
    """N' over its printed limit KM, on one of the classes `instances.clipped`."""
    f = instances.clipped()[hypotheses]
    channel = schemes.clipping(f, np.ones(f.shape[1]), 100)
    limit = f.size
    detail = f"N' = {channel.n_cells:.0f}, K M = {limit}, smallest density x TKM = "
    detail += f"{np.exp(channel.log_density(f)[:, channel.cells > 0].min()) * 100 * limit:.4g}; {hypotheses}."
    return Evidence(measured=channel.n_cells / limit, limit=1 + EXACT, relation=">=", detail=detail)


def _many_classes(rng: np.random.Generator) -> list[FloatArray]:
    """Classes with zeros, Dirichlet classes and disjoint uniform supports: shapes (K, M)."""
    classes = [THREE_LABELS, *(instances.one_against_many(m) for m in (2, 5, 50, 1000))]
    for k, m in ((k, m) for k in (2, 3, 5) for m in (2, 5, 12, 60)):
        classes += [rng.dirichlet(np.full(m, a), size=k) for a in (0.05, 0.3, 1.0) for _ in range(20)]
        if m >= k:
            supports = np.array([np.isin(np.arange(m) % k, j) for j in range(k)], dtype=float)
            classes.append(supports / supports.sum(axis=1, keepdims=True))
    return classes


def cells_and_sensitivity(profile: str, seed: int, *, limits: str) -> Evidence:
    """N' and the sensitivity of a log density over their limits, each the worst of many classes, T = 1000.

    The `limits` are KM and log(KT), ``printed``, or min(M^2, (K + 1) M - K) and log((K + 1) T), ``corrected``.
    """
    cells, spreads = [], []
    for f in _many_classes(stream(seed, "dl", "cells")):
        k, m = f.shape
        channel = schemes.clipping(f, np.ones(m), 1000)
        most = {"printed": k * m, "corrected": min(m * m, (k + 1) * m - k)}[limits]
        cells.append(Evidence(measured=channel.n_cells, limit=most, detail=f"N', K={k}, M={m}."))
        log = np.log({"printed": k, "corrected": k + 1}[limits] * 1000.0)
        spreads.append(Evidence(measured=channel.sensitivity(f), limit=log, detail=f"Spread, K={k}, M={m}."))
    return Evidence.worst(replace(Evidence.worst(cases), pieces=()) for cases in (cells, spreads))


# Audits


def _evidence(audit: audits.Audit, relation: Literal["<=", ">="], where: str) -> Evidence:
    exact = "" if np.isnan(audit.exact) else f" Exact {audit.exact:.4g}."
    detail = f"{where}.{exact} {audit.samples:.2g} messages about each label."
    return Evidence(measured=audit.certified, limit=1.0, relation=relation, detail=detail)


@worst
def audited_coordinate(
    profile: str, seed: int, *, calibration: str, relation: Literal["<=", ">="] = "<="
) -> Iterator[Evidence]:
    """Certified privacy loss of Algorithm 2's messages over epsilon; in full with one law against three labels."""
    audit = audits.audit_pure(profile, seed, calibration)
    yield _evidence(audit, relation, "One law against 49 labels, T=100, ε=2")
    if profile != "quick":
        audit = audits.audit_pure(profile, seed, calibration, n_labels=4, horizon=300)
        yield _evidence(audit, relation, "One law against three labels, T=300, ε=2")


@worst
def audited_vector(profile: str, seed: int, *, noise_factor: float) -> Iterator[Evidence]:
    """Certified privacy loss of the messages of Algorithm 1 at their delta over epsilon.

    Less noise is tried where the tight noise is smallest, K = 2 and δ = 0.01, and there only.
    """
    numbers = (1, 2) if profile == "quick" else (1, 2, 4)
    cases = [("tight", copies, delta) for copies in numbers for delta in (1e-2, 1e-6)]
    cases = [("corrected", 1, 1e-2), *cases] if noise_factor == 1 else cases[:1]
    for calibration, copies, delta in cases:
        audit = audits.audit_vector(
            profile, seed, calibration, copies=copies, delta=delta, noise_factor=noise_factor
        )
        yield _evidence(audit, "<=", f"{calibration}, K={2 * copies}, δ={delta:g}, ε=1, T=1e6")


def audited_labels(profile: str, seed: int, *, scheme: str) -> Evidence:
    """Certified privacy loss of ``randomized_response``, or of bare labels (``non_private``), over epsilon."""
    return _evidence(audits.audit_labels(profile, seed, scheme), "<=", "M=8, ε=1")
