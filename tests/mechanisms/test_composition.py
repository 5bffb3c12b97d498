from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import integrate

from replicate.mechanisms import composition


def test_one_release_in_closed_form():
    """delta = 1 - exp((epsilon - e) / 2) for one Laplace release with loss at most e."""
    for each, epsilon in ((1.0, 0.5), (2.0, 0.1), (0.3, 0.29)):
        low, high = composition.laplace_composition(1, epsilon_each=each, epsilon=epsilon)
        exact = -np.expm1((epsilon - each) / 2)
        assert low <= exact * (1 + 1e-9)
        assert high >= exact * (1 - 1e-9)
        assert high - low < 1e-5


@pytest.mark.parametrize(("n", "each"), [(2, 0.5), (10, 0.1), (64, 0.05)])
def test_the_bracket_is_narrow_and_below_the_worst_composition(n, each):
    for epsilon in (0.0, 0.3 * n * each, 0.9 * n * each):
        low, high = composition.laplace_composition(n, epsilon_each=each, epsilon=epsilon)
        assert 0 <= low <= high + 1e-14 <= low + 1e-5
        assert high <= composition.randomized_response_composition(n, epsilon_each=each, epsilon=epsilon) + 1e-9
    assert composition.laplace_composition(n, epsilon_each=each, epsilon=n * each)[1] < 1e-12


def test_a_privacy_loss_distribution_agrees():
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    oracle = pld.from_laplace_mechanism(10.0, value_discretization_interval=1e-4).self_compose(10)
    for epsilon in (0.1, 0.4, 0.8):
        low, high = composition.laplace_composition(10, epsilon_each=0.1, epsilon=epsilon)
        assert oracle.get_delta_for_epsilon(epsilon) == pytest.approx(high, abs=2e-4)
        assert low <= oracle.get_delta_for_epsilon(epsilon) + 1e-6


@settings(max_examples=20)
@given(st.integers(1, 30), st.floats(0.1, 2), st.floats(1e-6, 0.1))
@example(1, 0.5, 0.05)
@example(1, 30.0, 0.9)
@example(1, 0.01, 1e-6)
@example(2, 0.1, 0.9)
@example(3, 2.0, 0.99)
@example(3, 0.1, 1e-6)
def test_the_scale_just_suffices(n, epsilon, delta):
    scale = composition.laplace_scale(n, epsilon=epsilon, delta=delta)
    assert scale <= n / epsilon * (1 + 1e-6)
    enough = composition.laplace_composition(n, epsilon_each=1 / scale, epsilon=epsilon)
    short = composition.laplace_composition(n, epsilon_each=1.01 / scale, epsilon=epsilon)
    assert enough[1] <= delta * (1 + 1e-13)
    assert short[0] > delta * (1 - 1e-3)


def test_the_smallest_deltas_have_digits():
    """64 releases, by sums of products of positive numbers, which keep their digits: deltas from 1e-6 to 1e-19.

    A Fourier transform of the law itself has none left below its rounding, 1e-16. Of a sum's largest values only
    the largest of its terms matter: `top` of them are kept.
    """
    n, each, bins, top = 64, 0.1, 512, 6000
    loss = np.linspace(-each, each, 2 * bins + 1)
    law = np.where(np.arange(2 * bins + 1) % 2, np.exp((loss - each) / 2) * each / 2 / bins, 0.0)
    law[[0, -1]] = [np.exp(-each) / 2, 0.5]
    for _ in range(6):
        law = np.convolve(law, law)[-top:]
    sums = np.linspace(-n * each, n * each, 2 * n * bins + 1)[-top:]
    found = []
    for epsilon in (5.3, 6.0, 6.3):
        exact = law[sums > epsilon] @ -np.expm1(epsilon - sums[sums > epsilon])
        found.append(composition.laplace_composition(n, epsilon_each=each, epsilon=epsilon)[0])
        assert found[-1] == pytest.approx(exact, rel=1e-11)
    assert found[-1] < 1e-18


def test_tiny_deltas_cost_what_they_must():
    """At delta = 1e-18 a transform without a tilt sees its own rounding, 1e-16, and asks for twice the noise.

    A sum of n small losses is nearly normal: its scale is just below sqrt(2 n log(1 / delta)) / epsilon.
    """
    n, epsilon = 1000, 1.0
    for k in (9, 18):
        scale = composition.laplace_scale(n, epsilon=epsilon, delta=10.0**-k)
        assert 0.85 < scale / np.sqrt(2 * k * np.log(10) * n) < 1
    assert composition.laplace_scale(2, epsilon=0.1, delta=1e-18) == pytest.approx(20, rel=1e-9)


def test_composition_of_two_by_quadrature():
    each, epsilon = 0.8, 0.5

    def tail(first):
        """delta of the second mechanism alone at the budget that the first loss leaves."""
        budget = epsilon - first
        if budget >= each:
            return 0.0
        if budget <= -each:
            return 1 - np.exp(budget)
        return 1 - np.exp((budget - each) / 2)

    kink = [epsilon - each]
    between, _ = integrate.quad(lambda x: np.exp((x - each) / 2) / 4 * tail(x), -each, each, points=kink)
    exact = 0.5 * tail(each) + np.exp(-each) / 2 * tail(-each) + between
    low, high = composition.laplace_composition(2, epsilon_each=each, epsilon=epsilon)
    assert low - 1e-10 <= exact <= high + 1e-10


def test_randomised_response_composition_by_enumeration():
    n, each, epsilon = 6, 0.4, 0.9
    p = 1 / (1 + np.exp(-each))
    worst = 0.0
    for flips in product((0, 1), repeat=n):
        first = np.prod([p if f else 1 - p for f in flips])
        second = np.prod([1 - p if f else p for f in flips])
        worst += max(first - np.exp(epsilon) * second, 0.0)
    assert composition.randomized_response_composition(n, epsilon_each=each, epsilon=epsilon) == pytest.approx(
        worst
    )


@pytest.mark.parametrize(("n", "each"), [(1, 0.3), (1, 2.0), (2, 0.5), (10, 0.1), (64, 0.05), (256, 0.3)])
@pytest.mark.parametrize("delta", [1e-6, 1e-2, 0.1])
def test_the_epsilon_is_where_delta_is_spent(n, each, delta):
    """Held against the delta there, which is computed with another tilt, and by counting heads."""
    epsilon = composition.laplace_epsilon(n, epsilon_each=each, delta=delta)
    least, most = (composition.laplace_composition(n, epsilon_each=each, epsilon=e)[1] for e in (0.0, epsilon))
    assert most == pytest.approx(delta, rel=1e-6) if epsilon else least <= delta
    epsilon = composition.randomized_response_epsilon(n, epsilon_each=each, delta=delta)
    likely, spent = np.exp(each) / (1 + np.exp(each)), 0.0
    for heads in range(n + 1):
        weight = comb(n, heads) * likely**heads * (1 - likely) ** (n - heads)
        spent += weight * max(1 - np.exp(epsilon - (2 * heads - n) * each), 0)
    assert spent == pytest.approx(delta, rel=1e-6) if epsilon else spent <= delta


def test_the_smallest_epsilon_is_zero_where_delta_is_the_distance_of_two_laws():
    """Two coins that are right with probability 3/4 are (0, 1/2)-private, and no less."""
    found = [composition.randomized_response_epsilon(1, epsilon_each=np.log(3), delta=d) for d in (0.5001, 0.4999)]
    assert found[0] == 0 < found[1]


@pytest.mark.parametrize("delta", [0.0, 9e-7, 1.0, np.nan])
@pytest.mark.parametrize("smallest", [composition.laplace_epsilon, composition.randomized_response_epsilon])
def test_a_delta_that_a_transform_cannot_resolve_is_refused(smallest, delta):
    with pytest.raises(ValueError, match="delta"):
        smallest(4, epsilon_each=0.5, delta=delta)
