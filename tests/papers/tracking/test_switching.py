"""The comparator, the prior on sequences and its filter, against lists of all sequences."""

import math

import numpy as np
import pytest

from replicate.learners.comparator import comparator_losses
from replicate.papers import tracking
from replicate.papers.tracking import lemmas
from replicate.papers.tracking.algorithms import (
    switching,
)
from tests.papers.tracking.common import SIZES, table_of


@pytest.mark.parametrize(("horizon", "n", "switches"), SIZES)
def test_best_sequence_is_the_best_of_all(horizon, n, switches):
    listed = switching.enumerate_sequences(horizon, n, switches)
    for trial in range(30):
        table = table_of(horizon, n, "comparator", trial)
        value, sequence = tracking.best_sequence(table, n_switches=switches)
        assert value == pytest.approx(table[np.arange(horizon), listed].sum(axis=1).min(), abs=1e-12)
        assert table[np.arange(horizon), sequence].sum() == pytest.approx(value, abs=1e-12)
        assert np.count_nonzero(np.diff(sequence)) <= switches


def test_no_switch_is_the_best_expert_and_all_switches_the_best_of_every_round():
    table = table_of(50, 4, "ends")
    assert tracking.best_sequence(table, n_switches=0)[0] == pytest.approx(table.sum(axis=0).min())
    assert tracking.best_sequence(table, n_switches=49)[0] == pytest.approx(table.min(axis=1).sum())
    assert comparator_losses(table, n_switches=49).sum() == pytest.approx(table.min(axis=1).sum())


@pytest.mark.parametrize(("horizon", "n", "switches"), SIZES)
def test_sequences_are_distinct_and_counted(horizon, n, switches):
    listed = switching.enumerate_sequences(horizon, n, switches)
    assert len({tuple(row) for row in listed}) == len(listed) == switching.count_sequences(horizon, n, switches)
    assert (np.diff(listed, axis=1) != 0).sum(axis=1).max() <= switches
    assert lemmas.count_listed(horizon, n, switches) >= len(listed)


@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("horizon", [2, 5, 40])
def test_switch_probabilities_are_ratios_of_counts(n, horizon):
    def completions(m, r):
        return sum(math.comb(m, k) * (n - 1) ** k for k in range(min(m, r) + 1))

    _, work = switching.start(4, n, horizon)
    for m in range(horizon - 1, 0, -1):
        switching.switch_probabilities(m, n, work)
        exact = [(n - 1) * completions(m - 1, r - 1) / completions(m, r) if r else 0 for r in range(5)]
        np.testing.assert_allclose(work[switching.MOVES], exact, rtol=1e-13)


@pytest.mark.parametrize(("horizon", "n", "switches"), SIZES)
def test_filter_is_the_weights_summed_over_sequences(horizon, n, switches):
    table, factor = table_of(horizon, n, "filter"), 0.6
    listed = switching.enumerate_sequences(horizon, n, switches)
    filter_, work = switching.start(switches, n, horizon)
    for t in range(horizon):
        weights = factor ** table[np.arange(t), listed[:, :t]].sum(axis=1)
        used = (np.diff(listed[:, : t + 1], axis=1) != 0).sum(axis=1)
        exact = np.zeros((switches + 1, n))
        np.add.at(exact, (used, listed[:, t]), weights / weights.sum())
        np.testing.assert_allclose(filter_ / filter_.sum(), exact, atol=1e-15)
        if t < horizon - 1:
            switching.switch_probabilities(horizon - 1 - t, n, work)
            switching.advance(filter_, factor ** table[t], work)
