"""The audits of paper 5: vectorised messages against the user's own, scores, and what is certified."""

import numpy as np
import pytest
from scipy import stats

from replicate import audit
from replicate.papers.distribution_learning import User, instances, privacy
from replicate.papers.distribution_learning.algorithms.schemes import Game
from replicate.streams import stream

SEED = 2026


def game_of(f, scheme, *, merge=False):
    delta = 0.01 if scheme == "approximate" else None
    return Game.validated(
        f, scheme=scheme, epsilon=1.0, delta=delta, horizon=20, calibration="corrected", merge=merge
    )


@pytest.mark.parametrize("scheme", ["pure", "approximate"])
def test_messages_are_the_users(scheme):
    """8,000 messages each way: every coordinate, and how often it is shown."""
    f, delta = instances.THREE_LABELS, 0.01 if scheme == "approximate" else None
    user = User(f, scheme=scheme, epsilon=1.0, delta=delta, horizon=20, rng=stream(1, "user", scheme))
    many = privacy.messages(game_of(f, scheme), 0, 8000, stream(2, "many", scheme))
    one = np.array([user.release(0) for _ in range(8000)])
    for j in range(2):
        shown = ~np.isnan(many[:, j])
        mine, theirs = many[shown, j], one[one[:, j] != 0, j]
        assert stats.ks_2samp(mine, theirs).pvalue > 1e-7
        assert abs(len(mine) - len(theirs)) < 6 * np.sqrt(8000)


@pytest.mark.parametrize("scheme", ["pure", "approximate"])
def test_log_density_is_a_log_density(scheme):
    """Where messages are dense they are as dense as stated: the ratio of two labels, by reweighting."""
    game = game_of(instances.THREE_LABELS, scheme, merge=True)
    released = privacy.messages(game, 0, 200_000, stream(3, "density", scheme))
    ratio = np.exp(privacy.log_density(game, 1, released) - privacy.log_density(game, 0, released))
    assert ratio.mean() == pytest.approx(1, abs=6 * ratio.std() / np.sqrt(200_000))
    assert ratio.std() > 0.05


def test_certified_losses_stay_below_exact_ones_and_come_close():
    for calibration in ("printed", "corrected"):
        found = privacy.audit_pure("quick", SEED, calibration)
        assert 0.95 * found.exact < found.certified <= found.exact
    response = privacy.audit_labels("quick", SEED, "randomized_response")
    assert 0.95 < response.certified <= response.exact == pytest.approx(1)


def test_tight_noise_is_nearly_used_up_and_less_is_caught():
    tight, less = (privacy.audit_vector("quick", SEED, "tight", noise=noise) for noise in (1.0, 0.8))
    assert 0.85 < tight.certified <= 1 < less.certified
    assert privacy.audit_vector("quick", SEED, "corrected").certified < 0.3


def test_labels_in_the_clear_are_caught():
    assert privacy.audit_labels("quick", SEED, "non_private").certified > 5
    assert audit.privacy_loss([0.5, 0.5], [1.0, 0.0]) == np.inf


def test_the_table_names_every_audit():
    table = privacy.audit_table("quick", SEED).set_index("learner")["certified by messages"]
    convicted = table[table > 1].index
    assert set(convicted) == {
        "Algorithm 2, printed, M = 50",
        "Algorithm 1, tight noise less a fifth",
        "no privacy",
    }
