"""Checks of the competitors' privacy: exact losses, with noise and levels read from the learners themselves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from replicate.claims import EXACT, Evidence
from replicate.learners import registry
from replicate.studies.synopsis import privacy

_LEVELS = (1.0, 0.1)
_DELTA = 1e-6
_ROUNDS = {"quick": 32, "full": 64, "huge": 64}
"""Rounds of the games in which prefix sums are released."""
_SEPARATE, _EPOCHS = 500, {"dp_se": 3300}
"""Rounds of the games in which sums are released one by one; more where two releases take longer."""


def prefix_sums(profile: str, seed: int, *, learners: tuple[str, ...], noise_divisor: float) -> Evidence:
    """Exact loss of all prefix sums that a learner acts on, over what it declares, pure noise: at most 1."""
    pieces = []
    for name in learners:
        for epsilon in _LEVELS:
            sizes: dict[str, Any] = {"n_actions": 3, "horizon": _ROUNDS[profile], "epsilon": epsilon}
            loss = privacy.loss_of_prefixes(name, noise_divisor=noise_divisor, **sizes)
            learner: Any = registry.learner(name, rng=np.random.default_rng(1), **sizes)
            declared = learner.privacy.epsilon
            detail = f"{name}, {_shown(sizes)}: exact loss {loss:.4f}, declared {declared:.4f}."
            pieces.append(Evidence(measured=loss / declared, limit=1 + EXACT, detail=detail))
    return Evidence.worst(pieces)


def gaussian_sums(profile: str, seed: int, *, learners: tuple[str, ...], noise_divisor: float) -> Evidence:
    """Exact delta at epsilon of all prefix sums that a learner acts on, Gaussian noise: at most that declared."""
    pieces = []
    for name in learners:
        for epsilon in _LEVELS:
            sizes: dict[str, Any] = {
                "n_actions": 3,
                "horizon": _ROUNDS[profile],
                "epsilon": epsilon,
                "delta": _DELTA,
            }
            delta = privacy.delta_of_prefixes(name, noise_divisor=noise_divisor, **sizes)
            detail = f"{name}, {_shown(sizes)}: exact δ {delta:.4g}, declared {_DELTA:g}."
            pieces.append(Evidence(measured=delta, limit=_DELTA * (1 + EXACT), detail=detail))
    return Evidence.worst(pieces)


def separate_sums(
    profile: str, seed: int, *, learners: tuple[str, ...], n_actions: int, noise_divisor: float
) -> Evidence:
    """Exact loss of all sums that a learner reads, each with noise of its own, over epsilon: at most 1."""
    pieces = []
    for name in learners:
        for epsilon in _LEVELS:
            sizes: dict[str, Any] = {
                "n_actions": n_actions,
                "n_rounds": _EPOCHS.get(name, _SEPARATE),
                "epsilon": epsilon,
            }
            loss, sums = privacy.loss_of_sums(name, noise_divisor=noise_divisor, **sizes)
            detail = f"{name}, {_shown(sizes)}: exact loss {loss:.4f} of {sums} noisy sums."
            measured = loss / epsilon if sums > 1 else math.inf
            pieces.append(Evidence(measured=measured, limit=1 + EXACT, detail=detail))
    return Evidence.worst(pieces)


def random_bits(profile: str, seed: int, *, learners: tuple[str, ...], epsilon_factor: float) -> Evidence:
    """Largest log ratio of the probabilities of a learner's bit over two losses, over epsilon: at most 1."""
    pieces = []
    for name in learners:
        for epsilon in _LEVELS:
            loss = privacy.log_odds(name, epsilon=epsilon, epsilon_factor=epsilon_factor)
            detail = f"{name}, ε={epsilon:g}: exact loss of a bit {loss:.4f}, eleven losses from 0 to 1."
            pieces.append(Evidence(measured=loss / epsilon, limit=1 + EXACT, detail=detail))
    return Evidence.worst(pieces)


def _shown(sizes: dict[str, Any]) -> str:
    """Say the sizes of a game."""
    rounds = sizes.get("horizon", sizes.get("n_rounds"))
    return f"K={sizes['n_actions']}, {rounds:,} rounds, ε={sizes['epsilon']:g}"
