"""Play where rounding must change nothing: 10^17 rounds and more, laws that differ by their last bits."""

import math
from fractions import Fraction

import numpy as np
from scipy import stats

from replicate.papers.distribution_learning import bounds, instances
from replicate.papers.distribution_learning.algorithms import bayes, simulation, walk
from replicate.papers.distribution_learning.experiments.regret import public_scheme
from replicate.streams import stream
from tests.conftest import FALSE_ALARM


def relative_variation(horizon, epsilon=1.0):
    """Averaged total variation over the gap of coins that response at epsilon = 1 just tells apart by then."""
    gap = bounds.randomized_response_tv(n_hypotheses=2, n_labels=2, horizon=horizon, epsilon=1.0)
    words = {"scheme": "randomized_response", "epsilon": epsilon, "horizon": horizon, "replicates": 300}
    run = simulation.simulate(instances.close_pair(gap), **words, grid=100, rng=stream(7, "long games", horizon))
    return run.averaged_tv / gap


def test_a_long_game_is_a_short_one_with_a_smaller_gap():
    """Randomised response learns by T gap^2 only; sums of logs of 1/2 have spacing 64 at 2^59."""
    assert np.spacing(2.0**59 * math.log(2)) == 64
    short, long = relative_variation(10**10), relative_variation(2**59)
    assert stats.ks_2samp(short, long).pvalue > FALSE_ALARM
    assert stats.ks_2samp(short, relative_variation(2**59, epsilon=2.0)).pvalue < FALSE_ALARM


def test_log_ratios_in_exact_arithmetic():
    f = np.array([[0.5 + 1e-9, 0.5 - 1e-9], [0.5, 0.5], [0.0, 1.0]])
    for name in ("randomized_response", "non_private"):
        scheme = public_scheme(f, name, 1.0, 10)
        for truth in range(3):
            found, laws = walk.log_ratios(scheme, truth), [scheme.symbol_laws(j)[0] for j in range(3)]
            own = laws[truth]
            for j, law in enumerate(laws):
                for a, (p, q) in enumerate(zip(law.tolist(), own.tolist(), strict=True)):
                    known = log_ratio(Fraction(p), Fraction(q))
                    assert found[0, j, a] == known or math.isclose(found[0, j, a], known, rel_tol=1e-13)


def log_ratio(p, q):
    if q == 0:
        return 0.0
    return math.log1p(p / q - 1) if p else -math.inf


def test_a_walk_does_not_depend_on_the_last_bits_of_its_laws():
    """One bit of a sign test on seven alike laws: numbers must not depend on who multiplied the matrices."""
    options = {"scheme": "sign_bits", "epsilon": 1.0, "horizon": 2000, "calibration": "corrected", "merge": False}
    plain, nudged = (bayes.BayesScheme.validated(instances.signed_class(7, 0.3), **options) for _ in range(2))
    nudged.laws[...] *= 1 + 4e-16 * np.random.default_rng(3).integers(-1, 2, nudged.laws.shape)
    assert (plain.laws != nudged.laws).any()
    rngs = [np.random.default_rng(5), np.random.default_rng(5)]
    for _ in range(20):
        weights = [
            walk.Walk(known, 0, None).log_weights(np.array([1, 50, 2000]), rng)
            for known, rng in zip((plain, nudged), rngs, strict=True)
        ]
        np.testing.assert_allclose(*weights, rtol=1e-11, atol=1e-11)
