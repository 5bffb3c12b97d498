"""Checks of the privacy claims: exact laws, and what sampled actions certify."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

from replicate import audit, mechanisms
from replicate.claims import EXACT, Evidence
from replicate.papers.noisy_leader import algorithms, privacy
from replicate.papers.noisy_leader.experiments.privacy import privacy_table


def certified_by_sampling(profile: str, seed: int, *, divisor: float) -> Evidence:
    """Lower confidence limits of the six variants' privacy losses at epsilon = 1, noise scales over `divisor`.

    At most epsilon, and at least a third of the pair's exact loss, or the audit would not be informative.
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


def exponential_by_sampling(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Certified privacy loss of exponential noise at epsilon = 1, from simulated actions and the literal learner.

    The smallest of three lower limits; more than epsilon is a violation.
    """
    scale = algorithms.noise_scale("exponential", epsilon=1.0, calibration=calibration)
    runs, pair = privacy.SAMPLES[profile], privacy.COUNTEREXAMPLE
    limits = [
        privacy.certified_loss("exponential", scale=scale, resample=resample, samples=runs, seed=seed, pair=pair)
        for resample in (False, True)
    ]
    limits.append(exponential_by_literal_runs(profile, seed, calibration=calibration).measured)
    detail = (
        f"K = 2, four rounds: {limits[0]:.3f} (B = 0) and {limits[1]:.3f} (B = 1) from {runs:,} runs, "
        f"{limits[2]:.3f} from {runs // 25:,} runs of the literal learner; the exact loss is {2 / scale:g}."
    )
    return Evidence(measured=min(limits), limit=1 + 1e-6, relation=">=", detail=detail)


def exponential_by_literal_runs(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Certified privacy loss of the literal learner with exponential noise; more than epsilon is a violation."""
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


def exact_losses(profile: str, seed: int, *, divisor: float) -> Evidence:
    """Largest exact privacy loss of the six corrected variants at epsilon = 1, noise scales over `divisor`.

    Blocks of up to 256 rounds and up to 4 (quick) or 8 (full) actions; B = 1 and the joint law of two epochs by
    enumeration of every table and every neighbour.
    """
    sizes = (2, 3, 4) if profile == "quick" else (2, 3, 4, 6, 8)
    return Evidence.worst(
        Evidence(measured=loss, limit=1 + EXACT, detail=f"Largest: {noise}, {case}.")
        for noise in mechanisms.NOISES
        for loss, case in _exact_losses(noise, algorithms.noise_scale(noise, epsilon=1.0) / divisor, sizes)
    )


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
    scale = algorithms.noise_scale("exponential", epsilon=1.0, calibration=calibration)
    loss = audit.report_noisy_max_privacy_loss(2, noise="exponential", scale=scale, n_rounds=2)
    same = audit.report_noisy_max_privacy_loss(2, noise="exponential", scale=scale, monotone=True)
    detail = f"K = 2, ε = 1, a block of 2. If all scores moved the same way: {same:g}."
    return Evidence(measured=loss, limit=1 + 1e-6, relation=">=", detail=detail)


def table_2(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Largest exact privacy loss in our version of Table 2, epsilon = 1, K = 4, any block length."""
    data = privacy_table()
    data = data[data["calibration"] == calibration]
    worst = data.loc[data["any"].idxmax()]
    detail = f"Largest: {worst['noise']} noise of scale {worst['scale']:g}."
    return Evidence(measured=float(worst["any"]), limit=1 + EXACT, detail=detail)
