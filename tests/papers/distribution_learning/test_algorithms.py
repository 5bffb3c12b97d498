"""Channels, tunings, users and predictors against their listings, closed forms and each other."""

import numpy as np
import pytest
from scipy import special

from replicate.papers import distribution_learning as dl
from replicate.papers.distribution_learning.algorithms import schemes
from replicate.papers.distribution_learning.algorithms.schemes import divergence, mixture, mixture_losses
from replicate.streams import stream
from tests.papers.distribution_learning.common import DELTAS, dirichlet, scheme_of

THREE = np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])


def test_ceiling_is_not_fooled_by_floating_point():
    f = np.zeros((2, 100))
    f[:, 0], f[:, 1] = 0.07, 0.93
    assert schemes.clipping(f, np.ones(100), 10).cells.tolist()[:3] == [7, 93, 0]


@pytest.mark.parametrize("scheme", ["pure", "approximate"])
def test_summed_messages_give_the_weights_of_the_learner(scheme):
    """Streaming messages, added up, through the step that the simulation uses: the same weights."""
    f = dirichlet("shared", 4, 5)
    g = scheme_of(f, scheme, horizon=200)
    rng = stream(5, "shared", scheme)
    predictor = dl.Predictor(f, scheme=scheme, delta=DELTAS.get(scheme), horizon=200)
    log_density, noise, rounds = np.zeros(4), np.zeros(4), np.zeros(4)
    for _ in range(200):
        label, draw = rng.integers(5), rng.laplace(size=4)
        shown = np.ones(4) if scheme == "approximate" else np.eye(4)[rng.integers(4)]
        predictor.observe(shown * g.tuning.message(g.values[0][:, label], draw))
        log_density += shown * g.values[0][:, label]
        noise += shown * draw
        rounds += shown
    weights = special.softmax(g.log_weights(log_density, noise, rounds - 50))
    np.testing.assert_allclose(weights, special.softmax(predictor.log_weights), rtol=1e-10)


@pytest.mark.parametrize(("calibration", "inside"), [("corrected", True), ("tight", True), ("printed", False)])
def test_messages_stay_in_the_unit_interval_on_the_good_event(calibration, inside):
    """c and c' of the corrected calibration keep (8) and (12) in [0, 1] in all contexts, not the printed ones."""
    flat = [[0.4, 0.3, 0.3], [0.3, 0.4, 0.3]]
    for contexts in ([THREE], [flat, THREE], [THREE, flat]):
        g = scheme_of(contexts, "pure", 10**6, calibration)
        extremes = g.tuning.message(g.values[..., None], np.array([-1, 1]) * g.tuning.shift / g.tuning.scale)
        assert (extremes.min() >= -1e-9 and extremes.max() <= 1 + 1e-9) == inside


def test_losses_of_a_mixture_do_not_cancel():
    rng = np.random.default_rng(8)
    f = rng.dirichlet(np.ones(5), size=3)
    f[:, 4] = (0.0, 0.1, 0.2)
    f /= f.sum(axis=1, keepdims=True)
    weights = rng.normal(size=(7, 3))
    risk, variation = mixture_losses(weights, f, f[0], 0)
    p_hat = mixture(weights, f)
    np.testing.assert_allclose(risk, divergence(f[0], p_hat), rtol=1e-12)
    np.testing.assert_allclose(variation, np.abs(p_hat - f[0]).sum(axis=1) / 2, rtol=1e-12)
    # A hair of weight elsewhere, all laws positive: w^2 / 2 times chi-square, far below what subtraction resolves.
    g, w = rng.dirichlet(np.ones(5), size=3), 1e-10
    risk, variation = mixture_losses(np.log([1 - w, w, 1e-300]), g, g[0], 0)
    assert float(risk) == pytest.approx(w**2 / 2 * ((g[1] - g[0]) ** 2 / g[0]).sum(), rel=1e-6)
    assert float(variation) == pytest.approx(w * np.abs(g[1] - g[0]).sum() / 2, rel=1e-12)
    assert mixture_losses(np.array([0.0, -np.inf, -np.inf]), g, g[0], 0) == (0.0, 0.0)
    clipped = 0.9 * g + 0.02
    np.testing.assert_allclose(
        mixture_losses(weights, clipped, g[2], 2)[0], divergence(g[2], mixture(weights, clipped))
    )


@pytest.mark.parametrize("alike", [(1, 3, 2), (1, 1), (2, 5)])
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_a_merged_response_has_the_law_of_one_over_all_labels(alike, epsilon):
    """A group is sent with the chances of all its labels: of M labels a wrong one has 1 / (e^epsilon + M - 1)."""
    sizes = np.array(alike, dtype=float)
    law = schemes.randomized_response(sizes, epsilon).law(np.eye(len(sizes)))
    each = 1 / (np.exp(epsilon) + sizes.sum() - 1)
    np.testing.assert_allclose(law, each * (sizes + np.expm1(epsilon) * np.eye(len(sizes))))
