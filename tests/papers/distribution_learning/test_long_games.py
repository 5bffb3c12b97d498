"""Games of 10^17 rounds and more: weights keep the digits that decide, on coins a billionth apart."""

import math
from fractions import Fraction
from unittest import mock

import numpy as np
from scipy import stats

from replicate.papers.distribution_learning import bounds, instances
from replicate.papers.distribution_learning.algorithms import simulation, walk
from replicate.papers.distribution_learning.experiments.regret import public_scheme
from replicate.streams import stream
from tests.conftest import FALSE_ALARM


def relative_variation(horizon):
    """Averaged total variation over the gap of coins that randomised response just tells apart by then."""
    gap = bounds.randomized_response_tv(n_hypotheses=2, n_labels=2, horizon=horizon, epsilon=1.0)
    words = {"scheme": "randomized_response", "epsilon": 1.0, "horizon": horizon, "replicates": 300, "grid": 100}
    run = simulation.simulate(instances.close_pair(gap), **words, rng=stream(7, "long games", horizon))
    return run.averaged_tv / gap


def test_a_long_game_is_a_short_one_with_a_smaller_gap():
    """What randomised response learns depends on T gap^2 only; sums of logs of 1/2 have spacing 64 at 2^59."""
    short, long = relative_variation(10**10), relative_variation(2**59)
    assert stats.ks_2samp(short, long).pvalue > FALSE_ALARM
    with mock.patch.object(walk, "log_ratios", lambda scheme, truth: scheme.values):
        rounded = relative_variation(2**59)
    assert stats.ks_2samp(short, rounded).pvalue < 1e-12


def test_log_ratios_in_exact_arithmetic():
    f = np.array([[0.5 + 1e-9, 0.5 - 1e-9], [0.5, 0.5], [0.0, 1.0]])
    for name in ("randomized_response", "non_private"):
        scheme = public_scheme(f, name, 1.0, 10)
        for truth in range(3):
            found, laws = walk.log_ratios(scheme, truth), [scheme.symbol_laws(j)[0] for j in range(3)]
            own = laws[truth]
            for j, law in enumerate(laws):
                for a, (p, q) in enumerate(zip(law.tolist(), own.tolist(), strict=True)):
                    known = _log_ratio(Fraction(p), Fraction(q))
                    assert found[0, j, a] == known or math.isclose(found[0, j, a], known, rel_tol=1e-13)


def _log_ratio(p, q):
    if q == 0:
        return 0.0
    return math.log1p(p / q - 1) if p else -math.inf
