"""Checks of privacy, exact and sampled, of the amount of noise and of the clipping map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import product
from typing import Any, Literal

import numpy as np

from replicate.claims.evidence import EXACT, Evidence, at_least, at_most, grid, over, proved, worst
from replicate.mechanisms import composition
from replicate.papers.distribution_learning import instances, proofs
from replicate.papers.distribution_learning.algorithms import schemes
from replicate.papers.distribution_learning.algorithms.schemes import tune
from replicate.papers.distribution_learning.experiments import privacy as audits
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
    return at_most(worst, 1 + EXACT, f"Largest exact loss over ε: {where}.")


def three_labels(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Exact loss over epsilon in the smallest counterexample, K = 2, M = 3, T = 100."""
    loss, wide = (
        privacy_loss(f, epsilon=1.0, horizon=100, calibration=calibration)
        for f in (THREE_LABELS, instances.one_against_many(50))
    )
    detail = f"f₁=(½,½,0), f₂=(0,0,1), T=100, ε=1; one distribution against 49 labels instead: {wide:.4g}."
    return at_least(loss, 1 + EXACT, detail)


@worst
def pure_loss_at(
    n_labels: int, epsilon: float, horizon: int, *, calibration: str = "corrected"
) -> Iterator[Evidence]:
    """Exact loss of Algorithm 2 on one distribution against many labels, and on a Dirichlet class."""
    for f in (instances.one_against_many(n_labels), instances.dirichlet(4, n_labels)):
        loss = privacy_loss(f, epsilon=epsilon, horizon=horizon, calibration=calibration)
        yield at_most(loss, epsilon * (1 + EXACT), f"A class of {len(f)} distributions.")


@worst
def bits_loss_at(
    n_hypotheses: int, epsilon: float, f: FloatArray | None = None, *, level: float = 1.0
) -> Iterator[Evidence]:
    """Exact privacy loss of the schemes of one bit, and of merged randomised response, over epsilon.

    The messages are those for `level` times epsilon; on the class `f`, or on a Dirichlet class.
    """
    laws = instances.dirichlet(n_hypotheses, 2 * n_hypotheses) if f is None else f
    for scheme in ("sign_bits", "pair_bits", "merged_response"):
        loss = public(laws, scheme, level * epsilon, 100).privacy_loss() / epsilon
        yield at_most(loss, 1 + EXACT, f"{scheme}, K={n_hypotheses}, M={laws.shape[1]}, ε={epsilon:g}.")


_DIFFERENT = {"n_hypotheses": 6, "f": instances.dirichlet(6, 12, concentration=1.0)}
_THRICE = {"n_hypotheses": 4, "f": np.repeat(instances.dirichlet(4, 8) / 3, 3, axis=1)}
bits_loss = over(
    bits_loss_at, *(f | {"epsilon": level} for level in (0.1, 1.0, 4.0) for f in (_DIFFERENT, _THRICE))
)
"""On a class whose labels are all different, and on one with each label thrice."""


@worst
def response_loss_at(n_labels: int, epsilon: float) -> Iterator[Evidence]:
    """Exact loss of randomised response: epsilon."""
    loss = schemes.privacy_loss(schemes.randomized_response(np.ones(n_labels), epsilon).law(np.eye(n_labels)))
    yield at_most(loss, epsilon * (1 + 1e-6), "Exact loss.")
    yield at_least(loss, epsilon * (1 - 1e-6), "Exact loss.")


# Algorithm 1


def all_coordinates_at(
    n_hypotheses: int, epsilon: float, delta: float, horizon: int, *, noise_factor: float = 1.0
) -> Evidence:
    """Noise that Algorithm 1 needs, by exact composition at the corrected sensitivity, against that of (8).

    The noise of (8) is multiplied by `noise_factor`.
    """
    k, level = n_hypotheses, {"epsilon": epsilon, "delta": delta}
    tuned: dict[str, Any] = {"n_hypotheses": k, "horizon": horizon, **level}
    used = tune(scheme="approximate", n_labels=2, calibration="printed", **tuned).scale
    needed = composition.laplace_scale(k, **level) * np.log((k + 1) * float(horizon))
    detail = f"Closest of K, ε, δ, T: K={k}, ε={epsilon:g}, δ={delta:g}, T={horizon:.0e}."
    return at_most(needed, noise_factor * used, detail)


_LEVELS = {"epsilon": (2.0, 1.0, 0.3, 0.1), "delta": (1e-2, 1e-6)}
_SIZES = {"n_hypotheses": (2, 4, 16, 64), "horizon": (10**2, 10**6, 10**12)}
all_coordinates = over(all_coordinates_at, *grid(**_SIZES, **_LEVELS))


@worst
def half_epsilon_at(
    n_hypotheses: int, epsilon: float, delta: float, *, under_root: float = 2.0
) -> Iterator[Evidence]:
    """Epsilon that Lemma 2 gives the noise of (8) over 0.5 epsilon, and with the corrected sensitivity over 0.65.

    `under_root` is the factor in 2 sqrt(2 K ln 1/δ) of (8). With a = sqrt(2 K ln 1/δ) and s = sqrt(K ε) the lemma
    gives ε (a (2 a + s) + s²/2)/(2 a + s)², and 2 a (2 a + s) + s² <= (2 a + s)² = 4 a² + 4 a s + s². The
    corrected sensitivity is at most log 6/log 4 = 1.293 times the printed one, at K = T = 2.
    """
    k, log = n_hypotheses, np.log(1 / delta)
    for share, larger in ((0.5, 1.0), (0.65, np.log(6) / np.log(4))):
        each = larger * epsilon / (2 * np.sqrt(under_root * k * log) + np.sqrt(k * epsilon))
        spent = k * each**2 / 2 + np.sqrt(2 * k * log) * each
        detail = f"Most: K={k}, ε={epsilon:g}, δ={delta:g}, sensitivity {larger:.4g} times that printed."
        yield at_most(spent / (share * epsilon), 1 + EXACT, detail)


half_epsilon = over(
    half_epsilon_at,
    *grid(n_hypotheses=(2, 64, 2**20), epsilon=(1e-6, 0.1, 1.0, 50.0), delta=(0.5, 1e-2, 1e-6, 1e-100)),
)


_NEEDED = {
    "Laplace mechanisms": composition.laplace_epsilon,
    "randomised responses": composition.randomized_response_epsilon,
}


def advanced_composition_at(
    n_mechanisms: int, epsilon: float, delta: float, name: str = "randomised responses", *, root: float = 2.0
) -> Evidence:
    """Exact epsilon at the delta of Lemma 2, against the lemma's: of randomised responses, or Laplace mechanisms.

    `root` is the factor under the square root, 2 in Lemma 2. Where the exact epsilon is 0 nothing is compared.
    """
    k = n_mechanisms
    total = k * epsilon**2 / 2 + np.sqrt(root * np.log(1 / delta) * k) * epsilon
    detail = f"Closest: {k} {name}, ε'={epsilon}, δ={delta:g}."
    return at_most(_epsilon_needed(name, k, epsilon, delta), total, detail)


_EACH = {"n_mechanisms": (2, 4, 16, 64, 256), "epsilon": (0.3, 0.1, 0.03, 0.01), "delta": (1e-1, 1e-2, 1e-6)}
advanced_composition = over(advanced_composition_at, *grid(**_EACH, name=_NEEDED))


@cache
def _epsilon_needed(name: str, k: int, each: float, delta: float) -> float:
    """Exact total epsilon of k mechanisms at a delta; 0 where they are (0, delta)-private."""
    return _NEEDED[name](k, epsilon_each=each, delta=delta)


# The clipping map


def n_cells(profile: str, seed: int, *, hypotheses: str) -> Evidence:
    """N' over its printed limit KM, on one of the classes `instances.clipped`."""
    f = instances.clipped()[hypotheses]
    channel = schemes.clipping(f, np.ones(f.shape[1]), 100)
    limit = f.size
    detail = f"N' = {channel.n_cells:.0f}, K M = {limit}, smallest density x TKM = "
    detail += f"{np.exp(channel.log_density(f)[:, channel.cells > 0].min()) * 100 * limit:.4g}; {hypotheses}."
    return at_least(channel.n_cells / limit, 1 + EXACT, detail)


def proved_n_cells(profile: str, seed: int, *, hypotheses: str) -> Evidence:
    """Count N' of one of the classes `instances.clipped`, in fractions and in doubles, against K M."""
    numbers = n_cells(profile, seed, hypotheses=hypotheses)
    return proved(partial(proofs.n_cells, hypotheses=instances.clipped()[hypotheses]), numbers)


def _disjoint(k: int, m: int) -> list[FloatArray]:
    """K distributions on M labels, uniform on supports of their own, where there are as many labels."""
    supports = np.array([np.isin(np.arange(m) % k, j) for j in range(k)], dtype=float)
    return [supports / supports.sum(axis=1, keepdims=True)] if m >= k else []


def _cells_and_sensitivity(f: FloatArray, horizon: int, limits: str) -> tuple[Evidence, Evidence]:
    """N' and the sensitivity of a log density of a class, shape (K, M), over their limits.

    The `limits` are KM and log(KT), ``printed``, or min(M^2, (K + 1) M - K) and log((K + 1) T), ``corrected``.
    """
    k, m = f.shape
    channel = schemes.clipping(f, np.ones(m), horizon)
    most = {"printed": k * m, "corrected": min(m * m, (k + 1) * m - k)}[limits]
    log = float(np.log({"printed": k, "corrected": k + 1}[limits] * float(horizon)))
    cells = at_most(channel.n_cells, most, f"N', K={k}, M={m}.")
    return cells, at_most(channel.sensitivity(f), log, f"Spread, K={k}, M={m}.")


@worst
def cells_and_sensitivity_at(
    n_hypotheses: int, n_labels: int, horizon: int, *, limits: str = "corrected"
) -> Iterator[Evidence]:
    """The same for disjoint supports and a Dirichlet class."""
    for f in (instances.dirichlet(n_hypotheses, n_labels), *_disjoint(n_hypotheses, n_labels)):
        for piece in _cells_and_sensitivity(f, horizon, limits):
            yield replace(piece, limit=piece.limit * (1 + EXACT))


def cells_and_sensitivity(profile: str, seed: int, *, limits: str) -> Evidence:
    """The same, each the worst of many classes with zeros, Dirichlet ones and disjoint supports, T = 1000."""
    rng = stream(seed, "dl", "cells")
    classes = [THREE_LABELS, *(instances.one_against_many(m) for m in (2, 5, 50, 1000))]
    for k, m in product((2, 3, 5), (2, 5, 12, 60)):
        classes += [rng.dirichlet(np.full(m, a), size=k) for a in (0.05, 0.3, 1.0) for _ in range(20)]
        classes += _disjoint(k, m)
    both = zip(*(_cells_and_sensitivity(f, 1000, limits) for f in classes), strict=True)
    return Evidence.worst(replace(Evidence.worst(cases), pieces=()) for cases in both)


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
    yield _evidence(audit, relation, "One distribution against 49 labels, T=100, ε=2")
    if profile != "quick":
        audit = audits.audit_pure(profile, seed, calibration, n_labels=4, horizon=300)
        yield _evidence(audit, relation, "One distribution against three labels, T=300, ε=2")


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
