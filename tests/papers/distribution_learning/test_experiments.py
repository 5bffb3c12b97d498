"""Certified privacy losses where they must lie, and exact risks against simulation."""

from types import SimpleNamespace

import numpy as np
import pytest

from replicate import audit, certify
from replicate.papers import distribution_learning as dl
from replicate.papers.distribution_learning import instances
from replicate.papers.distribution_learning.checks import privacy as checks
from replicate.papers.distribution_learning.experiments import privacy, regret
from replicate.streams import stream
from tests.papers.distribution_learning.common import FALSE_ALARM

SEED = 2026


def test_certified_losses_stay_below_exact_ones_and_come_close():
    for calibration in ("printed", "corrected"):
        found = privacy.audit_pure("quick", SEED, calibration)
        assert 0.95 * found.exact < found.certified <= found.exact
    response = privacy.audit_labels("quick", SEED, "randomized_response")
    assert 0.95 < response.certified <= response.exact == pytest.approx(1)


def test_tight_noise_is_nearly_used_up_and_less_is_rejected():
    tight, less = (privacy.audit_vector("quick", SEED, "tight", noise_factor=factor) for factor in (1.0, 0.9))
    assert 0.85 < tight.certified <= 1 < less.certified
    assert privacy.audit_vector("quick", SEED, "corrected").certified < 0.3


def test_labels_in_the_clear_are_rejected():
    assert privacy.audit_labels("quick", SEED, "non_private").certified > 5
    assert audit.privacy_loss([0.5, 0.5], [1.0, 0.0]) == np.inf


def test_the_table_names_every_audit():
    table = privacy.audit_table("quick", SEED).set_index("learner")["certified by messages"]
    rejected = table[table > 1].index
    assert set(rejected) == {
        "Algorithm 2, printed, M = 50",
        "Algorithm 1, 0.9 of the tight noise",
        "no privacy",
    }


def test_the_table_shows_the_audits_of_the_claims(monkeypatch):
    """Asked for in the same words, so that none of them is drawn twice."""
    asked = {}
    for name in ("audit_pure", "audit_vector", "audit_labels"):
        audit = getattr(privacy, name)
        monkeypatch.setattr(privacy, name, lambda *words, audit=audit, **named: keep(audit, *words, **named))

    def keep(audit, *words, **named):
        asked.setdefault((audit.__name__, words, tuple(named.items())), audit)
        return privacy.Audit(certified=0.5, exact=0.5, samples=1)

    for calibration in ("corrected", "printed"):
        checks.audited_coordinate("quick", SEED, calibration=calibration)
    for factor, scheme in ((1.0, "randomized_response"), (0.9, "non_private")):
        checks.audited_vector("quick", SEED, noise_factor=factor)
        checks.audited_labels("quick", SEED, scheme=scheme)
    known = len(asked)
    privacy.audit_table("quick", SEED)
    assert len(asked) == known == 10


def test_mixture_risk_of_two_coins_against_simulation():
    exact = regret.coins_mixture_risk(0.05, 2000)
    run = dl.simulate(
        instances.close_pair(0.05), scheme="non_private", horizon=2000, replicates=2000, rng=stream(5, "coins")
    )
    assert exact in certify.mean_interval(run.final, false_alarm=FALSE_ALARM)
    assert exact < np.log(2)


def test_a_frozen_learner_bets_on_the_farthest_wrong_hypothesis():
    """One context, two labels; predictions 1/2, 1/4, 3/4 and truth 1/2: by hand, the worst of them."""
    masses = np.array([[[0.5, 0.5], [0.25, 0.75], [0.9, 0.1]]])
    scheme = SimpleNamespace(masses=masses, predictions=masses)
    risk, distance = regret.frozen_losses(scheme, 0)
    assert risk == pytest.approx(0.5 * np.log(0.5 / 0.9) + 0.5 * np.log(0.5 / 0.1))
    assert distance == pytest.approx(0.4)
    uniform = regret.uniform_losses(masses, 0)
    assert uniform[1] == pytest.approx(0.05)
    assert uniform[0] == pytest.approx(0.5 * np.log(0.5 / 0.55) + 0.5 * np.log(0.5 / 0.45))
