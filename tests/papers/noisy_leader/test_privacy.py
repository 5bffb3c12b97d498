"""Exact laws of the audited learners against their samples."""

from __future__ import annotations

import numpy as np
import pytest

from replicate import audit, certify, mechanisms
from replicate.learners import dyadic
from replicate.papers import noisy_leader
from replicate.papers.noisy_leader import privacy

FALSE_ALARM = 1e-7


@pytest.mark.parametrize("noise", mechanisms.NOISES)
@pytest.mark.parametrize("resample", [False, True])
def test_the_audited_law_is_that_of_the_literal_learner(noise, resample, rng):
    """Exact law, all runs at once and the learner itself on the audit's table; the other B has another law."""
    table, scale = privacy.PAIR[0], 2.0
    law = privacy.sequence_law(table[:-1], noise=noise, scale=scale, resample=resample)
    starts, _ = dyadic.blocks(len(table))
    literal = audit.learner_sampler(
        lambda g: noisy_leader.NoisyLeader(2, epsilon=1.0, rng=g, noise=noise, resample=resample), table
    )
    fits = {
        "literal": certify.goodness_of_fit(_codes(literal(2_000, rng)[:, starts]), law),
        "together": certify.goodness_of_fit(
            _codes(privacy.sampler(table, noise=noise, scale=scale, resample=resample)(100_000, rng)), law
        ),
    }
    assert min(fits.values()) > FALSE_ALARM, fits
    other = privacy.sampler(table, noise=noise, scale=scale / 1.2, resample=resample)(100_000, rng)
    assert certify.goodness_of_fit(_codes(other), law) < FALSE_ALARM


def _codes(actions):
    """Counts of the joint outcomes of J_1, J_2, J_3, the last running fastest."""
    return np.bincount(actions[:, 1:] @ [4, 2, 1], minlength=8)


def test_resampled_law_of_one_round_by_hand():
    """Losses (1/2, 0): a fair coin between bits (0, 0) and (1, 0)."""
    law = privacy.resampled_law(np.array([[0.5, 0.0]]), noise="gumbel", scale=1.0)
    assert law[0] == pytest.approx(0.5 * 0.5 + 0.5 / (1 + np.e))
