"""Checks of the claims across papers: the confidence limit of a ratio, and arguments that select what they say."""

import numpy as np

from replicate.papers.synopsis.checks import regret as checks
from replicate.streams import stream


def test_ratio_is_a_confidence_limit():
    """Fieller's limit lies below the true ratio at the stated rate, paired or not; infinite without a sign."""
    rng, wrong = stream(9, "ratio"), {True: 0, False: 0}
    for _ in range(400):
        common = rng.exponential(size=60)
        above, below = 2 * common + rng.normal(size=60), common + rng.normal(size=60) / 2
        for paired in wrong:
            other = below if paired else rng.exponential(size=60)
            wrong[paired] += checks._ratio(above, other, false_alarm=0.05, paired=paired) < 2
    assert all(4 <= count <= 45 for count in wrong.values()), wrong
    assert checks._ratio(above, rng.normal(size=60) - 5, false_alarm=0.05) == np.inf
