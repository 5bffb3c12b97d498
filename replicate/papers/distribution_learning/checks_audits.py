"""Checks of the audits: certified privacy losses in units of epsilon; see `checks`."""

from __future__ import annotations

from typing import Literal

from replicate.claims import Check, Evidence
from replicate.papers.distribution_learning import audits

__all__ = ["labels", "one_coordinate", "vector"]


def _evidence(found: audits.Audit, relation: Literal["<=", ">="], where: str) -> Evidence:
    exact = "" if found.exact != found.exact else f" Exact {found.exact:.4g}."
    detail = f"{where}.{exact} {found.samples:.0e} messages about each label."
    return Evidence(measured=found.certified, limit=1.0, relation=relation, detail=detail)


def one_coordinate(calibration: str, relation: Literal["<=", ">="] = "<=") -> Check:
    """What the messages of Algorithm 2 certify; the full profile adds the three-label class."""

    def check(profile: str, seed: int) -> Evidence:
        found = audits.audit_pure(profile, seed, calibration)
        pieces = [_evidence(found, relation, "One law against 49 labels, T=100, ε=2")]
        if profile == "full":
            found = audits.audit_pure(profile, seed, calibration, n_labels=3, horizon=1000)
            pieces.append(_evidence(found, relation, "K=2, M=3, T=1000, ε=2"))
        return Evidence.worst(pieces)

    return check


def vector(noise: float) -> Check:
    """What whole messages of Algorithm 1 certify at their delta: corrected, tight, two deltas, two K."""

    def check(profile: str, seed: int) -> Evidence:
        cases = [("tight", copies, delta) for copies in (1, 2, 4) for delta in (1e-2, 1e-6)]
        cases = [("corrected", 1, 1e-2), *cases] if noise == 1 else cases[:1]
        pieces = []
        for calibration, copies, delta in cases:
            found = audits.audit_vector(profile, seed, calibration, copies=copies, delta=delta, noise=noise)
            pieces.append(_evidence(found, "<=", f"{calibration}, K={2 * copies}, δ={delta:g}, ε=1, T=1e6"))
        return Evidence.worst(pieces)

    return check


def labels(scheme: str) -> Check:
    """What the labels that are shown certify."""

    def check(profile: str, seed: int) -> Evidence:
        return _evidence(audits.audit_labels(profile, seed, scheme), "<=", "M=8, ε=1")

    return check
