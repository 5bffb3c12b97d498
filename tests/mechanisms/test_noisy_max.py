"""The exact laws of report-noisy-max against quadrature, enumeration, sampling and OpenDP."""

from __future__ import annotations

import math
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import integrate, special

from replicate import certify, mechanisms
from replicate.mechanisms.noisy_max import NOISES, report_noisy_max, report_noisy_max_pmf
from replicate.streams import stream

FALSE_ALARM = 1e-7
SCORES = [
    [0, 0],
    [0, -3],
    [0, -1, -1, -5],
    [0, 0, 0, -0.1, -8, -20],
    [-2, 5, 4.5, 5, 1, 1, -7],
    [3] * 6,
]

score_rows = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 3), st.integers(2, 9)),
    elements=st.floats(-60, 60, allow_subnormal=False),
)


def adaptive_laplace(scores):
    """The defining integral, by adaptive quadrature between the kinks."""
    s = np.asarray(scores, dtype=np.float64)

    def density(x):
        return 0.5 * np.exp(-abs(x))

    def distribution(x):
        return np.where(x < 0, 0.5 * np.exp(np.minimum(x, 0)), 1 - 0.5 * np.exp(-np.maximum(x, 0)))

    kinks = np.unique(s)
    edges = [kinks[0] - 50, *kinks, kinks[-1] + 5, kinks[-1] + 50]
    law = np.zeros(len(s))
    for j in range(len(s)):
        others = np.delete(s, j)
        for a, b in pairwise(edges):
            law[j] += integrate.quad(
                lambda x, j=j, others=others: density(x - s[j]) * np.prod(distribution(x - others)),
                a,
                b,
                epsabs=1e-15,
                epsrel=1e-12,
            )[0]
    return law


def permute_and_flip(scores):
    """McKenna and Sheldon's mechanism, by enumeration: visit in random order, stop with probability p."""
    p = np.exp(np.asarray(scores, dtype=np.float64) - np.max(scores))
    law = np.zeros(len(p))
    orders = list(permutations(range(len(p))))
    for order in orders:
        survive = 1.0
        for j in order:
            law[j] += survive * p[j] / len(orders)
            survive *= 1 - p[j]
    return law


@pytest.mark.parametrize("scores", SCORES)
def test_laplace_law_is_its_integral(scores):
    law = report_noisy_max_pmf(np.array(scores) * 0.7, noise="laplace", scale=0.7)
    np.testing.assert_allclose(law, adaptive_laplace(scores), rtol=1e-11, atol=1e-15)


@pytest.mark.parametrize("scores", SCORES)
def test_exponential_law_is_permute_and_flip(scores):
    law = report_noisy_max_pmf(np.array(scores) * 2.0, noise="exponential", scale=2.0)
    np.testing.assert_allclose(law, permute_and_flip(scores), rtol=1e-13)


@pytest.mark.parametrize("difference", [0.0, 1e-9, 0.3, 2.0, 40.0, 300.0])
def test_two_actions_have_closed_forms_however_small_the_probability(difference):
    scores = np.array([0.0, -difference])
    exact = {
        "gumbel": special.expit(-difference),
        "exponential": np.exp(-difference) / 2,
        "laplace": (1 + difference / 2) * np.exp(-difference) / 2,
    }
    for noise in NOISES:
        law = report_noisy_max_pmf(scores, noise=noise, scale=1.0)
        assert law[1] == pytest.approx(exact[noise], rel=1e-12)


@pytest.mark.parametrize("many", [1, 2, 50])
def test_every_scale_that_far_actions_lie_lower_adds_a_quarter_to_their_factor_up_to_600_scales(many):
    """Far below a best action that is alone, each of many has probability e^-d (c + d / 4); none lies farther."""

    def law(distance, noise="laplace"):
        return report_noisy_max_pmf([0.0, -distance], noise=noise, scale=1.0, multiplicity=[1, many])

    factors = [law(d)[1] * math.exp(d) - law(100.0)[1] * math.exp(100) for d in (300, 599.5, 600)]
    assert factors == pytest.approx([50, 499.5 / 4, 125], rel=1e-11)
    for noise in ("laplace", "exponential"):
        np.testing.assert_array_equal(law(600, noise), law(1e4, noise))


@pytest.mark.parametrize("n_actions", [60, 700])
@pytest.mark.parametrize("spread", [0.0, 0.5, 5.0, 60.0])
def test_few_nodes_are_as_good_as_the_exact_number(n_actions, spread):
    scores = -spread * stream(1, "nodes", n_actions).random((3, n_actions))
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    nodes, weights = special.roots_legendre(n_actions // 2 + 1)
    u = (nodes[:, None] + 1) / 2
    with np.errstate(divide="ignore"):
        logs = np.log1p(-u[:, None] * p[:, None, :].swapaxes(0, 1))
    exact = np.einsum("n,nrk->rk", weights / 2, np.exp(logs.sum(-1, keepdims=True) - logs)) * p
    law = report_noisy_max_pmf(scores, noise="exponential", scale=1.0)
    np.testing.assert_allclose(law, exact, rtol=2e-11)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("scores", SCORES)
def test_sampler_follows_its_law(noise, scores):
    rng = stream(3, "sampler", noise, scores)
    drawn = report_noisy_max(np.broadcast_to(scores, (40_000, len(scores))), noise=noise, scale=1.5, rng=rng)
    law = report_noisy_max_pmf(scores, noise=noise, scale=1.5)
    counts = np.bincount(drawn, minlength=len(scores))
    assert certify.goodness_of_fit(counts, law) > FALSE_ALARM
    twin = report_noisy_max_pmf(scores, noise=noise, scale=1.5 / 4)
    if np.ptp(scores) > 0:
        assert certify.goodness_of_fit(counts, twin) < FALSE_ALARM


@pytest.mark.parametrize(("measure", "noise"), [("max", "exponential"), ("zcdp", "gumbel")])
def test_opendp_selects_with_the_same_law(measure, noise):
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float)
    divergence = dp.max_divergence() if measure == "max" else dp.zero_concentrated_divergence()
    select = dp.m.make_noisy_max(*space, divergence, scale=2.0)
    scores = [1.0, 0.0, 2.0, -1.5]
    counts = np.bincount([select(scores) for _ in range(4000)], minlength=4)
    law = report_noisy_max_pmf(scores, noise=noise, scale=2.0)
    assert certify.goodness_of_fit(counts, law) > FALSE_ALARM


@given(score_rows, st.sampled_from(NOISES), st.floats(0.1, 10))
def test_law_is_a_probability_vector_that_follows_its_scores(scores, noise, scale):
    law = report_noisy_max_pmf(scores, noise=noise, scale=scale)
    assert law.shape == scores.shape
    assert (law >= 0).all()
    np.testing.assert_allclose(law.sum(axis=-1), 1, atol=1e-12)
    reverse = report_noisy_max_pmf(scores[..., ::-1], noise=noise, scale=scale)[..., ::-1]
    np.testing.assert_allclose(law, reverse, rtol=1e-11)
    ordered = np.take_along_axis(law, np.argsort(scores, axis=-1), axis=-1)
    assert (np.diff(ordered, axis=-1) >= -1e-14).all()


@given(score_rows, st.sampled_from(NOISES), st.floats(0.5, 10))
def test_law_loses_at_most_two_over_scale_when_scores_move_by_one(scores, noise, scale):
    moved = scores + np.where(np.arange(scores.shape[-1]) % 2, 1.0, -1.0)
    before, after = (report_noisy_max_pmf(s, noise=noise, scale=scale) for s in (scores, moved))
    assert np.abs(np.log(before) - np.log(after)).max() <= 2 / scale + 1e-9


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("counts", [[1, 3, 2], [4, 1, 1], [1, 1, 200], [1, 50, 3], [2, 1, 1]])
@pytest.mark.parametrize("scores", [[0, -1, -2.5], [-2, 0, 0], [-70, 0, -90], [0, -1e-3, 0.5], [-700, 0, -50]])
def test_grouped_actions_count_as_many(noise, counts, scores):
    grouped = report_noisy_max_pmf(scores, noise=noise, scale=0.9, multiplicity=counts)
    each = report_noisy_max_pmf(np.repeat(scores, counts), noise=noise, scale=0.9)
    np.testing.assert_allclose(np.repeat(grouped, counts), each, rtol=1e-10)
    assert grouped @ counts == pytest.approx(1, rel=1e-10)


@pytest.mark.parametrize("noise", NOISES)
def test_large_integers_are_compared_as_integers(noise):
    law = report_noisy_max_pmf([2**58, 2**58 + 1, 2**58 - 1], noise=noise, scale=1.0)
    np.testing.assert_allclose(law, report_noisy_max_pmf([0, 1, -1], noise=noise, scale=1.0), rtol=1e-13)
    small = np.array([3, 250, 0], dtype=np.uint8)
    np.testing.assert_allclose(
        report_noisy_max_pmf(small, noise=noise, scale=9.0),
        report_noisy_max_pmf(small.astype(float), noise=noise, scale=9.0),
    )


FAR = {
    "floats": [1e308, -1e308, 1e308], "integers": [2**63 - 1, -(2**63), 2**63 - 1],
    "without a sign": np.array([2**64 - 1, 0, 2**64 - 1], dtype=np.uint64),
}  # fmt: skip


@pytest.mark.parametrize("scores", FAR.values(), ids=FAR)
@pytest.mark.parametrize("noise", NOISES)
def test_scores_further_apart_than_their_type_reaches(noise, scores):
    rng = np.random.default_rng(1)
    assert report_noisy_max_pmf(scores, noise=noise, scale=1.0) == pytest.approx([0.5, 0, 0.5])
    assert {int(report_noisy_max(scores, noise=noise, scale=1.0, rng=rng)) for _ in range(50)} == {0, 2}


@pytest.mark.parametrize("top", [2**63 - 1, 2**53])
def test_integers_that_differ_by_one_keep_the_difference_beside_one_that_is_far(top):
    law = mechanisms.softmax_pmf([top, top - 1, -(2**63)], scale=1.0)
    assert law == pytest.approx([1 / (1 + math.exp(-1)), 1 / (1 + math.e), 0])


def test_a_scale_as_large_as_the_scores():
    assert mechanisms.softmax_pmf([1e308, -1e308], scale=1e308)[1] == pytest.approx(1 / (1 + math.exp(2)))
