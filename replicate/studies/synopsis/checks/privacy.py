"""Checks of the competitors' privacy: exact losses, with noise and levels read from the learners themselves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from replicate import audit
from replicate.claims.evidence import EXACT, Evidence, worst
from replicate.learners import registry
from replicate.studies.synopsis import privacy

_LEVELS = (1.0, 0.1)
_DELTA = 1e-6
_ROUNDS = {"quick": 32, "full": 64, "huge": 64}
"""Rounds of the games in which prefix sums are released."""
_SEPARATE, _EPOCHS = 500, {"dp_se": 3300}
"""Rounds of the games in which sums are released one by one; more where two releases take longer."""


@worst
def prefix_sums(profile: str, seed: int, *, learners: tuple[str, ...], noise_divisor: float) -> Iterator[Evidence]:
    """Exact loss of all prefix sums that a learner acts on, over what it declares, pure noise: at most 1."""
    for name, epsilon in product(learners, _LEVELS):
        sizes: dict[str, Any] = {"n_actions": 3, "horizon": _ROUNDS[profile], "epsilon": epsilon}
        loss = privacy.loss_of_prefixes(registry.entry(name), noise_divisor=noise_divisor, **sizes)
        learner: Any = registry.learner(name, rng=np.random.default_rng(1), **sizes)
        declared = learner.privacy.epsilon
        where = f"{name}, K=3, {_ROUNDS[profile]:,} rounds, ε={epsilon:g}"
        detail = f"{where}: exact loss {loss:.4f}, declared {declared:.4f}."
        yield Evidence(measured=loss / declared, limit=1 + EXACT, detail=detail)


@worst
def gaussian_sums(
    profile: str, seed: int, *, learners: tuple[str, ...], noise_divisor: float
) -> Iterator[Evidence]:
    """Exact delta at epsilon of all prefix sums that a learner acts on, Gaussian noise: at most that declared."""
    rounds = _ROUNDS[profile]
    for name, epsilon in product(learners, _LEVELS):
        delta = privacy.delta_of_prefixes(
            registry.entry(name), n_actions=3, horizon=rounds, epsilon=epsilon, delta=_DELTA,
            noise_divisor=noise_divisor,
        )  # fmt: skip
        detail = f"{name}, K=3, {rounds:,} rounds, ε={epsilon:g}: exact δ {delta:.4g}, declared {_DELTA:g}."
        yield Evidence(measured=delta, limit=_DELTA * (1 + EXACT), detail=detail)


@worst
def separate_sums(
    profile: str, seed: int, *, learners: tuple[str, ...], n_actions: int, noise_divisor: float
) -> Iterator[Evidence]:
    """Exact loss of all sums that a learner reads, each with noise drawn for it alone, over epsilon: at most 1."""
    for name, epsilon in product(learners, _LEVELS):
        rounds = _EPOCHS.get(name, _SEPARATE)
        loss, sums = privacy.loss_of_sums(
            registry.entry(name), n_actions=n_actions, n_rounds=rounds, epsilon=epsilon,
            noise_divisor=noise_divisor,
        )  # fmt: skip
        detail = (
            f"{name}, K={n_actions}, {rounds:,} rounds, ε={epsilon:g}: exact loss {loss:.4f} of {sums} noisy sums."
        )
        measured = loss / epsilon if sums > 1 else math.inf
        yield Evidence(measured=measured, limit=1 + EXACT, detail=detail)


@worst
def selections(profile: str, seed: int, *, learners: tuple[str, ...], noise_divisor: float) -> Iterator[Evidence]:
    """Exact loss of the selections that read a round, with a learner's weights, over epsilon: at most 1."""
    for name, epsilon in product(learners, _LEVELS):
        learner: Any = registry.learner(
            name, n_actions=3, horizon=_SEPARATE, epsilon=epsilon, rng=np.random.default_rng(1)
        )
        scales = learner.noise / noise_divisor / np.asarray(getattr(learner, "weights", [1.0]))
        losses = [audit.report_noisy_max_privacy_loss(3, noise="exponential", scale=float(s)) for s in scales]
        loss = math.fsum(losses)
        detail = (
            f"{name}, K=3, ε={epsilon:g}: exact loss {loss:.4f} of {len(losses)} selections, any number of rounds."
        )
        yield Evidence(measured=loss / epsilon, limit=1 + EXACT, detail=detail)


@worst
def random_bits(
    profile: str, seed: int, *, learners: tuple[str, ...], epsilon_factor: float
) -> Iterator[Evidence]:
    """Largest log ratio of the probabilities of a bit over what one loss can be, over epsilon: at most 1."""
    for name, epsilon in product(learners, _LEVELS):
        loss = privacy.log_odds(registry.entry(name), epsilon=epsilon, epsilon_factor=epsilon_factor)
        detail = f"{name}, ε={epsilon:g}: exact loss of a bit {loss:.4f}, one loss is 0 or 1."
        yield Evidence(measured=loss / epsilon, limit=1 + EXACT, detail=detail)
