import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from replicate import certify, mechanisms
from tests.conftest import FALSE_ALARM
from tests.learners.draws import Scripted


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=6), st.floats(1e-3, 1e3))
def test_softmax_agrees_with_scipy_and_ignores_shifts(scores, scale):
    x = np.array(scores)
    pmf = mechanisms.softmax_pmf(x, scale=scale)
    np.testing.assert_allclose(pmf, softmax(x / scale), atol=1e-12)
    assert pmf.sum() == pytest.approx(1)
    np.testing.assert_allclose(mechanisms.softmax_pmf(x[::-1], scale=scale), pmf[::-1], atol=1e-15)


def test_integer_scores_are_compared_as_integers():
    pmf = mechanisms.softmax_pmf(np.array([2**58, 2**58 + 1]), scale=1.0)
    assert pmf[1] == pytest.approx(1 / (1 + np.exp(-1)))


def test_a_score_of_minus_infinity_is_never_selected():
    np.testing.assert_allclose(mechanisms.softmax_pmf([0.0, -np.inf, 0.0], scale=1.0), [0.5, 0.0, 0.5])
    with pytest.raises(ValueError, match="finite"):
        mechanisms.softmax_pmf([-np.inf, -np.inf], scale=1.0)


def test_sampling_follows_the_probabilities(rng):
    pmf = np.array([0.5, 0.0, 0.3, 0.2])
    draws = mechanisms.sample_pmf(np.tile(pmf, (100_000, 1)), rng=rng)
    counts = np.bincount(draws, minlength=4)
    assert counts[1] == 0
    assert certify.goodness_of_fit(counts, pmf) > FALSE_ALARM
    assert certify.goodness_of_fit(counts, [0.49, 0.0, 0.31, 0.2]) < FALSE_ALARM


@pytest.mark.parametrize("k", [1, 2, 3, 64, 65])
def test_one_law_and_a_row_of_it_give_one_action(k, rng):
    """A single law of few actions is drawn from in Python: the action of a row of NumPy's, and as many draws."""
    for _ in range(300):
        law = 7 * rng.dirichlet(np.ones(k)) * (np.append(rng.random(k - 1), 0) < 0.7)
        seed = int(rng.integers(2**32))
        one, row = np.random.default_rng(seed), np.random.default_rng(seed)
        index = mechanisms.sample_pmf(law, rng=one)
        assert (index.shape, law[index] > 0) == ((), True)
        np.testing.assert_array_equal(index, mechanisms.sample_pmf(law[None], rng=row)[0])
        assert one.random() == row.random()


@pytest.mark.parametrize("k", [2, 64, 65])
@pytest.mark.parametrize("p", [1e-13, 1e-100, 1e-300])
def test_an_index_is_drawn_however_unlikely_it_is(k, p):
    """At uniform numbers below its probability, alone: were it never, privacy would have no epsilon."""
    pmf = np.append(p, np.full(k - 1, 1 / (k - 1)))
    for law in (pmf, pmf[None]):
        drawn = [int(mechanisms.sample_pmf(law, rng=Scripted(uniform=u)).sum()) for u in (p / 2, 2 * p)]
        assert drawn == [0, 1]
