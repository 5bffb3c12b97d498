"""The game on a user's own labels."""

import itertools
import math
import re
from functools import partial

import numpy as np
import pytest

from replicate.learners import protocol, registry
from replicate.papers import distribution_learning as dl
from replicate.papers.distribution_learning import claims
from replicate.papers.distribution_learning.algorithms.schemes import SCHEMES
from replicate.streams import stream

LAWS = np.array([[0.7, 0.2, 0.1], [0.2, 0.4, 0.4]])
LABELS = stream(1, "labels").choice(3, size=300, p=LAWS[0])


def play(scheme, **changes):
    delta = 1e-3 if scheme == "approximate" else None
    options = {"scheme": scheme, "epsilon": 1.0, "delta": delta, "rng": stream(2, scheme)}
    return dl.play_labels(LAWS, LABELS, **(options | changes))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_regret_by_hand(scheme):
    """In every round, of two contexts in which the hypotheses swap roles."""
    laws, places = np.array([LAWS, LAWS[::-1]]), stream(4, "places").integers(2, size=len(LABELS))
    delta = 1e-3 if scheme == "approximate" else None
    options = {"scheme": scheme, "epsilon": 1.0, "delta": delta}
    user = dl.User(laws, **options, horizon=len(LABELS), rng=stream(2, scheme))
    predictor = dl.Predictor(laws, **options, horizon=len(LABELS))
    run = dl.play_labels(laws, LABELS, contexts=places, **options, rng=stream(2, scheme))
    losses = -np.log(laws[places, :, LABELS])
    best, regret = int(losses.sum(axis=0).argmin()), 0.0
    for t, (context, label) in enumerate(zip(places.tolist(), LABELS.tolist(), strict=True)):
        regret -= math.log(predictor.predict(context)[label]) + losses[t, best]
        predictor.observe(user.release(label, context), context)
        assert run.regret[0, t] == pytest.approx(regret, abs=1e-9)
    assert run.comparator.segments == [(1, str(best))]
    assert run.comparator.loss == pytest.approx(losses.sum(axis=0).min())


@pytest.mark.parametrize("scheme", [*SCHEMES, *dl.BAYES_SCHEMES])
def test_contexts_under_other_numbers_are_played_alike(scheme):
    """Three contexts, the same labels and random numbers: the regret after every round is the same."""
    laws, places = np.array([LAWS, LAWS[::-1], LAWS**2]), stream(5, "places").integers(3, size=len(LABELS))
    laws /= laws.sum(axis=2, keepdims=True)
    order = np.array([2, 0, 1])
    options = {"scheme": scheme, "epsilon": 2.0, "delta": 1e-3 if scheme == "approximate" else None}
    one = dl.play_labels(laws, LABELS, contexts=places, **options, rng=stream(2, scheme))
    other = dl.play_labels(laws[order], LABELS, contexts=order.argsort()[places], **options, rng=stream(2, scheme))
    np.testing.assert_allclose(other.regret, one.regret, atol=1e-9)


def test_without_privacy_the_regret_is_at_most_log_k():
    assert play("non_private").final[0] <= math.log(2) + 1e-9
    assert play("non_private").privacy is protocol.NOT_PRIVATE


@pytest.mark.parametrize("scheme", ["pure", "approximate", "randomized_response"])
def test_the_statement_protects_a_label(scheme):
    privacy = play(scheme).privacy
    assert privacy.epsilon == 1
    assert privacy.delta == (1e-3 if scheme == "approximate" else 0)
    assert "each label" in str(privacy)
    assert set(re.findall(r"DL-\w+", privacy.source)) <= {claim.id for claim in claims.CLAIMS}


def test_the_printed_noise_promises_less():
    run = play("pure", calibration="printed")
    assert run.privacy.epsilon == pytest.approx(math.log(3 * 300) / math.log(2 * 300))
    assert run.privacy.source == "DL-L6"


def test_a_message_that_rules_out_every_hypothesis_is_refused():
    predictor = dl.Predictor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], scheme="non_private", horizon=100)
    predictor.observe(0)
    for label in (1, 2):
        with pytest.raises(ValueError, match=r"^message must leave a hypothesis possible"):
            predictor.observe(label)
    assert predictor.predict().tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("name", [name for name, scheme in registry.schemes().items() if scheme.bound])
def test_a_bound_does_not_depend_on_the_order_of_contexts_and_only_merging_reads_labels_that_are_alike(name):
    """Three contexts: all labels alike, all different, each alike another one."""
    f = np.stack([np.full((2, 4), 0.25), [[0.1, 0.2, 0.3, 0.4], [0.4, 0.2, 0.1, 0.3]], [[0.1, 0.1, 0.4, 0.4]] * 2])
    bound = partial(registry.schemes()[name].bound, epsilon=1.0, horizon=1000)
    found = {bound(f[list(order)]) for order in itertools.permutations(range(3))}
    assert found == {bound(f[1:2])}
