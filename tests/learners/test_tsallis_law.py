"""The law that HTINF and Tsallis-INF draw from, from any start of the search, at sizes where it is hard."""

import math

import numpy as np
import pytest

from replicate.learners import tsallis_law
from replicate.streams import stream


def law(scores, *, sigma=1.0, t=1.0, start):
    state = np.zeros((4, len(scores)))
    state[tsallis_law.SCORE] = scores
    state[tsallis_law.NUMBER, [tsallis_law.ROUND, tsallis_law.ROOT]] = t, start
    tsallis_law.write_law(state, sigma)
    return state[tsallis_law.LAW], state[tsallis_law.NUMBER, tsallis_law.ROOT]


def hard_scores(k, rng):
    """One leader, of any lead; a few sizes; all sizes; a leader that the many others nearly outweigh."""
    lead = np.full(k, 10 ** rng.uniform(-6, 8))
    lead[0] = 0.0
    far = math.sqrt(k) * rng.uniform(0.5, 2, size=k)
    far[0] = 0.0
    return [lead, 10.0 ** rng.integers(-6, 8, size=k), 10 ** rng.uniform(-8, 8, size=k), far]


@pytest.mark.parametrize("k", [2, 3, 10, 1000, 32_767])
def test_the_law_sums_to_one_from_any_start(k):
    rng, top = stream(0, "tsallis law", k), math.sqrt(k)
    for t in (1.0, 1e3, 1e9):
        for scores in hard_scores(k, rng):
            near = law(scores, t=t, start=top)[1]
            for start in (1.0, top, rng.uniform(1, top), near * (1 - 1e-3), near + 1e-3, near):
                found, root = law(scores, t=t, start=start)
                assert abs(found.sum() - 1) < 1e-11
                assert found.min() > 0
                assert 1 <= root <= top * (1 + 1e-12)
                direct = (root + (scores - scores.min()) / math.sqrt(t)) ** -2.0
                np.testing.assert_allclose(found, direct, rtol=1e-11)


@pytest.mark.parametrize("sigma", [0.5, 2.0])
def test_the_law_depends_on_scores_over_sigma_and_the_root_of_t_only(sigma):
    scores = np.array([0.0, 1.0, 5.0])
    found, _ = law(scores, sigma=sigma, t=9.0, start=1.0)
    np.testing.assert_allclose(found, law(scores / (3 * sigma), start=1.0)[0], rtol=1e-10)
    assert np.abs(found - law(scores / (9 * sigma), start=1.0)[0]).max() > 0.01
