"""Families of means: one best action, and the others in patterns that have names."""

from __future__ import annotations

import numpy as np

from replicate.validation import FloatArray

FAMILIES = ("one good arm", "geometric gaps", "linear gaps", "one near competitor")


def means_of(family: str, n_actions: int, gap: float) -> FloatArray:
    """Return the means of a family, shape (K,); action 0 is the best, the nearest is `gap` away.

    One good arm lies at 1/2 - gap, the others at 1/2; in the other families the best lies at 1/4, and all means
    are at most 1.
    """
    if family == "one good arm":
        return 0.5 - gap * (np.arange(n_actions) == 0)
    further = {
        "geometric gaps": gap * 2.0 ** np.minimum(np.arange(1, n_actions), 60) / 2,
        "linear gaps": np.linspace(gap, 0.75, n_actions - 1),
        "one near competitor": np.where(np.arange(1, n_actions) == 1, gap, 0.75),
    }[family]
    return 0.25 + np.concatenate([[0.0], np.clip(further, gap, 0.75)])
