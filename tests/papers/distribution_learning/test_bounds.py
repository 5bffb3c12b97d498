"""Bounds, exact privacy, the Hadamard class and the lemmas against oracles, enumeration and transcriptions."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from replicate import certify
from replicate.mechanisms import composition
from replicate.papers import distribution_learning as dl
from replicate.papers.distribution_learning import bounds, experiments, instances, lemmas, privacy
from replicate.papers.distribution_learning.algorithms import channels
from replicate.papers.distribution_learning.algorithms.schemes import Game, divergence, mixture
from replicate.streams import stream

FALSE_ALARM = 1e-7


def game(hypotheses, scheme="pure", horizon=100, calibration="corrected", epsilon=1.0):
    delta = 0.01 if scheme == "approximate" else None
    options = {"scheme": scheme, "epsilon": epsilon, "delta": delta, "horizon": horizon}
    return Game.validated(hypotheses, **options, calibration=calibration, merge=True)


# Privacy


def densities(g, scale, z):
    """Density of Algorithm 2's noisy log density at z, for every hypothesis and label, cell by cell."""
    channel, values = g.channels[0], g.values[0]
    kernel = np.diag(np.full(len(channel.cells), channel.keep)) + channel.base
    laplace = np.exp(-np.abs(z[:, None, None] - values) / scale) / (2 * scale)
    return np.einsum("zjc,yc->jyz", laplace, kernel)


@pytest.mark.parametrize("calibration", ["printed", "corrected"])
@pytest.mark.parametrize("horizon", [10, 100, 10**4])
def test_exact_loss_is_the_supremum_of_the_density_ratio(calibration, horizon):
    """The finite maximum over atoms against a fine grid of outputs: the second route to the slip of Lemma 6."""
    g = game(instances.THREE_LABELS, horizon=horizon, calibration=calibration)
    loss = privacy.one_coordinate_loss(g.channels[0], g.masses[0], g.tuning.scale)
    grid = np.linspace(-40, 10, 20001)
    log = np.log(densities(g, g.tuning.scale, np.concatenate([grid, g.values[0].ravel()])))
    assert (log.max(axis=1) - log.min(axis=1)).max() == pytest.approx(loss, rel=1e-9)
    assert (loss > 1) == (calibration == "printed" and horizon >= 100)


def test_the_loss_above_epsilon_is_a_real_violation():
    """An event on which the probabilities of two labels differ by more than e^epsilon, by quadrature."""
    g = game(instances.THREE_LABELS, horizon=100, calibration="printed")
    scale, atoms = g.tuning.scale, g.values[0][1]
    low = float(atoms.min())

    def probability(label):
        # the message is about hypothesis 1 and falls below its lowest atom
        def density(z):
            return densities(g, scale, np.array([z]))[1, label, 0]

        return integrate.quad(density, low - 200, low, limit=400)[0]

    order = np.argsort(atoms)
    ratio = probability(order[0]) / probability(order[-1])
    assert ratio > np.exp(1.01)


@given(seed=st.integers(0, 10**6), k=st.integers(2, 5), m=st.integers(2, 9), halve=st.booleans())
@settings(max_examples=40, deadline=None)
def test_exact_loss_never_exceeds_sensitivity_over_scale(seed, k, m, halve):
    f = np.random.default_rng(seed).dirichlet(np.full(m, 0.2), size=k)
    channel = channels.clipping(f, np.ones(m), 1000)
    scale = channel.sensitivity(f) / (2 if halve else 1) + 1e-12
    assert privacy.one_coordinate_loss(channel, f, scale) <= channel.sensitivity(f) / scale + 1e-9


@pytest.mark.parametrize("n", [1, 2, 16, 200])
@pytest.mark.parametrize("delta", [1e-2, 1e-6])
def test_advanced_composition_solves_lemma_2_and_asks_for_more_than_is_needed(n, delta):
    assert composition.laplace_scale(n, epsilon=1.0, delta=delta) <= privacy.advanced_unit_scale(n, 1.0, delta)
    each = 1 / privacy.advanced_unit_scale(n, 1.0, delta)
    assert n * each**2 / 2 + np.sqrt(2 * np.log(1 / delta) * n) * each == pytest.approx(1.0)


# Bounds


def test_theorems_4_and_5_from_an_independent_transcription():
    k, t, epsilon, delta = 16, 10**12, 0.5, 1e-3
    for calibration, inside in (("printed", k * t), ("corrected", (k + 1) * t)):
        r = np.log(inside)
        tail = 3 * r + (t * r + 3 * r) / t
        b = (2 * np.sqrt(2 * k * np.log(1 / delta)) + np.sqrt(k * epsilon)) * r / epsilon
        expected = (r + 2 * b * (2 * np.log(t) + np.log(k))) * np.sqrt(2 * t * np.log(k)) + tail
        setting = {"n_hypotheses": k, "horizon": t, "epsilon": epsilon, "calibration": calibration}
        assert bounds.theorem_4(**setting, delta=delta) == pytest.approx(expected)
        expected = (r + 2 * r / epsilon * (2 * np.log(t) + np.log(k))) * np.sqrt(2 * t * k * np.log(k)) + tail
        assert bounds.theorem_5(**setting) == pytest.approx(expected)
        assert bounds.theorem_6(**setting) == pytest.approx(np.sqrt(expected / (2 * t)))


def test_the_three_log_terms_cover_what_they_stand_for():
    """2 R/T and -log(1 - 1/T) a round, for every K and T from 2 on; at T = 2, K = 2 with little to spare."""
    for k, t in product((2, 3, 100), (2, 3, 10, 10**6)):
        assert -t * np.log1p(-1 / t) <= np.log(k * t) + 1e-12
    assert -2 * np.log1p(-1 / 2) == pytest.approx(np.log(4))


@given(seed=st.integers(0, 10**6), m=st.integers(2, 6), horizon=st.integers(2, 50))
@settings(max_examples=60, deadline=None)
def test_undoing_the_clipping_costs_what_31_says(seed, m, horizon):
    """KL(f, p_hat) <= KL(cells of f, cells of the mixture) + 2 R/T - log(1 - 1/T)."""
    rng = np.random.default_rng(seed)
    g = game(rng.dirichlet(np.full(m, 0.3), size=3), horizon=horizon)
    w = 3 * rng.normal(size=3)
    left = divergence(g.masses[0, 0], mixture(w, g.predictions[0]))
    clipped = divergence(g.predictions[0, 0], mixture(w, g.predictions[0]))
    assert left <= clipped + 2 * g.tuning.log_range / horizon - np.log1p(-1 / horizon) + 1e-12


def test_lower_bound_and_its_side_condition():
    setting = {"n_pairs": 4, "epsilon": 0.1}
    first = bounds.hadamard_horizon(**setting)
    assert bounds.hadamard_gap(**setting, horizon=first) <= 1
    with pytest.raises(ValueError, match=r"^horizon must"):
        bounds.hadamard_gap(**setting, horizon=first - 1)
    a = np.sqrt(4 / (9 * 10**6 * np.expm1(0.1) ** 2 * np.exp(0.1)))
    assert bounds.theorem_3(**setting, horizon=10**6) == pytest.approx(a * 10**6 / 132)


def test_theorem_1_has_a_constant_for_epsilon_up_to_one_only():
    constants = [bounds.theorem_1_constant(n_pairs=4, epsilon=e) for e in (1e-4, 0.1, 0.5, np.log(2), 1.0)]
    assert min(constants) > 1 / 820
    assert constants[0] == pytest.approx(1 / 396, rel=1e-3)
    assert bounds.theorem_1_constant(n_pairs=4, epsilon=40.0) < 1e-8


def test_sample_size_is_where_theorem_6_reaches_the_accuracy():
    setting = {"n_hypotheses": 4, "epsilon": 1.0}
    t = bounds.sample_size(**setting, accuracy=0.2)
    assert bounds.theorem_6(**setting, horizon=t) <= 0.2
    assert bounds.theorem_6(**setting, horizon=int(0.999 * t)) > 0.2
    with pytest.raises(ValueError, match=r"^accuracy must"):
        bounds.sample_size(**setting, accuracy=1e-6)


@given(w=st.floats(1e-6, 1.0), seed=st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_divergence_is_at_most_variation_times_one_plus_log_weight(w, seed):
    """Step (iii) of the bound for randomised response."""
    p, q = np.random.default_rng(seed).dirichlet(np.full(5, 0.4), size=2)
    mixed = w * p + (1 - w) * q
    variation = np.abs(p - mixed).sum() / 2
    assert divergence(p, mixed) <= variation * (1 + np.log(1 / w)) + 1e-12


def test_noise_shrinks_total_variation_by_the_factor_of_section_3():
    f = instances.dirichlet(4, 8)
    channel = channels.randomized_response(np.ones(8), 0.7)
    c = np.expm1(0.7) / (np.exp(0.7) + 7)
    before, after = np.abs(f[0] - f[1]).sum(), np.abs(channel.law(f[0]) - channel.law(f[1])).sum()
    assert after == pytest.approx(c * before)


@pytest.mark.parametrize("function", [bounds.theorem_4, bounds.theorem_5, bounds.theorem_6])
@given(
    n_hypotheses=st.one_of(st.integers(-2, 3), st.floats(), st.none()),
    horizon=st.one_of(st.integers(-2, 3), st.floats(), st.none()),
    epsilon=st.one_of(st.floats(), st.none(), st.text(max_size=1)),
)
@settings(max_examples=30, deadline=None)
def test_bounds_return_a_number_or_name_the_argument(function, n_hypotheses, horizon, epsilon):
    extra = {"delta": 0.1} if function is bounds.theorem_4 else {}
    value, message = 1.0, "horizon"
    try:
        value = function(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon, **extra)
    except ValueError as error:
        message = str(error)
    assert message.split()[0] in ("n_hypotheses", "horizon", "epsilon")
    assert 0 < value < np.inf


# The Hadamard class


@pytest.mark.parametrize("n_pairs", [1, 2, 3, 4, 7, 8, 31])
def test_hadamard_class_is_the_one_of_16(n_pairs):
    f = instances.hadamard_class(n_pairs, 0.4)
    n = f.shape[1]
    assert n / 2 <= n_pairs <= n - 1
    assert f.shape[0] == 2 * n_pairs
    assert f.min() >= 0
    np.testing.assert_allclose(f.sum(axis=1), 1)
    columns = (f[1::2] - f[::2]) * n / 0.4
    np.testing.assert_allclose(np.abs(columns), 1)
    np.testing.assert_allclose(columns @ columns.T, n * np.eye(n_pairs), atol=1e-9)
    np.testing.assert_allclose(columns.sum(axis=1), 0, atol=1e-9)


@given(gap=st.floats(0.01, 1.0), seed=st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_step_19_any_prediction_misses_one_of_a_pair(gap, seed):
    """max KL >= log(2/(2 - a/2))/2 >= a/8: twice what (19) prints."""
    f = instances.hadamard_class(2, gap)
    q = np.random.default_rng(seed).dirichlet(np.full(4, 0.5)) + 1e-12
    worst = max(divergence(f[0], q), divergence(f[1], q))
    assert worst >= np.log(2 / (2 - gap / 2)) / 2 - 1e-9
    assert np.log(2 / (2 - gap / 2)) / 2 >= gap / 8


def test_channels_of_the_proof_are_private_and_spread_as_23_says():
    rng = stream(5, "channels")
    for epsilon in (0.3, 1.0, 2.5):
        for q in (
            instances.subset_channel(4, 2, epsilon),
            instances.extremal_channel(4, epsilon, symbols=8, rng=rng),
        ):
            np.testing.assert_allclose(q.sum(axis=1), 1)
            assert np.log(q.max(axis=0) / q.min(axis=0)).max() <= epsilon + 1e-9
            assert instances.spread_ratio(q.T) <= 2 * np.tanh(epsilon / 2) ** 2 + 1e-12


def test_parseval_step_of_23_and_identity_21():
    q, f = instances.subset_channel(8, 3, 0.8), instances.hadamard_class(7, 0.3)
    columns = (f[1::2] - f[::2]) * 8 / 0.3
    coefficients = columns @ q / 8
    np.testing.assert_allclose((coefficients**2).sum(axis=0), (q**2).mean(axis=0) - q.mean(axis=0) ** 2)
    np.testing.assert_allclose(f[1::2] @ q - f[::2] @ q, 0.3 * coefficients)


# Lemmas


def test_one_coordinate_regret_against_sampling():
    rng = stream(5, "lemma 7")
    losses, rate = rng.random((7, 3)), 0.6
    sampled = []
    for _ in range(4000):
        scores, paid = np.zeros(3), 0.0
        for row in losses:
            w = np.exp(-rate * scores)
            paid += w @ row / w.sum()
            j = rng.integers(3)
            scores[j] += row[j]
        sampled.append(paid - losses.sum(axis=0).min())
    assert lemmas.one_coordinate_regret(losses, rate) in certify.mean_interval(sampled, false_alarm=FALSE_ALARM)


@pytest.mark.parametrize("scheme", ["pure", "approximate"])
def test_conditional_excess_by_enumeration_of_labels_and_coordinates(scheme):
    g = game(np.array([[0.8, 0.2], [0.3, 0.7]]), scheme, horizon=4)
    noise = np.clip(stream(5, "noise").laplace(size=(4, 2)) * g.tuning.scale, -g.tuning.shift, g.tuning.shift)
    law = g.channels[0].law(g.masses[0, 0])
    shown = [np.eye(2)[0], np.eye(2)[1]] if scheme == "pure" else [np.ones(2)]
    exact = 0.0
    for path in product(range(2), range(len(shown)), repeat=3):
        outcomes = list(zip(path[::2], path[1::2], strict=True))
        probability = np.prod([law[y] / len(shown) for y, _ in outcomes])
        log_weights, value = np.zeros(2), 0.0
        for t in range(4):
            w = np.exp(log_weights) / np.exp(log_weights).sum()
            value += divergence(g.masses[0, 0], w @ g.predictions[0]) + noise[t, 0] - w @ noise[t]
            if t < 3:
                y, j = outcomes[t]
                message = -g.tuning.factor * (
                    g.values[0][:, y] + noise[t] + np.log(2) - g.tuning.shift
                )  # formula (8)
                log_weights = log_weights - g.tuning.learning_rate * shown[j] * message
        exact += probability * value
    sampled = lemmas.conditional_excess(g, 0, noise, replicates=20000, rng=stream(5, "excess", scheme))
    assert exact in certify.mean_interval(sampled, false_alarm=FALSE_ALARM)


def test_mixture_risk_of_two_coins_against_simulation():
    exact = experiments.coins_mixture_risk(0.05, 2000)
    run = dl.simulate(
        instances.close_pair(0.05), scheme="non_private", horizon=2000, replicates=2000, rng=stream(5, "coins")
    )
    assert exact in certify.mean_interval(run.final, false_alarm=FALSE_ALARM)
    assert exact < np.log(2)


def test_split_labels_and_named_classes_are_classes():
    f = instances.split_labels(instances.dirichlet(4, 8), 64)
    assert f.shape == (4, 64)
    for classes in (f, *instances.named().values()):
        assert channels.validate_hypotheses(classes).shape[1] >= 4
    assert stats.entropy(instances.one_against_many(5)[0]) == pytest.approx(np.log(4))
