"""Sampled audits: exact laws against the learners, and the losses that each audit certifies."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from replicate import certify
from replicate.papers.tracking.algorithms import restarts
from replicate.papers.tracking.privacy import exact, sampled
from replicate.streams import stream

SEED = 2026


def is_neighbour(pair):
    return np.count_nonzero((pair[0] != pair[1]).any(axis=1)) == 1


def test_pairs_differ_in_one_round():
    for pair in (sampled.alarm_pair(), sampled.selection_pair(), sampled.dartboard_pair(6)):
        assert is_neighbour(pair)
        assert min(t.min() for t in pair) == 0
        assert max(t.max() for t in pair) == 1


def rounds_of_restarts(table, rule, rng, runs=3_000):
    """Count how often the first restart came in each of the 127 rounds, or never."""
    counts = np.zeros(128)
    for _ in range(runs):
        starts = restarts.play(table, 2 / 4.0, rule, rng)[1]
        counts[starts[1] - 1 if len(starts) > 1 else 127] += 1
    return counts


@pytest.mark.parametrize("calibration", ["printed", "corrected"])
def test_the_law_of_the_restart_is_the_learners(calibration):
    """3,000 runs of Algorithm 2: the round of the first restart. Twin: 1.2 times the noise of queries."""
    rule = sampled.alarm_rule(calibration)
    compiled = restarts.alarm_of(rule)
    for i, table in enumerate(sampled.alarm_pair()):
        law = exact.restart_law(table, rule=rule, held=2)
        assert law.sum() == pytest.approx(1, abs=1e-10)
        rng = stream(1, "restart law", calibration, i)
        assert certify.goodness_of_fit(rounds_of_restarts(table, compiled, rng), law) > 1e-7
        louder = restarts.alarm_of(replace(rule, epsilon=rule.epsilon / 1.2))
        assert certify.goodness_of_fit(rounds_of_restarts(table, louder, rng, runs=1_200), law) < 1e-9


def test_plays_show_the_restart():
    """The zone read off the plays has the exact law up to the few restarts that draw the same expert."""
    for table in sampled.alarm_pair():
        seen = np.bincount(sampled.alarm_sampler(table, "printed")(10_000, stream(2, "zones")), minlength=3)
        np.testing.assert_allclose(seen / 10_000, sampled.alarm_zones(table, "printed"), atol=0.012)


def test_certified_losses_stay_below_exact_ones():
    checked = [sampled.audit_selections("quick", SEED), sampled.audit_dartboard("quick", SEED, sampled.PURE)]
    checked += [sampled.audit_alarm("quick", SEED, c) for c in ("printed", "corrected")]
    for found in checked:
        assert 0.4 * found.exact < found.certified <= found.exact <= found.proved
    assert checked[0].certified > 0.8 * checked[0].exact


def test_without_redraws_one_loss_is_seen():
    assert sampled.audit_dartboard("quick", SEED, sampled.PURE, redraws="after a loss").certified > 2


def test_an_event_that_is_rarer_than_delta_is_no_violation():
    """A redraw after the loss shows it, with a probability of at most eta: that is (1, 0.1)-private."""
    game = sampled.Game(horizon=6, n_switches=0, delta=0.1)
    assert game.board().learning_rate < game.delta / 4
    assert sampled.audit_dartboard("quick", SEED, game, redraws="after a loss").certified == 0


@pytest.mark.parametrize(
    "audited",
    [
        sampled.audit_selections, partial(sampled.audit_alarm, calibration="printed"),
        partial(sampled.audit_dartboard, game=sampled.PURE), partial(sampled.audit_mirror, calibration="printed"),
    ],
)  # fmt: skip
def test_an_audit_hears_of_the_score_that_it_is_given(audited):
    with pytest.raises(ValueError, match="score must be one of fitted, got 'none such'"):
        audited("quick", SEED, score="none such")
