"""What sampled audits ask: of which learners, at which privacy and noise, with which share of the error."""

import inspect
from itertools import product

import numpy as np
import pytest
from scipy import stats

from replicate import certify
from replicate.papers.distribution_learning import privacy
from replicate.papers.distribution_learning.checks import privacy as checks
from replicate.papers.distribution_learning.experiments import privacy as audits
from tests.conftest import FALSE_ALARM

TIGHT = {
    profile: [*product(("tight",), sizes, (1e-2, 1e-6))]
    for profile, sizes in (("quick", (1, 2)), ("full", (1, 2, 4)), ("huge", (1, 2, 4)))
}
"""Audits of Algorithm 1's tight noise: calibration, copies of two laws, and delta."""
SEEDS = 77
SAMPLES = {"quick": 10**6, "full": 3 * 10**6, "huge": 3 * 10**7}
"""Messages about each label."""


def answers(name, monkeypatch):
    """Put an audit in the place of another: 0.5 is certified, then 0.25 and so on; return what it was asked."""
    asked, signature = [], inspect.signature(getattr(audits, name))

    def audit(*args, **words):
        given = signature.bind(*args, **words)
        given.apply_defaults()
        asked.append(given.arguments)
        return audits.Audit(certified=0.5 ** len(asked), exact=0.75, samples=1000)

    monkeypatch.setattr(audits, name, audit)
    return asked


@pytest.mark.parametrize("profile", TIGHT)
@pytest.mark.parametrize("factor", [1.0, 0.9])
def test_algorithm_1_is_audited_with_all_its_noise_on_every_class_and_with_less_on_the_first(
    profile, factor, monkeypatch
):
    asked = answers("audit_vector", monkeypatch)
    found = checks.audited_vector(profile, SEEDS, noise_factor=factor)
    known = [("corrected", 1, 1e-2), *TIGHT[profile]] if factor == 1 else [("tight", 1, 1e-2)]
    assert [(a["calibration"], a["copies"], a["delta"]) for a in asked] == known
    assert {(a["profile"], a["seed"], a["noise_factor"]) for a in asked} == {(profile, SEEDS, factor)}
    pieces = found.pieces or (found,)
    assert [(p.measured, p.limit, p.relation) for p in pieces] == [
        (0.5 ** (i + 1), 1, "<=") for i in range(len(known))
    ]


def test_all_vectors_of_one_claim_share_its_error():
    largest = max(1 + len(cases) for cases in TIGHT.values())
    assert largest == audits.VECTORS


@pytest.mark.parametrize(("calibration", "relation"), [("corrected", "<="), ("printed", ">=")])
@pytest.mark.parametrize(
    ("profile", "settings"),
    [("quick", [(50, 100)]), *((name, [(50, 100), (4, 300)]) for name in ("full", "huge"))],
)
def test_algorithm_2_is_audited_on_many_labels_and_in_full_on_three(
    profile, settings, calibration, relation, monkeypatch
):
    asked = answers("audit_pure", monkeypatch)
    found = checks.audited_coordinate(profile, SEEDS, calibration=calibration, relation=relation)
    assert [(a["n_labels"], a["horizon"]) for a in asked] == settings
    assert {(a["calibration"], a["epsilon"], a["seed"]) for a in asked} == {(calibration, 2.0, SEEDS)}
    pieces = found.pieces or (found,)
    assert [(p.measured, p.limit, p.relation) for p in pieces] == [
        (0.5 ** (i + 1), 1, relation) for i in range(len(settings))
    ]


@pytest.fixture
def sampled(monkeypatch):
    """What is certified of which scheme."""
    asked = []
    monkeypatch.setattr(privacy, "certified_loss", lambda scheme, **words: asked.append((scheme, words)) or 0.5)
    return asked


@pytest.mark.parametrize("profile", SAMPLES)
def test_messages_of_algorithm_2_are_sampled_at_delta_0_with_half_of_the_error(profile, sampled):
    """One law on one label, the other on all others, merged: two groups. Printed noise is too small there."""
    found = {}
    for calibration in ("printed", "corrected"):
        found[calibration] = audits.audit_pure.__wrapped__(profile, SEEDS, calibration)
        scheme, words = sampled.pop()
        assert (scheme.name, scheme.epsilon, scheme.horizon) == ("pure", 2.0, 100)
        np.testing.assert_allclose(scheme.hypotheses, [[[0, 1 / 49], [1, 0]]])
        words.pop("rng")
        assert words == {"delta": 0, "samples": SAMPLES[profile], "false_alarm": pytest.approx(1e-9 / 2)}
    assert {audit.certified for audit in found.values()} == {0.5}
    assert found["corrected"].exact <= 1 < found["printed"].exact


@pytest.mark.parametrize("profile", SAMPLES)
@pytest.mark.parametrize(("copies", "delta", "factor"), [(1, 1e-2, 0.9), (2, 1e-6, 1.0), (4, 1e-2, 1.0)])
def test_messages_of_algorithm_1_are_sampled_at_their_delta(copies, delta, factor, profile, sampled):
    """With a seventh of the error, half as often as those of Algorithm 2."""
    audits.audit_vector.__wrapped__(profile, SEEDS, "tight", copies=copies, delta=delta, noise_factor=factor)
    [(scheme, words)] = sampled
    assert (scheme.name, scheme.epsilon, scheme.horizon) == ("approximate", 1.0, 10**6)
    np.testing.assert_allclose(scheme.hypotheses, [[[0, 1 / 3]] * copies + [[1, 0]] * copies])
    words.pop("rng")
    expected = {"delta": delta, "samples": SAMPLES[profile] // 2, "noise_factor": factor}
    assert words == expected | {"false_alarm": pytest.approx(1e-9 / 7)}


@pytest.mark.parametrize(("name", "delta"), [("pure", None), ("approximate", 1e-2)])
@pytest.mark.parametrize("factor", [1.0, 0.6])
def test_evidence_is_the_log_ratio_of_the_densities_that_messages_have(name, delta, factor, samplers, monkeypatch):
    """So exp of it has mean one under the last label, exp of minus it under the first, at any noise and block."""
    monkeypatch.setattr(privacy, "_BLOCK", 3000)
    words = {"epsilon": 2.0, "horizon": 100, "delta": delta}
    scheme = audits._scheme(audits.wide_class(3), name, **words)
    rng = np.random.default_rng(5)
    stated = {"delta": 0.125, "samples": 17, "rng": rng, "false_alarm": 1e-5}
    assert privacy.certified_loss(scheme, noise_factor=factor, **stated) == 0.6 / 2
    [(pair, passed)] = samplers
    assert passed == stated
    for sampler, sign in zip(pair, (-1, 1), strict=True):
        evidence = sampler(10_000, rng)
        assert evidence.shape == (10_000,)
        means = {by: stats.ttest_1samp(np.exp(by * sign * evidence), 1.0).pvalue for by in (1.0, 0.5)}
        assert means[1.0] > FALSE_ALARM > means[0.5]
        assert len({*evidence[:3000].round(9)} & {*evidence[3000:6000].round(9)}) < 100


@pytest.mark.parametrize("profile", SAMPLES)
@pytest.mark.parametrize(
    ("scheme", "keep"), [("randomized_response", (np.e - 1) / (np.e + 7)), ("non_private", 1)]
)
def test_labels_are_sampled_from_response_or_shown(scheme, keep, profile, samplers):
    """The first of eight labels against the last: kept with probability `keep`, or else any one is drawn."""
    found = audits.audit_labels.__wrapped__(profile, SEEDS, scheme)
    [(pair, words)] = samplers
    assert (found.certified, found.samples, words["samples"]) == (0.6, SAMPLES[profile], SAMPLES[profile])
    assert found.exact == pytest.approx(1.0 if keep < 1 else np.inf)
    for sampler, label in zip(pair, (0, 7), strict=True):
        counts = np.bincount(sampler(40_000, np.random.default_rng(3)), minlength=8)
        law, other = ((1 - k) / 8 + k * (np.arange(8) == label) for k in (keep, 0.8 * keep))
        assert certify.goodness_of_fit(counts, law) > FALSE_ALARM > certify.goodness_of_fit(counts, other)
