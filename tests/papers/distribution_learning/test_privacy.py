"""Exact privacy losses against densities, quadrature and what is declared; messages of users."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from replicate.mechanisms import composition
from replicate.papers import distribution_learning as dl
from replicate.papers.distribution_learning import User, instances, privacy
from replicate.papers.distribution_learning.algorithms import bayes, schemes, streaming
from replicate.streams import stream
from tests.papers.distribution_learning.common import DELTAS, merged, scheme_of


def densities(g, scale, z):
    """Density of Algorithm 2's noisy log density at z, for every hypothesis and label, cell by cell."""
    channel, values = g.channels[0], g.values[0]
    kernel = np.diag(np.full(len(channel.cells), channel.keep)) + channel.base
    laplace = np.exp(-np.abs(z[:, None, None] - values) / scale) / (2 * scale)
    return np.einsum("zjc,yc->jyz", laplace, kernel)


CLASSES = {"largest": instances.THREE_LABELS, "smallest": [[0.5, 0.5, 0, 0, 0], [0.9, 0.04, 0.03, 0.02, 0.01]]}
"""Named by the atom at which the loss is attained."""


@pytest.mark.parametrize("calibration", ["printed", "corrected"])
@pytest.mark.parametrize("horizon", [10, 100, 10**4])
@pytest.mark.parametrize("name", CLASSES)
def test_exact_loss_is_the_supremum_of_the_density_ratio(name, calibration, horizon):
    """The finite maximum over atoms against a fine grid of outputs: the second route to the slip of Lemma 6."""
    g = merged(CLASSES[name], horizon=horizon, calibration=calibration)
    loss = privacy.one_coordinate_loss(g.channels[0], g.masses[0], g.tuning.scale)
    grid = np.linspace(-40, 10, 20001)
    log = np.log(densities(g, g.tuning.scale, np.concatenate([grid, g.values[0].ravel()])))
    assert (log.max(axis=1) - log.min(axis=1)).max() == pytest.approx(loss, rel=1e-9)
    assert name == "smallest" or (loss > 1) == (calibration == "printed" and horizon >= 100)


@given(seed=st.integers(0, 10**6), k=st.integers(2, 5), m=st.integers(2, 9), halve=st.booleans())
@settings(max_examples=40, deadline=None)
def test_exact_loss_never_exceeds_sensitivity_over_scale(seed, k, m, halve):
    f = np.random.default_rng(seed).dirichlet(np.full(m, 0.2), size=k)
    channel = schemes.clipping(f, np.ones(m), 1000)
    scale = channel.sensitivity(f) / (2 if halve else 1) + 1e-12
    assert privacy.one_coordinate_loss(channel, f, scale) <= channel.sensitivity(f) / scale + 1e-9


@pytest.mark.parametrize("scheme", ["pure", "approximate"])
def test_messages_are_the_users(scheme):
    """8,000 messages each way: every coordinate, and how often it is shown; one label in three is drawn."""
    f, options = instances.THREE_LABELS, {"scheme": scheme, "epsilon": 20.0, "horizon": 3}
    first = [[0.98, 0.01, 0.01], [0.97, 0.02, 0.01]]  # a context with other cells, in which no message is released
    user = User([first, f], **options, delta=DELTAS.get(scheme), rng=stream(1, "user", scheme))
    shared = scheme_of(f, scheme, horizon=3, epsilon=20.0)
    many = privacy.messages(shared, 0, 8000, stream(2, "many", scheme))
    one = np.array([user.release(0, 1) for _ in range(8000)])
    for j in range(2):
        shown = ~np.isnan(many[:, j])
        mine, theirs = many[shown, j], one[one[:, j] != 0, j]
        assert stats.ks_2samp(mine, theirs).pvalue > 1e-7
        assert abs(len(mine) - len(theirs)) < 6 * np.sqrt(8000)
        own = shared.tuning.message(shared.values[0][j, 0], stream(3, "own").laplace(size=8000))
        assert stats.ks_2samp(theirs, own).pvalue < 1e-7
    if scheme == "approximate":
        assert stats.ks_2samp(many[:, 0] - many[:, 1], one[:, 0] - one[:, 1]).pvalue > 1e-7


@pytest.mark.parametrize("scheme", ["pure", "approximate"])
def test_log_density_is_a_log_density(scheme):
    """Messages are as dense as stated: the ratio of two labels, by reweighting."""
    shared = merged(instances.THREE_LABELS, scheme, horizon=20)
    released = privacy.messages(shared, 0, 200_000, stream(3, "density", scheme))
    ratio = np.exp(privacy.log_density(shared, 1, released) - privacy.log_density(shared, 0, released))
    assert ratio.mean() == pytest.approx(1, abs=6 * ratio.std() / np.sqrt(200_000))
    assert ratio.std() > 0.05


# Hold schemes to what they declare


EPSILON, HORIZON, TRUTH = 0.8, 1000, 1
STEEP = [[0.7, 0.2, 0.1, 0.0], [0.0, 0.1, 0.2, 0.7], [0.04, 0.9, 0.04, 0.02]]
FLAT = [[0.4, 0.3, 0.2, 0.1], [0.3, 0.35, 0.15, 0.2], [0.25, 0.25, 0.25, 0.25]]
FEW = [[0.6, 0.4, 0, 0], [0.45, 0.55, 0, 0], [0.52, 0.48, 0, 0]]
CLASS = np.array([FLAT, STEEP, FEW])
"""Messages tell most in the second context; in the last, two labels are ruled out by all."""
CASES = [
    *product(("pure", "approximate"), ("printed", "corrected", "tight")),
    *product(("randomized_response", *dl.BAYES_SCHEMES), ("corrected",)),
    ("posterior", "printed"), ("posterior", "tight"),
]  # fmt: skip
LEAST = {("approximate", "corrected"): 0.1, ("approximate", "printed"): 0.1}
"""Share of what is declared that the class spends at least; of everything else nine tenths."""


def known(f, scheme, calibration, epsilon=EPSILON):
    """Return what users and learner share."""
    options = {"delta": DELTAS.get(scheme), "horizon": HORIZON, "calibration": calibration, "merge": False}
    return bayes.shared(f, scheme=scheme, epsilon=epsilon, **options)


def losses(shared):
    """Privacy loss of a message in each context: exact, of Algorithm 1 if all coordinates move at once."""
    if isinstance(shared, bayes.BayesScheme):
        laws = [[shared.given(y, x) for y in range(f.shape[1])] for x, f in enumerate(shared.hypotheses)]
        each = [schemes.privacy_loss(np.array(rows)) for rows in laws]
        assert shared.privacy_loss() == pytest.approx(max(each), abs=1e-9)
        return each
    found = []
    for channel, masses, values in zip(shared.channels, shared.masses, shared.values, strict=True):
        if shared.name == "pure":
            found.append(privacy.one_coordinate_loss(channel, masses, shared.tuning.scale))
        elif shared.name == "approximate":
            each = np.ptp(values[:, channel.cells > 0], axis=1).max() / shared.tuning.scale
            found.append(composition.laplace_epsilon(len(masses), epsilon_each=each, delta=shared.delta))
        else:
            laws = channel.law(np.eye(masses.shape[1]))
            found.append(float(np.log(laws.max(axis=0) / laws.min(axis=0)).max()))
    return found


def declared(scheme, calibration, n_hypotheses=3):
    options = {"epsilon": EPSILON, "delta": DELTAS.get(scheme), "horizon": HORIZON, "calibration": calibration}
    return streaming.stated_privacy(scheme, n_hypotheses=n_hypotheses, **options).epsilon


@pytest.mark.parametrize(("scheme", "calibration"), CASES)
@pytest.mark.parametrize("worst", range(3))
def test_a_message_spends_at_most_what_is_declared_and_not_far_less(scheme, calibration, worst):
    """Wherever the context stands in which it spends most."""
    f = np.roll(CLASS, worst - 1, axis=0)
    spent = losses(known(f, scheme, calibration))
    assert LEAST.get((scheme, calibration), 0.9) < max(spent) / declared(scheme, calibration) <= 1 + 1e-9
    if scheme == "pure":
        told = privacy.privacy_loss(f, epsilon=EPSILON, horizon=HORIZON, calibration=calibration)
        assert told == pytest.approx(max(spent), rel=1e-9)
    if scheme == "posterior":
        messages, noise = known(f, "pure", calibration), known(f, "pure", calibration).tuning.scale
        assert bayes.privacy_loss(messages) == pytest.approx(max(spent), rel=1e-9)
        assert bayes.privacy_loss(messages, scale=2 * noise) < 0.6 * max(spent)
    if scheme in ("pure", "approximate", "posterior"):
        assert np.argmax(spent) == worst


@pytest.mark.parametrize("epsilon", [36.0, 45.0, 50.0])
@pytest.mark.parametrize("scheme", ["randomized_response", *dl.BAYES_SCHEMES])
def test_no_message_is_certain_at_levels_at_which_rounding_would_make_it_so(scheme, epsilon):
    spent = losses(known(CLASS, scheme, "corrected", epsilon))
    assert 0 < max(spent) <= epsilon * (1 + 1e-9)


class Last:
    """A generator that is at the end of every range."""

    def random(self):
        return 1 - 2.0**-53

    def integers(self, high):
        return high - 1


@pytest.mark.parametrize("scheme", ["merged_response", "pair_bits", "sign_bits"])
def test_users_lie_at_the_last_of_all_random_numbers(scheme):
    """At the largest level too: the message is one that the label makes unlikely."""
    shared = known(CLASS, scheme, "corrected", 50.0)
    assert all(shared.given(0, x)[shared.release(0, x, Last())] < 1e-10 for x in range(3))


@pytest.mark.parametrize("context", range(3))
@pytest.mark.parametrize("scheme", ["pure", "approximate", "posterior"])
def test_a_class_of_one_context_has_the_noise_that_it_needs(scheme, context):
    """Exactly, but for the clipping map: a share 1/T of all labels are drawn at random."""
    [spent] = losses(known(CLASS[[context]], scheme, "tight"))
    assert (1 - 2 / HORIZON) < spent / EPSILON <= 1 + 1e-9
