"""Named instances and the sizes of the profiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from replicate.learners.dyadic import MAX_HORIZON
from replicate.profiles import grown
from replicate.validation import FloatArray

HORIZON = MAX_HORIZON

DEPENDENT_OUTCOMES = np.array([[0.0, 0.0, 1.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
"""Losses of three actions that depend on each other, one row per outcome; the first two share good rounds."""
DEPENDENT_CHANCES = np.array([0.5, 0.45, 0.05])
"""Probabilities of the outcomes. The means are 0.5, 0.5 and 0.55."""


@dataclass(frozen=True)
class Sizes:
    """Sizes of the experiments of a profile."""

    replicates: int
    n_actions: tuple[int, ...]
    largest_log2_k: int
    searches: int
    horizon_step: int


FULL = Sizes(24, (2, 16, 256), largest_log2_k=14, searches=1, horizon_step=7)
SIZES: Mapping[str, Sizes] = {
    "quick": Sizes(20, (2, 16), largest_log2_k=8, searches=0, horizon_step=14),
    "full": FULL,
    "huge": grown(FULL, "replicates", "searches", horizon_step=4),
}


def ladder_means(n_actions: int, epsilon: float) -> FloatArray:
    """Return means with gaps spread geometrically from epsilon to 1/2, shape (K,)."""
    return np.asarray(0.25 + np.append(0, np.geomspace(epsilon, 0.5, n_actions - 1)))
