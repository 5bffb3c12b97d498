"""The search for any selection's worst loss: report-noisy-max, laws of known loss, and one nobody would guess."""

import numpy as np
import pytest
from scipy import special

from replicate import audit
from replicate.mechanisms import NOISES, report_noisy_max_pmf, softmax_pmf


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(("n_actions", "n_rounds"), [(2, 1), (2, 5), (3, 4), (5, 2), (8, 3)])
def test_search_finds_what_the_closed_form_says(noise, n_actions, n_rounds):
    found = audit.selection_privacy_loss(
        lambda sums: report_noisy_max_pmf(-sums, noise=noise, scale=1.3),
        n_actions=n_actions,
        n_rounds=n_rounds,
        starts=200,
        keep=2,
    )
    exact = audit.report_noisy_max_privacy_loss(n_actions, noise=noise, scale=1.3, n_rounds=n_rounds)
    assert found == pytest.approx(exact, rel=1e-6)


def test_enumeration_agrees_on_mixtures():
    """Uniform exploration flattens a softmax: no closed form is known here."""

    def selector(sums):
        return 0.8 * softmax_pmf(-sums, scale=1.0) + 0.2 / sums.shape[-1]

    for n_actions, n_rounds in ((2, 4), (3, 2)):
        found = audit.selection_privacy_loss(selector, n_actions=n_actions, n_rounds=n_rounds)
        enumerated = audit.exhaustive_privacy_loss(
            lambda table: selector(table.sum(axis=-2)), n_rounds=n_rounds, n_actions=n_actions
        )
        assert enumerated - 1e-9 <= found < 1.05 * enumerated
        assert found < 2


def test_a_hump_in_the_middle_of_the_box_is_found():
    """The law jumps within 0.05 of a sum of 3.3; differences between corners do not see the slope's place."""

    def selector(sums):
        one = 0.5 + 0.4 * np.tanh((sums[..., 0] - 3.3) / 0.05)
        return np.stack([one, 1 - one], axis=-1)

    assert audit.selection_privacy_loss(selector, n_actions=2, n_rounds=6) == pytest.approx(np.log(9), rel=1e-3)
    assert audit.selection_privacy_loss(selector, n_actions=2, n_rounds=3) < 0.1


def test_constant_selection_loses_nothing_and_bad_sizes_are_refused():
    def selector(sums):
        return np.broadcast_to([0.3, 0.7], sums.shape)

    assert audit.selection_privacy_loss(selector, n_actions=2, n_rounds=3) == 0
    for wrong in ({"n_actions": 9, "n_rounds": 1}, {"n_actions": 2, "n_rounds": 0}):
        with pytest.raises(ValueError, match="must be an integer"):
            audit.selection_privacy_loss(selector, **wrong)


def test_the_worst_action_counts():
    """Action 0 has chance 1/2 whatever the losses; the others share the rest by softmax, as two actions do."""

    def two(sums):
        return special.softmax(-sums / 4, axis=-1)

    def three(sums):
        rest = two(sums[..., 1:]) / 2
        return np.concatenate([np.full_like(rest[..., :1], 0.5), rest], axis=-1)

    found = audit.selection_privacy_loss(three, n_actions=3, n_rounds=3)
    assert found == pytest.approx(audit.selection_privacy_loss(two, n_actions=2, n_rounds=3), rel=1e-6)
    assert found > 0.3
