"""Privacy of what ships: laws read from the learner, worst cases by enumeration, and the samples of audits."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from replicate import audit, certify, mechanisms
from replicate.learners import dyadic
from replicate.papers import noisy_leader
from replicate.papers.noisy_leader import algorithms, privacy

FALSE_ALARM = 1e-7
VARIANTS = list(product(mechanisms.NOISES, algorithms.CALIBRATIONS))


def shipped(n_actions, epsilon=1.0, **variant):
    return noisy_leader.NoisyLeader(n_actions, epsilon=epsilon, rng=np.random.default_rng(1), **variant)


# What ships


@pytest.mark.parametrize(("noise", "calibration"), VARIANTS)
@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_the_shipped_learner_spends_what_it_declares(noise, calibration, order):
    """One vector moves a leader that is far behind by two losses: in long epochs all that is declared is spent.

    Exponential noise as printed declares twice the epsilon that was asked for.
    """
    learner = shipped(3, noise=noise, calibration=calibration)
    far, farther = np.array([[38.0, 0.0, 0.0], [40.0, 0.0, 0.0]])[:, order]
    loss = np.abs(np.log(learner.law(far) / learner.law(farther))).max()
    assert loss == pytest.approx(learner.privacy.epsilon, rel=0.05)
    assert loss <= learner.privacy.epsilon * (1 + 1e-9)
    assert learner.privacy.epsilon == (2 if (noise, calibration) == ("exponential", "printed") else 1)


@pytest.mark.parametrize(("noise", "calibration"), VARIANTS)
@pytest.mark.parametrize(
    ("n_rounds", "n_actions", "levels"), [(3, 2, (0, 1)), (1, 3, (0, 0.5, 1)), (2, 2, (0, 0.5, 1))]
)
def test_no_two_neighbouring_tables_tell_more_than_is_declared(noise, calibration, n_rounds, n_actions, levels):
    """All short ones, by enumeration of the learner's own law of the sums."""
    learner = shipped(n_actions, noise=noise, calibration=calibration)
    loss = audit.exhaustive_privacy_loss(
        lambda table: learner.law(table.sum(axis=0)), n_rounds=n_rounds, n_actions=n_actions, levels=levels
    )
    assert learner.privacy.epsilon / 3 < loss <= learner.privacy.epsilon * (1 + 1e-9)


@pytest.mark.parametrize("noise", mechanisms.NOISES)
def test_resampled_bits_tell_no_more_than_is_declared(noise):
    """Two rounds of losses 0, 1/2 and 1 as bits: the law of a selection is a mean over bits."""
    learner = shipped(2, noise=noise, resample=True)
    bits = np.array(list(product((0, 1), repeat=4))).reshape(-1, 2, 2)

    def law(table):
        return np.where(bits == 1, table, 1 - table).prod(axis=(1, 2)) @ learner.law(bits.sum(axis=1))

    loss = audit.exhaustive_privacy_loss(law, n_rounds=2, n_actions=2, levels=(0.0, 0.5, 1.0))
    assert learner.privacy.epsilon / 3 < loss <= learner.privacy.epsilon
    for table in np.random.default_rng(1).random((5, 2, 2)):
        np.testing.assert_allclose(privacy.resampled_law(table, noise=noise, scale=2.0), law(table), rtol=1e-12)


# Audits


@pytest.mark.parametrize("noise", mechanisms.NOISES)
@pytest.mark.parametrize("resample", [False, True])
def test_the_audited_law_is_that_of_the_literal_learner(noise, resample, rng):
    """Exact law, all runs at once and the learner itself on the audit's table; another noise has another law."""
    table, scale = privacy.PAIR[0], 2.0
    law = privacy.sequence_law(table[:-1], noise=noise, scale=scale, resample=resample)
    starts, _ = dyadic.blocks(len(table))
    literal = audit.learner_sampler(
        lambda g: noisy_leader.NoisyLeader(2, epsilon=1.0, rng=g, noise=noise, resample=resample), table
    )
    fits = {
        "literal": certify.goodness_of_fit(_codes(literal(2_000, rng)[:, starts]), law),
        "together": certify.goodness_of_fit(
            _codes(privacy.sampler(table, noise=noise, scale=scale, resample=resample)(50_000, rng)), law
        ),
    }
    assert min(fits.values()) > FALSE_ALARM, fits
    other = privacy.sampler(table, noise=noise, scale=scale / 1.2, resample=resample)(25_000, rng)
    assert certify.goodness_of_fit(_codes(other), law) < FALSE_ALARM


def _codes(actions):
    """Counts of the joint outcomes of J_1, J_2, J_3, the last running fastest."""
    return np.bincount(actions[:, 1:] @ [4, 2, 1], minlength=8)


def test_the_audit_table_separates_printed_from_corrected():
    table = privacy.audit_table("quick", 3)
    assert (table["certified"] <= table["this pair"]).all()
    assert (table["this pair"] <= table["any pair"] + 1e-12).all()
    corrected = table[table["calibration"] == "corrected"]
    printed = table[table["calibration"] == "printed"]
    assert len(corrected) == 6
    # the supremum over all pairs of stretches of any length is 2 / scale; as printed the scale is half as large
    np.testing.assert_array_equal(corrected["any pair"], corrected["declared"])
    np.testing.assert_array_equal(printed["any pair"], 2 * printed["declared"])
    assert (printed["certified"] > printed["declared"]).all()
