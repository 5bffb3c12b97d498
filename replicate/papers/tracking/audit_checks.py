"""Checks and controls of the audits, (profile, seed) -> Evidence: privacy losses in units of epsilon."""

from __future__ import annotations

from typing import Literal

from replicate.claims import Check, Evidence
from replicate.papers.tracking import audits

__all__ = ["alarm", "dartboard", "mirror", "selections"]

Relation = Literal["<=", ">="]


def _evidence(audit: audits.Audit, limit: float, relation: Relation, detail: str) -> Evidence:
    exact = "" if audit.exact != audit.exact else f" Exact loss of the pair {audit.exact:.3g};"
    return Evidence(
        measured=audit.certified, limit=limit, relation=relation,
        detail=f"{detail}{exact} proved: at most {audit.proved:.3g}. {audit.runs:,} runs on each table.",
    )  # fmt: skip


def selections(noise: float) -> Check:
    """What the plays of Algorithm 1 certify, its noise multiplied by `noise`."""

    def check(profile: str, seed: int) -> Evidence:
        found = audits.audit_selections(profile, seed, noise)
        return _evidence(found, 1.0, "<=", "The expert selected after a block of four rounds.")

    return check


def alarm(calibration: str, relation: Relation = "<=") -> Check:
    """What the moment of Algorithm 2's restart certifies, against AboveThreshold's half of the budget."""

    def check(profile: str, seed: int) -> Evidence:
        found = audits.audit_alarm(profile, seed, calibration)
        drawn = ", drawn from its exact law" if profile == "quick" else ""
        return _evidence(found, 0.5, relation, f"Restart before or in the second climb, or never{drawn}.")

    return check


def dartboard(redraws: bool) -> Check:
    """What the plays of the meta-experts certify, pure and approximate."""

    def check(profile: str, seed: int) -> Evidence:
        pieces = []
        for setting in audits.DARTBOARDS if redraws else audits.DARTBOARDS[:1]:
            found = audits.audit_dartboard(profile, seed, **setting, redraws=redraws)
            where = f"T = {setting['horizon']}, S = {setting['n_switches']}, delta = {setting['delta']:g}, N = 2."
            pieces.append(_evidence(found, 1.0, "<=", where))
        if redraws:
            worst = audits.dartboard_worst()
            pieces.append(Evidence(measured=worst, limit=1.0, detail="Exact, T = 4: all neighbouring 0/1 tables."))
        return Evidence.worst(pieces)

    return check


def mirror(calibration: str, relation: Relation = "<=") -> Check:
    """What the plays of Algorithm 3 certify, six experts in eight rounds, epsilon = 2."""

    def check(profile: str, seed: int) -> Evidence:
        found = audits.audit_mirror(profile, seed, calibration)
        return _evidence(found, 1.0, relation, "How many of seven plays fall into the favoured half.")

    return check
