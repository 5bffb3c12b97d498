"""Exact privacy losses against independent computations."""

import math

import numpy as np
import pytest
from scipy import stats

from replicate import audit, certify, mechanisms
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import mirror_descent
from replicate.papers.tracking.privacy import exact as privacy
from replicate.streams import stream


def test_selections_of_algorithm_1_are_private_and_a_second_reader_is_not():
    losses = [
        audit.exhaustive_privacy_loss(
            lambda table, blocks_read=blocks_read: privacy.limited_updates_law(
                table, epsilon=0.7, blocks_read=blocks_read
            ),
            n_rounds=3,
            n_actions=2,
        )
        for blocks_read in (1, 2)
    ]
    assert losses[0] <= 0.7 < losses[1]


def test_log_silence_is_the_law_of_above_threshold():
    """The halting probability on a short path of regrets, against the ground floor's quadrature."""
    rule = bounds.RestartRule(2.0, 1.0, 2.0, 0.4, "all")
    regret = np.array([1.0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1])
    prefix = np.concatenate([[0.0], np.cumsum(regret)])
    queries, last = [], []
    for n in range(1, len(regret) + 1):
        for m in range(n):
            value = max(0.0, prefix[n] - prefix[m]) - rule.allowance(n - m - 1) - rule.accuracy - 1
            queries.append(value)
            last.append(n == len(regret))
    exact = np.logaddexp.reduce(
        mechanisms.above_threshold_log_law(queries, epsilon=rule.epsilon)[:-1][np.array(last)]
    )
    nodes = np.linspace(-60, 90, 60_001)
    silent, halting = privacy._log_silence(regret, nodes, rule.constant + rule.accuracy + 1, rule.root, 2.0)
    weights = np.log(nodes[1] - nodes[0]) - np.abs(nodes) - math.log(2)
    with np.errstate(divide="ignore"):
        dense = np.logaddexp.reduce(weights + silent + np.log(-np.expm1(halting)))
    assert dense == pytest.approx(exact, abs=1e-5)


def test_selection_probability_is_report_noisy_max():
    regret = np.concatenate([np.ones(5), -np.ones(2)])
    law = privacy.limited_updates_law(np.column_stack([(1 + regret) / 2, (1 - regret) / 2]), epsilon=0.6)
    assert privacy._selection_log_probability(regret, 0.6) == pytest.approx(math.log(law[0]), abs=1e-12)


def test_printed_restarts_exceed_epsilon_and_corrected_ones_do_not():
    printed = privacy.restart_pair(epsilon=8.0, horizon=4096, calibration="printed")
    corrected = privacy.restart_pair(epsilon=8.0, horizon=4096, calibration="corrected")
    assert 1.2 * 8 < printed.loss <= 1.25 * 8
    assert printed.restart == pytest.approx(1.5 * 4, rel=1e-6)
    assert 0.99 * 8 < corrected.loss <= 8
    with pytest.raises(ValueError, match="horizon"):
        privacy.restart_pair(epsilon=8.0, horizon=1000, calibration="printed")


def test_queries_move_by_two_and_by_one_for_one_sided_changes():
    up, down, behind = np.array([1.0, 0]), np.array([0.0, 1]), np.array([2.0, 0])
    assert privacy.query_shift(behind, up, down, played=0) == 2
    assert privacy.query_shift(behind, up, np.zeros(2), played=0) == 1
    assert privacy.query_shift(np.zeros(2), up, down, played=0) == 1


def test_forward_filter_agrees_with_simulation():
    """Probability that expert 1 is played in rounds 2 to 8, both tables, from the filter's own pieces."""
    setting = {"n_actions": 2, "horizon": 8, "n_switches": 2, "epsilon": 0.9}
    rate, noise = mirror_descent.parameters(**setting, calibration="printed")
    rng, runs = stream(1, "filter"), 60_000
    hits = []
    for losing in (1, 0):
        table = np.zeros((8, 2))
        table[0, losing] = 1
        hits.append(
            sum(not mirror_descent.play(table, rate, noise, 2 / 16, rng)[0][1:].any() for _ in range(runs))
        )
    loss = privacy.mirror_loss(horizon=8, n_switches=2, epsilon=0.9, calibration="printed")
    likely, rare = (certify.clopper_pearson(k, runs, false_alarm=1e-7) for k in hits)
    assert math.log(likely.low / rare.high) <= loss <= math.log(likely.high / rare.low)


def test_cells_hold_the_law_of_a_laplace_difference():
    edges = np.linspace(-3, 3, 13)
    law = privacy._cells_law(edges, np.array([0.3]), 0.8)[0]
    assert law.sum() == pytest.approx(1)
    rng = stream(2, "difference")
    draws = np.clip(0.3 + 0.8 * (rng.laplace(size=200_000) - rng.laplace(size=200_000)), -2.999, 2.999)
    assert certify.goodness_of_fit(np.histogram(draws, edges)[0], law) > 1e-7
    assert stats.laplace.cdf(0) == 0.5


def test_more_cells_change_nothing_and_the_printed_loss_exceeds_epsilon():
    losses = [
        privacy.mirror_loss(horizon=64, n_switches=2, epsilon=0.9, calibration="printed", cells=cells)
        for cells in (400, 800)
    ]
    assert losses[0] == pytest.approx(losses[1], rel=2e-3)
    assert min(losses) > 1.04 * 0.9
    assert losses[1] <= privacy.mirror_upper(n_actions=2, horizon=64, learning_rate=1.0, noise=1 / 0.9)


def test_half_counts_are_symmetric_without_a_signal():
    counts = privacy.half_counts(
        n_actions=20, horizon=30, n_switches=3, epsilon=1e-9, calibration="printed", replicates=2000,
        rng=stream(3, "halves"),
    )  # fmt: skip
    assert certify.two_sample(counts, 29 - counts) > 1e-7
