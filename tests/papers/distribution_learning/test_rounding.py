"""What is equal but for rounding is treated alike: numbers must not depend on who multiplied the matrices."""

import numpy as np
import pytest

from replicate.papers.distribution_learning import instances, privacy
from replicate.papers.distribution_learning.algorithms import walk
from replicate.papers.distribution_learning.algorithms.bayes import BayesScheme
from replicate.papers.distribution_learning.algorithms.schemes import Scheme

HADAMARD = instances.signed_class(7, 0.3)[None]
TIMES = np.array([1, 50, 2000])


def scheme(nudged=False):
    """One bit of a sign test on seven alike laws; `nudged`: the messages' laws moved by their last bits."""
    found = BayesScheme.validated(
        HADAMARD, scheme="sign_bits", epsilon=1.0, horizon=2000, calibration="corrected", merge=False
    )
    if nudged:
        found.laws[...] *= 1 + 4e-16 * np.random.default_rng(3).integers(-1, 2, found.laws.shape)
    return found


def weights(found):
    rng = np.random.default_rng(5)
    return np.array([walk.Walk(found, 0, None).log_weights(TIMES, rng) for _ in range(20)])


def test_a_walk_does_not_depend_on_the_last_bits_of_its_laws():
    plain, nudged = scheme(), scheme(nudged=True)
    assert (plain.laws != nudged.laws).any()
    np.testing.assert_allclose(weights(plain), weights(nudged), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(
    ("laws", "order"),
    [
        ([[0.1, 0.4, 0.3, 0.2]], [[1, 2, 3, 0]]),
        ([[0.3, 0.3 + 1e-16, 0.4]], [[2, 0, 1]]),
        ([[0.3 + 1e-16, 0.3, 0.4], [0.2, 0.6, 0.2 + 1e-16]], [[2, 0, 1], [1, 0, 2]]),
        ([[0.3, 0.3 + 1e-11, 0.4 - 1e-11]], [[2, 1, 0]]),
        ([[0.0, 0.0, 1.0]], [[2, 0, 1]]),
    ],
)
def test_symbols_go_from_the_likeliest_on(laws, order):
    np.testing.assert_array_equal(walk._falling(np.array(laws)), order)


def test_messages_far_from_all_values_have_one_log_ratio(monkeypatch):
    """Beyond all values the ratio of two labels' densities is constant: rounding must not part these messages."""
    f = np.array([[[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]])
    pure = Scheme.validated(
        f, scheme="pure", epsilon=2.0, delta=None, horizon=1000, calibration="corrected", merge=False
    )
    drawn = []

    def certified(first, second, **options):
        drawn.extend(sampler(4000, np.random.default_rng(7)) for sampler in (first, second))
        return 1.0

    monkeypatch.setattr("replicate.audit.certified_privacy_loss", certified)
    assert privacy.certified_loss(pure, delta=0.0, samples=4000, rng=np.random.default_rng(7)) == 0.5
    for ratios in drawn:
        values, counts = np.unique(ratios, return_counts=True)
        assert counts.max() > 400
        assert np.diff(values).min() > 1e-12 / 2
