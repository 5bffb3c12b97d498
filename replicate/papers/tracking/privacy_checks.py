"""Checks and controls of the privacy claims, (profile, seed) -> Evidence."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from replicate import audit
from replicate.claims import Check, Evidence
from replicate.papers.tracking import bounds, experiments, mirror_descent, privacy


def selection(factor: float) -> Check:
    """Lemma 2.3: exact worst privacy loss of report-noisy-max with Laplace(2 / (factor epsilon)) noise."""

    def check(profile: str, seed: int) -> Evidence:
        loss = max(
            audit.report_noisy_max_privacy_loss(n_actions=n, noise="laplace", scale=2 / factor) for n in (2, 3)
        )
        return Evidence(measured=loss, limit=1.0 + 1e-9, detail="N = 2 and 3, epsilon = 1.")

    return check


def limited_privacy(readers: int) -> Check:
    """Exact worst privacy loss of Algorithm 1's selections over all 0/1 tables of three rounds."""

    def check(profile: str, seed: int) -> Evidence:
        loss = max(
            audit.exhaustive_privacy_loss(
                lambda table: privacy.limited_updates_law(table, epsilon=1.0, readers=readers),
                n_rounds=3,
                n_actions=n,
            )
            for n in (2, 3)
        )
        return Evidence(measured=loss, limit=1.0, detail="N = 2 and 3, epsilon = 1, all neighbouring 0/1 tables.")

    return check


def restart_loss(calibration: str, relation: str) -> Check:
    """Privacy loss of one event of Algorithm 2 over epsilon."""

    def check(profile: str, seed: int) -> Evidence:
        pair = experiments.restart_pair(calibration)
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

    return check


def sensitivity(opposite: bool) -> Check:
    """Largest move of a window query when one round's losses change (all at once, or only the played expert's)."""

    def check(profile: str, seed: int) -> Evidence:
        vectors = [np.array(v) for v in product((0.0, 1.0), repeat=2)]
        worst = max(
            privacy.query_shift(np.array(earlier), a, b, played=0)
            for earlier, a, b in product(product((0.0, 1.0, 2.0, 3.0), repeat=2), vectors, vectors)
            if opposite or a[1] == b[1]
        )
        return Evidence(
            measured=worst, limit=2.0, relation=">=", detail="N = 2, all 0/1 losses, windows with sums up to 3."
        )

    return check


def mirror_event(calibration: str) -> Check:
    """Privacy loss of one event of Algorithm 3's plays over epsilon, N = 2."""

    def check(profile: str, seed: int) -> Evidence:
        setting = {"n_switches": 2, "epsilon": 0.9, "calibration": calibration}
        fine = privacy.mirror_loss(horizon=64, **setting) / 0.9  # type: ignore[arg-type]
        coarse = privacy.mirror_loss(horizon=64, **setting, cells=600) / 0.9  # type: ignore[arg-type]
        return Evidence(
            measured=fine - 10 * abs(fine - coarse), limit=1.0, relation=">=",
            detail=f"T = 64, S = 2: {fine:.4f} on 1500 cells, {coarse:.4f} on 600.",
        )  # fmt: skip

    return check


def mirror_counts(calibration: str) -> Check:
    """Certified privacy loss of Algorithm 3's plays, N = 200, by counting plays in the favoured half."""

    def check(profile: str, seed: int) -> Evidence:
        likely, rare = experiments.half_play_limits(profile, seed, calibration)
        return Evidence(
            measured=math.log(likely.low / rare.high) / 0.9 if likely.low > 0 else -math.inf,
            limit=1.0, relation=">=",
            detail=f"At least 37 of 59 plays: {likely.estimate:.3f} against {rare.estimate:.3f} of the runs.",
        )  # fmt: skip

    return check


def mirror_upper(calibration: str) -> Check:
    """Upper bound on the privacy loss of Algorithm 3's plays over epsilon, worst over sizes."""

    def check(profile: str, seed: int) -> Evidence:
        evidence = []
        for n, horizon, s in product((2, 3, 10, 1000), (100, 10**6), (1, 10)):
            rate, noise = mirror_descent.parameters(
                n_experts=n, horizon=horizon, n_switches=s, epsilon=0.9, calibration=calibration
            )
            loss = privacy.mirror_upper(n_experts=n, horizon=horizon, learning_rate=rate, noise=noise)
            evidence.append(
                Evidence(measured=loss / 0.9, limit=1 + 1e-9, detail=f"N = {n}, T = {horizon}, S = {s}.")
            )
        return Evidence.worst(evidence)

    return check
