"""Schemes read by Bayes' rule: users against laws of messages, games against simulations, merged labels."""

from itertools import product

import numpy as np
import pytest

from replicate import certify
from replicate.learners.competitors import random_bit
from replicate.papers import distribution_learning as dl
from replicate.papers.distribution_learning import claims, instances
from replicate.papers.distribution_learning.algorithms import bayes, bits
from replicate.papers.distribution_learning.algorithms.schemes import Scheme
from replicate.streams import stream
from tests.conftest import FALSE_ALARM
from tests.papers.distribution_learning.common import dirichlet

SCHEMES = dl.BAYES_SCHEMES
COPIES = np.array([[0.3, 0.1, 0.2, 0.4, 0.0], [0.1, 0.3, 0.6, 0.0, 0.0], [0.2, 0.2, 0.4, 0.2, 0.0]])
"""The second and third labels are alike, one twice the other; no hypothesis allows the last."""


def known(laws, scheme, epsilon=1.0, horizon=50, merge=False):
    return bayes.BayesScheme.validated(
        laws, scheme=scheme, epsilon=epsilon, horizon=horizon, calibration="corrected", merge=merge
    )


@pytest.mark.parametrize(("scheme", "label"), list(product(SCHEMES, (0, 2, 4))))
def test_users_release_messages_of_the_stated_law(scheme, label):
    """In the second of two contexts, whose laws are flatter."""
    epsilon = 8.0 if scheme == "posterior" else 1.0  # much noise would hide the label
    steep = COPIES**3 / (COPIES**3).sum(axis=1, keepdims=True)
    laws = np.stack([steep, COPIES])
    shared = known(laws, scheme, epsilon)
    user = dl.User(laws, scheme=scheme, epsilon=epsilon, horizon=50, rng=stream(1, scheme, label))
    messages = np.array([int(user.release(label, 1)) for _ in range(10_000)])
    law = shared.given(label, 1)
    assert certify.goodness_of_fit(np.bincount(messages, minlength=len(law)), law) > FALSE_ALARM
    other = shared.given(1 if scheme == "posterior" or label else 3, 1)
    if np.abs(other - law).max() > 0.02:
        assert certify.goodness_of_fit(np.bincount(messages, minlength=len(law)), other) < FALSE_ALARM


@pytest.mark.parametrize("scheme", SCHEMES)
def test_laws_of_messages_are_averages_over_labels(scheme):
    shared = known(COPIES, scheme)
    rows = np.array([shared.given(label) for label in range(5)])
    np.testing.assert_allclose(COPIES @ rows, shared.laws[0], rtol=1e-12)
    np.testing.assert_allclose(rows.sum(axis=1), 1, rtol=1e-12)


def test_a_hypothesis_of_one_density_tells_nothing():
    """All cells are alike under the first law: no message about it has an interval to fall into."""
    laws = np.array([[0.5, 0.5, 0.0], [0.6, 0.4, 0.0]])
    loss = known(laws, "posterior").privacy_loss()
    assert 0 < loss <= 1
    assert loss == pytest.approx(known(laws[::-1], "posterior").privacy_loss())
    scheme = Scheme.validated(
        laws, scheme="pure", epsilon=1.0, delta=None, horizon=50, calibration="corrected", merge=True
    )
    assert bayes.privacy_loss(scheme) == pytest.approx(loss)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_statement_names_a_claim(scheme):
    run = dl.play_labels(COPIES, [0, 1, 2, 3], scheme=scheme, epsilon=0.7, rng=stream(2, scheme))
    assert run.privacy.epsilon == 0.7
    assert run.privacy.source in {claim.id for claim in claims.CLAIMS}
    printed = dl.play_labels(COPIES, [0, 1], scheme=scheme, calibration="printed", rng=stream(2, scheme))
    assert (printed.privacy.epsilon > 1) == (scheme == "posterior")


LAWS = dirichlet("bayes", 3, 4, contexts=2)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_risk_by_hand(scheme):
    """The first prediction is the plain mixture, whatever is merged."""
    run = dl.simulate(LAWS, scheme=scheme, horizon=100, grid=10**3, replicates=2, rng=stream(4, scheme), truth=2)
    mixture = LAWS.mean(axis=1)
    risk = np.mean([(f[2] * np.log(f[2] / m)).sum() for f, m in zip(LAWS, mixture, strict=True)])
    np.testing.assert_allclose(run.regret[:, 0], risk, rtol=1e-9)


def test_proportional_labels_are_merged_and_others_not():
    classes, masses = bayes.merge_proportional(COPIES)
    assert classes.tolist() == [0, 1, 1, 2, 0]
    np.testing.assert_allclose(masses, [[0.3, 0.3, 0.4], [0.1, 0.9, 0.0], [0.2, 0.6, 0.2]])
    changed = COPIES + np.array([[0, 1e-9, -1e-9, 0, 0], [0] * 5, [0] * 5])
    assert bayes.merge_proportional(changed)[1].shape == (3, 4)
    split = instances.split_labels(instances.dirichlet(4, 8), 2**15)
    assert bayes.merge_proportional(split)[1].shape == (4, 8)


def test_bits_by_hand():
    """Two tests, epsilon = log 3: right with probability 3/4."""
    tests = bits.Tests(np.array([[1, -1], [1, 1]], dtype=np.int8), 1.0)
    channel = bayes.Bits(tests, np.log(3))
    np.testing.assert_allclose(channel.given(0), [1 / 8, 3 / 8, 1 / 8, 3 / 8])
    np.testing.assert_allclose(channel.given(1), [3 / 8, 1 / 8, 1 / 8, 3 / 8])
    np.testing.assert_allclose(channel.laws(np.array([0.5, 0.5])), [1 / 4, 1 / 4, 1 / 8, 3 / 8])


def test_contexts_with_classes_of_their_own():
    """Labels alike in one context are not in the other; both kinds of messages are read."""
    laws = np.array([COPIES[:, :4], LAWS[0]])
    shared = known(laws, "merged_response", merge=True)
    assert [channel.n_classes for channel in shared.channels] == [3, 4]
    assert shared.masses.shape == (2, 3, 4)
    run = dl.simulate(laws, scheme="merged_response", horizon=10**6, replicates=20, rng=stream(6, "contexts"))
    assert run.final.mean() < 100


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("order", [[1, 2, 0], [2, 1, 0]], ids=str)
def test_contexts_in_another_order_have_the_same_messages(scheme, order):
    """Of classes of their own: the laws move with their contexts, and the worst loss stays."""
    laws = np.array([COPIES[:, :4], LAWS[0], LAWS[1] ** 3 / (LAWS[1] ** 3).sum(axis=1, keepdims=True)])
    one, other = known(laws, scheme, merge=True), known(laws[order], scheme, merge=True)
    np.testing.assert_allclose(other.laws, one.laws[order], rtol=1e-12)
    np.testing.assert_allclose(np.sort(other.masses), np.sort(one.masses[order]))  # classes may be numbered anew
    np.testing.assert_allclose(other.values, one.values[order], atol=1e-12)
    assert other.privacy_loss() == pytest.approx(one.privacy_loss(), rel=1e-12)


@pytest.mark.parametrize("scheme", ["sign_bits", "pair_bits"])
@pytest.mark.parametrize("epsilon", [20.0, 36.0, 40.0, 50.0])
def test_no_bit_is_certain_by_rounding(scheme, epsilon):
    """Beyond some 37 the chance of a wrong bit is less than the rounding of 1: the level stops at 30 before."""
    released = known(instances.close_pair(0.2), scheme, epsilon=epsilon)
    assert released.privacy_loss() == pytest.approx(min(epsilon, 30.0), rel=1e-3)
    response = random_bit.response(epsilon)
    assert 1 - response == pytest.approx(2 / (1 + np.exp(min(epsilon, 30.0))), rel=1e-2)
