"""Privacy of what ships: laws read from the learner, worst cases by enumeration, and the samples of audits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicate import audit, certify
from replicate.learners import dyadic
from replicate.papers import prefix_softmax
from replicate.papers.prefix_softmax import privacy
from tests.conftest import FALSE_ALARM


def shipped(n_actions, epsilon):
    return prefix_softmax.PrefixSoftmax(n_actions, epsilon=epsilon, rng=np.random.default_rng(1))


def law_of_actions(learner):
    """Table to the joint law of the actions of blocks 1, 2, ..., by the learner's own selections."""
    return lambda table: audit.sequence_law(table, selector=learner.law, weights=privacy.prefix_weights)


# What ships


@pytest.mark.parametrize("epsilon", [0.02, 0.25, 3.0])
@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_the_shipped_learner_keeps_what_it_declares_and_no_more(epsilon, order):
    """A bad pair of tables has the declared privacy loss, whichever action is the bad one."""
    learner = shipped(2, epsilon)
    blocks = 12 if epsilon > 0.1 else 14
    pair = privacy.neighbouring_pair(blocks=blocks, changed=blocks - 2)
    laws = [law_of_actions(learner)(table[:, order]) for table in pair]
    assert audit.privacy_loss(*laws) == pytest.approx(learner.privacy.epsilon, rel=1e-6)
    assert learner.privacy.epsilon <= epsilon


@pytest.mark.parametrize(("n_actions", "levels"), [(2, (0.0, 1.0)), (3, (0.0, 1.0)), (2, (0.0, 0.5, 1.0))])
def test_no_two_neighbouring_tables_of_three_rounds_tell_more_than_is_declared(n_actions, levels):
    """All of them, by enumeration: the worst is the worst of single blocks, and spends over a third."""
    learner = shipped(n_actions, 1.0)
    loss = audit.exhaustive_privacy_loss(law_of_actions(learner), n_rounds=3, n_actions=n_actions, levels=levels)
    worst = max(
        privacy.block_privacy_loss(n_actions=n_actions, eta=learner.privacy.epsilon / 2, block=r) for r in (0, 1)
    )
    assert loss == pytest.approx(worst, rel=1e-12)
    assert learner.privacy.epsilon / 3 < loss <= learner.privacy.epsilon


def test_the_audited_law_is_that_of_the_literal_learner(rng):
    """Exact law, all runs at once and the learner itself; with half the noise the law is another.

    The second half of a block takes back what the first half says: who reads all of it learns nothing.
    """
    table = np.tile([0.5, 0.5], (128, 1))
    table[31:47], table[47:63] = [1.0, 0.0], [0.0, 1.0]
    starts, _ = dyadic.blocks(len(table))
    law = law_of_actions(shipped(2, privacy.EPSILON))(table[:127])
    learner = audit.learner_sampler(
        lambda g: prefix_softmax.PrefixSoftmax(2, epsilon=privacy.EPSILON, rng=g), table
    )
    draws = {
        "literal": (learner(800, rng)[:, starts], True),
        "together": (privacy.sampler(table)(50_000, rng), True),
        "less noise": (privacy.sampler(table, noise_divisor=2.0)(3000, rng), False),
    }
    for name, (actions, agrees) in draws.items():
        counts = np.bincount(actions[:, 1:] @ 2 ** np.arange(7)[::-1], minlength=128)
        assert (certify.goodness_of_fit(counts, law) > FALSE_ALARM) == agrees, name
        last = np.bincount(actions[:, 6], minlength=2)
        assert certify.goodness_of_fit(last, np.array([0.5, 0.5])) < FALSE_ALARM, name


# Worst cases


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


def test_an_audit_hears_of_the_score_that_it_is_given():
    with pytest.raises(ValueError, match="score must be one of fitted, got 'none such'"):
        privacy.certified_loss(profile="quick", seed=1, score="none such")
