"""Loss processes with shifts, and the sizes of the profiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from replicate import environments
from replicate.profiles import PROFILES


@dataclass(frozen=True)
class Sizes:
    """Sizes of one profile."""

    stationary: tuple[int, int]  # horizon, replicates
    detection: tuple[int, int]
    shifting: tuple[int, int]
    dyadic: tuple[int, int]
    oblivious: tuple[tuple[int, int, int, int, int], ...]  # N, S, T, batch, replicates
    lazy: tuple[int, int]
    mirror: tuple[int, int]
    watched: tuple[int, int]
    adversarial: tuple[int, int]
    blind: int  # games
    sweep_horizons: tuple[int, ...]
    sweep_replicates: int
    audit_runs: int


_OBLIVIOUS = (
    (2, 1, 2**16, 1, 96), (2, 1, 2**16, 64, 96), (4, 3, 2**18, 64, 84), (16, 8, 2**19, 64, 32)
)  # fmt: skip
_HORIZONS = (2**11, 2**12, 2**13, 2**14, 2**15, 2**16, 2**17)
_SIZES: dict[str, tuple[Any, Any, Any]] = {
    "stationary": ((2**16, 215), (2**18, 500), (2**18, 5_000)),
    "detection": ((2**13, 215), (2**13, 500), (2**14, 5_000)),
    "shifting": ((2**17, 80), (2**19, 160), (2**19, 1_600)),
    "dyadic": ((2**16, 48), (2**17, 84), (2**20, 1_040)),
    "oblivious": (_OBLIVIOUS[1:2], _OBLIVIOUS, tuple((*case, 10 * many) for *case, many in _OBLIVIOUS)),
    "lazy": ((2**16, 96), (2**18, 220), (2**20, 2_200)),
    "mirror": ((2**18, 104), (2**19, 140), (2**22, 2_000)),
    "watched": ((2**18, 54), (2**19, 100), (2**22, 2_000)),
    "adversarial": ((256, 14), (512, 14), (2048, 140)),
    "blind": (150, 300, 300),
    "sweep_horizons": (_HORIZONS[:4], _HORIZONS, (*_HORIZONS, 2**18, 2**19)),
    "sweep_replicates": (4, 6, 60),
    "audit_runs": (16_000, 20_000, 200_000),
}
SIZES = {
    profile: Sizes(**{name: values[i] for name, values in _SIZES.items()}) for i, profile in enumerate(PROFILES)
}


N_ACTIONS = 10
EPSILON = 1.0

FAILURE = 0.1
"""beta of the statements that are checked by counting how often they fail."""

SHIFT = 0.4
"""Fraction of the horizon at which the best expert changes: from there an Algorithm 1 that is never
restarted keeps the old expert to the end, when the horizon is a power of two."""


def phases(n_actions: int, n_phases: int, horizon: int, gap: float) -> environments.Shifting:
    """Return Bernoulli losses with a new best expert in each of equal phases: means (1 -+ gap) / 2."""
    parts = []
    cuts = np.linspace(0, horizon, n_phases + 1).astype(int)
    for k, length in enumerate(np.diff(cuts)):
        means = np.full(n_actions, (1 + gap) / 2)
        means[k % n_actions] = (1 - gap) / 2
        parts.append((int(length), environments.Bernoulli(means)))
    return environments.Shifting(parts)


def one_shift(horizon: int, gap: float) -> environments.Shifting:
    """Return Bernoulli losses whose best expert changes once, at `SHIFT`; means (1 -+ gap) / 2."""
    before, after = np.full((2, N_ACTIONS), (1 + gap) / 2)
    before[0] = after[1] = (1 - gap) / 2
    first = int(SHIFT * horizon)
    return environments.Shifting(
        [(first, environments.Bernoulli(before)), (horizon - first, environments.Bernoulli(after))]
    )
