import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicate import audit, certify
from replicate.learners import dyadic
from replicate.papers import prefix_softmax
from replicate.papers.prefix_softmax import algorithms, privacy
from tests.conftest import FALSE_ALARM


@pytest.mark.parametrize("eta", [0.05, 0.125, 0.5])
@pytest.mark.parametrize("rounds", [1, 3])
def test_block_privacy_loss_is_what_enumeration_finds(eta, rounds):
    """0/1 tables contain the worst case while it pays to climb on every round."""
    loss = audit.exhaustive_privacy_loss(
        lambda table: privacy.sequence_law(table, eta=eta), n_rounds=rounds, n_actions=2
    )
    worst = max(privacy.block_privacy_loss(n_actions=2, eta=eta, block=r) for r in range(rounds.bit_length()))
    assert loss == pytest.approx(worst, rel=1e-12)


def test_block_privacy_loss_bounds_three_actions_and_fractional_losses():
    for levels, n_actions in (((0.0, 1.0), 3), ((0.0, 0.5, 1.0), 2)):
        loss = audit.exhaustive_privacy_loss(
            lambda table: privacy.sequence_law(table, eta=0.125), n_rounds=3, n_actions=n_actions, levels=levels
        )
        worst = max(privacy.block_privacy_loss(n_actions=n_actions, eta=0.125, block=r) for r in (0, 1))
        assert loss == pytest.approx(worst, rel=1e-12)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.5, 2.0]), st.integers(1, 5))
def test_no_random_pair_of_blocks_beats_the_worst_case(seed, eta, block):
    """Fractional losses, any position of the changed vector, three actions."""
    rng = np.random.default_rng(seed)
    n = 2**block
    table = np.zeros((2 * n - 1, 3))
    table[n - 1 :] = rng.random((n, 3)) ** rng.choice([0.1, 1, 10], size=3)
    other = table.copy()
    other[n - 1 + rng.integers(n)] = rng.integers(2, size=3)
    loss = audit.privacy_loss(*(privacy.sequence_law(t, eta=eta) for t in (table, other)))
    assert loss <= privacy.block_privacy_loss(n_actions=3, eta=eta, block=block) + 1e-12


def test_long_blocks_use_up_two_eta_and_four_when_read_twice():
    pair = privacy.neighbouring_pair(blocks=12, changed=10)
    once = audit.privacy_loss(*(privacy.sequence_law(t, eta=0.125) for t in pair))
    twice = audit.privacy_loss(*(privacy.sequence_law(t, eta=0.125, readers=2) for t in pair))
    assert once == pytest.approx(0.25, rel=1e-6)
    assert twice == pytest.approx(0.5, rel=1e-6)


def test_the_audited_law_is_that_of_the_literal_learner(rng):
    """Exact law, all runs at once and the learner itself on the audit's table; the twin has another law."""
    table = privacy.tables()[0]
    eta = algorithms.learning_rate(privacy.EPSILON)
    law = privacy.sequence_law(table[:-1], eta=eta)
    starts, _ = dyadic.blocks(len(table))
    learner = audit.learner_sampler(
        lambda g: prefix_softmax.PrefixSoftmax(2, epsilon=privacy.EPSILON, rng=g), table
    )
    draws = {
        "literal": (learner(3_000, rng)[:, starts], True),
        "together": (privacy.sampler("prefix softmax", table)(100_000, rng), True),
        "twin": (privacy.sampler("its non-private twin", table)(3_000, rng), False),
    }
    for name, (actions, agrees) in draws.items():
        counts = np.bincount(actions[:, 1:] @ [4, 2, 1], minlength=8)
        assert (certify.goodness_of_fit(counts, law) > FALSE_ALARM) == agrees, name


def test_the_weights_of_the_audit_are_the_law_of_the_prefix(rng):
    for r in (0, 1, 4):
        counts = np.bincount(algorithms.random_prefix(r, 20_000, rng), minlength=2**r + 1)[1:]
        assert privacy.prefix_weights(r).sum() == pytest.approx(1)
        assert certify.goodness_of_fit(counts, privacy.prefix_weights(r)) > FALSE_ALARM


@pytest.mark.parametrize("epsilon", [0.02, 0.25, 3.0])
def test_the_shipped_learner_keeps_what_it_declares_and_no_more(epsilon, rng):
    """Its own selector and prefixes, read from the object: a bad pair of tables has the declared privacy loss."""
    learner = prefix_softmax.PrefixSoftmax(2, epsilon=epsilon, rng=rng)
    blocks = 12 if epsilon > 0.1 else 14
    pair = privacy.neighbouring_pair(blocks=blocks, changed=blocks - 2)
    laws = [audit.sequence_law(t, selector=learner._selector, weights=privacy.prefix_weights) for t in pair]
    assert audit.privacy_loss(*laws) == pytest.approx(learner.privacy.epsilon, rel=1e-6)
    assert learner.privacy.epsilon <= epsilon
    assert learner._prefix is algorithms.random_prefix


@pytest.mark.parametrize("eta", [0.005, 0.125])
def test_the_selector_is_the_softmax_of_section_4(eta):
    sums = np.array([[3.0, 0.0, 1.5], [800.0, 790.5, 900.0]])
    weights = np.exp(-eta * (sums - sums.min(axis=1, keepdims=True)))
    expected = weights / weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(algorithms.selector(eta)(sums), expected, rtol=1e-14)
