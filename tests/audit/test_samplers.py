"""Samplers of actions: literal learners, all runs at once, and exact laws agree; audits of them certify."""

import numpy as np

from replicate import audit, certify, mechanisms
from replicate.learners import dyadic
from tests.conftest import FALSE_ALARM

TABLE = np.array([[1, 0], [0.5, 0.5], [1, 0.25], [0, 1], [1, 0], [0.5, 0], [1, 1], [0, 0]])


def selector(sums):
    return mechanisms.softmax_pmf(-sums, scale=1.0)


def select(sums, rng):
    return mechanisms.sample_pmf(selector(sums), rng=rng)


def first_half(r, replicates, rng):
    return rng.integers(1, max(2**r // 2, 1), size=replicates, endpoint=True)


def first_half_weights(r):
    lengths = np.arange(1, 2**r + 1)
    return (lengths <= max(2**r // 2, 1)) / max(2**r // 2, 1)


def codes(actions):
    """Joint outcome of all actions, the last running fastest."""
    return actions @ 2 ** np.arange(actions.shape[1] - 1, -1, -1)


def test_literal_learner_all_runs_at_once_and_the_exact_law_agree(rng):
    """The first action is uniform in every run, whatever is selected later."""
    selected = audit.sequence_law(TABLE[:7], selector=selector, weights=first_half_weights)
    law = np.concatenate([selected, selected]) / 2
    starts, _ = dyadic.blocks(len(TABLE))
    literal = audit.learner_sampler(
        lambda g: dyadic.DyadicLearner(2, selector=selector, prefix=first_half, rng=g), TABLE
    )(2_000, rng)
    assert literal.shape == (2_000, 8)
    assert (literal[:, 1] == literal[:, 2]).all()
    together = audit.dyadic_sampler(select, TABLE, prefix=first_half)(200_000, rng)
    whole = audit.dyadic_sampler(select, TABLE)(200_000, rng)
    for actions, agrees in ((literal[:, starts], True), (together, True), (whole, False)):
        counts = np.bincount(codes(actions), minlength=16)
        assert (certify.goodness_of_fit(counts, law) > FALSE_ALARM) == agrees


def test_resampled_losses_have_binomial_sums(rng):
    """With resampling a loss of 1/2 is a fair coin; bits are left as they are."""
    table = np.array([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [0, 0]])

    def worst(sums, rng):
        return (sums[:, 0] > sums[:, 1]).astype(np.int64)

    plain, drawn = (audit.dyadic_sampler(worst, table, resample=flag)(100_000, rng) for flag in (False, True))
    assert not plain[:, 1:].any()
    for block, chance in ((1, 1 / 4), (2, 5 / 16)):
        interval = certify.clopper_pearson(int(drawn[:, block].sum()), 100_000, false_alarm=FALSE_ALARM)
        assert chance in interval
    bits = np.array([[1.0, 0], [0, 1], [0, 1], [0, 0]])
    assert (audit.dyadic_sampler(worst, bits, resample=True)(100, rng)[:, 1:] == [1, 0]).all()


def test_an_audit_of_sampled_actions_certifies_a_leak_and_nothing_else(rng):
    other = TABLE.copy()
    other[4] = [0, 1]
    exact = audit.privacy_loss(*(audit.sequence_law(t[:7], selector=selector) for t in (TABLE, other)))
    pair = [audit.dyadic_sampler(select, table) for table in (TABLE, other)]
    certified = audit.certified_privacy_loss(*pair, samples=400_000, rng=rng)
    assert 0.9 * exact < certified <= exact
    unread = TABLE.copy()
    unread[7] = [1, 1]
    pair = [audit.dyadic_sampler(select, table) for table in (TABLE, unread)]
    assert audit.certified_privacy_loss(*pair, samples=400_000, rng=rng) == 0


def test_a_prefix_of_resampled_losses_has_no_round_too_many():
    seen = []

    def select(sums, rng):
        seen.append(sums.copy())
        return np.zeros(len(sums), dtype=np.int64)

    draw = audit.dyadic_sampler(
        select, np.ones((8, 2)), prefix=lambda r, n, rng: np.ones(n, dtype=np.int64), resample=True
    )
    draw(5, np.random.default_rng(0))
    assert all((sums == 1).all() for sums in seen)
