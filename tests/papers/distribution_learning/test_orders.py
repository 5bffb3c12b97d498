"""Hold schemes to what they declare: they spend that at most and not far less, in any order.

Contexts, labels and hypotheses are numbered as one likes: exact losses and results are those of the class.
"""

from itertools import permutations, product

import numpy as np
import pytest
from scipy import special

from replicate.mechanisms import composition
from replicate.papers import distribution_learning as dl
from replicate.papers.distribution_learning import privacy
from replicate.papers.distribution_learning.algorithms import bayes, schemes, simulation, streaming
from replicate.papers.distribution_learning.learners import LEARNERS
from replicate.streams import stream
from tests.papers.distribution_learning.common import DELTAS

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


def known(f, scheme, calibration):
    """Return what users and learner share."""
    options = {"delta": DELTAS.get(scheme), "horizon": HORIZON, "calibration": calibration, "merge": False}
    return bayes.shared(f, scheme=scheme, epsilon=EPSILON, **options)


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
    spent = losses(known(np.roll(CLASS, worst - 1, axis=0), scheme, calibration))
    assert LEAST.get((scheme, calibration), 0.9) < max(spent) / declared(scheme, calibration) <= 1 + 1e-9
    if scheme in ("pure", "approximate", "posterior"):
        assert np.argmax(spent) == worst


@pytest.mark.parametrize("context", range(3))
@pytest.mark.parametrize("scheme", ["pure", "approximate", "posterior"])
def test_a_class_of_one_context_has_the_noise_that_it_needs(scheme, context):
    """Exactly, but for the clipping map: a share 1/T of all labels are drawn at random."""
    [spent] = losses(known(CLASS[[context]], scheme, "tight"))
    assert (1 - 2 / HORIZON) < spent / EPSILON <= 1 + 1e-9


def test_noise_for_a_single_context_is_too_small_for_another():
    tuned = known(CLASS[:1], "pure", "tight").tuning
    steep = known(CLASS, "pure", "tight")
    assert privacy.one_coordinate_loss(steep.channels[1], steep.masses[1], tuned.scale) > 5 * EPSILON


ORDERS = {
    "contexts": [(np.array(p), np.arange(4), np.arange(3)) for p in permutations(range(3))],
    "labels": [
        (np.arange(3), np.roll(np.arange(4)[::step], i), np.arange(3)) for step in (1, -1) for i in range(4)
    ],
    "hypotheses": [(np.arange(3), np.arange(4), np.array(p)) for p in permutations(range(3))],
}


def results(shared, truth, order):
    """Numbers of a class that no order changes: of the tuning, of what is learned, of what messages say."""
    found = list(np.sort(losses(shared)))
    if isinstance(shared, bayes.BayesScheme) or not shared.noisy:
        laws = np.stack([shared.symbol_laws(j) for j in range(3)], axis=1)
        divergences = special.rel_entr(laws, laws.mean(axis=1, keepdims=True)).sum(axis=(1, 2))
        if (shared.name, order) != ("sign_bits", "hypotheses"):  # its tests are drawn in the order of hypotheses
            found += list(np.sort(divergences))
    else:
        found += [shared.tuning.scale, shared.tuning.log_range, shared.tuning.factor, shared.tuning.learning_rate]
        rounds, law = np.arange(0.0, HORIZON, 50)[:, None], np.full(3, 1 / 3)
        bracket = simulation.bracket(shared, truth, rounds, law=law)
        found += [*bracket.lower, *bracket.upper, *bracket.variation]
    return np.array(found)


@pytest.mark.parametrize(("scheme", "calibration"), CASES)
@pytest.mark.parametrize("order", ORDERS)
def test_no_order_changes_losses_or_results(order, scheme, calibration):
    base = results(known(CLASS, scheme, calibration), TRUTH, order)
    for contexts, places, hypotheses in ORDERS[order]:
        f = CLASS[np.ix_(contexts, hypotheses, places)]
        truth = int(np.flatnonzero(hypotheses == TRUTH)[0])
        np.testing.assert_allclose(results(known(f, scheme, calibration), truth, order), base, rtol=1e-9)
        if scheme == "pure":
            options = {"epsilon": EPSILON, "horizon": HORIZON, "calibration": calibration}
            assert dl.privacy_loss(f, **options) == pytest.approx(base[:3].max())


@pytest.mark.parametrize("order", ORDERS)
def test_no_order_changes_the_regret_of_a_game(order):
    """Without privacy: there no coins are tossed, whose order would be the labels'."""
    rng = stream(5, "orders")
    seen, places = rng.choice(4, size=60, p=STEEP[2]), rng.integers(2, size=60)
    options = {"scheme": "non_private", "rng": rng}
    base = dl.play_labels(CLASS, seen, contexts=places, **options)
    for contexts, names, hypotheses in ORDERS[order]:
        f = CLASS[np.ix_(contexts, hypotheses, names)]
        moved = {"labels": np.argsort(names)[seen], "contexts": np.argsort(contexts)[places]}
        run = dl.play_labels(f, **moved, **options)
        np.testing.assert_allclose(run.regret, base.regret, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("learner", [learner for learner in LEARNERS if learner.bound], ids=lambda x: x.name)
@pytest.mark.parametrize("order", ORDERS)
def test_no_order_changes_the_bound_of_a_learner(order, learner):
    options = {"epsilon": EPSILON, "horizon": HORIZON}
    known_bound = learner.bound(CLASS, **options)
    for contexts, names, hypotheses in ORDERS[order]:
        assert learner.bound(CLASS[np.ix_(contexts, hypotheses, names)], **options) == pytest.approx(known_bound)
