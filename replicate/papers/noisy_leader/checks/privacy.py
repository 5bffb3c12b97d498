"""Checks of the privacy claims: exact laws, and what sampled actions certify."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

from replicate import audit, certify, mechanisms
from replicate.claims.evidence import EXACT, Evidence, worst
from replicate.papers.noisy_leader import privacy


@worst
def exponential_by_sampling(profile: str, seed: int, *, calibration: str) -> Iterator[Evidence]:
    """Certified privacy loss of exponential noise at epsilon = 1, from simulated actions and the literal learner.

    Three lower limits that share one probability of being wrong; each that is more than epsilon is a violation.
    """
    scale, runs = privacy.shipped_scale("exponential", calibration=calibration), privacy.FEWER[profile]
    known: dict[str, Any] = {"scale": scale, "samples": runs, "seed": seed, "pair": privacy.COUNTEREXAMPLE}
    limits = {
        f"{runs:,} runs, B = {resample:d}": privacy.certified_loss(
            "exponential", resample=resample, false_alarm=certify.share(3), **known
        )
        for resample in (False, True)
    }
    literal = f"{privacy.LITERAL[profile]:,} runs of the literal learner"
    limits[literal] = privacy.literal_loss(profile, seed, calibration=calibration)
    shown = ", ".join(f"{value:.3f} from {name}" for name, value in limits.items())
    for name, value in limits.items():
        detail = f"K = 2, four rounds: {shown}; the exact loss is {2 / scale:g}. Smallest: {name}."
        yield Evidence(measured=value, limit=1 + 1e-6, relation=">=", detail=detail)


def exponential_by_literal_runs(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Certified privacy loss of the literal learner with exponential noise; more than epsilon is a violation."""
    certified = privacy.literal_loss(profile, seed, calibration=calibration)
    detail = f"{privacy.LITERAL[profile]:,} runs of four rounds on each of two neighbouring tables."
    return Evidence(measured=certified, limit=1 + 1e-6, relation=">=", detail=detail)


@worst
def exact_losses(profile: str, seed: int, *, divisor: float) -> Iterator[Evidence]:
    """Largest exact privacy loss of the six corrected variants at epsilon = 1, noise scales over `divisor`.

    Blocks of up to 256 rounds and up to 4 (quick) or 8 (full) actions; B = 1 and the joint law of two epochs by
    enumeration of every table and every neighbour.
    """
    sizes = (2, 3, 4) if profile == "quick" else (2, 3, 4, 6, 8)
    for noise in mechanisms.NOISES:
        for loss, case in _exact_losses(noise, privacy.shipped_scale(noise) / divisor, sizes):
            yield Evidence(measured=loss, limit=1 + EXACT, detail=f"Largest: {noise}, {case}.")


def _exact_losses(noise: str, scale: float, sizes: tuple[int, ...]) -> Iterator[tuple[float, str]]:
    """Exact privacy losses of one noise, and what each of them is the loss of."""
    for k, n in product(sizes, (1, 2, 16, 256)):
        loss = audit.report_noisy_max_privacy_loss(k, noise=noise, scale=scale, n_rounds=n)
        yield loss, f"B = 0, K={k}, {n} rounds"
    law = partial(privacy.resampled_law, noise=noise, scale=scale)
    loss = audit.exhaustive_privacy_loss(law, n_rounds=2, n_actions=2, levels=(0.0, 0.5, 1.0))
    yield loss, "B = 1, every table of two rounds"
    law = partial(privacy.sequence_law, noise=noise, scale=scale, resample=False)
    yield audit.exhaustive_privacy_loss(law, n_rounds=3, n_actions=2), "B = 0, joint law of two epochs"


def exponential_loss(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Exact privacy loss with exponential noise, K = 2, two rounds, epsilon = 1; more than that is a violation."""
    scale = privacy.shipped_scale("exponential", calibration=calibration)
    loss = audit.report_noisy_max_privacy_loss(2, noise="exponential", scale=scale, n_rounds=2)
    same = audit.report_noisy_max_privacy_loss(2, noise="exponential", scale=scale, monotone=True)
    detail = f"K = 2, ε = 1, a block of 2. If all scores moved the same way: {same:g}."
    return Evidence(measured=loss, limit=1 + 1e-6, relation=">=", detail=detail)


@worst
def table_2(profile: str, seed: int, *, calibration: str) -> Iterator[Evidence]:
    """Privacy loss of each variant of Table 2 at epsilon = 1, found by search over its own law.

    Four actions, blocks of 16 rounds. It is at most epsilon, and at least 0.999 of it: the noise is not too large.
    """
    for noise in mechanisms.NOISES:
        learner = privacy.shipped(noise, n_actions=4, calibration=calibration)
        loss = audit.selection_privacy_loss(learner.law, n_actions=4, n_rounds=16, starts=200)
        detail = f"Closest: {noise} noise of scale {learner.scale:g}, loss {loss:.6f}."
        yield Evidence(measured=loss, limit=1 + EXACT, detail=detail)
        yield Evidence(measured=loss, limit=0.999, relation=">=", detail=detail)
