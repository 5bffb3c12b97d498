"""Privacy: exact laws against the literal learners, and samples against exact laws."""

import math
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

from replicate import audit, certify
from replicate.learners import registry
from replicate.papers import bandits
from replicate.papers.bandits import privacy as exact
from replicate.papers.bandits.algorithms import advice, kernels
from replicate.papers.bandits.algorithms.literal import BaseLearner
from replicate.papers.bandits.privacy import AUDITED, BLURRED, EPSILON
from tests.conftest import FALSE_ALARM

MEANS = {1: 1.0, 2: 0.5}


def test_switch_law_is_the_law_of_the_actions(rng):
    """Algorithm 1 over the switching base learner, played; and its exact law."""

    class Switch:
        n_actions = 2
        action = 0

        def act(self):
            return self.action

        def observe(self, loss):
            self.action ^= loss > 1

    losses = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    counts = np.zeros(4)
    for _ in range(7_000):
        learner = bandits.PrivateBandit(Switch(), epsilon=0.5, rng=rng)
        path = []
        for row in losses:
            path.append(learner.act())
            learner.observe(row[path[-1]])
        path.append(learner.act())
        counts[2 * (path[2] != path[0]) + (path[4] != path[2])] += 1
    law = exact.switch_law(losses, batch=2, scale=1.0, threshold=1.0)
    assert certify.goodness_of_fit(counts, law) > FALSE_ALARM
    assert law.sum() == pytest.approx(1)


def test_advised_law_is_a_mixture_over_paths():
    losses = np.array([[0.2, 0.9], [0.5, 0.1]])
    advice = np.random.default_rng(2).dirichlet([1, 1], size=(3, 2))
    law = exact.advised_switch_law(losses, advice, scale=2.0, threshold=1.0)
    by_hand = []
    for actions in product((0, 1), repeat=3):
        total = 0.0
        for path in product((0, 1), repeat=2):
            state = [0, path[0], path[0] ^ path[1]]
            p = math.prod(advice[t, state[t], actions[t]] for t in range(3))
            for t in range(2):
                moved = exact.laplace_tail(1.0 - losses[t, actions[t]], 2.0)
                p *= moved if path[t] else 1 - moved
            total += p
        by_hand.append(total)
    np.testing.assert_allclose(law, by_hand)
    assert audit.privacy_loss(law, law) == 0


def literal(learner, rng):
    """The literal streaming learner whose law is audited."""
    if learner.algorithm in (2, 6):
        if learner.algorithm == 6:
            one = bandits.LocalExp4(2, 2, epsilon=EPSILON, horizon=10**6, rng=rng)
        else:
            one = bandits.BatchedExp4(2, 2, epsilon=EPSILON, delta=0.5, horizon=10**9, rng=rng)
        eta, mixing = learner.plan.setting[[kernels.RATE, kernels.MIXING]]
        one.tuning = advice.Exp4Tuning(eta, mixing, learner.plan.batch, learner.plan.noise)
        return one
    base = BaseLearner(2, learner.plan, rng)
    private = bandits.PrivateBandit(base, epsilon=EPSILON, batch_size=learner.plan.batch, rng=rng)
    return bandits.ExpertBandit(private, rng=rng) if learner.algorithm == 5 else private


def first_two(learner, mean, rng):
    """Actions of the first rounds of the first two batches, when the first batch has a mean loss."""
    advised = () if learner.algorithm == 1 else (BLURRED if learner.algorithm == 5 else np.eye(2),)
    one, actions = literal(learner, rng), []
    for _ in range(learner.plan.batch + 1):
        actions.append(one.act(*advised))
        one.observe(mean)
    return 2 * actions[0] + actions[-1]


@pytest.mark.parametrize("name", AUDITED)
def test_audited_law_is_that_of_the_literal_learner(name, rng):
    """Twelve hundred runs of the streaming learner; the law with a quarter of the noise does not fit."""
    learner = AUDITED[name]
    mean = MEANS[learner.plan.batch]
    counts = np.bincount([first_two(learner, mean, rng) for _ in range(1200)], minlength=4)
    assert certify.goodness_of_fit(counts, exact.exact_law(learner, mean)) > FALSE_ALARM
    if name != "batched_exp4":
        assert certify.goodness_of_fit(counts, exact.exact_law(learner, mean, noise_divisor=4.0)) < FALSE_ALARM


@pytest.mark.parametrize("name", AUDITED)
@pytest.mark.parametrize("part", [None, 0.1, 1.0])
def test_samples_follow_the_audited_law(name, part, rng):
    """With the noise as it is, divided by a part of the control's divisor, and by all of it."""
    learner = AUDITED[name]
    divisor = part * learner.reduction if part else 1.0
    codes = exact.sample(learner, MEANS[learner.plan.batch], 40_000, rng, noise_divisor=divisor)
    law = exact.exact_law(learner, MEANS[learner.plan.batch], noise_divisor=divisor)
    assert law.sum() == pytest.approx(1)
    assert certify.goodness_of_fit(np.bincount(codes, minlength=4), law) > FALSE_ALARM


def test_chosen_experts_have_the_law_of_the_learner_over_actions(rng):
    """Whose actions are not blurred."""
    learner = AUDITED["experts"]
    codes = exact.sample(learner, 0.5, 100_000, rng, released="chosen experts")
    laws = [exact.exact_law(one, 0.5) for one in (replace(learner, algorithm=1), learner)]
    known, blurred = (certify.goodness_of_fit(np.bincount(codes, minlength=4), law) for law in laws)
    assert known > FALSE_ALARM > blurred


@pytest.mark.parametrize("name", AUDITED)
def test_the_exact_loss_is_the_largest_between_neighbouring_means(name):
    """It is what the learner declares, or little less; with a part of the noise it is too large."""
    learner, epsilon = AUDITED[name], EPSILON * (1 + 1e-9)
    steps = np.linspace(0, 1, learner.plan.batch + 1)
    losses = {
        a: np.abs(np.log(exact.exact_law(learner, a) / exact.exact_law(learner, b))).max()
        for a, b in pairwise(steps.tolist())
    }
    loss, mean = exact.exact_loss(learner)
    assert loss == pytest.approx(max(losses.values()))
    assert losses[mean] == pytest.approx(loss)
    assert (0.9 if name != "experts" else 0.5) * EPSILON * (name != "batched_exp4") <= loss <= epsilon
    assert exact.exact_loss(learner, noise_divisor=learner.reduction)[0] > epsilon


def test_an_audit_hears_of_the_score_that_it_is_given():
    with pytest.raises(ValueError, match="score must be one of fitted, got 'none such'"):
        exact.certified("htinf", "quick", 1, score="none such")


@pytest.mark.parametrize("delta", [1e-9, 1e-3])
def test_algorithm_2_is_registered_at_the_delta_that_is_asked_for(delta):
    sizes = {"n_actions": 2, "epsilon": 1.0, "horizon": 10**8}
    learner = registry.learner("batched_exp4", **sizes, delta=delta, rng=np.random.default_rng(1))
    assert (learner.privacy.epsilon, learner.privacy.delta) == (1.0, delta)
