"""Laplace vectors: the exact hockey-stick divergence against quadrature, composition, an accountant, samples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

from replicate import audit
from replicate.mechanisms import composition


def single(e, epsilon):
    """Delta of one release that moves by e scales."""
    return max(-np.expm1((epsilon - e) / 2), 0.0)


def conditional(e, f, epsilon):
    """Delta of two releases: that of the second at the budget the first one's loss leaves, averaged over it."""

    def left(loss):
        budget = epsilon - loss
        return single(f, budget) if budget > -f else -np.expm1(budget)

    kinks = [x for x in (epsilon - f, epsilon + f) if -e < x < e]
    between = integrate.quad(lambda x: np.exp((x - e) / 2) / 4 * left(x), -e, e, points=kinks)[0]
    return 0.5 * left(e) + np.exp(-e) / 2 * left(-e) + between


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.1])
@pytest.mark.parametrize(("e", "f"), [(0.4, 1.3), (1.0, 1.0), (2.5, 0.1)])
def test_two_coordinates_by_quadrature(e, f, epsilon):
    exact = audit.laplace_delta([e, -2 * f], scale=[1.0, 2.0], epsilon=epsilon)
    assert exact == pytest.approx(conditional(e, f, epsilon), abs=1e-10)
    wrong = audit.laplace_delta([e, -2 * f], scale=[1.0, 1.0], epsilon=epsilon)
    assert wrong != pytest.approx(conditional(e, f, epsilon), abs=1e-6)


@given(st.integers(1, 16), st.floats(0.01, 3.0), st.floats(0, 1))
def test_equal_coordinates_lie_in_the_bracket_of_composition(n, each, share):
    epsilon = share * n * each
    low, high = composition.laplace_composition(n, epsilon_each=each, epsilon=epsilon)
    exact = audit.laplace_delta(np.full(n, 3 * each), scale=3.0, epsilon=epsilon)
    assert low - 1e-9 <= exact <= high + 1e-9


@given(st.lists(st.floats(0.05, 2), min_size=1, max_size=8), st.floats(0, 1), st.integers(0, 7), st.integers(0, 7))
def test_joining_two_coordinates_never_helps_privacy(shift, share, i, j):
    """So for a given l1 norm one coordinate that moves by all of it is the worst."""
    total = float(np.sum(shift))
    deltas = [audit.laplace_delta(shift, scale=1.0, epsilon=share * total)]
    i, j = i % len(shift), j % len(shift)
    if i != j:
        joined = np.array(shift)
        joined[i] += joined[j]
        joined[j] = 0
        deltas.append(audit.laplace_delta(joined, scale=1.0, epsilon=share * total))
    deltas.append(audit.laplace_delta([total], scale=1.0, epsilon=share * total))
    assert (np.diff(deltas) >= -1e-12).all()
    assert deltas[-1] == pytest.approx(single(total, share * total), abs=1e-13)


def test_pure_privacy_costs_the_l1_norm():
    shift = [0.5, -1.0, 0.25]
    assert audit.laplace_privacy_loss(shift, scale=2.0) == pytest.approx(1.75 / 2)
    assert audit.laplace_privacy_loss(shift, scale=[1, 2, 0.5]) == pytest.approx(0.5 + 0.5 + 0.5)
    loss = audit.laplace_privacy_loss(shift, scale=2.0)
    assert audit.laplace_delta(shift, scale=2.0, epsilon=loss) == 0
    assert audit.laplace_delta(shift, scale=2.0, epsilon=0.999 * loss) > 0
    assert audit.laplace_delta([0.0, 0.0], scale=1.0, epsilon=0.0) == 0


def test_an_accountant_of_privacy_loss_distributions_agrees():
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    shifts, fine = [0.3, 0.8, 1.1], {"value_discretization_interval": 1e-4}
    one, two, three = (pld.from_laplace_mechanism(1.0, sensitivity=s, **fine) for s in shifts)
    oracle = one.compose(two).compose(three)
    for epsilon in (0.1, 0.9, 1.8):
        exact = audit.laplace_delta(shifts, scale=1.0, epsilon=epsilon)
        assert exact <= oracle.get_delta_for_epsilon(epsilon) <= exact + 2e-4


def test_samples_certify_no_more_and_not_much_less(rng):
    """A number that says all about a vector is its summed loss, which has atoms.

    It is rounded: the last bits of a sum in floating point tell the two inputs apart.
    """
    shift = np.array([0.7, 0.6])

    def losses(moved):
        def draw(n, rng):
            x = rng.laplace(size=(n, 2)) + moved * shift
            return (np.abs(x - shift) - np.abs(x)).sum(axis=1).round(9)

        return draw

    pair = losses(0), losses(1)
    certified = audit.certified_privacy_loss(*pair, samples=400_000, delta=0.05, rng=rng)
    delta = audit.laplace_delta(shift, scale=1.0, epsilon=certified)
    assert 0.05 < delta < 0.09
    assert audit.certified_privacy_loss(*pair, samples=400_000, rng=rng) <= audit.laplace_privacy_loss(
        shift, scale=1
    )


def test_hockey_stick_of_a_histogram():
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
    assert audit.hockey_stick(p, q, epsilon=0.0) == pytest.approx(0.3)
    assert audit.hockey_stick(p, q, epsilon=np.log(2)) == pytest.approx(0.1)
    assert audit.hockey_stick(p, q, epsilon=float(audit.privacy_loss(p, q))) == pytest.approx(0, abs=1e-15)
    x = np.linspace(-40, 40, 400_001)
    cells = [np.diff(np.where(x < m, np.exp(x - m) / 2, 1 - np.exp(m - x) / 2)) for m in (0.0, 1.5)]
    assert audit.hockey_stick(*cells, epsilon=0.4) == pytest.approx(
        audit.laplace_delta([1.5], scale=1.0, epsilon=0.4), abs=1e-4
    )
    with pytest.raises(ValueError, match="probabilities"):
        audit.hockey_stick([-1.0, 2.0], [0.5, 0.5], epsilon=1)
