"""What sampled audits ask: of which pairs, with which noise, how many runs, with which share of the error."""

from itertools import product
from math import exp

import numpy as np
import pytest

from replicate import certify
from replicate.mechanisms import NOISES
from replicate.papers.noisy_leader import privacy
from replicate.papers.noisy_leader.checks import privacy as checks
from replicate.papers.noisy_leader.experiments import privacy as tables

RUNS = {
    "quick": (200_000, 60_000, 3000),
    "full": (300_000, 150_000, 12_000),
    "huge": (3 * 10**6, 1_500_000, 120_000),
}
"""By profile: with exponential noise, with others or where much is certified, and of the literal learner."""
SEED = 5


def given(monkeypatch, name):
    """Certify 1/2, then 1/4 and so on in the place of an audit; return what it was asked."""
    asked = []
    monkeypatch.setattr(privacy, name, lambda *noise, **words: asked.append((*noise, words)) or 0.5 ** len(asked))
    return asked


def numbers(evidence):
    return [(piece.measured, piece.limit, piece.relation) for piece in evidence.pieces]


@pytest.mark.parametrize("profile", RUNS)
def test_six_variants_are_held_from_both_sides(profile, monkeypatch):
    """Laplace noise has twice the scale of the others; a third of the pair's exact loss is the least."""
    monkeypatch.setattr(privacy, "shipped_scale", lambda noise: 6.0 if noise == "laplace" else 3.0)
    monkeypatch.setattr(privacy, "pair_loss", lambda noise, *, scale, resample: 3 * scale + 30 * resample)
    asked = given(monkeypatch, "certified_loss")
    found = checks.certified_by_sampling(profile, SEED, divisor=3.0)
    known, measured = [], []
    for i, (noise, resample) in enumerate(product(NOISES, (False, True))):
        runs, scale = RUNS[profile][noise != "exponential"], 2.0 if noise == "laplace" else 1.0
        share = {"seed": SEED, "false_alarm": pytest.approx(1e-9 / 6)}
        known.append((noise, {"scale": scale, "resample": resample, "samples": runs} | share))
        measured += [(0.5 ** (i + 1), 1.0, "<="), (0.5 ** (i + 1), pytest.approx(scale + 10 * resample), ">=")]
    assert asked == known
    assert numbers(found) == measured


@pytest.mark.parametrize("profile", RUNS)
@pytest.mark.parametrize("calibration", ["printed", "corrected"])
def test_exponential_noise_is_audited_in_two_ways_and_by_the_literal_learner(profile, calibration, monkeypatch):
    """On the counterexample, with a third of the error each."""
    fast, literal = given(monkeypatch, "certified_loss"), given(monkeypatch, "literal_loss")
    monkeypatch.setattr(privacy, "shipped_scale", lambda noise, calibration: len(noise + calibration))
    monkeypatch.setattr(checks, "_literal_loss", checks._literal_loss.__wrapped__)
    found = checks.exponential_by_sampling(profile, SEED, calibration=calibration)
    alone = checks.exponential_by_literal_runs(profile, SEED, calibration=calibration)
    share = {"seed": SEED, "pair": privacy.COUNTEREXAMPLE, "false_alarm": pytest.approx(1e-9 / 3)}
    scale, (_, runs, few) = len("exponential" + calibration), RUNS[profile]
    assert fast == [
        ("exponential", {"scale": scale, "resample": resample, "samples": runs} | share)
        for resample in (False, True)
    ]
    words = {"epsilon": 1.0, "resample": False, "calibration": calibration, "samples": few}
    assert literal == [("exponential", words | share)] * 2
    limit = pytest.approx(1 + 1e-6, rel=1e-12)
    assert numbers(found) == [(value, limit, ">=") for value in (0.5, 0.25, 0.5)]
    assert (alone.measured, alone.limit, alone.relation) == (0.25, limit, ">=")


@pytest.mark.parametrize("profile", RUNS)
def test_the_table_of_audits_has_fewer_runs_of_every_variant(profile, monkeypatch):
    asked = given(monkeypatch, "certified_loss")
    data = tables.audit_table.__wrapped__(profile, SEED)
    assert len(data) == len(asked) == 8
    assert {words["samples"] for _, words in asked} == {RUNS[profile][1]}


@pytest.mark.parametrize("resample", [False, True])
def test_actions_are_drawn_with_the_noise_and_on_the_pair_that_are_named(resample, samplers):
    """Action 2 trails by 2, or by nothing and as coins fall if resampled; Gumbel noise of scale 1."""
    pair = tuple(np.array([[0.0, 0.0], *[row] * 2, [0.5, 0.5]]) for row in ([0.0, 1.0], [0.5, 0.5]))
    words = {"scale": 1.0, "samples": 11, "seed": SEED, "pair": pair, "false_alarm": 1e-3, "score": None}
    assert privacy.certified_loss("gumbel", resample=resample, **words) == 0.6
    [(drawn, passed)] = samplers
    rng = passed.pop("rng")
    assert passed == {"samples": 11, "false_alarm": 1e-3, "score": None}
    for sampler, trailing in zip(drawn, (2, 0), strict=True):
        actions = np.asarray(sampler(40_000, rng))[:, 2]
        law = np.array([1, exp(-trailing)]) / (1 + exp(-trailing))
        assert certify.goodness_of_fit(np.bincount(actions, minlength=2), law) > 1e-7


@pytest.mark.parametrize(("calibration", "rate"), [("printed", 1.0), ("corrected", 0.5)])
def test_the_literal_learner_is_run_as_it_is_calibrated(calibration, rate, samplers):
    """Action 2 trails by 2 after two rounds at epsilon = 1: exponential noise of scale 1 or 2, half of e^-x."""
    pair = tuple(np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 1.0], last]) for last in ([0.0, 1.0], [1.0, 0.0]))
    words = {"samples": 11, "seed": SEED, "pair": pair, "false_alarm": 1e-3}
    found = privacy.literal_loss("exponential", epsilon=1.0, resample=False, calibration=calibration, **words)
    [(drawn, passed)] = samplers
    rng = passed.pop("rng")
    assert (found, passed) == (0.6, {"samples": 11, "false_alarm": 1e-3})
    for sampler in drawn:
        actions = np.asarray(sampler(2000, rng))[:, 3]
        law = np.array([1 - exp(-2 * rate) / 2, exp(-2 * rate) / 2])
        assert certify.goodness_of_fit(np.bincount(actions, minlength=2), law) > 1e-7
