"""Checks of the privacy claims: exact laws, quadrature and sampled actions."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy import integrate

from replicate import audit, mechanisms
from replicate.claims import EXACT, Evidence
from replicate.papers.noisy_leader import algorithms, privacy
from replicate.papers.noisy_leader.experiments import regret

__all__ = [
    "certified_by_sampling",
    "exponential_loss",
    "gumbel_law",
    "leak_by_sampling",
    "literal_leak",
    "table_2",
    "whole_sequence",
]


def certified_by_sampling(profile: str, seed: int, *, divisor: float) -> Evidence:
    """What samples of the actions of the six variants certify, at epsilon = 1, noise scales over `divisor`.

    At most epsilon, and at least a third of the pair's exact loss, or the audit would be blind.
    """
    pieces = []
    for noise, resample in product(mechanisms.NOISES, (False, True)):
        scale = algorithms.noise_scale(noise, epsilon=1.0) / divisor
        exact = privacy.pair_loss(noise, scale=scale, resample=resample)
        certified = privacy.certified_loss(
            noise, scale=scale, resample=resample, samples=privacy.SAMPLES[profile], seed=seed
        )
        detail = (
            f"Largest: {noise}, B = {resample:d}: {privacy.SAMPLES[profile]:,} runs on each of two "
            f"neighbouring tables, whose exact loss is {exact:.4g}."
        )
        pieces.append(Evidence(measured=certified, limit=1.0, detail=detail))
        pieces.append(Evidence(measured=certified, limit=exact / 3, relation=">=", detail=detail))
    return Evidence.worst(pieces)


def leak_by_sampling(profile: str, seed: int, *, calibration: str) -> Evidence:
    """What samples certify against exponential noise at epsilon = 1: simulated actions, and the literal learner.

    The smallest of three lower limits; more than epsilon is a violation.
    """
    scale = algorithms.noise_scale("exponential", epsilon=1.0, calibration=calibration)
    runs, pair = privacy.SAMPLES[profile], privacy.COUNTEREXAMPLE
    limits = [
        privacy.certified_loss("exponential", scale=scale, resample=flag, samples=runs, seed=seed, pair=pair)
        for flag in (False, True)
    ]
    limits.append(literal_leak(profile, seed, calibration=calibration).measured)
    detail = (
        f"K = 2, four rounds: {limits[0]:.3f} (B = 0) and {limits[1]:.3f} (B = 1) from {runs:,} runs, "
        f"{limits[2]:.3f} from {runs // 25:,} runs of the literal learner; the exact loss is {2 / scale:g}."
    )
    return Evidence(measured=min(limits), limit=1 + 1e-6, relation=">=", detail=detail)


def literal_leak(profile: str, seed: int, *, calibration: str) -> Evidence:
    """What runs of the literal learner with exponential noise certify at epsilon = 1; more than that is a leak."""
    runs = privacy.SAMPLES[profile] // 25
    certified = privacy.literal_loss(
        "exponential",
        epsilon=1.0,
        resample=False,
        calibration=calibration,
        samples=runs,
        seed=seed,
        pair=privacy.COUNTEREXAMPLE,
    )
    detail = f"{runs:,} runs of four rounds on each of two neighbouring tables."
    return Evidence(measured=certified, limit=1 + 1e-6, relation=">=", detail=detail)


def whole_sequence(profile: str, seed: int, *, divisor: float) -> Evidence:
    """Largest exact privacy loss of the six corrected variants at epsilon = 1, noise scales over `divisor`.

    Blocks of up to 256 rounds and up to 4 (quick) or 8 (full) actions; B = 1 and the joint law of two epochs by
    enumeration of every table and every neighbour.
    """
    pieces = []

    def record(loss: float, detail: str) -> None:
        pieces.append(Evidence(measured=loss, limit=1 + EXACT, detail=f"Largest: {detail}."))

    for noise in mechanisms.NOISES:
        scale = algorithms.noise_scale(noise, epsilon=1.0) / divisor
        for k, n in product((2, 3, 4) if profile == "quick" else (2, 3, 4, 6, 8), (1, 2, 16, 256)):
            loss = audit.report_noisy_max_privacy_loss(k, noise=noise, scale=scale, n_rounds=n)
            record(loss, f"{noise}, B = 0, K={k}, {n} rounds")
        loss = audit.exhaustive_privacy_loss(
            lambda table, noise=noise, scale=scale: privacy.resampled_law(table, noise=noise, scale=scale),  # type: ignore[misc]
            n_rounds=2,
            n_actions=2,
            levels=(0.0, 0.5, 1.0),
        )
        record(loss, f"{noise}, B = 1, every table of two rounds")
        loss = audit.exhaustive_privacy_loss(
            lambda table, noise=noise, scale=scale: privacy.sequence_law(  # type: ignore[misc]
                table, noise=noise, scale=scale, resample=False
            ),
            n_rounds=3,
            n_actions=2,
        )
        record(loss, f"{noise}, B = 0, joint law of two epochs")
    return Evidence.worst(pieces)


def exponential_loss(profile: str, seed: int, *, calibration: str, n_rounds: int) -> Evidence:
    """Exact privacy loss with exponential noise, K = 2, epsilon = 1; more than epsilon is a violation."""
    scale = algorithms.noise_scale("exponential", epsilon=1.0, calibration=calibration)
    loss = audit.report_noisy_max_privacy_loss(2, noise="exponential", scale=scale, n_rounds=n_rounds)
    same = audit.report_noisy_max_privacy_loss(2, noise="exponential", scale=scale, monotone=True)
    detail = f"K = 2, ε = 1, a block of {n_rounds}. If all scores moved the same way: {same:g}."
    return Evidence(measured=loss, limit=1 + 1e-6, relation=">=", detail=detail)


def table_2(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Largest exact privacy loss in our version of Table 2, epsilon = 1, K = 4, any block length."""
    data = regret.privacy_table()
    data = data[data["calibration"] == calibration]
    worst = data.loc[data["any"].idxmax()]
    detail = f"Largest: {worst['noise']} noise of scale {worst['scale']:g}."
    return Evidence(measured=float(worst["any"]), limit=1 + EXACT, detail=detail)


def gumbel_law(profile: str, seed: int, *, doubled: bool) -> Evidence:
    """Distance of the softmax of G epsilon / 2, or of G epsilon as printed, from the law of Gumbel(2 / epsilon).

    That law by quadrature of its definition, K = 2, epsilon = 1, G = (0, 3).
    """

    def density(x: float) -> float:
        return float(np.exp(-x / 2 - np.exp(-x / 2)) / 2)

    exact = integrate.quad(lambda x: density(x + 3) * np.exp(-np.exp(-x / 2)), -30, 200)[0]
    softmax = 1 / (1 + np.exp(3 if doubled else 1.5))
    detail = f"P(second action) = {exact:.6f}, softmax {softmax:.6f}."
    return Evidence(measured=abs(exact - softmax), limit=1e-8, detail=detail)
