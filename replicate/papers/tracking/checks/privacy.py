"""Checks and controls of the privacy claims, (profile, seed) -> Evidence."""

from __future__ import annotations

import math
from itertools import product
from typing import Literal

import numpy as np

from replicate import audit
from replicate.claims import Evidence
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import mirror_descent
from replicate.papers.tracking.experiments import regret
from replicate.papers.tracking.privacy import exact, sampled

__all__ = ["alarm", "dartboard", "mirror", "selections"]


def selection(profile: str, seed: int, *, factor: float) -> Evidence:
    """Lemma 2.3: exact worst privacy loss of report-noisy-max with Laplace(2 / (factor epsilon)) noise."""
    loss = max(audit.report_noisy_max_privacy_loss(n_actions=n, noise="laplace", scale=2 / factor) for n in (2, 3))
    return Evidence(measured=loss, limit=1.0 + 1e-9, detail="N = 2 and 3, epsilon = 1.")


def limited_privacy(profile: str, seed: int, *, readers: int) -> Evidence:
    """Exact worst privacy loss of Algorithm 1's selections over all 0/1 tables of three rounds."""
    loss = max(
        audit.exhaustive_privacy_loss(
            lambda table: exact.limited_updates_law(table, epsilon=1.0, readers=readers),
            n_rounds=3,
            n_actions=n,
        )
        for n in (2, 3)
    )
    return Evidence(measured=loss, limit=1.0, detail="N = 2 and 3, epsilon = 1, all neighbouring 0/1 tables.")


def restart_loss(profile: str, seed: int, *, calibration: str, relation: str) -> Evidence:
    """Privacy loss of one event of Algorithm 2 over epsilon."""
    pair = regret.restart_pair(calibration)
    detail = (
        f"Selections {pair.selections / 4:.4g}, restart {pair.restart / 4:.4g} epsilon; the event has "
        f"probability 10^{pair.log_probability / math.log(10):.0f}."
    )
    if relation == ">=":
        return Evidence(measured=pair.loss / 4, limit=1.2, relation=">=", detail=detail)
    rule = bounds.restart_rule(n_experts=2, epsilon=4.0, horizon=8192, calibration=calibration)
    composed = 0.5 + 1.5 * rule.epsilon / 4
    return Evidence(
        measured=max(pair.loss / 4, composed),
        limit=1 + 1e-9,
        detail=f"{detail} Composed: {composed:g} epsilon.",
    )


def sensitivity(profile: str, seed: int, *, opposite: bool) -> Evidence:
    """Largest move of a window query when one round's losses change (all at once, or only the played expert's)."""
    vectors = [np.array(v) for v in product((0.0, 1.0), repeat=2)]
    worst = max(
        exact.query_shift(np.array(earlier), a, b, played=0)
        for earlier, a, b in product(product((0.0, 1.0, 2.0, 3.0), repeat=2), vectors, vectors)
        if opposite or a[1] == b[1]
    )
    return Evidence(
        measured=worst, limit=2.0, relation=">=", detail="N = 2, all 0/1 losses, windows with sums up to 3."
    )


def mirror_event(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Privacy loss of one event of Algorithm 3's plays over epsilon, N = 2."""
    setting = {"n_switches": 2, "epsilon": 0.9, "calibration": calibration}
    fine = exact.mirror_loss(horizon=64, **setting) / 0.9  # type: ignore[arg-type]
    coarse = exact.mirror_loss(horizon=64, **setting, cells=600) / 0.9  # type: ignore[arg-type]
    return Evidence(
        measured=fine - 10 * abs(fine - coarse), limit=1.0, relation=">=",
        detail=f"T = 64, S = 2: {fine:.4f} on 1500 cells, {coarse:.4f} on 600.",
    )  # fmt: skip


def mirror_counts(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Certified privacy loss of Algorithm 3's plays, N = 200, by counting plays in the favoured half."""
    likely, rare = regret.half_play_limits(profile, seed, calibration)
    return Evidence(
        measured=math.log(likely.low / rare.high) / 0.9 if likely.low > 0 else -math.inf,
        limit=1.0, relation=">=",
        detail=f"At least 37 of 59 plays: {likely.estimate:.3f} against {rare.estimate:.3f} of the runs.",
    )  # fmt: skip


def mirror_upper(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Upper bound on the privacy loss of Algorithm 3's plays over epsilon, worst over sizes."""
    evidence = []
    for n, horizon, s in product((2, 3, 10, 1000), (100, 10**6), (1, 10)):
        rate, noise = mirror_descent.parameters(
            n_experts=n, horizon=horizon, n_switches=s, epsilon=0.9, calibration=calibration
        )
        loss = exact.mirror_upper(n_experts=n, horizon=horizon, learning_rate=rate, noise=noise)
        evidence.append(Evidence(measured=loss / 0.9, limit=1 + 1e-9, detail=f"N = {n}, T = {horizon}, S = {s}."))
    return Evidence.worst(evidence)


Relation = Literal["<=", ">="]


def _evidence(audit: sampled.Audit, limit: float, relation: Relation, detail: str) -> Evidence:
    exact = "" if audit.exact != audit.exact else f" Exact loss of the pair {audit.exact:.3g};"
    return Evidence(
        measured=audit.certified, limit=limit, relation=relation,
        detail=f"{detail}{exact} proved: at most {audit.proved:.3g}. {audit.runs:,} runs on each table.",
    )  # fmt: skip


def selections(profile: str, seed: int, *, noise: float) -> Evidence:
    """What the plays of Algorithm 1 certify, its noise multiplied by `noise`."""
    found = sampled.audit_selections(profile, seed, noise)
    return _evidence(found, 1.0, "<=", "The expert selected after a block of four rounds.")


def alarm(profile: str, seed: int, *, calibration: str, relation: Relation = "<=") -> Evidence:
    """What the moment of Algorithm 2's restart certifies, against AboveThreshold's half of the budget."""
    found = sampled.audit_alarm(profile, seed, calibration)
    drawn = ", drawn from its exact law" if profile == "quick" else ""
    return _evidence(found, 0.5, relation, f"Restart before or in the second climb, or never{drawn}.")


def dartboard(profile: str, seed: int, *, redraws: bool) -> Evidence:
    """What the plays of the meta-experts certify, pure and approximate."""
    pieces = []
    for setting in sampled.DARTBOARDS if redraws else sampled.DARTBOARDS[:1]:
        found = sampled.audit_dartboard(profile, seed, **setting, redraws=redraws)
        where = f"T = {setting['horizon']}, S = {setting['n_switches']}, delta = {setting['delta']:g}, N = 2."
        pieces.append(_evidence(found, 1.0, "<=", where))
    if redraws:
        worst = sampled.dartboard_worst()
        pieces.append(Evidence(measured=worst, limit=1.0, detail="Exact, T = 4: all neighbouring 0/1 tables."))
    return Evidence.worst(pieces)


def mirror(profile: str, seed: int, *, calibration: str, relation: Relation = "<=") -> Evidence:
    """What the plays of Algorithm 3 certify, six experts in eight rounds, epsilon = 2."""
    found = sampled.audit_mirror(profile, seed, calibration)
    return _evidence(found, 1.0, relation, "How many of seven plays fall into the favoured half.")
