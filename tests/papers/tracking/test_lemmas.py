"""Exact quantities inside the proofs, against brute force."""

import math

import numpy as np
import pytest

from replicate.papers.tracking import lemmas
from replicate.streams import stream


def test_window_ratio_is_the_maximum_over_all_windows():
    excess = stream(9, "w").normal(size=(200, 3))
    prefix = np.vstack([np.zeros(3), np.cumsum(excess, axis=0)])
    worst = max(
        (prefix[n] - prefix[m]).max() / (5 + 2 * math.sqrt(n - m - 1)) for n in range(1, 201) for m in range(n)
    )
    assert lemmas.window_ratio(excess, 5.0, 2.0) == pytest.approx(worst, rel=1e-12)


def test_norm_of_laplace_vectors_is_a_union_bound():
    exact = lemmas.laplace_norm_failure(n_actions=3, horizon=7)
    assert exact <= 21 ** (1 - math.sqrt(10))
    assert exact == pytest.approx(1 - (1 - 21 ** -math.sqrt(10)) ** 21, rel=1e-9)


def test_lemma_b3_fails_with_probability_1_over_t_at_its_factor():
    for n, t in ((2, 2), (16, 10), (1000, 10**6)):
        factor = lemmas.laplace_norm_factor(n_actions=n, horizon=t)
        assert t * lemmas.laplace_norm_failure(n_actions=n, horizon=t, factor=factor) == pytest.approx(1, rel=1e-6)
