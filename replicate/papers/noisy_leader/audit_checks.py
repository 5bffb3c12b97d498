"""Checks by sampling the learners' actions."""

from __future__ import annotations

from itertools import product

from replicate import mechanisms
from replicate.claims import Check, Evidence
from replicate.papers.noisy_leader import algorithms, audits

__all__ = ["certified_by_sampling", "leak_by_sampling", "literal_leak"]


def certified_by_sampling(divisor: float) -> Check:
    """What samples of the actions of the six variants certify, at epsilon = 1, noise scales over `divisor`.

    At most epsilon, and at least a third of the pair's exact loss, or the audit would be blind.
    """

    def check(profile: str, seed: int) -> Evidence:
        pieces = []
        for noise, resample in product(mechanisms.NOISES, (False, True)):
            scale = algorithms.noise_scale(noise, epsilon=1.0) / divisor
            exact = audits.pair_loss(noise, scale=scale, resample=resample)
            certified = audits.certified_loss(
                noise, scale=scale, resample=resample, samples=audits.SAMPLES[profile], seed=seed
            )
            detail = (
                f"Largest: {noise}, B = {resample:d}: {audits.SAMPLES[profile]:,} runs on each of two "
                f"neighbouring tables, whose exact loss is {exact:.4g}."
            )
            pieces.append(Evidence(measured=certified, limit=1.0, detail=detail))
            pieces.append(Evidence(measured=certified, limit=exact / 3, relation=">=", detail=detail))
        return Evidence.worst(pieces)

    return check


def leak_by_sampling(calibration: str) -> Check:
    """What samples certify against exponential noise at epsilon = 1: simulated actions, and the literal learner.

    The smallest of three lower limits; more than epsilon is a violation.
    """

    def check(profile: str, seed: int) -> Evidence:
        scale = algorithms.noise_scale("exponential", epsilon=1.0, calibration=calibration)
        runs, pair = audits.SAMPLES[profile], audits.COUNTEREXAMPLE
        limits = [
            audits.certified_loss("exponential", scale=scale, resample=flag, samples=runs, seed=seed, pair=pair)
            for flag in (False, True)
        ]
        limits.append(literal_leak(calibration)(profile, seed).measured)
        detail = (
            f"K = 2, four rounds: {limits[0]:.3f} (B = 0) and {limits[1]:.3f} (B = 1) from {runs:,} runs, "
            f"{limits[2]:.3f} from {runs // 25:,} runs of the literal learner; the exact loss is {2 / scale:g}."
        )
        return Evidence(measured=min(limits), limit=1 + 1e-6, relation=">=", detail=detail)

    return check


def literal_leak(calibration: str) -> Check:
    """What runs of the literal learner with exponential noise certify at epsilon = 1; more than that is a leak."""

    def check(profile: str, seed: int) -> Evidence:
        runs = audits.SAMPLES[profile] // 25
        certified = audits.literal_loss(
            "exponential",
            epsilon=1.0,
            resample=False,
            calibration=calibration,
            samples=runs,
            seed=seed,
            pair=audits.COUNTEREXAMPLE,
        )
        detail = f"{runs:,} runs of four rounds on each of two neighbouring tables."
        return Evidence(measured=certified, limit=1 + 1e-6, relation=">=", detail=detail)

    return check
