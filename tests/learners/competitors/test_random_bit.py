"""One random bit for each loss: it is drawn for that loss alone, and what bits cost."""

import math

import numpy as np
import pytest

from replicate import certify
from replicate.learners.competitors import bit_exp4, random_bit
from replicate.learners.competitors.bandit import random_bit as drawn
from replicate.streams import stream
from tests.conftest import FALSE_ALARM

LEVELS = (0.05, 0.5, 1.0, 4.0)


class Listener:
    """A base learner that writes down what it sees."""

    n_actions = 3

    def __init__(self):
        self.seen = []

    def act(self):
        return 0

    def observe(self, loss):
        self.seen.append(loss)


def test_every_loss_has_a_bit_of_its_own():
    learner = random_bit.RandomBit(base := Listener(), epsilon=1.0, rng=stream(4))
    for _ in range(4000):
        learner.act()
        learner.observe(0.5)
    bits = np.array(base.seen)
    assert set(base.seen) == {0.0, 1.0}
    assert abs(np.corrcoef(bits[1:], bits[:-1])[0, 1]) < 6 / math.sqrt(4000)
    assert abs(bits.mean() - 0.5) < 3 / math.sqrt(4000)


@pytest.mark.parametrize("batch", [1, 2, 4096, 2**20, 2**45, 2**53])
@pytest.mark.parametrize("epsilon", [1e-9, 0.5, 29.0, 36.0, 1e6])
def test_no_bit_of_any_batch_is_certain_and_one_loss_moves_it_by_epsilon_at_most(epsilon, batch):
    """The bit's chances when all losses are 0, and when one is 1, as `bandit.drawn_bit` computes them."""
    r = random_bit.response(epsilon, batch)
    none, one = (0.5 + r * (mean - 0.5) for mean in (0.0, 1 / batch))
    assert 0 < r < 1
    assert none > 0
    assert 0 <= math.log(one / none) <= epsilon * (1 + 1e-9) + 1e-3


def test_a_certain_bit_is_not_drawn():
    rng = stream(5)
    state = rng.bit_generator.state
    assert [drawn(x, 1.0, rng) for x in (0.0, 1.0)] == [0.0, 1.0]
    assert rng.bit_generator.state == state


def test_the_bound_is_that_of_the_bits_over_the_response():
    """Bits of two actions differ in mean by the response times what their losses differ."""
    for epsilon in LEVELS:
        r = random_bit.response(epsilon)
        gap = (0.5 + r * (0.9 - 0.5)) - (0.5 + r * (0.2 - 0.5))
        assert gap == pytest.approx(0.7 * math.expm1(epsilon) / (math.exp(epsilon) + 1))
    sizes = {"n_actions": 8, "horizon": 1e6}
    ratio = random_bit.regret_bound(epsilon=0.1, **sizes) / random_bit.regret_bound(epsilon=1.0, **sizes)
    assert ratio == pytest.approx(math.tanh(0.5) / math.tanh(0.05))
    assert random_bit.regret_bound(epsilon=1.0, **sizes) < 1e6 * 0.05  # uniform play at gaps of 0.06


@pytest.mark.parametrize(("switches", "made"), [(2, 2), (15, 4)])
def test_the_bound_of_exp3_s_is_its_formula(switches, made):
    """Of 20 rounds in five batches: at most four switches lie between batches, but inside them all cost."""
    tuned = bit_exp4.tuning(n_actions=3, horizon=20, epsilon=1.0, n_switches=switches, batch=4)
    share, r = min(made / 4, 2 / 3), 1 / (1 + 2 / (4 * math.expm1(1.0)))
    code = math.log(3) + made * math.log(2 / share) - (4 - made) * math.log(1 - share)
    assert tuned.bound == pytest.approx(4 / r * math.sqrt(code * 5 * 3 * (1 + r)) + 2 * switches)


@pytest.mark.parametrize("epsilon", [0.4, 6.0])
def test_the_bound_of_exp4_is_its_formula(epsilon):
    """sqrt(2 V T log N); with r in the place of 1 + r, as if bits were rare, it is less."""
    r = math.tanh(epsilon / 2)
    bound = bit_exp4.regret_bound(n_actions=5, n_experts=7, epsilon=epsilon, horizon=1e6)
    assert bound == pytest.approx(math.sqrt(2 * 5 * (1 + r) / (2 * r**2) * 1e6 * math.log(7)))
    assert bound > 1.2 * math.sqrt(2 * 5 * r / (2 * r**2) * 1e6 * math.log(7))


@pytest.mark.parametrize("share", [0.02, 0.5])
def test_a_share_of_every_weight_goes_to_the_others_and_the_law_is_drawn_whole(share, rng):
    """After one bit 1: exp(-eta / w) of the weight of the action played, normalised, then shared."""
    rate, k, drawn = 0.4, 3, np.zeros((3, 3), dtype=int)
    for _ in range(4000):
        learner = bit_exp4.Exp3Share(k, rate=rate, share=share, rng=rng)
        first = learner.act()
        learner.observe(1.0)
        drawn[first, learner.act()] += 1
    weights = np.ones((k, k)) - (1 - math.exp(-rate * k)) * np.eye(k)
    weights /= weights.sum(axis=1, keepdims=True)
    law = (1 - share) * weights + share / (k - 1) * (1 - weights)
    assert certify.goodness_of_fit(drawn.ravel(), law.ravel() / k) > FALSE_ALARM
