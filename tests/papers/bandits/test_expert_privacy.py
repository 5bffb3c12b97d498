"""Privacy with expert advice: exact laws of the actions that the literal learners play, whatever the order.

Experts' advice differs from round to round, between experts and between actions; each of the three is permuted.
"""

import math
from itertools import permutations, product

import numpy as np
import pytest
from scipy import special, stats

from replicate import audit, certify
from replicate.papers import bandits
from replicate.papers.bandits.algorithms.advice import Exp4Tuning
from tests.conftest import FALSE_ALARM

EPSILON, DELTA, MIXING, RATE = 0.5, 0.01, 0.3, 5.0
CONTEXTS = np.array([[[0.8, 0.15, 0.05], [0.1, 0.3, 0.6]], [[0.05, 0.05, 0.9], [0.7, 0.2, 0.1]]])
"""Advice of two experts on three actions in two rounds, shape (2, N, K)."""
LOSSES = np.array([1.0, 0.0, 1.0])
NOISE = {
    "local_exp4": 1 / EPSILON,
    "batched_exp4": 3 * 3 * math.sqrt(2 * math.log(1 / DELTA)) / (MIXING * EPSILON),
}
"""Scales by Theorem 9 and by Lemma 15: one loss moves each of N = 2 estimates by K / gamma, K = 3."""
UNIT = stats.laplace.ppf((np.arange(20_000) + 0.5) / 20_000)
"""Quantiles of noise of scale 1."""


def mixed(law, advice):
    """Law of the action, (..., N) -> (..., K)."""
    return (1 - MIXING) * law @ advice + MIXING / advice.shape[1]


def exact(name, advice, losses, scale):
    """Law of the actions of two rounds, batches of one: shape (K, K), by quadrature over the noise."""
    first = mixed(np.full(2, 0.5), advice[0])
    law = np.empty((3, 3))
    for i, p in enumerate(first):
        if name == "local_exp4":  # noise on the loss, before it is weighed
            seen = (losses[i] + scale * UNIT) / p
            lead = RATE * seen * (advice[0, 1, i] - advice[0, 0, i])
        else:  # noise on every expert's estimate: the difference of two
            halves = UNIT[50::100]
            noise = scale * np.subtract.outer(halves, halves).ravel()
            lead = RATE * (losses[i] / p * (advice[0, 1, i] - advice[0, 0, i]) + noise)
        weight = special.expit(lead)
        law[i] = p * mixed(np.stack([weight, 1 - weight], axis=1), advice[1]).mean(axis=0)
    return law


def shipped(name, rng):
    """The learner, and its noise at a batch of one and at the mixing of this module."""
    if name == "local_exp4":
        learner = bandits.LocalExp4(3, 2, epsilon=EPSILON, horizon=10**6, rng=rng)
        return learner, learner.tuning.noise
    learner = bandits.BatchedExp4(3, 2, epsilon=EPSILON, delta=DELTA, horizon=10**6, rng=rng)
    return learner, learner.tuning.noise * learner.tuning.mixing * learner.tuning.batch / MIXING


def played(name, advice, losses, scale, runs, rng):
    """Counts of the actions of two rounds of the literal learners, at a rate at which actions say much."""
    counts = np.zeros((3, 3))
    for _ in range(runs):
        learner, _ = shipped(name, rng)
        learner.tuning = Exp4Tuning(RATE, MIXING, 1, scale)
        one = learner.act(advice[0])
        learner.observe(losses[one])
        counts[one, learner.act(advice[1])] += 1
    return counts.ravel()


ORDERS = list(product(permutations(range(2)), permutations(range(2)), ((0, 1, 2), (2, 0, 1), (1, 0, 2))))
"""Orders of the contexts, of the experts and of the actions."""


@pytest.mark.parametrize("name", NOISE)
def test_learners_ship_with_the_noise_that_is_audited_here(name, rng):
    learner, noise = shipped(name, rng)
    assert noise == pytest.approx(NOISE[name])
    assert (learner.privacy.epsilon, learner.privacy.delta) == (EPSILON, DELTA * (name == "batched_exp4"))


@pytest.mark.parametrize("name", NOISE)
@pytest.mark.parametrize(("contexts", "experts", "actions"), ORDERS[::3])
def test_learners_play_the_exact_law_in_every_order(name, contexts, experts, actions, rng):
    advice, losses = CONTEXTS[np.ix_(contexts, experts, actions)], LOSSES[list(actions)]
    law = exact(name, advice, losses, 0.5).ravel()
    assert law.sum() == pytest.approx(1)
    assert certify.goodness_of_fit(played(name, advice, losses, 0.5, 1300, rng), law) > FALSE_ALARM


@pytest.mark.parametrize("name", NOISE)
def test_other_noise_and_another_order_are_other_laws(name, rng):
    counts, swapped = played(name, CONTEXTS, LOSSES, 0.5, 2000, rng), CONTEXTS[:, :, [1, 0, 2]]
    for law in (exact(name, swapped, LOSSES, 0.5), exact(name, CONTEXTS, LOSSES, 5.0)):
        assert certify.goodness_of_fit(counts, law.ravel()) < FALSE_ALARM


def worst(name, advice, scale):
    """Largest privacy loss, and the largest delta at epsilon, over the losses of the first round."""
    laws = [exact(name, advice, row, scale).ravel() for row in product((0.0, 1.0), repeat=3)]
    pairs = list(product(laws, repeat=2))
    delta = max(float(audit.hockey_stick(one, other, epsilon=EPSILON)) for one, other in pairs)
    return max(float(audit.privacy_loss(one, other)) for one, other in pairs), delta


@pytest.mark.parametrize("name", NOISE)
def test_actions_are_as_private_as_declared_in_every_order(name):
    """The loss does not depend on which expert or action comes first; with less noise it is too large."""
    for contexts in permutations(range(2)):
        found = [worst(name, CONTEXTS[np.ix_(*order)], NOISE[name]) for order in ORDERS if order[0] == contexts]
        losses, deltas = np.transpose(found)
        np.testing.assert_allclose(losses, losses[0], rtol=1e-6)
        assert deltas.max() <= (0 if name == "local_exp4" else DELTA)
        assert worst(name, CONTEXTS[list(contexts)], NOISE[name] / 1000)[1] > 5 * DELTA
    if name == "local_exp4":
        assert 0.25 * EPSILON < losses.max() <= EPSILON


def test_at_a_large_delta_algorithm_2_states_the_epsilon_that_lemma_15_gives(rng):
    learner = bandits.BatchedExp4(2, 2, epsilon=1.0, delta=0.9, horizon=10**6, rng=rng)
    assert learner.privacy.epsilon == pytest.approx(1 / (6 * math.log(1 / 0.9)) + math.sqrt(2 / 3))


def batches_of(n_experts, rng, batch=10):
    """Actions of batches 2 and 3, shape (2, batch): expert j names action j, no loss, and noise alone decides."""
    sizes = {"epsilon": EPSILON, "delta": DELTA, "horizon": 10**6}
    learner = bandits.BatchedExp4(n_experts, n_experts, **sizes, rng=rng)
    learner.tuning = Exp4Tuning(1e14, 1e-15, batch, 1.0)
    actions = np.empty(3 * batch, dtype=int)
    for t in range(len(actions)):
        actions[t] = learner.act(np.eye(n_experts))
        learner.observe(0.0)
    return actions.reshape(3, batch)[1:]


@pytest.mark.parametrize("n_experts", [2, 5])
def test_noise_of_every_expert_and_batch_is_its_own(n_experts, rng):
    """At so large a rate the expert with the least noise is played alone, in all ten rounds of a batch.

    Two sums of independent noises are closer than 40 / 10^14 with a chance of 2 / 10^13, and 80 games have 160
    batches with up to 10 pairs: 4 / 10^10 in all. Experts that share a noise are played in turn. If batches share
    their noises, the same expert stays in front in every game; if not, it does with a chance of 0.75^80 < 10^-9.
    """
    games = np.array([batches_of(n_experts, rng) for _ in range(80)])
    np.testing.assert_array_equal(games, np.broadcast_to(games[:, :, :1], games.shape))
    assert (games[:, 0, 0] != games[:, 1, 0]).any()
